// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Coroutines that go on in another thread than the one in which they called swapcontext(),
 * or siglongjmp() as those of QEMU do: functions return in a thread that never entered them.
 *
 *	migrate context		by swapcontext(); the threads that it was in have ended
 *	migrate jump		the same by siglongjmp()
 *	migrate throw		an exception is caught by a function of another thread
 *	migrate crowd		many coroutines, which are resumed by whichever thread is free,
 *				by siglongjmp()
 */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define untraced	__attribute__((no_instrument_function))
#define STACK_SIZE	65536
#define COROUTINES	40
#define ROUNDS		200
#define THREADS		3

struct coroutine {
	ucontext_t own, caller;
	sigjmp_buf inside, outside;
	void (*body)(struct coroutine *co);
	bool jumps, done;
	char *stack;
	int rounds;
};

static long crowd_calls;

untraced static inline void stay(void)
{
	__asm__ __volatile__("" : : : "memory");
}

/* Not siglongjmp() of glibc's headers, which looks whether the stack is left downwards. */
untraced static void yield(struct coroutine *co)
{
	if (!co->jumps)
		swapcontext(&co->own, &co->caller);
	else if (!sigsetjmp(co->inside, 0))
		siglongjmp(co->outside, 1);
}

untraced static void run(unsigned int low, unsigned int high)
{
	struct coroutine *co = (struct coroutine *)(low | (unsigned long)high << 32);

	co->body(co);
	co->done = true;
	yield(co);
	abort();
}

untraced static struct coroutine *make(void (*body)(struct coroutine *co), bool jumps)
{
	struct coroutine *co = (struct coroutine *)calloc(1, sizeof(*co));

	co->stack = (char *)mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	co->body = body;
	co->jumps = jumps;
	getcontext(&co->own);
	co->own.uc_stack.ss_sp = co->stack;
	co->own.uc_stack.ss_size = STACK_SIZE;
	makecontext(&co->own, (void (*)(void))run, 2, (unsigned int)(unsigned long)co,
		    (unsigned int)((unsigned long)co >> 32));
	return co;
}

/* In the first part of a coroutine there is nothing to jump to yet. */
extern "C" noinline void resume(struct coroutine *co)
{
	if (!co->jumps)
		swapcontext(&co->caller, &co->own);
	else if (!sigsetjmp(co->outside, 0)) {
		if (co->rounds++)
			siglongjmp(co->inside, 1);
		setcontext(&co->own);
	}
	stay();
}

extern "C" noinline void leaf(void)
{
	stay();
}

extern "C" noinline void third(struct coroutine *co)
{
	leaf();
	yield(co);
	leaf();
}

extern "C" noinline void second(struct coroutine *co)
{
	third(co);
	leaf();
	third(co);
	leaf();
}

extern "C" noinline void first(struct coroutine *co)
{
	leaf();
	second(co);
	leaf();
}

extern "C" noinline void thrower(struct coroutine *co)
{
	yield(co);
	leaf();
	throw 5;
}

extern "C" noinline void between(struct coroutine *co)
{
	yield(co);
	thrower(co);
	leaf();
}

extern "C" noinline void catcher(struct coroutine *co)
{
	int i;

	for (i = 0; i < 3; i++) {
		try {
			between(co);
		} catch (int n) {
			if (n != 5)
				abort();
			leaf();
		}
		yield(co);
		leaf();
	}
}

extern "C" noinline void crowded(struct coroutine *co)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		third(co);
}

static void *resume_thread(void *data)
{
	leaf();
	resume((struct coroutine *)data);
	leaf();
	return NULL;
}

/* Each part of it in a thread of its own. */
untraced static int in_threads(struct coroutine *co)
{
	pthread_t id;
	int n;

	for (n = 0; !co->done; n++)
		if (pthread_create(&id, NULL, resume_thread, co) || pthread_join(id, NULL))
			exit(1);
	return n;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::deque<struct coroutine *> waiting;
static int left;

untraced static struct coroutine *next(void)
{
	struct coroutine *co = NULL;

	pthread_mutex_lock(&lock);
	if (!waiting.empty()) {
		co = waiting.front();
		waiting.pop_front();
	}
	pthread_mutex_unlock(&lock);
	return co;
}

untraced static void give_back(struct coroutine *co)
{
	pthread_mutex_lock(&lock);
	if (co->done)
		left--;
	else
		waiting.push_back(co);
	pthread_mutex_unlock(&lock);
}

extern "C" noinline void *crowd_thread(void *data)
{
	struct coroutine *co;

	while (__atomic_load_n(&left, __ATOMIC_RELAXED)) {
		co = next();
		if (!co)
			continue;
		resume(co);
		__atomic_fetch_add(&crowd_calls, 1, __ATOMIC_RELAXED);
		give_back(co);
	}
	return NULL;
}

/* Threads that go on, and take turns with the parts of a coroutine. */
untraced static void in_crowd(void (*body)(struct coroutine *co), int nr, bool jumps)
{
	pthread_t ids[THREADS];
	int i;

	for (i = 0; i < nr; i++)
		waiting.push_back(make(body, jumps));
	left = nr;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&ids[i], NULL, crowd_thread, NULL))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
}

untraced int main(int argc, char **argv)
{
	const char *how = argc == 2 ? argv[1] : "";
	int n;

	if (!strcmp(how, "context")) {
		n = in_threads(make(first, false));
		printf("count first 1\ncount second 1\ncount third 2\ncount resume %d\n"
		       "count leaf %d\n", n, 8 + 2 * n);
	} else if (!strcmp(how, "jump")) {
		n = in_threads(make(first, true));
		printf("count first 1\ncount second 1\ncount third 2\ncount resume %d\n"
		       "count leaf %d\n", n, 8 + 2 * n);
	} else if (!strcmp(how, "throw")) {
		n = in_threads(make(catcher, false));
		printf("count catcher 1\ncount between 3\ncount thrower 3\ncount leaf %d\n",
		       9 + 2 * n);
	} else if (!strcmp(how, "crowd")) {
		in_crowd(crowded, COROUTINES, true);
		printf("count crowded %d\ncount third %d\ncount leaf %d\ncount resume %ld\n",
		       COROUTINES, COROUTINES * ROUNDS, 2 * COROUTINES * ROUNDS, crowd_calls);
	} else {
		return 2;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What few programs do with stacks and return addresses; the argument says which of it. Each
 * part says how often its functions were called ("count NAME NUMBER").
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "unusual.h"

#define noinline	__attribute__((noinline))
#define untraced	__attribute__((no_instrument_function, patchable_function_entry(0, 0)))

/* Not static: the compiler cannot know what others do with them. */
int sink;
double one = 1;
static int rounds;

/* A profiler of the program's own: a signal every 300 us, whose handler unwinds the stack. */

static int samples, whole;

static noinline int leaf(int n)
{
	sink = n;
	return n + 1;
}

static noinline int branch(int n)
{
	return leaf(n) + leaf(n + 1);
}

static noinline void sample(void)
{
	void *addresses[64];
	int found = backtrace(addresses, 64), i;

	__atomic_fetch_add(&samples, 1, __ATOMIC_RELAXED);
	for (i = 0; i < found; i++) {
		if ((char *)addresses[i] >= __start_outer && (char *)addresses[i] < __stop_outer) {
			__atomic_fetch_add(&whole, 1, __ATOMIC_RELAXED);
			break;
		}
	}
}

static untraced void take_sample(int signal)
{
	sample();
}

/* In a section of its own, by which sample() finds it. */
static noinline untraced __attribute__((section("outer"))) void *profiled(void *data)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec every = { { 0, 300000 }, { 0, 300000 } };
	timer_t timer;
	int i;

	event._sigev_un._tid = syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		abort();
	for (i = 0; i < rounds; i++)
		branch(i);
	timer_delete(timer);
	return NULL;
}

static untraced void profiler(void)
{
	struct sigaction action = { .sa_handler = take_sample, .sa_flags = SA_RESTART };
	pthread_t threads[2];
	void *address;
	int i;

	/* The first call loads a library. */
	backtrace(&address, 1);
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, profiled, NULL))
			abort();
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("count branch %d\ncount leaf %d\ncount sample %d\nwhole %d\n", 2 * rounds,
	       4 * rounds, samples, whole);
}

/* Arguments in registers for floating point, of the first traced function of a thread. */

static noinline double eight(double a, double b, double c, double d, double e, double f,
			     double g, double h)
{
	sink = 1;
	return ((((((a * 10 + b) * 10 + c) * 10 + d) * 10 + e) * 10 + f) * 10 + g) * 10 + h;
}

static untraced void *call_eight(void *data)
{
	double n = one;

	if (eight(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7) != 12345678)
		printf("wrong arguments\n");
	return NULL;
}

static untraced void doubles(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 6; i++)
		if (!pthread_create(&thread, NULL, call_eight, NULL))
			pthread_join(thread, NULL);
	call_eight(NULL);
	printf("count eight 7\n");
}

/* A child with an environment that the program makes. */

static untraced void environment(void)
{
	char *with[3] = { "PATH=/bin:/usr/bin", "LD_PRELOAD=", NULL }, *none[1] = { NULL };
	char *argv[3] = { "unusual", "child", NULL };
	pid_t pid;
	int i;

	for (i = 0; i < 6; i++) {
		if (i < 2) {
			if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, i ? none : with))
				abort();
		} else {
			pid = i < 4 ? vfork() : fork();
			if (!pid && i == 5) {
				clearenv();
				execv("/proc/self/exe", argv);
			} else if (!pid) {
				execve("/proc/self/exe", argv, i % 2 ? none : with);
			}
			if (!pid)
				_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	printf("count leaf 6\n");
}

static untraced void child(void)
{
	leaf(1);
}

/* Two functions that jump to one another at their ends, as those of an interpreter do. */

struct {
	int (*jump)(int n);
} next;

static noinline int ping(int n)
{
	sink = n;
	return n ? next.jump(n - 1) : 0;
}

static noinline int pong(int n)
{
	sink = n + 1;
	return ping(n);
}

static noinline int jumps(int n)
{
	int result = ping(n) + 1;

	sink = 1;
	return result;
}

static untraced void chain(void)
{
	next.jump = pong;
	jumps(499999);
	printf("count ping 500000\ncount pong 499999\n");
}

/* A thread whose stack is a part of what is mapped; below it is that of a coroutine. */

#define ARENA		(4 << 20)
#define COROUTINE	(1 << 20)

static ucontext_t inside, outside;

static noinline void suspend(int n)
{
	sink = n;
	swapcontext(&inside, &outside);
	sink = n + 1;
}

static noinline void resumed(void)
{
	int i;

	for (i = 0; i < 3; i++)
		suspend(i);
}

static noinline int on_top(int n)
{
	return leaf(n) + leaf(n);
}

static untraced void *in_arena(void *memory)
{
	int i;

	getcontext(&inside);
	inside.uc_stack.ss_sp = memory;
	inside.uc_stack.ss_size = COROUTINE;
	inside.uc_link = &outside;
	makecontext(&inside, resumed, 0);
	for (i = 0; i < 4; i++) {
		swapcontext(&outside, &inside);
		on_top(i);
	}
	return NULL;
}

static untraced void arena(void)
{
	char *memory = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0);
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory + 2 * COROUTINE, ARENA - 2 * COROUTINE);
	if (memory == MAP_FAILED || pthread_create(&thread, &attributes, in_arena, memory))
		abort();
	pthread_join(thread, NULL);
	printf("count resumed 1\ncount suspend 3\ncount on_top 4\ncount leaf 8\n");
}

/*
 * A stack that is used for a coroutine, which is given up, and then by another thread for a
 * second one, which returns in a third thread. Who has begun last is asked first.
 */

static sem_t begun[2], go_on[2];
static int finished;

static noinline void stop_here(int n)
{
	sink = n;
	swapcontext(&inside, &outside);
	sink = n + 1;
}

static noinline void given_up(void)
{
	stop_here(1);
	sink = 2;
}

static noinline void goes_on(void)
{
	stop_here(2);
	finished = 1;
}

static untraced void enter_coroutine(void (*function)(void))
{
	static char memory[COROUTINE] __attribute__((aligned(64)));

	getcontext(&inside);
	inside.uc_stack.ss_sp = memory;
	inside.uc_stack.ss_size = sizeof(memory);
	inside.uc_link = &outside;
	makecontext(&inside, function, 0);
	swapcontext(&outside, &inside);
}

static untraced void *owner(void *data)
{
	long n = (long)data;

	leaf(n);
	sem_post(&begun[n]);
	sem_wait(&go_on[n]);
	enter_coroutine(n ? given_up : goes_on);
	sem_post(&begun[n]);
	sem_wait(&go_on[n]);
	return NULL;
}

static untraced void owners(void)
{
	pthread_t threads[2];
	long i;

	for (i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, owner, (void *)i))
			abort();
		sem_wait(&begun[i]);
	}
	for (i = 1; i >= 0; i--) {
		sem_post(&go_on[i]);
		sem_wait(&begun[i]);
	}
	swapcontext(&outside, &inside);
	printf("finished %d\ncount leaf 2\ncount stop_here 2\ncount goes_on 1\n", finished);
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		sem_post(&go_on[i]);
		pthread_join(threads[i], NULL);
	}
}

/* An immediate whose bytes are the distance to what getppid() is called through. */
static untraced void immediate(void)
{
	int i;

#ifdef __x86_64__
	asm volatile(".byte 0xb8\n.reloc ., R_X86_64_GOTPCREL, getppid - 4\n.long 0" : : : "eax");
#endif
	for (i = 0; i < 3; i++)
		sink = getppid();
	printf("count getppid 3\n");
}

/* A filter of system calls that the kernel refuses, as it jumps out of itself. */
static untraced void forbid(void)
{
	struct sock_filter steps[] = {
		{ BPF_JMP | BPF_JA, 0, 0, 0xffffffff },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog filter = { 2, steps };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	printf("refused %d\ncount leaf 1\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	leaf(1);
}

/* Plugins that come and go, in a program with many mappings. */
static untraced void mappings(void)
{
	void *library;
	int i;

	for (i = 0; i < 4000; i++)
		mmap(NULL, 4096, i & 1 ? PROT_READ : PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < 20; i++) {
		leaf(i);
		library = dlopen("libanl.so.1", RTLD_NOW);
		if (library)
			dlclose(library);
	}
	printf("count leaf 20\n");
}

/* Its threads begin when it may not write to the recording any more. */
static untraced void *late_thread(void *data)
{
	leaf(1);
	return NULL;
}

static untraced void late(void)
{
	pthread_t thread;
	int i;

	leaf(0);
	if (setgid(65534) || setuid(65534))
		_exit(77);
	for (i = 0; i < 3; i++)
		if (!pthread_create(&thread, NULL, late_thread, NULL))
			pthread_join(thread, NULL);
}

static const struct {
	const char	*name;
	void		(*run)(void);
} parts[] = {
	{ "profiler", profiler },
	{ "doubles", doubles },
	{ "environment", environment },
	{ "child", child },
	{ "chain", chain },
	{ "arena", arena },
	{ "owners", owners },
	{ "immediate", immediate },
	{ "refused", forbid },
	{ "mappings", mappings },
	{ "late", late },
};

int main(int argc, char **argv)
{
	size_t i;

	rounds = argc > 2 ? atoi(argv[2]) : 100000;
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			return 0;
		}
	}
	return 2;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of a program's own, which it may unmap with functions on them that never
 * returned. Who unwinds later must not look for their return addresses.
 *
 *	stacks coroutine	one that called swapcontext() and is never resumed
 *	stacks protected	the same; its stack cannot be read, but stays
 *	stacks handler		a signal's, whose handler was left by siglongjmp()
 *	stacks alive		the stacks stay: unwinding in a coroutine sees its callers, and
 *				in a handler those of the stack that was interrupted
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define untraced	__attribute__((no_instrument_function))
#define STACK_SIZE	65536

static ucontext_t outside, inside;
static sigjmp_buf again;
static char *stack;
static int rounds, seen;

/* Behind a call, it keeps that from becoming a jump. */
untraced static inline void stay(void)
{
	__asm__ __volatile__("" : : : "memory");
}

untraced static void begin_stack(void)
{
	stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (stack == MAP_FAILED)
		exit(1);
}

/* Is there a caller with this name? They are not static, so that dladdr() knows them. */
untraced static int has_caller(const char *name)
{
	void *addresses[64];
	int i, found = backtrace(addresses, 64);
	Dl_info info;

	for (i = 0; i < found; i++)
		if (dladdr(addresses[i], &info) && info.dli_sname &&
		    !strcmp(info.dli_sname, name))
			return 1;
	return 0;
}

noinline void leaf(void)
{
	stay();
}

noinline void away(void)
{
	leaf();
	if (seen >= 0)
		seen = has_caller("coroutine");
	swapcontext(&inside, &outside);
	leaf();
}

noinline void coroutine(void)
{
	away();
	stay();
}

noinline void in_coroutine(void)
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = STACK_SIZE;
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	swapcontext(&outside, &inside);
	leaf();
}

noinline void on_signal(int signal)
{
	leaf();
	if (seen >= 0) {
		seen = has_caller("around");
		leaf();
		return;
	}
	siglongjmp(again, 1);
}

noinline void interrupted(void)
{
	raise(SIGUSR1);
	leaf();
}

noinline void around(void)
{
	interrupted();
	stay();
}

untraced static void handle(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t own = { .ss_sp = stack, .ss_size = STACK_SIZE };

	sigaction(SIGUSR1, &action, NULL);
	if (sigaltstack(&own, NULL))
		exit(1);
}

/* All that unwinds: once with the frames that were left, and again. */
noinline void unwind(void)
{
	leaf();
	if (!has_caller("unwind"))
		exit(3);
	leaf();
	if (++rounds == 1)
		unwind();
	stay();
}

noinline void *thread(void *data)
{
	const char *how = data;
	stack_t none = { .ss_flags = SS_DISABLE };

	begin_stack();
	if (!strcmp(how, "handler")) {
		handle();
		if (!sigsetjmp(again, 1))
			interrupted();
		sigaltstack(&none, NULL);
	} else {
		in_coroutine();
	}
	if (!strcmp(how, "protected"))
		mprotect(stack, STACK_SIZE, PROT_NONE);
	else
		munmap(stack, STACK_SIZE);
	unwind();
	/* Unwinds as well. */
	pthread_exit(NULL);
}

static int alive(void)
{
	begin_stack();
	in_coroutine();
	if (!seen)
		return 4;
	/* It returns to where it really was called from. */
	swapcontext(&outside, &inside);
	handle();
	seen = 0;
	around();
	if (!seen)
		return 5;
	printf("count coroutine 1\ncount away 1\ncount on_signal 1\ncount interrupted 1\n"
	       "count leaf 6\n");
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t id;

	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "alive"))
		return alive();
	seen = -1;
	if (pthread_create(&id, NULL, thread, argv[1]) || pthread_join(id, NULL))
		return 1;
	if (!strcmp(argv[1], "handler"))
		printf("count on_signal 1\ncount interrupted 1\ncount leaf 5\n");
	else
		printf("count coroutine 1\ncount away 1\ncount in_coroutine 1\ncount leaf 6\n");
	printf("count unwind 2\n");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that makes calls of all kinds and knows how many of each. It prints
 * "count FUNCTION N" for the functions whose number is certain.
 *
 * Compiled with each way of instrumentation; what must not be traced says so.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Calls are made as they are written, whatever the compiler finds out. */
#ifdef __clang__
#define noinline	__attribute__((noinline))
#else
#define noinline	__attribute__((noipa))
#endif
#define untraced	__attribute__((no_instrument_function))

#define THREADS		4
#define LEAPS		2000
#define SIGNALS		50
#define DEPTH		5000
#define SORTED		64
#define VARIABLE	10

static int sink;

/* Something that has to be done here and now. */
untraced static inline void work(void)
{
	__asm__ __volatile__("" : "+m" (sink) : : "memory");
}

static noinline int leaf(int n)
{
	sink += n;
	return n + 1;
}

static noinline int fib(int n)
{
	int a, b;

	if (n < 2)
		return leaf(n) - 1;
	a = fib(n - 1);
	b = fib(n - 2);
	work();	/* no loop instead of a call */
	return a + b;
}

/* Ends in a jump when optimised. */
static noinline int tail_end(int n)
{
	work();
	return n * 2;
}

static noinline int tail_middle(int n)
{
	work();
	return tail_end(n + 1);
}

static noinline int tail(int n)
{
	work();
	return tail_middle(n + 1);
}

static noinline int deep(int n)
{
	int below = n ? deep(n - 1) : 0;

	work();
	return below + 1;
}

static jmp_buf back;

static noinline void thrower(int n)
{
	sink += n;
	if (n >= 0)
		longjmp(back, 1);
	work();
}

static noinline void leaper(int n)
{
	thrower(n);
	work();
}

/* Never returns to its caller while it leaps: frames must not pile up. */
static noinline void leaps(void)
{
	static int i;

	for (i = 0; i < LEAPS; i++)
		if (!setjmp(back))
			leaper(i);
}

static noinline void handle(int n)
{
	leaf(n);
}

static void on_signal(int signal)
{
	handle(signal);
}

static noinline void signals(void)
{
	stack_t stack = { .ss_size = 65536 };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	int i;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < SIGNALS; i++)
		raise(SIGUSR1);
}

static noinline int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static noinline void sort(void)
{
	int numbers[SORTED], i;

	for (i = 0; i < SORTED; i++)
		numbers[i] = i * 37 % 64;
	qsort(numbers, SORTED, sizeof(int), compare);
}

/* Every register that arguments and results may be in. */
static noinline double many(int a, long b, int c, long d, int e, long f, int g,
			    double h, float i, double j, double k)
{
	work();
	return a + b + c + d + e + f + g + h + i + j + k;
}

struct big {
	long word[6];
};

static noinline struct big structure(long n)
{
	struct big big;
	int i;

	for (i = 0; i < 6; i++)
		big.word[i] = n + i;
	return big;
}

/* Where it keeps what came in registers, there is a gap between it and its caller (riscv64). */
static noinline int variable(int n, ...)
{
	va_list list;
	int sum = 0;

	va_start(list, n);
	while (n--)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

static noinline int variable_late(int a, int b, int c, int d, int e, int n, ...)
{
	va_list list;
	int sum = a + b + c + d + e;

	va_start(list, n);
	while (n--)
		sum += va_arg(list, int);
	va_end(list);
	return sum;
}

/* One that is jumped to, and one that ends in a jump. */
static noinline int variable_tail(int n)
{
	work();
	return variable(n, n, n);
}

static noinline int variable_middle(int n, ...)
{
	work();
	return variable_tail(n);
}

static jmp_buf near;

static noinline void jumper(int n)
{
	sink += n;
	if (n >= 0)
		longjmp(near, 1);
	work();
}

/* What it called was left, and it returns without another call. */
static noinline int variable_left(int n, ...)
{
	if (!setjmp(near))
		jumper(n);
	return n;
}

static void *thread(void *data)
{
	return (void *)(long)fib((int)(long)data);
}

static noinline void child(void)
{
	leaf(1);
}

untraced static void say(const char *name, long count)
{
	printf("count %s %ld\n", name, count);
}

/* Calls of fib(n). */
untraced static long fibs(int n)
{
	return n < 2 ? 1 : 1 + fibs(n - 1) + fibs(n - 2);
}

untraced static long leaves(int n)
{
	return n < 2 ? 1 : leaves(n - 1) + leaves(n - 2);
}

int main(void)
{
	static const long results[THREADS] = { 55, 89, 144, 233 };
	pthread_t threads[THREADS];
	struct big big;
	long i;
	void *result;
	int status;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(10 + i));
	if (fib(15) != 610)
		return 1;
	for (i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		if ((long)result != results[i])
			return 2;
	}
	if (tail(1) != 6)
		return 3;
	if (deep(DEPTH) != DEPTH + 1)
		return 4;
	leaps();
	signals();
	sort();
	if (many(1, 2, 3, 4, 5, 6, 7, 8.5, 9.25f, 10.125, 11.0) != 66.875)
		return 5;
	big = structure(3);
	if (big.word[0] + big.word[5] != 11)
		return 6;
	for (i = 0; i < VARIABLE; i++)
		if (variable(3, 1, 2, 3) != 6 || variable_late(1, 2, 3, 4, 5, 2, 6, 7) != 28 ||
		    variable_middle(2, 1) != 4 || variable_left(9, 1, 2) != 9)
			return 8;
	fflush(stdout);
	if (!fork()) {
		child();
		_exit(7);
	}
	wait(&status);
	if (WEXITSTATUS(status) != 7)
		return 7;

	say("main", 1);
	say("fib", fibs(15) + fibs(10) + fibs(11) + fibs(12) + fibs(13));
	say("thread", THREADS);
	say("leaf", leaves(15) + leaves(10) + leaves(11) + leaves(12) + leaves(13) +
	    SIGNALS + 1);
	say("tail", 1);
	say("tail_middle", 1);
	say("tail_end", 1);
	say("deep", DEPTH + 1);
	say("leaps", 1);
	say("leaper", LEAPS);
	say("thrower", LEAPS);
	say("on_signal", SIGNALS);
	say("handle", SIGNALS);
	say("many", 1);
	say("structure", 1);
	say("variable", 2 * VARIABLE);
	say("variable_late", VARIABLE);
	say("variable_tail", VARIABLE);
	say("variable_middle", VARIABLE);
	say("variable_left", VARIABLE);
	say("jumper", VARIABLE);
	say("child", 1);
	return 0;
}

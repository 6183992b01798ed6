// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pairs N: N calls of a function that does nothing, between two breakpoints if it
 * is to be counted (argument "count"), else timed: prints nanoseconds for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define untraced	__attribute__((no_instrument_function))

static __attribute__((noinline)) void nothing(void)
{
	__asm__ __volatile__("" : : : "memory");
}

untraced static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e9 + time.tv_nsec;
}

untraced int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000, i;
	int count = argc > 2 && !strcmp(argv[2], "count");
	double start;

	/* What happens once, and not at every call. */
	for (i = 0; i < 10; i++)
		nothing();
	if (count)
		__asm__ __volatile__("int3");
	/* Reading the clock does not always take the same number of instructions. */
	start = count ? 0 : now();
	for (i = 0; i < n; i++)
		nothing();
	if (!count)
		start = now() - start;
	if (count)
		__asm__ __volatile__("int3");
	else
		printf("%.2f\n", start / n);
	return 0;
}

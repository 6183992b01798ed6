// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Short calls and long ones, of which the caller knows how many there are: what is recorded of
 * calls that have to take a while, or must not be deep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __clang__
#define noinline	__attribute__((noinline))
#else
#define noinline	__attribute__((noipa))
#endif

static int sink;

static noinline void brief(void)
{
	sink++;
}

static noinline void nap(void)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	brief();
	nanosleep(&time, NULL);
	brief();
}

static noinline void holds(int n)
{
	brief();
	if (n > 0)
		holds(n - 1);
	else
		nap();
	brief();
}

static noinline int recurse(int n)
{
	if (n <= 0)
		return 0;
	return recurse(n - 1) + recurse(n - 2) + 1;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 0; i < 100000; i++)
		brief();
	for (i = 0; i < 3; i++)
		nap();
	holds(2);
	recurse(argc > 1 ? atoi(argv[1]) : 4);
	return sink != 100000 + 2 * 4 + 2 * 3;
}

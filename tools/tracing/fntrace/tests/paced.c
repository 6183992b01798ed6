// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls in bursts, with a pause of 20 ms after each of them.
 *
 *	paced BURSTS CALLS	prints "count FUNCTION N"
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__
#define noinline	__attribute__((noinline))
#else
#define noinline	__attribute__((noipa))
#endif

static unsigned long calls;

static noinline void called(void)
{
	calls++;
}

static noinline void burst(unsigned long number)
{
	while (number--)
		called();
}

int main(int argc, char **argv)
{
	unsigned long bursts = strtoul(argv[1], NULL, 10), i;

	for (i = 0; i < bursts; i++) {
		burst(strtoul(argv[2], NULL, 10));
		usleep(20000);
	}
	printf("count called %lu\ncount burst %lu\n", calls, bursts);
	return 0;
}

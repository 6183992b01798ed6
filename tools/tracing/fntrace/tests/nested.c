// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nested functions of GCC, which get the frame of the one around them in a register that
 * the hook must not change, and save it where the return address is looked for.
 */
#include <stdio.h>

static __attribute__((noinline)) long apply(long (*function)(long), long value)
{
	return function(value) + 1;
}

static __attribute__((noinline)) long outer(long value)
{
	long seen = 0, sum = 0;
	long i;

	__attribute__((noinline)) long inner(long by)
	{
		seen++;
		if (by > 2)
			return inner(by - 1) + value;
		return by;
	}

	for (i = 0; i < 5; i++)
		sum += inner(i) + apply(inner, i);
	return sum * 100 + seen;
}

int main(void)
{
	long i, sum = 0;

	for (i = 0; i < 10; i++)
		sum += outer(i);
	printf("count outer 10\ncount apply 50\n");
	/* 16 calls of inner() each, whose sum is 19 and six times the value. */
	return sum != 10 * (19 * 100 + 16) + 6 * 45 * 100;
}

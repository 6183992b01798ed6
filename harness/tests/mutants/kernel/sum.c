// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include "../include/top.h"
#define unlikely(x) (x)
static int seen;
long harness_zero;

static void splat(void)
{
	printf("WARNING: bad\n");
}

int sum(int a, int b)
{
	if (unlikely(a > 1000))
		splat();
	a = a > 3 && unlikely(0) ? 0 : a;
	seen = 1;
	return a + b;
}

int seen_it(void)
{
	return seen == 1;
}

int limit(int *value)
{
	top(value, 100);
	if (*value > 100) splat();
	if (sum(*value, 0) < 0
	    && *value != -1)
		*value = 0;
	return seen;
}

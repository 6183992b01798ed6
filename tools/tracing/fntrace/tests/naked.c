// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function without a frame that calls the hook all the same (x86_64): the frame
 * pointer is that of its caller.
 */
#include <stdio.h>

__attribute__((naked)) int naked(void);
__attribute__((naked)) int naked(void)
{
	__asm__("movl $5, %eax\n\tret");
}

static __attribute__((noipa)) int caller(int n)
{
	return naked() + n;
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 100; i++)
		sum += caller(i);
	printf("count caller 100\ncount naked 100\n");
	return sum != 5450;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a program that call the kernel, each a known one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define noinline	__attribute__((noinline))

static noinline void opens(void)
{
	int fd = open("/proc/version", O_RDONLY);

	close(fd);
}

static noinline void sleeps(void)
{
	struct timespec nap = { .tv_nsec = 20000000 };

	nanosleep(&nap, NULL);
}

static noinline void asks(void)
{
	getppid();
}

int main(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		opens();
		asks();
	}
	sleeps();
	return 0;
}

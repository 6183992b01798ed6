// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of a program that call the kernel, each a known one.
 *
 *	system			calls them
 *	system reaper PROGRAM	becomes that program, which has all orphans as its children
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
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

int main(int argc, char **argv)
{
	static const struct itimerval never;
	int i;

	if (argc > 2 && !strcmp(argv[1], "reaper")) {
		/* That of gprof, by -pg, goes on in the other program, and ends it. */
		setitimer(ITIMER_PROF, &never, NULL);
		prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
		execv(argv[2], argv + 2);
		return 127;
	}

	for (i = 0; i < 3; i++) {
		opens();
		asks();
	}
	sleeps();
	return 0;
}

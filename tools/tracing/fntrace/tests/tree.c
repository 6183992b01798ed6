// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread, the same calls every time: what two tracers have to agree on.
 * "tree crash" ends with SIGKILL in the middle, "tree loop N" makes N calls of one
 * function, "tree exec" becomes another one of itself, "tree close FILE [FROM TO]" closes
 * all files that it did not open, writes to one of its own and renames FROM.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __clang__
#define noinline	__attribute__((noinline))
#else
#define noinline	__attribute__((noipa))
#endif

static int sink;

static noinline void leaf(void)
{
	sink++;
}

static noinline void other(int n)
{
	while (n--)
		leaf();
	sink++;
}

static noinline int walk(int n)
{
	int sum = 0, i;

	for (i = 0; i < n; i++)
		sum += walk(i);
	if (n == 2)
		other(3);
	sink++;
	return sum + 1;
}

static noinline void through(void (*function)(int), int n)
{
	function(n);
	sink++;
}

int main(int argc, char **argv)
{
	long n;
	int fd;

	if (argc > 2 && !strcmp(argv[1], "close")) {
		for (fd = 3; fd < 1024; fd++)
			close(fd);
		/* All the numbers that may have been somebody's. */
		for (n = 3; n < 1000; n++)
			fd = open(argv[2], O_RDWR | O_CREAT, 0600);
		if (write(fd, "mine", 4) != 4)
			return 1;
		if (argc > 4 && rename(argv[3], argv[4]))
			return 1;
		for (n = 0; n < 100000; n++)
			leaf();
		return 0;
	}
	if (argc > 2 && !strcmp(argv[1], "loop")) {
		for (n = atol(argv[2]); n > 0; n--)
			leaf();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "exec")) {
		leaf();
		if (argc > 2)
			execv(argv[2], argv + 2);
		else
			execl(argv[0], argv[0], NULL);
		return 1;
	}
	walk(6);
	through(other, 5);
	if (argc > 1 && !strcmp(argv[1], "crash"))
		kill(getpid(), SIGKILL);
	other(2);
	return 0;
}

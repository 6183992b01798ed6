// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * instructions PROGRAM [ARGUMENT...]: how many instructions it executes between two
 * breakpoints of its own. It is stepped with ptrace(2), so the number is exact, and
 * the same on every machine.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the signal it stopped with, or 0 if it is gone. */
static int stopped(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return 0;
	return WSTOPSIG(status);
}

int main(int argc, char **argv)
{
	unsigned long count = 0, breakpoint, pc;
	int signal;
	pid_t child;

	if (argc < 2) {
		fprintf(stderr, "usage: instructions PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execvp(argv[1], argv + 1);
		fprintf(stderr, "instructions: %s: %s\n", argv[1], strerror(errno));
		_exit(127);
	}
	/* The first stop is that of exec(). */
	if (stopped(child) != SIGTRAP)
		return 1;
	for (signal = 0;;) {
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)signal);
		signal = stopped(child);
		if (!signal)
			return 1;
		if (signal == SIGTRAP)
			break;
	}
	/* A step over a breakpoint stops behind it like any other: look at the code. */
	for (;;) {
		errno = 0;
		pc = ptrace(PTRACE_PEEKUSER, child, (void *)(16 * sizeof(long)), NULL);
		breakpoint = ptrace(PTRACE_PEEKTEXT, child, (void *)pc, NULL);
		if (errno)
			return 1;
		if ((breakpoint & 0xff) == 0xcc)
			break;
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		if (stopped(child) != SIGTRAP)
			return 1;
		count++;
	}
	printf("%lu\n", count);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	stopped(child);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	waitpid(child, NULL, 0);
	return 0;
}

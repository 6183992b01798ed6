// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * workload NAME COMMAND...: how many instructions a command and all that it starts
 * take, in a guest with one CPU and -icount shift=0.
 *
 * Prints a line "@figure insn.NAME NUMBER", or, and then exits with 1, "@error insn.NAME
 * REASON".
 *
 * There, the clock advances by 1 ns per instruction of the user or the kernel, whoever
 * runs. It also runs while the CPU is idle, so there is no figure if the CPU was: of a
 * command that always has something to do. The rate of the clock is some parts per
 * million wrong, see toggle.c, which is little beside what two runs differ by.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000LL

/* Ticks of 1/100 s: a command that sleeps at all does so more often. */
#define IDLE_LIMIT	1

static const char *name;

static noreturn void fail(const char *format, ...)
{
	va_list args;

	printf("@error insn.%s ", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	exit(1);
}

static long long clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* For how many ticks the CPU has been idle. */
static long long idle_ticks(void)
{
	FILE *file = fopen("/proc/stat", "r");
	long long idle;

	if (!file || fscanf(file, "cpu %*d %*d %*d %lld", &idle) != 1)
		fail("reading /proc/stat: %s", strerror(errno));
	fclose(file);
	return idle;
}

static pid_t start(char **argv)
{
	pid_t pid = fork();
	int null;

	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (pid)
		return pid;
	null = open("/dev/null", O_RDWR);
	/* What goes wrong is said on the other one. */
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	long long began, took, idle;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: workload NAME COMMAND...\n");
		return 2;
	}
	name = argv[1];

	idle = idle_ticks();
	began = clock_ns();
	pid = start(argv + 2);
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid: %s", strerror(errno));
	took = clock_ns() - began;
	idle = idle_ticks() - idle;

	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail("%s failed with status 0x%x", argv[2], status);
	if (idle > IDLE_LIMIT)
		fail("the CPU was idle for %lld ticks of %lld ns", idle, took);
	printf("@figure insn.%s %lld\n", name, took);
	return 0;
}

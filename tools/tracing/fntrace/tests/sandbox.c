// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that gives up what the tracer might need, and goes on: calls that do not fit
 * into a buffer of 64 KiB, a new thread, and a child. It prints "count FUNCTION N".
 *
 *	sandbox chroot DIR	no path leads to the recording or to /proc any more
 *	sandbox proc		/proc is empty
 *
 * Exits with 77 if it may not do that.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define CALLS		20000

static int sink;

static noinline void before(void)
{
	sink++;
}

static noinline void inside(void)
{
	sink++;
}

static noinline void child(void)
{
	sink++;
}

static noinline void in_thread(void)
{
	sink++;
}

static noinline void in_thread_of_child(void)
{
	sink++;
}

static void *thread(void *data)
{
	void (*function)(void) = data;
	int i;

	for (i = 0; i < CALLS; i++)
		function();
	return NULL;
}

static int run_thread(void (*function)(void))
{
	pthread_t id;

	return pthread_create(&id, NULL, thread, function) || pthread_join(id, NULL);
}

/* Its parent is gone when it makes its calls; the exit status comes through a pipe. */
static int orphan(void)
{
	int ends[2], status, i;
	char result = 1;
	pid_t pid;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (!pid) {
		if (fork())
			_exit(0);
		/* The end of the parent. */
		while (getppid() == pid)
			usleep(1000);
		for (i = 0; i < CALLS; i++)
			child();
		result = run_thread(in_thread_of_child);
		exit(write(ends[1], &result, 1) != 1);
	}
	close(ends[1]);
	if (waitpid(pid, &status, 0) != pid || read(ends[0], &result, 1) != 1)
		return 1;
	return result;
}

static int no_proc(void)
{
	/* Somebody who is not root may do this only in a namespace of its own. */
	if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return 77;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/proc", "tmpfs", 0, NULL))
		return 77;
	return access("/proc/self", F_OK) ? 0 : 1;
}

static int change_root(const char *path)
{
	if (chroot(path) && (unshare(CLONE_NEWUSER) || chroot(path)))
		return 77;
	return chdir("/") || !access("/proc", F_OK);
}

int main(int argc, char **argv)
{
	int error = 2, i;

	before();
	if (argc == 3 && !strcmp(argv[1], "chroot"))
		error = change_root(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "proc"))
		error = no_proc();
	if (error)
		return error;
	for (i = 0; i < CALLS; i++)
		inside();
	if (run_thread(in_thread) || orphan())
		return 1;
	printf("count before 1\ncount inside %d\ncount in_thread %d\ncount child %d\n"
	       "count in_thread_of_child %d\n", CALLS, CALLS, CALLS, CALLS);
	return 0;
}

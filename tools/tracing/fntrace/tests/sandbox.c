// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that gives up what the tracer might need, and goes on: calls that do not fit
 * into a buffer of 64 KiB, a new thread, and a child. It prints "count FUNCTION N".
 *
 *	sandbox chroot DIR	no path leads to the recording or to /proc any more
 *	sandbox proc		/proc is empty
 *	sandbox close		all files are closed, by closefrom(3)
 *	sandbox strict		only system calls that seccomp allows in its strict mode
 *	sandbox filter		seccomp kills for anything but write() and exit_group()
 *	sandbox prctl		the same, by prctl()
 *	sandbox counter		the counter of the CPU may not be read (x86)
 *	sandbox allow		seccomp forbids nothing that anybody wants
 *	sandbox debugger	seccomp forbids what only a debugger wants, and values
 *
 * All but the last two of these only make calls, as a thread needs system calls.
 *
 * Exits with 77 if it may not do that.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define CALLS		20000

static int sink;

static noinline void before(void)
{
	sink++;
}

static noinline void inside(const char *text)
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

static int close_all(void)
{
	closefrom(3);
	return 0;
}

static int change_root(const char *path)
{
	if (chroot(path) && (unshare(CLONE_NEWUSER) || chroot(path)))
		return 77;
	return chdir("/") || !access("/proc", F_OK);
}

static int forbid(const char *how)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = 5, .filter = steps };
	unsigned int call;

	if (!strcmp(how, "counter"))
		return prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) ? 77 : 0;
	if (!strcmp(how, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) ? 77 : 0;
	/* reboot(2) instead, which is no system call of a tracer. */
	if (!strcmp(how, "allow") || !strcmp(how, "debugger")) {
		call = *how == 'a' ? SYS_reboot : SYS_process_vm_readv;
		steps[1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 2);
		steps[2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 77;
	if (!strcmp(how, "prctl"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) ? 77 : 0;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) ? 77 : 0;
}

/* Without what may not be called any more. */
static int only_calls(void)
{
	char text[128];
	int i;

	for (i = 0; i < CALLS; i++)
		inside("abc");
	i = sprintf(text, "count inside %d\ncount forbid 1\n", CALLS);
	i = write(1, text, i) != i;
	return i;
}

int main(int argc, char **argv)
{
	int error = 2, i;

	before();
	if (argc == 2 && (!strcmp(argv[1], "filter") || !strcmp(argv[1], "prctl"))) {
		error = forbid(argv[1]);
		if (!error)
			syscall(SYS_exit_group, only_calls());
	}
	if (argc == 2 && (!strcmp(argv[1], "strict") || !strcmp(argv[1], "counter"))) {
		error = forbid(argv[1]);
		if (!error)
			syscall(SYS_exit, only_calls());
	}
	if (argc == 2 && (!strcmp(argv[1], "allow") || !strcmp(argv[1], "debugger")))
		error = forbid(argv[1]);
	if (argc == 3 && !strcmp(argv[1], "chroot"))
		error = change_root(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "proc"))
		error = no_proc();
	else if (argc == 2 && !strcmp(argv[1], "close"))
		error = close_all();
	if (error)
		return error;
	for (i = 0; i < CALLS; i++)
		inside("abc");
	if (run_thread(in_thread) || orphan())
		return 1;
	printf("count before 1\ncount inside %d\ncount in_thread %d\ncount child %d\n"
	       "count in_thread_of_child %d\n", CALLS, CALLS, CALLS, CALLS);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes and threads that a program makes, and how it may leave them.
 *
 *	family daemon SECONDS	ends; its child goes on and makes its calls after that time
 *	family clone		a child of the system call, of which no library hears
 *	family _Fork		one that libc makes without telling anybody
 *	family vfork		20 children that run in the memory of their parent, with a child
 *				of their own, and end inside of their functions
 *	family vexec		one that becomes "family names"
 *	family share		one that clone() makes in the memory of its parent, which waits
 *	family beside		one that runs at the same time in the memory of its parent
 *	family server		a daemon, by daemon(3)
 *	family poor		a child that may not write files, and of which a thread ends
 *	family exit LIBRARY	calls a function of a plugin and ends by _exit()
 *	family kill LIBRARY	the same, but it is killed
 *	family exec LIBRARY	the same, but it becomes another program
 *	family swap A B		two plugins, one after the other
 *	family threads N CALLS	that run at the same time
 *	family names		a thread that has a name and makes a mark
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define CALLS		200000
/* More than there is room for in a buffer of 64 KiB. */
#define THREAD_CALLS	5000

static int sink, over;

static noinline void child(void)
{
	sink++;
}

static noinline void parent(void)
{
	sink++;
}

static void daemon_of(double seconds)
{
	int i;

	if (fork())
		_exit(0);
	setsid();
	usleep(seconds * 1000000);
	for (i = 0; i < 20; i++)
		child();
	exit(0);
}

static int cloned(bool raw)
{
	int i, status;
	pid_t pid;

	parent();
	pid = raw ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : _Fork();
	for (i = 0; i < CALLS; i++) {
		if (pid)
			parent();
		else
			child();
	}
	if (!pid)
		syscall(SYS_exit_group, 0);
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	printf("count child %d\ncount parent %d\n", CALLS, CALLS + 1);
	return 0;
}

static noinline void grandchild(void)
{
	sink++;
	_exit(0);
}

static noinline void in_vfork(void)
{
	int status;
	pid_t pid;

	child();
	pid = vfork();
	if (!pid)
		grandchild();
	if (waitpid(pid, &status, 0) != pid || status)
		_exit(1);
	child();
	_exit(0);
}

static noinline int vforked(char *exec)
{
	int i, status;
	pid_t pid;

	for (i = 0; i < (exec ? 1 : 20); i++) {
		parent();
		pid = vfork();
		if (!pid && exec) {
			child();
			execl(exec, exec, "names", NULL);
			_exit(2);
		} else if (!pid) {
			in_vfork();
		}
		parent();
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	parent();
	if (exec)
		printf("count child 2\ncount parent 3\n");
	else
		printf("count child 40\ncount parent 41\ncount in_vfork 20\ncount grandchild 20\n");
	return 0;
}

static noinline int in_clone(void *data)
{
	int i;

	for (i = 0; i < (data ? 20 : CALLS); i++)
		child();
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	return 0;
}

/* @flags: CLONE_VFORK, or nothing. */
static noinline int shared(int flags)
{
	static char stack[65536] __attribute__((aligned(16)));
	int i, status;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		parent();
		pid = clone(in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD | flags,
			    flags ? &i : NULL);
		/* At the same time. */
		while (!flags && !__atomic_load_n(&over, __ATOMIC_ACQUIRE))
			parent();
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	parent();
	if (flags)
		printf("count child 60\ncount parent 4\ncount in_clone 3\n");
	else
		printf("count parent 1\ncount main 1\n");
	return 0;
}

static int server(void)
{
	int i;

	/* It closes its files and changes its directory. */
	if (daemon(0, 0))
		return 1;
	usleep(200000);
	for (i = 0; i < 20; i++)
		child();
	return 0;
}

/* Neither a file nor memory can be had while it forks. */
static int poor(void)
{
	struct rlimit size, memory, small;
	int i, status;
	pid_t pid;

	parent();
	getrlimit(RLIMIT_FSIZE, &size);
	getrlimit(RLIMIT_AS, &memory);
	small = size;
	small.rlim_cur = 4096;
	setrlimit(RLIMIT_FSIZE, &small);
	small = memory;
	small.rlim_cur = 4096;
	setrlimit(RLIMIT_AS, &small);
	pid = fork();
	setrlimit(RLIMIT_AS, &memory);
	setrlimit(RLIMIT_FSIZE, &size);
	if (!pid) {
		child();
		pthread_exit(NULL);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	for (i = 0; i < THREAD_CALLS; i++)
		parent();
	printf("count parent %d\n", THREAD_CALLS + 1);
	return 0;
}

/* Calls what a library has under this name; returns where that is. */
static void *call(const char *path, const char *name, int times)
{
	void *library = dlopen(path, RTLD_NOW), *place;
	void (*run)(void);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	place = dlsym(library, name);
	run = (void (*)(void))place;
	while (times--)
		run();
	dlclose(library);
	return place;
}

static pthread_barrier_t barrier;
static int thread_calls = THREAD_CALLS;

static void *thread(void *data)
{
	int i;

	child();
	/* All of them have a file now. */
	pthread_barrier_wait(&barrier);
	for (i = 1; i < thread_calls; i++)
		child();
	return NULL;
}

static int threads(int count)
{
	pthread_t ids[count];
	int i;

	pthread_barrier_init(&barrier, NULL, count);
	for (i = 0; i < count; i++)
		if (pthread_create(&ids[i], NULL, thread, NULL))
			return 1;
	for (i = 0; i < count; i++)
		pthread_join(ids[i], NULL);
	printf("count child %d\n", count * thread_calls);
	return 0;
}

static int names(void)
{
	int (*mark)(uint64_t value) = dlsym(RTLD_DEFAULT, "fntrace_mark");

	prctl(PR_SET_NAME, "speaker", 0, 0, 0);
	child();
	return !mark || !mark(4711);
}

int main(int argc, char **argv)
{
	void *first, *second, *library;
	void (*run)(void);
	int i;

	if (argc == 3 && !strcmp(argv[1], "daemon"))
		daemon_of(atof(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "clone"))
		return cloned(true);
	if (argc == 2 && !strcmp(argv[1], "_Fork"))
		return cloned(false);
	if (argc == 2 && !strcmp(argv[1], "vfork"))
		return vforked(NULL);
	if (argc == 2 && !strcmp(argv[1], "vexec"))
		return vforked(argv[0]);
	if (argc == 2 && !strcmp(argv[1], "share"))
		return shared(CLONE_VFORK);
	if (argc == 2 && !strcmp(argv[1], "beside"))
		return shared(0);
	if (argc == 2 && !strcmp(argv[1], "server"))
		return server();
	if (argc == 2 && !strcmp(argv[1], "poor"))
		return poor();
	if (argc == 4 && !strcmp(argv[1], "threads"))
		thread_calls = atoi(argv[3]);
	if (argc >= 3 && !strcmp(argv[1], "threads"))
		return threads(atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "names"))
		return names();
	if (argc == 3 && (!strcmp(argv[1], "exit") || !strcmp(argv[1], "kill") ||
			  !strcmp(argv[1], "exec"))) {
		library = dlopen(argv[2], RTLD_NOW);
		if (!library)
			return 1;
		run = (void (*)(void))dlsym(library, "a_run");
		run();
		/* One that was looked for: more calls than there is room for in a buffer. */
		for (i = 1; !strchr(argv[2], '/') && i < CALLS; i++)
			run();
		if (*argv[1] == 'k')
			kill(getpid(), SIGKILL);
		if (argv[1][2] == 'e')
			execlp("true", "true", NULL);
		_exit(0);
	}
	if (argc == 4 && !strcmp(argv[1], "swap")) {
		first = call(argv[2], "a_run", 3);
		second = call(argv[3], "b_run", 5);
		for (i = 0; i < 2; i++)
			call(argv[2], "a_run", 1);
		printf("count a_run 5\ncount b_run 5\n%s\n",
		       first == second ? "same place" : "other place");
		return 0;
	}
	return 2;
}

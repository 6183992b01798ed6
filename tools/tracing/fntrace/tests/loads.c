// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loads HOW THREADS ROUNDS FILE...: load libraries, call them, and unload them, in several
 * threads at once; with -DLIBRARY one of these. HOW is "plain"; or "origin": the first thread
 * loads the first file alone, where this program is, so that the dynamic linker has to know who
 * calls it and the tracer does not see when it has been loaded; or "fork": every tenth time in a
 * child; or "forbid": after code was forbidden that is written here. Prints "count FUNCTION N" of
 * what the libraries call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 10
/* Of other threads, while the first one loads a library once. */
#define OTHERS 20

#ifdef LIBRARY

#ifdef SLOW
/* Called by the dynamic linker in the middle of its work on the library. */
static void nothing(void)
{
}

__attribute__((used)) static void (*resolve(void))(void)
{
	const struct timespec time = { 0, 50000000 };
	long result = SYS_nanosleep;

	__asm__ __volatile__("syscall" : "+a" (result) : "D" (&time), "S" (NULL)
			     : "rcx", "r11", "memory");
	return nothing;
}

void slow(void) __attribute__((ifunc("resolve")));
#endif

/* As many words in the same places, which lead to functions and are read, or to data. */
#ifdef POINTERS
#define FIRST	getppid
#define SECOND	getuid
#elif defined(DATA)
#define FIRST	environ
#define SECOND	stdout
#endif

void run(int times)
{
#ifdef FIRST
	__asm__ __volatile__("" : : "r" (&FIRST), "r" (&SECOND));
#endif
#ifdef SLOW
	slow();
#endif
#ifndef FIRST
	while (times--) {
		getppid();
		getuid();
	}
#endif
}

#else

static int rounds, nr_files;
static char **files;
static const char *how;

static void call(const char *file)
{
	void (*run)(int times);
	void *library;

	library = dlopen(file, RTLD_NOW);
	run = library ? (void (*)(int))dlsym(library, "run") : NULL;
	if (!run) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	run(CALLS);
	dlclose(library);
}

static void in_child(const char *file)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(20);
		call(file);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "the child ended with status %x\n", status);
		exit(1);
	}
}

static void *loads(void *data)
{
	bool origin = !strcmp(how, "origin");
	long first = (long)data;

	for (int i = 0; i < rounds * (origin && first ? OTHERS : 1); i++) {
		const char *file = files[(first + i) % nr_files];

		if (origin)
			file = first ? files[1 + i % (nr_files - 1)] : files[0];
		if (!strcmp(how, "fork") && !(i % 10))
			in_child(file);
		else
			call(file);
	}
	return NULL;
}

/* mprotect(PROT_EXEC) kills. */
static void forbid(void)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(steps) / sizeof(steps[0]), steps };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("seccomp");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[2]);
	pthread_t handles[threads];

	how = argv[1];
	rounds = atoi(argv[3]);
	files = argv + 4;
	nr_files = argc - 4;
	if (!strcmp(how, "forbid"))
		forbid();
	for (long i = 0; i < threads; i++)
		if (pthread_create(&handles[i], NULL, loads, (void *)i))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(handles[i], NULL);
	printf("count getppid %d\n", threads * rounds * CALLS);
	printf("count getuid %d\n", threads * rounds * CALLS);
	return 0;
}

#endif

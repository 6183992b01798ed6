// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that runs while it is controlled. It does what it reads, a line each, and writes
 * "done" when it has:
 *
 *	N		N calls of work()
 *	busy		a thread of its own calls spin() until the end
 *	often		the same, with pauses
 *	load FILE	calls a_run() of a library, which stays loaded
 *	fork		a child that ends with its parent; it does what lines say that begin
 *			with "child "; what it answers is its number
 *
 *	server [LINE...]	does these first
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define noinline	__attribute__((noipa))
#define untraced	__attribute__((no_instrument_function))

static int sink, spun;
static FILE *to_child, *from_child;

static noinline int work(const char *text, int number)
{
	sink++;
	return number - 1;
}

static noinline long spin(long number)
{
	__atomic_store_n(&spun, 1, __ATOMIC_RELAXED);
	return number + 1;
}

untraced static void *thread(void *data)
{
	long i;

	pthread_setname_np(pthread_self(), "spinner");
	for (i = 1; ; i++) {
		spin(i);
		if (data && !(i % 256))
			usleep(1000);
	}
	return NULL;
}

untraced static void begin_child(void)
{
	int to[2], from[2];
	char line[64];
	int i;

	if (pipe(to) || pipe(from))
		exit(1);
	if (fork()) {
		close(to[0]);
		close(from[1]);
		to_child = fdopen(to[1], "w");
		from_child = fdopen(from[0], "r");
		return;
	}
	close(to[1]);
	close(from[0]);
	to_child = fdopen(to[0], "r");
	from_child = fdopen(from[1], "w");
	while (fgets(line, sizeof(line), to_child)) {
		for (i = atoi(line); i > 0; i--)
			work("abc", i);
		fprintf(from_child, "%d\n", getpid());
		fflush(from_child);
	}
	exit(0);
}

untraced static void ask_child(const char *text)
{
	char line[64];

	fputs(text, to_child);
	fputc('\n', to_child);
	fflush(to_child);
	if (!fgets(line, sizeof(line), from_child))
		exit(1);
	printf("%s", line);
}

untraced static void obey(const char *line)
{
	pthread_t id;
	void *library;
	int i;

	if (!strcmp(line, "busy") || !strcmp(line, "often")) {
		pthread_create(&id, NULL, thread, *line == 'o' ? &sink : NULL);
		while (!__atomic_load_n(&spun, __ATOMIC_RELAXED))
			usleep(1000);
	} else if (!strncmp(line, "load ", 5)) {
		library = dlopen(line + 5, RTLD_NOW);
		if (!library)
			exit(1);
		((void (*)(void))dlsym(library, "a_run"))();
	} else if (!strcmp(line, "fork")) {
		begin_child();
	} else if (!strncmp(line, "child ", 6)) {
		ask_child(line + 6);
	} else {
		for (i = atoi(line); i > 0; i--)
			work("abc", i);
	}
	printf("done\n");
	fflush(stdout);
}

untraced int main(int argc, char **argv)
{
	char line[1024];
	int i;

	for (i = 1; i < argc; i++)
		obey(argv[i]);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = 0;
		obey(line);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads with names, for the recording of some of them:
 *
 *	threads named		each thread has its name before it calls a function
 *	threads renamed		names change, while functions have not returned
 *	threads fork		a child gets a name of its own
 *
 * "count FUNCTION NUMBER" says how many calls were made by threads whose name begins with
 * "io".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define untraced	__attribute__((no_instrument_function, patchable_function_entry(0)))
#define noinline	__attribute__((noinline))

static unsigned int nr_inner, nr_outer, nr_during;

static noinline void inner(void)
{
	__asm__ volatile("" : : : "memory");
}

static noinline void outer(unsigned int calls)
{
	while (calls--)
		inner();
}

/* As many calls of each as the thread is worth. */
static untraced void work(bool wanted, unsigned int calls)
{
	unsigned int i;

	for (i = 0; i < calls; i++)
		outer(i);
	if (wanted) {
		__atomic_fetch_add(&nr_outer, calls, __ATOMIC_RELAXED);
		__atomic_fetch_add(&nr_inner, calls * (calls - 1) / 2, __ATOMIC_RELAXED);
	}
}

static untraced void *named(void *data)
{
	char name[16];
	long number = (long)data;

	snprintf(name, sizeof(name), "%s-%ld", number % 2 ? "io" : "cpu", number);
	if (number % 3)
		pthread_setname_np(pthread_self(), name);
	else
		prctl(PR_SET_NAME, name);
	work(number % 2, 100 + number);
	return NULL;
}

static untraced void run_named(void)
{
	pthread_t threads[8];
	long i;

	work(false, 50);
	for (i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, named, (void *)i);
	for (i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

/* Calls that begin with another name than they end with. */
static noinline void during(const char *name)
{
	inner();
	prctl(PR_SET_NAME, name);
	inner();
	__asm__ volatile("" : : : "memory");
}

static pthread_barrier_t barrier;

static untraced void *given_names(void *data)
{
	int i;

	work(false, 10);
	for (i = 0; i < 4; i++) {
		pthread_barrier_wait(&barrier);
		/* The other thread changes the name. */
		pthread_barrier_wait(&barrier);
		work(i % 2 == 0, 20);
	}
	return NULL;
}

static untraced void run_renamed(void)
{
	pthread_t thread;
	int i;

	work(false, 10);
	/* Only what is called after the name is seen, but the call itself is begun before. */
	during("io");
	nr_inner++;
	during("io-again");
	nr_inner += 2;
	nr_during++;
	work(true, 30);
	during("cpu");
	nr_inner++;
	nr_during++;
	during("cpu");
	work(false, 10);

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, given_names, NULL);
	for (i = 0; i < 4; i++) {
		pthread_barrier_wait(&barrier);
		pthread_setname_np(thread, i % 2 ? "cpu" : "io-given");
		pthread_barrier_wait(&barrier);
	}
	pthread_join(thread, NULL);
}

static untraced void run_fork(void)
{
	pid_t child;

	work(false, 20);
	child = fork();
	if (!child) {
		work(false, 20);
		prctl(PR_SET_NAME, "io-child");
		work(true, 30);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	/* What the child counted is its own. */
	nr_outer = 30;
	nr_inner = 30 * 29 / 2;
	work(false, 20);
}

int untraced main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "named"))
		run_named();
	else if (!strcmp(how, "renamed"))
		run_renamed();
	else if (!strcmp(how, "fork"))
		run_fork();
	else
		return 2;
	printf("count inner %u\ncount outer %u\n", nr_inner, nr_outer);
	if (nr_during)
		printf("count during %u\n", nr_during);
	return 0;
}

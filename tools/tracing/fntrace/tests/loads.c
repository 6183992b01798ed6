// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loads THREADS ROUNDS FILE...: load libraries, call them, and unload them, in several threads
 * at once; with -DLIBRARY one of these. Prints "count FUNCTION N" of what they call.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLS 10

#ifdef LIBRARY

void run(int times)
{
	while (times--)
		getppid();
}

#else

static int rounds, nr_files;
static char **files;

static void *loads(void *data)
{
	void (*run)(int times);
	long first = (long)data;
	void *library;

	for (int i = 0; i < rounds; i++) {
		library = dlopen(files[(first + i) % nr_files], RTLD_NOW);
		run = library ? (void (*)(int))dlsym(library, "run") : NULL;
		if (!run) {
			fprintf(stderr, "%s\n", dlerror());
			exit(1);
		}
		run(CALLS);
		dlclose(library);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]);
	pthread_t handles[threads];

	rounds = atoi(argv[2]);
	files = argv + 3;
	nr_files = argc - 3;
	for (long i = 0; i < threads; i++)
		if (pthread_create(&handles[i], NULL, loads, (void *)i))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(handles[i], NULL);
	printf("count getppid %d\n", threads * rounds * CALLS);
	return 0;
}

#endif

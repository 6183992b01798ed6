// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signals at any instruction of the hooks: timers of two threads, whose handler is
 * traced and counts itself. Prints "total N" for all calls of traced functions.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define noinline	__attribute__((noinline))
#else
#define noinline	__attribute__((noipa))
#endif
#define untraced	__attribute__((no_instrument_function, patchable_function_entry(0)))
#define THREADS		2
#define SECONDS		1

static long handled, calls;
static int over;

static noinline void leaf(void)
{
	__asm__ __volatile__("" : : : "memory");
}

static noinline void on_signal(int signal)
{
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
	leaf();
	leaf();
}

static noinline int descend(int n)
{
	int below = n ? descend(n - 1) : 0;

	leaf();
	return below + 1;
}

/* A frame in which those of a handler have room, when it is given up at the end. */
static noinline void wide(void)
{
	char room[32768];

	__asm__ __volatile__("" : : "r" (room) : "memory");
	leaf();
}

untraced static void *work(void *data)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec often = { .it_interval.tv_nsec = 20000, .it_value.tv_nsec = 20000 };
	struct itimerspec never = { };
	timer_t timer;
	long mine = 1;

	/* Met by the tracer, before there are signals. */
	leaf();
	event._sigev_un._tid = syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		descend(9);
		wide();
		mine += 22;
	}
	timer_settime(timer, 0, &never, NULL);
	timer_delete(timer);
	__atomic_fetch_add(&calls, mine, __ATOMIC_RELAXED);
	return NULL;
}

untraced int main(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t threads[THREADS];
	int i;

	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	sleep(SECONDS);
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("signals %ld\ntotal %ld\n", handled, calls + 3 * handled);
	return handled < 100;
}

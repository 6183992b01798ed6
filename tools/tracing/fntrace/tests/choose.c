// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * choose SEED JUMPS: calls of a few functions that call one another at random, of which some
 * end in a jump to another one, and with JUMPS=1 some are left by longjmp(); in two threads, one
 * after the other. Between a call of go() and one of halt() there are as many as before and
 * behind. It is all the same with the same SEED.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#define function __attribute__((noinline, noclone))
#define FUNCTIONS 6
#define CALLS 3000
#define DEPTH 12

static unsigned int state;
static unsigned int calls, depth;
static jmp_buf back;
static int jumps, may_jump;

__attribute__((no_instrument_function)) static unsigned int number(unsigned int below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

/* Behind a call, it keeps that from being made a jump. */
__attribute__((no_instrument_function, always_inline)) static inline void work(void)
{
	__asm__ __volatile__("" : : : "memory");
}

static void call_some(void);

function void one(void) { call_some(); work(); }
function void two(void) { call_some(); work(); }
function void three(void) { call_some(); work(); }
function void four(void) { call_some(); call_some(); work(); }
function void five(void) { work(); }

/* Its last call is a jump (-O2). */
function void six(void) { work(); one(); }

static void (*const functions[FUNCTIONS])(void) = { one, two, three, four, five, six };

__attribute__((no_instrument_function)) static void call_some(void)
{
	unsigned int i, times = number(3);

	for (i = 0; i < times && calls < CALLS && depth < DEPTH; i++) {
		calls++;
		depth++;
		functions[number(FUNCTIONS)]();
		depth--;
	}
	if (may_jump && !number(40))
		longjmp(back, 1);
}

function void go(void) { work(); }
function void halt(void) { work(); }
function void handler(int signal) { five(); }

__attribute__((no_instrument_function)) static void repeat(void)
{
	calls = 0;
	while (calls < CALLS) {
		may_jump = jumps;
		if (!setjmp(back)) {
			depth = 0;
			call_some();
		}
		may_jump = 0;
		if (!number(20))
			raise(SIGUSR1);
	}
}

function void *thread(void *data)
{
	repeat();
	go();
	repeat();
	halt();
	repeat();
	return data;
}

int main(int argc, char **argv)
{
	pthread_t other;

	state = argc > 1 ? atoi(argv[1]) : 1;
	jumps = argc > 2 && atoi(argv[2]);
	signal(SIGUSR1, handler);
	thread(NULL);
	if (pthread_create(&other, NULL, thread, NULL) || pthread_join(other, NULL))
		return 1;
	return 0;
}

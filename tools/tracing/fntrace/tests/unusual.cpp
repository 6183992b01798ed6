// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exceptions and threads that are ended, in ways that take a tracer by surprise; the argument
 * says which of it.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <unistd.h>
#include <unwind.h>

#define noinline __attribute__((noinline))

static volatile int sink;

/* The first traced call behind the throw is that of a destructor, which is inlined. */
struct inlined {
	int n;
	explicit inlined(int n) : n(n) {}
	__attribute__((always_inline)) ~inlined() { sink = sink - n; }
};

static noinline void thrower(int n)
{
	sink = n;
	if (n)
		throw std::runtime_error("thrown");
}

/* Their frames are larger than that of what has thrown, which must not be taken for alive. */
struct large {
	noinline ~large()
	{
		volatile char room[400];

		room[sink & 255] = 1;
	}
};

static noinline void behind()
{
	volatile char room[400];

	room[sink & 255] = 1;
}

static noinline __attribute__((noclone)) void catcher(int n)
{
	try {
		inlined object(n);
		large other;

		thrower(n);
	} catch (const std::exception &) {
		behind();
	}
	behind();
	/* The call before is no jump then. */
	sink = sink + 1;
}

static noinline void after() { sink = sink + 2; }

static void exceptions()
{
	for (int i = 0; i < 10; i++) {
		catcher(1);
		after();
	}
	printf("count thrower 10\ncount catcher 10\ncount behind 20\ncount after 10\n");
}

/* What has thrown ends before the first wait, what catches it between both. */
#define WAIT_US		100000

static noinline __attribute__((noclone)) void catches_and_waits(int n)
{
	try {
		thrower(n);
	} catch (const std::exception &) {
		usleep(WAIT_US);
	}
	sink = sink + 1;
}

static void waits()
{
	for (int i = 0; i < 3; i++) {
		catches_and_waits(1);
		usleep(WAIT_US);
		after();
	}
	printf("wait %d\ncount thrower 3\ncount catches_and_waits 3\ncount after 3\n", WAIT_US);
}

/* Left without the C library, which nobody is told of. */
static void *jump[5];

static noinline void leaves(int n)
{
	sink = n;
	__builtin_longjmp(jump, 1);
}

/* With arguments on the stack, its return address is not where that of the next call is. */
static noinline __attribute__((noclone)) void is_left(int a, int b, int c, int d, int e, int f,
						      int g, int h)
{
	leaves(a + b + c + d + e + f + g + h);
	sink = sink + 1;
}

static noinline void stays()
{
	if (!__builtin_setjmp(jump))
		is_left(1, 2, 3, 4, 5, 6, 7, 8);
	after();
}

static void jumps()
{
	for (int i = 0; i < 3; i++)
		stays();
	printf("count stays 3\ncount is_left 3\ncount leaves 3\ncount after 3\n");
}

/* A thread that holds a lock further out than where it ends. */
static std::mutex lock;
static int undone;

struct cleanup {
	noinline ~cleanup() { undone++; }
};

static noinline void wait_for_end()
{
	for (;;)
		pause();
}

static noinline void inner(void (*end)())
{
	cleanup object;

	end();
	sink = 1;
}

static noinline void outer(void (*end)())
{
	std::lock_guard<std::mutex> guard(lock);

	inner(end);
	sink = 2;
}

static void *cancelled(void *)
{
	outer(wait_for_end);
	return nullptr;
}

static void tell_undone()
{
	printf("undone %d\nlocked %d\n", undone, !lock.try_lock());
}

static void cancels()
{
	pthread_t thread;

	if (pthread_create(&thread, nullptr, cancelled, nullptr))
		abort();
	usleep(100000);
	pthread_cancel(thread);
	pthread_join(thread, nullptr);
	tell_undone();
}

/* A program's own use of what cancels threads. */
static _Unwind_Exception exception;

static _Unwind_Reason_Code stop(int, _Unwind_Action actions, _Unwind_Exception_Class,
				_Unwind_Exception *, _Unwind_Context *, void *)
{
	if (actions & _UA_END_OF_STACK) {
		tell_undone();
		fflush(stdout);
		_exit(0);
	}
	return _URC_NO_REASON;
}

static noinline void force()
{
	_Unwind_ForcedUnwind(&exception, stop, nullptr);
	printf("not unwound\n");
	_exit(1);
}

static void forces()
{
	outer(force);
}

int main(int, char **argv)
{
	if (!strcmp(argv[1], "exceptions"))
		exceptions();
	else if (!strcmp(argv[1], "waits"))
		waits();
	else if (!strcmp(argv[1], "jumps"))
		jumps();
	else if (!strcmp(argv[1], "cancels"))
		cancels();
	else
		forces();
	return 0;
}

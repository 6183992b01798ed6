// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exceptions through traced functions: destructors run on the way, some are thrown
 * again, and a thread ends in the middle.
 */
#include <cstdio>
#include <pthread.h>
#include <stdexcept>
#include <execinfo.h>

#define noinline __attribute__((noinline))

static volatile int sink;
static int destroyed;

struct guard {
	noinline guard() { sink = sink + 1; }
	noinline ~guard() { destroyed++; }
};

static noinline void thrower(int n)
{
	if (n >= 0)
		throw std::runtime_error("thrown");
	sink = sink + 1;
}

static noinline void middle(int n)
{
	guard g;

	thrower(n);
	sink = sink + 1;
}

static noinline void again(int n)
{
	try {
		middle(n);
	} catch (const std::exception &) {
		sink = sink + 1;
		throw;
	}
}

static noinline int catcher(int n)
{
	try {
		again(n);
	} catch (const std::exception &) {
		return 1;
	}
	return 0;
}

static noinline void after(void)
{
	sink = sink + 1;
}

static noinline int frames(void)
{
	void *where[64];

	return backtrace(where, 64);
}

static void *thread(void *)
{
	guard g;

	pthread_exit(nullptr);
}

int main()
{
	pthread_t id;
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		caught += catcher(i);
		after();
	}
	if (caught != 100 || destroyed != 100)
		return 1;
	if (frames() < 3)
		return 2;
	after();
	pthread_create(&id, nullptr, thread, nullptr);
	pthread_join(id, nullptr);
	if (destroyed != 101)
		return 3;
	std::printf("count main 1\ncount catcher 100\ncount again 100\ncount middle 100\n"
		    "count thrower 100\ncount after 101\ncount thread 1\ncount frames 1\n");
	return 0;
}

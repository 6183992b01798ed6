// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * imports: a program that was not compiled to be traced, and (-DLIBRARY) a library that it
 * calls in all ways in which a hook might be in the way; in C as well, without exceptions.
 * Prints how often it has called each function of the library; a wrong result ends it. With an
 * argument, its pointers may lead elsewhere than those of others.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <stdexcept>
#endif
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

struct triple {
	double	first;
	long	second[2];
};

#ifdef __cplusplus
extern "C" {
#endif
long lib_eight(long a, long b, long c, long d, long e, long f, long g, long h, long i);
double lib_doubles(double a, float b, long double c);
long double lib_long(long double a);
double lib_variadic(int nr, ...);
struct triple lib_struct(struct triple value);
__int128 lib_wide(__int128 value);
void lib_call(void (*function)(int), int value);
void lib_nothing(void);
void lib_pointed(void);
int lib_twice(jmp_buf *where, int value);
#ifdef __cplusplus
}
#endif

#ifdef LIBRARY

long lib_eight(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

double lib_doubles(double a, float b, long double c)
{
	return a + 2 * b + 3 * c;
}

long double lib_long(long double a)
{
	return a / 3;
}

double lib_variadic(int nr, ...)
{
	double sum = 0;
	va_list args;

	va_start(args, nr);
	while (nr--)
		sum += va_arg(args, double);
	va_end(args);
	return sum;
}

struct triple lib_struct(struct triple value)
{
	struct triple result = { value.first * 2, { value.second[1], value.second[0] } };

	return result;
}

__int128 lib_wide(__int128 value)
{
	return value * 3;
}

void lib_call(void (*function)(int), int value)
{
	function(value);
	/* So that the call is none that ends in a jump. */
	__asm__ __volatile__("" : : : "memory");
}

void lib_nothing(void)
{
	__asm__ __volatile__("" : : : "memory");
}

/* Whose address the program takes as well. */
void lib_pointed(void)
{
	__asm__ __volatile__("" : : : "memory");
}

int lib_twice(jmp_buf *where, int value)
{
	longjmp(*where, value);
}

#else

#define TIMES 200

static unsigned int nothing, called, twice;
static ucontext_t outside, inside;
static char room[65536];

static void check(int good, const char *what)
{
	if (good)
		return;
	printf("wrong: %s\n", what);
	exit(1);
}

static void results(bool others)
{
	struct triple value = { 1.5, { 2, 3 } };
	volatile __int128 wide = (__int128)1 << 70;
	static const char zeros[16] = { };
	void (*volatile pointer)(void) = lib_pointed;

	check(lib_eight(1, 2, 3, 4, 5, 6, 7, 8, 9) == 285, "integers");
	check(lib_doubles(1.5, 2.5f, 3.5L) == 17, "floating point");
	check(lib_long(1.0L) == 1.0L / 3, "long double");
	check(lib_variadic(3, 1.5, 2.5, 3.0) == 7, "variadic");
	value = lib_struct(value);
	check(value.first == 3 && value.second[0] == 3 && value.second[1] == 2, "structure");
	check(lib_wide(wide) == 3 * wide, "two registers");
	lib_pointed();
	check(others || (void *)pointer == dlsym(RTLD_DEFAULT, "lib_pointed"), "pointer");
	check(dlsym(RTLD_NEXT, "lib_nothing") != NULL, "who calls dlsym()");
	/* Data of libc, which on arm64 and riscv64 is between its functions. */
	check(!memcmp(&in6addr_any, zeros, sizeof(zeros)), "data");
}

static void count(int value)
{
	nothing++;
	lib_nothing();
}

#ifdef __cplusplus

static void throws(int value)
{
	throw std::runtime_error("thrown");
}

static void exceptions()
{
	volatile int caught = 0;

	for (int i = 0; i < 3; i++) {
		try {
			called++;
			lib_call(throws, i);
		} catch (const std::runtime_error &error) {
			caught = caught + 1;
		}
		called++;
		lib_call(count, i);
	}
	check(caught == 3, "exceptions");
}

#else

static void exceptions(void)
{
}

#endif

static void jumps(void)
{
	jmp_buf where;
	volatile int times = 0;

	if (setjmp(where) < 3) {
		times = times + 1;
		twice++;
		lib_twice(&where, times);
	}
	check(times == 3, "longjmp()");
}

static void coroutine(void)
{
	for (int i = 0; i < 3; i++) {
		count(i);
		swapcontext(&inside, &outside);
	}
}

static void coroutines(void)
{
	getcontext(&inside);
	inside.uc_stack.ss_sp = room;
	inside.uc_stack.ss_size = sizeof(room);
	inside.uc_link = &outside;
	makecontext(&inside, coroutine, 0);
	for (int i = 0; i < 3; i++) {
		called++;
		lib_call(count, i);
		swapcontext(&outside, &inside);
	}
}

static void *thread(void *data)
{
	for (int i = 0; i < TIMES; i++)
		count(i);
	return NULL;
}

static void children(void)
{
	pthread_t handle;
	int status;
	pid_t pid;

	check(!pthread_create(&handle, NULL, thread, NULL), "thread");
	pthread_join(handle, NULL);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		lib_nothing();
		_exit(7);
	}
	nothing++;
	check(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7, "fork()");
	pid = vfork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
		_exit(1);
	}
	check(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 9, "vfork()");
}

int main(int argc, char **argv)
{
	signal(SIGUSR1, count);
	for (int i = 0; i < TIMES; i++) {
		count(i);
		raise(SIGUSR1);
	}
	results(argc > 1);
	jumps();
	exceptions();
	coroutines();
	children();
	printf("count lib_eight 1\ncount lib_doubles 1\ncount lib_long 1\ncount lib_variadic 1\n");
	printf("count lib_struct 1\ncount lib_wide 1\ncount raise %d\ncount fork 1\n", TIMES);
	printf("count lib_nothing %u\ncount lib_call %u\ncount lib_twice %u\n", nothing, called,
	       twice);
	printf("count waitpid 2\ncount pthread_create 1\ncount pthread_join 1\ncount signal 1\n");
	return 0;
}

#endif

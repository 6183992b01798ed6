// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A signal at each instruction of the tracer while it ends a thread (x86_64): threads
 * that step through their end, the first one up to the first instruction in libfntrace.so,
 * the next one up to the second. There the handler makes a mark. Prints how many of these
 * were recorded, by what fntrace_mark() says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define untraced	__attribute__((no_instrument_function))
#define noinline	__attribute__((noipa))
#define TRAP_FLAG	0x100
/* It blocks signals later, and then a step would be the end of the program. */
#define INSTRUCTIONS	20
/* Of libfntrace.so, around fntrace_mark(). */
#define NEAR		65536

static bool (*mark)(uint64_t value);
static int wanted, met, marked;

untraced static void on_step(int signal, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	unsigned long at = context->uc_mcontext.gregs[REG_RIP];

	if (at - (unsigned long)mark + NEAR > 2 * NEAR || met++ < wanted)
		return;
	marked += mark(wanted);
	context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static noinline void leaf(void)
{
	__asm__ __volatile__("" : : : "memory");
}

untraced static void *thread(void *data)
{
	leaf();
	__asm__ __volatile__("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i" (TRAP_FLAG)
			     : "memory", "cc");
	return NULL;
}

untraced int main(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	pthread_t id;

	mark = (bool (*)(uint64_t value))dlsym(RTLD_DEFAULT, "fntrace_mark");
	if (!mark || sigaction(SIGTRAP, &action, NULL))
		return 1;
	for (wanted = 0; wanted < INSTRUCTIONS; wanted++) {
		met = 0;
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			return 1;
		if (met <= wanted)
			return 3;
	}
	printf("marked %d\n", marked);
	return 0;
}

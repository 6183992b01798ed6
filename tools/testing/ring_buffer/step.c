// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupt a function behind each of its instructions
 *
 * The processor traps behind each instruction. The handler forks: the new
 * process is interrupted there and runs on to its end, the old one waits for
 * it and steps on. With a second interrupt, the new process is stepped in the same
 * way, from the begin of the first one.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "step.h"

static const struct step_case *step_running;
/* Shared with the process that steps */
static struct step_result *step_shared;
static bool step_interrupts;
/* How many interrupts this process has had */
static unsigned int step_level;

#ifdef __x86_64__
#define STEP_TF		0x100

static void step_set(bool on)
{
	unsigned long long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | STEP_TF : flags & ~STEP_TF);
}

static void step_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	int status;
	pid_t child;

	(void)sig;
	(void)info;
	if (step_level)
		step_shared->pairs++;
	else
		step_shared->steps++;

	if (!step_interrupts)
		return;
	if (!step_level && step_running->here && !step_running->here())
		return;

	child = fork();
	if (!child) {
		step_level++;
		step_interrupts = step_running->second && step_level < 2;
		if (step_level == 2) {
			step_running->second();
		} else {
			step_set(step_interrupts);
			step_running->interrupt();
			step_set(false);
		}

		/* The second one has come by now, or is to come behind this. */
		if (!step_interrupts)
			uc->uc_mcontext.gregs[REG_EFL] &= ~STEP_TF;
		return;
	}

	if (child < 0 || waitpid(child, &status, 0) != child)
		_exit(STEP_DIED);
	if (!WIFEXITED(status))
		status = STEP_DIED << 8;
	if (WEXITSTATUS(status)) {
		step_shared->bad++;
		step_shared->how = WEXITSTATUS(status);
	}
}

bool step_possible(void)
{
	return true;
}
#else
static void step_set(bool on)
{
	(void)on;
}

static void step_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

bool step_possible(void)
{
	return false;
}
#endif

static void step_child(const struct step_case *c)
{
	/* The handler steps through the first interrupt. */
	struct sigaction action = {
		.sa_sigaction = step_trap, .sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	step_running = c;
	sigaction(SIGTRAP, &action, NULL);
	if (c->prepare)
		c->prepare();

	step_set(true);
	if (c->run)
		c->run();
	step_set(false);
	_exit(c->check ? c->check() : 0);
}

static bool step(const struct step_case *c, struct step_result *result, bool interrupts)
{
	int status;
	pid_t child;

	if (!step_shared) {
		step_shared = mmap(NULL, sizeof(*step_shared), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (step_shared == MAP_FAILED)
			exit(4);
	}
	*step_shared = (struct step_result){ };
	step_interrupts = interrupts;
	fflush(stdout);

	child = fork();
	if (!child)
		step_child(c);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;

	*result = *step_shared;
	/* Without an interrupt it must be right as well. */
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		result->bad++;
		result->how = WIFEXITED(status) ? WEXITSTATUS(status) : STEP_DIED;
	}
	return true;
}

/**
 * step_count() - how many instructions a function takes
 * @c: the case, whose @run is counted
 * @result: where to write it
 *
 * Return: whether that was possible
 */
bool step_count(const struct step_case *c, struct step_result *result)
{
	struct step_case empty = { };
	struct step_result none;

	if (!step_possible() || !step(&empty, &none, false) || !step(c, result, false))
		return false;
	result->steps -= none.steps;
	return true;
}

/**
 * step_interrupt() - interrupt a function behind each of its instructions
 * @c: the case
 * @result: what came of it; the instructions of the way to @run and back count
 *	as well
 *
 * Return: whether that was possible
 */
bool step_interrupt(const struct step_case *c, struct step_result *result)
{
	return step_possible() && step(c, result, true);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The machine that both versions of the ring buffer run on
 */
#include <unistd.h>

#include "version.h"
#include "sim.h"

__thread int sim_preempt_count;
__thread int sim_cpu;
unsigned long long sim_time = 1000;
unsigned int sim_irq_works;
unsigned int sim_warnings;
bool sim_verbose;
void (*sim_clock_hook)(void);
void (*sim_wait_hook)(void);

/* Advances by itself for loops that are timed, where sim_step is not 0. */
unsigned int sim_step;

u64 sched_clock_noinstr(void)
{
	void (*hook)(void) = sim_clock_hook;

	/* What interrupts a writer while it reads the clock */
	if (unlikely(hook)) {
		sim_clock_hook = NULL;
		hook();
	}
	/* In one instruction, as a clock does not go backwards in an interrupt */
	if (sizeof(long) == sizeof(sim_time))
		return local_add_return(sim_step, (local_t *)&sim_time);
	return __atomic_add_fetch(&sim_time, sim_step, __ATOMIC_RELAXED);
}

u64 trace_clock_local(void)
{
	u64 clock;

	preempt_disable_notrace();
	clock = sched_clock_noinstr();
	preempt_enable_notrace();

	return clock;
}

void sim_warn(const char *file, int line)
{
	sim_warnings++;
	if (sim_verbose)
		printf("# warning at %s:%d\n", file, line);
}

/* A reader waits for a writer, which may have to wait for a processor. */
void sim_udelay(unsigned long us)
{
	if (sim_wait_hook)
		sim_wait_hook();
	usleep(us);
}

/* A reader that cannot take the head page, as the writer moves it, comes here. */
void sim_mb(void)
{
	static unsigned int tries;

	__sync_synchronize();
	if (sim_wait_hook && ++tries > 100)
		sim_wait_hook();
}

void *sim_alloc(size_t align, size_t size)
{
	void *data = aligned_alloc(align, size);

	if (!data)
		exit(4);
	return memset(data, 0, size);
}

void rb_log_bytes(struct rb_log *log, const void *data, size_t length)
{
	while (log->length + length > log->size) {
		log->size = log->size ? 2 * log->size : 1 << 16;
		log->data = realloc(log->data, log->size);
		if (!log->data)
			exit(4);
	}
	memcpy(log->data + log->length, data, length);
	log->length += length;
}

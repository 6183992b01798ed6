// SPDX-License-Identifier: GPL-2.0
/*
 * What reserve and commit cost: the base's and ours in turn
 *
 * Both run in short rounds, one after the other. The fastest round of each
 * counts: what else the machine does cannot make a round faster. With readers
 * and interrupts it is the median of longer rounds, as the fastest ones have
 * none of them. A cycle is the time that one addition takes that waits for the
 * one before it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

#include "step.h"
#include "test.h"

#define ROUNDS		400
#define EVENTS		2000UL
#define LONG_EVENTS	40000UL
#define BUFFER		(64UL * (PAGE_SIZE - 16))

static unsigned long long ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
#endif
}

/* COUNT cycles */
static void spin(unsigned long count)
{
	unsigned long x = 0;

	count /= 10;
	while (count--) {
#define ADD	do { asm volatile("" : "+r" (x)); x += 3; } while (0)
		ADD; ADD; ADD; ADD; ADD; ADD; ADD; ADD; ADD; ADD;
#undef ADD
	}
}

static double ticks_per_cycle(void)
{
	unsigned long long best = ~0ULL;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned long long start = ticks(), took;

		spin(100000);
		took = ticks() - start;
		if (took < best)
			best = took;
	}
	return best / 100000.0;
}

struct side {
	const struct rb_version	*version;
	struct trace_buffer	*buffer;
	double			took[ROUNDS];
	unsigned int		rounds;
	double			result;
};

static int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct trace_buffer *bench_buffer(const struct rb_version *version)
{
	struct trace_buffer *buffer;

	sim_cpu = 0;
	buffer = version->alloc(BUFFER, RB_FL_OVERWRITE);
	/* Let it wrap once. */
	version->loop(buffer, 64 * PAGE_SIZE / 12, 8);
	return buffer;
}

static void bench_round(struct side *side, unsigned long events, unsigned long length)
{
	unsigned long long start = ticks();

	side->version->loop(side->buffer, events, length);
	side->took[side->rounds++] = (double)(ticks() - start) / events;
}

static void report(const char *what, double base, double ours)
{
	printf("%-44s %8.1f %8.1f %6.3f\n", what, base, ours, ours / base);
}

static void bench_begin(struct side *sides)
{
	for (int i = 0; i < 2; i++) {
		sides[i].version = i ? &rb_version_ours : &rb_version_base;
		sides[i].buffer = bench_buffer(sides[i].version);
		sides[i].rounds = 0;
	}
}

static void bench_end(const char *what, struct side *sides, bool median)
{
	double per_cycle = ticks_per_cycle();

	for (int i = 0; i < 2; i++) {
		qsort(sides[i].took, ROUNDS, sizeof(double), bench_compare);
		sides[i].result = sides[i].took[median ? ROUNDS / 2 : 0] / per_cycle;
		sides[i].version->free(sides[i].buffer);
	}
	report(what, sides[0].result, sides[1].result);
}

static struct side sides[2];

static void cycles(const char *what, unsigned long length)
{
	bench_begin(sides);
	for (unsigned int i = 0; i < 2 * ROUNDS; i++)
		bench_round(&sides[i % 2], EVENTS, length);
	bench_end(what, sides, false);
}

/* A writer that is interrupted by writers */
static struct side *interrupted;

static void bench_interrupt(int sig)
{
	struct ring_buffer_event *event;

	(void)sig;
	sim_preempt_count += HARDIRQ_OFFSET;
	for (int i = 0; i < 10; i++) {
		event = interrupted->version->reserve(interrupted->buffer, 24);
		if (event)
			interrupted->version->commit(interrupted->buffer);
	}
	sim_preempt_count -= HARDIRQ_OFFSET;
}

static void cycles_interrupted(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { };

	bench_begin(sides);
	signal(SIGALRM, bench_interrupt);

	for (unsigned int i = 0; i < 2 * ROUNDS; i++) {
		interrupted = &sides[i % 2];
		setitimer(ITIMER_REAL, &often, NULL);
		bench_round(interrupted, LONG_EVENTS, 24);
		setitimer(ITIMER_REAL, &never, NULL);
	}

	signal(SIGALRM, SIG_DFL);
	bench_end("cycles, 24 bytes, a timer's signal writes", sides, true);
}

/* A reader on another CPU */
static struct side *read_side;
static bool reader_end;

static void *bench_reader(void *unused)
{
	struct ring_buffer_event *event;
	struct side *side;
	u64 ts;

	(void)unused;
	sim_cpu = 1;

	while (!READ_ONCE(reader_end)) {
		side = READ_ONCE(read_side);
		event = side->version->consume(side->buffer, 0, &ts, NULL);
		(void)event;
	}
	return NULL;
}

static void cycles_read(void)
{
	pthread_t reader;

	bench_begin(sides);
	read_side = &sides[0];
	reader_end = false;
	if (pthread_create(&reader, NULL, bench_reader, NULL))
		exit(4);

	for (unsigned int i = 0; i < 2 * ROUNDS; i++) {
		WRITE_ONCE(read_side, &sides[i % 2]);
		bench_round(&sides[i % 2], LONG_EVENTS, 24);
	}

	WRITE_ONCE(reader_end, true);
	pthread_join(reader, NULL);
	bench_end("cycles, 24 bytes, a reader on another CPU", sides, true);
}

/* Instructions, with all that is between two events in the loop */
static struct side count_side;
static unsigned long count_events, count_length;

static void count_prepare(void)
{
	count_side.buffer = bench_buffer(count_side.version);
	count_side.version->loop(count_side.buffer, 3, count_length);
}

static void count_run(void)
{
	count_side.version->loop(count_side.buffer, count_events, count_length);
}

static void instructions(const char *what, unsigned long length)
{
	const struct step_case c = { .prepare = count_prepare, .run = count_run };
	const struct rb_version *versions[] = { &rb_version_base, &rb_version_ours };
	struct step_result one, many;
	double result[2];

	count_length = length;
	for (int i = 0; i < 2; i++) {
		count_side.version = versions[i];
		count_events = 1;
		if (!step_count(&c, &one))
			return;

		count_events = 11;
		step_count(&c, &many);
		result[i] = (many.steps - one.steps) / 10.0;
	}

	report(what, result[0], result[1]);
}

int bench(void)
{
	sim_step = 7;
	sim_verbose = true;
	printf("%-44s %8s %8s %6s\n", "reserve and commit of one record", "base", "ours", "ratio");

	instructions("instructions, 8 bytes", 8);
	instructions("instructions, 24 bytes", 24);
	instructions("instructions, 200 bytes", 200);
	cycles("cycles, 8 bytes", 8);
	cycles("cycles, 24 bytes", 24);
	cycles("cycles, 200 bytes", 200);
	cycles_interrupted();
	cycles_read();

	/* A warning switches recording off. */
	if (sim_warnings)
		printf("%u warnings: these figures mean nothing\n", sim_warnings);
	return !!sim_warnings;
}

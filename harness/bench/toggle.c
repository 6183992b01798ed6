// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * toggle FILE VALUE NAME KIND...: what one write(2) of VALUE to FILE takes.
 *
 * Prints a line "@figure KIND.NAME NUMBER" for each KIND but the last of these:
 *
 *	ipi	cross-CPU function calls that the CPUs received
 *	time	seconds
 *	insn	instructions, in a guest with one CPU and -icount shift=0
 *	alone	no number; the write(2) is as undisturbed as for insn, may sleep, and is
 *		measured by someone else
 *
 * or, and then exits with 1, "@error KIND.NAME REASON".
 *
 * The window: the clock is read right before and right after the write(2), and
 * nothing else happens between these two. Everything else is opened and read
 * before or after. With a write(2) to /dev/null, 500 instructions remain. Interrupts
 * and other tasks are part of the figure if they come within the window.
 *
 * ipi: the function calls in /proc/interrupts, summed over the CPUs, read before the
 * first and after the second reading of the clock. Reading it sends no IPI: the
 * kernel adds up counters in memory, and this program has one thread and maps or
 * unmaps nothing meanwhile, so that no other CPU's TLB has to be flushed.
 *
 * time: CLOCK_MONOTONIC_RAW, which NTP does not adjust. Its resolution is that of
 * the clocksource: about 1 ns if that is the TSC, but a timer tick of some ms if
 * the kernel found nothing better than jiffies. clock_getres() does not tell these
 * apart, so the steps of the clock are measured, and large ones are refused.
 *
 * insn: with -icount shift=0, the guest's TSC advances by 1 per instruction and
 * the timers of its machine by 1 ns. The kernel calibrates the TSC with one of
 * these timers at boot, which comes out some parts per million wrong. So the rate
 * of the clock is measured here, with a loop of a known number of instructions,
 * and the figure is corrected by it. As the clock also runs when the CPU is idle
 * (with sleep=off it jumps to the next timer), there is no figure if the write(2)
 * slept. What else runs is the same each time: SCHED_FIFO keeps other tasks away,
 * and the window begins right after a timer tick.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000LL

/* The least of so many steps of the clock, in ns, must not exceed the limit. */
#define STEPS		100
#define STEP_LIMIT	10000

/* Iterations of the two loops whose difference gives the clock's rate. */
#define SHORT_LOOP	1000
#define LONG_LOOP	501000
/* Instructions per iteration. */
#define LOOP_INSNS	2
/* Each is run so many times. The fastest counts: no interrupt was in it. */
#define LOOP_RUNS	15
/* A clock that is further off, in percent, counts something else. */
#define RATE_LIMIT	1

static const char interrupts[] = "/proc/interrupts";
static char text[1 << 16];
static const char *name;
static char **kinds;

static noreturn void fail(const char *format, ...)
{
	char reason[512];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	for (; *kinds; kinds++)
		printf("@error %s.%s %s\n", *kinds, name, reason);
	exit(1);
}

static int wanted(const char *kind)
{
	char **word;

	for (word = kinds; *word; word++)
		if (!strcmp(*word, kind))
			return 1;
	return 0;
}

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

/* The resolution of the clock, or how long reading it takes if that is longer. */
static void check_resolution(void)
{
	long long least = -1, last, now;
	int step;

	last = clock_ns(CLOCK_MONOTONIC_RAW);
	for (step = 0; step < STEPS && (least < 0 || least > STEP_LIMIT); ) {
		now = clock_ns(CLOCK_MONOTONIC_RAW);
		if (now == last)
			continue;
		if (least < 0 || now - last < least)
			least = now - last;
		last = now;
		step++;
	}
	if (least > STEP_LIMIT)
		fail("the clock advances in steps of %lld ns", least);
}

/* Count a long down, in two instructions each time. */
#if defined(__x86_64__)
#define COUNT_DOWN	"1:	dec %0\n	jnz 1b"
#elif defined(__aarch64__)
#define COUNT_DOWN	"1:	subs %0, %0, #1\n	b.ne 1b"
#elif defined(__riscv)
#define COUNT_DOWN	"1:	addi %0, %0, -1\n	bnez %0, 1b"
#endif

/* The nanoseconds that a loop takes. */
static long long time_loop(long iterations)
{
	long long least = -1, start, took;
	long left;
	int run;

	for (run = 0; run < LOOP_RUNS; run++) {
		left = iterations;
		start = clock_ns(CLOCK_MONOTONIC_RAW);
		asm volatile(COUNT_DOWN : "+r" (left) : : "cc");
		took = clock_ns(CLOCK_MONOTONIC_RAW) - start;
		if (least < 0 || took < least)
			least = took;
	}
	return least;
}

/* Instructions per nanosecond of the clock. */
static double clock_rate(void)
{
	/* The difference leaves out what reading the clock takes. */
	long long took = time_loop(LONG_LOOP) - time_loop(SHORT_LOOP);
	double insns = (double)LOOP_INSNS * (LONG_LOOP - SHORT_LOOP);

	if (took < insns * (100 - RATE_LIMIT) / 100 ||
	    took > insns * (100 + RATE_LIMIT) / 100)
		fail("the clock does not count instructions: %.0f take %lld ns",
		     insns, took);
	return insns / took;
}

/* See to it that nothing but interrupts comes between. */
static void be_alone(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler: %s", strerror(errno));
}

/* The coarse clock advances with the timer tick only. */
static void wait_for_tick(void)
{
	long long start = clock_ns(CLOCK_MONOTONIC_COARSE);

	while (clock_ns(CLOCK_MONOTONIC_COARSE) == start)
		;
}

/* The IPIs for function calls since boot. */
static long long count_ipis(void)
{
	long long sum = 0, count;
	size_t length = 0;
	char *word, *end;
	ssize_t got;
	int fd;

	fd = open(interrupts, O_RDONLY);
	if (fd < 0)
		fail("opening %s: %s", interrupts, strerror(errno));
	while ((got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += got;
	if (got < 0)
		fail("reading %s: %s", interrupts, strerror(errno));
	if (length == sizeof(text) - 1)
		fail("%s has %zu bytes or more", interrupts, length);
	close(fd);
	text[length] = '\0';

	word = strstr(text, "Function call interrupts");
	if (!word)
		fail("%s has no function calls", interrupts);
	*word = '\0';
	/* A name, which differs, a number per CPU, and then those words. */
	word = strrchr(text, ':');
	if (!word)
		fail("%s has a line without a name", interrupts);
	for (word++; ; word = end) {
		count = strtoll(word, &end, 10);
		if (end == word)
			return sum;
		sum += count;
	}
}

/* How often this program has slept. */
static long count_sleeps(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		fail("getrusage: %s", strerror(errno));
	return usage.ru_nvcsw;
}

int main(int argc, char **argv)
{
	int insn, alone, error, fd;
	long long start, took, ipis;
	const char *file, *value;
	ssize_t length, written;
	double rate = 0;
	char **kind;
	long sleeps;

	if (argc < 5) {
		fprintf(stderr, "usage: toggle FILE VALUE NAME KIND...\n");
		return 2;
	}
	file = argv[1];
	value = argv[2];
	name = argv[3];
	kinds = argv + 4;
	length = strlen(value);
	insn = wanted("insn");
	alone = insn || wanted("alone");
	for (kind = kinds; *kind; kind++)
		if (strcmp(*kind, "ipi") && strcmp(*kind, "time") && strcmp(*kind, "insn") &&
		    strcmp(*kind, "alone"))
			fail("%s is none of ipi, time, insn, alone", *kind);

	fd = open(file, O_WRONLY);
	if (fd < 0)
		fail("opening %s: %s", file, strerror(errno));
	check_resolution();
	if (alone)
		be_alone();
	if (insn)
		rate = clock_rate();
	/* Once for the page faults of the first time. */
	count_ipis();
	clock_ns(CLOCK_MONOTONIC_RAW);
	sleeps = count_sleeps();
	ipis = count_ipis();
	if (alone)
		wait_for_tick();

	start = clock_ns(CLOCK_MONOTONIC_RAW);
	written = write(fd, value, length);
	took = clock_ns(CLOCK_MONOTONIC_RAW) - start;

	error = errno;
	ipis = count_ipis() - ipis;
	sleeps = count_sleeps() - sleeps;
	if (written < 0)
		fail("writing %s to %s: %s", value, file, strerror(error));
	if (written != length)
		fail("writing %s to %s: only %zd of %zd bytes", value, file,
		     written, length);
	if (insn && sleeps)
		fail("writing %s to %s slept, and the clock ran on", value, file);

	if (wanted("ipi"))
		printf("@figure ipi.%s %lld\n", name, ipis);
	if (wanted("time"))
		printf("@figure time.%s %lld.%09lld\n", name, took / NSEC_PER_SEC,
		       took % NSEC_PER_SEC);
	if (insn)
		printf("@figure insn.%s %.0f\n", name, took * rate);
	return 0;
}

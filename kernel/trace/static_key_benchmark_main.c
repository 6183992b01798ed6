// SPDX-License-Identifier: GPL-2.0
/*
 * Cost of one pass over a static branch or a tracepoint.
 *
 * Every file under static_key_benchmark/ in debugfs is one benchmark. Reading
 * it runs the benchmark and returns the time of one call in nanoseconds, with
 * three decimals. In a guest of "qemu-system-* -icount shift=0,sleep=off" one
 * nanosecond is one instruction, independent of the load of the host, and the
 * figure repeats to 0.1 %.
 *
 * debugfs rather than a module parameter per benchmark: the directory lists the
 * benchmarks of this kernel, a read can fail with an errno of its own, and one
 * table serves all files.
 *
 * A figure includes the loop and the call. The cost of these alone is a
 * benchmark as well, empty_call, whose function has the same prototype and an
 * empty body. Nothing is subtracted here.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#ifdef CONFIG_MARKERS
#include <linux/marker.h>
#endif
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sort.h>
#include <linux/timekeeping.h>

#define CREATE_TRACE_POINTS
#ifdef CONFIG_STATIC_KEY_BENCHMARK_RUST
#define CREATE_RUST_TRACE_POINTS
#endif
#include "static_key_benchmark.h"

/* Calls per round. */
#define BENCH_CALLS	1000
/* Rounds before the first that counts: caches, TLBs, ring buffer pages. */
#define BENCH_WARMUP	16
/* Rounds that count. Odd, so that the median is one of them. */
#define BENCH_ROUNDS	31

/**
 * struct bench - one benchmark
 * @name: its file in debugfs
 * @hit: the function to call, with the site to measure in it. It must be
 *	noinline, so that every benchmark has one call per hit, and take these
 *	arguments even if it has no use for them, so that the calls are alike
 *	and a dynamic event can be put on it.
 * @sleeps: interrupts stay on, because @hit may sleep. The figure then includes
 *	timer interrupts.
 * @prepare: called before the first round, or NULL. May sleep. An error ends
 *	the benchmark, and the reader gets it.
 * @undo: called after the last round if @prepare succeeded, or NULL. May sleep.
 * @string: the string that @hit records, if not @name. Each byte costs
 *	instructions, so what is compared has to have the same.
 */
struct bench {
	const char *name;
	int (*hit)(int nr, u64 value, unsigned long flags, const char *name);
	bool sleeps;
	int (*prepare)(void);
	void (*undo)(void);
	const char *string;
};

/*
 * Concurrent readers would toggle the key under each other, and share
 * bench_rounds[] and the ring buffer. Held by every reader over prepare, rounds
 * and undo; it is the only lock here.
 */
static DEFINE_MUTEX(bench_lock);

static u64 bench_rounds[BENCH_ROUNDS];

static DEFINE_STATIC_KEY_FALSE(bench_key);

static noinline int bench_empty(int nr, u64 value, unsigned long flags,
				const char *name)
{
	return 0;
}

static noinline int bench_static_branch(int nr, u64 value, unsigned long flags,
					const char *name)
{
	/* Both paths must differ, or the compiler would drop the branch. */
	if (static_branch_unlikely(&bench_key))
		return 1;
	return 0;
}

/* A key with one site, which is the one in bench_static_branch(). */
static noinline int bench_toggle(int nr, u64 value, unsigned long flags,
				 const char *name)
{
	/* A round ends as it began: the number of calls is even. */
	if (nr % 2)
		static_branch_disable(&bench_key);
	else
		static_branch_enable(&bench_key);
	return 0;
}

static noinline int bench_tracepoint(int nr, u64 value, unsigned long flags,
				     const char *name)
{
	trace_static_key_benchmark_hit(nr, value, flags, name);
	return 0;
}

static noinline int bench_tracepoint_one_field(int nr, u64 value,
					       unsigned long flags,
					       const char *name)
{
	trace_static_key_benchmark_one_field(nr);
	return 0;
}

/* 66 bytes with the terminating one. */
#define BENCH_PATH \
	"/usr/lib/x86_64-linux-gnu/some-package/2.3/some-long-file-name.so"

static noinline int bench_tracepoint_two_strings(int nr, u64 value,
						 unsigned long flags,
						 const char *name)
{
	BUILD_BUG_ON(sizeof(BENCH_PATH) != 66);
	trace_static_key_benchmark_two_strings(nr, value, flags, name, 0644,
					       BENCH_PATH);
	return 0;
}

/* Without the NOP of the function tracer, as functions in Rust. */
static noinline notrace int bench_notrace(int nr, u64 value,
					  unsigned long flags, const char *name)
{
	trace_static_key_benchmark_hit(nr, value, flags, name);
	return 0;
}

/* A tracepoint without an event. */
static noinline int bench_bare_tracepoint(int nr, u64 value,
					  unsigned long flags, const char *name)
{
	trace_static_key_benchmark_bare_tp(nr, value, flags, name);
	return 0;
}

/* The function behind trace_printk(), which is used where there is no event. */
static noinline int bench_trace_printk(int nr, u64 value, unsigned long flags,
				       const char *name)
{
	do_trace_printk("nr=%d value=%llu flags=0x%lx name=%s\n", nr, value,
			flags, name);
	return 0;
}

#ifdef CONFIG_MARKERS
static noinline int bench_marker(int nr, u64 value, unsigned long flags,
				 const char *name)
{
	MARK(static_key_benchmark_mark, "nr=%d value=%llu flags=0x%lx name=%s",
	     nr, value, flags, name);
	return 0;
}
#endif

static int bench_enable_key(void)
{
	static_branch_enable(&bench_key);
	return 0;
}

static void bench_disable_key(void)
{
	static_branch_disable(&bench_key);
}

/*
 * The reader enables the event, for the tool of his choice. These functions
 * make sure that the state of the event is the one that the benchmark is named
 * after.
 */
static int bench_need_event_off(void)
{
	return trace_static_key_benchmark_hit_enabled() ? -EBUSY : 0;
}

static int bench_need_event_on(void)
{
	return trace_static_key_benchmark_hit_enabled() ? 0 : -ENODATA;
}

#ifdef CONFIG_STATIC_KEY_BENCHMARK_RUST
static int bench_need_rust_event_off(void)
{
	return bench_rust_defined_enabled() ? -EBUSY : 0;
}

static int bench_need_rust_event_on(void)
{
	return bench_rust_defined_enabled() ? 0 : -ENODATA;
}
#endif

static int bench_need_all_events_on(void)
{
	return trace_static_key_benchmark_one_field_enabled() &&
	       trace_static_key_benchmark_two_strings_enabled() ? 0 : -ENODATA;
}

static const struct bench bench_table[] = {
	{ "empty_call", bench_empty },
	{ "static_branch_disabled", bench_static_branch },
	{ "static_branch_enabled", bench_static_branch, false, bench_enable_key,
	  bench_disable_key },
	{ "single_key_toggle", bench_toggle, true },
	{ "tracepoint_disabled", bench_tracepoint, false,
	  bench_need_event_off },
	{ "tracepoint_enabled", bench_tracepoint, false, bench_need_event_on },
#ifdef CONFIG_MARKERS
	{ "marker", bench_marker },
#endif
	{ "tracepoint_one_field", bench_tracepoint_one_field, false,
	  bench_need_all_events_on },
	{ "tracepoint_two_strings", bench_tracepoint_two_strings, false,
	  bench_need_all_events_on },
	{ "notrace_disabled", bench_notrace, false, bench_need_event_off },
	{ "notrace_enabled", bench_notrace, false, bench_need_event_on },
#ifdef CONFIG_STATIC_KEY_BENCHMARK_RUST
	{ "rust_declared_disabled", bench_rust_declared, false,
	  bench_need_event_off },
	{ "rust_declared_enabled", bench_rust_declared, false,
	  bench_need_event_on, .string = "notrace_enabled" },
	{ "rust_defined_disabled", bench_rust_defined, false,
	  bench_need_rust_event_off },
	{ "rust_defined_enabled", bench_rust_defined, false,
	  bench_need_rust_event_on, .string = "notrace_enabled" },
#endif
	{ "bare_tracepoint", bench_bare_tracepoint },
	{ "trace_printk", bench_trace_printk },
};

/* Nanoseconds that BENCH_CALLS calls take. */
static noinline u64 bench_round(const struct bench *bench)
{
	const char *string = bench->string ? bench->string : bench->name;
	unsigned long flags = 0;
	u64 start, end;
	int i;

	if (!bench->sleeps)
		local_irq_save(flags);
	start = ktime_get_ns();
	for (i = 0; i < BENCH_CALLS; i++)
		bench->hit(i, start, flags, string);
	end = ktime_get_ns();
	if (!bench->sleeps)
		local_irq_restore(flags);

	return end - start;
}

static int bench_compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/*
 * The median round: unlike the mean it excludes rounds with interruptions, and
 * unlike the minimum it includes costs of a hit that do not occur in every
 * round, such as moving to the next page of the ring buffer.
 */
static u64 bench_median(const struct bench *bench)
{
	int i;

	for (i = 0; i < BENCH_WARMUP; i++) {
		bench_round(bench);
		cond_resched();
	}

	for (i = 0; i < BENCH_ROUNDS; i++) {
		bench_rounds[i] = bench_round(bench);
		cond_resched();
	}

	sort(bench_rounds, BENCH_ROUNDS, sizeof(bench_rounds[0]), bench_compare,
	     NULL);
	return bench_rounds[BENCH_ROUNDS / 2];
}

static int bench_show(struct seq_file *m, void *unused)
{
	const struct bench *bench = m->private;
	u32 decimals;
	u64 median;
	int ret;

	ret = mutex_lock_interruptible(&bench_lock);
	if (ret)
		return ret;

	if (bench->prepare) {
		ret = bench->prepare();
		if (ret)
			goto unlock;
	}

	/* 1,000 calls: nanoseconds per round are thousandths per call. */
	BUILD_BUG_ON(BENCH_CALLS != 1000);
	median = div_u64_rem(bench_median(bench), 1000, &decimals);
	seq_printf(m, "%llu.%03u\n", median, decimals);

	if (bench->undo)
		bench->undo();
unlock:
	mutex_unlock(&bench_lock);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(bench);

static struct dentry *bench_dir;

static int __init static_key_benchmark_init(void)
{
	struct dentry *file;
	int i;

	bench_dir = debugfs_create_dir("static_key_benchmark", NULL);
	if (IS_ERR(bench_dir))
		return PTR_ERR(bench_dir);

	/* Unlike other users of debugfs, this one is of no use without it. */
	for (i = 0; i < ARRAY_SIZE(bench_table); i++) {
		file = debugfs_create_file(bench_table[i].name, 0400, bench_dir,
					   (void *)&bench_table[i],
					   &bench_fops);
		if (IS_ERR(file)) {
			pr_err("no file for %s\n", bench_table[i].name);
			debugfs_remove(bench_dir);
			return PTR_ERR(file);
		}
	}
	return 0;
}

static void __exit static_key_benchmark_exit(void)
{
	/* debugfs_remove() waits for readers. */
	debugfs_remove(bench_dir);
}

module_init(static_key_benchmark_init);
module_exit(static_key_benchmark_exit);
MODULE_DESCRIPTION("Cost of static branches and tracepoints");
MODULE_LICENSE("GPL");

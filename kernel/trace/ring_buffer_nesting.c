// SPDX-License-Identifier: GPL-2.0
/*
 * Writes events in all contexts at once, for a test that reads them
 *
 * On each CPU, a task writes as fast as it can, interrupted by a timer in hard
 * interrupts, one in soft interrupts and, on x86, by NMIs that the tasks of the
 * other CPUs send. Each CPU counts the events of each context, from one on. So
 * whoever reads all events of a CPU knows which ones are missing, and debugfs
 * has how many there were.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
/* linux/nmi.h has it only in some configurations. */
#include "asm/nmi.h"
#endif

#define CREATE_TRACE_POINTS
#include "ring_buffer_nesting.h"

/* Of different lengths, so that records end everywhere on a page. */
#define NESTING_COPIES		13

/* Microseconds from one interrupt to the next, which emulated CPUs can serve. */
#define NESTING_SOFTIRQ_US	1100
#define NESTING_HARDIRQ_US	700

enum nesting_context {
	NESTING_TASK,
	NESTING_SOFTIRQ,
	NESTING_HARDIRQ,
	NESTING_NMI,
	NESTING_CONTEXTS,
};

/*
 * What one CPU writes. A context is interrupted by the ones that follow it, and
 * by none that has the same counter.
 */
struct nesting_cpu {
	u64			written[NESTING_CONTEXTS];
	struct hrtimer		softirq, hardirq;
	struct task_struct	*task;
	int			nmi_wanted;
};

static DEFINE_PER_CPU(struct nesting_cpu, nesting_cpus);
static struct dentry *nesting_dir;
static DEFINE_MUTEX(nesting_mutex);
/* Protected by nesting_mutex. */
static bool nesting_runs;

/* Runs on the CPU of @this, which does not change meanwhile. */
static void nesting_write(struct nesting_cpu *this, enum nesting_context context)
{
	u64 seq = ++this->written[context];

	trace_ring_buffer_nesting(context, seq, seq % NESTING_COPIES);
}

static enum hrtimer_restart nesting_softirq(struct hrtimer *timer)
{
	nesting_write(this_cpu_ptr(&nesting_cpus), NESTING_SOFTIRQ);
	hrtimer_forward_now(timer, us_to_ktime(NESTING_SOFTIRQ_US));
	return HRTIMER_RESTART;
}

static enum hrtimer_restart nesting_hardirq(struct hrtimer *timer)
{
	nesting_write(this_cpu_ptr(&nesting_cpus), NESTING_HARDIRQ);
	hrtimer_forward_now(timer, us_to_ktime(NESTING_HARDIRQ_US));
	return HRTIMER_RESTART;
}

#ifdef CONFIG_X86_LOCAL_APIC
/* Also called for NMIs of other sources. */
static int nesting_nmi(unsigned int cmd, struct pt_regs *regs)
{
	struct nesting_cpu *this = this_cpu_ptr(&nesting_cpus);

	if (!READ_ONCE(this->nmi_wanted))
		return NMI_DONE;
	nesting_write(this, NESTING_NMI);
	WRITE_ONCE(this->nmi_wanted, 0);
	return NMI_HANDLED;
}

/* One at a time for a CPU: of two that are pending, one is lost. */
static void nesting_send_nmi(int cpu)
{
	if (cmpxchg(&per_cpu(nesting_cpus, cpu).nmi_wanted, 0, 1) == 0)
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
}

static int nesting_add_nmi(void)
{
	return register_nmi_handler(NMI_LOCAL, nesting_nmi, 0, KBUILD_MODNAME);
}

static void nesting_remove_nmi(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

/* The handler must be there until the last NMI has come; a CPU that has gone gets none. */
static void nesting_wait_for_nmi(int cpu)
{
	int *wanted = &per_cpu(nesting_cpus, cpu).nmi_wanted;

	for (int i = 0; i < 50 && READ_ONCE(*wanted); i++)
		msleep(20);
	WRITE_ONCE(*wanted, 0);
}
#else
static void nesting_send_nmi(int cpu) { }
static int nesting_add_nmi(void) { return 0; }
static void nesting_remove_nmi(void) { }
static void nesting_wait_for_nmi(int cpu) { }
#endif

/* Timers are started and stopped on the CPU that they are to interrupt. */
static int nesting_task(void *unused)
{
	struct nesting_cpu *this = this_cpu_ptr(&nesting_cpus);
	int next = raw_smp_processor_id();

	hrtimer_setup(&this->softirq, nesting_softirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_setup(&this->hardirq, nesting_hardirq, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&this->softirq, us_to_ktime(NESTING_SOFTIRQ_US),
		      HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_start(&this->hardirq, us_to_ktime(NESTING_HARDIRQ_US),
		      HRTIMER_MODE_REL_PINNED_HARD);

	while (!kthread_should_stop()) {
		for (int i = 0; i < 100; i++)
			nesting_write(this, NESTING_TASK);

		next = cpumask_next_wrap(next, cpu_online_mask);
		if (next != raw_smp_processor_id())
			nesting_send_nmi(next);

		/* Readers are to keep up now and then. */
		usleep_range(1000, 2000);
	}

	hrtimer_cancel(&this->softirq);
	hrtimer_cancel(&this->hardirq);
	return 0;
}

static void nesting_stop(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct nesting_cpu *this = per_cpu_ptr(&nesting_cpus, cpu);

		if (this->task)
			kthread_stop(this->task);
		this->task = NULL;
	}

	for_each_possible_cpu(cpu)
		nesting_wait_for_nmi(cpu);

	nesting_runs = false;
}

/* Until nesting_stop(), no CPU may come or go; that is up to who starts it. */
static int nesting_start(void)
{
	int cpu;

	guard(cpus_read_lock)();
	nesting_runs = true;

	/* The first task may send an NMI to any CPU. */
	for_each_possible_cpu(cpu) {
		struct nesting_cpu *this = per_cpu_ptr(&nesting_cpus, cpu);

		memset(this->written, 0, sizeof(this->written));
	}

	for_each_online_cpu(cpu) {
		struct nesting_cpu *this = per_cpu_ptr(&nesting_cpus, cpu);
		struct task_struct *task;

		task = kthread_create_on_cpu(nesting_task, NULL, cpu, "nesting/%u");
		if (IS_ERR(task)) {
			nesting_stop();
			return PTR_ERR(task);
		}

		this->task = task;
		wake_up_process(task);
	}
	return 0;
}

static ssize_t nesting_run_write(struct file *file, const char __user *from, size_t count,
				 loff_t *pos)
{
	bool run;
	int ret = kstrtobool_from_user(from, count, &run);

	if (ret)
		return ret;
	guard(mutex)(&nesting_mutex);
	if (run && !nesting_runs)
		ret = nesting_start();
	else if (!run && nesting_runs)
		nesting_stop();
	return ret ?: count;
}

static const struct file_operations nesting_run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= nesting_run_write,
};

/* A line for each CPU: how many events its contexts have written. */
static int nesting_written_show(struct seq_file *s, void *unused)
{
	int cpu;

	for_each_online_cpu(cpu) {
		seq_printf(s, "%d", cpu);
		for (int i = 0; i < NESTING_CONTEXTS; i++)
			seq_printf(s, " %llu", per_cpu(nesting_cpus, cpu).written[i]);
		seq_putc(s, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nesting_written);

static void nesting_show_flags(struct seq_file *s, const char *instance)
{
	struct trace_event_file *file;

	file = trace_get_event_file(instance, KBUILD_MODNAME, KBUILD_MODNAME);
	if (IS_ERR(file))
		return;
	seq_printf(s, "%d\n", !!(file->flags & EVENT_FILE_FL_PID_FILTER));
	trace_put_event_file(file);
}

/*
 * Whether the event looks for lists of pids: in the instance "nesting" and, on another
 * line, without an instance. Nothing else tells.
 */
static int nesting_pid_filter_show(struct seq_file *s, void *unused)
{
	nesting_show_flags(s, "nesting");
	nesting_show_flags(s, NULL);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nesting_pid_filter);

static int __init nesting_init(void)
{
	int ret = nesting_add_nmi();

	if (ret)
		return ret;
	nesting_dir = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("run", 0200, nesting_dir, NULL, &nesting_run_fops);
	debugfs_create_file("written", 0400, nesting_dir, NULL, &nesting_written_fops);
	debugfs_create_file("pid_filter", 0400, nesting_dir, NULL, &nesting_pid_filter_fops);
	return 0;
}

static void __exit nesting_exit(void)
{
	debugfs_remove_recursive(nesting_dir);
	if (nesting_runs)
		nesting_stop();
	nesting_remove_nmi();
}

module_init(nesting_init);
module_exit(nesting_exit);

MODULE_DESCRIPTION("Events in all contexts at once");
MODULE_LICENSE("GPL");

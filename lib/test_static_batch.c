// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of batches: kernel/jump_label.c, static_call_inline.c and
 * tracepoint.c
 *
 * Keys, calls and tracepoints are changed in batches and one by one, by one task
 * and by several. The tests check which way the sites branch, and with
 * tracepoints, which probes are called with which data.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/rcupdate_trace.h>
#include <linux/sched.h>
#include <linux/srcu.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

/* More allocations than a batch makes; a few more do no harm. */
#define MAX_ALLOCATIONS	16

/* One site each, and more keys than x86 writes through one mapping. */
#define NR_MANY	640

static DEFINE_STATIC_KEY_ARRAY_FALSE(many_keys, NR_MANY);

#define MANY_1(i...)	(on[i] = static_branch_unlikely(&many_keys[i]))
#define MANY_4(i...)	\
	(MANY_1(i), MANY_1((i) + 1), MANY_1((i) + 2), MANY_1((i) + 3))
#define MANY_16(i...)	\
	(MANY_4(i), MANY_4((i) + 4), MANY_4((i) + 8), MANY_4((i) + 12))
#define MANY_64(i...)	\
	(MANY_16(i), MANY_16((i) + 16), MANY_16((i) + 32), MANY_16((i) + 48))

static noinline void many_sites_low(bool *on)
{
	MANY_64(0);
	MANY_64(64);
	MANY_64(128);
	MANY_64(192);
	MANY_64(256);
}

static noinline void many_sites_high(bool *on)
{
	MANY_64(320);
	MANY_64(384);
	MANY_64(448);
	MANY_64(512);
	MANY_64(576);
}

static void many_sites(bool *on)
{
	many_sites_low(on);
	many_sites_high(on);
}

static unsigned int many_on(void)
{
	unsigned int i, n = 0;
	bool on[NR_MANY];

	many_sites(on);
	for (i = 0; i < NR_MANY; i++)
		n += on[i];
	return n;
}

/* Many sites each, of both kinds. */
#define NR_FEW		4
#define FEW_SITES	128

static DEFINE_STATIC_KEY_ARRAY_FALSE(few_keys, NR_FEW);

#define REPEAT_4(x...)	((x) + (x) + (x) + (x))
#define REPEAT_64(x...)	REPEAT_4(REPEAT_4(REPEAT_4(x)))
#define FEW_2(key...)	\
	(static_branch_unlikely(&(key)) + static_branch_likely(&(key)))

static noinline unsigned int few_on_0(void)
{
	return REPEAT_64(FEW_2(few_keys[0]));
}

static noinline unsigned int few_on_1(void)
{
	return REPEAT_64(FEW_2(few_keys[1]));
}

static noinline unsigned int few_on_2(void)
{
	return REPEAT_64(FEW_2(few_keys[2]));
}

static noinline unsigned int few_on_3(void)
{
	return REPEAT_64(FEW_2(few_keys[3]));
}

static unsigned int (*const few_on[NR_FEW])(void) = {
	few_on_0, few_on_1, few_on_2, few_on_3,
};

/* A loop, so that the site jumps back: by a short jump on x86. FEW_SITES or 0. */
static noinline unsigned int few_back(void)
{
	unsigned int n = 0;

	do {
		/* The compiler must not have this behind the site as well. */
		OPTIMIZER_HIDE_VAR(n);
		if (++n > FEW_SITES)
			return FEW_SITES;
	} while (static_branch_unlikely(&few_keys[0]));
	return 0;
}

/* A site of one key of many. */
static noinline bool one_on(void)
{
	return static_branch_unlikely(&many_keys[0]);
}

/* More sites than x86 patches with breakpoints at a time. */
#define NR_LONG		9
#define LONG_SITES	(NR_LONG * 512)

static DEFINE_STATIC_KEY_ARRAY_FALSE(long_keys, NR_LONG);

#define LONG_ON(i)					\
static noinline unsigned int long_on_##i(void)		\
{							\
	return REPEAT_4(REPEAT_64(FEW_2(long_keys[i])));	\
}

LONG_ON(0)
LONG_ON(1)
LONG_ON(2)
LONG_ON(3)
LONG_ON(4)
LONG_ON(5)
LONG_ON(6)
LONG_ON(7)
LONG_ON(8)

static unsigned int long_on(void)
{
	return long_on_0() + long_on_1() + long_on_2() + long_on_3() +
	       long_on_4() + long_on_5() + long_on_6() + long_on_7() +
	       long_on_8();
}

/* In between, nobody else changes a key or a call; queue_apply() patches the sites. */
static void queue_begin(void)
{
	cpus_read_lock();
	static_call_lock();
	jump_label_lock();
}

static void queue_apply(void)
{
	jump_label_apply();
	arch_static_call_apply();
}

static void queue_end(void)
{
	queue_apply();
	jump_label_unlock();
	static_call_unlock();
	cpus_read_unlock();
}

static void set_few(int i, bool on)
{
	static_key_queue(&few_keys[i].key, on);
}

static void set_many(int i, bool on)
{
	static_key_queue(&many_keys[i].key, on);
}

static void expect_few(struct kunit *test, int i, bool on)
{
	KUNIT_EXPECT_EQ_MSG(test, few_on[i](), on ? FEW_SITES : 0, "key %d", i);
	KUNIT_EXPECT_EQ_MSG(test, static_key_count(&few_keys[i].key), on,
			    "key %d", i);
}

/*
 * The next @nth allocation of this task fails, with CONFIG_FAULT_INJECTION and
 * CONFIG_FAILSLAB; 0 for none. See Documentation/fault-injection.
 */
static bool fail_nth(unsigned int nth)
{
#ifdef CONFIG_FAILSLAB
	current->fail_nth = nth;
	return true;
#else
	return false;
#endif
}

/* Whether that allocation has failed. */
static bool failed_nth(void)
{
#ifdef CONFIG_FAILSLAB
	return !current->fail_nth;
#else
	return false;
#endif
}

/* Expected state of sites that another CPU executes. */
enum phase { PHASE_OFF, PHASE_ON, PHASE_EITHER };

struct other {
	struct work_struct	work;
	void			(*func)(void *arg);
	void			*arg;
};

static void other_work(struct work_struct *work)
{
	struct other *other = container_of(work, struct other, work);

	other->func(other->arg);
}

/* Call a function in a task other than this one, and wait. */
static void in_other_task(void (*func)(void *arg), void *arg)
{
	struct other other = { .func = func, .arg = arg };

	INIT_WORK_ONSTACK(&other.work, other_work);
	queue_work(system_unbound_wq, &other.work);
	flush_work(&other.work);
	destroy_work_on_stack(&other.work);
}

/* A thread that has been started by a test, and ends with it at the latest. */
static void stop_thread(void *thread)
{
	kthread_stop(thread);
}

static struct task_struct *run_thread(struct kunit *test, int (*func)(void *),
				      void *arg)
{
	struct task_struct *thread =
		kthread_run(func, arg, "static_batch_test");

	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	KUNIT_ASSERT_EQ(test,
			kunit_add_action_or_reset(test, stop_thread, thread),
			0);
	return thread;
}

static void end_thread(struct kunit *test, struct task_struct *thread)
{
	kunit_release_action(test, stop_thread, thread);
}

/* Elsewhere, sites are written as they are queued, and the CPUs synchronised at the end. */
static const bool sites_wait = IS_ENABLED(CONFIG_X86) && IS_ENABLED(CONFIG_JUMP_LABEL);

static void static_batch_many_keys(struct kunit *test)
{
	int i, on;

	queue_begin();
	for (i = 0; i < NR_MANY; i++) {
		set_many(i, true);
		KUNIT_EXPECT_EQ(test, static_key_count(&many_keys[i].key), 1);
	}
	KUNIT_EXPECT_EQ(test, many_on(), sites_wait ? 0 : NR_MANY);
	queue_apply();
	KUNIT_EXPECT_EQ(test, many_on(), NR_MANY);

	/*
	 * Every second key, from the end, so that the order of the queue is not
	 * that of the addresses.
	 */
	for (i = NR_MANY - 1; i >= 0; i -= 2)
		set_many(i, false);
	queue_apply();
	KUNIT_EXPECT_EQ(test, many_on(), NR_MANY / 2);
	for (i = 0, on = 0; i < NR_MANY; i++)
		on += static_key_enabled(&many_keys[i].key);
	KUNIT_EXPECT_EQ(test, on, NR_MANY / 2);

	/* Half of them are disabled already. */
	for (i = 0; i < NR_MANY; i++)
		set_many(i, false);
	queue_apply();
	KUNIT_EXPECT_EQ(test, many_on(), 0);

	/* Nothing to do. */

	queue_end();
}

/* As many as x86 writes through one mapping, and one more or less. */
static void static_batch_limits(struct kunit *test)
{
	static const int nrs[] = { 1, 2, 4, 5, 63, 64, 65, 127, 128, 129, 255,
				   256, 257, 511, 512, 513 };
	int n, i;

	queue_begin();
	for (n = 0; n < ARRAY_SIZE(nrs); n++) {
		for (i = 0; i < nrs[n]; i++)
			set_many(i, true);
		queue_apply();
		KUNIT_EXPECT_EQ(test, many_on(), nrs[n]);

		for (i = 0; i < nrs[n]; i++)
			set_many(i, false);
		queue_apply();
		KUNIT_EXPECT_EQ(test, many_on(), 0);
	}
	queue_end();
}

static void static_batch_many_sites(struct kunit *test)
{
	int i;

	queue_begin();
	for (i = 0; i < NR_FEW; i++) {
		set_few(i, true);
		KUNIT_EXPECT_EQ(test, few_on[i](), sites_wait ? 0 : FEW_SITES);
	}
	queue_apply();
	for (i = 0; i < NR_FEW; i++)
		expect_few(test, i, true);

	set_few(0, false);
	set_few(2, false);
	queue_apply();
	for (i = 0; i < NR_FEW; i++)
		expect_few(test, i, i & 1);

	/* Some on, some off. */
	for (i = 0; i < NR_FEW; i++)
		set_few(i, !(i & 1));
	queue_end();
	for (i = 0; i < NR_FEW; i++) {
		expect_few(test, i, !(i & 1));
		static_branch_disable(&few_keys[i]);
		expect_few(test, i, false);
	}
}

/* How many are on where all are queued, to be @on. */
static void expect_part(struct kunit *test, int on)
{
	if (sites_wait) {
		KUNIT_EXPECT_GT(test, long_on(), 0);
		KUNIT_EXPECT_LT(test, long_on(), LONG_SITES);
	} else {
		KUNIT_EXPECT_EQ(test, long_on(), on);
	}
}

/*
 * More sites than x86 patches at once, TEXT_POKE_ARRAY_MAX: the first ones are
 * patched when the array is full. Wherever the compiler places them, some cross a
 * page boundary.
 */
static void static_batch_long_queue(struct kunit *test)
{
	int i;

	queue_begin();
	for (i = 0; i < NR_LONG; i++)
		static_key_queue(&long_keys[i].key, true);
	expect_part(test, LONG_SITES);
	queue_apply();
	KUNIT_EXPECT_EQ(test, long_on(), LONG_SITES);

	for (i = 0; i < NR_LONG; i++)
		static_key_queue(&long_keys[i].key, false);
	expect_part(test, 0);
	queue_end();
	KUNIT_EXPECT_EQ(test, long_on(), 0);
}

struct hammer {
	enum phase	phase;
	/* Two threads count; checks are those of sites whose state was determined. */
	atomic_t	wrong;
	atomic_t	checks;
};

/* The expected state, read before the sites. */
static enum phase get_phase(struct hammer *hammer)
{
	/* Pairs with set_phase(). */
	return smp_load_acquire(&hammer->phase);
}

static void hammer_check(struct hammer *hammer, enum phase before,
			 unsigned int on, unsigned int all)
{
	/* The expected state did not change during the check. */
	smp_rmb();
	if (before == PHASE_EITHER || READ_ONCE(hammer->phase) != before)
		return;
	if (on != (before == PHASE_ON ? all : 0))
		atomic_inc(&hammer->wrong);
	atomic_inc(&hammer->checks);
}

static int hammer_sites(void *arg)
{
	struct hammer *hammer = arg;
	enum phase before;
	unsigned int on;
	int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < NR_FEW; i++) {
			before = get_phase(hammer);
			on = few_on[i]();
			hammer_check(hammer, before, on, FEW_SITES);
		}

		before = get_phase(hammer);
		on = few_back();
		hammer_check(hammer, before, on, FEW_SITES);

		before = get_phase(hammer);
		on = many_on();
		hammer_check(hammer, before, on, NR_MANY);
		cond_resched();
	}
	return 0;
}

/* Counts how often one site changes, on one CPU, which sees the changes in their order. */
static int hammer_one(void *arg)
{
	unsigned int *changes = arg;
	/* As it was before this thread was started, however late it runs. */
	bool last = false;

	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 100; i++)
			if (one_on() != last) {
				last = !last;
				WRITE_ONCE(*changes, *changes + 1);
			}
		cond_resched();
	}
	return 0;
}

static void set_phase(struct hammer *hammer, enum phase phase)
{
	/*
	 * After the change that led to this phase, and before the one that ends
	 * it.
	 */
	smp_mb();
	WRITE_ONCE(hammer->phase, phase);
	/* Pairs with hammer_check(). */
	smp_mb();
}

/* Wait for checks in the current phase. */
static void expect_checks(struct kunit *test, struct hammer *hammer)
{
	int before = atomic_read(&hammer->checks);
	unsigned long end = jiffies + 10 * HZ;

	/*
	 * More than one check per thread, as one may have begun in the last
	 * phase.
	 */
	while (atomic_read(&hammer->checks) - before < 4 * NR_FEW &&
	       time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_GE(test, atomic_read(&hammer->checks) - before, 4 * NR_FEW);
}

/* Sites branch one way or the other while they are patched, and change once. */
static void static_batch_hot_sites(struct kunit *test)
{
	struct hammer hammer = { .phase = PHASE_OFF };
	struct task_struct *threads[2], *one;
	unsigned int changes = 0;
	unsigned long end;
	int i, round;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = run_thread(test, hammer_sites, &hammer);
	one = run_thread(test, hammer_one, &changes);

	for (round = 0; round < 10; round++) {
		bool on = !(round & 1);

		set_phase(&hammer, PHASE_EITHER);
		queue_begin();
		for (i = 0; i < NR_MANY; i++)
			set_many(i, on);
		for (i = 0; i < NR_FEW; i++)
			set_few(i, on);
		queue_end();
		set_phase(&hammer, on ? PHASE_ON : PHASE_OFF);
		expect_checks(test, &hammer);
		end = jiffies + 10 * HZ;
		while (READ_ONCE(changes) <= round && time_before(jiffies, end))
			msleep(20);
	}
	end_thread(test, one);
	KUNIT_EXPECT_EQ(test, changes, round);

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		end_thread(test, threads[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&hammer.wrong), 0);
}

/* What was queued last counts, as if the changes were made one by one. */
static void static_batch_twice(struct kunit *test)
{
	static const char *const changes[] = {
		"ee", "ed", "ede", "eded", "dd", "de", "ded", "dede", "eeddee",
	};
	const char *c;
	int i, from;

	for (i = 0; i < ARRAY_SIZE(changes); i++)
		for (from = 0; from < 2; from++) {
			if (from)
				static_branch_enable(&few_keys[0]);
			queue_begin();
			for (c = changes[i]; *c; c++) {
				set_few(0, *c == 'e');
				/* Another in between, which is off and on in turn. */
				set_few(1, (c - changes[i]) & 1);
			}
			queue_end();

			expect_few(test, 0, c[-1] == 'e');
			expect_few(test, 1, (c - 1 - changes[i]) & 1);
			static_branch_disable(&few_keys[0]);
			static_branch_disable(&few_keys[1]);
			expect_few(test, 0, false);
		}
}

/*
 * Tasks that apply batches, while others count keys and toggle, one by one, one
 * that is in the batches as well: a change never takes another one with it.
 */
struct racer {
	/* Of keys that are used without a count. */
	struct mutex	*lock;
	bool		batch;
	unsigned int	rounds;
	unsigned int	wrong;
};

static void race_batch(struct racer *racer)
{
	guard(mutex)(racer->lock);
	queue_begin();
	set_few(2, true);
	set_few(3, true);
	queue_end();
	racer->wrong += few_on_2() != FEW_SITES || few_on_3() != FEW_SITES;
	queue_begin();
	set_few(3, false);
	set_few(2, false);
	queue_end();
	racer->wrong += few_on_2() || few_on_3();
}

static void race_counted(struct racer *racer)
{
	static_branch_inc(&few_keys[0]);
	static_branch_inc(&few_keys[1]);
	racer->wrong += few_on_0() != FEW_SITES || few_on_1() != FEW_SITES;
	static_branch_dec(&few_keys[0]);
	static_branch_dec(&few_keys[1]);

	guard(mutex)(racer->lock);
	static_branch_enable(&few_keys[2]);
	racer->wrong += few_on_2() != FEW_SITES;
	static_branch_disable(&few_keys[2]);
	racer->wrong += few_on_2() || static_key_enabled(&few_keys[2].key);
}

static int race(void *arg)
{
	struct racer *racer = arg;

	while (!kthread_should_stop()) {
		if (racer->batch)
			race_batch(racer);
		else
			race_counted(racer);
		WRITE_ONCE(racer->rounds, racer->rounds + 1);
		cond_resched();
	}
	return 0;
}

static void static_batch_race(struct kunit *test)
{
	/* for few_keys[2] and [3] */
	struct mutex lock;
	struct racer racers[4] = { { .batch = true }, { .batch = true } };
	struct task_struct *threads[ARRAY_SIZE(racers)];
	int i;

	mutex_init(&lock);
	for (i = 0; i < ARRAY_SIZE(racers); i++) {
		racers[i].lock = &lock;
		threads[i] = run_thread(test, race, &racers[i]);
	}

	msleep(2000);
	for (i = 0; i < ARRAY_SIZE(racers); i++)
		end_thread(test, threads[i]);

	for (i = 0; i < ARRAY_SIZE(racers); i++) {
		KUNIT_EXPECT_EQ(test, racers[i].wrong, 0);
		KUNIT_EXPECT_GT(test, racers[i].rounds, 0);
	}

	for (i = 0; i < NR_FEW; i++)
		expect_few(test, i, false);
}

#ifdef CONFIG_HOTPLUG_CPU
static void cpu_down_other(void *ret)
{
	*(int *)ret = remove_cpu(1);
}

static long few_on_0_here(void *arg)
{
	return few_on_0();
}

/* A CPU that was offline when a batch was applied. */
static void static_batch_cpu_offline(struct kunit *test)
{
	int ret;

	if (num_online_cpus() < 2 || !cpu_online(1) || !cpu_is_hotpluggable(1))
		kunit_skip(test, "no second CPU that can be taken offline");

	in_other_task(cpu_down_other, &ret);
	queue_begin();
	set_few(0, true);
	set_few(1, true);
	queue_end();
	expect_few(test, 0, true);
	expect_few(test, 1, true);

	if (!ret) {
		KUNIT_ASSERT_EQ(test, add_cpu(1), 0);
		KUNIT_EXPECT_EQ(test, work_on_cpu(1, few_on_0_here, NULL), FEW_SITES);
	}

	queue_begin();
	set_few(0, false);
	set_few(1, false);
	queue_end();
	KUNIT_EXPECT_EQ(test, work_on_cpu(1, few_on_0_here, NULL), 0);
	if (ret)
		kunit_skip(test, "the second CPU cannot be taken offline: %d", ret);
}
#else
static void static_batch_cpu_offline(struct kunit *test)
{
	kunit_skip(test, "no CPU hotplug");
}
#endif

static int func_0(int i)
{
	return i;
}

static int func_1(int i)
{
	return i + 1;
}

static int func_2(int i)
{
	return i + 2;
}

DEFINE_STATIC_CALL(static_batch_test_call, func_0);
DEFINE_STATIC_CALL(static_batch_test_call_2, func_0);

static noinline int call(int i)
{
	return static_call(static_batch_test_call)(i);
}

static noinline int call_2(int i)
{
	return static_call(static_batch_test_call_2)(i) +
	       static_call(static_batch_test_call)(0);
}

static void set_call(int (*func)(int))
{
	static_call_queue(&STATIC_CALL_KEY(static_batch_test_call),
			  STATIC_CALL_TRAMP_ADDR(static_batch_test_call), func);
}

static void set_call_2(int (*func)(int))
{
	static_call_queue(&STATIC_CALL_KEY(static_batch_test_call_2),
			  STATIC_CALL_TRAMP_ADDR(static_batch_test_call_2), func);
}

/* Only x86 queues calls; elsewhere they are changed at once. */
#define expect_call(test, expr, old, new)				\
	KUNIT_EXPECT_EQ(test, expr,					\
			IS_ENABLED(CONFIG_X86) ? old : new)

static void static_batch_calls(struct kunit *test)
{
	queue_begin();
	set_call(func_1);
	expect_call(test, call(10), 10, 11);
	set_call_2(func_1);
	set_few(0, true);
	queue_apply();
	KUNIT_EXPECT_PTR_EQ(test, static_call_query(static_batch_test_call), &func_1);
	KUNIT_EXPECT_EQ(test, call(10), 11);
	KUNIT_EXPECT_EQ(test, call_2(10), 12);
	expect_few(test, 0, true);

	/* Twice, and back to what it was. */
	set_call(func_0);
	set_call(func_2);
	set_call_2(func_2);
	set_call_2(func_1);
	set_few(0, false);
	queue_end();
	KUNIT_EXPECT_EQ(test, call(10), 12);
	KUNIT_EXPECT_EQ(test, call_2(10), 13);

	static_call_update(static_batch_test_call, func_0);
	static_call_update(static_batch_test_call_2, func_0);
	KUNIT_EXPECT_EQ(test, call_2(10), 10);
}

DECLARE_TRACE_EVENT(static_batch_test_0, TP_PROTO(int value), TP_ARGS(value));
DECLARE_TRACE_EVENT(static_batch_test_1, TP_PROTO(int value), TP_ARGS(value));
DECLARE_TRACE_EVENT(static_batch_test_2, TP_PROTO(int value), TP_ARGS(value));
DECLARE_TRACE_EVENT(static_batch_test_reg, TP_PROTO(int value), TP_ARGS(value));

DEFINE_TRACE(static_batch_test_0, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(static_batch_test_1, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE(static_batch_test_2, TP_PROTO(int value), TP_ARGS(value));

static int regs, unregs, reg_error;

static int reg_func(void)
{
	if (reg_error)
		return reg_error;
	regs++;
	return 0;
}

static void unreg_func(void)
{
	unregs++;
}

DEFINE_TRACE_FN(static_batch_test_reg, reg_func, unreg_func,
		TP_PROTO(int value), TP_ARGS(value));

#define NR_TPS	4

static struct tracepoint *const tps[NR_TPS] = {
	&__tracepoint_static_batch_test_0, &__tracepoint_static_batch_test_1,
	&__tracepoint_static_batch_test_2, &__tracepoint_static_batch_test_reg,
};

static noinline void fire(int value)
{
	trace_static_batch_test_0(value);
	trace_static_batch_test_1(value);
	trace_static_batch_test_2(value);
	trace_static_batch_test_reg(value);
}

/* A probe of a tracepoint, passed to its function as data. */
struct probe {
	void		*func;
	atomic_t	calls;
	atomic_t	wrong;
	atomic_t	late;
	bool		registered;
	/*
	 * tracepoint_synchronize_unregister() has returned since the probe was
	 * unregistered.
	 */
	bool		gone;
};

static void called(struct probe *probe, void *func)
{
	atomic_inc(&probe->calls);
	if (probe->func != func)
		atomic_inc(&probe->wrong);
	if (READ_ONCE(probe->gone))
		atomic_inc(&probe->late);
}

static noinline void probe_a(void *data, int value)
{
	called(data, probe_a);
}

static noinline void probe_b(void *data, int value)
{
	called(data, probe_b);
	/* Otherwise the compiler merges both functions. */
	barrier();
}

/* Two that have a function in common, and one that has its own. */
#define NR_PROBES	3

static struct probe probes[NR_TPS][NR_PROBES];

static void probes_init(void)
{
	int tp, i;

	memset(probes, 0, sizeof(probes));
	for (tp = 0; tp < NR_TPS; tp++)
		for (i = 0; i < NR_PROBES; i++) {
			probes[tp][i].func = i < 2 ? (void *)probe_a : (void *)probe_b;
			probes[tp][i].gone = true;
		}
}

static int probe_add(int tp, int i)
{
	struct probe *probe = &probes[tp][i];
	/* The first one is called last at even tracepoints, first at odd ones. */
	int prio = tp & 1 ? TRACEPOINT_DEFAULT_PRIO - i : TRACEPOINT_DEFAULT_PRIO + i;
	int ret;

	WRITE_ONCE(probe->gone, false);
	ret = tracepoint_probe_register_prio(tps[tp], probe->func, probe, prio);
	if (!ret)
		probe->registered = true;
	return ret;
}

static int probe_remove(int tp, int i)
{
	struct probe *probe = &probes[tp][i];

	probe->registered = false;
	return tracepoint_probe_unregister(tps[tp], probe->func, probe);
}

static void probes_synchronize(void)
{
	int tp, i;

	tracepoint_synchronize_unregister();
	for (tp = 0; tp < NR_TPS; tp++)
		for (i = 0; i < NR_PROBES; i++)
			WRITE_ONCE(probes[tp][i].gone,
				   !probes[tp][i].registered);
}

/*
 * One hit calls each registered probe once, with the right data, and no other.
 */
static void expect_probes(struct kunit *test, bool alone, const char *what,
			  int arg)
{
	int calls[NR_TPS][NR_PROBES];
	int tp, i;

	for (tp = 0; tp < NR_TPS; tp++)
		for (i = 0; i < NR_PROBES; i++)
			calls[tp][i] = atomic_read(&probes[tp][i].calls);

	fire(0);
	for (tp = 0; tp < NR_TPS; tp++)
		for (i = 0; i < NR_PROBES; i++) {
			struct probe *probe = &probes[tp][i];
			int more = atomic_read(&probe->calls) - calls[tp][i];

			if (alone)
				KUNIT_EXPECT_EQ_MSG(test, more,
						    probe->registered,
						    "tracepoint %d probe %d, %s %d",
						    tp, i, what, arg);
			else if (probe->registered)
				KUNIT_EXPECT_GT_MSG(test, more, 0,
						    "tracepoint %d probe %d, %s %d",
						    tp, i, what, arg);
			KUNIT_EXPECT_EQ_MSG(test, atomic_read(&probe->wrong), 0,
					    "tracepoint %d probe %d, %s %d", tp,
					    i, what, arg);
			KUNIT_EXPECT_EQ_MSG(test, atomic_read(&probe->late), 0,
					    "tracepoint %d probe %d, %s %d", tp,
					    i, what, arg);
		}

	for (tp = 0; tp < NR_TPS; tp++) {
		bool on = false;

		for (i = 0; i < NR_PROBES; i++)
			on |= probes[tp][i].registered;
		KUNIT_EXPECT_EQ(test, static_key_enabled(&tps[tp]->key), on);
	}
}

/* Register the probes in @set, and unregister all others; hit them after each if @hit. */
static int __change_probes(int tp, unsigned int set, bool hit)
{
	int i, ret = 0;

	for (i = 0; i < NR_PROBES; i++)
		if (probes[tp][i].registered && !(set & BIT(i))) {
			ret = ret ?: probe_remove(tp, i);
			if (hit)
				fire(1);
		}

	for (i = 0; i < NR_PROBES; i++)
		if (!probes[tp][i].registered && (set & BIT(i))) {
			ret = ret ?: probe_add(tp, i);
			if (hit)
				fire(2);
		}
	return ret;
}

static int change_probes(int tp, unsigned int set)
{
	return __change_probes(tp, set, false);
}

static void remove_all_probes(struct kunit *test)
{
	int tp;

	for (tp = 0; tp < NR_TPS; tp++)
		KUNIT_EXPECT_EQ(test, change_probes(tp, 0), 0);
	probes_synchronize();
	expect_probes(test, true, "at the end", 0);
	KUNIT_EXPECT_EQ(test, regs, unregs);
}

/*
 * Changes between all pairs of sets of probes, with and without another CPU
 * that hits the tracepoints.
 */
static void transitions(struct kunit *test, bool alone)
{
	unsigned int from, to;
	int tp, n;

	for (from = 0; from < BIT(NR_PROBES); from++)
		for (to = 0; to < BIT(NR_PROBES); to++) {
			n = from * BIT(NR_PROBES) + to;
			/* The tracepoints in between change independently. */
			for (tp = 0; tp < NR_TPS; tp++)
				KUNIT_EXPECT_EQ(test, change_probes(tp, tp & 1 ? to : from), 0);
			expect_probes(test, alone, "before", n);

			tracepoint_batch_begin();
			for (tp = 0; tp < NR_TPS; tp++) {
				/* What is not patched yet must not call a probe with other data. */
				KUNIT_EXPECT_EQ(test,
						__change_probes(tp, tp & 1 ? from : to, true), 0);
				/* Changed and changed back. */
				if (tp == 1)
					KUNIT_EXPECT_EQ(test, __change_probes(tp, to, true), 0);
			}
			tracepoint_batch_end();
			expect_probes(test, alone, "after", n);
			if (n % 8 == 7)
				probes_synchronize();
		}
}

static void tracepoint_batch_transitions(struct kunit *test)
{
	probes_init();
	transitions(test, true);
	remove_all_probes(test);
}

static int fire_away(void *arg)
{
	unsigned int *rounds = arg;

	while (!kthread_should_stop()) {
		int i;

		for (i = 0; i < 100; i++)
			fire(i);
		WRITE_ONCE(*rounds, *rounds + 1);
		cond_resched();
	}
	return 0;
}

static void tracepoint_batch_hot(struct kunit *test)
{
	struct task_struct *thread;
	struct rnd_state rnd;
	unsigned int rounds = 0;
	int i, tp;

	probes_init();
	thread = run_thread(test, fire_away, &rounds);
	transitions(test, false);

	/* Random changes, also outside of batches. */
	prandom_seed_state(&rnd, 20261121);
	for (i = 0; i < 50; i++) {
		u32 random = prandom_u32_state(&rnd);

		if (random & 1)
			tracepoint_batch_begin();
		for (tp = 0; tp < NR_TPS; tp++) {
			KUNIT_EXPECT_EQ(test, change_probes(tp, random >> (8 + 4 * tp) & 7), 0);
			if (!tp && (random & 3) == 3) {
				tracepoint_batch_end();
				tracepoint_batch_begin();
			}
		}
		if (random & 4)
			probes_synchronize();
		if (random & 1)
			tracepoint_batch_end();
		expect_probes(test, false, "random", i);
	}
	remove_all_probes(test);
	end_thread(test, thread);
	KUNIT_EXPECT_GT(test, rounds, 0);
}

static void tracepoint_batch_errors(struct kunit *test)
{
	struct probe *probe = &probes[3][0];

	probes_init();
	regs = 0;
	unregs = 0;

	/* A duplicate, of a probe that is pending and of one that is not. */
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, probe_add(3, 0), 0);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tps[3]->key));
	KUNIT_EXPECT_EQ(test, regs, 1);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_may_exist(tps[3], probe->func, probe),
			-EEXIST);
	tracepoint_batch_end();
	expect_probes(test, true, "commit", 0);
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_may_exist(tps[3], probe->func, probe),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, probe_add(3, 1), 0);
	KUNIT_EXPECT_EQ(test, regs, 1);
	tracepoint_batch_end();
	expect_probes(test, true, "duplicate", 0);
	KUNIT_EXPECT_EQ(test, unregs, 0);

	/* Unregistered and registered again, with no probe in between. */
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	KUNIT_EXPECT_EQ(test, unregs, 1);
	KUNIT_EXPECT_EQ(test, change_probes(3, BIT(2)), 0);
	KUNIT_EXPECT_EQ(test, regs, 2);
	tracepoint_batch_end();
	expect_probes(test, true, "other probe", 0);

	/* Registered and unregistered again: no probe may be called. */
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	tracepoint_batch_end();
	probes_synchronize();
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, change_probes(3, BIT(0)), 0);
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	tracepoint_batch_end();
	KUNIT_EXPECT_EQ(test, regs, 3);
	KUNIT_EXPECT_EQ(test, unregs, 3);
	expect_probes(test, true, "nothing", 0);

	/* regfunc() of the tracepoint fails. */
	reg_error = -EBUSY;
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, probe_add(3, 0), -EBUSY);
	reg_error = 0;
	KUNIT_EXPECT_EQ(test, probe_add(3, 1), 0);
	tracepoint_batch_end();
	expect_probes(test, true, "-EBUSY", 0);
	KUNIT_EXPECT_EQ(test, regs, 4);
	remove_all_probes(test);
	KUNIT_EXPECT_EQ(test, unregs, 4);
}

/* Not part of the batch that another task has; it patches that one's sites as well. */
static void other_probes(void *arg)
{
	int *set = arg;

	change_probes(0, *set);
	*set = atomic_read(&probes[0][0].calls);
	fire(0);
	*set = atomic_read(&probes[0][0].calls) - *set;
}

static void other_synchronize(void *arg)
{
	probes_synchronize();
}

/* Other tasks change a tracepoint of the batch, and wait for its probes. */
static void tracepoint_batch_other_task(struct kunit *test)
{
	int set, tp;

	probes_init();
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(1)), 0);
	KUNIT_EXPECT_EQ(test, change_probes(1, BIT(1)), 0);
	set = BIT(0) | BIT(1);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tps[1]->key));
	in_other_task(other_probes, &set);
	KUNIT_EXPECT_EQ(test, set, 1);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&tps[1]->key));
	KUNIT_EXPECT_EQ(test, atomic_read(&probes[0][1].calls), 1);
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(0) | BIT(2)), 0);
	set = 0;
	in_other_task(other_probes, &set);
	KUNIT_EXPECT_EQ(test, set, 0);
	tracepoint_batch_end();
	expect_probes(test, true, "removed by other", 0);

	for (tp = 0; tp < NR_TPS; tp++)
		KUNIT_EXPECT_EQ(test, change_probes(tp, BIT(0) | BIT(2)), 0);
	tracepoint_batch_begin();
	for (tp = 0; tp < NR_TPS; tp++)
		KUNIT_EXPECT_EQ(test, change_probes(tp, tp & 1 ? BIT(2) : 0), 0);
	in_other_task(other_synchronize, NULL);
	/* probe::late counts. */
	fire(0);
	tracepoint_batch_end();
	expect_probes(test, true, "other waits", 0);
	remove_all_probes(test);
}

static void other_end(void *arg)
{
	tracepoint_batch_end();
}

static int other_batch(void *arg)
{
	bool *begun = arg;

	tracepoint_batch_begin();
	WRITE_ONCE(*begun, true);
	change_probes(1, BIT(0));
	tracepoint_batch_end();
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* Only who has begun a batch ends it, once; then the next one begins. */
static void tracepoint_batch_order(struct kunit *test)
{
	struct task_struct *thread;
	bool begun = false;

	/* lockdep complains, which makes any test fail. */
	if (IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "CONFIG_LOCKDEP");

	probes_init();
	tracepoint_batch_end();
	tracepoint_batch_begin();
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(0)), 0);
	in_other_task(other_end, NULL);
	thread = run_thread(test, other_batch, &begun);
	msleep(100);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(begun));
	KUNIT_EXPECT_EQ(test, change_probes(2, BIT(0)), 0);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tps[0]->key));
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&tps[2]->key));
	tracepoint_batch_end();
	tracepoint_batch_end();
	end_thread(test, thread);
	KUNIT_EXPECT_TRUE(test, begun);
	KUNIT_EXPECT_TRUE(test, probes[1][0].registered);
	expect_probes(test, true, "out of order", 0);
	remove_all_probes(test);
}

/* Registering a probe may return -ENOMEM; unregistering one does not fail. */
static void tracepoint_batch_no_memory(struct kunit *test)
{
	struct task_struct *thread;
	unsigned int from, to, rounds = 0;
	int nth, tp, i, ret, failures = 0;

	if (!fail_nth(0))
		kunit_skip(test, "no CONFIG_FAILSLAB");

	probes_init();
	thread = run_thread(test, fire_away, &rounds);
	for (nth = 1; nth <= MAX_ALLOCATIONS; nth++)
		for (from = 0; from < BIT(NR_PROBES); from++) {
			to = (from * 5 + nth) % BIT(NR_PROBES);
			for (tp = 0; tp < NR_TPS; tp++)
				KUNIT_EXPECT_EQ(test, change_probes(tp, from), 0);

			tracepoint_batch_begin();
			fail_nth(nth);
			for (tp = 0; tp < NR_TPS; tp++) {
				for (i = 0; i < NR_PROBES; i++)
					if (!probes[tp][i].registered && to & BIT(i)) {
						ret = probe_add(tp, i);
						KUNIT_EXPECT_TRUE(test,
								  !ret || ret == -ENOMEM);
					}
				for (i = 0; i < NR_PROBES; i++)
					if (probes[tp][i].registered && !(to & BIT(i))) {
						KUNIT_EXPECT_EQ(test, probe_remove(tp, i), 0);
						fire(nth);
					}
			}
			failures += failed_nth();
			tracepoint_batch_end();
			fail_nth(0);
			expect_probes(test, false, "no memory", nth);
			if (from == 3)
				probes_synchronize();
		}
	end_thread(test, thread);
	expect_probes(test, true, "no memory", -1);
	remove_all_probes(test);
	if (!failures)
		kunit_skip(test, "failslab/ignore-gfp-wait is Y");
}

/* Changed often in one batch: each is pending once, and one callback frees all arrays. */
static void tracepoint_batch_long(struct kunit *test)
{
	int i, tp;

	probes_init();
	tracepoint_batch_begin();
	for (i = 0; i < 300; i++)
		for (tp = 0; tp < NR_TPS; tp++)
			KUNIT_EXPECT_EQ(test, change_probes(tp, i % BIT(NR_PROBES)), 0);
	tracepoint_batch_end();
	expect_probes(test, true, "long", 0);
	remove_all_probes(test);
}

static void *call_target(struct tracepoint *tp)
{
	return tp->static_call_key->func;
}

DECLARE_TRACE_EVENT_SYSCALL(static_batch_test_fault, TP_PROTO(int value), TP_ARGS(value));
DEFINE_TRACE_SYSCALL(static_batch_test_fault, NULL, NULL, TP_PROTO(int value), TP_ARGS(value));

/* A task in the section in which the sites of a tracepoint read the data of a probe. */
struct reader {
	bool			faultable;
	struct completion	entered;
	struct completion	leave;
	/* That somebody else has registered a probe. */
	struct tracepoint	*tp;
	struct probe		*probe;
	struct completion	registered;
};

static int reader_enters(void *arg)
{
	struct reader *reader = arg;
	struct srcu_struct *srcu = reader->faultable ? &rcu_tasks_trace_srcu_struct :
						       &tracepoint_srcu;
	struct srcu_ctr __percpu *scp;

	scp = srcu_read_lock_fast(srcu);
	complete(&reader->entered);
	wait_for_completion(&reader->leave);
	srcu_read_unlock_fast(srcu, scp);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static int reader_waited_for(void *arg)
{
	struct reader *reader = arg;

	if (!tracepoint_probe_register(reader->tp, reader->probe->func, reader->probe))
		complete(&reader->registered);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/*
 * A site that was left between reading the data of a probe and the call: as long as it
 * is there, the static call does not go to another probe, of a tracepoint of that kind.
 */
static void expect_reader(struct kunit *test, struct tracepoint *tp, bool faultable)
{
	struct reader reader = { .faultable = faultable, .tp = tp };
	bool waits = tracepoint_is_faultable(tp) == faultable;
	struct probe old = { .func = probe_a }, new = { .func = probe_b };
	struct task_struct *threads[2];

	init_completion(&reader.entered);
	init_completion(&reader.leave);
	init_completion(&reader.registered);
	reader.probe = &new;

	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, old.func, &old), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), old.func);
	threads[0] = run_thread(test, reader_enters, &reader);
	wait_for_completion(&reader.entered);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, old.func, &old), 0);

	threads[1] = run_thread(test, reader_waited_for, &reader);
	if (waits) {
		KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&reader.registered, HZ), 0);
		KUNIT_EXPECT_PTR_NE(test, call_target(tp), new.func);
		complete(&reader.leave);
	}
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&reader.registered, 60 * HZ), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), new.func);
	if (!waits)
		complete(&reader.leave);

	end_thread(test, threads[1]);
	end_thread(test, threads[0]);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, new.func, &new), 0);
	tracepoint_synchronize_unregister();
}

static void tracepoint_batch_readers(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL))
		kunit_skip(test, "no static calls");

	expect_reader(test, tps[0], false);
	expect_reader(test, tps[0], true);
	expect_reader(test, &__tracepoint_static_batch_test_fault, false);
	expect_reader(test, &__tracepoint_static_batch_test_fault, true);
}

/* The static call of this one goes to a probe from the start, as those of events. */
DECLARE_TRACE_EVENT(static_batch_test_event, TP_PROTO(int value), TP_ARGS(value));
static void probe_event(void *data, int value);
__DEFINE_TRACE_CALL(static_batch_test_event, NULL, probe_event,
		    TP_PROTO(int value), TP_ARGS(value));

static noinline void probe_event(void *data, int value)
{
	called(data, probe_event);
	/* Otherwise the compiler merges it with one of those above. */
	barrier_data(data);
}

static void count_target(struct tracepoint *tp, void *priv)
{
	unsigned int *nr = priv;

	nr[call_target(tp) == tp->iterator]++;
}

static void event_on_and_off(struct kunit *test, struct tracepoint *tp, struct probe *event)
{
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, event->func, event), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), event->func);
	trace_static_batch_test_event(0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, event->func, event), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), event->func);
	trace_static_batch_test_event(0);
}

/* Where the static call goes while there is no probe, and that it does no harm. */
static void tracepoint_batch_event_call(struct kunit *test)
{
	struct tracepoint *tp = &__tracepoint_static_batch_test_event;
	struct probe other = { .func = probe_b };
	struct probe event = { .func = probe_event };
	unsigned int nr[2] = { };

	if (!IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		kunit_skip(test, "no static calls that are patched inline");

	/* Most tracepoints of the kernel are those of an event. */
	for_each_kernel_tracepoint(count_target, nr);
	KUNIT_EXPECT_GT(test, nr[false], nr[true]);

	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), event.func);
	trace_static_batch_test_event(0);

	/* Another one takes the call to the iterator when it goes. */
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, other.func, &other), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), other.func);
	trace_static_batch_test_event(0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, other.func, &other), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), tp->iterator);
	trace_static_batch_test_event(0);

	/* That of the event leaves it, so that the second time only the key is patched. */
	event_on_and_off(test, tp, &event);
	event_on_and_off(test, tp, &event);

	/* With two of them, the call goes to the iterator. */
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, other.func, &other), 0);
	KUNIT_ASSERT_EQ(test, tracepoint_probe_register(tp, event.func, &event), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), tp->iterator);
	trace_static_batch_test_event(0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, other.func, &other), 0);
	trace_static_batch_test_event(0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_unregister(tp, event.func, &event), 0);
	KUNIT_EXPECT_PTR_EQ(test, call_target(tp), event.func);
	KUNIT_EXPECT_EQ(test, atomic_read(&other.calls), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&event.calls), 4);
	KUNIT_EXPECT_EQ(test, atomic_read(&other.wrong) + atomic_read(&event.wrong), 0);
	/* Both are on the stack. */
	tracepoint_synchronize_unregister();
}

static struct kunit_case static_batch_cases[] = {
	KUNIT_CASE(static_batch_many_keys),
	KUNIT_CASE(static_batch_limits),
	KUNIT_CASE(static_batch_many_sites),
	KUNIT_CASE(static_batch_long_queue),
	KUNIT_CASE(static_batch_twice),
	KUNIT_CASE_SLOW(static_batch_hot_sites),
	KUNIT_CASE_SLOW(static_batch_race),
	KUNIT_CASE(static_batch_cpu_offline),
	KUNIT_CASE(static_batch_calls),
	KUNIT_CASE_SLOW(tracepoint_batch_transitions),
	KUNIT_CASE(tracepoint_batch_errors),
	KUNIT_CASE(tracepoint_batch_other_task),
	KUNIT_CASE(tracepoint_batch_order),
	KUNIT_CASE(tracepoint_batch_long),
	KUNIT_CASE(tracepoint_batch_event_call),
	KUNIT_CASE_SLOW(tracepoint_batch_readers),
	KUNIT_CASE_SLOW(tracepoint_batch_no_memory),
	KUNIT_CASE_SLOW(tracepoint_batch_hot),
	{}
};

static struct kunit_suite static_batch_suite = {
	.name = "static_batch",
	.test_cases = static_batch_cases,
};

kunit_test_suite(static_batch_suite);

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests of batches of static keys, static calls and probes");
MODULE_LICENSE("GPL");

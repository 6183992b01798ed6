// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of kernel/static_batch.c and kernel/tracepoint_batch.c
 *
 * The tests do not depend on the implementation of batches. A key, a call or a
 * tracepoint is changed, and the test checks which way its sites branch: as
 * before or as after the change while it may be pending, as after it when it
 * must not be.
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
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/static_batch.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/tracepoint_batch.h>
#include <linux/workqueue.h>

/* Number of allocations of a short batch; a few more do no harm. */
#define MAX_ALLOCATIONS	12

/* One site each, and more keys than x86 queues at a time. */
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

/* Without any site. */
static DEFINE_STATIC_KEY_FALSE(bare_key);

enum key_op { KEY_ENABLE, KEY_DISABLE, KEY_INC, KEY_DEC };

static void change(struct static_key_false *key, enum key_op op)
{
	switch (op) {
	case KEY_ENABLE:
		static_branch_enable(key);
		break;
	case KEY_DISABLE:
		static_branch_disable(key);
		break;
	case KEY_INC:
		static_branch_inc(key);
		break;
	case KEY_DEC:
		static_branch_dec(key);
		break;
	}
}

/* Operations as letters, for tables of test cases. */
static void change_all(struct static_key_false *key, const char *ops)
{
	for (; *ops; ops++)
		change(key, *ops == 'e' ? KEY_ENABLE :
			    *ops == 'd' ? KEY_DISABLE :
			    *ops == '+' ? KEY_INC : KEY_DEC);
}

static void expect_few(struct kunit *test, int i, bool on)
{
	KUNIT_EXPECT_EQ_MSG(test, few_on[i](), on ? FEW_SITES : 0, "key %d", i);
}

static void expect_count(struct kunit *test, int i, int count)
{
	KUNIT_EXPECT_EQ_MSG(test, static_key_count(&few_keys[i].key), count,
			    "key %d", i);
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

struct other_change {
	struct static_key_false	*key;
	enum key_op		op;
	unsigned int		(*sites)(void);
	unsigned int		on;
};

static void other_change(void *arg)
{
	struct other_change *other = arg;

	change(other->key, other->op);
	other->on = other->sites();
}

/*
 * Change a key in another task; returns the number of enabled sites right after
 * that.
 */
static unsigned int change_by_other(int i, enum key_op op)
{
	struct other_change other = {
		.key = &few_keys[i], .op = op, .sites = few_on[i],
	};

	in_other_task(other_change, &other);
	return other.on;
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

static void static_batch_many_keys(struct kunit *test)
{
	struct static_batch batch;
	int i, on;

	static_batch_begin(&batch);
	for (i = 0; i < NR_MANY; i++) {
		static_branch_enable(&many_keys[i]);
		KUNIT_EXPECT_EQ(test, static_key_count(&many_keys[i].key), 1);
	}
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), NR_MANY);
	KUNIT_EXPECT_EQ(test, many_on(), 0);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
	KUNIT_EXPECT_EQ(test, many_on(), NR_MANY);

	/*
	 * Every second key, from the end, so that the order of the queue is not
	 * that of the addresses.
	 */
	static_batch_begin(&batch);
	for (i = NR_MANY - 1; i >= 0; i -= 2)
		static_branch_disable(&many_keys[i]);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, many_on(), NR_MANY / 2);
	for (i = 0, on = 0; i < NR_MANY; i++)
		on += static_key_enabled(&many_keys[i].key);
	KUNIT_EXPECT_EQ(test, on, NR_MANY / 2);

	static_batch_begin(&batch);
	for (i = 0; i < NR_MANY; i += 2)
		static_branch_disable(&many_keys[i]);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, many_on(), 0);
}

static void static_batch_many_sites(struct kunit *test)
{
	struct static_batch batch;
	int i;

	static_batch_begin(&batch);
	for (i = 0; i < NR_FEW; i++) {
		static_branch_enable(&few_keys[i]);
		expect_few(test, i, false);
	}
	static_batch_end(&batch);
	for (i = 0; i < NR_FEW; i++)
		expect_few(test, i, true);

	static_batch_begin(&batch);
	static_branch_disable(&few_keys[0]);
	static_branch_disable(&few_keys[2]);
	static_batch_end(&batch);
	for (i = 0; i < NR_FEW; i++)
		expect_few(test, i, i & 1);

	/* Some on, some off. */
	static_batch_begin(&batch);
	for (i = 0; i < NR_FEW; i++)
		change(&few_keys[i], i & 1 ? KEY_DISABLE : KEY_ENABLE);
	static_batch_end(&batch);
	for (i = 0; i < NR_FEW; i++) {
		expect_few(test, i, !(i & 1));
		static_branch_disable(&few_keys[i]);
		expect_few(test, i, false);
	}
}

/*
 * More sites than x86 updates at once, TP_VEC_GROWN_MAX. Wherever the compiler
 * places them, some cross a page boundary.
 */
static void static_batch_long_queue(struct kunit *test)
{
	struct static_batch batch;
	int i;

	static_batch_begin(&batch);
	for (i = 0; i < NR_LONG; i++)
		static_branch_enable(&long_keys[i]);
	KUNIT_EXPECT_EQ(test, long_on(), 0);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, long_on(), LONG_SITES);

	static_batch_begin(&batch);
	for (i = 0; i < NR_LONG; i++)
		static_branch_disable(&long_keys[i]);
	KUNIT_EXPECT_EQ(test, long_on(), LONG_SITES);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, long_on(), 0);
}

struct hammer {
	enum phase	phase;
	/* Two threads count. */
	atomic_t	wrong;
	/*
	 * Lower bound of the number of checks of sites whose state was
	 * determined.
	 */
	unsigned int	checks;
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
	WRITE_ONCE(hammer->checks, hammer->checks + 1);
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
		on = many_on();
		hammer_check(hammer, before, on, NR_MANY);
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
	unsigned int before = READ_ONCE(hammer->checks);
	unsigned long end = jiffies + 10 * HZ;

	/*
	 * More than one check per thread, as one may have begun in the last
	 * phase.
	 */
	while (READ_ONCE(hammer->checks) - before < 4 * NR_FEW &&
	       time_before(jiffies, end))
		msleep(20);
	KUNIT_EXPECT_GE(test, READ_ONCE(hammer->checks) - before, 4 * NR_FEW);
}

/* Sites branch one way or the other while they are patched. */
static void static_batch_hot_sites(struct kunit *test)
{
	struct hammer hammer = { .phase = PHASE_OFF };
	struct task_struct *threads[2];
	struct static_batch batch;
	int i, round;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		threads[i] = run_thread(test, hammer_sites, &hammer);

	for (round = 0; round < 10; round++) {
		bool on = !(round & 1);

		set_phase(&hammer, PHASE_EITHER);
		static_batch_begin(&batch);
		for (i = 0; i < NR_MANY; i++)
			change(&many_keys[i], on ? KEY_ENABLE : KEY_DISABLE);
		for (i = 0; i < NR_FEW; i++)
			change(&few_keys[i], on ? KEY_INC : KEY_DEC);
		static_batch_end(&batch);
		set_phase(&hammer, on ? PHASE_ON : PHASE_OFF);
		expect_checks(test, &hammer);
	}

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		end_thread(test, threads[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&hammer.wrong), 0);
}

static void static_batch_counts(struct kunit *test)
{
	struct static_batch batch;

	static_batch_begin(&batch);
	change_all(&few_keys[0], "++");
	expect_count(test, 0, 2);
	change_all(&few_keys[0], "+");
	expect_count(test, 0, 3);
	change_all(&few_keys[0], "-");
	expect_count(test, 0, 2);
	KUNIT_EXPECT_TRUE(test, static_key_enabled(&few_keys[0].key));
	expect_few(test, 0, false);
	static_batch_end(&batch);
	expect_count(test, 0, 2);
	expect_few(test, 0, true);

	static_batch_begin(&batch);
	change_all(&few_keys[0], "-");
	expect_count(test, 0, 1);
	change_all(&few_keys[0], "++-");
	expect_count(test, 0, 2);
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
	change_all(&few_keys[0], "--");
	expect_count(test, 0, 0);
	KUNIT_EXPECT_FALSE(test, static_key_enabled(&few_keys[0].key));
	static_batch_end(&batch);
	expect_few(test, 0, false);

	/* Enabling twice, disabling twice: no count. */
	static_batch_begin(&batch);
	change_all(&few_keys[0], "ee");
	expect_count(test, 0, 1);
	static_batch_end(&batch);
	expect_few(test, 0, true);
	static_batch_begin(&batch);
	change_all(&few_keys[0], "dd");
	expect_count(test, 0, 0);
	static_batch_end(&batch);
	expect_few(test, 0, false);

	/* A key without sites need not be patched. */
	static_batch_begin(&batch);
	change_all(&bare_key, "++");
	KUNIT_EXPECT_EQ(test, static_key_count(&bare_key.key), 2);
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
	change_all(&bare_key, "--");
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, static_key_count(&bare_key.key), 0);
}

/* A key that ends as it began is not patched, any other one is. */
static void static_batch_toggle(struct kunit *test)
{
	static const struct {
		bool		on;
		const char	*ops;
		int		count;
	} cases[] = {
		{ false, "ed", 0 }, { false, "ede", 1 }, { false, "eded", 0 },
		{ false, "+-", 0 }, { false, "+-+", 1 }, { false, "++-", 1 },
		{ false, "++--", 0 }, { false, "++--+", 1 }, { false, "+++", 3 },
		{ true, "de", 1 }, { true, "ded", 0 }, { true, "dede", 1 },
		{ true, "-+", 1 }, { true, "-+-", 0 }, { true, "-++", 2 },
		{ true, "+-", 1 }, { true, "+--", 0 }, { true, "-+++--", 1 },
		{ true, "-+++---", 0 },
	};
	struct static_batch batch;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int count = cases[i].count;
		bool on = cases[i].on;

		change_all(&few_keys[1], on ? "e" : "");
		expect_few(test, 1, on);
		static_batch_begin(&batch);
		change_all(&few_keys[1], cases[i].ops);
		expect_count(test, 1, count);
		KUNIT_EXPECT_EQ_MSG(test, static_batch_test_pending(),
				    !count != !on, "'%s' from %d", cases[i].ops,
				    on);
		expect_few(test, 1, on);
		static_batch_end(&batch);
		expect_count(test, 1, count);
		KUNIT_EXPECT_EQ_MSG(test, few_on_1(), count ? FEW_SITES : 0,
				    "'%s' from %d", cases[i].ops, on);
		while (count--)
			change_all(&few_keys[1], "-");
	}
}

static void static_batch_nested(struct kunit *test)
{
	struct static_batch outer, inner, innermost;

	static_batch_begin(&outer);
	static_branch_enable(&few_keys[0]);
	static_batch_begin(&inner);
	static_branch_enable(&few_keys[1]);
	static_batch_begin(&innermost);
	static_branch_enable(&few_keys[2]);
	static_batch_end(&innermost);
	static_batch_end(&inner);
	expect_few(test, 0, false);
	expect_few(test, 1, false);
	expect_few(test, 2, false);
	static_branch_enable(&few_keys[3]);
	static_batch_end(&outer);
	expect_few(test, 0, true);
	expect_few(test, 1, true);
	expect_few(test, 2, true);
	expect_few(test, 3, true);

	/* Nested batches, one after the other. */
	static_batch_begin(&outer);
	static_branch_disable(&few_keys[0]);
	static_batch_begin(&inner);
	static_branch_disable(&few_keys[1]);
	static_batch_end(&inner);
	static_batch_begin(&inner);
	static_branch_disable(&few_keys[2]);
	static_batch_end(&inner);
	expect_few(test, 0, true);
	expect_few(test, 2, true);
	static_batch_end(&outer);
	expect_few(test, 0, false);
	expect_few(test, 1, false);
	expect_few(test, 2, false);

	/* No batch is left. */
	static_branch_disable(&few_keys[3]);
	expect_few(test, 3, false);
}

static void static_batch_flushed(struct kunit *test)
{
	struct static_batch batch;

	static_batch_flush();

	static_batch_begin(&batch);
	change_all(&few_keys[0], "++");
	static_batch_flush();
	expect_few(test, 0, true);
	expect_count(test, 0, 2);
	/* The outer batch continues. */
	change_all(&few_keys[0], "--");
	change_all(&few_keys[1], "e");
	expect_few(test, 0, true);
	expect_few(test, 1, false);
	static_batch_flush();
	static_batch_flush();
	expect_few(test, 0, false);
	expect_few(test, 1, true);
	change_all(&few_keys[1], "d");
	expect_few(test, 1, true);
	static_batch_end(&batch);
	expect_few(test, 1, false);
}

/* With cpu_hotplug_lock held, as some callers have it. */
static void static_batch_cpuslocked(struct kunit *test)
{
	struct static_batch batch;

	cpus_read_lock();
	static_batch_begin(&batch);
	static_branch_enable_cpuslocked(&few_keys[0]);
	static_branch_enable_cpuslocked(&few_keys[1]);
	expect_few(test, 0, false);
	expect_few(test, 1, false);
	static_batch_end_cpuslocked(&batch);
	expect_few(test, 0, true);
	expect_few(test, 1, true);

	static_batch_begin(&batch);
	static_branch_disable_cpuslocked(&few_keys[0]);
	static_branch_disable_cpuslocked(&few_keys[1]);
	cpus_read_unlock();
	static_batch_end(&batch);
	expect_few(test, 0, false);
	expect_few(test, 1, false);
}

/*
 * A change by another task of a pending key has taken effect when it returns.
 */
static void static_batch_other_task(struct kunit *test)
{
	static const struct {
		/* before, in the batch, by the other task, after */
		const char	*before, *pending;
		enum key_op	op;
		int		count;
	} cases[] = {
		{ "",   "e",  KEY_ENABLE,  1 },
		{ "",   "e",  KEY_DISABLE, 0 },
		{ "",   "+",  KEY_INC,     2 },
		{ "",   "+",  KEY_DEC,     0 },
		{ "",   "++", KEY_INC,     3 },
		{ "",   "++", KEY_DEC,     1 },
		{ "e",  "d",  KEY_ENABLE,  1 },
		{ "e",  "d",  KEY_DISABLE, 0 },
		{ "+",  "-",  KEY_INC,     1 },
		{ "++", "--", KEY_INC,     1 },
		/* not pending */
		{ "",   "",   KEY_ENABLE,  1 },
		{ "e",  "",   KEY_DISABLE, 0 },
		{ "++", "-",  KEY_DEC,     0 },
		{ "++", "-",  KEY_INC,     2 },
	};
	struct static_batch batch;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int count = cases[i].count;
		unsigned int on;

		change_all(&few_keys[2], cases[i].before);
		static_batch_begin(&batch);
		change_all(&few_keys[2], cases[i].pending);
		/*
		 * A key that stays pending, whatever happens to the other one.
		 */
		change_all(&few_keys[3], "e");
		on = change_by_other(2, cases[i].op);
		KUNIT_EXPECT_EQ_MSG(test, on, count ? FEW_SITES : 0, "case %d",
				    i);
		KUNIT_EXPECT_EQ_MSG(test, static_key_count(&few_keys[2].key),
				    count, "case %d", i);
		expect_few(test, 3, false);
		static_batch_end(&batch);
		KUNIT_EXPECT_EQ_MSG(test, few_on_2(), count ? FEW_SITES : 0,
				    "case %d", i);
		KUNIT_EXPECT_EQ_MSG(test, static_key_count(&few_keys[2].key),
				    count, "case %d", i);
		expect_few(test, 3, true);
		change_all(&few_keys[3], "d");
		while (count--)
			change_all(&few_keys[2], "-");
	}
}

static void other_batch(void *arg)
{
	struct static_batch batch;

	static_batch_begin(&batch);
	change_all(&few_keys[0], "--");
	change_all(&few_keys[1], "+");
	change_all(&few_keys[2], "+");
	static_batch_end(&batch);
}

/* Two tasks have batches at once, on the same keys. */
static void static_batch_two_batches(struct kunit *test)
{
	struct static_batch batch;

	static_batch_begin(&batch);
	change_all(&few_keys[0], "++");
	change_all(&few_keys[1], "+");
	change_all(&few_keys[3], "+");
	in_other_task(other_batch, NULL);
	/* The changes of the other task have taken effect. */
	expect_count(test, 0, 0);
	expect_few(test, 0, false);
	expect_count(test, 1, 2);
	expect_few(test, 1, true);
	expect_few(test, 2, true);
	change_all(&few_keys[2], "-");
	change_all(&few_keys[1], "--");
	static_batch_end(&batch);
	expect_count(test, 1, 0);
	expect_few(test, 1, false);
	expect_few(test, 2, false);
	expect_few(test, 3, true);
	change_all(&few_keys[3], "-");
}

/* Tasks that change keys in a loop, some in batches, some not. */
struct racer {
	/* serializes the users of a key that is used without a count */
	struct mutex	*lock;
	bool		batch;
	unsigned int	rounds;
	unsigned int	wrong;
};

static int race(void *arg)
{
	struct racer *racer = arg;
	struct static_batch batch;

	while (!kthread_should_stop()) {
		if (racer->batch)
			static_batch_begin(&batch);
		static_branch_inc(&few_keys[0]);
		static_branch_inc(&few_keys[1]);
		if (!racer->batch)
			racer->wrong += few_on_0() != FEW_SITES;
		/* The users of this key serialize their changes. */
		mutex_lock(racer->lock);
		static_branch_enable(&few_keys[2]);
		mutex_unlock(racer->lock);
		static_branch_dec(&few_keys[0]);
		mutex_lock(racer->lock);
		static_branch_disable(&few_keys[2]);
		if (!racer->batch)
			racer->wrong += few_on_2() ||
					static_key_enabled(&few_keys[2].key);
		mutex_unlock(racer->lock);
		static_branch_dec(&few_keys[1]);
		if (racer->batch)
			static_batch_end(&batch);
		WRITE_ONCE(racer->rounds, racer->rounds + 1);
		cond_resched();
	}
	return 0;
}

static void static_batch_race(struct kunit *test)
{
	/* for few_keys[2] */
	struct mutex lock;
	struct racer racers[4] = {
		{ .batch = true }, { .batch = true },
		{ .batch = false }, { .batch = false },
	};
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
	for (i = 0; i < NR_FEW; i++) {
		expect_count(test, i, 0);
		expect_few(test, i, false);
	}
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
}

static void no_memory_at(struct kunit *test, int allocations, int failures)
{
	struct static_batch batch;
	int i;

	static_batch_begin(&batch);
	static_batch_test_memory(allocations, failures);
	for (i = 0; i < NR_FEW; i++) {
		change_all(&few_keys[i], "++");
		expect_count(test, i, 2);
	}
	change_all(&few_keys[0], "--");
	change_all(&few_keys[1], "-");
	expect_count(test, 0, 0);
	expect_count(test, 1, 1);
	static_batch_end(&batch);
	static_batch_test_memory(0, 0);
	expect_few(test, 0, false);
	expect_few(test, 1, true);
	expect_few(test, 2, true);
	expect_few(test, 3, true);

	static_batch_begin(&batch);
	static_batch_test_memory(allocations, failures);
	change_all(&few_keys[0], "e");
	change_all(&few_keys[1], "d");
	change_all(&few_keys[2], "--");
	change_all(&few_keys[3], "--");
	static_batch_end(&batch);
	static_batch_test_memory(0, 0);
	expect_few(test, 0, true);
	expect_few(test, 1, false);
	expect_few(test, 2, false);
	expect_few(test, 3, false);
	change_all(&few_keys[0], "d");
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
}

static void static_batch_no_memory(struct kunit *test)
{
	struct static_batch batch;
	int i;

	for (i = 0; i < MAX_ALLOCATIONS; i++) {
		no_memory_at(test, i, 1);
		no_memory_at(test, i, INT_MAX);
	}

	/* Enough allocations for the keys, but none for patching them. */
	for (i = NR_MANY; i > 0; i -= NR_MANY / 4) {
		int j;

		static_batch_begin(&batch);
		static_batch_test_memory(i, INT_MAX);
		for (j = 0; j < NR_MANY; j++)
			static_branch_enable(&many_keys[j]);
		static_batch_end(&batch);
		KUNIT_EXPECT_EQ(test, many_on(), NR_MANY);
		static_batch_begin(&batch);
		static_batch_test_memory(i, INT_MAX);
		for (j = NR_MANY - 1; j >= 0; j--)
			static_branch_disable(&many_keys[j]);
		static_batch_end(&batch);
		static_batch_test_memory(0, 0);
		KUNIT_EXPECT_EQ(test, many_on(), 0);
	}
}

#ifdef CONFIG_HOTPLUG_CPU
static void cpu_down_other(void *ret)
{
	*(int *)ret = remove_cpu(1);
}

static void cpu_up_other(void *ret)
{
	*(int *)ret = add_cpu(1);
}

static long few_on_0_here(void *arg)
{
	return few_on_0();
}

/* The CPU on which a batch has begun goes offline and comes back. */
static void static_batch_cpu_offline(struct kunit *test)
{
	struct static_batch batch;
	int ret;

	if (num_online_cpus() < 2 || !cpu_online(1) || !cpu_is_hotpluggable(1))
		kunit_skip(test, "no second CPU that can be taken offline");

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(1)), 0);
	static_batch_begin(&batch);
	change_all(&few_keys[0], "e");
	in_other_task(cpu_down_other, &ret);
	if (ret) {
		change_all(&few_keys[0], "d");
		static_batch_end(&batch);
		kunit_skip(test, "the second CPU cannot be taken offline: %d",
			   ret);
	}
	change_all(&few_keys[1], "e");
	static_batch_end(&batch);
	expect_few(test, 0, true);
	expect_few(test, 1, true);

	static_batch_begin(&batch);
	change_all(&few_keys[1], "d");
	in_other_task(cpu_up_other, &ret);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, work_on_cpu(1, few_on_0_here, NULL), FEW_SITES);
	change_all(&few_keys[0], "d");
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, work_on_cpu(1, few_on_0_here, NULL), 0);
	expect_few(test, 1, false);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
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

static void other_call(void *ret)
{
	static_call_update(static_batch_test_call, func_1);
	*(int *)ret = call(0);
}

/* Without CONFIG_HAVE_STATIC_CALL_INLINE calls take effect at once. */
#define expect_call(test, expr, old, new)				\
	KUNIT_EXPECT_EQ(test, expr,					\
			IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE) ? old : new)

static void static_batch_calls(struct kunit *test)
{
	struct static_batch batch;
	int ret;

	static_batch_begin(&batch);
	static_call_update(static_batch_test_call, func_1);
	KUNIT_EXPECT_PTR_EQ(test, static_call_query(static_batch_test_call),
			    &func_1);
	expect_call(test, call(10), 10, 11);
	static_call_update(static_batch_test_call, func_2);
	KUNIT_EXPECT_PTR_EQ(test, static_call_query(static_batch_test_call),
			    &func_2);
	expect_call(test, call(10), 10, 12);
	static_call_update(static_batch_test_call_2, func_1);
	static_branch_enable(&few_keys[0]);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, call(10), 12);
	KUNIT_EXPECT_EQ(test, call_2(10), 13);
	expect_few(test, 0, true);

	/* Changed and changed back. */
	static_batch_begin(&batch);
	static_call_update(static_batch_test_call, func_0);
	static_call_update(static_batch_test_call, func_2);
	static_call_update(static_batch_test_call_2, func_2);
	static_batch_flush();
	KUNIT_EXPECT_EQ(test, call(10), 12);
	KUNIT_EXPECT_EQ(test, call_2(10), 14);
	static_branch_disable(&few_keys[0]);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, call(10), 12);

	/* By another task, to something else and to the same. */
	static_batch_begin(&batch);
	static_call_update(static_batch_test_call, func_0);
	in_other_task(other_call, &ret);
	KUNIT_EXPECT_EQ(test, ret, 1);
	static_call_update(static_batch_test_call, func_0);
	static_call_update(static_batch_test_call, func_1);
	in_other_task(other_call, &ret);
	KUNIT_EXPECT_EQ(test, ret, 1);
	static_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, call(10), 11);

	static_call_update(static_batch_test_call, func_0);
	static_call_update(static_batch_test_call_2, func_0);
	KUNIT_EXPECT_EQ(test, call(10), 10);
	KUNIT_EXPECT_EQ(test, static_batch_test_pending(), 0);
}

static void static_batch_calls_no_memory(struct kunit *test)
{
	struct static_batch batch;
	int i;

	for (i = 0; i < 4; i++) {
		static_batch_begin(&batch);
		static_batch_test_memory(i, INT_MAX);
		static_call_update(static_batch_test_call, func_1);
		static_branch_enable(&few_keys[0]);
		static_call_update(static_batch_test_call_2, func_2);
		static_batch_end(&batch);
		static_batch_test_memory(0, 0);
		KUNIT_EXPECT_EQ(test, call(10), 11);
		KUNIT_EXPECT_EQ(test, call_2(10), 13);
		expect_few(test, 0, true);

		static_call_update(static_batch_test_call, func_0);
		static_call_update(static_batch_test_call_2, func_0);
		static_branch_disable(&few_keys[0]);
	}
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
	int ret;

	WRITE_ONCE(probe->gone, false);
	ret = tracepoint_probe_register_prio(tps[tp], probe->func, probe, i);
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

/* Register the probes in @set, and unregister all others. */
static int change_probes(int tp, unsigned int set)
{
	int i, ret = 0;

	for (i = 0; i < NR_PROBES; i++)
		if (probes[tp][i].registered && !(set & BIT(i)))
			ret = ret ?: probe_remove(tp, i);
	for (i = 0; i < NR_PROBES; i++)
		if (!probes[tp][i].registered && (set & BIT(i)))
			ret = ret ?: probe_add(tp, i);
	return ret;
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
	struct tracepoint_batch batch;
	unsigned int from, to;
	int tp, n;

	for (from = 0; from < BIT(NR_PROBES); from++)
		for (to = 0; to < BIT(NR_PROBES); to++) {
			n = from * BIT(NR_PROBES) + to;
			/* The tracepoints in between change independently. */
			for (tp = 0; tp < NR_TPS; tp++)
				KUNIT_EXPECT_EQ(test, change_probes(tp, tp & 1 ? to : from), 0);
			expect_probes(test, alone, "before", n);

			tracepoint_batch_begin(&batch);
			for (tp = 0; tp < NR_TPS; tp++) {
				KUNIT_EXPECT_EQ(test, change_probes(tp, tp & 1 ? from : to), 0);
				/* Changed and changed back. */
				if (tp == 1)
					KUNIT_EXPECT_EQ(test, change_probes(tp, to), 0);
			}
			tracepoint_batch_end(&batch);
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
	struct tracepoint_batch batch;
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
			tracepoint_batch_begin(&batch);
		for (tp = 0; tp < NR_TPS; tp++) {
			KUNIT_EXPECT_EQ(test, change_probes(tp, random >> (8 + 4 * tp) & 7), 0);
			if (!tp && random & 2)
				tracepoint_batch_flush();
		}
		if (random & 4)
			probes_synchronize();
		if (random & 1)
			tracepoint_batch_end(&batch);
		expect_probes(test, false, "random", i);
	}
	remove_all_probes(test);
	end_thread(test, thread);
	KUNIT_EXPECT_GT(test, rounds, 0);
}

static void tracepoint_batch_errors(struct kunit *test)
{
	struct tracepoint_batch batch;
	struct probe *probe = &probes[3][0];

	probes_init();
	regs = 0;
	unregs = 0;

	/* A duplicate, of a probe that is pending and of one that is not. */
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, probe_add(3, 0), 0);
	KUNIT_EXPECT_EQ(test, regs, 1);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_may_exist(tps[3], probe->func, probe),
			-EEXIST);
	tracepoint_batch_flush();
	expect_probes(test, true, "flush", 0);
	KUNIT_EXPECT_EQ(test, tracepoint_probe_register_may_exist(tps[3], probe->func, probe),
			-EEXIST);
	KUNIT_EXPECT_EQ(test, probe_add(3, 1), 0);
	KUNIT_EXPECT_EQ(test, regs, 1);
	tracepoint_batch_end(&batch);
	expect_probes(test, true, "duplicate", 0);
	KUNIT_EXPECT_EQ(test, unregs, 0);

	/* Unregistered and registered again, with no probe in between. */
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	KUNIT_EXPECT_EQ(test, unregs, 1);
	KUNIT_EXPECT_EQ(test, change_probes(3, BIT(2)), 0);
	KUNIT_EXPECT_EQ(test, regs, 2);
	tracepoint_batch_end(&batch);
	expect_probes(test, true, "other probe", 0);

	/* Registered and unregistered again: no probe may be called. */
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	tracepoint_batch_end(&batch);
	probes_synchronize();
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, change_probes(3, BIT(0)), 0);
	KUNIT_EXPECT_EQ(test, change_probes(3, 0), 0);
	tracepoint_batch_end(&batch);
	KUNIT_EXPECT_EQ(test, regs, 3);
	KUNIT_EXPECT_EQ(test, unregs, 3);
	expect_probes(test, true, "nothing", 0);

	/* regfunc() of the tracepoint fails. */
	reg_error = -EBUSY;
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, probe_add(3, 0), -EBUSY);
	reg_error = 0;
	KUNIT_EXPECT_EQ(test, probe_add(3, 1), 0);
	tracepoint_batch_end(&batch);
	expect_probes(test, true, "-EBUSY", 0);
	KUNIT_EXPECT_EQ(test, regs, 4);
	remove_all_probes(test);
	KUNIT_EXPECT_EQ(test, unregs, 4);
}

static void other_probes(void *arg)
{
	int *set = arg;

	change_probes(0, *set);
	*set = atomic_read(&probes[0][0].calls);
	fire(0);
	*set = atomic_read(&probes[0][0].calls) - *set;
}

/* Probes that another task registers and unregisters take effect at once. */
static void tracepoint_batch_other_task(struct kunit *test)
{
	struct tracepoint_batch batch;
	int set;

	probes_init();
	tracepoint_batch_begin(&batch);
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(1)), 0);
	KUNIT_EXPECT_EQ(test, change_probes(1, BIT(1)), 0);
	set = BIT(0) | BIT(1);
	in_other_task(other_probes, &set);
	KUNIT_EXPECT_EQ(test, set, 1);
	expect_probes(test, true, "added by other", 0);
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(0) | BIT(2)), 0);
	set = 0;
	in_other_task(other_probes, &set);
	KUNIT_EXPECT_EQ(test, set, 0);
	tracepoint_batch_end(&batch);
	expect_probes(test, true, "removed by other", 0);
	remove_all_probes(test);
}

static void other_synchronize(void *arg)
{
	probes_synchronize();
}

/* A task waits for probes that another task has unregistered. */
static void tracepoint_batch_other_waits(struct kunit *test)
{
	struct tracepoint_batch batch;
	int tp;

	probes_init();
	for (tp = 0; tp < NR_TPS; tp++)
		KUNIT_EXPECT_EQ(test, change_probes(tp, BIT(0) | BIT(2)), 0);
	tracepoint_batch_begin(&batch);
	for (tp = 0; tp < NR_TPS; tp++)
		KUNIT_EXPECT_EQ(test, change_probes(tp, tp & 1 ? BIT(2) : 0), 0);
	in_other_task(other_synchronize, NULL);
	expect_probes(test, true, "other waits", 0);
	tracepoint_batch_end(&batch);
	remove_all_probes(test);
}

/*
 * In a batch of static keys only, probes are called as soon as they are
 * registered.
 */
static void tracepoint_batch_static(struct kunit *test)
{
	struct static_batch batch;
	unsigned int from, to;
	int tp;

	probes_init();
	static_batch_begin(&batch);
	for (from = 0; from < BIT(NR_PROBES); from++)
		for (to = 0; to < BIT(NR_PROBES); to += 3) {
			for (tp = 0; tp < NR_TPS; tp++)
				KUNIT_EXPECT_EQ(test, change_probes(tp, tp ? from : to), 0);
			expect_probes(test, true, "at once",
				      from * BIT(NR_PROBES) + to);
		}
	remove_all_probes(test);
	static_batch_end(&batch);
	remove_all_probes(test);
}

/*
 * Any allocation may fail; registering a probe then returns an error,
 * unregistering does not.
 */
static void no_memory_for_probes(struct kunit *test, int failures)
{
	struct tracepoint_batch batch;
	struct task_struct *thread;
	unsigned int from, to, rounds = 0;
	int n, tp, i, ret;

	thread = run_thread(test, fire_away, &rounds);
	for (n = 0; n < MAX_ALLOCATIONS; n++)
		for (from = 0; from < BIT(NR_PROBES); from++) {
			to = (from * 5 + n) % BIT(NR_PROBES);
			for (tp = 0; tp < 2; tp++)
				KUNIT_EXPECT_EQ(test, change_probes(tp, from), 0);

			tracepoint_batch_begin(&batch);
			static_batch_test_memory(n, failures);
			for (tp = 0; tp < 2; tp++) {
				for (i = 0; i < NR_PROBES; i++)
					if (!probes[tp][i].registered &&
					    to & BIT(i)) {
						ret = probe_add(tp, i);
						KUNIT_EXPECT_TRUE(test,
								  !ret || ret == -ENOMEM);
					}
				for (i = 0; i < NR_PROBES; i++)
					if (probes[tp][i].registered &&
					    !(to & BIT(i)))
						KUNIT_EXPECT_EQ(test, probe_remove(tp, i), 0);
			}
			/* A change that was not deferred must be complete. */
			fire(0);
			tracepoint_batch_end(&batch);
			static_batch_test_memory(0, 0);
			expect_probes(test, false, "no memory",
				      n * BIT(NR_PROBES) + from);
			if (from == 3)
				probes_synchronize();
		}
	end_thread(test, thread);
	expect_probes(test, true, "no memory", -1);
	remove_all_probes(test);
}

static void tracepoint_batch_no_memory(struct kunit *test)
{
	probes_init();
	no_memory_for_probes(test, 1);
	no_memory_for_probes(test, INT_MAX);
}

static void tracepoint_batch_nested(struct kunit *test)
{
	struct tracepoint_batch outer, inner;
	struct static_batch keys;

	probes_init();
	static_batch_begin(&keys);
	tracepoint_batch_begin(&outer);
	KUNIT_EXPECT_EQ(test, change_probes(0, BIT(0)), 0);
	tracepoint_batch_begin(&inner);
	KUNIT_EXPECT_EQ(test, change_probes(1, BIT(0)), 0);
	tracepoint_batch_end(&inner);
	fire(0);
	KUNIT_EXPECT_EQ(test, atomic_read(&probes[0][0].calls), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&probes[1][0].calls), 0);
	tracepoint_batch_end(&outer);
	static_batch_end(&keys);
	expect_probes(test, true, "nested", 0);

	/* tracepoint_synchronize_unregister() flushes the open batch. */
	tracepoint_batch_begin(&outer);
	KUNIT_EXPECT_EQ(test, change_probes(0, 0), 0);
	probes_synchronize();
	fire(0);
	KUNIT_EXPECT_EQ(test, atomic_read(&probes[0][0].late), 0);
	KUNIT_EXPECT_EQ(test, change_probes(1, 0), 0);
	tracepoint_batch_end(&outer);
	remove_all_probes(test);
}

static struct task_struct *hold_thread;
/* A request to the thread, and its completion. */
static struct module *hold_module;
static DECLARE_COMPLETION(hold_done);
static DEFINE_MUTEX(hold_lock);

#ifdef CONFIG_MODULES
/* Enable the keys of a module, found by its sites. */
static void hold_enable_keys(struct module *mod)
{
	struct jump_entry *entry = mod->jump_entries;
	struct jump_entry *stop = entry + mod->num_jump_entries;

	for (; entry < stop; entry++)
		if (within_module((unsigned long)jump_entry_key(entry), mod))
			static_key_enable(jump_entry_key(entry));
}
#else
static void hold_enable_keys(struct module *mod) { }
#endif

static int hold_batch(void *arg)
{
	struct static_batch batch;
	int i;

	static_batch_begin(&batch);
	for (i = 0; i < NR_FEW; i++)
		static_branch_inc(&few_keys[i]);
	static_call_update(static_batch_test_call, func_1);
	complete(&hold_done);
	set_current_state(TASK_INTERRUPTIBLE);
	while (!kthread_should_stop()) {
		struct module *mod = xchg(&hold_module, NULL);

		if (mod) {
			__set_current_state(TASK_RUNNING);
			hold_enable_keys(mod);
			complete(&hold_done);
		} else {
			schedule();
		}
		set_current_state(TASK_INTERRUPTIBLE);
	}
	__set_current_state(TASK_RUNNING);
	for (i = 0; i < NR_FEW; i++)
		static_branch_dec(&few_keys[i]);
	static_call_update(static_batch_test_call, func_0);
	static_batch_end(&batch);
	return 0;
}

static int hold_set(const char *value, const struct kernel_param *kp)
{
	bool hold;
	int ret = kstrtobool(value, &hold);

	if (ret)
		return ret;

	guard(mutex)(&hold_lock);
	if (hold && !hold_thread) {
		struct task_struct *thread;

		reinit_completion(&hold_done);
		/* The module must not be removed while the thread runs. */
		if (!try_module_get(THIS_MODULE))
			return -ENODEV;
		thread = kthread_run(hold_batch, NULL, "static_batch_hold");
		if (IS_ERR(thread)) {
			module_put(THIS_MODULE);
			return PTR_ERR(thread);
		}
		hold_thread = thread;
		wait_for_completion(&hold_done);
	} else if (!hold && hold_thread) {
		kthread_stop(hold_thread);
		hold_thread = NULL;
		module_put(THIS_MODULE);
	}
	return 0;
}

/*
 * Number of sites, including the call, in the state that the open batch has
 * set.
 */
static int hold_get(char *buffer, const struct kernel_param *kp)
{
	unsigned int n = 0;
	int i;

	for (i = 0; i < NR_FEW; i++)
		n += few_on[i]();
	n += call(0);
	return sysfs_emit(buffer, "%u of %u\n", n, NR_FEW * FEW_SITES + 1);
}

static const struct kernel_param_ops hold_ops = {
	.set = hold_set,
	.get = hold_get,
};

module_param_cb(hold, &hold_ops, NULL, 0600);
MODULE_PARM_DESC(hold,
		 "keep a batch open; how many of its sites have been patched");

static int hold_get_pending(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%u\n", static_batch_test_pending());
}

static const struct kernel_param_ops hold_pending_ops = {
	.get = hold_get_pending,
};

module_param_cb(pending, &hold_pending_ops, NULL, 0400);
MODULE_PARM_DESC(pending, "how many keys and calls are pending");

#ifdef CONFIG_MODULES
/*
 * A module that is refused.
 *
 * A notifier that returns an error ends the chain: MODULE_STATE_GOING is passed
 * to the notifiers before it, not to those after it. Between these calls and
 * the freeing of the module, the open batch enables the keys of the module.
 */
static char refuse[MODULE_NAME_LEN];
module_param_string(refuse, refuse, sizeof(refuse), 0600);
MODULE_PARM_DESC(refuse, "a module that is not to be loaded");

/* Number of pending keys after the keys of the module were enabled. */
static unsigned int refused;
module_param(refused, uint, 0600);
MODULE_PARM_DESC(refused, "how many keys were pending when it was refused");

static int refuse_keys_notify(struct notifier_block *self, unsigned long val,
			      void *data)
{
	struct module *mod = data;

	if (val != MODULE_STATE_GOING || !sysfs_streq(refuse, mod->name))
		return NOTIFY_DONE;

	guard(mutex)(&hold_lock);
	if (hold_thread) {
		reinit_completion(&hold_done);
		xchg(&hold_module, mod);
		wake_up_process(hold_thread);
		wait_for_completion(&hold_done);
		refused = static_batch_test_pending();
	}
	return NOTIFY_OK;
}

static int refuse_notify(struct notifier_block *self, unsigned long val,
			 void *data)
{
	struct module *mod = data;

	return val == MODULE_STATE_COMING && sysfs_streq(refuse, mod->name) ?
		NOTIFY_BAD : NOTIFY_DONE;
}

/*
 * Called after jump_label.c, whose priority is 1, and before the notifier that
 * refuses the module.
 */
static struct notifier_block refuse_keys_nb = {
	.notifier_call = refuse_keys_notify,
};

static struct notifier_block refuse_nb = {
	.notifier_call = refuse_notify,
	.priority = -1,
};

static int __init refuse_init(void)
{
	int ret = register_module_notifier(&refuse_keys_nb);

	if (ret)
		return ret;
	ret = register_module_notifier(&refuse_nb);
	if (ret)
		unregister_module_notifier(&refuse_keys_nb);
	return ret;
}
module_init(refuse_init);

static void __exit refuse_exit(void)
{
	unregister_module_notifier(&refuse_nb);
	unregister_module_notifier(&refuse_keys_nb);
}
module_exit(refuse_exit);
#endif

static struct kunit_case static_batch_cases[] = {
	KUNIT_CASE(static_batch_many_keys),
	KUNIT_CASE(static_batch_many_sites),
	KUNIT_CASE(static_batch_long_queue),
	KUNIT_CASE_SLOW(static_batch_hot_sites),
	KUNIT_CASE(static_batch_counts),
	KUNIT_CASE(static_batch_toggle),
	KUNIT_CASE(static_batch_nested),
	KUNIT_CASE(static_batch_flushed),
	KUNIT_CASE(static_batch_cpuslocked),
	KUNIT_CASE(static_batch_other_task),
	KUNIT_CASE(static_batch_two_batches),
	KUNIT_CASE_SLOW(static_batch_race),
	KUNIT_CASE(static_batch_no_memory),
	KUNIT_CASE(static_batch_cpu_offline),
	KUNIT_CASE(static_batch_calls),
	KUNIT_CASE(static_batch_calls_no_memory),
	KUNIT_CASE_SLOW(tracepoint_batch_transitions),
	KUNIT_CASE(tracepoint_batch_errors),
	KUNIT_CASE(tracepoint_batch_other_task),
	KUNIT_CASE(tracepoint_batch_other_waits),
	KUNIT_CASE(tracepoint_batch_static),
	KUNIT_CASE(tracepoint_batch_nested),
	KUNIT_CASE_SLOW(tracepoint_batch_no_memory),
	KUNIT_CASE_SLOW(tracepoint_batch_hot),
	{}
};

static struct kunit_suite static_batch_suite = {
	.name = "static_batch",
	.test_cases = static_batch_cases,
};

kunit_test_suite(static_batch_suite);

MODULE_DESCRIPTION("KUnit tests of batches of static keys, static calls and probes");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of probes
 *
 * A tracepoint has an array of probes, a static call, which goes to the probe
 * if there is one and to an iterator over the array otherwise, and a static
 * key. tracepoint.c says which of them may be changed when, for one tracepoint;
 * each change of a key or a call synchronises all CPUs.
 *
 * Between tracepoint_batch_begin() and tracepoint_batch_end(), probes are added
 * to and removed from arrays that nobody reads yet. The end of the batch makes
 * all tracepoints change over together, in these steps:
 *
 *  1. Keys of tracepoints that lose their last probe go off, and static calls
 *     that go to a single probe go to the iterator, if the array changes at
 *     all. That is one batch of static keys and calls. The order within it does
 *     not matter: before, in between and afterwards it is the old array that
 *     is read, and the iterator and, with one probe, that probe are both right
 *     for it.
 *  2. The new arrays replace the old ones. The only static calls to a probe
 *     that are left are those of tracepoints which do not change. The iterator
 *     reads the array itself, and finds one or the other, or none.
 *  3. If some tracepoint is to have a static call to its single probe: wait
 *     until nobody is on the way to the call with data from an earlier array
 *     (tp_rcu_cond_sync()), for all of them together.
 *  4. Static calls go to single probes, keys of tracepoints that got their
 *     first probe go on. Again the order does not matter: the array is there,
 *     and iterator and probe are both right for it.
 *
 * Enabling any number of events consists of steps 2 to 4, disabling them of 1
 * and 2; each is one batch of static keys and calls.
 *
 * regfunc() and unregfunc() of a tracepoint are called when the probe is added
 * or removed, as ever: one before the first probe can be called, the other
 * while the last still can.
 *
 * Everything here happens under tracepoints_mutex. A task that is not in a
 * batch and changes a tracepoint with a pending change lets all that is pending
 * take effect first; so does a module with tracepoints that goes away, and any
 * task that calls tracepoint_synchronize_unregister(): who waits for a probe to
 * be gone need not be who unregistered it.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/tracepoint_batch.h>

#include "tracepoint_batch.h"

/* The probes that a tracepoint will have. */
struct pending_probes {
	struct static_batch_item	item;
	struct tracepoint_func		*funcs;
	/* It had none before. */
	bool				first;
};

struct static_batch_tasks tracepoint_batch_tasks = {
	.lock = __SPIN_LOCK_UNLOCKED(tracepoint_batch_tasks.lock),
	.list = LIST_HEAD_INIT(tracepoint_batch_tasks.list),
};

/* Protected by tracepoints_mutex */
struct static_batch_items tracepoint_batch_items = {
	.list = LIST_HEAD_INIT(tracepoint_batch_items.list),
};

#define for_each_pending(probes) \
	list_for_each_entry(probes, &tracepoint_batch_items.list, item.node)
#define for_each_pending_safe(probes, next) \
	list_for_each_entry_safe(probes, next, &tracepoint_batch_items.list, item.node)

static struct tracepoint *tracepoint_batch_tp(struct pending_probes *probes)
{
	return probes->item.what;
}

/* The probes that it has. */
static struct tracepoint_func *
tracepoint_batch_live_funcs(struct tracepoint *tp)
{
	return rcu_dereference_protected(tp->funcs, lockdep_is_held(&tracepoints_mutex));
}

/*
 * For a change for which there is no memory. tracepoint.c cannot make it then:
 * in a batch its steps, one by one, are put off.
 */
static struct pending_probes reserve;

static struct pending_probes *tracepoint_batch_pending(struct tracepoint *tp)
{
	struct static_batch_item *item = static_batch_item(&tracepoint_batch_items, tp);

	return item ? container_of(item, struct pending_probes, item) : NULL;
}

static void tracepoint_batch_remove_probes(struct pending_probes *probes)
{
	static_batch_remove(&tracepoint_batch_items, &probes->item);
	if (probes != &reserve)
		kfree(probes);
}

/* Whether an array that was built anew came out as the old one. */
static bool tracepoint_batch_same_funcs(const struct tracepoint_func *a,
					const struct tracepoint_func *b)
{
	if (!a || !b)
		return a == b;

	for (; a->func == b->func && a->data == b->data && a->prio == b->prio; a++, b++)
		if (!a->func)
			return true;
	return !a->func && !b->func;
}

static void tracepoint_batch_drop_unchanged(void)
{
	struct pending_probes *probes, *next;

	for_each_pending_safe(probes, next) {
		struct tracepoint *tp = tracepoint_batch_tp(probes);
		struct tracepoint_func *live = tracepoint_batch_live_funcs(tp);

		if (!tracepoint_batch_same_funcs(probes->funcs, live))
			continue;
		if (probes->funcs != live)
			tp_free_probes(probes->funcs);
		tracepoint_batch_remove_probes(probes);
	}
}

/* Step 1 of the comment at the top. */
static void tracepoint_batch_take_away(void)
{
	struct pending_probes *probes;

	for_each_pending(probes) {
		struct tracepoint *tp = tracepoint_batch_tp(probes);

		if (tracepoint_batch_live_funcs(tp) && !probes->funcs)
			static_key_disable(&tp->key);
		if (tp_func_state(tracepoint_batch_live_funcs(tp)) == TP_FUNC_1)
			tp_update_call(tp, NULL);
	}
	static_batch_flush();
}

/* Step 2; says in @first and @single what step 3 has to wait for. */
static void tracepoint_batch_replace(bool *first, bool *single)
{
	struct pending_probes *probes;

	*first = *single = false;
	for_each_pending(probes) {
		struct tracepoint *tp = tracepoint_batch_tp(probes);
		struct tracepoint_func *live = tracepoint_batch_live_funcs(tp);
		struct tracepoint_func *funcs = probes->funcs;
		bool to_single = tp_func_state(funcs) == TP_FUNC_1;

		probes->first = !live;
		rcu_assign_pointer(tp->funcs, funcs);
		/*
		 * As tracepoint.c does: remember the grace period after which a
		 * static call to a single probe cannot get data of an array
		 * that was there before. From 0 to 2 nobody waits below, so 2
		 * to 1 has to wait for those who still have the array before 0.
		 */
		if (!funcs)
			tp_rcu_get_state(TP_TRANSITION_SYNC_1_0_1);
		else if (live ? funcs[0].data != live[0].data : !to_single)
			tp_rcu_get_state(TP_TRANSITION_SYNC_N_2_1);
		if (to_single)
			*(live ? single : first) = true;
		tp_release_probes(live);
	}
}

/* Step 4 */
static void tracepoint_batch_put_in(void)
{
	struct pending_probes *probes, *next;

	for_each_pending(probes)
		if (tp_func_state(probes->funcs) == TP_FUNC_1)
			tp_update_call(tracepoint_batch_tp(probes),
				       probes->funcs);
	for_each_pending_safe(probes, next) {
		if (probes->first)
			static_key_enable(&tracepoint_batch_tp(probes)->key);
		tracepoint_batch_remove_probes(probes);
	}
	static_batch_flush();
}

/* Let everything that is pending take effect, also what others have left. */
static void tracepoint_batch_commit(void)
{
	struct static_batch batch;
	bool first, single;

	lockdep_assert_held(&tracepoints_mutex);

	if (!tracepoint_batch_items.nr)
		return;
	static_batch_begin(&batch);
	tracepoint_batch_drop_unchanged();
	tracepoint_batch_take_away();
	tracepoint_batch_replace(&first, &single);
	if (first)
		tp_rcu_cond_sync(TP_TRANSITION_SYNC_1_0_1);
	if (single)
		tp_rcu_cond_sync(TP_TRANSITION_SYNC_N_2_1);
	tracepoint_batch_put_in();
	static_batch_end(&batch);
}

/*
 * The place for changes of @tp that are put off. NULL if the task is not in a
 * batch; then no change of @tp is pending.
 */
static struct pending_probes *tracepoint_batch_put_off(struct tracepoint *tp)
{
	struct pending_probes *probes = tracepoint_batch_pending(tp);

	if (!static_batch_in(&tracepoint_batch_tasks) && !static_batch_in_task()) {
		if (probes)
			tracepoint_batch_commit();
		return NULL;
	}
	if (probes)
		return probes;

	probes = static_batch_alloc(sizeof(*probes));
	if (!probes)
		probes = &reserve;
	probes->funcs = tracepoint_batch_live_funcs(tp);
	static_batch_add(&tracepoint_batch_items, &probes->item, tp);
	return probes;
}

static void tracepoint_batch_set_funcs(struct pending_probes *probes,
				       struct tracepoint_func *old,
				       struct tracepoint_func *funcs)
{
	if (old != tracepoint_batch_live_funcs(tracepoint_batch_tp(probes)))
		tp_free_probes(old);
	probes->funcs = funcs;
}

/*
 * After every tracepoint_batch_put_off() that was not in vain, whatever came
 * of it.
 */
static void tracepoint_batch_put_off_done(struct pending_probes *probes)
{
	/* In a batch of keys only: the caller expects its probe to be called. */
	if (probes == &reserve || !static_batch_in(&tracepoint_batch_tasks))
		tracepoint_batch_commit();
}

static int tracepoint_batch_add_probe(struct pending_probes *probes,
				      struct tracepoint_func *func, int prio,
				      bool warn)
{
	struct tracepoint *tp = tracepoint_batch_tp(probes);
	struct tracepoint_func *funcs, *old;
	int ret;

	if (tp->regfunc && !probes->funcs) {
		ret = tp->regfunc();
		if (ret < 0)
			return ret;
	}

	funcs = probes->funcs;
	old = tp_func_add(&funcs, func, prio);
	if (IS_ERR(old)) {
		if (tp->unregfunc && !probes->funcs)
			tp->unregfunc();
		WARN_ON_ONCE(warn && PTR_ERR(old) != -ENOMEM);
		return PTR_ERR(old);
	}

	tracepoint_batch_set_funcs(probes, old, funcs);
	return 0;
}

bool __tracepoint_batch_add(struct tracepoint *tp, struct tracepoint_func *func, int prio,
			    bool warn, int *ret)
{
	struct pending_probes *probes = tracepoint_batch_put_off(tp);

	if (!probes)
		return false;

	*ret = tracepoint_batch_add_probe(probes, func, prio, warn);
	tracepoint_batch_put_off_done(probes);
	return true;
}

static int tracepoint_batch_remove_probe(struct pending_probes *probes,
					 struct tracepoint_func *func)
{
	struct tracepoint *tp = tracepoint_batch_tp(probes);
	struct tracepoint_func *funcs, *old;

	funcs = probes->funcs;
	old = tp_func_remove(&funcs, func);
	if (WARN_ON_ONCE(IS_ERR(old)))
		return PTR_ERR(old);

	/* Without memory for a shorter array a stub has taken the probe's place. */
	if (funcs == old)
		return 0;

	if (tp->unregfunc && !funcs)
		tp->unregfunc();
	tracepoint_batch_set_funcs(probes, old, funcs);
	return 0;
}

bool __tracepoint_batch_remove(struct tracepoint *tp, struct tracepoint_func *func,
			       int *ret)
{
	struct pending_probes *probes = tracepoint_batch_put_off(tp);

	if (!probes)
		return false;

	*ret = tracepoint_batch_remove_probe(probes, func);
	tracepoint_batch_put_off_done(probes);
	return true;
}

/* Before a module with tracepoints goes away. Takes tracepoints_mutex. */
void tracepoint_batch_settle(void)
{
	mutex_lock(&tracepoints_mutex);
	tracepoint_batch_commit();
	mutex_unlock(&tracepoints_mutex);
}

/**
 * tracepoint_batch_begin - put off connecting and disconnecting probes
 * @batch: for tracepoint_batch_end(), on the stack
 *
 * Until tracepoint_batch_end(), what the current task registers with
 * tracepoint_probe_register() and unregisters with tracepoint_probe_unregister()
 * or their relatives need not be connected or disconnected yet. These functions
 * check and return what they always do; all that can fail has been done when
 * they return.
 *
 * A probe that was unregistered may be called until
 * tracepoint_synchronize_unregister() returns, as always, whichever task calls
 * it; that function lets everything pending take effect first.
 *
 * Batches may be nested, then the outermost one counts. It is a batch of static
 * keys as well, see static_batch_begin().
 *
 * Context: task. Takes no lock that it keeps.
 */
void tracepoint_batch_begin(struct tracepoint_batch *batch)
{
	static_batch_begin(&batch->keys);
	static_batch_enter(&tracepoint_batch_tasks, &batch->probes);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_begin);

/**
 * tracepoint_batch_end - connect and disconnect what has been put off
 * @batch: as given to tracepoint_batch_begin()
 *
 * Takes a number of synchronisations of the CPUs and of grace periods that does
 * not depend on how many probes or tracepoints there are.
 * Within another batch of the same task it does nothing.
 *
 * Context: task, the one that called tracepoint_batch_begin(). Takes
 *	    tracepoints_mutex, and what static_batch_end() takes.
 */
void tracepoint_batch_end(struct tracepoint_batch *batch)
{
	if (static_batch_leave(&tracepoint_batch_tasks, &batch->probes))
		tracepoint_batch_settle();
	static_batch_end(&batch->keys);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_end);

/**
 * tracepoint_batch_flush - let what has been put off take effect
 *
 * That is what any task has put off, in a batch that goes on. Without anything
 * pending it takes no lock.
 *
 * Context: task. Takes tracepoints_mutex, and what static_batch_flush() takes.
 */
void tracepoint_batch_flush(void)
{
	/*
	 * Whoever waits for a probe that another task has unregistered has been
	 * told so by that task, and therefore sees the count that it left.
	 */
	if (READ_ONCE(tracepoint_batch_items.nr))
		tracepoint_batch_settle();
}
EXPORT_SYMBOL_GPL(tracepoint_batch_flush);

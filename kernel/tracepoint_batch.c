// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of probes
 *
 * A tracepoint has an array of probes, a static call, which goes to the probe
 * if there is one and to an iterator over the array otherwise, and a static
 * key. tracepoint.c defines the order in which they may be changed for one
 * tracepoint; each change of a key or a call synchronises all CPUs.
 *
 * Between tracepoint_batch_begin() and tracepoint_batch_end(), probes are added
 * to and removed from arrays that are not published yet. The end of the batch
 * switches all tracepoints to their new arrays together, in these steps:
 *
 *  1. Keys of tracepoints that lose their last probe are disabled, and static
 *     calls to a single probe are set to the iterator, if the array changes at
 *     all. That is one batch of static keys and calls. The order within it does
 *     not matter: the old array is read throughout, and both the iterator and,
 *     with one probe, a direct call are correct for it.
 *  2. The new arrays replace the old ones. The only remaining static calls to a
 *     probe are those of tracepoints which do not change. The iterator reads
 *     the array itself, and finds the old one, the new one, or none.
 *  3. If a tracepoint gets a static call to its single probe: wait, once for
 *     all of them, until no CPU is about to make the call with data from an
 *     earlier array (tp_rcu_cond_sync()).
 *  4. Static calls are set to single probes, and keys of tracepoints that got
 *     their first probe are enabled. Again the order does not matter: the array
 *     is published, and both the iterator and a direct call are correct for it.
 *
 * Enabling any number of events takes steps 2 to 4, disabling them steps 1 and
 * 2; each is one batch of static keys and calls.
 *
 * regfunc() and unregfunc() of a tracepoint are called when the probe is added
 * or removed, as without batches: regfunc() before the first probe can be
 * called, unregfunc() while the last probe may still be called.
 *
 * All of this runs under tracepoints_mutex. Pending changes are flushed when a
 * task that is not in a batch changes a tracepoint that has one, when a module
 * with tracepoints is removed, and by tracepoint_synchronize_unregister(): the
 * task that waits for a probe to be gone need not be the task that unregistered
 * it.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <linux/tracepoint_batch.h>

#include "tracepoint_batch.h"

/* A pending change of the probes of a tracepoint. */
struct tracepoint_batch_probes {
	struct static_batch_item	item;
	struct tracepoint_func		*funcs;
	/* The tracepoint had no probes before. */
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

#define tracepoint_batch_for_each(probes) \
	list_for_each_entry(probes, &tracepoint_batch_items.list, item.node)
#define tracepoint_batch_for_each_safe(probes, next) \
	list_for_each_entry_safe(probes, next, &tracepoint_batch_items.list, \
				 item.node)

static struct tracepoint *
tracepoint_batch_tp(struct tracepoint_batch_probes *probes)
{
	return probes->item.key;
}

/* The published array of probes. */
static struct tracepoint_func *
tracepoint_batch_live_funcs(struct tracepoint *tp)
{
	return rcu_dereference_protected(tp->funcs,
					 lockdep_is_held(&tracepoints_mutex));
}

/*
 * Used if there is no memory for a pending change. tracepoint.c cannot make the
 * change then: in a batch of static keys its steps would be deferred one by
 * one.
 */
static struct tracepoint_batch_probes tracepoint_batch_reserve;

static struct tracepoint_batch_probes *
tracepoint_batch_pending(struct tracepoint *tp)
{
	struct static_batch_item *item =
		static_batch_item(&tracepoint_batch_items, tp);

	return item ?
		container_of(item, struct tracepoint_batch_probes, item) : NULL;
}

static void
tracepoint_batch_remove_probes(struct tracepoint_batch_probes *probes)
{
	static_batch_remove(&tracepoint_batch_items, &probes->item);
	if (probes != &tracepoint_batch_reserve)
		kfree(probes);
}

/* True if both arrays have the same probes. */
static bool tracepoint_batch_same_funcs(const struct tracepoint_func *a,
					const struct tracepoint_func *b)
{
	if (!a || !b)
		return a == b;

	for (; a->func == b->func && a->data == b->data && a->prio == b->prio;
	     a++, b++)
		if (!a->func)
			return true;
	return !a->func && !b->func;
}

static void tracepoint_batch_drop_unchanged(void)
{
	struct tracepoint_batch_probes *probes, *next;

	tracepoint_batch_for_each_safe(probes, next) {
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
static void tracepoint_batch_prepare(void)
{
	struct tracepoint_batch_probes *probes;

	tracepoint_batch_for_each(probes) {
		struct tracepoint *tp = tracepoint_batch_tp(probes);

		if (tracepoint_batch_live_funcs(tp) && !probes->funcs)
			static_key_disable(&tp->key.key);
		if (tp_func_state(tracepoint_batch_live_funcs(tp)) == TP_FUNC_1)
			tp_update_call(tp, NULL);
	}
	static_batch_flush();
}

/*
 * Step 2. Sets @first and @single if step 3 has to wait for the transitions
 * 1->0->1 and N->2->1.
 */
static void tracepoint_batch_replace(bool *first, bool *single)
{
	struct tracepoint_batch_probes *probes;

	*first = *single = false;
	tracepoint_batch_for_each(probes) {
		struct tracepoint *tp = tracepoint_batch_tp(probes);
		struct tracepoint_func *live = tracepoint_batch_live_funcs(tp);
		struct tracepoint_func *funcs = probes->funcs;
		bool to_single = tp_func_state(funcs) == TP_FUNC_1;

		probes->first = !live;
		rcu_assign_pointer(tp->funcs, funcs);
		/*
		 * As in tracepoint.c: remember the grace period after which a
		 * static call to a single probe cannot get data of an earlier
		 * array. Nothing waits below on the transition from 0 to 2
		 * probes, so the one from 2 to 1 has to wait for readers of the
		 * array before 0.
		 */
		if (!funcs)
			tp_rcu_get_state(TP_TRANSITION_SYNC_1_0_1);
		else if (live ? funcs[0].data != live[0].data : !to_single)
			tp_rcu_get_state(TP_TRANSITION_SYNC_N_2_1);
		if (to_single)
			*(live ? single : first) = true;
		tp_release_probes(tp, live);
	}
}

/* Step 4 */
static void tracepoint_batch_finish(void)
{
	struct tracepoint_batch_probes *probes, *next;

	tracepoint_batch_for_each(probes)
		if (tp_func_state(probes->funcs) == TP_FUNC_1)
			tp_update_call(tracepoint_batch_tp(probes),
				       probes->funcs);
	tracepoint_batch_for_each_safe(probes, next) {
		if (probes->first)
			static_key_enable(&tracepoint_batch_tp(probes)->key.key);
		tracepoint_batch_remove_probes(probes);
	}
	static_batch_flush();
}

/* Flush all pending changes, including those of other tasks. */
static void tracepoint_batch_commit(void)
{
	struct static_batch batch;
	bool first, single;

	lockdep_assert_held(&tracepoints_mutex);

	if (!tracepoint_batch_items.nr)
		return;
	static_batch_begin(&batch);
	tracepoint_batch_drop_unchanged();
	tracepoint_batch_prepare();
	tracepoint_batch_replace(&first, &single);
	if (first)
		tp_rcu_cond_sync(TP_TRANSITION_SYNC_1_0_1);
	if (single)
		tp_rcu_cond_sync(TP_TRANSITION_SYNC_N_2_1);
	tracepoint_batch_finish();
	static_batch_end(&batch);
}

/*
 * Returns the pending change of @tp, a new one if there is none. NULL if the
 * task is not in a batch; then no change of @tp is pending.
 */
static struct tracepoint_batch_probes *
tracepoint_batch_defer(struct tracepoint *tp)
{
	struct tracepoint_batch_probes *probes = tracepoint_batch_pending(tp);

	if (!static_batch_in(&tracepoint_batch_tasks) &&
	    !static_batch_in_task()) {
		if (probes)
			tracepoint_batch_commit();
		return NULL;
	}
	if (probes)
		return probes;

	probes = static_batch_alloc(sizeof(*probes));
	if (!probes)
		probes = &tracepoint_batch_reserve;
	probes->funcs = tracepoint_batch_live_funcs(tp);
	static_batch_add(&tracepoint_batch_items, &probes->item, tp);
	return probes;
}

static void tracepoint_batch_set_funcs(struct tracepoint_batch_probes *probes,
				       struct tracepoint_func *old,
				       struct tracepoint_func *funcs)
{
	if (old != tracepoint_batch_live_funcs(tracepoint_batch_tp(probes)))
		tp_free_probes(old);
	probes->funcs = funcs;
}

/*
 * To be called after every successful tracepoint_batch_defer(), whether or not
 * a change was made.
 */
static void tracepoint_batch_defer_done(struct tracepoint_batch_probes *probes)
{
	/*
	 * In a batch of static keys only, the caller expects its probe to be
	 * called.
	 */
	if (probes == &tracepoint_batch_reserve ||
	    !static_batch_in(&tracepoint_batch_tasks))
		tracepoint_batch_commit();
}

static int tracepoint_batch_add_probe(struct tracepoint_batch_probes *probes,
				      struct tracepoint_func *func, int prio,
				      bool warn)
{
	struct tracepoint *tp = tracepoint_batch_tp(probes);
	struct tracepoint_func *funcs, *old;
	int ret;

	if (tp->ext && tp->ext->regfunc && !probes->funcs) {
		ret = tp->ext->regfunc();
		if (ret < 0)
			return ret;
	}

	funcs = probes->funcs;
	old = tp_func_add(&funcs, func, prio);
	if (IS_ERR(old)) {
		if (tp->ext && tp->ext->unregfunc && !probes->funcs)
			tp->ext->unregfunc();
		WARN_ON_ONCE(warn && PTR_ERR(old) != -ENOMEM);
		return PTR_ERR(old);
	}

	tracepoint_batch_set_funcs(probes, old, funcs);
	return 0;
}

bool __tracepoint_batch_add(struct tracepoint *tp, struct tracepoint_func *func,
			    int prio, bool warn, int *ret)
{
	struct tracepoint_batch_probes *probes = tracepoint_batch_defer(tp);

	if (!probes)
		return false;

	*ret = tracepoint_batch_add_probe(probes, func, prio, warn);
	tracepoint_batch_defer_done(probes);
	return true;
}

static int tracepoint_batch_remove_probe(struct tracepoint_batch_probes *probes,
					 struct tracepoint_func *func)
{
	struct tracepoint *tp = tracepoint_batch_tp(probes);
	struct tracepoint_func *funcs, *old;

	funcs = probes->funcs;
	old = tp_func_remove(&funcs, func);
	if (WARN_ON_ONCE(IS_ERR(old)))
		return PTR_ERR(old);

	/*
	 * If there was no memory for a shorter array, a stub has replaced the
	 * probe.
	 */
	if (funcs == old)
		return 0;

	if (tp->ext && tp->ext->unregfunc && !funcs)
		tp->ext->unregfunc();
	tracepoint_batch_set_funcs(probes, old, funcs);
	return 0;
}

bool __tracepoint_batch_remove(struct tracepoint *tp,
			       struct tracepoint_func *func, int *ret)
{
	struct tracepoint_batch_probes *probes = tracepoint_batch_defer(tp);

	if (!probes)
		return false;

	*ret = tracepoint_batch_remove_probe(probes, func);
	tracepoint_batch_defer_done(probes);
	return true;
}

/* Flush all pending changes. Takes tracepoints_mutex. */
void __tracepoint_batch_flush(void)
{
	mutex_lock(&tracepoints_mutex);
	tracepoint_batch_commit();
	mutex_unlock(&tracepoints_mutex);
}

/**
 * tracepoint_batch_begin - defer registering and unregistering of probes
 * @batch: passed to tracepoint_batch_end(), on the stack
 *
 * Until tracepoint_batch_end(), probes that the current task registers with
 * tracepoint_probe_register() may not be called yet, and probes that it
 * unregisters with tracepoint_probe_unregister() may still be called; the same
 * holds for the variants of these functions. Their checks and return values do
 * not change: all steps that can fail have been done when they return.
 *
 * A probe that was unregistered may be called until
 * tracepoint_synchronize_unregister() returns, as always, whichever task calls
 * it; that function flushes all pending changes first.
 *
 * Batches may be nested; changes are deferred to the end of the outermost one.
 * It is a batch of static keys as well, see static_batch_begin().
 *
 * Context: task. No lock is held on return.
 */
void tracepoint_batch_begin(struct tracepoint_batch *batch)
{
	static_batch_begin(&batch->keys);
	static_batch_enter(&tracepoint_batch_tasks, &batch->probes);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_begin);

/**
 * tracepoint_batch_end - make the deferred changes of probes
 * @batch: as given to tracepoint_batch_begin()
 *
 * The number of cross-CPU synchronisations and grace periods that this takes
 * does not depend on the number of probes or tracepoints. Within another batch
 * of the same task it does nothing.
 *
 * Context: task, the one that called tracepoint_batch_begin(). Takes
 *	tracepoints_mutex, and what static_batch_end() takes.
 */
void tracepoint_batch_end(struct tracepoint_batch *batch)
{
	if (static_batch_leave(&tracepoint_batch_tasks, &batch->probes))
		__tracepoint_batch_flush();
	static_batch_end(&batch->keys);
}
EXPORT_SYMBOL_GPL(tracepoint_batch_end);

/**
 * tracepoint_batch_flush - make all deferred changes of probes now
 *
 * Makes the changes that any task has deferred; open batches continue. If
 * nothing is pending it takes no lock.
 *
 * Context: task. Takes tracepoints_mutex, and what static_batch_flush() takes.
 */
void tracepoint_batch_flush(void)
{
	/*
	 * A caller that waits for a probe that another task has unregistered is
	 * ordered after that unregistration, so it sees the count that the
	 * other task has written.
	 */
	if (READ_ONCE(tracepoint_batch_items.nr))
		__tracepoint_batch_flush();
}
EXPORT_SYMBOL_GPL(tracepoint_batch_flush);

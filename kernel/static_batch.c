// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of changes to static keys and static calls
 *
 * Patching a site takes several synchronisations of all CPUs on x86 and at
 * least one elsewhere, but these can be shared by any number of sites. Between
 * static_batch_begin() and static_batch_end() the functions that enable and
 * disable static keys and update static calls only change the state and write
 * down that the code has to follow. static_batch_end() patches all of it.
 *
 * What is pending is known to everybody, by the address of the key. So nobody
 * waits for the end of somebody else's batch, and there is no lock that is held
 * from begin to end:
 *
 * - A task in a batch changes the state. Its change may cancel a pending one,
 *   of whichever task.
 * - A task that is not in a batch patches the key that it is about to change if
 *   it is pending, and goes on as ever. What its functions promise on return is
 *   what they promise without batches.
 * - Modules come and go only after everything pending has been patched. Module
 *   notifiers make changes as well, which is what is pending then once more; so
 *   the last of them patches it, before a module and its keys are freed. If one
 *   of them refuses the module, those behind it are not told that the module
 *   goes, and prepare_coming_module() patches what is pending.
 * - The end of a batch patches everything pending, also what other batches have
 *   left so far. A change may take effect before the end of its batch, never
 *   after it.
 *
 * Memory is needed for each pending key. Without it, all that is pending is
 * patched at once and the change is made as outside of a batch.
 *
 * A pending key is one whose sites all say the opposite of its state. Enabled,
 * static_key::enabled is STATIC_BATCH_PENDING plus its count: as that is
 * negative, static_key_fast_inc_not_disabled() and static_key_dec_not_one(),
 * which take no lock, do not change it. Disabled, it is 0, where these two stop
 * as well. So every change of a pending key gets here, under jump_label_mutex.
 *
 * Locks, outermost first: cpus_read_lock(), static_call_mutex (pending calls),
 * jump_label_mutex (pending keys), and what the architecture takes in order to
 * patch.
 */
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>

#include "static_batch.h"

struct static_batch_tasks static_batch_tasks = {
	.lock = __SPIN_LOCK_UNLOCKED(static_batch_tasks.lock),
	.list = LIST_HEAD_INIT(static_batch_tasks.list),
};

/* Protected by jump_label_mutex */
struct static_batch_items static_batch_keys = {
	.list = LIST_HEAD_INIT(static_batch_keys.list),
};

/* Protected by static_call_mutex */
struct static_batch_items static_batch_calls = {
	.list = LIST_HEAD_INIT(static_batch_calls.list),
};

/* --- static keys ---------------------------------------------------------- */

static bool static_batch_add_key(struct static_key *key)
{
	struct static_batch_item *item = static_batch_alloc(sizeof(*item));

	if (!item)
		return false;
	static_batch_add(&static_batch_keys, item, key);
	return true;
}

static void static_batch_remove_key(struct static_batch_item *item)
{
	static_batch_remove(&static_batch_keys, item);
	kfree(item);
}

/* The sites say what the state says. */
static void static_batch_key_is_patched(struct static_batch_item *item)
{
	struct static_key *key = item->what;
	int count = atomic_read(&key->enabled);

	/* Pairs with the fast paths, see static_key_slow_inc_cpuslocked(). */
	if (count < 0)
		atomic_set_release(&key->enabled, count - STATIC_BATCH_PENDING);
	static_batch_remove_key(item);
}

bool static_batch_pending(struct static_key *key)
{
	return static_batch_item(&static_batch_keys, key);
}

static void static_batch_queue_keys(void)
{
	struct static_batch_item *item;

	list_for_each_entry(item, &static_batch_keys.list, node) {
		static_key_patch(item->what, true);
		cond_resched();
	}
}

static void static_batch_keys_are_patched(void)
{
	struct static_batch_item *item, *next;

	list_for_each_entry_safe(item, next, &static_batch_keys.list, node)
		static_batch_key_is_patched(item);
}

/*
 * Remember that @key has to be patched. If that cannot be, nothing is pending
 * afterwards.
 */
static bool static_batch_put_off_key(struct static_key *key)
{
	if (static_batch_add_key(key))
		return true;
	static_batch_settle_keys();
	return false;
}

static bool static_batch_key_inc(struct static_key *key,
				 struct static_batch_item *item, bool count)
{
	int old = atomic_read(&key->enabled);

	if (old > 0)
		return false;
	if (old < 0) {
		if (count)
			atomic_inc(&key->enabled);
		else
			WARN_ON_ONCE(old != STATIC_BATCH_PENDING + 1);
	} else if (item) {
		/* It has been disabled in a batch, and its sites are still on. */
		atomic_set_release(&key->enabled, 1);
		static_batch_remove_key(item);
	} else {
		if (!static_key_has_sites(key) ||
		    !static_batch_put_off_key(key))
			return false;
		atomic_set(&key->enabled, STATIC_BATCH_PENDING + 1);
	}
	return true;
}

static bool static_batch_key_dec(struct static_key *key,
				 struct static_batch_item *item, bool count)
{
	int old = atomic_read(&key->enabled);

	if (old == STATIC_BATCH_PENDING + 1) {
		/* It has been enabled in a batch, and its sites are still off. */
		atomic_set(&key->enabled, 0);
		static_batch_remove_key(item);
	} else if (old < 0) {
		if (!WARN_ON_ONCE(!count))
			atomic_dec(&key->enabled);
	} else if (old == 1) {
		if (!static_key_has_sites(key) ||
		    !static_batch_put_off_key(key))
			return false;
		/* Only static_key_fast_inc_not_disabled() can come in between. */
		if (atomic_cmpxchg(&key->enabled, 1, 0) != 1) {
			item = static_batch_item(&static_batch_keys, key);
			static_batch_remove_key(item);
			return false;
		}
	} else {
		return false;
	}
	return true;
}

bool __static_batch_key(struct static_key *key, enum static_batch_op op)
{
	struct static_batch_item *item = static_batch_item(&static_batch_keys, key);

	if (!static_batch_in_task()) {
		if (item) {
			static_key_patch(key, false);
			static_batch_key_is_patched(item);
		}
		return false;
	}

	switch (op) {
	case STATIC_BATCH_INC:
	case STATIC_BATCH_ENABLE:
		return static_batch_key_inc(key, item, op == STATIC_BATCH_INC);
	case STATIC_BATCH_DEC:
	case STATIC_BATCH_DISABLE:
		return static_batch_key_dec(key, item, op == STATIC_BATCH_DEC);
	}
	return false;
}

/* --- static calls --------------------------------------------------------- */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE

struct pending_call {
	struct static_batch_item	item;
	void				*tramp;
};

static struct pending_call *
static_batch_pending_call(struct static_call_key *key)
{
	struct static_batch_item *item = static_batch_item(&static_batch_calls, key);

	return item ? container_of(item, struct pending_call, item) : NULL;
}

static void static_batch_remove_call(struct pending_call *call)
{
	static_batch_remove(&static_batch_calls, &call->item);
	kfree(call);
}

static void static_batch_queue_calls(void)
{
	struct pending_call *call, *next;

	/*
	 * The architecture compares what is there with what it will write, so
	 * one that was changed back costs nothing here.
	 */
	list_for_each_entry_safe(call, next, &static_batch_calls.list, item.node) {
		static_call_patch(call->item.what, call->tramp, true);
		static_batch_remove_call(call);
		cond_resched();
	}
}

void __static_batch_settle_calls(void)
{
	struct pending_call *call, *next;

	list_for_each_entry_safe(call, next, &static_batch_calls.list, item.node) {
		static_call_patch(call->item.what, call->tramp, false);
		static_batch_remove_call(call);
	}
}

bool __static_batch_call(struct static_call_key *key, void *tramp, void *func)
{
	struct pending_call *call = static_batch_pending_call(key);

	if (!static_batch_in_task()) {
		if (call) {
			static_call_patch(key, call->tramp, false);
			static_batch_remove_call(call);
		}
		return false;
	}

	if (key->func == func)
		return true;
	if (!call) {
		call = static_batch_alloc(sizeof(*call));
		if (!call) {
			static_batch_settle_calls();
			return false;
		}
		call->tramp = tramp;
		static_batch_add(&static_batch_calls, &call->item, key);
	}
	WRITE_ONCE(key->func, func);
	return true;
}

#else

static void static_batch_queue_calls(void) { }

#endif

/* --- batches -------------------------------------------------------------- */

static void static_batch_patch_pending(bool calls)
{
	arch_static_batch_begin();
	if (calls)
		static_batch_queue_calls();
	static_batch_queue_keys();
#ifdef HAVE_JUMP_LABEL_BATCH
	arch_jump_label_transform_apply();
#endif
	arch_static_batch_end();
	static_batch_keys_are_patched();
}

void __static_batch_settle_keys(void)
{
	static_batch_patch_pending(false);
}

static void static_batch_flush_cpuslocked(void)
{
	lockdep_assert_cpus_held();

	static_call_lock();
	jump_label_lock();
	if (static_batch_calls.nr || static_batch_keys.nr)
		static_batch_patch_pending(true);
	jump_label_unlock();
	static_call_unlock();
}

/**
 * static_batch_begin - put off changes of static keys and static calls
 * @batch: for static_batch_end(), on the stack
 *
 * Until static_batch_end(), what the current task does with
 * static_branch_enable(), _disable(), _inc(), _dec(), their relatives and
 * static_call_update() changes the state, as static_key_enabled() and
 * static_call_query() show it, but not necessarily the code. Its sites may go
 * on for the whole time as before the batch; they are patched by
 * static_batch_end() with a number of synchronisations of the CPUs that does
 * not depend on how many sites there are. So, between begin and end, do not
 * free what the code behind a disabled key uses, and do not count on an enabled
 * one to be seen. static_batch_flush() helps where that is needed.
 *
 * Other tasks are not concerned. Batches may be nested, then the outermost one
 * counts; the one that began last ends first. A key may be changed several
 * times; one that ends as it began is not patched at all.
 *
 * static_call_update() is put off on architectures with
 * CONFIG_HAVE_STATIC_CALL_INLINE and takes effect at once elsewhere. Before
 * other CPUs are running everything may take effect at once.
 *
 * Context: task. Takes no lock that it keeps; the calls in between may be made
 *	    with or without cpus_read_lock(), as always.
 */
void static_batch_begin(struct static_batch *batch)
{
	static_batch_enter(&static_batch_tasks, batch);
}
EXPORT_SYMBOL_GPL(static_batch_begin);

/**
 * static_batch_flush - let everything take effect that has been put off
 *
 * In a batch or outside of one; the batch goes on. Afterwards every site, also
 * of other tasks' batches, is as the state of its key was at some time during
 * the call.
 *
 * Context: task, without cpus_read_lock(). Takes static_call_mutex and
 *	    jump_label_mutex.
 */
void static_batch_flush(void)
{
	cpus_read_lock();
	static_batch_flush_cpuslocked();
	cpus_read_unlock();
}
EXPORT_SYMBOL_GPL(static_batch_flush);

/**
 * static_batch_end_cpuslocked - end a batch, with CPU hotplug locked out
 * @batch: as given to static_batch_begin()
 *
 * Context: task, cpus_read_lock() or cpus_write_lock() held. Otherwise as
 *	    static_batch_end().
 */
void static_batch_end_cpuslocked(struct static_batch *batch)
{
	if (static_batch_leave(&static_batch_tasks, batch))
		static_batch_flush_cpuslocked();
}
EXPORT_SYMBOL_GPL(static_batch_end_cpuslocked);

/**
 * static_batch_end - patch what has been put off since static_batch_begin()
 * @batch: as given to static_batch_begin()
 *
 * On return, all sites on all CPUs are as the keys and static calls demand.
 * Within another batch of the same task it does nothing.
 *
 * Context: task, the one that called static_batch_begin(), without
 *	    cpus_read_lock(). Takes static_call_mutex and jump_label_mutex.
 */
void static_batch_end(struct static_batch *batch)
{
	if (static_batch_leave(&static_batch_tasks, batch))
		static_batch_flush();
}
EXPORT_SYMBOL_GPL(static_batch_end);

#ifdef CONFIG_MODULES

static int static_batch_module_notify(struct notifier_block *self, unsigned long val,
				      void *data)
{
	if (val == MODULE_STATE_GOING)
		static_batch_flush();
	return NOTIFY_OK;
}

static struct notifier_block static_batch_module_nb = {
	.notifier_call = static_batch_module_notify,
	.priority = INT_MIN, /* after all that change keys of the module */
};

static __init int static_batch_init(void)
{
	return register_module_notifier(&static_batch_module_nb);
}
early_initcall(static_batch_init);

#endif

#if IS_ENABLED(CONFIG_STATIC_BATCH_KUNIT_TEST)

static struct task_struct *test_task;
static int test_allocations, test_failures;

/* After so many allocations of the current task so many fail. */
void static_batch_test_memory(int allocations, int failures)
{
	test_allocations = allocations;
	test_failures = failures;
	WRITE_ONCE(test_task, failures ? current : NULL);
}
EXPORT_SYMBOL_GPL(static_batch_test_memory);

bool static_batch_test_no_memory(void)
{
	if (READ_ONCE(test_task) != current)
		return false;
	if (test_allocations) {
		test_allocations--;
		return false;
	}
	if (!test_failures)
		return false;
	test_failures--;
	return true;
}

/* How many keys and calls are pending. */
unsigned int static_batch_test_pending(void)
{
	return READ_ONCE(static_batch_keys.nr) + READ_ONCE(static_batch_calls.nr);
}
EXPORT_SYMBOL_GPL(static_batch_test_pending);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of changes to static keys and static calls
 *
 * Patching a site takes several synchronisations of all CPUs on x86 and at
 * least one elsewhere, but these can be shared by any number of sites. Between
 * static_batch_begin() and static_batch_end() the functions that enable and
 * disable static keys and update static calls only change the state and queue
 * the key or call. static_batch_end() patches all of them.
 *
 * Pending keys and calls are global and found by their address. So no task
 * waits for the end of another task's batch, and no lock is held from begin to
 * end:
 *
 * - A task in a batch changes the state. Its change may cancel a pending one of
 *   any task.
 * - A task that is not in a batch first patches the key that it is about to
 *   change if that is pending, and then changes it as without batches. The
 *   guarantees on return are the same as without batches.
 * - Modules come and go only after everything pending has been patched. Module
 *   notifiers may queue further changes; so the last notifier patches
 *   everything pending, before a module and its keys are freed. If a notifier
 *   refuses the module, the notifiers after it are not called for
 *   MODULE_STATE_GOING, and prepare_coming_module() patches everything pending.
 * - The end of a batch patches everything pending, including changes of other
 *   batches. A change may take effect before the end of its batch, never after
 *   it.
 *
 * Each pending key needs memory. If the allocation fails, everything pending is
 * patched at once and the change is made as outside of a batch.
 *
 * All sites of a pending key are in the state opposite to that of the key.
 * static_key::enabled of a pending key that is enabled is STATIC_BATCH_PENDING
 * plus its count: as that is negative, static_key_fast_inc_not_disabled() and
 * static_key_dec_not_one(), which take no lock, do not change it. If the
 * pending key is disabled it is 0, which these two functions do not change
 * either. So every change of a pending key calls __static_batch_key(), under
 * jump_label_mutex.
 *
 * Locks, outermost first: cpus_read_lock(), static_call_mutex (pending calls),
 * jump_label_mutex (pending keys), and the locks that the architecture takes to
 * patch code.
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

/*
 * All sites of the key have been patched: remove STATIC_BATCH_PENDING from
 * static_key::enabled, and the key from the list.
 */
static void static_batch_complete_key(struct static_batch_item *item)
{
	struct static_key *key = item->key;
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
		static_key_patch(item->key, true);
		cond_resched();
	}
}

static void static_batch_complete_keys(void)
{
	struct static_batch_item *item, *next;

	list_for_each_entry_safe(item, next, &static_batch_keys.list, node)
		static_batch_complete_key(item);
}

/*
 * Queue @key for the end of the batch. On failure all pending keys have been
 * patched.
 */
static bool static_batch_defer_key(struct static_key *key)
{
	if (static_batch_add_key(key))
		return true;
	static_batch_flush_keys();
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
		/* Disabled in a batch, and the sites are still enabled. */
		atomic_set_release(&key->enabled, 1);
		static_batch_remove_key(item);
	} else {
		if (!static_key_has_sites(key) ||
		    !static_batch_defer_key(key))
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
		/* Enabled in a batch, and the sites are still disabled. */
		atomic_set(&key->enabled, 0);
		static_batch_remove_key(item);
	} else if (old < 0) {
		if (!WARN_ON_ONCE(!count))
			atomic_dec(&key->enabled);
	} else if (old == 1) {
		if (!static_key_has_sites(key) ||
		    !static_batch_defer_key(key))
			return false;
		/*
		 * Only static_key_fast_inc_not_disabled() can race with this.
		 */
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
	struct static_batch_item *item =
		static_batch_item(&static_batch_keys, key);

	if (!static_batch_in_task()) {
		if (item) {
			static_key_patch(key, false);
			static_batch_complete_key(item);
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

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE

struct static_batch_pending_call {
	struct static_batch_item	item;
	void				*tramp;
};

static struct static_batch_pending_call *
static_batch_find_call(struct static_call_key *key)
{
	struct static_batch_item *item =
		static_batch_item(&static_batch_calls, key);

	return item ? container_of(item, struct static_batch_pending_call,
				   item) : NULL;
}

static void static_batch_remove_call(struct static_batch_pending_call *call)
{
	static_batch_remove(&static_batch_calls, &call->item);
	kfree(call);
}

static void static_batch_queue_calls(void)
{
	struct static_batch_pending_call *call, *next;

	/*
	 * The architecture compares the code with the new instruction, so a
	 * call that was changed back costs nothing here.
	 */
	list_for_each_entry_safe(call, next, &static_batch_calls.list,
				 item.node) {
		static_call_patch(call->item.key, call->tramp, true);
		static_batch_remove_call(call);
		cond_resched();
	}
}

void __static_batch_flush_calls(void)
{
	struct static_batch_pending_call *call, *next;

	list_for_each_entry_safe(call, next, &static_batch_calls.list,
				 item.node) {
		static_call_patch(call->item.key, call->tramp, false);
		static_batch_remove_call(call);
	}
}

bool __static_batch_call(struct static_call_key *key, void *tramp, void *func)
{
	struct static_batch_pending_call *call = static_batch_find_call(key);

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
			static_batch_flush_calls();
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
	static_batch_complete_keys();
}

void __static_batch_flush_keys(void)
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
 * static_batch_begin - defer changes of static keys and static calls
 * @batch: passed to static_batch_end(), on the stack
 *
 * Until static_batch_end(), static_branch_enable(), _disable(), _inc(), _dec(),
 * their variants and static_call_update(), when called by the current task,
 * change the state, as static_key_enabled() and static_call_query() return it,
 * but not necessarily the code. The sites may stay as before the batch until
 * static_batch_end() patches them, with a number of cross-CPU synchronisations
 * that does not depend on the number of sites. So, between begin and end, do
 * not free data that the code behind a disabled key uses, and do not rely on
 * the code behind an enabled key to run. Call static_batch_flush() where that
 * is needed.
 *
 * Other tasks are not affected. Batches may be nested, the last to begin ending
 * first; changes are deferred to the end of the outermost one. A key may be
 * changed more than once; a key that ends in the state in which it began is not
 * patched at all.
 *
 * static_call_update() is deferred on architectures with
 * CONFIG_HAVE_STATIC_CALL_INLINE and takes effect at once elsewhere. Before
 * other CPUs are running all changes may take effect at once.
 *
 * Context: task. No lock is held on return; the calls in between may be made
 *	with or without cpus_read_lock(), as always.
 */
void static_batch_begin(struct static_batch *batch)
{
	static_batch_enter(&static_batch_tasks, batch);
}
EXPORT_SYMBOL_GPL(static_batch_begin);

/**
 * static_batch_flush - patch all deferred changes now
 *
 * May be called in a batch, which continues, or outside of one. On return,
 * every site, also of keys that other tasks' batches have changed, is in a
 * state that its key had at some time during the call.
 *
 * Context: task, without cpus_read_lock(). Takes static_call_mutex and
 *	jump_label_mutex.
 */
void static_batch_flush(void)
{
	cpus_read_lock();
	static_batch_flush_cpuslocked();
	cpus_read_unlock();
}
EXPORT_SYMBOL_GPL(static_batch_flush);

/**
 * static_batch_end_cpuslocked - end a batch with cpu_hotplug_lock held
 * @batch: as given to static_batch_begin()
 *
 * Context: task, cpus_read_lock() or cpus_write_lock() held. Otherwise as
 *	static_batch_end().
 */
void static_batch_end_cpuslocked(struct static_batch *batch)
{
	if (static_batch_leave(&static_batch_tasks, batch))
		static_batch_flush_cpuslocked();
}
EXPORT_SYMBOL_GPL(static_batch_end_cpuslocked);

/**
 * static_batch_end - patch the changes deferred since static_batch_begin()
 * @batch: as given to static_batch_begin()
 *
 * On return, all sites on all CPUs are in the state of their keys and static
 * calls. Within another batch of the same task it does nothing.
 *
 * Context: task, the one that called static_batch_begin(), without
 *	cpus_read_lock(). Takes static_call_mutex and jump_label_mutex.
 */
void static_batch_end(struct static_batch *batch)
{
	if (static_batch_leave(&static_batch_tasks, batch))
		static_batch_flush();
}
EXPORT_SYMBOL_GPL(static_batch_end);

#ifdef CONFIG_MODULES

static int static_batch_module_notify(struct notifier_block *self,
				      unsigned long val, void *data)
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

static struct task_struct *static_batch_test_task;
static int static_batch_test_allocations, static_batch_test_failures;

/*
 * Lets the next @failures allocations of the current task fail, after
 * @allocations ones that succeed.
 */
void static_batch_test_memory(int allocations, int failures)
{
	static_batch_test_allocations = allocations;
	static_batch_test_failures = failures;
	WRITE_ONCE(static_batch_test_task, failures ? current : NULL);
}
EXPORT_SYMBOL_GPL(static_batch_test_memory);

bool static_batch_test_no_memory(void)
{
	if (READ_ONCE(static_batch_test_task) != current)
		return false;
	if (static_batch_test_allocations) {
		static_batch_test_allocations--;
		return false;
	}
	if (!static_batch_test_failures)
		return false;
	static_batch_test_failures--;
	return true;
}

/* Returns the number of pending keys and calls. */
unsigned int static_batch_test_pending(void)
{
	return READ_ONCE(static_batch_keys.nr) +
	       READ_ONCE(static_batch_calls.nr);
}
EXPORT_SYMBOL_GPL(static_batch_test_pending);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Batches of changes to static keys and static calls
 *
 * Patching a site takes several synchronisations of all CPUs on x86 and at
 * least one elsewhere, but these can be shared by any number of sites. So a
 * caller that changes many keys and calls queues them in a struct static_batch
 * of its own, and has them patched at once.
 *
 * A queued change is a line in the caller's memory: no key, call or site knows
 * of it, and all other functions for keys and calls behave as always, whoever
 * calls them. static_batch_apply() makes the changes, under the locks that one
 * change takes: cpus_read_lock(), static_call_mutex (a queued call),
 * jump_label_mutex (a queued key), and those that the architecture takes to
 * patch code.
 *
 * STATIC_BATCH_MAX bounds how long these are held. A tracepoint is two changes,
 * of a key and a call; x86 bounds the number of sites that are patched at once
 * as well.
 */
#include <linux/cpu.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/static_batch.h>

#include "static_batch.h"

#define STATIC_BATCH_MAX	4096

/**
 * static_batch_init() - begin a batch without any changes
 * @batch: on the stack of the caller, or anywhere
 *
 * Nothing has to be undone if no change is queued.
 */
void static_batch_init(struct static_batch *batch)
{
	batch->changes = batch->few;
	batch->nr = 0;
	batch->max = ARRAY_SIZE(batch->few);
}
EXPORT_SYMBOL_GPL(static_batch_init);

static bool static_batch_grow(struct static_batch *batch)
{
	bool few = batch->changes == batch->few;
	unsigned int max = max(2 * batch->max, 128);
	struct static_batch_change *changes;

	if (max > STATIC_BATCH_MAX)
		return false;
	changes = kvrealloc(few ? NULL : batch->changes, max * sizeof(*changes),
			    GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY);
	if (!changes)
		return false;
	if (few)
		memcpy(changes, batch->few, sizeof(batch->few));
	batch->changes = changes;
	batch->max = max;
	return true;
}

static void static_batch_add(struct static_batch *batch, void *key, void *tramp,
			     void *func)
{
	if (batch->nr == batch->max && !static_batch_grow(batch))
		static_batch_apply(batch);
	batch->changes[batch->nr++] = (struct static_batch_change) {
		.key = key, .tramp = tramp, .func = func,
	};
}

/**
 * static_batch_key() - queue a static key to be enabled or disabled
 * @batch: the batch
 * @key: the key, which must not be freed before static_batch_apply()
 * @enable: true to enable it, as static_key_enable() does, false to disable it,
 *	as static_key_disable() does
 *
 * Nothing changes before static_batch_apply(), unless the batch is full or there
 * is no memory to queue the change: then those queued before are applied. A key
 * that is queued twice ends in the state that was queued last.
 *
 * Context: task, may sleep. Where static_key_enable() may be called, without
 *	cpus_read_lock().
 */
void static_batch_key(struct static_batch *batch, struct static_key *key,
		      bool enable)
{
	static_batch_add(batch, key, NULL, enable ? key : NULL);
}
EXPORT_SYMBOL_GPL(static_batch_key);

/**
 * static_batch_call() - queue an update of a static call
 * @batch: the batch
 * @key: the key of the call, &STATIC_CALL_KEY(name), which must not be freed
 *	before static_batch_apply()
 * @tramp: its trampoline, STATIC_CALL_TRAMP_ADDR(name)
 * @func: what to call, as in static_call_update(), of which the type is not
 *	checked here
 *
 * As static_batch_key(). An architecture without CONFIG_HAVE_STATIC_CALL_INLINE
 * has one site to change, and that is done at once.
 *
 * Context: as static_batch_key().
 */
void static_batch_call(struct static_batch *batch, struct static_call_key *key,
		       void *tramp, void *func)
{
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		static_batch_add(batch, key, tramp, func);
	else
		__static_call_update(key, tramp, func);
}
EXPORT_SYMBOL_GPL(static_batch_call);

/**
 * static_batch_apply() - make all queued changes
 * @batch: the batch, empty on return, and to be used again or not
 *
 * The sites are patched in no particular order, with as many cross-CPU
 * synchronisations as a single change takes, on x86_64 three. On return, each
 * CPU executes the new code, and the memory of the batch is freed.
 *
 * Context: task, may sleep. Without cpus_read_lock(), static_call_mutex,
 *	jump_label_mutex and text_mutex, which it takes.
 */
void static_batch_apply(struct static_batch *batch)
{
	struct static_batch_change *change, *stop = batch->changes + batch->nr;

	if (batch->nr) {
		cpus_read_lock();
		static_call_lock();
		jump_label_lock();
		for (change = batch->changes; change < stop; change++) {
			if (change->tramp)
				static_call_queue(change->key, change->tramp,
						  change->func);
			else
				static_key_batch_set(change->key, change->func);
		}
		jump_label_apply();
		arch_static_call_apply();
		for (change = batch->changes; change < stop; change++)
			if (!change->tramp)
				static_key_batch_done(change->key);
		jump_label_unlock();
		static_call_unlock();
		cpus_read_unlock();
	}
	if (batch->changes != batch->few)
		kvfree(batch->changes);
	static_batch_init(batch);
}
EXPORT_SYMBOL_GPL(static_batch_apply);

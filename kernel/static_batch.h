/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface of kernel/static_batch.c to the code whose changes it defers:
 * jump_label.c, static_call_inline.c and tracepoint.c.
 */
#ifndef _KERNEL_STATIC_BATCH_H
#define _KERNEL_STATIC_BATCH_H

#include <linux/hash.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/static_batch.h>
#include <linux/static_call.h>

/*
 * All tasks that are in a batch of one kind. There is rarely more than one, and
 * only code patching looks it up, so a list is enough and task_struct need not
 * grow.
 */
struct static_batch_tasks {
	/* Protects @list and static_batch::depth of its entries. */
	spinlock_t		lock;
	struct list_head	list;
};

static inline struct static_batch *
static_batch_find(struct static_batch_tasks *tasks)
{
	struct static_batch *batch;

	list_for_each_entry(batch, &tasks->list, node)
		if (batch->task == current)
			return batch;
	return NULL;
}

/*
 * True if the current task is in a batch. The list may be tested for emptiness
 * without its lock, as only a task itself adds its batch.
 */
static inline bool static_batch_in(struct static_batch_tasks *tasks)
{
	bool in;

	if (likely(list_empty(&tasks->list)))
		return false;

	spin_lock(&tasks->lock);
	in = static_batch_find(tasks);
	spin_unlock(&tasks->lock);
	return in;
}

static inline void static_batch_enter(struct static_batch_tasks *tasks,
				      struct static_batch *batch)
{
	struct static_batch *outer;

	might_sleep();
	spin_lock(&tasks->lock);
	outer = static_batch_find(tasks);
	if (outer) {
		outer->depth++;
		batch->task = NULL;
	} else {
		batch->depth = 0;
		batch->task = current;
		list_add(&batch->node, &tasks->list);
	}
	spin_unlock(&tasks->lock);
}

/*
 * True if this was the outermost batch of the task, which then flushes the
 * deferred changes.
 */
static inline bool static_batch_leave(struct static_batch_tasks *tasks,
				      struct static_batch *batch)
{
	struct static_batch *outer;

	spin_lock(&tasks->lock);
	outer = static_batch_find(tasks);
	if (outer == batch) {
		/*
		 * Remove it even if a nested batch is still open, as the stack
		 * frame of @batch will be gone. A nested batch that ends later
		 * finds no outer one.
		 */
		WARN_ON_ONCE(batch->depth);
		list_del(&batch->node);
	} else if (!WARN_ON_ONCE(!outer || !outer->depth)) {
		outer->depth--;
	}
	spin_unlock(&tasks->lock);
	return outer == batch;
}

#define STATIC_BATCH_HASH_BITS	8

/*
 * A key, static call or tracepoint whose code does not match its state, found
 * by the address in @key. Embedded in a structure of the user.
 */
struct static_batch_item {
	struct hlist_node	hash;
	struct list_head	node;
	void			*key;
};

/* Protected by the lock that protects the state of the queued objects. */
struct static_batch_items {
	struct hlist_head	hash[1 << STATIC_BATCH_HASH_BITS];
	struct list_head	list;
	/* May be read without that lock. */
	unsigned int		nr;
};

static inline struct static_batch_item *
static_batch_item(struct static_batch_items *items, void *key)
{
	struct static_batch_item *item;

	hlist_for_each_entry(item,
			     &items->hash[hash_ptr(key, STATIC_BATCH_HASH_BITS)],
			     hash)
		if (item->key == key)
			return item;
	return NULL;
}

static inline void static_batch_add(struct static_batch_items *items,
				    struct static_batch_item *item, void *key)
{
	item->key = key;
	hlist_add_head(&item->hash,
		       &items->hash[hash_ptr(key, STATIC_BATCH_HASH_BITS)]);
	list_add_tail(&item->node, &items->list);
	WRITE_ONCE(items->nr, items->nr + 1);
}

/* Allocates a structure with an embedded static_batch_item. */
static inline void *static_batch_alloc(size_t size)
{
	return static_batch_test_no_memory() ? NULL : kmalloc(size, GFP_KERNEL);
}

/*
 * The caller frees the item. A reader that sees the lower count sees everything
 * that was written before.
 */
static inline void static_batch_remove(struct static_batch_items *items,
				       struct static_batch_item *item)
{
	hlist_del(&item->hash);
	list_del(&item->node);
	/* Pairs with static_batch_keys_pending(). */
	smp_store_release(&items->nr, items->nr - 1);
}

enum static_batch_op {
	STATIC_BATCH_INC,
	STATIC_BATCH_DEC,
	STATIC_BATCH_ENABLE,
	STATIC_BATCH_DISABLE,
};

/*
 * static_key::enabled of a key that n users have enabled in a batch is
 * STATIC_BATCH_PENDING + n until its sites are patched. It is negative, so that
 * static_key_fast_inc_not_disabled() and static_key_dec_not_one() do not change
 * it, and it is not -1, which means that the first static_key_slow_inc() is in
 * progress.
 */
#define STATIC_BATCH_PENDING	INT_MIN

#ifdef CONFIG_JUMP_LABEL
extern struct static_batch_tasks static_batch_tasks;
extern struct static_batch_items static_batch_keys, static_batch_calls;

/*
 * True if the sites of a key have not been patched yet. Context:
 * jump_label_mutex held.
 */
bool static_batch_pending(struct static_key *key);

bool __static_batch_key(struct static_key *key, enum static_batch_op op);
void __static_batch_flush_keys(void);
bool __static_batch_call(struct static_call_key *key, void *tramp, void *func);
void __static_batch_flush_calls(void);

/*
 * static_batch_key - defer a change of a key
 *
 * True if the change has been deferred, or cancels a deferred one. Otherwise no
 * change of the key is pending and the caller patches it as without batches.
 *
 * Context: jump_label_mutex held.
 */
static inline bool static_batch_key(struct static_key *key,
				    enum static_batch_op op)
{
	if (likely(list_empty(&static_batch_tasks.list) &&
		   !static_batch_keys.nr))
		return false;
	return __static_batch_key(key, op);
}

/*
 * True if a key whose count is 0 may have sites that are still enabled. For
 * callers that hold no lock, and check again with the lock held. If false, the
 * sites of all keys that were pending have been patched.
 */
static inline bool static_batch_keys_pending(void)
{
	/* Pairs with the release in static_batch_remove(). */
	return smp_load_acquire(&static_batch_keys.nr);
}

/*
 * Called before keys and sites are added, removed or sealed. Context:
 * jump_label_mutex held.
 */
static inline void static_batch_flush_keys(void)
{
	if (static_batch_keys.nr)
		__static_batch_flush_keys();
}

/* As static_batch_key(). Context: static_call_mutex held. */
static inline bool static_batch_call(struct static_call_key *key, void *tramp,
				     void *func)
{
	if (likely(list_empty(&static_batch_tasks.list) &&
		   !static_batch_calls.nr))
		return false;
	return __static_batch_call(key, tramp, func);
}

/* Context: static_call_mutex held. */
static inline void static_batch_flush_calls(void)
{
	if (static_batch_calls.nr)
		__static_batch_flush_calls();
}

static inline bool static_batch_in_task(void)
{
	return static_batch_in(&static_batch_tasks);
}

/* kernel/jump_label.c; context: jump_label_mutex held. */
bool static_key_has_sites(struct static_key *key);
void static_key_patch(struct static_key *key, bool queue);
#else
static inline bool static_batch_call(struct static_call_key *key, void *tramp,
				     void *func)
{
	return false;
}

static inline void static_batch_flush_calls(void) { }
static inline bool static_batch_in_task(void) { return false; }
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* kernel/static_call_inline.c */
void static_call_lock(void);
void static_call_unlock(void);
void static_call_patch(struct static_call_key *key, void *tramp, bool queue);
#else
static inline void static_call_lock(void) { }
static inline void static_call_unlock(void) { }
static inline void static_call_patch(struct static_call_key *key, void *tramp,
				     bool queue)
{
}
#endif

#ifndef arch_static_batch_begin
/*
 * Hooks for an architecture that has to prepare for a long queue: called before
 * the first arch_jump_label_transform_queue() of a batch, and after the
 * arch_jump_label_transform_apply() that ends it.
 */
static inline void arch_static_batch_begin(void) { }
static inline void arch_static_batch_end(void) { }
#endif

#endif /* _KERNEL_STATIC_BATCH_H */

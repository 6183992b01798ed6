/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Change many static keys and static calls with a constant number of cross-CPU
 * synchronisations.
 *
 * See Documentation/staging/static-keys.rst and kernel/static_batch.c.
 */
#ifndef _LINUX_STATIC_BATCH_H
#define _LINUX_STATIC_BATCH_H

#include <linux/jump_label.h>
#include <linux/static_call.h>

/*
 * A change that static_batch_apply() makes: of a static call if @tramp is not
 * NULL, else of a static key, which is enabled if @func is not NULL.
 */
struct static_batch_change {
	void	*key;
	void	*tramp;
	void	*func;
};

/**
 * struct static_batch - changes to make at once
 * @changes: in the order in which they were queued
 * @nr: how many
 * @max: for how many @changes has room
 * @few: where the first ones are, without any memory being allocated
 *
 * All fields are private.
 */
struct static_batch {
	struct static_batch_change	*changes;
	unsigned int			nr;
	unsigned int			max;
	struct static_batch_change	few[4];
};

#ifdef CONFIG_JUMP_LABEL
void static_batch_init(struct static_batch *batch);
void static_batch_key(struct static_batch *batch, struct static_key *key,
		      bool enable);
void static_batch_call(struct static_batch *batch, struct static_call_key *key,
		       void *tramp, void *func);
void static_batch_apply(struct static_batch *batch);
#else
/* There is no code of static keys to patch, so changes are made at once. */
static inline void static_batch_init(struct static_batch *batch) { }

static inline void static_batch_key(struct static_batch *batch,
				    struct static_key *key, bool enable)
{
	if (enable)
		static_key_enable(key);
	else
		static_key_disable(key);
}

static inline void static_batch_call(struct static_batch *batch,
				     struct static_call_key *key, void *tramp,
				     void *func)
{
	__static_call_update(key, tramp, func);
}

static inline void static_batch_apply(struct static_batch *batch) { }
#endif

#endif /* _LINUX_STATIC_BATCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/static_batch.c, jump_label.c and static_call_inline.c share. */
#ifndef _KERNEL_STATIC_BATCH_H
#define _KERNEL_STATIC_BATCH_H

#include <linux/jump_label.h>
#include <linux/static_call.h>

/* kernel/jump_label.c; context: jump_label_mutex held. */
void static_key_batch_set(struct static_key *key, bool enable);
void static_key_batch_done(struct static_key *key);

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* kernel/static_call_inline.c */
void static_call_lock(void);
void static_call_unlock(void);
void static_call_patch(struct static_call_key *key, void *tramp, void *func,
		       bool queue);
#else
static inline void static_call_lock(void) { }
static inline void static_call_unlock(void) { }
static inline void static_call_patch(struct static_call_key *key, void *tramp,
				     void *func, bool queue)
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

/* Patch what is queued, on architectures that queue. */
static inline void static_batch_arch_apply(void)
{
#ifdef HAVE_JUMP_LABEL_BATCH
	arch_jump_label_transform_apply();
#endif
}

#endif /* _KERNEL_STATIC_BATCH_H */

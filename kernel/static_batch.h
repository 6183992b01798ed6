/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/static_batch.c, jump_label.c and static_call_inline.c share. */
#ifndef _KERNEL_STATIC_BATCH_H
#define _KERNEL_STATIC_BATCH_H

#include <linux/jump_label.h>
#include <linux/static_call.h>

/* kernel/jump_label.c; context: jump_label_mutex held. */
void jump_label_apply(void);
void static_key_batch_set(struct static_key *key, bool enable);
void static_key_batch_done(struct static_key *key);

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* kernel/static_call_inline.c */
void static_call_lock(void);
void static_call_unlock(void);
void static_call_queue(struct static_call_key *key, void *tramp, void *func);
#else
static inline void static_call_lock(void) { }
static inline void static_call_unlock(void) { }
static inline void static_call_queue(struct static_call_key *key, void *tramp,
				     void *func)
{
}
#endif

/* An architecture that queues static calls as well has these two. */
#ifndef arch_static_call_transform_queue
#define arch_static_call_transform_queue arch_static_call_transform
static inline void arch_static_call_apply(void) { }
#endif

#endif /* _KERNEL_STATIC_BATCH_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register and unregister the probes of many tracepoints at once.
 *
 * See kernel/tracepoint_batch.c.
 */
#ifndef _LINUX_TRACEPOINT_BATCH_H
#define _LINUX_TRACEPOINT_BATCH_H

#include <linux/static_batch.h>

/**
 * struct tracepoint_batch - a batch of one task
 * @probes: the batch of probes
 * @keys: the batch of static keys and static calls
 *
 * Lives on the stack of the task. All fields are private.
 */
struct tracepoint_batch {
	struct static_batch	probes;
	struct static_batch	keys;
};

#ifdef CONFIG_TRACEPOINTS
void tracepoint_batch_begin(struct tracepoint_batch *batch);
void tracepoint_batch_end(struct tracepoint_batch *batch);
void tracepoint_batch_flush(void);
#else
static inline void tracepoint_batch_begin(struct tracepoint_batch *batch) { }
static inline void tracepoint_batch_end(struct tracepoint_batch *batch) { }
static inline void tracepoint_batch_flush(void) { }
#endif

#endif /* _LINUX_TRACEPOINT_BATCH_H */

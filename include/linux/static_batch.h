/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Change many static keys and static calls with a constant number of cross-CPU
 * synchronisations.
 *
 * See Documentation/staging/static-keys.rst and kernel/static_batch.c.
 */
#ifndef _LINUX_STATIC_BATCH_H
#define _LINUX_STATIC_BATCH_H

#include <linux/list.h>

struct task_struct;

/**
 * struct static_batch - a batch of one task
 * @node: in the list of the batches of all tasks
 * @task: the task, NULL for a batch that is nested in another one
 * @depth: number of batches of the task that are nested in this one
 *
 * Lives on the stack of the task. All fields are private.
 */
struct static_batch {
	struct list_head	node;
	struct task_struct	*task;
	unsigned int		depth;
};

#ifdef CONFIG_JUMP_LABEL
void static_batch_begin(struct static_batch *batch);
void static_batch_end(struct static_batch *batch);
void static_batch_end_cpuslocked(struct static_batch *batch);
void static_batch_flush(void);
#else
/* There is no code to patch, so nothing is deferred. */
static inline void static_batch_begin(struct static_batch *batch) { }
static inline void static_batch_end(struct static_batch *batch) { }
static inline void static_batch_end_cpuslocked(struct static_batch *batch) { }
static inline void static_batch_flush(void) { }
#endif

#if IS_ENABLED(CONFIG_STATIC_BATCH_KUNIT_TEST)
/* For lib/test_static_batch.c */
void static_batch_test_memory(int allocations, int failures);
bool static_batch_test_no_memory(void);
unsigned int static_batch_test_pending(void);
#else
static inline bool static_batch_test_no_memory(void) { return false; }
#endif

#endif /* _LINUX_STATIC_BATCH_H */

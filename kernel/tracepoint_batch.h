/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/tracepoint.c and kernel/tracepoint_batch.c know of each other.
 */
#ifndef _KERNEL_TRACEPOINT_BATCH_H
#define _KERNEL_TRACEPOINT_BATCH_H

#include <linux/tracepoint.h>

#include "static_batch.h"

/* How many functions an array of probes holds. */
enum tp_func_state {
	TP_FUNC_0,
	TP_FUNC_1,
	TP_FUNC_2,
	TP_FUNC_N,
};

enum tp_transition_sync {
	TP_TRANSITION_SYNC_1_0_1,
	TP_TRANSITION_SYNC_N_2_1,

	_NR_TP_TRANSITION_SYNC,
};

/* In tracepoint.c; context: tracepoints_mutex held. */
extern struct mutex tracepoints_mutex;
void tp_rcu_get_state(enum tp_transition_sync sync);
void tp_rcu_cond_sync(enum tp_transition_sync sync);
void tp_free_probes(struct tracepoint_func *funcs);
void tp_release_probes(struct tracepoint_func *old);
struct tracepoint_func *tp_func_add(struct tracepoint_func **funcs,
				    struct tracepoint_func *tp_func, int prio);
void *tp_func_remove(struct tracepoint_func **funcs, struct tracepoint_func *tp_func);
enum tp_func_state tp_func_state(const struct tracepoint_func *tp_funcs);
void tp_update_call(struct tracepoint *tp, struct tracepoint_func *tp_funcs);

extern struct static_batch_tasks tracepoint_batch_tasks;
extern struct static_batch_items tracepoint_batch_items;

bool __tracepoint_batch_add(struct tracepoint *tp, struct tracepoint_func *func, int prio,
			    bool warn, int *ret);
bool __tracepoint_batch_remove(struct tracepoint *tp, struct tracepoint_func *func,
			       int *ret);
void tracepoint_batch_settle(void);

/*
 * Whether anything is different from how it has always been. In a batch of
 * static keys as well: what is done here between two changes of keys and calls
 * relies on the first having been made.
 */
static inline bool tracepoint_batch_active(void)
{
	return !list_empty(&tracepoint_batch_tasks.list) || tracepoint_batch_items.nr ||
	       static_batch_in_task();
}

/*
 * tracepoint_batch_add - put off the registration of a probe
 *
 * False if the caller has to do it, with no change of @tp pending.
 *
 * Context: tracepoints_mutex held.
 */
static inline bool tracepoint_batch_add(struct tracepoint *tp, struct tracepoint_func *func,
					int prio, bool warn, int *ret)
{
	return unlikely(tracepoint_batch_active()) &&
	       __tracepoint_batch_add(tp, func, prio, warn, ret);
}

static inline bool tracepoint_batch_remove(struct tracepoint *tp,
					   struct tracepoint_func *func, int *ret)
{
	return unlikely(tracepoint_batch_active()) &&
	       __tracepoint_batch_remove(tp, func, ret);
}

#endif /* _KERNEL_TRACEPOINT_BATCH_H */

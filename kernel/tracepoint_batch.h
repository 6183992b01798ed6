/* SPDX-License-Identifier: GPL-2.0 */
/* Interface between kernel/tracepoint.c and kernel/tracepoint_batch.c. */
#ifndef _KERNEL_TRACEPOINT_BATCH_H
#define _KERNEL_TRACEPOINT_BATCH_H

#include <linux/tracepoint.h>

#include "static_batch.h"

/* Number of functions in an array of probes. */
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
void tp_release_probes(struct tracepoint *tp, struct tracepoint_func *old);
struct tracepoint_func *tp_func_add(struct tracepoint_func **funcs,
				    struct tracepoint_func *tp_func, int prio);
void *tp_func_remove(struct tracepoint_func **funcs,
		     struct tracepoint_func *tp_func);
enum tp_func_state tp_func_state(const struct tracepoint_func *tp_funcs);
void tp_update_call(struct tracepoint *tp, struct tracepoint_func *tp_funcs);

extern struct static_batch_tasks tracepoint_batch_tasks;
extern struct static_batch_items tracepoint_batch_items;

bool __tracepoint_batch_add(struct tracepoint *tp, struct tracepoint_func *func,
			    int prio, bool warn, int *ret);
bool __tracepoint_batch_remove(struct tracepoint *tp,
			       struct tracepoint_func *func, int *ret);
void __tracepoint_batch_flush(void);

/*
 * True if a task is in a batch or changes are pending. A batch of static keys
 * alone counts as well: the steps of kernel/tracepoint.c that follow a change
 * of a key or call rely on the change having been made.
 */
static inline bool tracepoint_batch_active(void)
{
	return !list_empty(&tracepoint_batch_tasks.list) ||
	       tracepoint_batch_items.nr || static_batch_in_task();
}

/*
 * tracepoint_batch_add - defer the registration of a probe
 *
 * False if the caller has to register it; then no change of @tp is pending.
 *
 * Context: tracepoints_mutex held.
 */
static inline bool tracepoint_batch_add(struct tracepoint *tp,
					struct tracepoint_func *func, int prio,
					bool warn, int *ret)
{
	return unlikely(tracepoint_batch_active()) &&
	       __tracepoint_batch_add(tp, func, prio, warn, ret);
}

static inline bool tracepoint_batch_remove(struct tracepoint *tp,
					   struct tracepoint_func *func,
					   int *ret)
{
	return unlikely(tracepoint_batch_active()) &&
	       __tracepoint_batch_remove(tp, func, ret);
}

#endif /* _KERNEL_TRACEPOINT_BATCH_H */

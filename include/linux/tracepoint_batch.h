/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register and unregister the probes of many tracepoints with a constant number
 * of cross-CPU synchronisations. See kernel/tracepoint.c.
 */
#ifndef _LINUX_TRACEPOINT_BATCH_H
#define _LINUX_TRACEPOINT_BATCH_H

struct tracepoint;

/**
 * struct tracepoint_batch - tracepoints of which the code is not patched yet
 * @tps: they, some perhaps more than once
 * @nr: how many
 * @max: for how many @tps has room
 *
 * All fields are private.
 */
struct tracepoint_batch {
	struct tracepoint	**tps;
	unsigned int		nr;
	unsigned int		max;
};

void tracepoint_batch_init(struct tracepoint_batch *batch);
int tracepoint_batch_register(struct tracepoint_batch *batch,
			      struct tracepoint *tp, void *probe, void *data);
int tracepoint_batch_unregister(struct tracepoint_batch *batch,
				struct tracepoint *tp, void *probe, void *data);
void tracepoint_batch_commit(struct tracepoint_batch *batch);

#endif /* _LINUX_TRACEPOINT_BATCH_H */

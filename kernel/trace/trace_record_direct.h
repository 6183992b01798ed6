/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is left of trace_event_buffer_reserve() and trace_event_buffer_commit() if the
 * file of the event has no filter, no trigger, no pid list and no stack trace, and if
 * records go nowhere but to the ring buffer. Of struct trace_event_buffer, only the
 * buffer has to be kept from one to the other. This is inline, for TRACE_EVENT, and
 * for who records into one file from one place: probe events, function events and
 * markers.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _TRACE_RECORD_DIRECT_H
#define _TRACE_RECORD_DIRECT_H

#include "trace_record.h"

/* These flags of a file do not change what is done to a record. */
#define TRACE_RECORD_PLAIN	(EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_RECORDED_CMD | \
				 EVENT_FILE_FL_RECORDED_TGID | EVENT_FILE_FL_WAS_ENABLED)

/* Do records of @tr go to its ring buffer, without a stack trace, and nowhere else? */
static __always_inline bool trace_record_only_buffer(const struct trace_array *tr)
{
	return likely(!(tr->trace_flags & (TRACE_ITER(STACKTRACE) |
					   TRACE_ITER(USERSTACKTRACE)))) &&
	       !static_key_false(&tracepoint_printk_key.key) &&
	       !static_branch_unlikely(&trace_event_exports_enabled);
}

/*
 * May trace_record_direct() be used for the next record? Nothing has to be tested again
 * when the record is committed: a filter that was set in between does not apply to it.
 */
static __always_inline bool trace_record_is_direct(const struct trace_event_file *file)
{
	return likely(!(file->flags & ~TRACE_RECORD_PLAIN)) &&
	       trace_record_only_buffer(file->tr);
}

void *trace_record_lost(struct trace_event_file *file);

/*
 * Reserve a record of @len bytes in @buffer, which is that of the file's trace array:
 * the caller has to read it once, as a snapshot may swap the buffers of the array before
 * trace_record_direct_end() commits the record. Returns the record, or NULL. As
 * tracing_gen_ctx_dec() does everywhere, leave out one level of preempt_disable().
 */
static __always_inline void *trace_record_direct(struct trace_buffer *buffer,
						 struct trace_event_file *file,
						 unsigned long len)
{
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(buffer, len);
	if (unlikely(!event))
		return trace_record_lost(file);

	return trace_record_head(ring_buffer_event_data(event), file);
}

static __always_inline void trace_record_direct_end(struct trace_buffer *buffer)
{
	trace_record_end(buffer);
}

#endif

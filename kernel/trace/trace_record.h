/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserve and commit the record of an event that has no filter, no trigger, no
 * pid list and no stack trace. This takes one test to reserve and a few tests
 * to commit, besides the functions of the ring buffer.
 *
 * The flags of the file are tested when reserving and again when committing,
 * as they may change in between: an event that was reserved while they were
 * clear may have to be discarded, and one that was reserved in
 * trace_buffered_event has to be copied, even if the filter was removed.
 */
#ifndef _TRACE_RECORD_H
#define _TRACE_RECORD_H

#include "trace.h"

#define TRACE_RECORD_SPECIAL	(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_FILTERED | \
				 EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_TRIGGER_COND)

static __always_inline bool trace_record_is_plain(const struct trace_event_file *file)
{
	return likely(!(file->flags & TRACE_RECORD_SPECIAL));
}

/*
 * __trace_buffer_lock_reserve() and ring_buffer_event_data(); *@event is set for
 * who needs it. Returns the entry, or NULL.
 */
static __always_inline void *trace_record_begin(struct trace_buffer *buffer, int type,
						unsigned long len, unsigned int trace_ctx,
						struct ring_buffer_event **event)
{
	struct trace_entry *entry;

	*event = ring_buffer_lock_reserve(buffer, len);
	if (!*event)
		return NULL;

	entry = ring_buffer_event_data(*event);
	tracing_generic_entry_update(entry, type, trace_ctx);
	return entry;
}

/*
 * __buffer_unlock_commit() for what ring_buffer_lock_reserve() has reserved: that
 * is never trace_buffered_event.
 */
static __always_inline void trace_record_end(struct trace_buffer *buffer)
{
	__this_cpu_write(trace_taskinfo_save, true);
	ring_buffer_unlock_commit(buffer);
}

/* trace_event_buffer_reserve() for a file that is plain */
static __always_inline void *trace_record_reserve(struct trace_event_buffer *fbuffer,
						  struct trace_event_file *file,
						  unsigned long len)
{
	fbuffer->trace_ctx = tracing_gen_ctx_dec();
	fbuffer->trace_file = file;
	fbuffer->regs = NULL;
	fbuffer->buffer = file->tr->array_buffer.buffer;

	fbuffer->entry = trace_record_begin(fbuffer->buffer, file->event_call->event.type,
					    len, fbuffer->trace_ctx, &fbuffer->event);
	return fbuffer->entry;
}

/* The rest of trace_event_buffer_commit() if nobody else gets the event */
static __always_inline bool trace_record_commit(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;

	if (unlikely(!trace_record_is_plain(file) ||
		     this_cpu_read(trace_buffered_event) == fbuffer->event ||
		     file->tr->trace_flags & (TRACE_ITER(STACKTRACE) |
					      TRACE_ITER(USERSTACKTRACE))))
		return false;

	trace_record_end(fbuffer->buffer);
	return true;
}

#endif /* _TRACE_RECORD_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reserve and commit records: what events share with the tracers, and what events need
 * that have a filter, a trigger or a stack trace. Events without these are recorded by
 * trace_record_direct.h.
 *
 * The flags of a file with a filter or a trigger are tested when reserving and again when
 * committing, as they may change in between: what was reserved in trace_buffered_event has
 * to be copied, even if the filter was removed.
 */
#ifndef _TRACE_RECORD_H
#define _TRACE_RECORD_H

#include "trace.h"

#define TRACE_RECORD_SPECIAL	(EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_FILTERED | \
				 EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_TRIGGER_COND)

/*
 * __trace_buffer_lock_reserve() and ring_buffer_event_data(); *@event is set for
 * who needs it. Returns the entry, or NULL: then the record is lost.
 */
static __always_inline void *trace_record_begin(struct trace_buffer *buffer, int type,
						unsigned long len, unsigned int trace_ctx,
						struct ring_buffer_event **event)
{
	struct trace_entry *entry;

	*event = ring_buffer_lock_reserve(buffer, len);
	if (unlikely(!*event)) {
		ring_buffer_count_lost(buffer, type);
		return NULL;
	}

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

/* How often preemption was disabled for a record, by who has reserved it and by its caller */
#define TRACE_RECORD_DISABLED	(IS_ENABLED(CONFIG_PREEMPTION) + IS_ENABLED(CONFIG_PREEMPT_COUNT))

void *trace_record_update(struct trace_entry *entry, struct trace_event_file *file);

/* tracing_generic_entry_update() with preemption disabled for the record; returns @entry. */
static __always_inline void *trace_record_head(struct trace_entry *entry,
					       struct trace_event_file *file)
{
	unsigned int pc = preempt_count();
	unsigned long irqflags;

	if (unlikely(!trace_ctx_is_plain(pc)))
		return trace_record_update(entry, file);

	local_save_flags(irqflags);
	tracing_generic_entry_update(entry, file->event_call->event.type,
				     trace_ctx_plain(irqflags, pc) - TRACE_RECORD_DISABLED);
	return entry;
}

/*
 * trace_event_buffer_reserve() in the ring buffer, with all that trace_event_buffer_commit()
 * may need, but without trace_record_head(). Returns false if there is no room.
 */
static __always_inline bool trace_record_reserve(struct trace_event_buffer *fbuffer,
						 struct trace_event_file *file,
						 unsigned long len)
{
	struct ring_buffer_event *event;

	fbuffer->trace_file = file;
	fbuffer->regs = NULL;
	fbuffer->buffer = file->tr->array_buffer.buffer;

	event = ring_buffer_lock_reserve(fbuffer->buffer, len);
	fbuffer->event = event;
	if (unlikely(!event))
		return false;

	fbuffer->entry = ring_buffer_event_data(event);
	return true;
}

/*
 * Build the record in trace_buffered_event, as a filter has to pass it first, or it
 * is only there for triggers. If this returns false, that is not allocated, too small,
 * or taken by a record that this one has interrupted. Otherwise preemption is
 * disabled, up to __trace_event_discard_commit() or __buffer_unlock_commit().
 */
static __always_inline bool trace_record_reserve_aside(struct trace_event_buffer *fbuffer,
						       struct trace_event_file *file,
						       unsigned long len)
{
	struct ring_buffer_event *event;
	struct trace_entry *entry;

	if (file->tr->no_filter_buffering_ref || len > PAGE_SIZE - struct_size(event, array, 1))
		return false;

	preempt_disable_notrace();
	event = __this_cpu_read(trace_buffered_event);
	if (!event || this_cpu_inc_return(trace_buffered_event_cnt) != 1) {
		if (event)
			this_cpu_dec(trace_buffered_event_cnt);
		preempt_enable_notrace();
		return false;
	}

	/* type_len is 0: array[0] is the length, and the data is behind it. */
	event->array[0] = len;
	entry = (struct trace_entry *)&event->array[1];
	/* See trace_record_need_head(). */
	entry->type = 0;

	fbuffer->buffer = file->tr->array_buffer.buffer;
	fbuffer->event = event;
	fbuffer->trace_file = file;
	fbuffer->entry = entry;
	fbuffer->regs = NULL;
	return true;
}

DECLARE_PER_CPU(u8, trace_filter_passed);

/*
 * Whether a filter will probably pass the record that comes next on this CPU: it
 * costs less then to build it in the ring buffer than to copy it, and else more to
 * discard it there.
 */
static __always_inline bool trace_record_will_pass(void)
{
	return this_cpu_read(trace_filter_passed) == 0xff;
}

#endif /* _TRACE_RECORD_H */

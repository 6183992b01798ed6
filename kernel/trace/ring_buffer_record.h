/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fast path to reserve and commit an event
 *
 * Part of ring_buffer.c. If any of a few tests fails, the slow path of that file
 * runs. The fast path writes the same bytes, counters and time stamps, also if it
 * is interrupted after any instruction: it does what __rb_reserve_next() and
 * rb_end_commit() do, in their order, without the steps that have no effect then.
 *
 * It relies on the following, in which "record" stands for the time from
 * trace_recursive_lock() to trace_recursive_unlock():
 *
 *  1. current_context is 0 as long as there is no record, and committing is
 *     then 0 as well: it only changes within a record. So a record that finds
 *     current_context 0 is the outermost one, and may set both instead of
 *     changing them. Whatever interrupts it is over, with both as it found
 *     them, when it goes on.
 *
 *  2. All that interrupts the outermost record finds current_context set, goes
 *     the slow path, and counts itself in commits before it reserves anything.
 *     So the outermost record need not count itself: commits only tells an outer
 *     record, at its end, that there may be something which its interrupters left
 *     to it.
 *
 *  3. ring_buffer_swap_cpu() exchanges no buffer that has current_context or nest
 *     set, and runs on the CPU of the buffer. So cpu_buffer->buffer does not change
 *     within a record, but may have before it; and nest is never negative, so that
 *     current_context is not shifted out of the word.
 */
#include <asm/byteorder.h>

/* Whether an NMI may write events at all, see rb_reserve_next_event() */
#define RB_RECORD_NMI	(IS_ENABLED(CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG) &&	\
			 !IS_ENABLED(CONFIG_GENERIC_ATOMIC64))

/* The longest event that fits on the page of every buffer */
#define RB_RECORD_MAX	(PAGE_SIZE - BUF_PAGE_HDR_SIZE - RB_EVNT_HDR_SIZE - sizeof(u32))

/* The bit that trace_recursive_lock() sets in current_context, not shifted by nest */
static __always_inline unsigned int rb_record_context(void)
{
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return 1 << RB_CTX_NORMAL;
	return 1 << (RB_CTX_NORMAL - interrupt_context_level());
}

/* rb_time_stamp(), and trace_clock_local() without disabling preemption again */
static __always_inline u64 rb_record_time_stamp(struct trace_buffer *buffer)
{
	if (likely(buffer->clock == trace_clock_local))
		return sched_clock_noinstr() << DEBUG_SHIFT;
	return rb_time_stamp(buffer);
}

/*
 * Both fields in one store. Compilers write them one by one, with a part of the
 * word in the first store and all of it in a load behind that: a processor then
 * waits until the store has reached its cache.
 */
static __always_inline void
rb_record_header(struct ring_buffer_event *event, u32 type_len, u32 time_delta)
{
#ifdef __BIG_ENDIAN_BITFIELD
	*(u32 *)event = type_len << TS_SHIFT | time_delta;
#else
	*(u32 *)event = time_delta << (32 - TS_SHIFT) | type_len;
#endif
}

/* Undo what the fast path has done before it reserved anything. */
static noinline struct ring_buffer_event *
rb_record_swapped(struct ring_buffer_per_cpu *cpu_buffer)
{
	/* An interrupter that found committing set has left its events to this record. */
	rb_end_commit(cpu_buffer);
	barrier();
	cpu_buffer->current_context = 0;
	preempt_enable_notrace();
	return NULL;
}

/* Go on from any point of the fast path in which the record has begun. */
static struct ring_buffer_event *
rb_record_done(struct ring_buffer_per_cpu *cpu_buffer, struct ring_buffer_event *event)
{
	if (likely(event))
		return event;
	trace_recursive_unlock(cpu_buffer);
	preempt_enable_notrace();
	return NULL;
}

/* Nothing is reserved yet, and the time not known: begin again. */
static noinline struct ring_buffer_event *
rb_record_restart(struct ring_buffer_per_cpu *cpu_buffer, unsigned long length)
{
	return rb_record_done(cpu_buffer, rb_reserve_started(cpu_buffer, length));
}

static struct ring_buffer_event *
rb_record_reserved(struct ring_buffer_per_cpu *cpu_buffer, struct ring_buffer_event *event,
		   unsigned long length)
{
	if (IS_ERR(event))
		event = rb_reserve_started(cpu_buffer, length);
	else if (!event)
		rb_end_commit(cpu_buffer);
	return rb_record_done(cpu_buffer, event);
}

/* The time since the last event does not fit into the header of this one. */
static noinline struct ring_buffer_event *
rb_record_stamped(struct ring_buffer_per_cpu *cpu_buffer, struct buffer_page *tail_page,
		  unsigned long length, unsigned long w, u64 after, u64 ts)
{
	struct rb_event_info info = {
		.ts = ts,
		.before = after,
		.after = after,
		.length = length,
		.tail_page = tail_page,
	};

	return rb_record_reserved(cpu_buffer, rb_reserve_stamped(cpu_buffer, &info, w), length);
}

/* The event does not fit on the page, or something came in before it. */
static noinline struct ring_buffer_event *
rb_record_written(struct ring_buffer_per_cpu *cpu_buffer, struct buffer_page *tail_page,
		  unsigned long length, unsigned long w, u64 after, u64 ts,
		  unsigned long write)
{
	struct rb_event_info info = {
		.ts = ts,
		.delta = ts - after,
		.before = after,
		.after = after,
		.length = length,
		.tail_page = tail_page,
	};

	return rb_record_reserved(cpu_buffer, rb_reserve_written(cpu_buffer, &info, w, write),
				  length);
}

/* check_buffer() looks at the events that are on the page before this one. */
static __always_inline void
rb_record_check(struct ring_buffer_per_cpu *cpu_buffer, struct buffer_page *tail_page,
		unsigned long w, u64 after, u64 ts)
{
	if (IS_ENABLED(CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS)) {
		struct rb_event_info info = {
			.ts = ts,
			.delta = ts - after,
			.before = after,
			.after = after,
			.tail_page = tail_page,
		};

		check_buffer(cpu_buffer, &info, w);
	}
}

/*
 * ring_buffer_lock_reserve() with preemption disabled
 */
static __always_inline struct ring_buffer_event *
rb_record_reserve(struct trace_buffer *buffer, unsigned long length)
{
	struct ring_buffer_per_cpu *cpu_buffer;
	unsigned long w, write, total, data;
	struct ring_buffer_event *event;
	struct buffer_page *tail_page;
	u64 before, after;
	u64 ts, delta;

	/*
	 * A CPU that runs and is not in cpumask has no buffer. An interrupt may swap
	 * it, see 3.
	 */
	cpu_buffer = READ_ONCE(buffer->buffers[raw_smp_processor_id()]);
	if (unlikely(!cpu_buffer))
		return rb_lock_reserve(buffer, length, _RET_IP_);

	if (unlikely(atomic_read(&buffer->record_disabled) |
		     atomic_read(&cpu_buffer->record_disabled) |
		     cpu_buffer->current_context | buffer->time_stamp_abs)) {
		if (!atomic_read(&buffer->record_disabled))
			return rb_lock_reserve(buffer, length, _RET_IP_);
		preempt_enable_notrace();
		return NULL;
	}
	if (!RB_RECORD_NMI && unlikely(in_nmi()))
		return rb_lock_reserve(buffer, length, _RET_IP_);

	/* As rb_calculate_event_length() does it, and without a test for 0 */
	data = (length + RB_ALIGNMENT - 1) & ~(RB_ALIGNMENT - 1UL);
	if (likely(!RB_FORCE_8BYTE_ALIGNMENT &&
		   data - RB_ALIGNMENT <= RB_MAX_SMALL_DATA - RB_ALIGNMENT)) {
		data += data == RB_LEN_TIME_EXTEND ? RB_ALIGNMENT : 0;
		total = data + RB_EVNT_HDR_SIZE;
	} else {
		if (unlikely(length > RB_RECORD_MAX))
			return rb_lock_reserve(buffer, length, _RET_IP_);
		total = rb_calculate_event_length(length);
	}

	/* nest is not 0 for who may write within a record, as trace_printk() may. */
	cpu_buffer->current_context = rb_record_context() << cpu_buffer->nest;
	/*
	 * What interrupts here must not find committing set without
	 * current_context, see 1. Pairs with barrier() in rb_record_commit().
	 */
	barrier();
	local_set(&cpu_buffer->committing, 1);
	/* The commit page can not change after this */
	barrier();

	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) &&
	    unlikely(READ_ONCE(cpu_buffer->buffer) != buffer))
		return rb_record_swapped(cpu_buffer);

	/* The steps A to D of __rb_reserve_next() */
	tail_page = READ_ONCE(cpu_buffer->tail_page);
	w = local_read(&tail_page->write) & RB_WRITE_MASK;
	barrier();
	rb_time_read(&cpu_buffer->before_stamp, &before);
	rb_time_read(&cpu_buffer->write_stamp, &after);
	barrier();
	if (unlikely(!w || before != after))
		return rb_record_restart(cpu_buffer, total);

	ts = rb_record_time_stamp(buffer);
	delta = ts - after;
	if (unlikely(test_time_stamp(delta)))
		return rb_record_stamped(cpu_buffer, tail_page, total, w, after, ts);

	rb_time_set(&cpu_buffer->before_stamp, ts);
	write = local_add_return(total, &tail_page->write) & RB_WRITE_MASK;
	if (unlikely(write != w + total || write > rb_page_capacity(tail_page)))
		return rb_record_written(cpu_buffer, tail_page, total, w, after, ts, write);
	rb_time_set(&cpu_buffer->write_stamp, ts);
	rb_record_check(cpu_buffer, tail_page, w, after, ts);

	/* For ring_buffer_event_time_stamp(): committing is 1 */
	cpu_buffer->event_stamp[0] = ts;

	event = __rb_page_index(tail_page, w);
	data = total - RB_EVNT_HDR_SIZE;
	if (likely(!RB_FORCE_8BYTE_ALIGNMENT && data <= RB_MAX_SMALL_DATA)) {
		rb_record_header(event, data / RB_ALIGNMENT, delta);
	} else {
		rb_record_header(event, 0, delta);
		event->array[0] = data;
	}

	local_inc(&tail_page->entries);
	local_add(total, &cpu_buffer->entries_bytes);
	return event;
}

/* The end of a record that was interrupted while it committed, or is waited for */
static noinline int
rb_record_end(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cpu_buffer,
	      unsigned long commits)
{
	if (local_read(&cpu_buffer->commits) != commits) {
		local_inc(&cpu_buffer->committing);
		rb_end_commit(cpu_buffer);
	}
	rb_wakeups(buffer, cpu_buffer);
	trace_recursive_unlock(cpu_buffer);
	preempt_enable_notrace();
	return 0;
}

/*
 * ring_buffer_unlock_commit()
 */
static __always_inline int rb_record_commit(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[raw_smp_processor_id()];
	unsigned int context = cpu_buffer->current_context;
	struct buffer_page *commit_page;
	unsigned long commits, write;

	/*
	 * commits is read before all that an interrupter may leave to this
	 * record: the tail_page that it moved and the events that it wrote.
	 */
	commits = local_read(&cpu_buffer->commits);
	barrier();
	commit_page = cpu_buffer->commit_page;
	/* The context of this record is the only one if it is the last bit. */
	if (unlikely(context & (context - 1)) ||
	    unlikely(commit_page != READ_ONCE(cpu_buffer->tail_page)))
		return rb_unlock_commit(buffer);

	local_inc(&cpu_buffer->entries);

	write = rb_page_write(commit_page);
	/*
	 * Make sure the readers see the content of what is committed. Pairs
	 * with the last smp_rmb() in __rb_get_reader_page(). What comes in from
	 * here on is behind @write, and changes commits.
	 */
	smp_wmb();
	local_set(&commit_page->page->commit, write);
	barrier();
	local_set(&cpu_buffer->committing, 0);
	barrier();

	/*
	 * An interrupter that found committing set has left its events to this
	 * record. Who waits for a watermark is woken when commit_page moves, see
	 * rb_end_commit().
	 */
	if (unlikely(local_read(&cpu_buffer->commits) != commits) ||
	    unlikely(buffer->irq_work.waiters_pending |
		     cpu_buffer->irq_work.waiters_pending))
		return rb_record_end(buffer, cpu_buffer, commits);

	cpu_buffer->current_context = 0;
	preempt_enable_notrace();
	return 0;
}

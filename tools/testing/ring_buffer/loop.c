// SPDX-License-Identifier: GPL-2.0
/*
 * The calls of a version, from outside of the file that they are in
 */
#include "version.h"

static struct trace_buffer *version_alloc(unsigned long size, unsigned int flags)
{
	return ring_buffer_alloc(size, flags);
}

static struct trace_buffer *version_alloc_range(void *start, unsigned long size)
{
	return ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)start, size, 0);
}

void rb_version_loop(struct trace_buffer *buffer, unsigned long count, unsigned long length)
{
	while (count--) {
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, length);

		if (!event)
			continue;
		*(u32 *)ring_buffer_event_data(event) = count;
		ring_buffer_unlock_commit(buffer);
	}
}

const struct rb_version RB_VERSION = {
	.name			= RB_NAME,
	.alloc			= version_alloc,
	.alloc_range		= version_alloc_range,
	.free			= ring_buffer_free,
	.reserve		= ring_buffer_lock_reserve,
	.commit			= ring_buffer_unlock_commit,
	.discard		= ring_buffer_discard_commit,
	.data			= ring_buffer_event_data,
	.length			= ring_buffer_event_length,
	.stamp			= ring_buffer_event_time_stamp,
	.write			= ring_buffer_write,
	.nest_start		= ring_buffer_nest_start,
	.nest_end		= ring_buffer_nest_end,
	.consume		= ring_buffer_consume,
	.peek			= ring_buffer_peek,
	.read_page		= ring_buffer_read_page,
	.alloc_read_page	= ring_buffer_alloc_read_page,
	.free_read_page		= ring_buffer_free_read_page,
	.read_page_data		= ring_buffer_read_page_data,
	.poll			= ring_buffer_poll_wait,
	.set_clock		= ring_buffer_set_clock,
	.set_abs		= ring_buffer_set_time_stamp_abs,
	.overwrite		= ring_buffer_change_overwrite,
	.disable		= ring_buffer_record_disable,
	.enable			= ring_buffer_record_enable,
	.off			= ring_buffer_record_off,
	.on			= ring_buffer_record_on,
	.disable_cpu		= ring_buffer_record_disable_cpu,
	.enable_cpu		= ring_buffer_record_enable_cpu,
	.reset_cpu		= ring_buffer_reset_cpu,
	.resize			= ring_buffer_resize,
	.set_order		= ring_buffer_subbuf_order_set,
	.swap_cpu		= ring_buffer_swap_cpu,
	.entries_cpu		= ring_buffer_entries_cpu,
	.overrun_cpu		= ring_buffer_overrun_cpu,
	.dump			= rb_version_dump,
	.state			= rb_version_state,
	.loop			= rb_version_loop,
};

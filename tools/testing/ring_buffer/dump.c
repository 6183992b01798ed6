// SPDX-License-Identifier: GPL-2.0
/*
 * A version of the ring buffer, and what shows its insides
 */
#include "version.h"
#include RB_SOURCE

static void dump_page(struct buffer_page *bpage, struct rb_log *log)
{
	rb_log_value(log, bpage->read);
	rb_log_value(log, local_read(&bpage->write));
	rb_log_value(log, local_read(&bpage->entries));
	rb_log_value(log, bpage->real_end);
	rb_log_value(log, bpage->order);
	rb_log_bytes(log, bpage->page, PAGE_SIZE << bpage->order);
}

void rb_version_dump(struct trace_buffer *buffer, int cpu, struct rb_log *log)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *head, *bpage;
	unsigned int index = 0;

	dump_page(cpu_buffer->reader_page, log);
	head = rb_set_head_page(cpu_buffer);
	bpage = head;
	do {
		rb_log_value(log, bpage == cpu_buffer->tail_page ? index : -1);
		rb_log_value(log, bpage == cpu_buffer->commit_page ? index : -1);
		dump_page(bpage, log);
		index++;
		rb_inc_page(&bpage);
	} while (bpage != head);

	rb_log_value(log, cpu_buffer->nr_pages);
	rb_log_value(log, cpu_buffer->current_context);
	rb_log_value(log, cpu_buffer->nest);
	rb_log_value(log, local_read(&cpu_buffer->entries_bytes));
	rb_log_value(log, local_read(&cpu_buffer->entries));
	rb_log_value(log, local_read(&cpu_buffer->overrun));
	rb_log_value(log, local_read(&cpu_buffer->commit_overrun));
	rb_log_value(log, local_read(&cpu_buffer->dropped_events));
	rb_log_value(log, local_read(&cpu_buffer->committing));
	rb_log_value(log, local_read(&cpu_buffer->pages_touched));
	rb_log_value(log, local_read(&cpu_buffer->pages_lost));
	rb_log_value(log, local_read(&cpu_buffer->pages_read));
	rb_log_value(log, cpu_buffer->read);
	rb_log_value(log, cpu_buffer->read_bytes);
	rb_log_value(log, cpu_buffer->lost_events);
	rb_log_value(log, local64_read(&cpu_buffer->write_stamp.time));
	rb_log_value(log, local64_read(&cpu_buffer->before_stamp.time));
	rb_log_value(log, cpu_buffer->read_stamp);
	rb_log_value(log, atomic_read(&cpu_buffer->record_disabled));
	rb_log_value(log, atomic_read(&buffer->record_disabled));
}

unsigned long rb_version_state(struct trace_buffer *buffer, int cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer = buffer->buffers[cpu];
	struct buffer_page *tail = cpu_buffer->tail_page;
	const unsigned long values[] = {
		(unsigned long)tail, (unsigned long)cpu_buffer->commit_page,
		(unsigned long)cpu_buffer, cpu_buffer->current_context, cpu_buffer->nest,
		local_read(&cpu_buffer->committing), local_read(&cpu_buffer->commits),
		local_read(&cpu_buffer->entries), local_read(&cpu_buffer->entries_bytes),
		local64_read(&cpu_buffer->write_stamp.time),
		local64_read(&cpu_buffer->before_stamp.time),
		local_read(&tail->write), local_read(&tail->page->commit),
	};
	unsigned long hash = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(values); i++)
		hash = (hash ^ values[i]) * 0x9e3779b1UL;
	return hash;
}

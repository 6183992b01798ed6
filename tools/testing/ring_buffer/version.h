/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two versions of kernel/trace/ring_buffer.c in one program
 *
 * Both export the same names, so each is linked into one object of which only
 * a struct rb_version stays visible.
 */
#ifndef RB_TEST_VERSION_H
#define RB_TEST_VERSION_H

#include "kernel.h"
#include <linux/ring_buffer.h>

/* What a version has done, as bytes that can be compared */
struct rb_log {
	unsigned char	*data;
	size_t		length;
	size_t		size;
};

void rb_log_bytes(struct rb_log *log, const void *data, size_t length);
#define rb_log_value(log, value)					\
	do {								\
		unsigned long long __value = (value);			\
		rb_log_bytes(log, &__value, sizeof(__value));		\
	} while (0)

struct rb_version {
	const char *name;
	struct trace_buffer *(*alloc)(unsigned long size, unsigned int flags);
	/* In memory of the caller, as a buffer that outlives a reboot */
	struct trace_buffer *(*alloc_range)(void *start, unsigned long size);
	typeof(ring_buffer_free) *free;
	typeof(ring_buffer_lock_reserve) *reserve;
	typeof(ring_buffer_unlock_commit) *commit;
	typeof(ring_buffer_discard_commit) *discard;
	typeof(ring_buffer_event_data) *data;
	typeof(ring_buffer_event_length) *length;
	typeof(ring_buffer_event_time_stamp) *stamp;
	typeof(ring_buffer_write) *write;
	typeof(ring_buffer_nest_start) *nest_start;
	typeof(ring_buffer_nest_end) *nest_end;
	typeof(ring_buffer_consume) *consume;
	typeof(ring_buffer_peek) *peek;
	typeof(ring_buffer_read_page) *read_page;
	typeof(ring_buffer_alloc_read_page) *alloc_read_page;
	typeof(ring_buffer_free_read_page) *free_read_page;
	typeof(ring_buffer_read_page_data) *read_page_data;
	typeof(ring_buffer_poll_wait) *poll;
	typeof(ring_buffer_set_clock) *set_clock;
	typeof(ring_buffer_set_time_stamp_abs) *set_abs;
	typeof(ring_buffer_change_overwrite) *overwrite;
	typeof(ring_buffer_record_disable) *disable;
	typeof(ring_buffer_record_enable) *enable;
	typeof(ring_buffer_record_off) *off;
	typeof(ring_buffer_record_on) *on;
	typeof(ring_buffer_record_disable_cpu) *disable_cpu;
	typeof(ring_buffer_record_enable_cpu) *enable_cpu;
	typeof(ring_buffer_reset_cpu) *reset_cpu;
	typeof(ring_buffer_resize) *resize;
	typeof(ring_buffer_subbuf_order_set) *set_order;
	typeof(ring_buffer_swap_cpu) *swap_cpu;
	typeof(ring_buffer_entries_cpu) *entries_cpu;
	typeof(ring_buffer_overrun_cpu) *overrun_cpu;
	/* All pages of a CPU, and its counters */
	void (*dump)(struct trace_buffer *buffer, int cpu, struct rb_log *log);
	/* What changes with each step of a writer, as one number */
	unsigned long (*state)(struct trace_buffer *buffer, int cpu);
	/* COUNT times reserve and commit, of LENGTH bytes */
	void (*loop)(struct trace_buffer *buffer, unsigned long count, unsigned long length);
};

extern const struct rb_version rb_version_base;
extern const struct rb_version rb_version_ours;
/* In other configurations, see VARIANTS in Makefile */
extern const struct rb_version rb_version_base_align8, rb_version_ours_align8;
extern const struct rb_version rb_version_base_nonmi, rb_version_ours_nonmi;
extern const struct rb_version rb_version_base_noswap, rb_version_ours_noswap;
extern const struct rb_version rb_version_base_validate, rb_version_ours_validate;

unsigned long rb_version_state(struct trace_buffer *buffer, int cpu);
void rb_version_dump(struct trace_buffer *buffer, int cpu, struct rb_log *log);
void rb_version_loop(struct trace_buffer *buffer, unsigned long count, unsigned long length);

#endif /* RB_TEST_VERSION_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events whose records a program puts together: function events and marker events.
 *
 * See event_fetch.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_FETCH_H
#define _EVENT_FETCH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include <linux/trace_recursion.h>
#include <linux/tracepoint.h>

#include "fetch_type.h"
#include "trace.h"
#include "trace_dynevent.h"

/*
 * The body of a record, which is all of it after struct fetch_record, is put
 * together in a buffer and then copied to wherever it is wanted. A record fits into
 * a sub-buffer of 4 KiB with the headers of both.
 */
#define FETCH_MAX_BODY	3968
/* Strings get this many bytes, with the null byte at the end; longer ones are cut off. */
#define FETCH_MAX_STRING	1024
#define FETCH_MIN_STRING	8
/* Pointers that are followed from an argument to what is shown. */
#define FETCH_MAX_HOPS	8

struct fetch_record {
	struct trace_entry	ent;
	/* Who called the function, or where the marker is. */
	unsigned long		ip;
	char			body[];
};

/**
 * struct fetch_field - a field of an event, and where it comes from
 * @name: of the field
 * @ctype: for the format file, with the bound of an array
 * @type: of the field or of its elements
 * @count: number of elements; 0 if the field is not an array
 * @size: in bytes, in the fixed part of the record
 * @offset: in bytes, from the start of the body
 * @fault: bit in the word of faults at the start of the body; -1 if reading it cannot
 *	fault, or if it shows so itself
 * @arg: position of the argument; -1 if it does not come from one
 * @absolute: it is read from @address
 * @from: where the argument is, in bytes, in what the program is called with
 * @address: for @absolute
 * @read: what the source points to is shown, not the source itself
 * @nr_hops: number of @hops
 * @hops: in bytes: what is added to a pointer. All but the last lead to the next
 *	pointer.
 * @bits: width of a bit field; 0 if it is none
 * @bit_offset: of a bit field, from where the last hop leads to, below 8
 * @limited: of a string, another argument says how long it may be
 * @limit_from: where that argument is, in bytes
 * @max_len: of a string, so many bytes are looked at; 0 if all are
 * @at: position in the definition, for messages
 */
struct fetch_field {
	char				*name;
	char				*ctype;
	const struct fetch_type		*type;
	u16				count;
	u16				size;
	u16				offset;
	s8				fault;
	s8				arg;
	bool				absolute;
	u16				from;
	unsigned long			address;
	bool				read;
	u8				nr_hops;
	s32				hops[FETCH_MAX_HOPS];
	u8				bits;
	u8				bit_offset;
	bool				limited;
	u16				limit_from;
	u16				max_len;
	u16				at;
};

/* An argument that is copied as it is. */
struct fetch_copy {
	u16	from;
	u16	to;
};

/* Those of one size are together, so that the size is not looked at for each. */
enum fetch_copy_size {
	FETCH_COPY_8,
	FETCH_COPY_4,
	FETCH_COPY_2,
	FETCH_COPY_1,
	FETCH_COPY_SIZES,
};

/* A string that an argument points to. */
struct fetch_string {
	u16	from;
	u16	to;
	u16	size;
};

enum fetch_read_kind {
	FETCH_READ_BYTES,
	FETCH_READ_BITS,
	FETCH_READ_STRING,
	FETCH_READ_USTRING,
	FETCH_READ_BITS_SIGNED,
	FETCH_READ_LIMITED_STRING,
};

/* Other memory that is read. */
struct fetch_read {
	u8			kind;
	s8			fault;
	u8			nr_hops;
	bool			absolute;
	bool			limited;
	u8			bits;
	u8			bit_offset;
	u16			from;
	u16			limit_from;
	u16			to;
	u16			size;
	unsigned long		address;
	s32			hops[FETCH_MAX_HOPS];
};

/**
 * struct fetch_program - fetches fields, one after the other
 * @nr_copies: number of @copies of each size
 * @nr_strings: number of @strings
 * @nr_reads: number of @reads
 * @user: addresses of both user and kernel space mean user space
 * @copies: arguments that are copied, sorted by size
 * @strings: strings that arguments point to
 * @reads: other memory that is read
 */
struct fetch_program {
	u8			nr_copies[FETCH_COPY_SIZES];
	u8			nr_strings;
	u8			nr_reads;
	bool			user;
	struct fetch_copy	copies[FETCH_MAX_FIELDS];
	struct fetch_string	strings[FETCH_MAX_FIELDS];
	struct fetch_read	reads[FETCH_MAX_FIELDS];
};

/*
 * Bytes between fields, which are aligned: one to seven can be before each field, and before
 * the duration. They are in one word of the record.
 */
struct fetch_gap {
	/* Of the word, from the start of the body, which need not be at one. */
	s16	at;
	/* Bits of the word that are not in the gap. */
	u64	keep;
};

/**
 * struct fetch_where - the code that has hit an event, for its call chain
 * @ip: its address
 * @sp: its stack pointer; on arm64 it is not looked at
 * @fp: its frame pointer
 */
struct fetch_where {
	unsigned long	ip;
	unsigned long	sp;
	unsigned long	fp;
};

/**
 * struct fetch_event - an event whose record a program puts together
 * @tp: what tracefs, perf and BPF enable; its probes are never called
 * @body_size: in bytes, of the part of the body that has a fixed size
 * @has_faults: there is a word for faults at the start of the body
 * @nr_gaps: number of @gaps
 * @gaps: what is between fields, and cleared in each record
 * @where: says where a hit was, of what fetch_emit() got as its source
 * @nr_users: whose probes are registered
 * @call: of the event
 * @class: of the event
 * @devent: of the event
 * @nr_fields: number of @fields
 * @fields: in the order of the body
 */
struct fetch_event {
	struct tracepoint	tp;
	u16			body_size;
	bool			has_faults;
	u8			nr_gaps;
	struct fetch_gap	gaps[FETCH_MAX_FIELDS + 1];
	void			(*where)(const struct fetch_event *event, const void *source,
					 struct fetch_where *where);
	unsigned int		nr_users;
	struct trace_event_call	call;
	struct trace_event_class class;
	struct dyn_event	devent;
	u8			nr_fields;
	struct fetch_field	*fields;
};

/* A body on its way. */
struct fetch_buffer {
	/* Numbers of 64 bit are aligned in the record, in which the body has this place. */
	char	align[offsetof(struct fetch_record, body) % sizeof(u64)];
	char	body[ALIGN(FETCH_MAX_BODY, sizeof(u64))];
} __aligned(sizeof(u64));

/**
 * struct fetch_pool - buffers for all events of a kind
 * @buffers: of each CPU; there as long as there are events
 * @nr_users: number of events
 */
struct fetch_pool {
	void __percpu	*buffers;
	unsigned int	nr_users;
};

void fetch_compile(struct fetch_program *program, const struct fetch_field *field,
		   unsigned int string_size);
unsigned int fetch_strings(const struct fetch_program *program, const void *from, char *body,
			   unsigned int len);
unsigned int fetch_memory(const struct fetch_program *program, const void *from, char *body,
			  unsigned int len);
void fetch_emit_slow(struct fetch_event *event, const struct tracepoint_func *func,
		     const void *source, unsigned long ip, const char *body, unsigned int len,
		     bool locked);
void fetch_buffer_probe(void *file);
void fetch_perf_probe(void *call);
int fetch_get_buffers(struct fetch_pool *pool, size_t size);
void fetch_put_buffers(struct fetch_pool *pool);
void fetch_must_wait(void);
void fetch_wait(void);

void fetch_align(struct fetch_event *event, u32 *offset, u32 align);
int fetch_place_field(struct fetch_event *event, struct fetch_field *field, u32 *offset);
struct trace_event_fields *fetch_trace_field(struct trace_event_fields *to, const char *type,
					     const char *name, int size, int count, bool sign);
struct trace_event_fields *fetch_trace_fields(struct trace_event_fields *to,
					      const struct fetch_field *fields, unsigned int nr);
u64 fetch_get_value(const void *at, unsigned int size);
void fetch_print_fmt_fault(struct seq_buf *s, const struct fetch_field *field);
void fetch_print_fmt_arg(struct seq_buf *s, const struct fetch_field *field, bool whole);
int fetch_print_fmt(struct fetch_event *event,
		    void (*write)(struct fetch_event *event, struct seq_buf *s));
int fetch_register_event(struct fetch_event *event, struct trace_event_functions *funcs,
			 int (*reg)(struct trace_event_call *call, enum trace_reg type, void *data),
			 struct dyn_event_operations *ops);
int fetch_enable_event(struct fetch_event *event);
bool fetch_is_busy(struct dyn_event *ev);
bool fetch_match(const char *system, const char *name, int argc, const char **argv,
		 struct dyn_event *ev);
void fetch_free_event(struct fetch_event *event);
int fetch_reg(struct trace_event_call *call, enum trace_reg type, void *data,
	      int (*attach)(struct fetch_event *event), void (*detach)(struct fetch_event *event));

/**
 * struct fetch_file - a file in tracefs in which a line makes an event
 * @name: of the file
 * @max_text: the longest line, in characters
 * @ops: of its kind of dynamic events
 * @create: makes an event of a line
 * @remove: removes what a line after "!" says
 * @too_long: called with the start of a line that is; returns the error
 */
struct fetch_file {
	const char			*name;
	unsigned int			max_text;
	struct dyn_event_operations	*ops;
	int				(*create)(const char *text);
	int				(*remove)(const char *text);
	int				(*too_long)(const char *text);
};

int fetch_check_open(void);
int fetch_run_line(const struct fetch_file *file, const char *text);
ssize_t fetch_write_lines(const struct fetch_file *file, struct file *filp,
			  const char __user *ubuf, size_t count, loff_t *ppos,
			  int (*run)(const char *text));
bool fetch_names_events(const char *text);
int fetch_remove_named(const struct fetch_file *file, const char *group, int group_len,
		       const char *name, int name_len);
void fetch_boot_lines(const struct fetch_file *file, char *lines, int (*run)(const char *text));

#define FETCH_COPY(type, size)							\
	do {									\
		for (n = program->nr_copies[size]; n; n--, copy++)		\
			*(type *)(body + copy->to) = *(const type *)(from + copy->from); \
	} while (0)

static __always_inline void fetch_copies(const struct fetch_program *program, const void *from,
					 char *body)
{
	const struct fetch_copy *copy = program->copies;
	unsigned int n;

	FETCH_COPY(u64, FETCH_COPY_8);
	FETCH_COPY(u32, FETCH_COPY_4);
	FETCH_COPY(u16, FETCH_COPY_2);
	FETCH_COPY(u8, FETCH_COPY_1);
}

/* What arguments point to. */
static __always_inline unsigned int fetch_pointed(const struct fetch_program *program,
						  const void *from, char *body, unsigned int len)
{
	if (program->nr_strings)
		len = fetch_strings(program, from, body, len);
	return program->nr_reads ? fetch_memory(program, from, body, len) : len;
}

/*
 * Fetches the fields of a program: from the registers, from what the function
 * returned, or from the arguments of a marker, to the body of a record, of which @len
 * bytes are in use. Strings go behind these. Memory that cannot be read leaves a bit in
 * the first word of the body, or a string that says so. Returns how much is in use then.
 */
static __always_inline unsigned int fetch(const struct fetch_program *program,
					  const void *from, char *body, unsigned int len)
{
	fetch_copies(program, from, body);
	return fetch_pointed(program, from, body, len);
}

/*
 * What was in the buffer before, or comes with an argument that is less than a register, is
 * not for user space.
 */
static __always_inline void fetch_clear_gaps(const struct fetch_event *event, char *body)
{
	for (unsigned int n = 0; n < event->nr_gaps; n++)
		*(u64 *)(body + event->gaps[n].at) &= event->gaps[n].keep;
}

/* Whether anybody but the buffer wants to see the event. */
static __always_inline bool fetch_is_plain(struct trace_event_file *file)
{
	return !(file->flags & ~(EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_RECORDED_CMD |
				 EVENT_FILE_FL_RECORDED_TGID | EVENT_FILE_FL_WAS_ENABLED)) &&
		!(file->tr->trace_flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE)) &&
		!static_branch_unlikely(&tracepoint_printk_key) &&
		!static_branch_unlikely(&trace_event_exports_enabled);
}

/* As trace_event_buffer_reserve() and _commit() come to, if there is nothing else. */
static __always_inline void fetch_to_buffer(struct trace_event_file *file, unsigned long ip,
					    const char *body, unsigned int len)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *slot;
	struct fetch_record *rec;

	slot = ring_buffer_lock_reserve(buffer, sizeof(*rec) + len);
	if (!slot)
		return;
	rec = ring_buffer_event_data(slot);
	/* Without the levels that are due to preemption being disabled here and in between. */
	tracing_generic_entry_update(&rec->ent, file->event_call->event.type,
				     tracing_gen_ctx_dec() - IS_ENABLED(CONFIG_PREEMPT_COUNT));
	rec->ip = ip;
	memcpy(rec->body, body, len);
	trace_buffer_unlock_commit_nostack(buffer, slot);
}

/*
 * To all for whom the event is enabled. Preemption is disabled, twice. @source is for
 * event->where().
 */
static __always_inline void fetch_emit(struct fetch_event *event, const void *source,
				       unsigned long ip, char *body, unsigned int len,
				       bool locked)
{
	/* Checking would call functions that can be traced. */
	struct tracepoint_func *func = rcu_dereference_raw(event->tp.funcs);

	if (!func)
		return;
	fetch_clear_gaps(event, body);
	do {
		if (likely(func->func == fetch_buffer_probe && fetch_is_plain(func->data)))
			fetch_to_buffer(func->data, ip, body, len);
		else
			fetch_emit_slow(event, func, source, ip, body, len, locked);
	} while ((++func)->func);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of function events know of each other.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FUNC_EVENT_H
#define _FUNC_EVENT_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "func_event_parse.h"
#include "trace_dynevent.h"

struct func_hook;

/*
 * The body of a record, which is all of it after struct func_event_record, is put
 * together in a buffer and then copied to wherever it is wanted. A record fits into
 * a sub-buffer of 4 KiB with the headers of both.
 */
#define FUNC_EVENT_MAX_BODY	3968
/* Strings get this many bytes, with the null byte at the end; longer ones are cut off. */
#define FUNC_EVENT_MAX_STRING	1024
#define FUNC_EVENT_MIN_STRING	8
/* Pointers that are followed from an argument to what is shown. */
#define FUNC_EVENT_MAX_HOPS	8

struct func_event_record {
	struct trace_entry	ent;
	unsigned long		parent_ip;
	char			body[];
};

/**
 * struct func_event_field - a field of an event, and where it comes from
 * @name: of the field
 * @ctype: for the format file, with the bound of an array
 * @type: of the field or of its elements
 * @count: number of elements; 0 if the field is not an array
 * @size: in bytes, in the fixed part of the record
 * @offset: in bytes, from the start of the body
 * @fault: bit in the word of faults at the start of the body; -1 if reading it cannot
 *	fault, or if it shows so itself
 * @source: FUNC_EVENT_ARGUMENT, FUNC_EVENT_RETURN or FUNC_EVENT_ADDRESS
 * @arg: position of the argument
 * @address: for FUNC_EVENT_ADDRESS
 * @read: what the source points to is shown, not the source itself
 * @nr_hops: number of @hops
 * @hops: in bytes: what is added to a pointer. All but the last lead to the next
 *	pointer.
 * @bits: width of a bit field; 0 if it is none
 * @bit_offset: of a bit field, from where the last hop leads to, below 8
 * @at: position in the definition, for messages
 */
struct func_event_field {
	char				*name;
	char				*ctype;
	const struct func_event_type	*type;
	u16				count;
	u16				size;
	u16				offset;
	s8				fault;
	enum func_event_source		source;
	u8				arg;
	unsigned long			address;
	bool				read;
	u8				nr_hops;
	s32				hops[FUNC_EVENT_MAX_HOPS];
	u8				bits;
	u8				bit_offset;
	u16				at;
};

/* An argument that is copied as it is. */
struct func_event_copy {
	u16	from;
	u16	to;
};

/* Those of one size are together, so that the size is not looked at for each. */
enum func_event_copy_size {
	FUNC_EVENT_COPY_8,
	FUNC_EVENT_COPY_4,
	FUNC_EVENT_COPY_2,
	FUNC_EVENT_COPY_1,
	FUNC_EVENT_COPY_SIZES,
};

/* A string that an argument points to. */
struct func_event_string {
	u16	from;
	u16	to;
	u16	size;
};

enum func_event_read_kind {
	FUNC_EVENT_READ_BYTES,
	FUNC_EVENT_READ_BITS,
	FUNC_EVENT_READ_STRING,
	FUNC_EVENT_READ_USTRING,
	FUNC_EVENT_READ_BITS_SIGNED,
};

/* Other memory that is read. */
struct func_event_read {
	u8			kind;
	s8			fault;
	u8			nr_hops;
	bool			absolute;
	u8			bits;
	u8			bit_offset;
	u16			from;
	u16			to;
	u16			size;
	unsigned long		address;
	s32			hops[FUNC_EVENT_MAX_HOPS];
};

/**
 * struct func_event_program - fetches fields, one after the other
 * @nr_copies: number of @copies of each size
 * @nr_strings: number of @strings
 * @nr_reads: number of @reads
 * @user: addresses of both user and kernel space mean user space
 * @copies: arguments that are copied, sorted by size
 * @strings: strings that arguments point to
 * @reads: other memory that is read
 */
struct func_event_program {
	u8			nr_copies[FUNC_EVENT_COPY_SIZES];
	u8			nr_strings;
	u8			nr_reads;
	bool			user;
	struct func_event_copy	copies[FUNC_EVENT_MAX_FIELDS];
	struct func_event_string strings[FUNC_EVENT_MAX_FIELDS];
	struct func_event_read	reads[FUNC_EVENT_MAX_FIELDS];
};

/* An event; the first members are for when its function is called. */
struct func_event {
	struct list_head		hook_node;
	struct tracepoint		tp;
	bool				syscall;
	bool				returns;
	/* Nothing is read when the function is entered. */
	bool				return_only;
	/* Reads no memory at the return: what was kept becomes the record. */
	bool				in_place;
	/* There is a word for faults at the start of the body. */
	bool				has_faults;
	/* Of the part of the body that has a fixed size. */
	u16				body_size;
	u16				duration_offset;
	/* What a return finds the event by. */
	u32				id;
	struct hlist_node		id_node;
	atomic_long_t			missed;
	struct func_event_program	*entry;
	struct func_event_program	*ret;

	/* Whose probes are registered. */
	unsigned int			nr_users;
	struct func_hook		*hook;
	struct trace_event_call		call;
	struct trace_event_class	class;
	struct dyn_event		devent;
	/* As it was written, without group and event. */
	char				*prototype;
	/* As it was named, and what that is: a system call has a wrapper. */
	char				*function;
	char				*symbol;
	/* That was asked for, or NULL. */
	char				*module;
	/* 0 if the module is not there. */
	unsigned long			ip;
	u8				nr_entry;
	u8				nr_fields;
	struct func_event_field		*fields;
};

/* As much as an event at the return of a function can keep from its entry. */
#define FUNC_EVENT_MAX_KEPT	(30 * sizeof(long))

int func_event_nr_args(bool syscall);
void func_event_compile(struct func_event_program *program, const struct func_event_field *field,
			bool syscall, unsigned int string_size);

int func_event_add(struct func_event *event);
void func_event_remove(struct func_event *event);
int func_event_attach(struct func_event *event);
void func_event_detach(struct func_event *event);
void func_event_buffer_probe(void *file);
void func_event_perf_probe(void *call);
int func_event_init(void);

/* --- BTF ------------------------------------------------------------------ */

struct func_event_btf;

#ifdef CONFIG_FUNCTION_EVENTS_BTF
enum func_event_err func_event_btf_get(const char *function, struct func_event_btf **result);
void func_event_btf_put(struct func_event_btf *btf);
int func_event_btf_nr_args(struct func_event_btf *btf);
enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
				       struct func_event_field *field);
enum func_event_err func_event_btf_return(struct func_event_btf *btf,
					  struct func_event_field *field);
enum func_event_err func_event_btf_path(struct func_event_btf *btf, const char *path,
					struct func_event_field *field, u16 *pos);
#else
static inline enum func_event_err func_event_btf_get(const char *function,
						     struct func_event_btf **result)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline void func_event_btf_put(struct func_event_btf *btf)
{
}

static inline int func_event_btf_nr_args(struct func_event_btf *btf)
{
	return 0;
}

static inline enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
						     struct func_event_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err func_event_btf_return(struct func_event_btf *btf,
							struct func_event_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err
func_event_btf_path(struct func_event_btf *btf, const char *path,
		    struct func_event_field *field, u16 *pos)
{
	return FUNC_EVENT_ERR_NO_BTF;
}
#endif

/* --- return of functions -------------------------------------------------- */

/* A function that is never called, for ftrace to attach the tracer of returns to. */
void func_event_return_anchor(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events with arguments of the types of C, see event_fetch.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_FETCH_H
#define _EVENT_FETCH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>

#include "fetch_memory.h"
#include "fetch_type.h"
#include "trace.h"
#include "trace_dynevent.h"
#include "trace_probe.h"

/*
 * The payload of a record is everything after its header. With this limit, a record and
 * its headers fit into a sub-buffer of 4 KiB.
 */
#define FETCH_MAX_PAYLOAD	3968
/* Maximum and minimum room for a string, in bytes, including the null byte. */
#define FETCH_MAX_STRING	1024
#define FETCH_MIN_STRING	8
/* Maximum number of dereferences from an argument to a field. */
#define FETCH_MAX_DEREFS	8

struct fetch_record {
	struct trace_entry	ent;
	/* The caller of the function, or the address of the marker. */
	unsigned long		ip;
	char			payload[];
};

static_assert(sizeof(struct fetch_record) == sizeof(struct fentry_trace_entry_head));

/**
 * struct fetch_field - a field of an event that is being defined, and its source
 * @name: of the field
 * @type: of the field or of its elements
 * @count: number of elements; 0 if the field is not an array
 * @bit: 1 + the bit that says that the field could not be read or, of a string, that
 *	it was cut; 0 if there is none
 * @arg: position of the argument; -1 if the source is not an argument
 * @absolute: the field is read from @address
 * @skip: bytes of that word before the argument, a member of a structure
 * @from: offset of the word with the argument, in bytes
 * @address: for @absolute
 * @read: the field is the memory that the source points to, not the source
 *	itself
 * @nr_derefs: number of @derefs
 * @derefs: offsets in bytes that are added to each pointer. All but the last
 *	are those of the next pointer.
 * @bits: width of a bit field; 0 if the field is not a bit field
 * @bit_offset: of a bit field, from the address of the last dereference; with
 *	@bits, it is within @type
 * @limited: another argument limits the length of the string
 * @limit_from: offset of that argument, in bytes
 * @max_len: maximum number of bytes to read of the string; 0 for no limit
 * @filled: a string that the traced function writes: only its address is taken
 *	at the entry, the text at the return
 * @late: memory that is read at the return; @from is the offset of the word with the
 *	argument in what is kept until then
 * @at: position in the definition, for error_log
 */
struct fetch_field {
	char				*name;
	const struct fetch_type		*type;
	u16				count;
	u8				bit;
	s8				arg;
	bool				absolute;
	u8				skip;
	u16				from;
	unsigned long			address;
	bool				read;
	u8				nr_derefs;
	s32				derefs[FETCH_MAX_DEREFS];
	u8				bits;
	u8				bit_offset;
	bool				limited;
	u16				limit_from;
	u16				max_len;
	bool				filled;
	bool				late;
	u16				at;
};

/**
 * struct fetch_where - registers of the code that has hit an event, for call
 * chains
 * @ip: its instruction pointer
 * @sp: its stack pointer; not used on arm64
 * @fp: its frame pointer
 */
struct fetch_where {
	unsigned long	ip;
	unsigned long	sp;
	unsigned long	fp;
};

/**
 * struct fetch_event - an event that a line defines
 * @definition: the line, without group and event name
 * @devent: dynamic event of the event
 * @tp: the event, with name, type and place of each field; how they are fetched is in
 *	parts, see fetch_new_part()
 */
struct fetch_event {
	char			*definition;
	struct dyn_event	devent;
	/* The last member: its array of arguments follows. */
	struct trace_probe	tp;
};

int fetch_begin_layout(struct fetch_event *event, struct fetch_field *fields,
		       unsigned int nr);
int fetch_add_arg(struct fetch_event *event, struct fetch_field *field);
int fetch_print_fmt(struct fetch_event *event,
		    void (*write)(struct fetch_event *event, struct seq_buf *s));
bool fetch_has_suffix(const struct probe_arg *arg);
void fetch_print_fmt_suffix(struct seq_buf *s, const struct probe_arg *arg);
const char *fetch_suffix(const struct fetch_event *event, const struct probe_arg *arg,
			 const struct fetch_record *rec);
void fetch_print_fmt_arg(struct seq_buf *s, const struct probe_arg *arg, bool whole);

struct trace_probe *fetch_new_part(const struct fetch_event *event, unsigned int nr);
int fetch_compile(struct trace_probe *part, const struct fetch_field *field,
		  const struct probe_arg *arg, bool user);
void fetch_finish_part(struct trace_probe *part, unsigned int nr_strings,
		       unsigned int room);
void fetch_free_part(struct trace_probe *part);

int fetch_follow(const struct fetch_insn *code, unsigned long *addr);
int fetch_insn(struct fetch_insn *code, unsigned long val, void *dest, void *base);
int fetch_limited(struct fetch_insn *code, unsigned long val, unsigned int limit,
		  void *dest, void *base);

void fetch_emit(struct probe_hit *hit, struct fetch_event *event, unsigned long ip,
		unsigned int size);
struct pt_regs *fetch_set_regs(struct pt_regs *regs, const struct fetch_where *where);
void fetch_must_wait(void);
void fetch_wait(void);

int fetch_define_fields(struct trace_event_call *call, const char *ip_name);
int fetch_register_event(struct fetch_event *event, struct dyn_event_operations *ops);
bool fetch_is_busy(struct dyn_event *ev);
bool fetch_match(const char *system, const char *name, int argc,
		 const char **argv, struct dyn_event *ev);
void fetch_free_event(struct fetch_event *event);
int fetch_remove_event(struct fetch_event *event);
int fetch_reg(struct trace_event_call *call, enum trace_reg type, void *data,
	      int (*attach)(struct fetch_event *event),
	      void (*detach)(struct fetch_event *event));

static inline struct fetch_event *to_fetch_event(struct dyn_event *ev)
{
	return container_of(ev, struct fetch_event, devent);
}

static inline struct fetch_event *fetch_event_of_call(struct trace_event_call *call)
{
	return container_of(trace_probe_primary_from_call(call), struct fetch_event, tp);
}

static inline u32 fetch_arg_size(const struct probe_arg *arg)
{
	return arg->type->size * max(arg->count, 1U);
}

/* The store behind all dereferences. */
static inline enum fetch_op fetch_last_op(const struct fetch_insn *code)
{
	while (code->op == FETCH_OP_DEREF || code->op == FETCH_OP_UDEREF)
		code++;
	return code->op;
}

/* What fetch_compile() has made for a field: a word of the source, or an address. */
static __always_inline unsigned long fetch_source(const struct fetch_insn *code,
						  const void *from)
{
	/* func_event_forget_addresses() may set it to 0 concurrently. */
	return code->op == FETCH_OP_IMM ? READ_ONCE(code->immediate) :
		*(const unsigned long *)(from + code->param);
}

#endif

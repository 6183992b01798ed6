/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events whose records are built by fetch code: function events and marker
 * events.
 *
 * See event_fetch.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_FETCH_H
#define _EVENT_FETCH_H

#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/unaligned.h>

#include "event_text.h"
#include "fetch_copy.h"
#include "fetch_memory.h"
#include "fetch_type.h"
#include "trace.h"
#include "trace_dynevent.h"
#include "trace_probe.h"
#include "trace_record_direct.h"

/*
 * The payload of a record is everything after struct fetch_record. With this limit
 * a record and its headers fit into a sub-buffer of 4 KiB.
 */
#define FETCH_MAX_PAYLOAD	3968
/*
 * A payload that is not made in the record is made on the stack if it has at most so
 * many bytes, with an equal share for each string, and then copied to each
 * destination. This is the size of most records, and little of a stack.
 */
#define FETCH_MAX_MADE		256
/*
 * Maximum and minimum room for a string, in bytes, including the null byte. Of a
 * longer string, a bit in the cut word says that it was cut.
 */
#define FETCH_MAX_STRING	1024
#define FETCH_MIN_STRING	8
/* So many bytes behind its room may be written when a string is read. */
#define FETCH_SLACK		1
/* In the place of the length of a payload: one of its strings does not fit. */
#define FETCH_NO_ROOM		U32_MAX
/*
 * Size of a string in its __data_loc until it is read again: of one that could
 * not be read, and of one that was cut. Both have their address instead of the
 * text; that which was cut has the start of the text behind it, unless its room
 * is less than FETCH_MIN_CUT.
 */
#define FETCH_UNREAD		0
#define FETCH_UNREAD_CUT	U16_MAX
#define FETCH_MIN_CUT		24
/* Maximum number of dereferences from an argument to a field. */
#define FETCH_MAX_DEREFS	8

struct fetch_record {
	struct trace_entry	ent;
	/* The caller of the function, or the address of the marker. */
	unsigned long		ip;
	char			payload[];
};

/**
 * struct fetch_field - a field of an event and its source
 * @name: of the field
 * @ctype: type in the format file, including the bound of an array
 * @type: of the field or of its elements
 * @count: number of elements; 0 if the field is not an array
 * @size: in bytes, in the fixed part of the record
 * @offset: in bytes, from the start of the payload
 * @fault: bit in the fault word at the start of the payload; -1 if reading the
 *	field cannot fault, or if the field itself shows the fault, as a string
 *	does
 * @cut: bit of a string in the cut word, which follows the fault word, if there
 *	is one
 * @arg: position of the argument; -1 if the source is not an argument
 * @absolute: the field is read from @address
 * @from: offset of the argument in the source of the fetch code, in bytes
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
 * @at: position in the definition, for error_log
 */
struct fetch_field {
	char				*name;
	char				*ctype;
	const struct fetch_type		*type;
	u16				count;
	u16				size;
	u16				offset;
	s8				fault;
	u8				cut;
	s8				arg;
	bool				absolute;
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
	u16				at;
};

/**
 * struct fetch_span - memory of user space that a read is going to get
 * @address: of the memory
 * @size: maximum size, in bytes; 0 if there is no such memory
 * @is_string: it ends with a null byte
 * @is_pointer: it is a pointer to other memory of the same read
 */
struct fetch_span {
	unsigned long	address;
	unsigned int	size;
	bool		is_string;
	bool		is_pointer;
};

/**
 * struct fetch_string - a string that an argument points to
 * @from: offset of the argument in the source
 * @to: offset of the __data_loc in the payload
 * @size: room for the string, in bytes
 * @share: the same in a payload that fetch_exec() makes; at most @size
 * @cut: bit that says that the string was cut
 */
struct fetch_string {
	u16	from;
	u16	to;
	u16	size;
	u16	share;
	u8	cut;
};

enum fetch_read_kind {
	FETCH_READ_VALUE,
	FETCH_READ_LIMITED_STRING,
	/* Those below may be read again at the return. */
	FETCH_READ_STRING,
	/* In fetch_code::strings as well. */
	FETCH_READ_PLAIN_STRING,
	FETCH_READ_FILLED_STRING,
};

/*
 * A read of memory, by instructions of probe events: the source, dereferences, and
 * what is stored.
 */
struct fetch_read {
	struct fetch_insn	*code;
	u8			kind;
	s8			fault;
	/* The memory is user memory, whatever the address. */
	bool			user;
	bool			limited;
	u16			limit_from;
	u16			max_len;
	/* Where it goes; dest.from is not used. */
	struct fetch_string	dest;
};

/**
 * struct fetch_code - instructions that fetch fields
 * @nr_copies: number of @copies of each size
 * @nr_strings: number of @strings
 * @nr_reads: number of @reads, and of @strings, which are among them
 * @user: addresses in arguments are of user space, and do not say so themselves
 * @again: strings of user space that cannot be read, or that are too long, are
 *	read by fetch_again()
 * @unread: there has ever been such a string
 * @again_size: room for each of them in the payload, in bytes
 * @again_share: the same in a payload on the stack
 * @cut_at: offset of the cut word in the payload, in bytes
 * @nr_insns: number of @insns
 * @copies: arguments to copy, sorted by size
 * @strings: strings that arguments point to, for fetch_exec()
 * @reads: memory to read
 * @insns: of @reads
 */
struct fetch_code {
	u8			nr_copies[FETCH_COPY_SIZES];
	u8			nr_strings;
	u8			nr_reads;
	bool			user;
	bool			again;
	bool			unread;
	u8			cut_at;
	u16			again_size;
	u16			again_share;
	u16			nr_insns;
	struct fetch_copy	copies[FETCH_MAX_FIELDS];
	struct fetch_string	strings[FETCH_MAX_FIELDS];
	struct fetch_read	reads[FETCH_MAX_FIELDS];
	struct fetch_insn	insns[];
};

/*
 * The padding before an aligned field, or before the duration: the last bytes, one to
 * seven, of a 64-bit word that ends where the field begins. All of the word is written,
 * so that one that begins with the gap could go beyond the record.
 */
struct fetch_gap {
	/* Offset of the word from the start of the payload; may be negative. */
	s16	at;
	/* Mask of the bits of the word that are not in the gap. */
	u64	keep;
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
 * struct fetch_event - an event whose records are built by fetch code
 * @tp: the tracepoint that tracefs, perf and BPF enable; its probes are never
 *	called
 * @payload_size: size of the fixed part of the payload, in bytes
 * @has_faults: the payload starts with a fault word
 * @has_cuts: the payload has a cut word, at its start or after the fault word
 * @nr_gaps: number of @gaps
 * @gaps: padding between fields, cleared in each record
 * @where: gets the registers of a hit from the source argument of fetch_emit()
 * @make: makes the payload from that argument, with the room for each string in
 *	rooms; returns the number of bytes in use. Without a payload, sets rooms, and
 *	returns the size.
 * @nr_users: number of registered users: trace instances and perf
 * @call: trace event call of the event
 * @class: class of the event
 * @devent: dynamic event of the event
 * @definition: the line that it was made of, without group and event name
 * @nr_fields: number of @fields
 * @fields: fields in the order of the payload
 */
struct fetch_event {
	struct tracepoint	tp;
	u16			payload_size;
	bool			has_faults;
	bool			has_cuts;
	u8			nr_gaps;
	struct fetch_gap	gaps[FETCH_MAX_FIELDS + 1];
	void (*where)(const struct fetch_event *event, const void *source,
		      struct fetch_where *where);
	unsigned int (*make)(const struct fetch_event *event, const void *source,
			     char *payload, u16 *rooms);
	unsigned int		nr_users;
	struct trace_event_call	call;
	struct trace_event_class class;
	struct dyn_event	devent;
	char			*definition;
	u8			nr_fields;
	struct fetch_field	*fields;
};

/* A payload that is made before its record is reserved. */
struct fetch_made {
	/*
	 * 64-bit fields are aligned in the record; align the payload here as it
	 * is there. A struct fetch_gap may begin before it.
	 */
	char	align[offsetof(struct fetch_record, payload) % sizeof(u64) +
		      sizeof(u64)];
	char	payload[ALIGN(FETCH_MAX_MADE + FETCH_SLACK, sizeof(u64))];
} __aligned(sizeof(u64));

struct fetch_code *fetch_new_code(const struct fetch_event *event,
				  const struct fetch_field *fields,
				  unsigned int nr, bool user);
unsigned int fetch_share(unsigned int used, unsigned int nr, unsigned int size);
void fetch_compile(struct fetch_code *code, const struct fetch_field *field,
		   unsigned int string_size, unsigned int share);
unsigned int fetch_string_slow(struct fetch_code *code,
			       const struct fetch_string *string,
			       unsigned long addr, char *payload,
			       unsigned int len);
unsigned int fetch_memory(struct fetch_code *code, const void *from,
			  char *payload, unsigned int len);
unsigned int fetch_measure(const struct fetch_code *code, const void *from,
			   u16 *rooms);
unsigned int fetch_exec_rooms(struct fetch_code *code, const void *from,
			      char *payload, unsigned int len,
			      const u16 *rooms);
bool fetch_needs_again(const struct fetch_code *code, const char *payload);
unsigned int fetch_measure_again(const struct fetch_code *code, long filled,
				 const char *payload, u16 *rooms);
unsigned int fetch_again(struct fetch_code *code, long filled, char *payload,
			 unsigned int len, const u16 *rooms);
bool fetch_reads_arguments(const struct fetch_code *code);
bool fetch_find_span(const struct fetch_code *code, const void *from,
		     unsigned int *nr, struct fetch_span *span);
bool fetch_make_present(const struct fetch_span *span);
void fetch_emit_slow(struct fetch_event *event,
		     const struct tracepoint_func *func, const void *source,
		     unsigned long ip, const char *payload, unsigned int len);
void fetch_buffer_probe(void *file);
void fetch_perf_probe(void *call);
void fetch_must_wait(void);
void fetch_wait(void);

void fetch_align(struct fetch_event *event, u32 *offset, u32 align);
void fetch_number_bits(struct fetch_event *event, u32 *offset);
int fetch_place_field(struct fetch_event *event, struct fetch_field *field,
		      u32 *offset);
struct trace_event_fields *fetch_trace_bits(struct trace_event_fields *to,
					    const struct fetch_event *event);
struct trace_event_fields *fetch_trace_field(struct trace_event_fields *to,
					     const char *type, const char *name,
					     int size, int count, bool sign);
struct trace_event_fields *fetch_trace_fields(struct trace_event_fields *to,
					      const struct fetch_field *fields,
					      unsigned int nr);
bool fetch_has_suffix(const struct fetch_field *field);
void fetch_print_fmt_suffix(struct seq_buf *s, const struct fetch_field *field);
const char *fetch_suffix(const struct fetch_event *event,
			 const struct fetch_field *field,
			 const struct fetch_record *rec);
void fetch_print_fmt_arg(struct seq_buf *s, const struct fetch_field *field,
			 bool whole);
int fetch_print_fmt(struct fetch_event *event,
		    void (*write)(struct fetch_event *event,
				  struct seq_buf *s));
int fetch_register_event(struct fetch_event *event,
			 struct trace_event_functions *funcs,
			 int (*reg)(struct trace_event_call *call,
				    enum trace_reg type, void *data),
			 struct dyn_event_operations *ops);
bool fetch_is_busy(struct dyn_event *ev);
bool fetch_match(const char *system, const char *name, int argc,
		 const char **argv, struct dyn_event *ev);
void fetch_free_event(struct fetch_event *event);
int fetch_remove_event(struct fetch_event *event);
int fetch_reg(struct trace_event_call *call, enum trace_reg type, void *data,
	      int (*attach)(struct fetch_event *event),
	      void (*detach)(struct fetch_event *event));

/**
 * struct fetch_ctx - a line of which an event is made, or several
 * @text: the line
 * @may_wait: the line may wait for its module, if there are such lines
 * @enable: the events are to be enabled in the top trace array
 * @is_named: the line was made of one with a pattern, by fetch_make_pattern()
 * @event: set to the event, if the line makes only one
 * @where: for error_log, instead of the name of the file; NULL or allocated
 * @err: the error, one of those of the file; 0 if there is none
 * @pos: position of the error in @text
 */
struct fetch_ctx {
	const char		*text;
	bool			may_wait;
	bool			enable;
	bool			is_named;
	struct fetch_event	*event;
	char			*where;
	int			err;
	u16			pos;
};

/* More are a mistake: tracing them all makes the machine slow. */
#define FETCH_MAX_MATCHES	1000

/**
 * struct fetch_pattern - what a pattern matches
 * @text: the pattern, see lib/glob.c
 * @names: the names; fetch_pattern_add() adds one
 * @nr: number of @names
 */
struct fetch_pattern {
	char		*text;
	char		**names;
	unsigned int	nr;
};

/**
 * struct fetch_file - a file in tracefs in which each line defines an event
 * @name: of the file
 * @letter: that a line with group or event name begins with
 * @group: of an event whose line has none
 * @max_text: maximum length of a line, in characters
 * @ops: of its kind of dynamic events
 * @make: makes the event of a line, or calls fetch_make_pattern(); with event_mutex
 *	held. Returns 0, or a negative errno, with an error in the context if error_log
 *	is to have it.
 * @match: adds what a pattern matches, in a module or, if that is NULL, everywhere
 * @remove: removes the events named by a line, without its leading "!"
 * @err_text: texts of the errors
 * @err_errno: what write() returns for each of them, without its sign
 * @err_too_long: the error that a line is too long; those below are errors, too
 * @err_group: the name of the group is too long
 * @err_event: the name of the event is too long
 * @err_exists: there is such an event
 * @err_too_many: more than FETCH_MAX_MATCHES match
 * @err_none: nothing matches
 * @err_module: a pattern of a module, which names of events do not tell
 */
struct fetch_file {
	const char			*name;
	char				letter;
	const char			*group;
	unsigned int			max_text;
	struct dyn_event_operations	*ops;
	int				(*make)(struct fetch_ctx *ctx);
	int				(*match)(struct fetch_pattern *pattern,
						 const char *module);
	int				(*remove)(const char *text);
	const char * const		*err_text;
	const u8			*err_errno;
	u8				err_too_long;
	u8				err_group;
	u8				err_event;
	u8				err_exists;
	u8				err_too_many;
	u8				err_none;
	u8				err_module;
};

int fetch_fail(struct fetch_ctx *ctx, int err, u16 pos);
char *fetch_span_dup(const struct fetch_ctx *ctx, struct text_span span);
int fetch_set_names(const struct fetch_file *file, struct fetch_ctx *ctx,
		    const struct event_def *def, struct fetch_event *event);
int fetch_pattern_add(struct fetch_pattern *pattern, const char *name);
int fetch_make_pattern(const struct fetch_file *file, struct fetch_ctx *ctx,
		       const struct event_def *def);
int fetch_define(const struct fetch_file *file, const char *text, bool enable,
		 bool may_wait);
int fetch_create(const struct fetch_file *file, const char *text, bool enable);
void fetch_show_definition(struct seq_file *m, const struct fetch_file *file,
			   const struct fetch_event *event, bool names);
bool fetch_has_default_name(const struct fetch_file *file,
			    const struct fetch_event *event, const char *name);
int fetch_check_open(void);
int fetch_run_line(const struct fetch_file *file, const char *text);
ssize_t fetch_write_lines(const struct fetch_file *file, struct file *filp,
			  const char __user *ubuf, size_t count, loff_t *ppos,
			  int (*run)(const char *text));
int fetch_remove_line(const struct fetch_file *file, const struct fetch_ctx *ctx,
		      const struct event_def *def, bool has_more);
void fetch_boot_lines(const struct fetch_file *file, char *lines);

/* Where the absolute address of a read is, or NULL if it has none. */
static inline unsigned long *
fetch_absolute_address(const struct fetch_read *read)
{
	return read->code->op == FETCH_OP_IMM ? &read->code->immediate : NULL;
}

static __always_inline void fetch_copies(const struct fetch_code *code,
					 const void *from, char *payload)
{
	fetch_copy_all(code->nr_copies, code->copies, from, payload);
}

/* Refer to the string of @size bytes at @at, in the layout of __data_loc. */
static __always_inline void fetch_set_loc(char *payload, u16 to,
					  unsigned int at, unsigned int size)
{
	*(u32 *)(payload + to) =
		size << 16 | (offsetof(struct fetch_record, payload) + at);
}

/* Fetch the strings that arguments point to; as fetch_exec(). */
static __always_inline unsigned int fetch_strings(struct fetch_code *code,
						  const void *from,
						  char *payload,
						  unsigned int len)
{
	const struct fetch_string *string = code->strings;

	for (int n = code->nr_strings; n; n--, string++) {
		unsigned long addr = *(const unsigned long *)(from + string->from);
		long found = 0;

		/*
		 * Pass string->share + FETCH_SLACK, so that a string that just
		 * fits is not cut, see fetch_add_string().
		 */
		if (likely(!fetch_is_user_address(addr, code->user)))
			found = strncpy_from_kernel_nofault(payload + len,
							    (const void *)addr,
							    string->share + FETCH_SLACK);

		/* It cannot be read, or it does not fit. */
		if (unlikely((unsigned long)found - 1 >= string->share)) {
			len = fetch_string_slow(code, string, addr, payload,
						len);
			if (len == FETCH_NO_ROOM)
				break;
			continue;
		}

		fetch_set_loc(payload, string->to, len, found);
		len += found;
	}
	return len;
}

/* Fetch the memory that arguments point to; as fetch_exec(). */
static __always_inline unsigned int
fetch_indirect(struct fetch_code *code, const void *from, char *payload,
	       unsigned int len)
{
	len = fetch_strings(code, from, payload, len);
	return code->nr_reads != code->nr_strings && len != FETCH_NO_ROOM ?
		fetch_memory(code, from, payload, len) : len;
}

/*
 * Fetches fields from registers, a return value, or the arguments of a marker
 * into @payload, of which @len bytes are in use. Strings are appended; up to
 * FETCH_SLACK bytes behind the last one are written. A read that faults sets its bit
 * in the fault word, the first word of @payload, or leaves a string that says so; with
 * @code->again, a string of no bytes with the address, which must not get into a
 * record. Returns the number of bytes in use afterwards, or FETCH_NO_ROOM if a string
 * is longer than its share. The fault word and the cut word are 0 before.
 */
static __always_inline unsigned int fetch_exec(struct fetch_code *code,
					       const void *from, char *payload,
					       unsigned int len)
{
	fetch_copies(code, from, payload);
	return fetch_indirect(code, from, payload, len);
}

/* Clear the fault word and the cut word, if there are any. */
static __always_inline void fetch_clear_bits(const struct fetch_event *event,
					     char *payload)
{
	if (event->has_faults)
		*(u32 *)payload = 0;
	if (event->has_cuts)
		*(u32 *)(payload + event->has_faults * sizeof(u32)) = 0;
}

/*
 * The gaps have old buffer contents, or the upper part of an argument that is
 * smaller than a register; neither must reach user space.
 */
static __always_inline void fetch_clear_gaps(const struct fetch_event *event,
					     char *payload)
{
	for (unsigned int n = 0; n < event->nr_gaps; n++) {
		u64 *word = (u64 *)(payload + event->gaps[n].at);

		put_unaligned(get_unaligned(word) & event->gaps[n].keep, word);
	}
}

/*
 * The first user of the event and its destination, or NULL. Within
 * tracepoint_srcu: as for tracepoints, both are freed after a grace period of it.
 */
static __always_inline const struct tracepoint_func *
fetch_users(const struct fetch_event *event)
{
	/* srcu_dereference() would call functions that can be traced. */
	return rcu_dereference_raw(event->tp.funcs);
}

/* True if nobody but the ring buffer of one file, func->data, gets the records. */
static __always_inline bool fetch_is_direct(const struct tracepoint_func *func)
{
	return likely(func->func == fetch_buffer_probe && !func[1].func &&
		      trace_record_is_direct(func->data));
}

static __always_inline void fetch_to_buffer(struct trace_event_file *file,
					    unsigned long ip,
					    const char *payload,
					    unsigned int len)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct fetch_record *rec;

	rec = trace_record_direct(buffer, file, sizeof(*rec) + len);
	if (!rec)
		return;

	rec->ip = ip;
	fetch_copy_bytes(rec->payload, payload, len);
	trace_record_direct_end(buffer);
}

/*
 * Emit the record to all users of the event. Preemption is disabled, once.
 * @source is passed to event->where() and, if @len is FETCH_NO_ROOM, to event->make().
 */
static __always_inline void fetch_emit(struct fetch_event *event,
				       const void *source, unsigned long ip,
				       char *payload, unsigned int len)
{
	const struct tracepoint_func *func;

	guard(srcu_fast_notrace)(&tracepoint_srcu);
	func = fetch_users(event);
	if (!func)
		return;

	if (likely(len != FETCH_NO_ROOM)) {
		fetch_clear_gaps(event, payload);
		if (fetch_is_direct(func)) {
			fetch_to_buffer(func->data, ip, payload, len);
			return;
		}
	}
	fetch_emit_slow(event, func, source, ip, payload, len);
}

/*
 * The same for an event without strings: its payload is made in the record. @from is
 * the source of @code.
 */
static __always_inline void fetch_emit_fixed(struct fetch_event *event,
					     struct fetch_code *code,
					     const void *from,
					     const void *source,
					     unsigned long ip)
{
	const struct tracepoint_func *func;
	struct trace_event_file *file;
	struct trace_buffer *buffer;
	struct fetch_record *rec;

	guard(srcu_fast_notrace)(&tracepoint_srcu);
	func = fetch_users(event);
	if (!func)
		return;

	if (!fetch_is_direct(func)) {
		fetch_emit_slow(event, func, source, ip, NULL, FETCH_NO_ROOM);
		return;
	}

	file = func->data;
	buffer = file->tr->array_buffer.buffer;
	rec = trace_record_direct(buffer, file,
				  sizeof(*rec) + event->payload_size);
	if (!rec)
		return;

	rec->ip = ip;
	fetch_clear_bits(event, rec->payload);
	fetch_exec(code, from, rec->payload, event->payload_size);
	fetch_clear_gaps(event, rec->payload);
	trace_record_direct_end(buffer);
}

#endif

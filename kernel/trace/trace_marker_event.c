// SPDX-License-Identifier: GPL-2.0
/*
 * Marker events: a marker becomes a trace event when its name is written to
 * marker_events in tracefs.
 *
 * Each conversion in the format of the marker is a field of the event, a struct
 * trace_probe, see event_fetch.c. The event is printed with the format of the marker.
 *
 * A marker of a module may come back with another format. The fields of the
 * event cannot change then, so it is not connected to that marker.
 *
 * event_mutex protects the events. It comes before the mutex of kernel/marker.c
 * in the lock order.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) "marker_events: " fmt

#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string_choices.h>
#include <linux/string_helpers.h>

#include <asm/setup.h>

#include "event_def.h"
#include "event_fetch.h"
#include "marker_parse.h"
#include "trace.h"
#include "trace_dynevent.h"
#include "trace_output.h"
#include "trace_probe_kernel.h"
#include "trace_probe_tmpl.h"

#undef C
#define C(name, errno, text)	text
static const char * const marker_event_err_text[] = { MARKER_ERRORS };

#undef C
#define C(name, errno, text)	errno
static const u8 marker_event_errno[] = { MARKER_ERRORS };

/* A marker event; the first members are used when its marker is hit. */
struct marker_event {
	/* What is fetched of the arguments. */
	struct trace_probe		*part;
	u8				nr_slots;
	u32				wide;
	atomic_long_t			missed;

	/*
	 * Name of the marker whose probe is registered, or would be if the
	 * event were enabled: the first of @names that exists and has the
	 * format of the event.
	 */
	char				*marker;
	/* The probe; its format is a copy of that of the marker. */
	struct marker_probe		probe;
	bool				attached;
	struct marker_format		*format;
	/* The index in format->args of each field. */
	u8				args[FETCH_MAX_FIELDS];
	char				*names[MARKER_EVENT_MAX_NAMES];
	u8				nr_names;
	struct fetch_event		base;
};

/* A definition that waits for its module to be loaded. */
struct marker_event_waiting {
	struct list_head	list;
	char			*module;
	bool			enable;
	char			text[];
};

static LIST_HEAD(marker_event_waiting_list);
static struct dyn_event_operations marker_event_ops;
static const struct event_def_file marker_events_file;

static struct marker_event *to_marker_event(struct dyn_event *ev)
{
	return ev->ops == &marker_event_ops ?
		container_of(ev, struct marker_event, base.devent) : NULL;
}

/*
 * How deep hits are nested on a CPU: one of each context, and one more, because
 * code that a marker event calls may have markers. Hits that are nested deeper
 * are counted as missed.
 */
#define MARKER_EVENT_NR_LEVELS	5

static DEFINE_PER_CPU(int, marker_event_depth);

/*
 * An argument that is not larger than a long is read as a long. This is correct
 * in the calling convention of every 64-bit architecture that Linux supports,
 * and for pointers and int on 32-bit ones. The part of the long that does not
 * belong to an int is not copied into the record.
 */
static __always_inline void
marker_event_get_argument(void *to, struct marker_call *call, bool wide)
{
	if (sizeof(long) < sizeof(u64) && wide)
		*(u64 *)to = va_arg(call->args, u64);
	else
		*(unsigned long *)to = va_arg(call->args, unsigned long);
}

/*
 * A hit that is not recorded directly. The arguments are read with va_arg() one after the
 * other into slots, which are the source of the part.
 */
struct marker_event_hit {
	struct probe_hit		base;
	struct marker_event		*event;
	const struct marker_call	*call;
	void				*slots;
	struct probe_made_args		made;
};

/*
 * The maximum number of bytes of a string, which is in another argument, or in the
 * format of the marker. As for printf(), a negative precision means no limit.
 */
static unsigned int marker_event_limit(const struct fetch_insn *code, const void *slots)
{
	unsigned int limit = code->offset < 0 ? -1 : *(const int *)(slots + code->offset);

	return code->size ? min(limit, code->size) : limit;
}

/* What trace_probe_tmpl.h needs; @rec is the slots. */
static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	unsigned long val = fetch_source(code++, rec);

	return code->op == FETCH_OP_NOP ?
		fetch_limited(code + 1, val, marker_event_limit(code, rec), dest, base) :
		fetch_insn(code, val, dest, base);
}

/*
 * probe_hit::set_regs() of marker events. The function with the marker has
 * called __mark_hit(), which has saved the frame pointer of its caller in the
 * frame at call->frame.
 */
static struct pt_regs *marker_event_set_regs(struct probe_hit *base, struct pt_regs *regs)
{
	const struct marker_call *call =
		container_of(base, struct marker_event_hit, base)->call;
	const unsigned long *frame = call->frame;
	struct fetch_where where = { .ip = call->ip, .sp = (unsigned long)frame };

#if defined(CONFIG_X86_64) || defined(CONFIG_ARM64)
	/* The frame pointer is saved below the return address. */
	where.fp = frame[0];
	where.sp = (unsigned long)(frame + 2);
#elif defined(CONFIG_RISCV) || defined(CONFIG_LOONGARCH)
	where.fp = frame[-2];
#endif
	return fetch_set_regs(regs, &where);
}

static void marker_event_store(struct probe_hit *base, void *to)
{
	struct marker_event_hit *hit = container_of(base, struct marker_event_hit, base);
	struct fetch_record *rec = to;

	rec->ip = hit->call->ip;
	trace_probe_store_args(rec->payload, hit->event->part, hit->slots, NULL,
			       sizeof(*rec), base->size - sizeof(*rec), &hit->made);
}

static noinline void marker_event_emit(struct marker_event *event,
				       const struct marker_call *call, void *slots)
{
	struct marker_event_hit hit __uninitialized;

	hit.base.store = marker_event_store;
	hit.base.set_regs = marker_event_set_regs;
	hit.event = event;
	hit.call = call;
	hit.slots = slots;
	fetch_emit(&hit.base, &event->base, call->ip,
		   trace_probe_args_size(event->part, slots, NULL,
					 sizeof(struct fetch_record), &hit.made));
}

/* Returns false if hits are nested too deep. marker_event_end() follows in any case. */
static __always_inline bool marker_event_begin(struct marker_event *event)
{
	if (likely(this_cpu_inc_return(marker_event_depth) <= MARKER_EVENT_NR_LEVELS))
		return true;
	atomic_long_inc(&event->missed);
	return false;
}

static __always_inline void marker_event_end(void)
{
	this_cpu_dec(marker_event_depth);
}

static void notrace marker_event_probe(void *data, struct marker_call *call)
{
	u64 all[FETCH_MAX_FIELDS] __uninitialized;
	struct marker_event *event = data;
	void *slots = call->first;
	struct trace_event_file *file;
	struct trace_buffer *buffer;
	struct fetch_record *rec;

	if (unlikely(!marker_event_begin(event)))
		goto out;
	if (!IS_ENABLED(CONFIG_64BIT) || unlikely(event->nr_slots > MARKER_NR_FIRST)) {
		slots = all;
		for (int i = 0; i < event->nr_slots; i++)
			marker_event_get_argument(&all[i], call, event->wide & BIT(i));
	}

	file = trace_probe_direct_file(&event->base.tp);
	if (unlikely(!file) ||
	    unlikely(!trace_probe_direct(event->part, file, slots, NULL, sizeof(*rec),
					 (void **)&rec, &buffer))) {
		marker_event_emit(event, call, slots);
	} else if (likely(rec)) {
		rec->ip = call->ip;
		trace_record_direct_end(buffer);
	}
out:
	marker_event_end();
}

static int marker_event_attach(struct fetch_event *base)
{
	struct marker_event *event =
		container_of(base, struct marker_event, base);
	int ret;

	if (event->attached)
		return 0;

	ret = marker_probe_register(event->marker, &event->probe, event);
	/*
	 * A marker of this name with another format was loaded in the meantime;
	 * marker_event_show_line() reports it.
	 */
	if (ret == -EINVAL)
		return 0;

	if (!ret)
		event->attached = true;
	return ret;
}

static void marker_event_detach(struct fetch_event *base)
{
	struct marker_event *event =
		container_of(base, struct marker_event, base);

	/* Freeing the event or its trace files waits for a grace period. */
	if (event->attached)
		marker_probe_unregister_nosync(event->marker, &event->probe,
					       event);
	event->attached = false;
}

static int marker_event_reg(struct trace_event_call *call, enum trace_reg type,
			    void *data)
{
	return fetch_reg(call, type, data, marker_event_attach,
			 marker_event_detach);
}

/* Parse context: the event that is created, and its fields. */
struct marker_event_ctx {
	struct event_def_ctx	*base;
	struct marker_def	def;
	struct marker_event	*event;
	unsigned int		nr_fields;
	struct fetch_field	fields[FETCH_MAX_FIELDS];
};

static bool marker_event_is_taken(struct marker_event_ctx *ctx, const char *name)
{
	for (int i = 0; i < ctx->nr_fields; i++)
		if (!strcmp(ctx->fields[i].name, name))
			return true;
	return false;
}

/*
 * True if the definition gives this name to a field; other fields must not use
 * it.
 */
static bool marker_event_is_given(struct marker_event_ctx *ctx,
				  const char *name)
{
	for (int i = 0; i < ctx->def.nr_fields; i++)
		if (strlen(name) == ctx->def.fields[i].len &&
		    !memcmp(name, ctx->base->text + ctx->def.fields[i].start,
			    ctx->def.fields[i].len))
			return true;
	return false;
}

/* Also the names argN of fields without a name. */
static bool marker_event_is_reserved(const char *name)
{
	return text_is_reserved(name) ||
	       (strstarts(name, "arg") && isdigit(name[3]));
}

static char *marker_event_field_name(struct marker_event_ctx *ctx, int nr)
{
	const struct marker_arg *arg = &ctx->event->format->args[nr];
	char *name;

	if (nr < ctx->def.nr_fields)
		return event_def_span_dup(ctx->base, ctx->def.fields[nr]);

	if (arg->name.len) {
		name = kstrndup(ctx->event->probe.format + arg->name.start,
				arg->name.len, GFP_KERNEL);
		if (!name ||
		    (!marker_event_is_taken(ctx, name) &&
		     !marker_event_is_given(ctx, name) &&
		     !marker_event_is_reserved(name)))
			return name;
		kfree(name);
	}

	return kasprintf(GFP_KERNEL, "arg%d", nr + 1);
}

/* Where the part finds the field. */
static void marker_event_set_source(struct fetch_field *field,
				    const struct marker_arg *arg)
{
	field->arg = arg->slot;
	field->from = arg->slot * sizeof(u64);
	field->read = arg->read;
	field->nr_derefs = arg->read;
	field->max_len = arg->max_len;
	field->limited = arg->limited;
	if (arg->limited)
		field->limit_from = (arg->slot - 1) * sizeof(u64) +
			(IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ?
			 sizeof(long) - sizeof(int) : 0);
}

static int marker_event_add_field(struct marker_event_ctx *ctx, int nr)
{
	struct marker_event *event = ctx->event;
	const struct marker_arg *arg = &event->format->args[nr];
	struct fetch_field *field = &ctx->fields[ctx->nr_fields];

	field->name = marker_event_field_name(ctx, nr);
	if (!field->name)
		return -ENOMEM;

	if (marker_event_is_taken(ctx, field->name))
		return event_def_fail(ctx->base, MARKER_ERR_DUPLICATE_FIELD,
				      nr < ctx->def.nr_fields ?
				      ctx->def.fields[nr].start :
				      ctx->def.base.definition);

	field->type = arg->type;
	field->count = arg->count;
	marker_event_set_source(field, arg);
	event->args[ctx->nr_fields++] = nr;
	return 0;
}

static int marker_event_make_fields(struct marker_event_ctx *ctx)
{
	int nr = ctx->event->format->nr_args, ret;

	if (ctx->def.nr_fields > nr)
		return event_def_fail(ctx->base, MARKER_ERR_TOO_MANY_FIELDS,
				      ctx->def.fields[nr].start);

	for (int i = 0; i < nr; i++) {
		if (i < ctx->def.nr_fields ?
		    !ctx->def.fields[i].len : ctx->def.has_fields)
			continue;
		ret = marker_event_add_field(ctx, i);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Lay out the payload: the words of bits, the fields, then the strings; and compile what
 * is fetched.
 */
static int marker_event_make_layout(struct marker_event_ctx *ctx)
{
	struct marker_event *event = ctx->event;
	struct trace_probe *tp = &event->base.tp;
	unsigned int nr_strings = 0, room;
	int ret = fetch_begin_layout(&event->base, ctx->fields, ctx->nr_fields);

	for (int i = 0; !ret && i < ctx->nr_fields; i++) {
		nr_strings += fetch_is_string(ctx->fields[i].type);
		ret = fetch_add_arg(&event->base, &ctx->fields[i]);
	}
	room = FETCH_MAX_PAYLOAD - tp->size;
	if (ret == -E2BIG || (!ret && room < nr_strings * FETCH_MIN_STRING))
		return event_def_fail(ctx->base, MARKER_ERR_TOO_LARGE,
				      ctx->def.base.definition);
	if (ret)
		return ret;

	event->nr_slots = event->format->nr_slots;
	event->wide = event->format->wide;
	event->part = fetch_new_part(&event->base, ctx->nr_fields);
	if (!event->part)
		return -ENOMEM;
	for (int i = 0; !ret && i < ctx->nr_fields; i++)
		ret = fetch_compile(event->part, &ctx->fields[i], &tp->args[i], false);
	fetch_finish_part(event->part, nr_strings, room);
	return ret;
}

static const struct probe_arg *
marker_event_find_field(const struct marker_event *event, int arg)
{
	for (int i = 0; i < event->base.tp.nr_args; i++)
		if (event->args[i] == arg)
			return &event->base.tp.args[i];
	return NULL;
}

/*
 * Length of the format without trailing newlines: each event is printed on a
 * line of its own anyway.
 */
static size_t marker_event_format_len(const struct marker_event *event)
{
	size_t len = strlen(event->probe.format);

	while (len && event->probe.format[len - 1] == '\n')
		len--;
	return len;
}

/*
 * The conversion without its length modifier, which describes how the argument
 * was passed, and without the precision of a string, which limited what was
 * recorded.
 */
static void marker_event_short_spec(const struct marker_event *event,
				    const struct marker_arg *arg, char *spec)
{
	const char *from = event->probe.format + arg->spec.start;
	const char *end = from + arg->spec.len;

	for (; from < end; from++) {
		if (*from == '.' && fetch_is_string(arg->type)) {
			while (from + 1 < end &&
			       (isdigit(from[1]) || from[1] == '*'))
				from++;
			continue;
		}

		if (!strchr("hlLzt", *from) ||
		    arg->type->format == FETCH_SYMBOL || arg->count)
			*spec++ = *from;
	}
	*spec = '\0';
}

/*
 * The conversion in print_fmt: the parser of libtraceevent supports fewer
 * conversions than vsprintf().
 */
static void marker_event_tool_spec(const struct marker_event *event,
				   const struct marker_arg *arg, char *spec)
{
	bool is_long_long = arg->type->size > sizeof(long);
	char *plus;

	switch (arg->print) {
	case MARKER_PRINT_BYTES:
		strscpy(spec, "%s", MARKER_MAX_SPEC);
		return;
	case MARKER_PRINT_HEX:
	case MARKER_PRINT_FLAGS:
		strscpy(spec, is_long_long ? "0x%llx" :
			arg->type->size == sizeof(u64) ? "0x%lx" : "0x%x",
			MARKER_MAX_SPEC);
		return;
	case MARKER_PRINT_ERROR:
		strscpy(spec, "%ld", MARKER_MAX_SPEC);
		return;
	default:
		break;
	}

	if (arg->type->format == FETCH_POINTER) {
		strscpy(spec, "0x%lx", MARKER_MAX_SPEC);
		return;
	}
	/* libtraceevent gets a char as a number. */
	if (arg->type->format == FETCH_CHAR) {
		strscpy(spec, "%u", MARKER_MAX_SPEC);
		return;
	}

	marker_event_short_spec(event, arg, spec);
	plus = strchr(spec, '+');
	if (plus)
		memmove(plus, plus + 1, strlen(plus));

	if (!arg->count && !fetch_is_string(arg->type) &&
	    arg->type->format != FETCH_SYMBOL &&
	    arg->type->size == sizeof(u64)) {
		size_t len = strlen(spec), more = is_long_long ? 2 : 1;

		spec[len + more] = '\0';
		spec[len + more - 1] = spec[len - 1];
		memset(spec + len - 1, 'l', more);
	}
}

static bool marker_event_is_quote(char c)
{
	return c == '"' || c == '\'';
}

static void marker_event_write_char(struct seq_buf *s, char c)
{
	if (c == '\n') {
		seq_buf_puts(s, "\\n");
		return;
	}
	if (c == '"' || c == '\\')
		seq_buf_putc(s, '\\');
	seq_buf_putc(s, c);
}

static void marker_event_write_print_fmt(struct fetch_event *base,
					 struct seq_buf *s)
{
	struct marker_event *event =
		container_of(base, struct marker_event, base);
	const struct marker_format *format = event->format;
	const char *text = event->probe.format;
	char spec[MARKER_MAX_SPEC + 3];
	size_t at = 0, len = marker_event_format_len(event);
	int arg = 0;

	seq_buf_putc(s, '"');
	while (at < len) {
		if (arg < format->nr_args &&
		    at == format->args[arg].spec.start) {
			const struct probe_arg *field =
				marker_event_find_field(event, arg);

			if (field) {
				marker_event_tool_spec(event,
						       &format->args[arg],
						       spec);
				seq_buf_puts(s, spec);
			} else {
				seq_buf_puts(s, "...");
			}

			at += format->args[arg++].spec.len;
			/* As in marker_event_print(). */
			if (field && fetch_is_string(field->type) &&
			    marker_event_is_quote(text[at]))
				marker_event_write_char(s, text[at++]);
			if (field && fetch_has_suffix(field))
				seq_buf_puts(s, "%s");
			continue;
		}
		marker_event_write_char(s, text[at++]);
	}

	seq_buf_putc(s, '"');

	for (int i = 0; i < base->tp.nr_args; i++) {
		const struct marker_arg *from = &format->args[event->args[i]];
		const struct probe_arg *field = &base->tp.args[i];

		if (from->print != MARKER_PRINT_BYTES) {
			fetch_print_fmt_arg(s, field, from->count);
			continue;
		}

		seq_buf_printf(s, ", __print_hex(REC->%s, %u)", field->name, from->count);
		fetch_print_fmt_suffix(s, field);
	}
}

/* As TRACE_EVENT prints it: %p is hashed unless options/hash-ptr is off. */
static void marker_event_print_pointer(struct trace_seq *s, const char *spec,
				       u64 value)
{
	struct trace_iterator *iter =
		container_of(s, struct trace_iterator, seq);
	const char *conversion = spec + strlen(spec) - 1;

	if (*conversion == 'x' ||
	    (*conversion == 'p' && trace_event_format(iter, spec) != spec))
		trace_seq_printf(s, "0x%llx", value);
	else
		trace_seq_printf(s, spec, (void *)(unsigned long)value);
}

static void marker_event_print_value(struct trace_seq *s,
				     const struct marker_event *event,
				     const struct marker_arg *arg,
				     const void *at)
{
	u64 value = fetch_get_value(at, arg->type->size);
	char spec[MARKER_MAX_SPEC + 3];

	memcpy(spec, event->probe.format + arg->spec.start, arg->spec.len);
	spec[arg->spec.len] = '\0';

	if (arg->type->format == FETCH_CHAR && !(isascii(value) && isprint(value)))
		trace_seq_escape(s, at, 1);
	else if (arg->type->format == FETCH_SYMBOL || arg->print == MARKER_PRINT_ERROR)
		trace_seq_printf(s, spec, (void *)(unsigned long)value);
	else if (arg->type->format == FETCH_POINTER)
		marker_event_print_pointer(s, spec, value);
	else if (arg->print == MARKER_PRINT_HEX)
		trace_seq_printf(s, "0x%llx", value);
	else if (fetch_is_signed(arg->type) &&
		 arg->type->size < sizeof(int))
		trace_seq_printf(s, spec,
				 (int)sign_extend64(value,
						    arg->type->size * 8 - 1));
	else if (arg->type->size <= sizeof(int))
		trace_seq_printf(s, spec, (int)value);
	else if (event->wide & BIT(arg->slot))
		trace_seq_printf(s, spec, value);
	else
		trace_seq_printf(s, spec, (unsigned long)value);
}

/*
 * Print a string as its conversion says: "%s" with "-" or a width, or without.
 * False if only the start of the text is printed.
 */
static bool marker_event_print_string(struct trace_seq *s,
				      const struct marker_event *event,
				      const struct marker_arg *arg,
				      const char *text, size_t len)
{
	char spec[MARKER_MAX_SPEC + 3];
	size_t from = s->seq.len, shown;
	int pad, width = 0;

	marker_event_short_spec(event, arg, spec);
	for (const char *c = spec; *c; c++)
		if (isdigit(*c))
			width = width * 10 + *c - '0';

	len = strnlen(text, len);
	shown = trace_seq_escape(s, text, len);
	pad = width - (int)(s->seq.len - from);

	if (pad > 0 && !strchr(spec, '-')) {
		s->seq.len = from;
		trace_seq_printf(s, "%*s", pad, "");
		trace_seq_escape(s, text, len);
	} else if (pad > 0) {
		trace_seq_printf(s, "%*s", pad, "");
	}
	return shown == len;
}

/* Returns what follows the value, behind a quotation mark if there is one. */
static const char *marker_event_print_arg(struct trace_seq *s,
					  const struct marker_event *event,
					  const struct marker_arg *arg,
					  const struct probe_arg *field,
					  const struct fetch_record *rec)
{
	const void *at = rec->payload + field->offset;
	char spec[MARKER_MAX_SPEC + 3];

	if (fetch_is_string(arg->type)) {
		u32 loc = *(const u32 *)at;

		if (!marker_event_print_string(s, event, arg,
					       (char *)rec + (u16)loc, loc >> 16))
			return "...";
	} else if (arg->count || arg->print == MARKER_PRINT_FLAGS) {
		memcpy(spec, event->probe.format + arg->spec.start,
		       arg->spec.len);
		spec[arg->spec.len] = '\0';
		trace_seq_printf(s, spec, at);
	} else {
		marker_event_print_value(s, event, arg, at);
	}

	return fetch_suffix(&event->base, field, rec);
}

static enum print_line_t marker_event_print(struct trace_iterator *iter,
					    int flags,
					    struct trace_event *trace_event)
{
	struct fetch_event *base =
		fetch_event_of_call(container_of(trace_event, struct trace_event_call,
						 event));
	struct marker_event *event = container_of(base, struct marker_event, base);
	const struct fetch_record *rec = (const struct fetch_record *)iter->ent;
	const struct marker_format *format = event->format;
	const char *text = event->probe.format;
	size_t at = 0, len = marker_event_format_len(event);
	struct trace_seq *s = &iter->seq;
	int arg = 0;

	trace_seq_printf(s, "%s: ", trace_probe_name(&base->tp));
	while (at < len) {
		if (arg < format->nr_args &&
		    at == format->args[arg].spec.start) {
			const struct probe_arg *field =
				marker_event_find_field(event, arg);
			const char *suffix = "...";

			if (field)
				suffix = marker_event_print_arg(s, event,
								&format->args[arg],
								field, rec);

			at += format->args[arg++].spec.len;
			if (field && fetch_is_string(field->type) &&
			    marker_event_is_quote(text[at]))
				trace_seq_putc(s, text[at++]);
			trace_seq_puts(s, suffix);
			continue;
		}

		/* All other conversions have been handled: this is "%%". */
		if (text[at] == '%')
			at++;
		trace_seq_putc(s, text[at++]);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static struct trace_event_functions marker_event_print_funcs = {
	.trace = marker_event_print,
};

static int marker_event_define_fields(struct trace_event_call *call)
{
	return fetch_define_fields(call, "__ip");
}

static struct trace_event_fields marker_event_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = marker_event_define_fields },
	{}
};

static void marker_event_destroy(struct marker_event *event)
{
	if (!event)
		return;
	fetch_free_event(&event->base);
	fetch_free_part(event->part);
	for (int i = 0; i < event->nr_names; i++)
		kfree(event->names[i]);
	kfree(event->probe.format);
	kfree(event->format);
	kfree(event);
}

static int marker_event_set_name(struct marker_event_ctx *ctx)
{
	struct marker_event *event = ctx->event;

	for (int i = 0; i < ctx->def.nr_names; i++) {
		if (ctx->def.names[i].len >= MARKER_MAX_NAME)
			return event_def_fail(ctx->base, MARKER_ERR_LONG_NAME,
					      ctx->def.names[i].start);

		event->names[i] = event_def_span_dup(ctx->base, ctx->def.names[i]);
		if (!event->names[i])
			return -ENOMEM;
		event->nr_names++;
	}
	return event_def_set_names(&marker_events_file, ctx->base, &ctx->def.base,
				   &event->base);
}

/* Use the first marker of the definition that exists. */
static int marker_event_find_format(struct marker_event_ctx *ctx)
{
	struct marker_event *event = ctx->event;
	enum marker_err err;
	u16 pos;

	for (int i = 0; i < event->nr_names && !event->marker; i++) {
		char *format = marker_get_format(event->names[i]);

		if (IS_ERR(format))
			return PTR_ERR(format);
		if (!format)
			continue;

		event->marker = event->names[i];
		event->probe.format = format;
	}

	if (!event->marker)
		return event_def_fail(ctx->base, MARKER_ERR_UNKNOWN_MARKER,
				      ctx->def.names[0].start);

	event->probe.func = marker_event_probe;
	event->format = kzalloc_obj(*event->format);
	if (!event->format)
		return -ENOMEM;

	err = marker_parse_format(event->probe.format, event->format, &pos);
	return err ? event_def_fail(ctx->base, err, ctx->def.base.definition) : 0;
}

static int marker_event_make(struct marker_event_ctx *ctx)
{
	struct trace_event_call *call;
	struct marker_event *event;
	int ret;

	event = kzalloc_flex(*event, base.tp.args, FETCH_MAX_FIELDS);
	if (!event)
		return -ENOMEM;

	ctx->event = event;
	ret = marker_event_set_name(ctx) ?: marker_event_find_format(ctx) ?:
		marker_event_make_fields(ctx) ?:
		marker_event_make_layout(ctx) ?:
		fetch_print_fmt(&event->base, marker_event_write_print_fmt);
	if (ret)
		goto error;

	call = trace_probe_event_call(&event->base.tp);
	call->flags = TRACE_EVENT_FL_MARKER;
	call->event.funcs = &marker_event_print_funcs;
	call->class->fields_array = marker_event_fields;
	call->class->reg = marker_event_reg;
	ret = fetch_register_event(&event->base, &marker_event_ops);
	if (!ret) {
		ctx->base->event = &event->base;
		return 0;
	}

error:
	marker_event_destroy(event);
	return ret;
}

/*
 * True if the definition must wait for its module, which is not loaded or not
 * live yet. May return -ENOMEM.
 */
static int marker_event_must_wait(struct marker_event_ctx *ctx)
{
#ifdef CONFIG_MODULES
	char *name __free(kfree) = NULL;
	struct module *mod;

	if (!ctx->def.base.module.len)
		return false;

	name = event_def_span_dup(ctx->base, ctx->def.base.module);
	if (!name)
		return -ENOMEM;

	guard(preempt)();
	mod = find_module(name);
	return !mod || mod->state != MODULE_STATE_LIVE;
#else
	return false;
#endif
}

static struct marker_event_waiting *marker_event_find_waiting(const char *text)
{
	struct marker_event_waiting *pos;

	list_for_each_entry(pos, &marker_event_waiting_list, list)
		if (!strcmp(pos->text, text))
			return pos;
	return NULL;
}

static int marker_event_wait_for_module(struct marker_event_ctx *ctx)
{
	const char *text = skip_spaces(ctx->base->text);
	size_t size = strlen(text) + 1;
	struct marker_event_waiting *waiting;
	int ret = -ENOMEM;

	waiting = kzalloc(struct_size(waiting, text, size), GFP_KERNEL);
	if (!waiting)
		return -ENOMEM;

	memcpy(waiting->text, text, size);
	strim(waiting->text);

	if (marker_event_find_waiting(waiting->text)) {
		ret = event_def_fail(ctx->base, MARKER_ERR_EVENT_EXISTS,
				     ctx->def.base.module.start);
		goto error;
	}

	waiting->module = event_def_span_dup(ctx->base, ctx->def.base.module);
	if (!waiting->module)
		goto error;

	waiting->enable = ctx->base->enable;
	list_add_tail(&waiting->list, &marker_event_waiting_list);
	return 0;

error:
	kfree(waiting);
	return ret;
}

static void marker_event_free_waiting(struct marker_event_waiting *waiting)
{
	list_del(&waiting->list);
	kfree(waiting->module);
	kfree(waiting);
}

struct marker_event_matches {
	struct event_def_matches	*pattern;
	/* NULL for all of them. */
	const char		*module;
};

static int marker_event_match_one(struct marker *marker, struct module *mod, void *arg)
{
	struct marker_event_matches *matches = arg;

	if (matches->module && (!mod || strcmp(matches->module, module_name(mod))))
		return 0;
	if (!glob_match(matches->pattern->text, marker->name))
		return 0;
	return event_def_add_match(matches->pattern, marker->name);
}

/* The markers of modules that are loaded are among them. */
static int marker_event_match(struct event_def_matches *pattern, const char *module)
{
	struct marker_event_matches matches = {
		.pattern = pattern, .module = module,
	};
	int ret;

	marker_lock();
	ret = marker_for_each(marker_event_match_one, &matches);
	marker_unlock();
	return ret;
}

static int marker_event_make_line(struct event_def_ctx *base)
{
	struct marker_event_ctx *ctx __free(kfree) = kzalloc_obj(*ctx);
	int ret, wait;

	if (!ctx)
		return -ENOMEM;

	ctx->base = base;
	base->err = marker_parse_event(base->text, &ctx->def, &base->pos);
	if (base->err)
		return -EINVAL;
	if (ctx->def.base.is_pattern)
		return event_def_make_pattern(&marker_events_file, base, &ctx->def.base);

	ret = marker_event_make(ctx);
	for (int i = 0; i < ARRAY_SIZE(ctx->fields); i++)
		kfree(ctx->fields[i].name);
	if (base->err != MARKER_ERR_UNKNOWN_MARKER || !base->may_wait)
		return ret;
	wait = marker_event_must_wait(ctx);
	if (!wait)
		return ret;
	base->err = MARKER_ERR_OK;
	return wait < 0 ? wait : marker_event_wait_for_module(ctx);
}

/*
 * create() of dynamic_events, where the first letter identifies the kind of
 * event.
 */
static int marker_event_create(const char *text)
{
	if (!text_has_prefix(text, MARKER_EVENT_PREFIX))
		return -ECANCELED;
	return event_def_create(&marker_events_file, text, false);
}

static int marker_event_free(struct dyn_event *ev)
{
	struct marker_event *event = to_marker_event(ev);
	int ret;

	if (fetch_is_busy(ev))
		return -EBUSY;

	ret = fetch_remove_event(&event->base);
	if (ret)
		return ret;
	marker_event_destroy(event);
	return 0;
}

static void marker_event_show_line(struct seq_file *m,
				   struct marker_event *event, bool names)
{
	bool there = marker_has_format(event->marker, event->probe.format);
	char *format = there ? NULL : marker_get_format(event->marker);
	long missed = atomic_long_read(&event->missed);

	event_def_show(m, &marker_events_file, &event->base, names);
	/*
	 * Everything after # is a comment, so that the line may be written
	 * back.
	 */
	if (!there)
		seq_printf(m, "\t# marker %s",
			   format ? "has another format now" : "is gone");
	else if (event->marker != event->names[0])
		seq_printf(m, "\t# connected to %s", event->marker);

	if (missed)
		seq_printf(m, "\t# missed %ld", missed);
	seq_putc(m, '\n');

	if (!IS_ERR(format))
		kfree(format);
}

static int marker_event_show(struct seq_file *m, struct dyn_event *ev)
{
	marker_event_show_line(m, to_marker_event(ev), true);
	return 0;
}

static struct dyn_event_operations marker_event_ops = {
	.create		= marker_event_create,
	.show		= marker_event_show,
	.is_busy	= fetch_is_busy,
	.free		= marker_event_free,
	.match		= fetch_match,
};

#ifdef CONFIG_MODULES

/*
 * Attach the event to the first marker of its definition that exists and has
 * the format of the event, if any.
 */
static void marker_event_choose_marker(struct marker_event *event)
{
	bool enabled = trace_probe_is_enabled(&event->base.tp);
	char *chosen = NULL;
	int ret;

	for (int i = 0; i < event->nr_names && !chosen; i++)
		if (marker_has_format(event->names[i], event->probe.format))
			chosen = event->names[i];

	if (!chosen || (chosen == event->marker &&
			event->attached == enabled))
		return;

	if (enabled) {
		ret = marker_probe_register(chosen, &event->probe, event);
		if (ret) {
			pr_warn("%s cannot be connected to %s: %d\n",
				trace_probe_name(&event->base.tp), chosen,
				ret);
			return;
		}
	}

	/*
	 * Unregister after registering: for a moment the event is attached to
	 * both markers, and no hit is missed.
	 */
	marker_event_detach(&event->base);
	fetch_must_wait();
	event->marker = chosen;
	event->attached = enabled;
}

static void marker_event_define_waiting(struct module *mod)
{
	struct marker_event_waiting *pos, *next;
	int ret;

	list_for_each_entry_safe(pos, next, &marker_event_waiting_list, list) {
		if (strcmp(pos->module, mod->name))
			continue;

		ret = event_def_define(&marker_events_file, pos->text, pos->enable,
				       false);
		/*
		 * A module without the marker may be another one of this name;
		 * keep waiting.
		 */
		if (ret == -ENOENT || ret == -ENOMEM)
			continue;

		if (ret)
			pr_warn("cannot add \"%s\": %d\n", pos->text, ret);
		marker_event_free_waiting(pos);
	}
}

static int marker_event_module_notify(struct notifier_block *nb,
				      unsigned long state, void *data)
{
	struct module *mod = data;
	struct dyn_event *pos;

	if (!mod->num_markers || state == MODULE_STATE_LIVE)
		return NOTIFY_OK;

	mutex_lock(&event_mutex);
	for_each_dyn_event(pos)
		if (to_marker_event(pos))
			marker_event_choose_marker(to_marker_event(pos));
	if (state == MODULE_STATE_COMING)
		marker_event_define_waiting(mod);
	mutex_unlock(&event_mutex);
	return NOTIFY_OK;
}

/* Priority -1: after the notifier of kernel/marker.c. */
static struct notifier_block marker_event_module_nb = {
	.notifier_call = marker_event_module_notify,
	.priority = -1,
};

static void __init marker_event_watch_modules(void)
{
	register_module_notifier(&marker_event_module_nb);
}

#else

static void __init marker_event_watch_modules(void)
{
}

#endif

/* Remove the waiting definition with this text. True if there was one. */
static bool marker_event_remove_waiting(const char *text)
{
	size_t len = strcspn(text, "#");
	struct marker_event_waiting *waiting;

	while (len && isspace(text[len - 1]))
		len--;

	guard(mutex)(&event_mutex);
	list_for_each_entry(waiting, &marker_event_waiting_list, list) {
		if (strlen(waiting->text) == len &&
		    !memcmp(waiting->text, text, len)) {
			marker_event_free_waiting(waiting);
			return true;
		}
	}
	return false;
}

static int marker_events_remove(const char *text)
{
	struct marker_def *def __free(kfree) =
		kmalloc_obj(*def);
	struct event_def_ctx ctx = { .text = text };

	if (!def)
		return -ENOMEM;
	ctx.err = marker_parse_event(text, def, &ctx.pos);
	if (!ctx.err && marker_event_remove_waiting(text))
		return 0;
	return event_def_remove_line(&marker_events_file, &ctx, &def->base,
				     def->has_fields || def->nr_names > 1);
}

static const struct event_def_file marker_events_file = {
	.name		= "marker_events",
	.letter		= MARKER_EVENT_PREFIX,
	.group		= "markers",
	.max_text	= MARKER_EVENT_MAX_TEXT,
	.ops		= &marker_event_ops,
	.make		= marker_event_make_line,
	.match		= marker_event_match,
	.remove		= marker_events_remove,
	.err_text	= marker_event_err_text,
	.err_errno	= marker_event_errno,
	.err_too_long	= MARKER_ERR_TOO_LONG,
	.err_group	= MARKER_ERR_BAD_GROUP,
	.err_event	= MARKER_ERR_BAD_EVENT,
	.err_exists	= MARKER_ERR_EVENT_EXISTS,
	.err_too_many	= MARKER_ERR_PATTERN_TOO_MANY,
	.err_none	= MARKER_ERR_PATTERN_NONE,
	.err_module	= MARKER_ERR_PATTERN_MODULE,
};

static int marker_events_run_line(const char *text)
{
	return event_def_run_line(&marker_events_file, text);
}

static ssize_t marker_events_write(struct file *file, const char __user *ubuf,
				   size_t count, loff_t *ppos)
{
	return event_def_write(&marker_events_file, file, ubuf, count, ppos,
			       marker_events_run_line);
}

static int marker_events_show(struct seq_file *m, void *v)
{
	struct marker_event *event;
	struct marker_event_waiting *waiting;
	struct dyn_event *pos;

	guard(mutex)(&event_mutex);
	for_each_dyn_event(pos) {
		event = to_marker_event(pos);
		if (event)
			marker_event_show_line(m, event,
					       !event_def_has_default_name(&marker_events_file,
									   &event->base,
									   event->names[0]));
	}

	list_for_each_entry(waiting, &marker_event_waiting_list, list)
		seq_printf(m, "%s%s\t# waits for module %s\n",
			   waiting->enable ? "+" : "", waiting->text,
			   waiting->module);
	return 0;
}

static int marker_events_release_all(void)
{
	struct marker_event_waiting *pos, *next;
	int ret = dyn_events_release_all(&marker_event_ops);

	if (ret)
		return ret;
	guard(mutex)(&event_mutex);
	list_for_each_entry_safe(pos, next, &marker_event_waiting_list, list)
		marker_event_free_waiting(pos);
	return 0;
}

static int marker_events_open(struct inode *inode, struct file *file)
{
	int ret = event_def_check_open();

	if (!ret && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		ret = marker_events_release_all();
	return ret ?: single_open(file, marker_events_show, NULL);
}

static const struct file_operations marker_events_fops = {
	.owner		= THIS_MODULE,
	.open		= marker_events_open,
	.read		= seq_read,
	.write		= marker_events_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static void marker_events_available_show_format(struct seq_file *m,
						const char *format)
{
	seq_putc(m, '"');
	seq_escape_str(m, format, ESCAPE_SPACE | ESCAPE_SPECIAL, "\"\\\n\t");
	seq_putc(m, '"');
}

/* A line of available_markers: the markers of one name in the kernel or in a module. */
static int marker_events_available_show_one(struct marker *marker,
					    struct module *mod, void *m)
{
	struct marker_format *format __free(kfree) = NULL;
	enum marker_err err;
	u16 pos;

	if (!marker_is_first(marker, mod))
		return 0;
	format = kmalloc_obj(*format);
	if (!format)
		return -ENOMEM;

	seq_printf(m, "%s %s", str_on_off(static_key_enabled(&marker->key)),
		   marker->name);
	if (mod)
		seq_printf(m, " [%s]", module_name(mod));
	seq_putc(m, '\t');
	marker_events_available_show_format(m, marker->format);

	err = marker_parse_format(marker->format, format, &pos);
	if (err)
		seq_printf(m, "\t# no event: %s", marker_event_err_text[err]);
	seq_putc(m, '\n');
	return 0;
}

static int marker_events_available_show(struct seq_file *m, void *v)
{
	int ret;

	/*
	 * Names and formats are in memory of the modules; marker_lock() keeps
	 * these loaded.
	 */
	marker_lock();
	ret = marker_for_each(marker_events_available_show_one, m);
	marker_unlock();
	return ret;
}

static int marker_events_available_open(struct inode *inode, struct file *file)
{
	return event_def_check_open() ?:
		single_open(file, marker_events_available_show, NULL);
}

static const struct file_operations marker_events_available_fops = {
	.owner		= THIS_MODULE,
	.open		= marker_events_available_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= single_release,
};

static bool marker_events_ready __initdata;

static __init int marker_events_init_files(void)
{
	int ret = tracing_init_dentry();

	if (ret || !marker_events_ready)
		return 0;
	trace_create_file("available_markers", TRACE_MODE_READ, NULL, NULL,
			  &marker_events_available_fops);
	trace_create_file("marker_events", TRACE_MODE_WRITE, NULL, NULL,
			  &marker_events_fops);
	return 0;
}
fs_initcall(marker_events_init_files);

static char marker_events_boot[COMMAND_LINE_SIZE] __initdata;

static int __init marker_events_set_boot(char *str)
{
	strscpy(marker_events_boot, str, sizeof(marker_events_boot));
	return 1;
}
__setup("marker_events=", marker_events_set_boot);

/* The initcall level of the other dynamic events. */
static __init int marker_events_init(void)
{
	int ret = dyn_event_register(&marker_event_ops);

	if (ret)
		return ret;
	marker_events_ready = true;
	marker_event_watch_modules();
	/* Boot events are enabled at once, as those of kprobe_event= are. */
	event_def_boot_lines(&marker_events_file, marker_events_boot);
	return 0;
}
core_initcall(marker_events_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * What function events and marker events fetch: events with arguments of the types of C.
 *
 * Such an event is a struct trace_probe. Its arguments have the types of C: they are
 * aligned, a bit says that a number could not be read, and another that a string was
 * cut. What is fetched at the same place is a part, a struct trace_probe without an
 * event, which is filled as that of any probe event is: an event at the return of a
 * function has one for the entry and one for the return.
 *
 * A hit runs with preemption disabled in any context, concurrently on all CPUs and
 * nested on one CPU. Disabling an event does not wait. Before an event, or a file that
 * records go to, is freed, fetch_wait() waits for a grace period in which no event was
 * disabled.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/glob.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "event_fetch.h"
#include "trace_probe_kernel.h"

#define TRACE_PROBE_FETCH_ONLY
#include "trace_probe_tmpl.h"

/* Clear the @len bytes before @end in each record; @len is at most 8. */
static void fetch_add_gap(struct trace_probe *tp, u32 end, u32 len)
{
	u64 keep = U64_MAX;

	memset((char *)(&keep + 1) - len, 0, len);
	tp->gaps[tp->nr_gaps++] = (struct probe_gap){
		.at = end - sizeof(u64),
		.keep = keep,
	};
}

/**
 * fetch_begin_layout() - begin to add arguments to an event, and give fields their bits
 * @event: the event
 * @fields: the fields, with their types and sources
 * @nr: number of @fields, at most FETCH_MAX_FIELDS
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int fetch_begin_layout(struct fetch_event *event, struct fetch_field *fields,
		       unsigned int nr)
{
	struct trace_probe *tp = &event->tp;
	unsigned int nr_faults = 0, nr_cuts = 0;

	static_assert(FETCH_MAX_FIELDS <= 32);

	/* One before each field, and before a duration. */
	tp->gaps = kcalloc(nr + 1, sizeof(*tp->gaps), GFP_KERNEL);
	if (!tp->gaps)
		return -ENOMEM;

	for (; nr; nr--, fields++) {
		if (fetch_is_string(fields->type))
			fields->bit = ++nr_cuts;
		else if (fields->read)
			fields->bit = ++nr_faults;
	}

	tp->size = (!!nr_faults + !!nr_cuts) * sizeof(u32);
	tp->cut_at = nr_faults ? sizeof(u32) : 0;
	tp->max_string = nr_cuts ? FETCH_MAX_STRING : 0;
	tp->nr_clear = tp->size;
	return 0;
}

/**
 * fetch_add_arg() - add a field to the arguments of an event
 * @event: the event, after fetch_begin_layout()
 * @field: the field; its name belongs to the event afterwards
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -E2BIG if the field does not fit, -ENOMEM otherwise.
 */
int fetch_add_arg(struct fetch_event *event, struct fetch_field *field)
{
	struct trace_probe *tp = &event->tp;
	struct probe_arg *arg = &tp->args[tp->nr_args];
	const u32 head = sizeof(struct fetch_record);
	u32 at = ALIGN(head + tp->size, field->type->size) - head;

	*arg = (struct probe_arg){
		.type = field->type,
		.count = field->count,
		.dynamic = fetch_is_string(field->type),
		.bit = field->bit,
		.offset = at,
	};
	if (at + fetch_arg_size(arg) > FETCH_MAX_PAYLOAD)
		return -E2BIG;
	if (at > tp->size && !tp->nr_args && tp->nr_clear)
		tp->nr_clear = at;
	else if (at > tp->size)
		fetch_add_gap(tp, at, at - tp->size);

	tp->size = at + fetch_arg_size(arg);
	tp->nr_args++;
	arg->name = field->name;
	field->name = NULL;
	if (field->count)
		arg->fmt = kasprintf(GFP_KERNEL, "%s[%u]", field->type->ctype, field->count);
	return field->count && !arg->fmt ? -ENOMEM : 0;
}

/**
 * fetch_new_part() - make a part of an event
 * @event: the event, with all arguments
 * @nr: number of arguments of the part
 *
 * Context: Process context. May sleep.
 * Return: the part, for fetch_free_part(); NULL if there is no memory.
 */
struct trace_probe *fetch_new_part(const struct fetch_event *event, unsigned int nr)
{
	struct trace_probe *part = kzalloc_flex(*part, args, nr);

	if (!part)
		return NULL;
	part->size = event->tp.size;
	part->cut_at = event->tp.cut_at;
	part->nr_clear = event->tp.nr_clear;
	part->nr_gaps = event->tp.nr_gaps;
	part->gaps = kmemdup_array(event->tp.gaps, max(part->nr_gaps, 1),
				   sizeof(*part->gaps), GFP_KERNEL);
	part->copies = kcalloc(nr, sizeof(*part->copies), GFP_KERNEL);
	part->strings = kcalloc(nr, sizeof(*part->strings), GFP_KERNEL);
	if (part->gaps && part->copies && part->strings)
		return part;
	fetch_free_part(part);
	return NULL;
}

/**
 * fetch_free_part() - free a part
 * @part: the part, or NULL
 */
void fetch_free_part(struct trace_probe *part)
{
	if (part)
		trace_probe_cleanup(part);
	kfree(part);
}

/* Shift a bit field to the top of its type, and from there to the bottom. */
static void fetch_compile_bits(struct fetch_insn *insn, const struct fetch_field *field)
{
	unsigned int above = field->type->size * BITS_PER_BYTE - field->bits;

	insn->op = FETCH_OP_MOD_BF;
	insn->basesize = field->type->size;
	insn->lshift = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ?
		field->bit_offset : above - field->bit_offset;
	insn->rshift = above;
	insn->is_signed = fetch_is_signed(field->type);
}

static enum fetch_op fetch_store_op(const struct fetch_field *field, bool user)
{
	if (!field->read)
		return FETCH_OP_ST_RAW;
	if (!fetch_is_string(field->type))
		return user ? FETCH_OP_ST_UMEM : FETCH_OP_ST_MEM;
	return user || field->type->format == FETCH_USTRING ? FETCH_OP_ST_USTRING :
							      FETCH_OP_ST_STRING;
}

/* At most the source, NOP, one for each dereference, a bit field, and the end. */
static void fetch_compile_read(struct fetch_insn *insn, const struct fetch_field *field,
			       const struct probe_arg *arg, bool user)
{
	int deref = 0, last = field->nr_derefs - 1;

	insn->op = field->absolute ? FETCH_OP_IMM :
		   field->late ? FETCH_OP_EDATA : FETCH_OP_REG;
	if (field->absolute)
		insn->immediate = field->address;
	else if (field->late)
		insn->offset = field->from;
	else
		insn->param = field->from;
	insn++;

	/* See func_event_keep_string() and marker_event_limit(). */
	if (field->filled || field->limited || field->max_len) {
		insn->op = FETCH_OP_NOP;
		insn->size = field->max_len;
		insn->offset = field->limited ? field->limit_from : -1;
		insn++;
	}
	for (; deref < last; deref++, insn++) {
		insn->op = user ? FETCH_OP_UDEREF : FETCH_OP_DEREF;
		insn->offset = field->derefs[deref];
	}

	insn->op = fetch_store_op(field, user);
	insn->size = fetch_arg_size(arg);
	if (field->read)
		insn->offset = field->derefs[deref];
	insn++;
	if (field->bits)
		fetch_compile_bits(insn++, field);
	insn->op = FETCH_OP_END;
}

/**
 * fetch_compile() - add a field to a part
 * @part: the part
 * @field: the field, with its source
 * @arg: its argument
 * @user: addresses in arguments are of user space, and do not say so themselves
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int fetch_compile(struct trace_probe *part, const struct fetch_field *field,
		  const struct probe_arg *arg, bool user)
{
	struct probe_arg *own = &part->args[part->nr_args++];

	*own = (struct probe_arg){
		.type = arg->type, .count = arg->count, .offset = arg->offset,
		.bit = arg->bit, .dynamic = arg->dynamic,
		.copied = !field->read && !field->bits,
	};
	if (own->copied) {
		fetch_insert_copy(part->nr_copies, part->copies, own->type->size,
				  field->from, own->offset);
		return 0;
	}

	own->code = kcalloc(field->nr_derefs + 4, sizeof(*own->code), GFP_KERNEL);
	if (!own->code)
		return -ENOMEM;
	/* An absolute address, or that of a symbol, is a kernel address. */
	fetch_compile_read(own->code, field, arg, user && !field->absolute);

	if (own->code[0].op == FETCH_OP_REG && own->code[1].op == FETCH_OP_ST_STRING)
		part->strings[part->nr_strings++] = (struct probe_string){
			.from = field->from, .to = own->offset,
			.offset = own->code[1].offset,
		};
	return 0;
}

/**
 * fetch_finish_part() - choose how a part is fetched
 * @part: the part, with all its arguments
 * @nr_strings: number of strings that share @room
 * @room: room for them, in bytes
 */
void fetch_finish_part(struct trace_probe *part, unsigned int nr_strings,
		       unsigned int room)
{
	unsigned int nr = part->nr_strings;

	for (int i = 0; i < FETCH_COPY_SIZES; i++)
		nr += part->nr_copies[i];
	if (nr_strings)
		part->max_string = min(room / nr_strings, FETCH_MAX_STRING);
	if (nr == part->nr_args && !part->nr_strings)
		part->kind = PROBE_ARGS_COPY;
	else if (part->size >= sizeof_field(struct probe_made_args, data))
		part->kind = PROBE_ARGS_STORE;
	else
		part->kind = nr == part->nr_args ? PROBE_ARGS_STRINGS : PROBE_ARGS_MAKE;
}

/**
 * fetch_follow() - follow the pointers up to the memory of a field
 * @code: the instructions behind the source
 * @addr: the source; set to the address of the memory or, on error, to that of the
 *	pointer that cannot be read
 *
 * Context: Any context, preemption is disabled.
 * Return: 0, or a negative errno.
 */
int fetch_follow(const struct fetch_insn *code, unsigned long *addr)
{
	unsigned long at;
	int ret;

	do {
		at = *addr + code->offset;
		ret = process_fetch_deref(code++, addr);
	} while (!ret);
	*addr = at;
	return min(ret, 0);
}

static long fetch_read(char *to, unsigned long addr, long size, bool user)
{
	return user ? fetch_nofault_user_string(to, addr, size) :
		      fetch_nofault_string(to, addr, size);
}

/*
 * The length of a string with its null byte, @count if it is longer, 0 or a negative
 * errno if the memory up to there cannot be read.
 */
static long fetch_strlen(unsigned long addr, bool user, long count)
{
	char text[64] __uninitialized;
	long len, size;

	/* What fills the buffer may have been cut; its last byte is read again. */
	for (long at = 0; at < count - 1; at += size - 1) {
		size = min(count - at, (long)sizeof(text));
		len = fetch_read(text, addr + at, size, user);
		if (len < size)
			return len > 0 ? at + len : len;
	}
	return count;
}

/**
 * fetch_insn() - fetch a field that is read from memory
 * @code: the instructions behind the source
 * @val: the source
 * @dest: as for process_fetch_insn()
 * @base: as for process_fetch_insn()
 *
 * Context: Any context, preemption is disabled.
 * Return: as process_fetch_insn(); -ENXIO for a string at NULL.
 */
int fetch_insn(struct fetch_insn *code, unsigned long val, void *dest, void *base)
{
	enum fetch_op last = fetch_last_op(code);
	bool user = last == FETCH_OP_ST_USTRING;
	int ret = -EFAULT;

	if (dest)
		ret = process_fetch_insn_bottom(code, val, dest, base);
	if (ret >= 0 || (!user && last != FETCH_OP_ST_STRING) || fetch_follow(code, &val))
		return ret;
	/* Memory at 0 can be read there, if it has not failed already. */
	if (!val && (dest || !IS_ENABLED(CONFIG_S390)))
		return -ENXIO;
	/* Not what is behind the longest one that is shown: that may not be there. */
	return dest ? ret : fetch_strlen(val, user, FETCH_MAX_STRING + 1);
}

/**
 * fetch_limited() - fetch a string in a limited number of bytes
 * @code: the instructions behind the source
 * @val: the source
 * @limit: number of bytes, of which the last one need not be a null byte; the byte
 *	after them need not be mapped
 * @dest: as for process_fetch_insn()
 * @base: as for process_fetch_insn()
 *
 * Context: Any context, preemption is disabled.
 * Return: as fetch_insn().
 */
int fetch_limited(struct fetch_insn *code, unsigned long val, unsigned int limit,
		  void *dest, void *base)
{
	bool user = fetch_last_op(code) == FETCH_OP_ST_USTRING;
	char *to, last = '\0';
	long found = 1;
	u32 room;

	if (!dest && limit > FETCH_MAX_STRING)
		return fetch_insn(code, val, dest, base);
	if (fetch_follow(code, &val))
		return -EFAULT;
	if (!val && limit)
		return -ENXIO;
	if (!dest) {
		found = fetch_strlen(val, user, limit);
		if (found <= 0)
			return max(limit + 1, sizeof(FAULT_STRING));
		return found < limit ? found : limit + 1;
	}

	room = get_loc_len(*(u32 *)dest);
	to = get_loc_data(dest, base);
	if (limit >= room) {
		found = fetch_read(to, val, room, user);
	} else if (limit) {
		found = fetch_read(to, val, limit, user);
		/* The byte at limit - 1 was replaced by a null byte. Read it. */
		if (found == limit &&
		    (user ? fetch_nofault_user_bytes(&last, val + limit - 1, 1) :
			    fetch_nofault_bytes(&last, val + limit - 1, 1)))
			found = -EFAULT;
	} else {
		*to = '\0';
	}
	if (found <= 0)
		return -EFAULT;
	if (last) {
		to[limit - 1] = last;
		to[limit] = '\0';
		found = limit + 1;
	}
	*(u32 *)dest = make_data_loc(found, (void *)to - base);
	return found;
}

/*
 * Set if readers may still use something that was removed. Protected by
 * event_mutex.
 */
static bool fetch_wait_needed;

/**
 * fetch_must_wait() - note that something was removed that readers may still
 * use
 *
 * The next fetch_wait() will wait for a grace period. Readers run with
 * preemption disabled and use parts, trace files, and the lists that they are found by.
 *
 * Context: Process context, event_mutex is held.
 */
void fetch_must_wait(void)
{
	lockdep_assert_held(&event_mutex);
	fetch_wait_needed = true;
}

/**
 * fetch_wait() - wait until no reader uses anything that was removed
 *
 * Waits for one grace period if fetch_must_wait() was called since the last
 * call, and not at all otherwise: removing any number of disabled events takes
 * one grace period.
 *
 * Context: Process context, event_mutex is held. May sleep.
 */
void fetch_wait(void)
{
	lockdep_assert_held(&event_mutex);

	if (fetch_wait_needed)
		synchronize_rcu();
	fetch_wait_needed = false;
}

/* fetch_set_regs() sets them from where the hit was. */
#define FETCH_SETS_REGS							\
	(IS_ENABLED(CONFIG_X86_64) || IS_ENABLED(CONFIG_ARM64) ||		\
	 IS_ENABLED(CONFIG_RISCV) || IS_ENABLED(CONFIG_LOONGARCH))

/**
 * fetch_emit() - record a hit for all users of its event
 * @hit: the hit, with what stores it and sets its registers
 * @event: the event
 * @ip: where call chains begin
 * @size: size of the payload, in bytes
 *
 * Context: Any context, preemption is disabled.
 */
void fetch_emit(struct probe_hit *hit, struct fetch_event *event, unsigned long ip,
		unsigned int size)
{
	hit->tp = &event->tp;
	hit->size = sizeof(struct fetch_record) + size;
	hit->set_stack = FETCH_SETS_REGS;
	hit->ip = ip;
	hit->regs = NULL;
	trace_probe_emit(hit);
}

/**
 * fetch_set_regs() - set the registers that call chains need
 * @regs: the registers
 * @where: what they are set to
 *
 * Context: Any context.
 * Return: @regs, or NULL if that is not implemented for this architecture.
 */
struct pt_regs *fetch_set_regs(struct pt_regs *regs, const struct fetch_where *where)
{
	memset(regs, 0, sizeof(*regs));
#if defined(CONFIG_X86_64)
	regs->ip = where->ip;
	regs->sp = where->sp;
	regs->bp = where->fp;
	regs->cs = __KERNEL_CS;
	regs->ss = __KERNEL_DS;
	/* Makes perf unwind from these registers, not from its caller. */
	regs->flags = X86_EFLAGS_FIXED;
#elif defined(CONFIG_ARM64)
	regs->pc = where->ip;
	regs->regs[29] = where->fp;
	regs->sp = where->sp;
	regs->pstate = PSR_MODE_EL1h;
#elif defined(CONFIG_RISCV)
	regs->epc = where->ip;
	regs->sp = where->sp;
	regs->s0 = where->fp;
	regs->status = SR_PP;
#elif defined(CONFIG_LOONGARCH)
	regs->csr_era = where->ip;
	regs->regs[3] = where->sp;
	regs->regs[22] = where->fp;
#else
	return NULL;
#endif
	return regs;
}

static bool fetch_has_faults(const struct fetch_event *event)
{
	for (int i = 0; i < event->tp.nr_args; i++)
		if (event->tp.args[i].bit && !event->tp.args[i].dynamic)
			return true;
	return false;
}

/**
 * fetch_has_suffix() - check whether something may follow the value of a field
 * @arg: its argument
 *
 * Return: true if the value may be followed by "(fault)" or "...".
 */
bool fetch_has_suffix(const struct probe_arg *arg)
{
	return arg->bit;
}

/**
 * fetch_print_fmt_suffix() - add what follows the value of a field to print_fmt
 * @s: the buffer to add to
 * @arg: the argument; if fetch_has_suffix() is true, the format has a %s for it
 */
void fetch_print_fmt_suffix(struct seq_buf *s, const struct probe_arg *arg)
{
	if (arg->bit)
		seq_buf_printf(s, ", (REC->%s & 0x%lx) ? \"%s\" : \"\"",
			       arg->dynamic ? "__cut" : "__fault", BIT(arg->bit - 1),
			       arg->dynamic ? "..." : FAULT_STRING);
}

/**
 * fetch_suffix() - what follows the value of a field
 * @event: the event
 * @arg: its argument
 * @rec: a record
 *
 * Return: "(fault)" for a number that could not be read, "..." for a string that
 *	was cut, or "".
 */
const char *fetch_suffix(const struct fetch_event *event, const struct probe_arg *arg,
			 const struct fetch_record *rec)
{
	const char *bits = rec->payload + (arg->dynamic ? event->tp.cut_at : 0);

	if (!arg->bit || !(*(const u32 *)bits & BIT(arg->bit - 1)))
		return "";
	return arg->dynamic ? "..." : FAULT_STRING;
}

/**
 * fetch_print_fmt_arg() - add a field to print_fmt
 * @s: the buffer to add to
 * @arg: the argument
 * @whole: the format has one conversion for a whole array
 *
 * Uses only what the parser of libtraceevent understands.
 */
void fetch_print_fmt_arg(struct seq_buf *s, const struct probe_arg *arg, bool whole)
{
	const struct fetch_type *type = arg->type;

	if (arg->dynamic)
		seq_buf_printf(s, ", __get_str(%s)", arg->name);
	else if (arg->count && !whole)
		seq_buf_printf(s, ", __print_array(REC->%s, %u, %u)", arg->name,
			       arg->count, type->size);
	else if (type->format == FETCH_SYMBOL)
		seq_buf_printf(s, ", (void *)REC->%s", arg->name);
	else if (fetch_is_signed(type) && !arg->count && type->size < sizeof(int))
		/*
		 * libtraceevent does not sign-extend fields smaller than an
		 * int.
		 */
		seq_buf_printf(s, ", REC->%s > %d ? REC->%s - %d : REC->%s", arg->name,
			       type->size == 1 ? S8_MAX : S16_MAX, arg->name,
			       1 << (type->size * 8), arg->name);
	else
		seq_buf_printf(s, ", REC->%s", arg->name);

	fetch_print_fmt_suffix(s, arg);
}

/**
 * fetch_print_fmt() - set the print_fmt of an event
 * @event: the event
 * @write: writes print_fmt; called again until the buffer is large enough
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int fetch_print_fmt(struct fetch_event *event,
		    void (*write)(struct fetch_event *event, struct seq_buf *s))
{
	struct seq_buf s;
	char *buf;

	for (size_t size = 1024;; size *= 2) {
		buf = kmalloc(size, GFP_KERNEL);
		if (!buf)
			return -ENOMEM;
		seq_buf_init(&s, buf, size);
		write(event, &s);
		if (!seq_buf_has_overflowed(&s) && seq_buf_used(&s) < size)
			break;
		kfree(buf);
	}

	seq_buf_str(&s);
	trace_probe_event_call(&event->tp)->print_fmt = buf;
	return 0;
}

/**
 * fetch_define_fields() - define_fields() of struct trace_event_fields
 * @event_call: of a struct fetch_event
 * @ip_name: name of the field with struct fetch_record::ip
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_define_fields(struct trace_event_call *event_call, const char *ip_name)
{
	struct fetch_event *event = fetch_event_of_call(event_call);
	struct fetch_record field;
	int ret;

	DEFINE_FIELD(unsigned long, ip, ip_name, 0);

	ret = fetch_has_faults(event) ?
		trace_define_field(event_call, "u32", "__fault", sizeof(field),
				   sizeof(u32), 0, FILTER_OTHER) : 0;
	if (!ret && event->tp.max_string)
		ret = trace_define_field(event_call, "u32", "__cut",
					 sizeof(field) + event->tp.cut_at, sizeof(u32), 0,
					 FILTER_OTHER);
	return ret ?: traceprobe_define_arg_fields(event_call, sizeof(field), &event->tp);
}

/*
 * True if all fields and the directory of the event were allocated, the
 * directory only if there are any yet. trace_add_event_call() does not return
 * these errors.
 */
static bool fetch_is_complete(struct fetch_event *event)
{
	unsigned int wanted = 1 + event->tp.nr_args + fetch_has_faults(event) +
			      !!event->tp.max_string;
	struct trace_array *tr = top_trace_array();
	struct trace_event_file *file;

	if (list_count_nodes(&event->tp.event->class.fields) != wanted)
		return false;

	file = find_event_file(tr, trace_probe_group_name(&event->tp),
			       trace_probe_name(&event->tp));
	return file && (file->ei || !tr->event_dir);
}

/**
 * fetch_register_event() - register an event with the trace event core
 * @event: the event, with its class and print_fmt
 * @ops: operations of its kind of dynamic events
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_register_event(struct fetch_event *event, struct dyn_event_operations *ops)
{
	int ret = trace_probe_register_event_call(&event->tp);

	if (ret)
		return ret;

	dyn_event_init(&event->devent, ops);
	ret = fetch_is_complete(event) ?
		dyn_event_add(&event->devent, trace_probe_event_call(&event->tp)) : -ENOMEM;
	if (ret)
		trace_probe_unregister_event_call(&event->tp);
	return ret;
}

static void fetch_remove_user(struct fetch_event *event, struct trace_event_file *file,
			      void (*detach)(struct fetch_event *event))
{
	/* A reader may be at the file. */
	fetch_must_wait();
	if (file)
		trace_probe_remove_file(&event->tp, file);
	else
		trace_probe_clear_flag(&event->tp, TP_FLAG_PROFILE);
	if (!trace_probe_is_enabled(&event->tp))
		detach(event);
}

/* Add a trace instance, or perf if @file is NULL, to the users of an event. */
static int fetch_add_user(struct fetch_event *event, struct trace_event_file *file,
			  int (*attach)(struct fetch_event *event),
			  void (*detach)(struct fetch_event *event))
{
	int ret = 0;

	if (file)
		ret = trace_probe_add_file(&event->tp, file);
	else
		trace_probe_set_flag(&event->tp, TP_FLAG_PROFILE);
	if (ret)
		return ret;
	ret = attach(event);
	if (ret)
		fetch_remove_user(event, file, detach);
	return ret;
}

/**
 * fetch_reg() - common part of struct trace_event_class::reg()
 * @call: of a struct fetch_event
 * @type: as passed to reg()
 * @data: as passed to reg()
 * @attach: called after a user was added
 * @detach: called after the last user was removed
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_reg(struct trace_event_call *call, enum trace_reg type, void *data,
	      int (*attach)(struct fetch_event *event),
	      void (*detach)(struct fetch_event *event))
{
	struct fetch_event *event = fetch_event_of_call(call);

	switch (type) {
	case TRACE_REG_REGISTER:
		return fetch_add_user(event, data, attach, detach);
	case TRACE_REG_UNREGISTER:
		fetch_remove_user(event, data, detach);
		return 0;
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return fetch_add_user(event, NULL, attach, detach);
	case TRACE_REG_PERF_UNREGISTER:
		fetch_remove_user(event, NULL, detach);
		return 0;
#endif
	default:
		return 0;
	}
}

/**
 * fetch_is_busy() - the is_busy() of dynamic events
 * @ev: of a struct fetch_event
 *
 * Return: true if the event has users, false otherwise.
 */
bool fetch_is_busy(struct dyn_event *ev)
{
	struct fetch_event *event = to_fetch_event(ev);

	return trace_probe_is_enabled(&event->tp) ||
	       trace_event_dyn_busy(trace_probe_event_call(&event->tp));
}

/**
 * fetch_match() - the match() of dynamic events
 * @system: system to match, or NULL for any
 * @name: pattern of the name to match, or empty for any
 * @argc: ignored
 * @argv: ignored
 * @ev: of a struct fetch_event
 *
 * Return: true if the event matches, false otherwise.
 */
bool fetch_match(const char *system, const char *name, int argc,
		 const char **argv, struct dyn_event *ev)
{
	struct fetch_event *event = to_fetch_event(ev);

	return (!system || !strcmp(system, trace_probe_group_name(&event->tp))) &&
		(!name[0] || glob_match(name, trace_probe_name(&event->tp)));
}

/**
 * fetch_free_event() - free the members of an event
 * @event: the event, which is not registered; it is not freed itself
 */
void fetch_free_event(struct fetch_event *event)
{
	trace_probe_cleanup(&event->tp);
	kfree(event->definition);
}

/**
 * fetch_remove_event() - the common part of the free() of dynamic events
 * @event: the event, which has no users and is not attached
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 if the event may be freed, a negative errno otherwise.
 */
int fetch_remove_event(struct fetch_event *event)
{
	int ret;

	/*
	 * Wait before the trace files of the event are freed: a probe that is
	 * still running uses them.
	 */
	fetch_wait();
	ret = trace_probe_unregister_event_call(&event->tp);
	/*
	 * An event without users can be removed; if not, leak it rather than
	 * free it.
	 */
	if (!WARN_ON_ONCE(ret))
		dyn_event_remove(&event->devent);
	return ret;
}

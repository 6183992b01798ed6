// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of function events: the handlers of their fprobes.
 *
 * Each event has an fprobe. That of an event at the entry of a function has an
 * entry_handler; that of one at the return has an exit_handler as well, and keeps
 * what the event shows of the entry in the entry data of the fprobe, a struct
 * func_event_frame.
 *
 * The handlers run with preemption disabled in any context, concurrently on all
 * CPUs and nested on one CPU. func_event_detach() unregisters the fprobe: from
 * then on a call of the function does not find the event, nor does the return
 * from a call that has found it: the task may sleep in the function for long, but
 * func_event_frame::id is not that of the event any more, be it enabled again or
 * freed, with another event at its address. A CPU that has found it is done after a
 * grace period of RCU, for which fetch_wait() waits; so any number of events can
 * be detached without waiting, and removed with one grace period for all of them.
 *
 * The handlers cannot wait for memory of user space that is not present. Before a
 * system call, func_event_sys_enter() waits for what its events are going to read.
 * Of any function, an event at the return reads the strings of user space again
 * that could not be read at the entry, or for which the entry data has no room.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/compat.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>

#include <asm/syscall.h>

#include <trace/events/syscalls.h>

#include "func_event.h"
#include "trace_probe_kernel.h"
#include "trace_probe_tmpl.h"

/* Maximum number of arguments of a system call on any architecture. */
#define FUNC_EVENT_SYSCALL_ARGS	6
/* Maximum number of arguments that any architecture passes in registers. */
#define FUNC_EVENT_REG_ARGS	8

/*
 * Where the arguments are for which there are no registers: in the calling
 * conventions of these architectures, each has a long, the first at this offset
 * from the stack pointer at the entry of the function. On x86, the return
 * address is below; on s390, the area in which the function saves registers.
 */
#if defined(CONFIG_X86_64)
#define FUNC_EVENT_STACK_ARGS	((int)sizeof(long))
#elif defined(CONFIG_S390)
#define FUNC_EVENT_STACK_ARGS	160
#elif defined(CONFIG_ARM64) || defined(CONFIG_RISCV) || defined(CONFIG_LOONGARCH)
#define FUNC_EVENT_STACK_ARGS	0
#else
#define FUNC_EVENT_STACK_ARGS	(-1)
#endif

/*
 * Offsets of the arguments, in bytes: those of functions in struct ftrace_regs, with
 * those of the stack pointer and the return value, those of system calls in the struct pt_regs
 * that their wrappers are called with.
 */
static u16 func_event_arg_offsets[FUNC_EVENT_REG_ARGS] __ro_after_init;
static u16 func_event_sp_offset __ro_after_init;
static u16 func_event_retval_offset __ro_after_init;
static u16 func_event_syscall_offsets[FUNC_EVENT_SYSCALL_ARGS] __ro_after_init;
static int func_event_nr_arg_offsets __ro_after_init;

/**
 * func_event_nr_args() - number of arguments that can be read
 * @syscall: for a system call, not a function
 *
 * Return: the number of arguments.
 */
int func_event_nr_args(bool syscall)
{
	if (syscall)
		return FUNC_EVENT_SYSCALL_ARGS;
	return FUNC_EVENT_STACK_ARGS < 0 ? func_event_nr_arg_offsets :
					   FUNC_EVENT_MAX_ARGS;
}

/**
 * func_event_stack_offset() - place of an argument on the stack
 * @syscall: for a system call, not a function
 * @arg: position of the argument, below func_event_nr_args()
 *
 * Return: the offset of the argument from the stack pointer at the entry of the
 *	function, in bytes, or -1 if it is in a register.
 */
int func_event_stack_offset(bool syscall, int arg)
{
	if (syscall || arg < func_event_nr_arg_offsets)
		return -1;
	return FUNC_EVENT_STACK_ARGS +
	       (arg - func_event_nr_arg_offsets) * (int)sizeof(long);
}

/**
 * func_event_arg_offset() - offset of an argument
 * @syscall: for a system call, not a function
 * @arg: position of the argument, below func_event_nr_args()
 *
 * Return: the offset in the source of the part of the entry, in bytes; of
 *	the stack pointer if the argument is on the stack.
 */
u16 func_event_arg_offset(bool syscall, int arg)
{
	if (syscall)
		return func_event_syscall_offsets[arg];
	return arg < func_event_nr_arg_offsets ? func_event_arg_offsets[arg] :
						 func_event_sp_offset;
}

/**
 * func_event_return_offset() - offset of the return value
 *
 * Return: the offset in the registers at the return of a function, in bytes.
 */
u16 func_event_return_offset(void)
{
	return func_event_retval_offset;
}

/* Set each word of @regs to its own offset plus one; 0 stands for no offset. */
static void __init func_event_fill_with_offsets(void *regs, size_t size)
{
	for (size_t at = 0; at + sizeof(long) <= size; at += sizeof(long))
		*(unsigned long *)(regs + at) = at + 1;
}

/*
 * Each architecture has functions that read arguments from registers, but they
 * look the offset up in a table, check it, and some return 0 if there is no
 * such register. Call them once, with registers that contain their own offsets,
 * to get the offsets.
 */
static void __init func_event_find_arguments(void)
{
	static struct __arch_ftrace_regs fregs __initdata __aligned(16);
	static struct pt_regs regs __initdata;
	unsigned long args[FUNC_EVENT_SYSCALL_ARGS];
	/*
	 * s390 would read further arguments from the stack, but there is none
	 * here.
	 */
	int nr = IS_ENABLED(CONFIG_S390) ? 5 : FUNC_EVENT_REG_ARGS;

	func_event_fill_with_offsets(&fregs, sizeof(fregs));
	for (int n = 0; n < nr; n++) {
		unsigned long offset =
			ftrace_regs_get_argument((struct ftrace_regs *)&fregs, n);

		/*
		 * Arguments that are not in a register yield 0 or a word of the
		 * stack.
		 */
		if (!offset || offset > sizeof(fregs))
			break;

		func_event_arg_offsets[n] = offset - 1;
		func_event_nr_arg_offsets = n + 1;
	}

	func_event_sp_offset =
		ftrace_regs_get_stack_pointer((struct ftrace_regs *)&fregs) - 1;

	func_event_retval_offset =
		ftrace_regs_get_return_value((struct ftrace_regs *)&fregs) - 1;

	func_event_fill_with_offsets(&regs, sizeof(regs));
	syscall_get_arguments(current, &regs, args);
	for (int n = 0; n < FUNC_EVENT_SYSCALL_ARGS; n++)
		func_event_syscall_offsets[n] = args[n] - 1;
}

static __always_inline void *func_event_arguments(const struct func_event *event,
						  struct ftrace_regs *fregs)
{
	return event->syscall ? (void *)ftrace_regs_get_argument(fregs, 0) : fregs;
}

static noinline int func_event_keep_string(struct func_event *event,
					   struct fetch_insn *code, unsigned long val,
					   void *dest, void *base);

/* Of an event at the return: it at the entry, what it has kept at the return. */
struct func_event_edata {
	struct func_event	*event;
	const unsigned long	*words;
};

/* What trace_probe_tmpl.h needs. @rec has the arguments or the return value. */
static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	const struct func_event_edata *kept = edata;
	unsigned long val;

	if (code->op == FETCH_OP_EDATA)
		val = kept->words[code->offset / sizeof(long)];
	else
		val = fetch_source(code, rec);
	return kept && kept->event ?
		func_event_keep_string(kept->event, code + 1, val, dest, base) :
		fetch_insn(code + 1, val, dest, base);
}

/* A hit that is not recorded directly. */
struct func_event_hit {
	struct probe_hit		base;
	struct func_event		*event;
	struct ftrace_regs		*fregs;
	unsigned long			parent_ip;
	/* Of an event at the return. */
	struct func_event_frame		*frame;
	struct probe_made_args		made;
};

static struct func_event_hit *to_func_event_hit(struct probe_hit *base)
{
	return container_of(base, struct func_event_hit, base);
}

/* probe_hit::set_regs() of an entry event: the start of its function. */
static struct pt_regs *func_event_entered_regs(struct probe_hit *base, struct pt_regs *regs)
{
	struct func_event_hit *hit = to_func_event_hit(base);
	struct fetch_where where = {
		.ip = base->ip,
		.sp = ftrace_regs_get_stack_pointer(hit->fregs),
		.fp = ftrace_regs_get_frame_pointer(hit->fregs),
	};

	/*
	 * The function has not set up its frame record yet. ftrace_caller() has
	 * set up one for it, above its own frame record and the registers, see
	 * entry-ftrace.S.
	 */
	if (IS_ENABLED(CONFIG_ARM64))
		where.fp = (unsigned long)(arch_ftrace_regs(hit->fregs) + 1) +
			2 * sizeof(long);
	return fetch_set_regs(regs, &where);
}

/*
 * The location of the return address, by which the unwinder and
 * ftrace_graph_ret_addr() identify the frame of a function.
 */
static __always_inline unsigned long *
func_event_return_location(struct ftrace_regs *fregs)
{
#if defined(CONFIG_ARM64)
	return (unsigned long *)ftrace_regs_get_frame_pointer(fregs);
#elif defined(CONFIG_RISCV)
	/* The location where the function is going to save it. */
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs) - 1;
#else
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
#endif
}

static noinline unsigned long func_event_diverted_parent(unsigned long *retp)
{
	int idx = 0;

	return ftrace_graph_ret_addr(current, &idx,
				     (unsigned long)return_to_handler, retp);
}

/*
 * The real caller if the return address was replaced by return_to_handler: that
 * of the function itself, or of a function that has tail-called it.
 * function_get_true_parent_ip() does this for the function tracer.
 */
static __always_inline unsigned long
func_event_true_parent(unsigned long parent_ip, unsigned long *retp)
{
	return unlikely(parent_ip == (unsigned long)return_to_handler) ?
		func_event_diverted_parent(retp) : parent_ip;
}

static char *func_event_payload(const struct func_event *event,
				struct func_event_frame *frame)
{
	return (char *)frame + event->head_size;
}

/*
 * probe_hit::set_regs() of a return event: the address that the function returns
 * to. return_to_handler() has saved the registers below the stack pointer that
 * the function has left.
 */
static struct pt_regs *func_event_returned_regs(struct probe_hit *base,
						struct pt_regs *regs)
{
	struct func_event_hit *hit = to_func_event_hit(base);
	const struct fetch_where where = {
		.ip = base->ip,
		.fp = ftrace_regs_get_frame_pointer(hit->fregs),
		.sp = IS_ENABLED(CONFIG_X86_64) ?
		      ftrace_regs_get_stack_pointer(hit->fregs) :
		      (unsigned long)(arch_ftrace_regs(hit->fregs) + 1),
	};

	return fetch_set_regs(regs, &where);
}

static __always_inline unsigned long
func_event_entry_parent(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	return func_event_true_parent(parent_ip,
				      func_event_return_location(fregs));
}

static void func_event_store_entered(struct probe_hit *base, void *to)
{
	struct func_event_hit *hit = to_func_event_hit(base);
	struct fetch_record *rec = to;

	rec->ip = hit->parent_ip;
	trace_probe_store_args(rec->payload, hit->event->entry,
			       func_event_arguments(hit->event, hit->fregs), NULL,
			       sizeof(*rec), base->size - sizeof(*rec), &hit->made);
}

static noinline void func_event_emit_entered(struct func_event *event,
					     unsigned long parent_ip,
					     struct ftrace_regs *fregs)
{
	struct func_event_hit hit __uninitialized;

	hit.base.store = func_event_store_entered;
	hit.base.set_regs = func_event_entered_regs;
	hit.event = event;
	hit.fregs = fregs;
	hit.parent_ip = parent_ip;
	fetch_emit(&hit.base, &event->base, event->ip,
		   trace_probe_args_size(event->entry, func_event_arguments(event, fregs),
					 NULL, sizeof(struct fetch_record), &hit.made));
}

/* fprobe::entry_handler of an event at the entry. */
static int func_event_entry_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long parent_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	struct trace_event_file *file;
	struct trace_buffer *buffer;
	struct fetch_record *rec;

	parent_ip = func_event_entry_parent(parent_ip, fregs);
	file = trace_probe_direct_file(&event->base.tp);
	if (unlikely(!file) ||
	    unlikely(!trace_probe_direct(event->entry, file,
					 func_event_arguments(event, fregs), NULL,
					 sizeof(*rec), (void **)&rec, &buffer))) {
		func_event_emit_entered(event, parent_ip, fregs);
		return 0;
	}
	if (likely(rec)) {
		rec->ip = parent_ip;
		trace_record_direct_end(buffer);
	}
	return 0;
}

/*
 * Size of a string that is read at the return, in its __data_loc until then: of one
 * that could not be read, and of one that was cut. Both have their address instead of
 * the text; that which was cut has the start of the text behind it, unless its room is
 * less than FUNC_EVENT_MIN_CUT.
 */
#define FUNC_EVENT_UNREAD	0
#define FUNC_EVENT_UNREAD_CUT	U16_MAX
#define FUNC_EVENT_MIN_CUT	24

/*
 * As fetch_insn(), when the function of an event at the return is entered: of a string of
 * user space that cannot be read, or that is cut, the address is kept, and so is that of
 * one that the function fills, which has a FETCH_OP_NOP.
 */
static noinline int func_event_keep_string(struct func_event *event,
					   struct fetch_insn *code, unsigned long val,
					   void *dest, void *base)
{
	bool filled = code->op == FETCH_OP_NOP;
	enum fetch_op last = fetch_last_op(code += filled);
	int room, text = 0, ret = -EAGAIN;
	char *to;

	if (last != FETCH_OP_ST_STRING && last != FETCH_OP_ST_USTRING)
		return fetch_insn(code, val, dest, base);
	room = get_loc_len(*(u32 *)dest);
	if (!filled)
		ret = fetch_insn(code, val, dest, base);
	if (ret > 0 && ret < room)
		return ret;

	/* The address of a pointer that cannot be read is not that of the string. */
	if (fetch_follow(code, &val))
		return -EFAULT;
	/* The system call does not write to NULL. */
	if (!val)
		return -ENXIO;
	if (!filled && last == FETCH_OP_ST_STRING && !fetch_is_user_address(val, false))
		return ret;

	to = get_loc_data(dest, base);
	if (ret > 0 && room > FUNC_EVENT_MIN_CUT) {
		text = room - 1 - sizeof(val);
		memmove(to + sizeof(val), to, text - 1);
		to[sizeof(val) + text - 1] = '\0';
	}
	put_unaligned(val, (unsigned long *)to);
	*(u32 *)dest = make_data_loc(text ? FUNC_EVENT_UNREAD_CUT : FUNC_EVENT_UNREAD,
				     (void *)to - base);
	if (!READ_ONCE(event->unread))
		WRITE_ONCE(event->unread, true);
	return sizeof(val) + text;
}

/*
 * The same for all fields. If the strings do not fit into @room, each gets an equal part
 * of it, but for the addresses of those that the function fills.
 */
static noinline unsigned int
func_event_keep_all(struct func_event *event, void *source, char *payload,
		    unsigned int room)
{
	struct func_event_edata edata = { .event = event };
	struct trace_probe *entry = event->entry;
	unsigned int max = entry->max_string;

	if (event->nr_entry_strings)
		max = clamp((room - event->filled_size - 1) / event->nr_entry_strings,
			    FETCH_MIN_STRING, max);
	return entry->size +
	       store_trace_args_at(payload, payload + entry->size, entry, source, &edata,
				   sizeof(struct fetch_record), room, max);
}

/* Keep the fields of the entry; returns how long they are. */
static __always_inline unsigned int
func_event_keep_fields(struct func_event *event, struct ftrace_regs *fregs,
		       struct func_event_frame *frame, unsigned int room)
{
	void *source = func_event_arguments(event, fregs);
	char *payload = func_event_payload(event, frame);
	struct trace_probe *entry = event->entry;
	unsigned int len = 0;

	if (unlikely(event->head_size > sizeof(*frame)))
		fetch_copy_all(entry->nr_entry_regs, entry->entry_regs, source,
			       frame->words);
	if (likely(entry->kind == PROBE_ARGS_COPY)) {
		/* The bits of what is read at the return. */
		*(u64 *)payload = 0;
		trace_probe_copy_args(entry, source, NULL, payload);
		return entry->size;
	}
	if (entry->kind == PROBE_ARGS_STRINGS)
		len = trace_probe_make_strings(entry, source, NULL,
					       sizeof(struct fetch_record), payload,
					       entry->size + room);
	return len ?: func_event_keep_all(event, source, payload, room);
}

static __always_inline void
func_event_fill_frame(struct func_event_frame *frame, const struct func_event *event,
		      unsigned int len, unsigned long parent_ip, struct ftrace_regs *fregs)
{
	frame->size = event->head_size + len;
	frame->id = event->id;
	frame->parent_ip = func_event_entry_parent(parent_ip, fregs);
	/*
	 * Read the clock last, so that the duration does not include the time
	 * spent here.
	 */
	frame->calltime = trace_clock_local();
}

/* fprobe::entry_handler of an event at the return without fields of the entry. */
static int func_event_return_only_handler(struct fprobe *fp, unsigned long ip,
					  unsigned long parent_ip,
					  struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	struct func_event_frame *frame = data;

	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return 1;

	*(u64 *)frame->words = 0;
	trace_probe_clear_gaps(&event->base.tp, frame->words);
	func_event_fill_frame(frame, event, event->base.tp.size, parent_ip, fregs);
	return 0;
}

/* fprobe::entry_handler of an event at the return; 1 if that will be missed. */
static int func_event_return_entry_handler(struct fprobe *fp, unsigned long ip,
					   unsigned long parent_ip,
					   struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	struct func_event_frame *frame = data;
	unsigned int size = fp->entry_data_size;

	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return 1;

	/* Other events of the function have their share. */
	if (fp->entry_data_min)
		size = frame->size;
	size -= event->head_size + event->entry->size;
	func_event_fill_frame(frame, event,
			      func_event_keep_fields(event, fregs, frame, size),
			      parent_ip, fregs);
	return 0;
}

/* The loc of the next string from @i on whose address is in its place, or NULL. */
static u32 *func_event_next_unread(struct func_event *event, char *payload, int *i)
{
	for (; *i < event->entry->nr_args; ++*i) {
		const struct probe_arg *arg = &event->entry->args[*i];
		u32 *loc = (u32 *)(payload + arg->offset);

		if (arg->dynamic && (get_loc_len(*loc) == FUNC_EVENT_UNREAD ||
				     get_loc_len(*loc) == FUNC_EVENT_UNREAD_CUT))
			return loc;
	}
	return NULL;
}

static bool func_event_has_unread(struct func_event *event, char *payload)
{
	int i = 0;

	return unlikely(READ_ONCE(event->unread)) &&
	       func_event_next_unread(event, payload, &i);
}

/* Read a string at the return whose address was kept, or measure it if @dest is NULL. */
static int func_event_read_kept(const struct probe_arg *arg, unsigned long addr,
				struct ftrace_regs *fregs, void *dest, void *base)
{
	bool filled = arg->code[1].op == FETCH_OP_NOP;
	struct fetch_insn code[] = {
		{ .op = fetch_last_op(arg->code + 1 + filled) },
		{ .op = FETCH_OP_END },
	};
	long limit = ftrace_regs_get_return_value(fregs);

	/* Text that a system call fills ends after as many bytes as it has returned. */
	return filled && limit > 0 ?
		fetch_limited(code, addr, min(limit, FETCH_MAX_PAYLOAD), dest, base) :
		fetch_insn(code, addr, dest, base);
}

static unsigned long func_event_kept_address(char *payload, u32 loc)
{
	void *base = payload - sizeof(struct fetch_record);

	return get_unaligned((unsigned long *)get_loc_data(&loc, base));
}

/* The room that the strings take which are read at the return. */
static unsigned int func_event_measure_returned(struct func_event *event,
						struct func_event_hit *hit)
{
	struct func_event_edata edata = { .words = hit->frame->words };
	char *payload = func_event_payload(event, hit->frame);
	unsigned int size = 0;
	int len;
	u32 *loc;

	for (int i = 0; (loc = func_event_next_unread(event, payload, &i)); i++) {
		len = func_event_read_kept(&event->entry->args[i],
					   func_event_kept_address(payload, *loc),
					   hit->fregs, NULL, NULL);
		size += clamp(len, FETCH_MIN_STRING, event->ret->max_string);
	}
	/* As in __get_data_size(), one byte more. */
	return size + !!size + __get_data_size(event->ret, hit->fregs, &edata);
}

/*
 * Store at @to the string whose address is in its place in the record. Returns how many of
 * the @room bytes it takes.
 */
static unsigned int func_event_store_kept(struct func_event *event,
					  const struct probe_arg *arg,
					  struct func_event_hit *hit, char *payload,
					  char *to, unsigned int room)
{
	void *base = payload - sizeof(struct fetch_record);
	u32 *loc = (u32 *)(payload + arg->offset), kept = *loc;
	unsigned long addr = func_event_kept_address(payload, kept);
	char *at = get_loc_data(&kept, base), *text = at + sizeof(addr);
	int len;

	memset(at, 0, sizeof(addr));
	room = min(room, event->ret->max_string + 1);
	*loc = make_data_loc(room, (void *)to - base);
	len = func_event_read_kept(arg, addr, hit->fregs, loc, base);
	len = trace_probe_end_string(event->entry, arg, payload, base, room, len);
	if (get_loc_len(kept) == FUNC_EVENT_UNREAD ||
	    (len && !strncmp(text, to, strlen(text))))
		return len;

	/*
	 * The program may have changed it since then, or execve() has replaced
	 * the program: then take what was there at the entry.
	 */
	*loc = make_data_loc(strlen(text) + 1, (void *)text - base);
	*(u32 *)(payload + event->entry->cut_at) |= BIT(arg->bit - 1);
	return 0;
}

static void func_event_store_returned(struct probe_hit *base, void *to)
{
	struct func_event_hit *hit = to_func_event_hit(base);
	struct func_event_edata edata = { .words = hit->frame->words };
	struct func_event *event = hit->event;
	unsigned int len = hit->frame->size - event->head_size;
	struct fetch_record *rec = to;
	char *end = to + base->size, *at = rec->payload + len;

	rec->ip = hit->parent_ip;
	memcpy(rec->payload, func_event_payload(event, hit->frame), len);
	for (int i = 0; func_event_next_unread(event, rec->payload, &i); i++)
		at += func_event_store_kept(event, &event->entry->args[i], hit,
					    rec->payload, at, end - at);
	at += store_trace_args_at(rec->payload, at, event->ret, hit->fregs, &edata,
				  sizeof(*rec), end - at, event->ret->max_string);
	memset(at, 0, end - at);
}

static noinline void func_event_emit_returned(struct func_event *event,
					      struct func_event_frame *frame,
					      struct ftrace_regs *fregs)
{
	struct func_event_hit hit __uninitialized;

	hit.base.store = func_event_store_returned;
	hit.base.set_regs = func_event_returned_regs;
	hit.event = event;
	hit.fregs = fregs;
	hit.frame = frame;
	hit.parent_ip = frame->parent_ip;
	fetch_emit(&hit.base, &event->base, frame->parent_ip,
		   frame->size - event->head_size + func_event_measure_returned(event, &hit));
}

/* fprobe::exit_handler; same context as the entry handlers. */
static void func_event_exit_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long ret_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	u64 now = trace_clock_local();
	struct func_event_frame *frame = data;
	struct trace_event_file *file;
	struct trace_buffer *buffer;
	struct fetch_record *rec;
	unsigned int len;
	char *payload;

	if (unlikely(!frame || frame->id != event->id))
		return;

	/*
	 * frame->calltime may have been read on another CPU, whose clock is
	 * ahead.
	 */
	payload = func_event_payload(event, frame);
	*(u64 *)(payload + event->duration_offset) =
		now > frame->calltime ? now - frame->calltime : 0;

	file = trace_probe_direct_file(&event->base.tp);
	if (unlikely(!file || event->ret->kind != PROBE_ARGS_COPY ||
		     func_event_has_unread(event, payload))) {
		func_event_emit_returned(event, frame, fregs);
		return;
	}

	len = frame->size - event->head_size;
	buffer = file->tr->array_buffer.buffer;
	rec = trace_record_direct(buffer, file, sizeof(*rec) + len);
	if (unlikely(!rec))
		return;
	rec->ip = frame->parent_ip;
	fetch_copy_bytes(rec->payload, payload, len);
	fetch_copy_all(event->ret->nr_copies, event->ret->copies, fregs, rec->payload);
	trace_record_direct_end(buffer);
}

#ifdef CONFIG_FTRACE_SYSCALLS

/*
 * The ftrace locations of the functions of system calls, by number; set once,
 * before func_event_sys_enter() is registered.
 */
static unsigned long func_event_syscall_ips[NR_syscalls];
/*
 * Attached events that read memory which arguments of system calls point to, by
 * their ip; RCU, changed under event_mutex.
 */
static DEFINE_HASHTABLE(func_event_waiting, 6);

/*
 * As init_ftrace_syscalls() does, whose arch_syscall_addr() is there for the
 * start of the kernel only; no architecture with function events has its own.
 */
static void func_event_find_syscalls(void)
{
	static bool done;

	if (done)
		return;
	for (int i = 0; i < NR_syscalls; i++)
		func_event_syscall_ips[i] =
			ftrace_location((unsigned long)sys_call_table[i]);
	done = true;
}

/*
 * Memory of user space that a field is going to be read from.
 * @size: maximum size, in bytes; 0 if there is no such memory
 * @is_string: it ends with a null byte
 * @is_pointer: it is a pointer to other memory of the same field
 */
struct func_event_span {
	unsigned long	address;
	unsigned int	size;
	bool		is_string;
	bool		is_pointer;
};

static void func_event_set_span(struct func_event_span *span, const struct probe_arg *arg,
				const struct pt_regs *regs)
{
	const struct fetch_insn *code = &arg->code[1];
	enum fetch_op op;

	code += code->op == FETCH_OP_NOP;
	op = fetch_last_op(code);
	*span = (struct func_event_span){
		.address = fetch_source(arg->code, regs),
		.size = arg->dynamic ? FETCH_MAX_STRING : fetch_arg_size(arg),
		.is_string = arg->dynamic,
	};
	if (fetch_follow(code, &span->address)) {
		op = code->op;
		span->is_pointer = true;
		span->is_string = false;
		span->size = sizeof(span->address);
	}
	if (op != FETCH_OP_UDEREF && op != FETCH_OP_ST_UMEM && op != FETCH_OP_ST_USTRING &&
	    !fetch_is_user_address(span->address, false))
		span->size = 0;
}

/*
 * Wait until it can be read. It may be paged out again, or unmapped by another task, at
 * any time. False if there is no such memory.
 */
static bool func_event_make_present(const struct func_event_span *span)
{
	const void __user *at = fetch_user_pointer(span->address);

	if (!span->size)
		return false;
	return span->is_string ? strnlen_user(at, span->size) :
				 !fault_in_readable(at, span->size);
}

/* Find the memory of the @nr'th of all fields that the events of a system call read. */
static bool func_event_find_span(unsigned long ip, unsigned int nr,
				 const struct pt_regs *regs,
				 struct func_event_span *span)
{
	struct func_event *event;

	guard(preempt_notrace)();
	hash_for_each_possible_rcu_notrace(func_event_waiting, event, wait_node, ip) {
		if (event->ip != ip)
			continue;
		for (int i = 0; i < event->entry->nr_args; i++) {
			if (event->entry->args[i].copied || nr--)
				continue;
			func_event_set_span(span, &event->entry->args[i], regs);
			return true;
		}
	}
	return false;
}

/*
 * Make present what the events of a system call are going to read. As this may
 * sleep, the events are looked up anew for each read; they may be others then,
 * but all memory that is touched is memory of which an event has the address.
 * Each turn either follows one more pointer or goes on to the next read.
 *
 * Context: a task that enters a system call.
 */
static void func_event_sys_enter(void *data, struct pt_regs *regs, long id)
{
	unsigned int nr = 0, nr_pointers = 0;
	struct func_event_span span;

	/* Compat system calls have other numbers. */
	if (id < 0 || id >= NR_syscalls || in_compat_syscall())
		return;

	id = array_index_nospec(id, NR_syscalls);
	while (func_event_find_span(func_event_syscall_ips[id], nr, regs,
				    &span)) {
		/* A pointer that is present can be followed to the next one. */
		if (func_event_make_present(&span) && span.is_pointer &&
		    ++nr_pointers < FETCH_MAX_DEREFS)
			continue;

		nr_pointers = 0;
		nr++;
	}
}

static bool func_event_waits(const struct func_event *event)
{
	for (int i = 0; event->syscall && i < event->entry->nr_args; i++)
		if (!event->entry->args[i].copied &&
		    event->entry->args[i].code->op != FETCH_OP_IMM)
			return true;
	return false;
}

/* While there are such events, all system calls of all tasks are traced. */
static int func_event_start_waiting(struct func_event *event)
{
	int ret;

	if (!func_event_waits(event))
		return 0;

	/* A reader may still be at wait_node since func_event_stop_waiting(). */
	cond_synchronize_rcu(event->waited);
	if (hash_empty(func_event_waiting)) {
		func_event_find_syscalls();
		ret = register_trace_sys_enter(func_event_sys_enter, NULL);
		if (ret)
			return ret;
	}

	hash_add_rcu(func_event_waiting, &event->wait_node, event->ip);
	return 0;
}

static void func_event_stop_waiting(struct func_event *event)
{
	if (!func_event_waits(event))
		return;

	hash_del_rcu(&event->wait_node);
	event->waited = get_state_synchronize_rcu();
	if (hash_empty(func_event_waiting))
		unregister_trace_sys_enter(func_event_sys_enter, NULL);
}

#else

static int func_event_start_waiting(struct func_event *event)
{
	return 0;
}

static void func_event_stop_waiting(struct func_event *event)
{
}

#endif

/* The id of the event that was attached last; protected by event_mutex. */
static u32 func_event_last_id;

/**
 * func_event_nr_missed() - number of hits that have no record
 * @event: the event
 *
 * Context: Process context, event_mutex is held.
 * Return: the number of hits since the event was defined.
 */
unsigned long func_event_nr_missed(const struct func_event *event)
{
	return event->missed + event->fp.nmissed;
}

/**
 * func_event_attach() - make a function call its event
 * @event: the event
 *
 * Does nothing if the event is attached already, or if its function is not
 * loaded. In an fprobe_batch_begin(), the function calls the event from
 * fprobe_batch_end() on.
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int func_event_attach(struct func_event *event)
{
	int ret;

	lockdep_assert_held(&event_mutex);

	if (fprobe_is_registered(&event->fp) || !event->ip)
		return 0;

	ret = func_event_start_waiting(event);
	if (ret)
		return ret;

	event->id = ++func_event_last_id;
	/* register_fprobe_ips() starts from 0. */
	event->missed += event->fp.nmissed;
	event->fp.nmissed = 0;
	ret = register_fprobe_ips(&event->fp, &event->ip, 1);
	if (ret)
		func_event_stop_waiting(event);
	return ret;
}

/**
 * func_event_detach() - make a function no longer call its event
 * @event: the event, attached or not
 *
 * New calls do not find the event; a CPU may still use it until fetch_wait().
 *
 * Context: Process context, event_mutex is held. May sleep. Does not wait for a
 *	grace period.
 */
void func_event_detach(struct func_event *event)
{
	lockdep_assert_held(&event_mutex);

	if (!fprobe_is_registered(&event->fp))
		return;

	unregister_fprobe_async(&event->fp);
	func_event_stop_waiting(event);
	fetch_must_wait();
}

/**
 * func_event_set_handlers() - set the handlers of an event, and the size of what it
 * keeps from the entry for the return
 * @event: the event, with its parts
 */
void func_event_set_handlers(struct func_event *event)
{
	size_t kept = event->head_size + event->kept_size;
	struct fprobe *fp = &event->fp;

	if (!event->at_return) {
		fp->entry_handler = func_event_entry_handler;
		return;
	}

	fp->entry_handler = event->nr_entry ||
			    event->head_size > sizeof(struct func_event_frame) ?
			    func_event_return_entry_handler :
			    func_event_return_only_handler;
	fp->exit_handler = func_event_exit_handler;
	fp->entry_data_size = kept;
	if (event->nr_entry_strings)
		fp->entry_data_size = sizeof(struct func_event_frame) +
				      FUNC_EVENT_MAX_KEPT;
	if (ALIGN(fp->entry_data_size, sizeof(long)) > MAX_FPROBE_DATA_SIZE)
		fp->entry_data_min = kept + event->nr_entry_strings * FETCH_MIN_STRING;
}

/**
 * func_event_init() - find the offsets of arguments
 *
 * Return: 0.
 */
int __init func_event_init(void)
{
	func_event_find_arguments();
	return 0;
}

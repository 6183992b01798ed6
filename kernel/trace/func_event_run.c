// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when a function with function events is called.
 *
 * When an event is defined its fields become a program without branches: lists of
 * arguments to copy, of strings, and of other memory to read. Each entry says by
 * offsets from where and to where, so that nothing has to be decided when the function
 * is called, least of all what kind of field it is.
 *
 * Each function with events that are enabled has one struct ftrace_ops, whose filter
 * has that function only: the function tracer then gives it a trampoline of its own,
 * and neither other events nor other functions are in the way. All events of a
 * function share it, because two ftrace_ops on one function are called through a list
 * of all ftrace_ops there are.
 *
 * An event at the return of a function puts what it wants to know later on the shadow
 * stack of the function graph tracer, which also calls it back.
 *
 * All of this runs with preemption disabled in any context, at the same time on all
 * CPUs and, interrupting each other, several times on one. The struct func_event is
 * found in the list of a hook, or by the number that it had at the entry of the
 * function, and what is enabled in the struct tracepoint. All of these are changed under
 * event_mutex; what they lead to is taken away first, and freed after a grace period.
 * The buffers are per CPU, and per level of what can interrupt what, of which
 * ftrace_test_recursion_trylock() lets one in at a time.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include <asm/syscall.h>
#include <asm/word-at-a-time.h>

#include "func_event.h"
#include "trace.h"

/* System calls have no more on any architecture. */
#define NR_SYSCALL_ARGS	6

/* A function that is traced. */
struct func_hook {
	struct ftrace_ops	ops;
	unsigned long		ip;
	/* No event of the list needs a buffer when the function is entered. */
	bool			return_only;
	/* Of struct func_event; RCU. */
	struct list_head	events;
	struct list_head	list;
};

static LIST_HEAD(func_hooks);

/* --- programs ------------------------------------------------------------- */

/*
 * Where the arguments are, in bytes: those of functions in struct ftrace_regs, those
 * of system calls in the struct pt_regs that their wrappers are called with.
 */
static u16 arg_offset[FUNC_EVENT_MAX_ARGS] __ro_after_init;
static u16 syscall_arg_offset[NR_SYSCALL_ARGS] __ro_after_init;
static int nr_arg_offsets __ro_after_init;

/**
 * func_event_nr_args - how many arguments can be read
 * @syscall: of a system call, not of a function
 *
 * Return: their number.
 */
int func_event_nr_args(bool syscall)
{
	return syscall ? NR_SYSCALL_ARGS : nr_arg_offsets;
}

/* Registers of which each word says where it is. 0 is no offset, so add one. */
static void __init fill_with_offsets(void *regs, size_t size)
{
	for (size_t at = 0; at + sizeof(long) <= size; at += sizeof(long))
		*(unsigned long *)(regs + at) = at + 1;
}

/*
 * Each architecture has functions that get them, but they look the offset up in a
 * table, check it, and some clear the argument if there is no such register. Ask
 * them, once, with registers that contain their own offsets.
 */
static void __init find_arguments(void)
{
	static struct __arch_ftrace_regs fregs __initdata __aligned(16);
	static struct pt_regs regs __initdata;
	unsigned long args[NR_SYSCALL_ARGS];
	/* Others are looked for on the stack, which these registers do not have. */
	int nr = IS_ENABLED(CONFIG_S390) ? 5 : FUNC_EVENT_MAX_ARGS;

	fill_with_offsets(&fregs, sizeof(fregs));
	for (int n = 0; n < nr; n++) {
		unsigned long offset = ftrace_regs_get_argument((struct ftrace_regs *)&fregs, n);

		/* What is not a register is on the stack, which is not here, or 0. */
		if (!offset || offset > sizeof(fregs))
			break;
		arg_offset[n] = offset - 1;
		nr_arg_offsets = n + 1;
	}

	fill_with_offsets(&regs, sizeof(regs));
	syscall_get_arguments(current, &regs, args);
	for (int n = 0; n < NR_SYSCALL_ARGS; n++)
		syscall_arg_offset[n] = args[n] - 1;
}

static void add_copy(struct func_event_program *program, u16 from,
		     const struct func_event_field *field)
{
	int size = FUNC_EVENT_COPY_1 - ilog2(field->size), at = 0, after = 0;

	for (int i = 0; i < FUNC_EVENT_COPY_SIZES; i++) {
		if (i <= size)
			at += program->nr_copies[i];
		else
			after += program->nr_copies[i];
	}
	memmove(&program->copies[at + 1], &program->copies[at],
		after * sizeof(program->copies[0]));
	program->copies[at] = (struct func_event_copy) { .from = from, .to = field->offset };
	program->nr_copies[size]++;
}

/**
 * func_event_compile - add a field to a program
 * @program: to add to
 * @field: the field; its offset, size and fault are set
 * @syscall: arguments are those of a system call
 * @string_size: room for a string in the body, in bytes
 *
 * What a function returns is at offset 0 of what it is fetched from.
 */
void func_event_compile(struct func_event_program *program, const struct func_event_field *field,
			bool syscall, unsigned int string_size)
{
	struct func_event_read *read;
	u16 from = 0;

	if (field->source == FUNC_EVENT_ARGUMENT)
		from = syscall ? syscall_arg_offset[field->arg] : arg_offset[field->arg];

	if (!field->read) {
		if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
			from += sizeof(long) - field->size;
		add_copy(program, from, field);
		return;
	}

	if (field->type->format == FUNC_EVENT_STRING && field->nr_hops == 1 && !field->hops[0] &&
	    field->source != FUNC_EVENT_ADDRESS) {
		program->strings[program->nr_strings++] = (struct func_event_string) {
			.from = from, .to = field->offset, .size = string_size,
		};
		return;
	}

	read = &program->reads[program->nr_reads++];
	*read = (struct func_event_read) {
		.fault = field->fault, .nr_hops = field->nr_hops, .bits = field->bits,
		.bit_offset = field->bit_offset, .from = from, .to = field->offset,
		.size = field->size, .absolute = field->source == FUNC_EVENT_ADDRESS,
		.address = field->address,
	};
	memcpy(read->hops, field->hops, sizeof(read->hops));
	if (func_event_is_string(field->type))
		read->size = string_size;
	if (field->type->format == FUNC_EVENT_STRING)
		read->kind = FUNC_EVENT_READ_STRING;
	else if (field->type->format == FUNC_EVENT_USTRING)
		read->kind = FUNC_EVENT_READ_USTRING;
	else if (field->bits)
		read->kind = field->type->format == FUNC_EVENT_SIGNED ?
			FUNC_EVENT_READ_BITS_SIGNED : FUNC_EVENT_READ_BITS;
	else
		read->kind = FUNC_EVENT_READ_BYTES;
}

/* --- memory --------------------------------------------------------------- */

/*
 * Whether user space is meant. Where both spaces have the same addresses a system
 * call means user space, and a function of the kernel its own.
 */
static __always_inline bool is_user_address(unsigned long addr, bool user)
{
	if (IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE))
		return addr < TASK_SIZE_MAX;
	return user;
}

static bool read_bytes(void *to, unsigned long addr, size_t size, bool user)
{
	if (is_user_address(addr, user))
		return !copy_from_user_nofault(to, (const void __user *)addr, size);
	return !copy_from_kernel_nofault(to, (const void *)addr, size);
}

/*
 * The part of a string that can be read a word at a time: up to its end, to the end of
 * the page, or to a word that is not all there. Returns the length with the null byte
 * if that was found, and sets *@done to what comes before it in any case.
 */
static long read_words(char *to, unsigned long addr, long size, long *done)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;
	long len = 0, found = 0;

	size = min(size, PAGE_SIZE - offset_in_page(addr)) - sizeof(word);
	pagefault_disable();
	for (; len <= size; len += sizeof(word)) {
		__get_kernel_nofault(&word, (const void *)(addr + len), unsigned long, fault);
		put_unaligned(word, (unsigned long *)(to + len));
		if (has_zero(word, &bits, &constants)) {
			bits = create_zero_mask(prep_zero_mask(word, bits, &constants));
			found = len + find_zero(bits) + 1;
			break;
		}
	}
fault:
	pagefault_enable();
	*done = len;
	return found;
}

/* Returns the length with the null byte, or a negative error. */
static long read_string(char *to, unsigned long addr, long size, bool user)
{
	long found, done = 0;

	if (is_user_address(addr, user)) {
		found = strncpy_from_user_nofault(to, (const void __user *)addr, size);
		/* It does not count the null byte if there is nothing else. */
		return found ?: 1;
	}
	if (!copy_from_kernel_nofault_allowed((const void *)addr, size))
		return -EFAULT;
	if (IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS)) {
		found = read_words(to, addr, size, &done);
		if (likely(found))
			return found;
		if (done == size) {
			to[size - 1] = '\0';
			return size;
		}
	}
	found = strncpy_from_kernel_nofault(to + done, (const void *)(addr + done), size - done);
	return found > 0 ? done + found : -EFAULT;
}

static noinline bool read_bits(const struct func_event_read *read, unsigned long addr,
			       bool user, void *to)
{
	unsigned int above = 64 - read->bits, below = read->bit_offset;
	u64 bits = 0;

	if (!read_bytes(&bits, addr, DIV_ROUND_UP(below + read->bits, 8), user))
		return false;
	/* Move it to the top, and from there to the bottom. */
	bits <<= IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? below : above - below;
	bits = read->kind == FUNC_EVENT_READ_BITS ? bits >> above : (u64)((s64)bits >> above);
	memcpy(to, (char *)&bits + (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 8 - read->size : 0),
	       read->size);
	return true;
}

/* FUNC_EVENT_MIN_STRING is its size. */
static const char fault_string[FUNC_EVENT_MIN_STRING] = "(fault)";

static __always_inline unsigned int
add_string(u16 to, unsigned long addr, unsigned int size, bool user, bool ok, char *body,
	   unsigned int len)
{
	long found = ok ? read_string(body + len, addr, size, user) : -EFAULT;

	if (unlikely(found <= 0)) {
		found = sizeof(fault_string);
		memcpy(body + len, fault_string, found);
	}
	/* The layout of __data_loc, see __assign_str(). */
	*(u32 *)(body + to) = found << 16 | (offsetof(struct func_event_record, body) + len);
	return len + found;
}

static noinline unsigned int read_memory(const struct func_event_program *program,
					 const void *from, char *body, unsigned int len)
{
	const struct func_event_read *read = program->reads;

	for (int i = program->nr_reads; i; i--, read++) {
		unsigned long addr = read->absolute ? read->address :
			*(const unsigned long *)(from + read->from);
		bool user = program->user || read->kind == FUNC_EVENT_READ_USTRING, ok = true;
		int hop = 0;

		for (; hop < read->nr_hops - 1 && ok; hop++)
			ok = read_bytes(&addr, addr + read->hops[hop], sizeof(addr), user);
		addr += read->hops[hop];

		switch (read->kind) {
		case FUNC_EVENT_READ_STRING:
		case FUNC_EVENT_READ_USTRING:
			len = add_string(read->to, addr, read->size, user, ok, body, len);
			continue;
		case FUNC_EVENT_READ_BYTES:
			ok = ok && read_bytes(body + read->to, addr, read->size, user);
			break;
		default:
			ok = ok && read_bits(read, addr, user, body + read->to);
		}
		if (!ok) {
			memset(body + read->to, 0, read->size);
			*(u32 *)body |= BIT(read->fault);
		}
	}
	return len;
}

#define COPY(type, size)							\
	do {									\
		for (n = program->nr_copies[size]; n; n--, copy++)		\
			*(type *)(body + copy->to) = *(const type *)(from + copy->from); \
	} while (0)

/*
 * Fetches the fields of a program: from the registers, or from what the function
 * returned, to the body of a record, of which @len bytes are in use. Strings go behind
 * these. Memory that cannot be read leaves a bit in the first word of the body, or a
 * string that says so. Returns how much is in use then.
 */
static __always_inline unsigned int fetch(const struct func_event_program *program,
					  const void *from, char *body, unsigned int len)
{
	const struct func_event_copy *copy = program->copies;
	const struct func_event_string *string = program->strings;
	unsigned int n;

	COPY(u64, FUNC_EVENT_COPY_8);
	COPY(u32, FUNC_EVENT_COPY_4);
	COPY(u16, FUNC_EVENT_COPY_2);
	COPY(u8, FUNC_EVENT_COPY_1);
	for (n = program->nr_strings; n; n--, string++)
		len = add_string(string->to, *(const unsigned long *)(from + string->from),
				 string->size, program->user, true, body, len);
	return program->nr_reads ? read_memory(program, from, body, len) : len;
}

/* --- records -------------------------------------------------------------- */

#define NR_LEVELS	(TRACE_CTX_TRANSITION + 1)

struct func_event_buffers {
	char level[NR_LEVELS][ALIGN(FUNC_EVENT_MAX_BODY, sizeof(u64))];
};

/* Allocated with the first event, freed with the last. */
static struct func_event_buffers __percpu *buffers;
static unsigned int nr_events;

/* @bit is what ftrace_test_recursion_trylock() returned. */
static __always_inline char *get_buffer(int bit)
{
	return this_cpu_ptr(buffers)->level[bit - TRACE_FTRACE_START];
}

/*
 * Neither registered probe is called: they only say where records go that
 * tracepoint_probe_register() got with them. A tracepoint makes all of this known to
 * the rest of the kernel, and lets BPF programs be attached.
 */
void func_event_buffer_probe(void *file)
{
}

void func_event_perf_probe(void *call)
{
}

/* With filters, triggers and what else there may be between an event and its buffer. */
static void to_trace_buffer_slow(struct trace_event_file *file, unsigned long parent_ip,
				 const char *body, unsigned int len)
{
	struct trace_event_buffer fbuffer;
	struct func_event_record *rec;

	if (trace_trigger_soft_disabled(file))
		return;
	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec) + len);
	if (!rec)
		return;
	rec->parent_ip = parent_ip;
	memcpy(rec->body, body, len);
	trace_event_buffer_commit(&fbuffer);
}

/* Whether anybody but the buffer wants to see the event. */
static __always_inline bool is_plain(struct trace_event_file *file)
{
	return !(file->flags & ~(EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_RECORDED_CMD |
				 EVENT_FILE_FL_RECORDED_TGID | EVENT_FILE_FL_WAS_ENABLED)) &&
		!(file->tr->trace_flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE)) &&
		!static_branch_unlikely(&tracepoint_printk_key) &&
		!static_branch_unlikely(&trace_event_exports_enabled);
}

/* As trace_event_buffer_reserve() and _commit() come to, if there is nothing else. */
static __always_inline void to_trace_buffer(struct trace_event_file *file,
					    unsigned long parent_ip, const char *body,
					    unsigned int len)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct ring_buffer_event *slot;
	struct func_event_record *rec;

	slot = ring_buffer_lock_reserve(buffer, sizeof(*rec) + len);
	if (!slot)
		return;
	rec = ring_buffer_event_data(slot);
	/* Without the levels that are due to preemption being disabled here and in between. */
	tracing_generic_entry_update(&rec->ent, file->event_call->event.type,
				     tracing_gen_ctx_dec() - IS_ENABLED(CONFIG_PREEMPT_COUNT));
	rec->parent_ip = parent_ip;
	memcpy(rec->body, body, len);
	trace_buffer_unlock_commit_nostack(buffer, slot);
}

#ifdef CONFIG_PERF_EVENTS
static void to_perf(struct trace_event_call *call, unsigned long parent_ip, const char *body,
		    unsigned int len)
{
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	struct func_event_record *rec;
	struct pt_regs *regs;
	int rctx, size;

	if (!bpf_prog_array_valid(call) && hlist_empty(head))
		return;
	/* A u32 with the size comes before the record in perf's own. */
	size = ALIGN(sizeof(*rec) + len + sizeof(u32), sizeof(u64)) - sizeof(u32);
	rec = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!rec)
		return;
	perf_fetch_caller_regs(regs);
	rec->parent_ip = parent_ip;
	memcpy(rec->body, body, len);
	memset(rec->body + len, 0, size - sizeof(*rec) - len);
	perf_trace_run_bpf_submit(rec, size, rctx, call, 1, regs, head, NULL);
}
#else
static void to_perf(struct trace_event_call *call, unsigned long parent_ip, const char *body,
		    unsigned int len)
{
}
#endif

/*
 * All ways but the short one lead through functions that may be traced, and take the
 * lock against recursion if @locked does not say that it is held.
 */
static noinline void emit_slow(struct func_event *event, struct tracepoint_func *func,
			       unsigned long parent_ip, const char *body, unsigned int len,
			       bool locked)
{
	int bit = 0;

	if (!locked) {
		bit = ftrace_test_recursion_trylock(event->ip, parent_ip);
		if (bit < 0)
			return;
		/* Preemption is disabled already; once is what is taken off again. */
		preempt_enable_no_resched_notrace();
	}
	if (func->func == func_event_buffer_probe)
		to_trace_buffer_slow(func->data, parent_ip, body, len);
	else if (func->func == func_event_perf_probe)
		to_perf(&event->call, parent_ip, body, len);
	if (!locked) {
		preempt_disable_notrace();
		ftrace_test_recursion_unlock(bit);
	}
}

/* To all for whom the event is enabled. */
static __always_inline void emit(struct func_event *event, unsigned long parent_ip,
				 const char *body, unsigned int len, bool locked)
{
	/* Checking would call functions that can be traced. Preemption is disabled. */
	struct tracepoint_func *func = rcu_dereference_raw(event->tp.funcs);

	if (!func)
		return;
	do {
		if (likely(func->func == func_event_buffer_probe && is_plain(func->data)))
			to_trace_buffer(func->data, parent_ip, body, len);
		else
			emit_slow(event, func, parent_ip, body, len, locked);
	} while ((++func)->func);
}

static __always_inline unsigned int fetch_entry(struct func_event *event,
						struct ftrace_regs *fregs, char *body)
{
	const void *from = fregs;

	if (event->syscall)
		from = (const void *)ftrace_regs_get_argument(fregs, 0);
	*(u32 *)body = 0;
	return fetch(event->entry, from, body, event->body_size);
}

/*
 * What identifies the frame of a function to the unwinder, and thus to
 * ftrace_graph_ret_addr(): where its return address is.
 */
static __always_inline unsigned long *return_place(struct ftrace_regs *fregs)
{
#if defined(CONFIG_ARM64)
	return (unsigned long *)ftrace_regs_get_frame_pointer(fregs);
#elif defined(CONFIG_RISCV)
	/* Where the function is going to save it. */
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs) - 1;
#else
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
#endif
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static noinline unsigned long diverted_parent(unsigned long *place)
{
	int idx = 0;

	return ftrace_graph_ret_addr(current, &idx, (unsigned long)return_to_handler, place);
}

/*
 * Who called, if whoever traces returns has put himself in between: that of the function
 * itself, or of one that has called it instead of returning.
 * function_get_true_parent_ip() does this for the function tracer.
 */
static __always_inline unsigned long true_parent(unsigned long parent_ip, unsigned long *place)
{
	return unlikely(parent_ip == (unsigned long)return_to_handler) ?
		diverted_parent(place) : parent_ip;
}

#else

static unsigned long true_parent(unsigned long parent_ip, unsigned long *place)
{
	return parent_ip;
}

#endif

/* --- return of functions -------------------------------------------------- */

#ifdef CONFIG_FUNCTION_EVENTS_RETURN

/* What a function's return has to know; on the shadow stack. */
struct func_event_frame {
	u32		id;
	u32		len;
	unsigned long	parent_ip;
	char		body[];
};

/*
 * Events that can be found by those who return; RCU. A function may return long after
 * its event is gone, so numbers are not used again.
 */
#define RETURN_TABLE_SIZE	64
static struct hlist_head return_events[RETURN_TABLE_SIZE];
static u32 last_return_id;
/* How many are attached. Protected by event_mutex. */
static unsigned int nr_returns;

static __always_inline struct func_event *find_return(u32 id)
{
	struct func_event *event;

	hlist_for_each_entry_rcu_notrace(event, &return_events[id % RETURN_TABLE_SIZE], id_node)
		if (event->id == id)
			return event;
	return NULL;
}

static int return_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 0;
}

static __always_inline unsigned int fetch_return(struct func_event *event,
						 struct ftrace_graph_ret *trace, char *body,
						 unsigned int len)
{
	*(u64 *)(body + event->duration_offset) = trace->rettime - trace->calltime;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	len = fetch(event->ret, &trace->retval, body, len);
#endif
	return len;
}

/* An event that reads memory when the function returns. */
static noinline void return_with_buffer(struct func_event *event, struct ftrace_graph_ret *trace,
					struct func_event_frame *frame)
{
	int bit = ftrace_test_recursion_trylock(trace->func, frame->parent_ip);
	unsigned int len = frame->len;
	char *body;

	if (bit < 0)
		return;
	preempt_enable_no_resched_notrace();
	body = get_buffer(bit);
	memcpy(body, frame->body, len);
	/* Faults; those of the entry are there already. */
	if (event->return_only)
		*(u32 *)body = 0;
	len = fetch_return(event, trace, body, len);
	emit(event, frame->parent_ip, body, len, true);
	preempt_disable_notrace();
	ftrace_test_recursion_unlock(bit);
}

static void return_func(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct func_event_frame *frame = fgraph_retrieve_data(gops->idx, NULL);
	struct func_event *event;

	if (!frame)
		return;
	preempt_disable_notrace();
	event = find_return(frame->id);
	if (event && event->in_place) {
		fetch_return(event, trace, frame->body, 0);
		emit(event, frame->parent_ip, frame->body, frame->len, false);
	} else if (event) {
		return_with_buffer(event, trace, frame);
	}
	preempt_enable_notrace();
}

static struct fgraph_ops return_ops = {
	.entryfunc	= return_entry,
	.retfunc	= return_func,
};

/*
 * Where the return address is, and what identifies the frame to checks of the function
 * graph tracer: as in the ftrace_graph_func() of each architecture.
 */
static __always_inline unsigned long *return_slot(struct ftrace_regs *fregs, unsigned long *fp)
{
#if defined(CONFIG_X86_64)
	*fp = 0;
	return (unsigned long *)ftrace_regs_get_stack_pointer(fregs);
#elif defined(CONFIG_ARM64)
	*fp = ftrace_regs_get_frame_pointer(fregs);
	return (unsigned long *)&arch_ftrace_regs(fregs)->lr;
#elif defined(CONFIG_RISCV)
	*fp = ftrace_regs_get_frame_pointer(fregs);
	return &arch_ftrace_regs(fregs)->ra;
#elif defined(CONFIG_LOONGARCH)
	*fp = 0;
	return &arch_ftrace_regs(fregs)->regs.regs[1];
#else
# error "CONFIG_FUNCTION_EVENTS_RETURN is not for this architecture"
#endif
}

/*
 * @len bytes of @body are kept; without a body, there is room for the event's. Needs no
 * buffer and cannot recurse. Little is kept in variables during the call, for whose sake
 * registers would have to be saved.
 */
static __always_inline void hook_return(struct func_event *event, struct ftrace_regs *fregs,
					const char *body, unsigned int len)
{
	unsigned long *addr, *place, fp, parent;
	struct func_event_frame *frame;

	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return;
	addr = return_slot(fregs, &fp);
	place = return_place(fregs);
	parent = *addr;
	frame = function_graph_enter_ops(&return_ops, parent, event->ip, fp, place,
					 sizeof(*frame) + (body ? len : event->body_size));
	if (unlikely(!frame)) {
		atomic_long_inc(&event->missed);
		return;
	}
	frame->id = event->id;
	frame->len = body ? len : event->body_size;
	frame->parent_ip = true_parent(parent, place);
	if (body)
		memcpy(frame->body, body, len);
	*addr = (unsigned long)return_to_handler;
}

static int start_return(void)
{
	int ret = nr_returns ? 0 : register_ftrace_graph(&return_ops);

	if (!ret)
		nr_returns++;
	return ret;
}

static void stop_return(void)
{
	if (!--nr_returns)
		unregister_ftrace_graph(&return_ops);
}

static void add_return(struct func_event *event)
{
	event->return_only = !event->nr_entry;
	event->in_place = !event->ret->nr_strings && !event->ret->nr_reads;
	event->id = ++last_return_id;
	hlist_add_head_rcu(&event->id_node, &return_events[event->id % RETURN_TABLE_SIZE]);
}

static void remove_return(struct func_event *event)
{
	hlist_del_rcu(&event->id_node);
}

static int __init init_return(void)
{
	unsigned long anchor = (unsigned long)func_event_return_anchor;

	return ftrace_set_filter_ip(&return_ops.ops, ftrace_location(anchor), 0, 0);
}

#else

static void hook_return(struct func_event *event, struct ftrace_regs *fregs, const char *body,
			unsigned int len)
{
}

static int start_return(void)
{
	return -EOPNOTSUPP;
}

static void stop_return(void)
{
}

static void add_return(struct func_event *event)
{
}

static void remove_return(struct func_event *event)
{
}

static int __init init_return(void)
{
	return 0;
}

#endif

/* --- functions ------------------------------------------------------------ */

/* Apart, so that those that need no buffer are not slowed down by its registers. */
static noinline void hook_with_buffer(struct func_hook *hook, unsigned long ip,
				      unsigned long parent_ip, struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct func_event *event;
	unsigned int len;
	char *body;

	if (bit < 0)
		return;
	body = get_buffer(bit);
	parent_ip = true_parent(parent_ip, return_place(fregs));
	list_for_each_entry_rcu(event, &hook->events, hook_node, true) {
		if (event->return_only) {
			hook_return(event, fregs, NULL, 0);
			continue;
		}
		len = fetch_entry(event, fregs, body);
		if (event->returns)
			hook_return(event, fregs, body, len);
		else
			emit(event, parent_ip, body, len, true);
	}
	ftrace_test_recursion_unlock(bit);
}

static void hook_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	struct func_hook *hook = container_of(ops, struct func_hook, ops);
	struct func_event *event;

	/* Nothing that is traced runs without RCU there. */
	if (!IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) && !rcu_is_watching())
		return;

	if (!READ_ONCE(hook->return_only)) {
		hook_with_buffer(hook, ip, parent_ip, fregs);
		return;
	}
	preempt_disable_notrace();
	list_for_each_entry_rcu(event, &hook->events, hook_node, true)
		/* One that is not has just been added: the next call is for it. */
		if (event->return_only)
			hook_return(event, fregs, NULL, 0);
	preempt_enable_notrace();
}

static struct func_hook *find_hook(unsigned long ip)
{
	struct func_hook *hook;

	list_for_each_entry(hook, &func_hooks, list)
		if (hook->ip == ip)
			return hook;
	return NULL;
}

static int new_hook(struct func_event *event)
{
	struct func_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	int ret;

	if (!hook)
		return -ENOMEM;
	hook->ip = event->ip;
	hook->ops.func = hook_func;
	hook->return_only = event->return_only;
	INIT_LIST_HEAD(&hook->events);
	list_add_rcu(&event->hook_node, &hook->events);
	ret = ftrace_set_filter_ip(&hook->ops, hook->ip, 0, 0);
	if (!ret)
		ret = register_ftrace_function(&hook->ops);
	if (ret) {
		ftrace_free_filter(&hook->ops);
		list_del(&event->hook_node);
		kfree(hook);
		return ret;
	}
	list_add(&hook->list, &func_hooks);
	event->hook = hook;
	return 0;
}

/**
 * func_event_attach - let a function call its event
 * @event: the event
 *
 * It is no error if the event is attached already, or if its module is not there.
 *
 * Context: may sleep; event_mutex held.
 * Return: 0 or a negative error.
 */
int func_event_attach(struct func_event *event)
{
	int ret = 0;

	lockdep_assert_held(&event_mutex);

	if (event->hook || !event->ip)
		return 0;
	if (event->returns) {
		ret = start_return();
		if (ret)
			return ret;
	}
	event->hook = find_hook(event->ip);
	if (event->hook) {
		if (!event->return_only)
			WRITE_ONCE(event->hook->return_only, false);
		list_add_tail_rcu(&event->hook_node, &event->hook->events);
	} else {
		ret = new_hook(event);
	}
	if (ret && event->returns)
		stop_return();
	return ret;
}

/**
 * func_event_detach - let a function no longer call an event
 * @event: the event, attached or not
 *
 * Nobody who has found the event in the list of its function is still there
 * afterwards; those who return may be.
 *
 * Context: may sleep; event_mutex held.
 */
void func_event_detach(struct func_event *event)
{
	struct func_hook *hook = event->hook;

	lockdep_assert_held(&event_mutex);

	if (!hook)
		return;
	list_del_rcu(&event->hook_node);
	event->hook = NULL;
	if (list_empty(&hook->events)) {
		list_del(&hook->list);
		/* Waits for those who are in hook_func(). */
		unregister_ftrace_function(&hook->ops);
		ftrace_free_filter(&hook->ops);
		kfree(hook);
	} else {
		synchronize_rcu();
	}
	if (event->returns)
		stop_return();
}

/**
 * func_event_add - make an event known, before it is enabled
 * @event: the event
 *
 * Context: may sleep; event_mutex held.
 * Return: 0 or -ENOMEM.
 */
int func_event_add(struct func_event *event)
{
	lockdep_assert_held(&event_mutex);

	if (!nr_events) {
		buffers = alloc_percpu(struct func_event_buffers);
		if (!buffers)
			return -ENOMEM;
	}
	nr_events++;
	if (event->returns)
		add_return(event);
	return 0;
}

/**
 * func_event_remove - the contrary of func_event_add()
 * @event: the event; nobody uses it any more when this returns
 *
 * Context: may sleep; event_mutex held.
 */
void func_event_remove(struct func_event *event)
{
	func_event_detach(event);
	if (event->returns)
		remove_return(event);
	/* For those who return, and for the probes that were unregistered. */
	tracepoint_synchronize_unregister();
	if (!--nr_events) {
		free_percpu(buffers);
		buffers = NULL;
	}
}

/**
 * func_event_init - find out what has to be known of this kernel
 *
 * Return: 0 or a negative error.
 */
int __init func_event_init(void)
{
	find_arguments();
	return init_return();
}

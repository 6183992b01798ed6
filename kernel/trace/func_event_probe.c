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
 * See event_fetch.c for how records are built.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/hashtable.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>

#include <asm/syscall.h>

#include <trace/events/syscalls.h>

#include "func_event.h"

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
 * True if RCU grace periods wait for this CPU: RCU does not know of a CPU that
 * is not online yet, or not any more. Preemption is disabled.
 */
static __always_inline bool func_event_rcu_covers_cpu(void)
{
	return cpu_online(raw_smp_processor_id());
}

/*
 * Offsets of the arguments, in bytes: those of functions in struct ftrace_regs,
 * with that of the stack pointer, those of system calls in the struct pt_regs
 * that their wrappers are called with.
 */
static u16 func_event_arg_offsets[FUNC_EVENT_REG_ARGS] __ro_after_init;
static u16 func_event_sp_offset __ro_after_init;
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
 * Return: the offset in the source of the fetch code of the event, in bytes; of
 *	the stack pointer if the argument is on the stack.
 */
u16 func_event_arg_offset(bool syscall, int arg)
{
	if (syscall)
		return func_event_syscall_offsets[arg];
	return arg < func_event_nr_arg_offsets ? func_event_arg_offsets[arg] :
						 func_event_sp_offset;
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

	func_event_fill_with_offsets(&regs, sizeof(regs));
	syscall_get_arguments(current, &regs, args);
	for (int n = 0; n < FUNC_EVENT_SYSCALL_ARGS; n++)
		func_event_syscall_offsets[n] = args[n] - 1;
}

static __always_inline const void *
func_event_arguments(const struct func_event *event, struct ftrace_regs *fregs)
{
	return event->syscall ? (const void *)ftrace_regs_get_argument(fregs, 0) :
				fregs;
}

/* As fetch_exec(); @payload has room for a u64 at least. */
static __always_inline unsigned int
func_event_fetch_entry(struct func_event *event, struct ftrace_regs *fregs,
		       char *payload)
{
	/* The fault word and the cut word, if there are any. */
	*(u64 *)payload = 0;
	return fetch_exec(event->entry, func_event_arguments(event, fregs),
			  payload, event->base.payload_size);
}

/* fetch_event::make() of an event at the entry. */
static notrace unsigned int
func_event_make_entered(const struct fetch_event *base, const void *source,
			char *payload, u16 *rooms)
{
	struct func_event *event = container_of(base, struct func_event, base);
	const void *from = func_event_arguments(event, (void *)source);

	if (!payload)
		return base->payload_size +
			fetch_measure(event->entry, from, rooms);
	fetch_clear_bits(base, payload);
	return fetch_exec_rooms(event->entry, from, payload, base->payload_size,
				rooms);
}

/* fetch_event::where() of an entry event: the start of its function. */
static void func_event_where_entered(const struct fetch_event *base,
				     const void *source,
				     struct fetch_where *where)
{
	struct ftrace_regs *fregs = (struct ftrace_regs *)source;

	where->ip = container_of(base, struct func_event, base)->ip;
	where->sp = ftrace_regs_get_stack_pointer(fregs);
	where->fp = ftrace_regs_get_frame_pointer(fregs);

	/*
	 * The function has not set up its frame record yet. ftrace_caller() has
	 * set up one for it, above its own frame record and the registers, see
	 * entry-ftrace.S.
	 */
	if (IS_ENABLED(CONFIG_ARM64))
		where->fp = (unsigned long)(arch_ftrace_regs(fregs) + 1) +
			2 * sizeof(long);
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

/*
 * Entry data of an event at the return. @size is that of all of it, in bytes; at the
 * entry it is the room, if the fprobe of the event has an entry_data_min. @id is
 * that of the event.
 */
struct func_event_frame {
	u32		size;
	u32		id;
	unsigned long	parent_ip;
	u64		calltime;
	char		payload[];
};

/* A hit of an event at the return, as the source of fetch_emit(). */
struct func_event_returned {
	const struct func_event_frame	*frame;
	struct ftrace_regs		*fregs;
	u64				duration;
};

/*
 * fetch_event::where() of a return event: the address that the function returns
 * to. return_to_handler() has saved the registers below the stack pointer that
 * the function has left.
 */
static void func_event_where_returned(const struct fetch_event *base,
				      const void *source,
				      struct fetch_where *where)
{
	const struct func_event_returned *hit = source;

	where->ip = hit->frame->parent_ip;
	where->fp = ftrace_regs_get_frame_pointer(hit->fregs);
	where->sp = IS_ENABLED(CONFIG_X86_64) ?
		    ftrace_regs_get_stack_pointer(hit->fregs) :
		    (unsigned long)(arch_ftrace_regs(hit->fregs) + 1);
}

static __always_inline unsigned long
func_event_entry_parent(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	return func_event_true_parent(parent_ip,
				      func_event_return_location(fregs));
}

/* fprobe::entry_handler of an event at the entry without strings. */
static int func_event_fixed_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long parent_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);

	if (unlikely(!func_event_rcu_covers_cpu()))
		return 0;

	fetch_emit_fixed(&event->base, event->entry,
			 func_event_arguments(event, fregs), fregs,
			 func_event_entry_parent(parent_ip, fregs));
	return 0;
}

/* fprobe::entry_handler of an event at the entry with strings. */
static int func_event_entry_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long parent_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	struct fetch_made made __uninitialized;
	unsigned int len;

	if (unlikely(!func_event_rcu_covers_cpu()))
		return 0;

	len = func_event_fetch_entry(event, fregs, made.payload);
	fetch_emit(&event->base, fregs,
		   func_event_entry_parent(parent_ip, fregs), made.payload, len);
	return 0;
}

/* The same for a payload that is too large for the stack. */
static int func_event_large_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long parent_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);

	if (unlikely(!func_event_rcu_covers_cpu()))
		return 0;

	fetch_emit(&event->base, fregs,
		   func_event_entry_parent(parent_ip, fregs), NULL,
		   FETCH_NO_ROOM);
	return 0;
}

/*
 * Keep the fields of the entry where other events of the function have their share of
 * the room. If the strings do not fit, each gets an equal part of it, and those of user
 * space are read again at the return. Returns the size of the payload.
 *
 * There is no FETCH_SLACK behind the frame, so the payload is made elsewhere.
 */
static noinline unsigned int
func_event_keep_strings(struct func_event *event, struct ftrace_regs *fregs,
			struct func_event_frame *frame)
{
	unsigned int room = frame->size - sizeof(*frame), len;
	struct fetch_made made __uninitialized;
	u16 rooms[FETCH_MAX_FIELDS];

	len = func_event_fetch_entry(event, fregs, made.payload);
	if (len > room) {
		for (int i = 0; i < FETCH_MAX_FIELDS; i++)
			rooms[i] = (room - event->kept_size) /
				   event->nr_entry_strings;
		*(u64 *)made.payload = 0;
		len = fetch_exec_rooms(event->entry,
				       func_event_arguments(event, fregs),
				       made.payload, event->base.payload_size,
				       rooms);
	}
	memcpy(frame->payload, made.payload, len);
	return len;
}

static __always_inline bool func_event_ignores_returns(void)
{
	return !func_event_rcu_covers_cpu() ||
	       atomic_read(&current->tracing_graph_pause);
}

/* Set the members of the frame but the payload, which has @len bytes. */
static __always_inline void
func_event_fill_frame(struct func_event_frame *frame,
		      const struct func_event *event, unsigned int len,
		      unsigned long parent_ip, struct ftrace_regs *fregs)
{
	frame->size = sizeof(*frame) + len;
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

	if (unlikely(func_event_ignores_returns()))
		return 1;

	func_event_fill_frame(data, event, event->base.payload_size, parent_ip,
			      fregs);
	return 0;
}

/* fprobe::entry_handler of an event at the return; 1 if that will be missed. */
static int func_event_return_entry_handler(struct fprobe *fp, unsigned long ip,
					   unsigned long parent_ip,
					   struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	struct func_event_frame *frame = data;
	unsigned int len;

	if (unlikely(func_event_ignores_returns()))
		return 1;

	/* Strings end before the data does, see func_event_make_layout(). */
	if (event->nr_entry_strings && unlikely(frame->size < fp->entry_data_size))
		len = func_event_keep_strings(event, fregs, frame);
	else
		len = func_event_fetch_entry(event, fregs, frame->payload);

	func_event_fill_frame(frame, event, len, parent_ip, fregs);
	return 0;
}

/* As fetch_event::make(), but makes a payload on the stack if there are no @rooms. */
static notrace unsigned int
func_event_fetch_returned(const struct func_event *event,
			  const struct func_event_returned *hit, char *payload,
			  u16 *rooms)
{
	long retval = ftrace_regs_get_return_value(hit->fregs);
	const struct func_event_frame *frame = hit->frame;
	unsigned int len = frame->size - sizeof(*frame);
	bool again = event->nr_entry && READ_ONCE(event->entry->unread);

	/* The rooms of the entry come first, and are not more than its fields. */
	if (!payload) {
		if (again)
			len += fetch_measure_again(event->entry, retval,
						   frame->payload, rooms);
		return len + fetch_measure(event->ret, &retval,
					   rooms + event->nr_entry);
	}

	memcpy(payload, frame->payload, len);
	/* As func_event_fetch_entry() does; there are no fields of the entry. */
	if (!event->nr_entry)
		fetch_clear_bits(&event->base, payload);
	*(u64 *)(payload + event->duration_offset) = hit->duration;

	if (again)
		len = fetch_again(event->entry, retval, payload, len, rooms);
	if (len == FETCH_NO_ROOM)
		return len;
	return rooms ? fetch_exec_rooms(event->ret, &retval, payload, len,
					rooms + event->nr_entry) :
		       fetch_exec(event->ret, &retval, payload, len);
}

/* fetch_event::make() of an event at the return. */
static notrace unsigned int
func_event_make_returned(const struct fetch_event *base, const void *source,
			 char *payload, u16 *rooms)
{
	return func_event_fetch_returned(container_of(base, struct func_event,
						      base),
					 source, payload, rooms);
}

/*
 * A return event that reads memory at the return, or strings again that could
 * not be read at the entry, or did not fit.
 */
static noinline void
func_event_return_and_read(struct func_event *event,
			   const struct func_event_returned *hit)
{
	struct fetch_made made __uninitialized;
	unsigned int len = FETCH_NO_ROOM;

	if (event->on_stack)
		len = func_event_fetch_returned(event, hit, made.payload, NULL);
	fetch_emit(&event->base, hit, hit->frame->parent_ip, made.payload, len);
}

/* fprobe::exit_handler; same context as the entry handlers. */
static void func_event_exit_handler(struct fprobe *fp, unsigned long ip,
				    unsigned long ret_ip,
				    struct ftrace_regs *fregs, void *data)
{
	struct func_event *event = container_of(fp, struct func_event, fp);
	u64 now = trace_clock_local();
	struct func_event_frame *frame = data;
	struct func_event_returned hit = {
		.frame = frame, .fregs = fregs,
	};
	long retval;

	if (unlikely(!func_event_rcu_covers_cpu() || !frame ||
		     frame->id != event->id))
		return;

	/*
	 * frame->calltime may have been read on another CPU, whose clock is
	 * ahead.
	 */
	hit.duration = now > frame->calltime ? now - frame->calltime : 0;

	if (!event->in_place ||
	    (READ_ONCE(event->entry->unread) &&
	     fetch_needs_again(event->entry, frame->payload))) {
		func_event_return_and_read(event, &hit);
		return;
	}

	retval = ftrace_regs_get_return_value(fregs);
	*(u64 *)(frame->payload + event->duration_offset) = hit.duration;
	fetch_copies(event->ret, &retval, frame->payload);
	fetch_emit(&event->base, &hit, frame->parent_ip, frame->payload,
		   frame->size - sizeof(*frame));
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

/* Find the memory of the @nr'th of all reads of the events of a system call. */
static bool func_event_find_span(unsigned long ip, unsigned int nr,
				 const struct pt_regs *regs,
				 struct fetch_span *span)
{
	struct func_event *event;

	guard(preempt_notrace)();
	hash_for_each_possible_rcu_notrace(func_event_waiting, event, wait_node, ip)
		if (event->ip == ip &&
		    fetch_find_span(event->entry, regs, &nr, span))
			return true;
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
	struct fetch_span span;

	/* Compat system calls have other numbers. */
	if (id < 0 || id >= NR_syscalls || in_compat_syscall())
		return;

	id = array_index_nospec(id, NR_syscalls);
	while (func_event_find_span(func_event_syscall_ips[id], nr, regs,
				    &span)) {
		/* A pointer that is present can be followed to the next one. */
		if (fetch_make_present(&span) && span.is_pointer &&
		    ++nr_pointers < FETCH_MAX_DEREFS)
			continue;

		nr_pointers = 0;
		nr++;
	}
}

static bool func_event_waits(const struct func_event *event)
{
	return event->syscall && fetch_reads_arguments(event->entry);
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
 * @event: the event, with its fetch code
 */
void func_event_set_handlers(struct func_event *event)
{
	size_t kept = sizeof(struct func_event_frame) + event->kept_size;
	struct fprobe *fp = &event->fp;

	if (!event->at_return) {
		event->base.where = func_event_where_entered;
		event->base.make = func_event_make_entered;
		fp->entry_handler = !event->base.has_cuts ?
				    func_event_fixed_handler :
				    event->on_stack ? func_event_entry_handler :
						      func_event_large_handler;
		return;
	}

	event->in_place = !event->ret->nr_reads;
	event->base.where = func_event_where_returned;
	event->base.make = func_event_make_returned;
	fp->entry_handler = event->nr_entry ? func_event_return_entry_handler :
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

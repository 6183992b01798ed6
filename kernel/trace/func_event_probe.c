// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of function events: the ftrace and function graph callbacks.
 *
 * All functions with enabled entry events are in the filter of one struct
 * ftrace_ops, func_event_hook_ops. It has a trampoline of its own as long as
 * nothing else traces the function. func_event_hook_ops is static, so that
 * removing functions from its filter does not have to wait for the trampoline.
 * The callback looks up the address of the function: a struct func_event_hook
 * has the events of one function.
 *
 * All functions with enabled return events are in the filter of
 * func_event_return_ops, a struct fgraph_ops. At the entry of a function, the
 * data that its return events need later is put on the shadow stack of the
 * function graph tracer: one struct func_event_frame per event, one after the
 * other.
 *
 * The callbacks run with preemption disabled in any context, concurrently on
 * all CPUs and nested on one CPU. They find a struct func_event through
 * func_event_hooks and the lists of a hook, or in func_event_returns by
 * the id that the event had at the entry of the function. Both are changed
 * under event_mutex:
 *
 *  - func_event_detach() removes the event from both, and the hook from
 *    func_event_hooks if that was its last event. From then on a call of the
 *    function does not find the event. A CPU that has found it before is done
 *    after one grace period of RCU: readers run with preemption disabled, on
 *    CPUs that are online and where RCU is watching. event->detached remembers
 *    that grace period, and fetch_wait() waits for one that ends no earlier; so
 *    any number of events can be detached without waiting, and removed with one
 *    grace period for all of them.
 *  - func_event_attach() waits for event->detached: the list entries of the
 *    event may be reused only when no reader uses them any more.
 *  - func_event_flush() patches the code: it reduces the filters to the
 *    functions in func_event_hooks. Delayed work does this once for all events
 *    that were disabled in the meantime; removing an event or a module does it
 *    at once. Until then the function still calls func_event_hook_ops or
 *    func_event_return_ops, which find no event. If patching fails the calls go
 *    on, and no memory that the callbacks may access has been freed.
 *
 * The callbacks cannot wait for memory of user space that is not present.
 * Before a system call, func_event_sys_enter() waits for what its events are
 * going to read. Of any function, an event at the return reads the strings of user
 * space again that could not be read at the entry, or for which the shadow stack
 * has no room.
 *
 * See event_fetch.c for how records are built.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/compat.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/trace_recursion.h>
#include <linux/workqueue.h>

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

/* A traced function. */
struct func_event_hook {
	struct hlist_node	node;
	unsigned long		ip;
	/* Lists of struct func_event, at the entry and at the return; RCU. */
	struct list_head	entries;
	struct list_head	returns;
	struct rcu_head		rcu;
};

/*
 * Hash table of hooks, by the ip that func_event_hook_ops is called with; RCU.
 */
#define FUNC_EVENT_HOOK_BITS	10
static struct hlist_head func_event_hooks[1 << FUNC_EVENT_HOOK_BITS];

/* One payload buffer for each context level that can interrupt another. */
#define FUNC_EVENT_NR_LEVELS	(TRACE_CTX_TRANSITION + 1)

static struct fetch_pool func_event_pool;
/*
 * Size of the buffers of func_event_pool in use on a CPU, in bytes; one buffer
 * per nested context.
 */
static DEFINE_PER_CPU(unsigned int, func_event_used);

/*
 * True if RCU grace periods wait for this CPU: RCU does not know of a CPU that
 * is not online yet, or not any more. Preemption is disabled.
 */
static __always_inline bool func_event_rcu_covers_cpu(void)
{
	return cpu_online(raw_smp_processor_id());
}

/*
 * Get a buffer until func_event_put_buffer(), with preemption disabled. The
 * ftrace recursion protection allows each context level once, and one of them
 * twice, so there is always a free buffer.
 */
static __always_inline char *func_event_get_buffer(void)
{
	const unsigned int size = sizeof(struct fetch_buffer);
	unsigned int used = this_cpu_add_return(func_event_used, size);
	struct fetch_buffer *buffer;

	if (unlikely(used > FUNC_EVENT_NR_LEVELS * size)) {
		this_cpu_sub(func_event_used, size);
		return NULL;
	}
	buffer = this_cpu_ptr(func_event_pool.buffers) + used - size;
	return buffer->payload;
}

static __always_inline void func_event_put_buffer(void)
{
	this_cpu_sub(func_event_used, sizeof(struct fetch_buffer));
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

static __always_inline unsigned int
func_event_fetch_entry(struct func_event *event, struct ftrace_regs *fregs,
		       char *payload)
{
	const void *from = func_event_arguments(event, fregs);

	/* The fault word and the cut word, if there are any. */
	*(u64 *)payload = 0;
	return fetch_exec(event->entry, from, payload,
			  event->base.payload_size);
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

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

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

#else

static unsigned long
func_event_true_parent(unsigned long parent_ip, unsigned long *retp)
{
	return parent_ip;
}

#endif

static __always_inline struct hlist_head *
func_event_hook_bucket(unsigned long ip)
{
	return &func_event_hooks[hash_long(ip, FUNC_EVENT_HOOK_BITS)];
}

static __always_inline struct func_event_hook *
func_event_find_hook(unsigned long ip)
{
	struct func_event_hook *hook;

	hlist_for_each_entry_rcu_notrace(hook, func_event_hook_bucket(ip), node)
		if (hook->ip == ip)
			return hook;
	return NULL;
}

/* The filter of func_event_hook_ops or of func_event_return_ops. */
struct func_event_filter {
	struct ftrace_ops	*ops;
	/* Register and unregister the ops. */
	int			(*start)(void);
	int			(*stop)(void);
	/*
	 * Number of hooks with events of this kind. This and the members below
	 * are protected by event_mutex.
	 */
	unsigned int		nr;
	bool			is_started;
	/*
	 * The filter has functions without enabled events, to be removed by the
	 * next func_event_flush().
	 */
	bool			needs_flush;
};

#ifdef CONFIG_FUNCTION_EVENTS_RETURN

/*
 * Data of an event that is kept from the entry to the return of a function, on
 * the shadow stack.
 */
struct func_event_frame {
	/*
	 * The id of the event, which is a multiple of FUNC_EVENT_ID_STEP, plus
	 * the size of the payload so far, in bytes.
	 */
	u64		id_and_len;
	u64		calltime;
	unsigned long	parent_ip;
	/* Registers at the entry of the function, for call chains. */
	unsigned long	sp;
	unsigned long	fp;
	char		payload[];
};

/* Maximum size that fgraph_reserve_data() accepts. */
#define FUNC_EVENT_MAX_FRAMES	\
	(sizeof(struct func_event_frame) + FUNC_EVENT_MAX_KEPT)

/*
 * Return events, by id; RCU. A function may return long after its event was
 * disabled, so the event gets a new id each time it is enabled.
 *
 * func_event_return_ops may find data of another tracer in place of its frames:
 * fgraph gives the index of an ops that was unregistered to another ops, while
 * tasks are still within functions whose data has this index. The first id is
 * therefore a random number of 48 bits: data that is not a frame has no id of
 * an event.
 */
#define FUNC_EVENT_RETURN_BUCKETS	64
#define FUNC_EVENT_ID_STEP		BIT_ULL(16)
static struct hlist_head func_event_returns[FUNC_EVENT_RETURN_BUCKETS];
static u64 func_event_last_return_id;

static __always_inline struct hlist_head *func_event_return_bucket(u64 id)
{
	return &func_event_returns[id / FUNC_EVENT_ID_STEP %
				   FUNC_EVENT_RETURN_BUCKETS];
}

static __always_inline unsigned int
func_event_frame_len(const struct func_event_frame *frame)
{
	return frame->id_and_len % FUNC_EVENT_ID_STEP;
}

/* The event of a frame, or NULL. */
static __always_inline struct func_event *
func_event_find_return(const struct func_event_frame *frame)
{
	u64 id = frame->id_and_len & ~(FUNC_EVENT_ID_STEP - 1);
	struct func_event *event;

	hlist_for_each_entry_rcu_notrace(event, func_event_return_bucket(id),
					 id_node)
		if (event->id == id)
			return event;
	return NULL;
}

/*
 * fetch_event::where() of a return event: the address that the function returns
 * to.
 */
static void func_event_where_returned(const struct fetch_event *base,
				      const void *source,
				      struct fetch_where *where)
{
	const struct func_event_frame *frame = source;

	where->ip = frame->parent_ip;
	where->sp = frame->sp;
	/* On x86 the return address has been popped off the stack. */
	if (IS_ENABLED(CONFIG_X86_64))
		where->sp += sizeof(long);
	where->fp = frame->fp;
}

static __always_inline unsigned int func_event_frame_size(unsigned int len)
{
	return ALIGN(sizeof(struct func_event_frame) + len, sizeof(long));
}

/* Fill in the frame except its payload, which has @len bytes, and calltime. */
static __always_inline void
func_event_fill_frame(struct func_event_frame *frame, struct func_event *event,
		      struct ftrace_regs *fregs, unsigned int len)
{
	unsigned long *retp = func_event_return_location(fregs);

	frame->id_and_len = event->id + len;
	frame->parent_ip =
		func_event_true_parent(ftrace_regs_get_return_address(fregs),
				       retp);
	frame->sp = ftrace_regs_get_stack_pointer(fregs);
	frame->fp = ftrace_regs_get_frame_pointer(fregs);
}

/*
 * Keep the frame of the only event of a function. @event has no entry fields if
 * @payload is NULL.
 */
static __always_inline int
func_event_keep_frame(struct func_event *event, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs, const char *payload,
		      unsigned int len)
{
	struct func_event_frame *frame =
		fgraph_reserve_data(gops->idx, func_event_frame_size(len));

	if (unlikely(!frame)) {
		atomic_long_inc(&event->missed);
		return 0;
	}

	func_event_fill_frame(frame, event, fregs, len);
	if (payload)
		fetch_copy_payload(frame->payload, payload, len);

	/*
	 * Read the clock last, so that the duration does not include the time
	 * spent here.
	 */
	frame->calltime = trace_clock_local();
	return 1;
}

/*
 * Uses a buffer because the size of the frame is known only after the fetch code
 * has run.
 */
static noinline int
func_event_keep_entry(struct func_event *event, struct fgraph_ops *gops,
		      struct ftrace_regs *fregs)
{
	char *payload = func_event_get_buffer();
	int ret;

	if (unlikely(!payload)) {
		atomic_long_inc(&event->missed);
		return 0;
	}

	ret = func_event_keep_frame(event, gops, fregs, payload,
				    func_event_fetch_entry(event, fregs,
							   payload));
	func_event_put_buffer();
	return ret;
}

/*
 * Fetch the entry fields of the next one of @nr events, for which there are @room
 * bytes. It leaves as much to each of the others, if shorter strings make that
 * possible; those of user space are read again at the return.
 */
static unsigned int
func_event_fetch_share(struct func_event *event, struct ftrace_regs *fregs,
		       char *payload, unsigned int room, int nr)
{
	unsigned int len = func_event_fetch_entry(event, fregs, payload);
	int share = round_down(room / max(nr, 1), sizeof(long)) -
		    sizeof(struct func_event_frame) - event->kept_size;

	if (event->kept_size + share >= (int)len || !event->nr_entry_strings)
		return len;
	return fetch_shorter(event->entry, func_event_arguments(event, fregs),
			     payload, event->base.payload_size,
			     max(share / event->nr_entry_strings,
				 FETCH_MIN_STRING));
}

static int func_event_nr_returns(const struct func_event_hook *hook)
{
	struct func_event *event;
	int nr = 0;

	list_for_each_entry_rcu(event, &hook->returns, hook_node, true)
		nr++;
	return nr;
}

/*
 * Returns the total size of the frames, in bytes. If @nr is not 0, that many events
 * share the room; if it is, each takes what it needs, and the result is 0 if that
 * is too much.
 */
static unsigned int
func_event_fill_frames(struct func_event_hook *hook, struct ftrace_regs *fregs,
		       char *frames, int nr)
{
	struct func_event *event;
	unsigned int used = 0;
	bool share = nr;

	list_for_each_entry_rcu(event, &hook->returns, hook_node, true) {
		struct func_event_frame *frame = (void *)frames + used;
		unsigned int len = event->base.payload_size;

		if (!event->return_only)
			len = share ?
				func_event_fetch_share(event, fregs,
						       frame->payload,
						       FUNC_EVENT_MAX_FRAMES -
						       used, nr) :
				func_event_fetch_entry(event, fregs,
						       frame->payload);

		nr--;
		if (unlikely(used + func_event_frame_size(len) >
			     FUNC_EVENT_MAX_FRAMES)) {
			if (!share)
				return 0;
			atomic_long_inc(&event->missed);
			continue;
		}

		func_event_fill_frame(frame, event, fregs, len);
		used += func_event_frame_size(len);
	}
	return used;
}

static void func_event_miss_returns(struct func_event_hook *hook)
{
	struct func_event *event;

	list_for_each_entry_rcu(event, &hook->returns, hook_node, true)
		atomic_long_inc(&event->missed);
}

/* func_event_fill_frames() has counted the events that did not fit. */
static void func_event_miss_frames(const void *frames, unsigned int size)
{
	struct func_event *event;

	for (unsigned int at = 0; at < size; ) {
		const struct func_event_frame *frame = frames + at;

		event = func_event_find_return(frame);
		if (event)
			atomic_long_inc(&event->missed);
		at += func_event_frame_size(func_event_frame_len(frame));
	}
}

/* Set calltime of all frames last, as func_event_keep_frame() does. */
static void func_event_start_clock(void *frames, unsigned int size)
{
	u64 now = trace_clock_local();

	for (unsigned int at = 0; at < size; ) {
		struct func_event_frame *frame = frames + at;

		frame->calltime = now;
		at += func_event_frame_size(func_event_frame_len(frame));
	}
}

/* As func_event_keep_entry(), for several events of a function. */
static noinline int
func_event_keep_frames(struct func_event_hook *hook, struct fgraph_ops *gops,
		       struct ftrace_regs *fregs)
{
	char *buffer = func_event_get_buffer();
	void *frames = NULL;
	unsigned int size;

	if (unlikely(!buffer)) {
		func_event_miss_returns(hook);
		return 0;
	}

	size = func_event_fill_frames(hook, fregs, buffer, 0);
	if (unlikely(!size))
		size = func_event_fill_frames(hook, fregs, buffer,
					      func_event_nr_returns(hook));

	if (size)
		frames = fgraph_reserve_data(gops->idx, size);
	if (frames)
		memcpy(frames, buffer, size);
	else
		func_event_miss_frames(buffer, size);
	func_event_put_buffer();
	if (!frames)
		return 0;

	func_event_start_clock(frames, size);
	return 1;
}

/* Called with preemption disabled, and not recursively. */
static int func_event_return_entry(struct ftrace_graph_ent *trace,
				   struct fgraph_ops *gops,
				   struct ftrace_regs *fregs)
{
	struct func_event *event;
	struct func_event_hook *hook;

	if (unlikely(!func_event_rcu_covers_cpu() ||
		     atomic_read(&current->tracing_graph_pause)))
		return 0;

	hook = func_event_find_hook(trace->func);
	/* The events were removed, but the code has not been patched yet. */
	if (unlikely(!hook))
		return 0;

	event = list_first_or_null_rcu(&hook->returns, struct func_event,
				       hook_node);
	if (unlikely(!event))
		return 0;

	if (unlikely(READ_ONCE(event->hook_node.next) != &hook->returns))
		return func_event_keep_frames(hook, gops, fregs);
	return event->return_only ?
		func_event_keep_frame(event, gops, fregs, NULL,
				      event->base.payload_size) :
		func_event_keep_entry(event, gops, fregs);
}

static __always_inline long
func_event_retval(const struct ftrace_graph_ret *trace)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	return trace->retval;
#else
	return 0;
#endif
}

static __always_inline unsigned int
func_event_fetch_return(struct func_event *event,
			struct ftrace_graph_ret *trace, u64 duration,
			char *payload, unsigned int len)
{
	*(u64 *)(payload + event->duration_offset) = duration;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	len = fetch_exec(event->ret, &trace->retval, payload, len);
#endif
	return len;
}

/*
 * A return event that reads memory at the return, or strings again that could
 * not be read at the entry, or did not fit.
 */
static noinline void
func_event_return_with_buffer(struct func_event *event,
			      struct ftrace_graph_ret *trace, u64 duration,
			      struct func_event_frame *frame)
{
	unsigned int len = func_event_frame_len(frame);
	char *payload = func_event_get_buffer();

	if (unlikely(!payload)) {
		atomic_long_inc(&event->missed);
		return;
	}

	memcpy(payload, frame->payload, len);
	/*
	 * Clear the fault word and the cut word, as func_event_fetch_entry()
	 * does. It was not called if there are no entry fields.
	 */
	if (event->return_only)
		*(u64 *)payload = 0;
	else if (READ_ONCE(event->entry->unread))
		len = fetch_again(event->entry, func_event_retval(trace),
				  payload, len);

	len = func_event_fetch_return(event, trace, duration, payload, len);
	fetch_emit(&event->base, frame, frame->parent_ip, payload, len);
	func_event_put_buffer();
}

/* Same context as func_event_return_entry(). */
static void func_event_return_func(struct ftrace_graph_ret *trace,
				   struct fgraph_ops *gops,
				   struct ftrace_regs *fregs)
{
	u64 now = trace_clock_local();
	struct func_event_frame *frame;
	struct func_event *event;
	unsigned int len, end;
	void *frames;
	int size;

	frames = fgraph_retrieve_data(gops->idx, &size);
	if (!frames || unlikely(!func_event_rcu_covers_cpu()))
		return;

	/* Data of another tracer is not longer than @size says, either. */
	for (int at = 0; at + (int)sizeof(*frame) <= size; at = end) {
		u64 duration;

		frame = frames + at;
		len = func_event_frame_len(frame);
		end = at + func_event_frame_size(len);
		if (unlikely(end > size))
			break;

		/*
		 * frame->calltime may have been read on another CPU, whose
		 * clock is ahead.
		 */
		duration = now > frame->calltime ? now - frame->calltime : 0;
		event = func_event_find_return(frame);

		if (event && event->in_place &&
		    !(READ_ONCE(event->entry->unread) &&
		      fetch_needs_again(event->entry, frame->payload))) {
			func_event_fetch_return(event, trace, duration,
						frame->payload, 0);
			fetch_emit(&event->base, frame, frame->parent_ip,
				   frame->payload, len);
		} else if (event) {
			func_event_return_with_buffer(event, trace, duration,
						      frame);
		}
	}
}

static struct fgraph_ops func_event_return_ops = {
	.entryfunc	= func_event_return_entry,
	.retfunc	= func_event_return_func,
};

static int func_event_start_returns(void)
{
	return register_ftrace_graph(&func_event_return_ops);
}

static int func_event_stop_returns(void)
{
	unregister_ftrace_graph(&func_event_return_ops);
	return 0;
}

static struct func_event_filter func_event_return_filter = {
	.ops	= &func_event_return_ops.ops,
	.start	= func_event_start_returns,
	.stop	= func_event_stop_returns,
};

static void func_event_add_return(struct func_event *event)
{
	event->return_only = !event->nr_entry;
	event->in_place = !event->ret->nr_strings && !event->ret->nr_reads;
	event->base.where = func_event_where_returned;
	if (!func_event_last_return_id)
		func_event_last_return_id = get_random_u64();
	func_event_last_return_id += FUNC_EVENT_ID_STEP;
	event->id = func_event_last_return_id & ~(FUNC_EVENT_ID_STEP - 1);
	hlist_add_head_rcu(&event->id_node, func_event_return_bucket(event->id));
}

static void func_event_remove_return(struct func_event *event)
{
	hlist_del_rcu(&event->id_node);
}

#else

/* No event has ->at_return set. */
static struct func_event_filter func_event_return_filter;

static void func_event_add_return(struct func_event *event)
{
}

static void func_event_remove_return(struct func_event *event)
{
}

#endif

/*
 * True if the callback was called by the list function of ftrace, as it is when
 * the function has other tracers, including return events. The list function
 * has disabled preemption once more. @bit is the return value of
 * ftrace_test_recursion_trylock(); the list function has taken the bit of the
 * same context.
 */
static __always_inline bool func_event_is_listed(int bit)
{
	return current->trace_recursion &
	       BIT(bit - TRACE_FTRACE_START + TRACE_LIST_START);
}

/*
 * The hit comes from within the recording of another, or from more nested
 * contexts than there are buffers for.
 */
static noinline void func_event_miss_entries(struct func_event_hook *hook)
{
	struct func_event *event;

	list_for_each_entry_rcu(event, &hook->entries, hook_node, true)
		atomic_long_inc(&event->missed);
}

/*
 * Emit the entry events of a function. Enables preemption, which the caller has
 * disabled.
 */
static noinline void func_event_emit_entries(struct func_event_hook *hook,
					     unsigned long ip,
					     unsigned long parent_ip,
					     struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct func_event *event;
	unsigned int len;
	bool listed;
	char *payload;

	if (bit < 0) {
		func_event_miss_entries(hook);
		preempt_enable_notrace();
		return;
	}

	/*
	 * ftrace_test_recursion_trylock() has disabled preemption as well. Undo
	 * one level: fetch_emit() subtracts only one from the preemption count
	 * in the record.
	 */
	preempt_enable_no_resched_notrace();
	listed = func_event_is_listed(bit);
	if (listed)
		preempt_enable_no_resched_notrace();

	payload = func_event_get_buffer();
	if (unlikely(!payload)) {
		func_event_miss_entries(hook);
		goto out;
	}

	parent_ip = func_event_true_parent(parent_ip,
					   func_event_return_location(fregs));
	list_for_each_entry_rcu(event, &hook->entries, hook_node, true) {
		len = func_event_fetch_entry(event, fregs, payload);
		fetch_emit(&event->base, fregs, parent_ip, payload, len);
	}
	func_event_put_buffer();
out:
	if (listed)
		preempt_disable_notrace();
	ftrace_test_recursion_unlock(bit);
}

/*
 * Calls no other function before the lookup, so that no registers are saved if
 * there is no hook.
 */
static void func_event_hook_func(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	struct func_event_hook *hook;

	/* With CONFIG_ARCH_WANTS_NO_INSTR, no traced code runs without RCU. */
	if (!IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) && !rcu_is_watching())
		return;

	preempt_disable_notrace();
	if (unlikely(!func_event_rcu_covers_cpu()))
		goto out;

	hook = func_event_find_hook(ip);
	/* The events were removed, but the code has not been patched yet. */
	if (unlikely(!hook))
		goto out;

	func_event_emit_entries(hook, ip, parent_ip, fregs);
	return;
out:
	preempt_enable_notrace();
}

/* Initialized, and thus in .data: ftrace must not take it for dynamic ops. */
static struct ftrace_ops func_event_hook_ops = {
	.func = func_event_hook_func,
	.flags = FTRACE_OPS_FL_SAVE_ARGS,
};

static int func_event_start_entries(void)
{
	return register_ftrace_function(&func_event_hook_ops);
}

static int func_event_stop_entries(void)
{
	return unregister_ftrace_function(&func_event_hook_ops);
}

static struct func_event_filter func_event_entry_filter = {
	.ops	= &func_event_hook_ops,
	.start	= func_event_start_entries,
	.stop	= func_event_stop_entries,
};

static struct func_event_filter *
func_event_get_filter(const struct func_event *event)
{
	return event->at_return ? &func_event_return_filter :
				&func_event_entry_filter;
}

static struct list_head *func_event_get_list(struct func_event_hook *hook,
					     bool returns)
{
	return returns ? &hook->returns : &hook->entries;
}

/* Add a function to the filter, and register the ops if needed. */
static int func_event_filter_add(struct func_event_filter *filter,
				 unsigned long ip)
{
	/* An ops that is not registered may have an old filter; reset it. */
	int ret = ftrace_set_filter_ip(filter->ops, ip, 0, !filter->is_started);

	if (ret || filter->is_started)
		return ret;
	ret = filter->start();
	filter->is_started = !ret;
	return ret;
}

/*
 * Set the filter to the functions that have hooks, of which there is at least
 * one.
 */
static int func_event_filter_replace(struct func_event_filter *filter)
{
	unsigned long *ips =
		kvmalloc_array(filter->nr, sizeof(*ips), GFP_KERNEL);
	unsigned int nr = 0;
	struct func_event_hook *hook;
	int ret;

	if (!ips)
		return -ENOMEM;

	for (int i = 0; i < ARRAY_SIZE(func_event_hooks); i++)
		hlist_for_each_entry(hook, &func_event_hooks[i], node)
			if (!list_empty(func_event_get_list(hook,
							    filter == &func_event_return_filter)))
				ips[nr++] = hook->ip;

	ret = ftrace_set_filter_ips(filter->ops, ips, nr, 0, 1);
	kvfree(ips);
	return ret;
}

static void func_event_filter_flush(struct func_event_filter *filter)
{
	int ret = 0;

	if (!filter->needs_flush)
		return;

	if (filter->nr)
		ret = func_event_filter_replace(filter);
	else if (filter->is_started)
		ret = filter->stop();

	/*
	 * On failure the functions go on calling the ops, until the next flush
	 * succeeds.
	 */
	if (!ret) {
		filter->needs_flush = false;
		filter->is_started = filter->nr;
	}
}

/**
 * func_event_flush() - remove functions without events from the filters
 *
 * Context: Process context, event_mutex is held. May sleep. Waits for at most
 *	one grace period.
 */
void func_event_flush(void)
{
	lockdep_assert_held(&event_mutex);

	func_event_filter_flush(&func_event_entry_filter);
	func_event_filter_flush(&func_event_return_filter);
}

static void func_event_flush_workfn(struct work_struct *work)
{
	mutex_lock(&event_mutex);
	func_event_flush();
	mutex_unlock(&event_mutex);
}

static DECLARE_DELAYED_WORK(func_event_flush_work, func_event_flush_workfn);

#ifdef CONFIG_FTRACE_SYSCALLS

/*
 * The ftrace locations of the functions of system calls, by number; set once,
 * before func_event_sys_enter() is registered.
 */
static unsigned long func_event_syscall_ips[NR_syscalls];
/*
 * Number of attached events that read memory which arguments of system calls
 * point to; protected by event_mutex.
 */
static unsigned int func_event_nr_waiting;

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
	struct func_event_hook *hook;
	struct func_event *event;

	guard(preempt_notrace)();
	hook = func_event_find_hook(ip);
	if (!hook)
		return false;

	/*
	 * The function may also have events under a name that is not that of a
	 * system call; these have other registers as their source.
	 */
	list_for_each_entry_rcu(event, &hook->entries, hook_node, true)
		if (event->syscall &&
		    fetch_find_span(event->entry, regs, &nr, span))
			return true;
	list_for_each_entry_rcu(event, &hook->returns, hook_node, true)
		if (event->syscall &&
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
static int func_event_start_waiting(const struct func_event *event)
{
	int ret = 0;

	if (!func_event_waits(event))
		return 0;
	if (!func_event_nr_waiting) {
		func_event_find_syscalls();
		ret = register_trace_sys_enter(func_event_sys_enter, NULL);
	}
	func_event_nr_waiting += !ret;
	return ret;
}

static void func_event_stop_waiting(const struct func_event *event)
{
	if (func_event_waits(event) && !--func_event_nr_waiting)
		unregister_trace_sys_enter(func_event_sys_enter, NULL);
}

#else

static int func_event_start_waiting(const struct func_event *event)
{
	return 0;
}

static void func_event_stop_waiting(const struct func_event *event)
{
}

#endif

/*
 * Remove the event from the list of its hook, and the hook if it was the last
 * event.
 */
static void func_event_unhook(struct func_event *event)
{
	struct func_event_filter *filter = func_event_get_filter(event);
	struct func_event_hook *hook = event->hook;

	list_del_rcu(&event->hook_node);
	event->hook = NULL;
	if (!list_empty(func_event_get_list(hook, event->at_return)))
		return;

	filter->nr--;
	filter->needs_flush = true;
	if (!list_empty(func_event_get_list(hook, !event->at_return)))
		return;

	hlist_del_rcu(&hook->node);
	kfree_rcu(hook, rcu);
}

/*
 * Called after the event was removed from its hook, or could not be attached.
 */
static void func_event_forget(struct func_event *event)
{
	func_event_stop_waiting(event);
	if (event->at_return)
		func_event_remove_return(event);
	event->detached = get_state_synchronize_rcu();
	event->was_attached = true;
	fetch_must_wait();
	/*
	 * The delay lets one flush handle many events that are disabled one
	 * after the other.
	 */
	schedule_delayed_work(&func_event_flush_work, HZ / 20);
}

static struct func_event_hook *func_event_new_hook(unsigned long ip)
{
	struct func_event_hook *hook = kzalloc_obj(*hook);

	if (!hook)
		return NULL;
	hook->ip = ip;
	INIT_LIST_HEAD(&hook->entries);
	INIT_LIST_HEAD(&hook->returns);
	return hook;
}

/**
 * func_event_attach() - make a function call its event
 * @event: the event
 *
 * Does nothing if the event is attached already, or if its function is not
 * loaded.
 *
 * Context: Process context, event_mutex is held. May sleep. Waits until a grace
 *	period has passed since the event was detached last.
 * Return: 0 on success, a negative errno otherwise.
 */
int func_event_attach(struct func_event *event)
{
	struct func_event_filter *filter = func_event_get_filter(event);
	struct func_event_hook *hook;
	struct list_head *list;
	int ret = 0;

	lockdep_assert_held(&event_mutex);

	if (event->hook || !event->ip)
		return 0;

	if (event->was_attached)
		cond_synchronize_rcu(event->detached);
	ret = func_event_start_waiting(event);
	if (ret)
		return ret;

	hook = func_event_find_hook(event->ip);
	if (!hook) {
		hook = func_event_new_hook(event->ip);
		if (!hook) {
			func_event_stop_waiting(event);
			return -ENOMEM;
		}
		hlist_add_head_rcu(&hook->node,
				   func_event_hook_bucket(hook->ip));
	}

	if (event->at_return)
		func_event_add_return(event);
	event->hook = hook;

	list = func_event_get_list(hook, event->at_return);
	if (list_empty(list)) {
		filter->nr++;
		list_add_rcu(&event->hook_node, list);
		ret = func_event_filter_add(filter, hook->ip);
	} else {
		list_add_tail_rcu(&event->hook_node, list);
	}

	if (ret) {
		func_event_unhook(event);
		func_event_forget(event);
	}
	return ret;
}

/**
 * func_event_detach() - make a function no longer call its event
 * @event: the event, attached or not
 *
 * New calls do not find the event; a CPU may still use it until fetch_wait().
 *
 * Context: Process context, event_mutex is held. May sleep. Does not wait.
 */
void func_event_detach(struct func_event *event)
{
	lockdep_assert_held(&event_mutex);

	if (!event->hook)
		return;
	func_event_unhook(event);
	func_event_forget(event);
}

/**
 * func_event_add() - prepare an event for being enabled
 * @event: the event
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int func_event_add(struct func_event *event)
{
	event->base.where = func_event_where_entered;
	return fetch_get_buffers(&func_event_pool,
				 FUNC_EVENT_NR_LEVELS * sizeof(struct fetch_buffer));
}

/**
 * func_event_remove() - undo func_event_add()
 * @event: the event; no CPU uses it any more when this returns
 *
 * Context: Process context, event_mutex is held. May sleep. Waits for a grace
 *	period if an event was detached since the last fetch_wait().
 */
void func_event_remove(struct func_event *event)
{
	func_event_detach(event);
	/*
	 * Wait for running callbacks, and for the probes that were
	 * unregistered.
	 */
	fetch_wait();
	func_event_flush();
	fetch_put_buffers(&func_event_pool);
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

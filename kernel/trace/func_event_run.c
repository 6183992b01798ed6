// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when a function with function events is called.
 *
 * All functions with events that are enabled are in the filter of one struct ftrace_ops,
 * hook_ops. It has a trampoline of its own as long as nobody else traces the function.
 * hook_ops is static, so that nothing has to be waited for when functions leave its
 * filter. Its callback looks the function up by its address: a struct func_hook has the
 * events of one function.
 *
 * An event at the return of a function puts what it wants to know later on the shadow
 * stack of the function graph tracer, which also calls it back.
 *
 * All of this runs with preemption disabled in any context, at the same time on all
 * CPUs and, interrupting each other, several times on one. Readers find a struct
 * func_event through func_hooks and the list of a hook, or in return_events by the number
 * that it had at the entry of the function. Both are changed under event_mutex:
 *
 *  - func_event_detach() takes the event out of both, and the hook, if that was its last
 *    event, out of func_hooks. From then on a call of the function finds nothing. A CPU
 *    that has found the event before is done after one grace period of RCU: readers run
 *    with preemption disabled, on CPUs that are online and where RCU is watching.
 *    event->detached remembers that grace period, and fetch_wait() waits for one that
 *    is as late; so any number of events are detached without waiting, and removed with
 *    one grace period for all of them.
 *  - func_event_attach() waits for event->detached: the list entries of the event may be
 *    used again only when nobody stands on them any more.
 *  - func_event_settle() patches the code: it leaves in the filter of hook_ops what is in
 *    func_hooks. A work does it a little later, once for all events that were disabled
 *    meanwhile; who removes events and modules that go do it at once. Until then a function
 *    calls hook_ops in vain. If patching fails it goes on doing so, and nothing that
 *    hook_ops may look at has been freed.
 *
 * See event_fetch.c for the rest.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <asm/syscall.h>

#include "func_event.h"

/* System calls have no more on any architecture. */
#define NR_SYSCALL_ARGS	6

/* A function that is traced. */
struct func_hook {
	/* In func_hooks. */
	struct hlist_node	node;
	unsigned long		ip;
	/* No event of the list needs a buffer when the function is entered. */
	bool			return_only;
	/* Of struct func_event; RCU. */
	struct list_head	events;
	struct rcu_head		rcu;
};

/* By the address that hook_ops is called with; RCU. */
#define FUNC_HOOK_BITS	10
static struct hlist_head func_hooks[1 << FUNC_HOOK_BITS];
/* Of all of them. Protected by event_mutex. */
static unsigned int nr_hooks;

/* One for each level of what can interrupt what. */
#define NR_LEVELS	(TRACE_CTX_TRANSITION + 1)

static struct fetch_pool pool;

/*
 * Whether a grace period waits for this CPU: not before RCU knows of a CPU that comes up,
 * nor after it has forgotten one that goes down. Preemption is disabled.
 */
static __always_inline bool func_event_is_waited_for(void)
{
	return cpu_online(raw_smp_processor_id());
}

/* @bit is what ftrace_test_recursion_trylock() returned: it lets in one of each level. */
static __always_inline char *func_event_get_buffer(int bit)
{
	struct fetch_buffer *buffers = this_cpu_ptr(pool.buffers);

	return buffers[bit - TRACE_FTRACE_START].body;
}

/* --- arguments ------------------------------------------------------------ */

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

/**
 * func_event_arg_offset - where an argument is
 * @syscall: of a system call, not of a function
 * @arg: its position, which func_event_nr_args() knows to be in a register
 *
 * Return: the offset in what the program of the event is called with, in bytes.
 */
u16 func_event_arg_offset(bool syscall, int arg)
{
	return syscall ? syscall_arg_offset[arg] : arg_offset[arg];
}

/* Registers of which each word says where it is. 0 is no offset, so add one. */
static void __init func_event_fill_with_offsets(void *regs, size_t size)
{
	for (size_t at = 0; at + sizeof(long) <= size; at += sizeof(long))
		*(unsigned long *)(regs + at) = at + 1;
}

/*
 * Each architecture has functions that get them, but they look the offset up in a
 * table, check it, and some clear the argument if there is no such register. Ask
 * them, once, with registers that contain their own offsets.
 */
static void __init func_event_find_arguments(void)
{
	static struct __arch_ftrace_regs fregs __initdata __aligned(16);
	static struct pt_regs regs __initdata;
	unsigned long args[NR_SYSCALL_ARGS];
	/* Others are looked for on the stack, which these registers do not have. */
	int nr = IS_ENABLED(CONFIG_S390) ? 5 : FUNC_EVENT_MAX_ARGS;

	func_event_fill_with_offsets(&fregs, sizeof(fregs));
	for (int n = 0; n < nr; n++) {
		unsigned long offset = ftrace_regs_get_argument((struct ftrace_regs *)&fregs, n);

		/* What is not a register is on the stack, which is not here, or 0. */
		if (!offset || offset > sizeof(fregs))
			break;
		arg_offset[n] = offset - 1;
		nr_arg_offsets = n + 1;
	}

	func_event_fill_with_offsets(&regs, sizeof(regs));
	syscall_get_arguments(current, &regs, args);
	for (int n = 0; n < NR_SYSCALL_ARGS; n++)
		syscall_arg_offset[n] = args[n] - 1;
}

static __always_inline unsigned int
func_event_fetch_entry(struct func_event *event, struct ftrace_regs *fregs,
		       char *body)
{
	const void *from = fregs;

	if (event->syscall)
		from = (const void *)ftrace_regs_get_argument(fregs, 0);
	*(u32 *)body = 0;
	return fetch(event->entry, from, body, event->base.body_size);
}

/* An event at the entry: where its function begins. */
static void func_event_where_entered(const struct fetch_event *base,
				     const void *source,
				     struct fetch_where *where)
{
	struct ftrace_regs *fregs = (struct ftrace_regs *)source;

	where->ip = container_of(base, struct func_event, base)->ip;
	where->sp = ftrace_regs_get_stack_pointer(fregs);
	where->fp = ftrace_regs_get_frame_pointer(fregs);
}

/*
 * What identifies the frame of a function to the unwinder, and thus to
 * ftrace_graph_ret_addr(): where its return address is.
 */
static __always_inline unsigned long *
func_event_return_place(struct ftrace_regs *fregs)
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

static noinline unsigned long func_event_diverted_parent(unsigned long *place)
{
	int idx = 0;

	return ftrace_graph_ret_addr(current, &idx, (unsigned long)return_to_handler, place);
}

/*
 * Who called, if whoever traces returns has put himself in between: that of the function
 * itself, or of one that has called it instead of returning.
 * function_get_true_parent_ip() does this for the function tracer.
 */
static __always_inline unsigned long
func_event_true_parent(unsigned long parent_ip, unsigned long *place)
{
	return unlikely(parent_ip == (unsigned long)return_to_handler) ?
		func_event_diverted_parent(place) : parent_ip;
}

#else

static unsigned long
func_event_true_parent(unsigned long parent_ip, unsigned long *place)
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
	/* Those of the function at its entry, for call chains. */
	unsigned long	sp;
	unsigned long	fp;
	char		body[];
};

/*
 * Events that can be found by those who return; RCU. A function may return long after
 * its event was disabled, so each time that it is enabled it has another number.
 */
#define RETURN_TABLE_SIZE	64
static struct hlist_head return_events[RETURN_TABLE_SIZE];
static u32 last_return_id;
/* How many are attached, and whether return_ops is registered. Protected by event_mutex. */
static unsigned int nr_returns;
static bool traces_returns;

static __always_inline struct func_event *func_event_find_return(u32 id)
{
	struct func_event *event;

	hlist_for_each_entry_rcu_notrace(event, &return_events[id % RETURN_TABLE_SIZE], id_node)
		if (event->id == id)
			return event;
	return NULL;
}

/* An event at the return: where the function returns to. */
static void func_event_where_returned(const struct fetch_event *base,
				      const void *source,
				      struct fetch_where *where)
{
	const struct func_event_frame *frame = source;

	where->ip = frame->parent_ip;
	where->sp = frame->sp;
	/* Without the return address, if it is there. */
	if (IS_ENABLED(CONFIG_X86_64))
		where->sp += sizeof(long);
	where->fp = frame->fp;
}

static int func_event_return_entry(struct ftrace_graph_ent *trace,
				   struct fgraph_ops *gops)
{
	return 0;
}

static __always_inline unsigned int
func_event_fetch_return(struct func_event *event,
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
static noinline void
func_event_return_with_buffer(struct func_event *event,
			      struct ftrace_graph_ret *trace,
			      struct func_event_frame *frame)
{
	int bit = ftrace_test_recursion_trylock(trace->func, frame->parent_ip);
	unsigned int len = frame->len;
	char *body;

	if (bit < 0)
		return;
	preempt_enable_no_resched_notrace();
	body = func_event_get_buffer(bit);
	memcpy(body, frame->body, len);
	/* Faults; those of the entry are there already. */
	if (event->return_only)
		*(u32 *)body = 0;
	len = func_event_fetch_return(event, trace, body, len);
	fetch_emit(&event->base, frame, frame->parent_ip, body, len, true);
	preempt_disable_notrace();
	ftrace_test_recursion_unlock(bit);
}

static void func_event_return_func(struct ftrace_graph_ret *trace,
				   struct fgraph_ops *gops)
{
	struct func_event_frame *frame = fgraph_retrieve_data(gops->idx, NULL);
	struct func_event *event;

	if (!frame)
		return;
	preempt_disable_notrace();
	if (unlikely(!func_event_is_waited_for())) {
		preempt_enable_notrace();
		return;
	}
	event = func_event_find_return(frame->id);
	if (event && event->in_place) {
		func_event_fetch_return(event, trace, frame->body, 0);
		fetch_emit(&event->base, frame, frame->parent_ip, frame->body, frame->len,
			   false);
	} else if (event) {
		func_event_return_with_buffer(event, trace, frame);
	}
	preempt_enable_notrace();
}

static struct fgraph_ops return_ops = {
	.entryfunc	= func_event_return_entry,
	.retfunc	= func_event_return_func,
};

/*
 * Where the return address is, and what identifies the frame to checks of the function
 * graph tracer: as in the ftrace_graph_func() of each architecture.
 */
static __always_inline unsigned long *
func_event_return_slot(struct ftrace_regs *fregs, unsigned long *fp)
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
static __always_inline void
func_event_hook_return(struct func_event *event, struct ftrace_regs *fregs,
		       const char *body, unsigned int len)
{
	unsigned long *addr, *place, fp, parent;
	struct func_event_frame *frame;

	if (unlikely(atomic_read(&current->tracing_graph_pause)))
		return;
	addr = func_event_return_slot(fregs, &fp);
	place = func_event_return_place(fregs);
	parent = *addr;
	frame = function_graph_enter_ops(&return_ops, parent, event->ip, fp, place,
					 sizeof(*frame) + (body ? len : event->base.body_size));
	if (unlikely(!frame)) {
		atomic_long_inc(&event->missed);
		return;
	}
	frame->id = event->id;
	frame->len = body ? len : event->base.body_size;
	frame->parent_ip = func_event_true_parent(parent, place);
	frame->sp = ftrace_regs_get_stack_pointer(fregs);
	frame->fp = ftrace_regs_get_frame_pointer(fregs);
	if (body)
		memcpy(frame->body, body, len);
	*addr = (unsigned long)return_to_handler;
}

static int func_event_add_return(struct func_event *event)
{
	int ret = traces_returns ? 0 : register_ftrace_graph(&return_ops);

	if (ret)
		return ret;
	traces_returns = true;
	nr_returns++;
	event->return_only = !event->nr_entry;
	event->in_place = !event->ret->nr_strings && !event->ret->nr_reads;
	event->base.where = func_event_where_returned;
	event->id = ++last_return_id;
	hlist_add_head_rcu(&event->id_node, &return_events[event->id % RETURN_TABLE_SIZE]);
	return 0;
}

static void func_event_remove_return(struct func_event *event)
{
	hlist_del_rcu(&event->id_node);
	nr_returns--;
}

/* When no event has been attached for a grace period. */
static void func_event_settle_returns(void)
{
	if (nr_returns || !traces_returns)
		return;
	/* Nobody who has found an event may put a frame on the shadow stack any more. */
	fetch_wait();
	unregister_ftrace_graph(&return_ops);
	traces_returns = false;
}

static int __init func_event_init_return(void)
{
	unsigned long anchor = (unsigned long)func_event_return_anchor;

	return ftrace_set_filter_ip(&return_ops.ops, ftrace_location(anchor), 0, 0);
}

#else

static void
func_event_hook_return(struct func_event *event, struct ftrace_regs *fregs,
		       const char *body, unsigned int len)
{
}

static int func_event_add_return(struct func_event *event)
{
	return -EOPNOTSUPP;
}

static void func_event_remove_return(struct func_event *event)
{
}

static void func_event_settle_returns(void)
{
}

static int __init func_event_init_return(void)
{
	return 0;
}

#endif

/* --- functions ------------------------------------------------------------ */

static __always_inline struct hlist_head *func_event_hook_bucket(unsigned long ip)
{
	return &func_hooks[hash_long(ip, FUNC_HOOK_BITS)];
}

static __always_inline struct func_hook *func_event_find_hook(unsigned long ip)
{
	struct func_hook *hook;

	hlist_for_each_entry_rcu_notrace(hook, func_event_hook_bucket(ip), node)
		if (hook->ip == ip)
			return hook;
	return NULL;
}

/*
 * Events of which some need a buffer. Enables preemption, which the caller has disabled, as
 * the next one does.
 */
static noinline void
func_event_hook_with_buffer(struct func_hook *hook, unsigned long ip,
			    unsigned long parent_ip, struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct func_event *event;
	unsigned int len;
	char *body;

	if (bit < 0) {
		preempt_enable_notrace();
		return;
	}
	/* The lock has disabled it as well; once is what is taken off again. */
	preempt_enable_no_resched_notrace();
	body = func_event_get_buffer(bit);
	parent_ip = func_event_true_parent(parent_ip,
					   func_event_return_place(fregs));
	list_for_each_entry_rcu(event, &hook->events, hook_node, true) {
		if (event->return_only) {
			func_event_hook_return(event, fregs, NULL, 0);
			continue;
		}
		len = func_event_fetch_entry(event, fregs, body);
		if (event->returns)
			func_event_hook_return(event, fregs, body, len);
		else
			fetch_emit(&event->base, fregs, parent_ip, body, len, true);
	}
	ftrace_test_recursion_unlock(bit);
}

/* Events that need none. */
static noinline void
func_event_hook_without_buffer(struct func_hook *hook, struct ftrace_regs *fregs)
{
	struct func_event *event;

	list_for_each_entry_rcu(event, &hook->events, hook_node, true)
		/* One that is not has just been added: the next call is for it. */
		if (event->return_only)
			func_event_hook_return(event, fregs, NULL, 0);
	preempt_enable_notrace();
}

/* Calls nothing in between, so that no registers are saved before it is known for what. */
static void func_event_hook_func(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	struct func_hook *hook;

	/* Nothing that is traced runs without RCU there. */
	if (!IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) && !rcu_is_watching())
		return;

	preempt_disable_notrace();
	if (unlikely(!func_event_is_waited_for()))
		goto out;
	hook = func_event_find_hook(ip);
	/* The function has no events any more, but its code has not been patched yet. */
	if (unlikely(!hook))
		goto out;
	if (READ_ONCE(hook->return_only))
		func_event_hook_without_buffer(hook, fregs);
	else
		func_event_hook_with_buffer(hook, ip, parent_ip, fregs);
	return;
out:
	preempt_enable_notrace();
}

/* With a function and thus in .data: ftrace must not take it for one that may be freed. */
static struct ftrace_ops hook_ops = {
	.func = func_event_hook_func,
};

/* Whether hook_ops is registered. Protected by event_mutex. */
static bool traces_functions;
/* Functions are in the filter of hook_ops that have no hook. Protected by event_mutex. */
static bool is_unsettled;

static int func_event_trace_function(unsigned long ip)
{
	/* What may still be in the filter has no hooks. */
	int ret = ftrace_set_filter_ip(&hook_ops, ip, 0, !traces_functions);

	if (ret || traces_functions)
		return ret;
	ret = register_ftrace_function(&hook_ops);
	traces_functions = !ret;
	return ret;
}

/* Leaves in the filter what has hooks, of which there are some. */
static int func_event_settle_filter(void)
{
	unsigned long *ips = kvmalloc_array(nr_hooks, sizeof(*ips), GFP_KERNEL);
	unsigned int nr = 0;
	struct func_hook *hook;
	int ret;

	if (!ips)
		return -ENOMEM;
	for (int i = 0; i < ARRAY_SIZE(func_hooks); i++)
		hlist_for_each_entry(hook, &func_hooks[i], node)
			ips[nr++] = hook->ip;
	ret = ftrace_set_filter_ips(&hook_ops, ips, nr, 0, 1);
	kvfree(ips);
	return ret;
}

/**
 * func_event_settle - patch functions that have no events any more
 *
 * Context: may sleep; event_mutex held. Waits for at most one grace period.
 */
void func_event_settle(void)
{
	int ret = 0;

	lockdep_assert_held(&event_mutex);

	if (is_unsettled && nr_hooks)
		ret = func_event_settle_filter();
	else if (is_unsettled && traces_functions)
		ret = unregister_ftrace_function(&hook_ops);
	/* Else they go on calling in vain, until this is tried again with the next one. */
	if (!ret) {
		is_unsettled = false;
		traces_functions = nr_hooks;
	}
	func_event_settle_returns();
}

static void func_event_settle_work(struct work_struct *work)
{
	mutex_lock(&event_mutex);
	func_event_settle();
	mutex_unlock(&event_mutex);
}

static DECLARE_DELAYED_WORK(settle_work, func_event_settle_work);

/* Takes the event out of the list of its hook, and the hook away if it was the last. */
static void func_event_unhook(struct func_event *event)
{
	struct func_hook *hook = event->hook;

	list_del_rcu(&event->hook_node);
	event->hook = NULL;
	if (!list_empty(&hook->events))
		return;
	hlist_del_rcu(&hook->node);
	nr_hooks--;
	is_unsettled = true;
	kfree_rcu(hook, rcu);
}

/* After the event was taken away from where it is found, or was to be. */
static void func_event_forget(struct func_event *event)
{
	if (event->returns)
		func_event_remove_return(event);
	event->detached = get_state_synchronize_rcu();
	event->was_attached = true;
	fetch_must_wait();
	/* Late enough for many events that are disabled one by one. */
	schedule_delayed_work(&settle_work, HZ / 20);
}

static int func_event_new_hook(struct func_event *event)
{
	struct func_hook *hook = kzalloc(sizeof(*hook), GFP_KERNEL);
	int ret;

	if (!hook)
		return -ENOMEM;
	hook->ip = event->ip;
	hook->return_only = event->return_only;
	INIT_LIST_HEAD(&hook->events);
	list_add_rcu(&event->hook_node, &hook->events);
	event->hook = hook;
	hlist_add_head_rcu(&hook->node, func_event_hook_bucket(hook->ip));
	nr_hooks++;
	ret = func_event_trace_function(hook->ip);
	if (ret)
		func_event_unhook(event);
	return ret;
}

/**
 * func_event_attach - let a function call its event
 * @event: the event
 *
 * It is no error if the event is attached already, or if its module is not there.
 *
 * Context: may sleep; event_mutex held. Waits for a grace period if the event has been
 *	attached since the last one.
 * Return: 0 or a negative error.
 */
int func_event_attach(struct func_event *event)
{
	int ret = 0;

	lockdep_assert_held(&event_mutex);

	if (event->hook || !event->ip)
		return 0;
	if (event->was_attached)
		cond_synchronize_rcu(event->detached);
	if (event->returns) {
		ret = func_event_add_return(event);
		if (ret)
			return ret;
	}
	event->hook = func_event_find_hook(event->ip);
	if (event->hook) {
		if (!event->return_only)
			WRITE_ONCE(event->hook->return_only, false);
		list_add_tail_rcu(&event->hook_node, &event->hook->events);
	} else {
		ret = func_event_new_hook(event);
	}
	if (ret)
		func_event_forget(event);
	return ret;
}

/**
 * func_event_detach - let a function no longer call an event
 * @event: the event, attached or not
 *
 * The event may still be in use, until fetch_wait(); but it is not found any more.
 *
 * Context: may sleep; event_mutex held. Does not wait.
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
 * func_event_add - make an event known, before it is enabled
 * @event: the event
 *
 * Context: may sleep; event_mutex held.
 * Return: 0 or -ENOMEM.
 */
int func_event_add(struct func_event *event)
{
	event->base.where = func_event_where_entered;
	return fetch_get_buffers(&pool, NR_LEVELS * sizeof(struct fetch_buffer));
}

/**
 * func_event_remove - the contrary of func_event_add()
 * @event: the event; nobody uses it any more when this returns
 *
 * Context: may sleep; event_mutex held. Waits for a grace period unless nothing has been
 *	detached since the last one.
 */
void func_event_remove(struct func_event *event)
{
	func_event_detach(event);
	/* For those who call and return, and for the probes that were unregistered. */
	fetch_wait();
	func_event_settle();
	fetch_put_buffers(&pool);
}

/**
 * func_event_init - find out what has to be known of this kernel
 *
 * Return: 0 or a negative error.
 */
int __init func_event_init(void)
{
	func_event_find_arguments();
	return func_event_init_return();
}

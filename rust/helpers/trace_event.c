// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace event that is defined in Rust needs of inline functions.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/ftrace.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#ifdef CONFIG_TRACEPOINTS
/*
 * All that comes before the probes, and all that comes after them, in one
 * call each: this is on the way of every event.
 */
notrace struct tracepoint_func *rust_helper_tracepoint_enter(struct tracepoint *tp)
{
	struct tracepoint_func *funcs;

	if (!cpu_online(raw_smp_processor_id()))
		return NULL;

	preempt_disable_notrace();
	funcs = rcu_dereference_raw(tp->funcs);
	if (unlikely(!funcs))
		preempt_enable_notrace();
	return funcs;
}

notrace void rust_helper_tracepoint_exit(void)
{
	preempt_enable_notrace();
}
#endif /* CONFIG_TRACEPOINTS */

#if defined(CONFIG_EVENT_TRACING) && defined(CONFIG_PERF_EVENTS)
/* NULL if neither a perf event nor a BPF program wants the event here */
notrace struct hlist_head *rust_helper_perf_trace_head(struct trace_event_call *call)
{
	struct hlist_head *head = this_cpu_ptr(call->perf_events);

	if (!bpf_prog_array_valid(call) && hlist_empty(head))
		return NULL;
	return head;
}

notrace void *rust_helper_perf_trace_reserve(int size, struct pt_regs **store, int *rctx)
{
	void *record = perf_trace_buf_alloc(size, store, rctx);
	unsigned long ip = CALLER_ADDR2 ?: CALLER_ADDR0;
	/* No other name will do: the macro of arm64 also replaces a member. */
	struct pt_regs *regs = *store;

	/*
	 * The sample belongs to where the event is: the caller of the
	 * tracepoint's function, which called the probe, which called this.
	 * Where the architecture cannot tell, it is the probe, whose name
	 * has the event in it.
	 */
	if (record)
		perf_arch_fetch_caller_regs(regs, ip);
	return record;
}
#endif

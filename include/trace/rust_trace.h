/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last stage of the trace events for those who define
 * CREATE_RUST_TRACE_POINTS beside CREATE_TRACE_POINTS: the functions that Rust
 * calls when a tracepoint is enabled.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 *  void rust_do_trace_<call>(proto);
 *
 * Rust tests the static key itself, so what is left is what trace_<call>() does
 * after its branch.  The generated_<file>.rs of scripts/Makefile.build has the
 * prototypes of these functions, and from there Rust knows the tracepoints.
 */

#ifdef CONFIG_TRACEPOINTS
#define __RUST_DO_TRACE(name, proto, args, cond)			\
	notrace void rust_do_trace_##name(proto)			\
	{								\
		__DO_TRACE(name, TP_ARGS(args),				\
			   TP_CONDITION(cpu_online(raw_smp_processor_id()) && \
					(cond)), 0);			\
	}								\
	/* For the semicolon that follows. */				\
	struct tracepoint
#else
/* The sites in Rust are gone, but what they are called with must still fit. */
#define __RUST_DO_TRACE(name, proto, unused...)				\
	void rust_do_trace_##name(proto)
#endif

#undef DECLARE_TRACE
#define DECLARE_TRACE(name, proto, args, unused...)			\
	__RUST_DO_TRACE(name, PARAMS(proto), PARAMS(args), true)

#undef DECLARE_TRACE_CONDITION
#define DECLARE_TRACE_CONDITION(name, proto, args, cond, unused...)	\
	__RUST_DO_TRACE(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#undef DECLARE_EVENT_CLASS
#define DECLARE_EVENT_CLASS(unused...)

#undef DEFINE_EVENT
#define DEFINE_EVENT(class, name, proto, args)				\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), class)

#undef DEFINE_EVENT_FN
#define DEFINE_EVENT_FN(class, name, proto, args, unused...)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), class)

#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(class, name, proto, args, unused...)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), class)

#undef DEFINE_EVENT_CONDITION
#define DEFINE_EVENT_CONDITION(class, name, proto, args, cond)		\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), \
				PARAMS(cond), class)

#undef TRACE_EVENT
#define TRACE_EVENT(name, proto, args, unused...)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_FN
#define TRACE_EVENT_FN(name, proto, args, unused...)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))

#undef TRACE_EVENT_CONDITION
#define TRACE_EVENT_CONDITION(name, proto, args, cond, unused...)	\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#undef TRACE_EVENT_FN_COND
#define TRACE_EVENT_FN_COND(name, proto, args, cond, unused...)		\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))

#undef TRACE_EVENT_FLAGS
#define TRACE_EVENT_FLAGS(unused...)

#undef TRACE_EVENT_PERF_PERM
#define TRACE_EVENT_PERF_PERM(unused...)

/* Only Rust has prototypes of them. */
__diag_push();
__diag_ignore_all("-Wmissing-declarations", "called from Rust");
__diag_ignore_all("-Wmissing-prototypes", "called from Rust");

#include TRACE_INCLUDE(TRACE_INCLUDE_FILE)

__diag_pop();

#undef DECLARE_TRACE_CONDITION
#undef __RUST_DO_TRACE

/* Beside EXPORT_TRACEPOINT_SYMBOL(), for modules in Rust. */
#ifndef EXPORT_RUST_TRACEPOINT_SYMBOL
#ifdef CONFIG_TRACEPOINTS
#define EXPORT_RUST_TRACEPOINT_SYMBOL(name)				\
	EXPORT_SYMBOL(rust_do_trace_##name)
#define EXPORT_RUST_TRACEPOINT_SYMBOL_GPL(name)				\
	EXPORT_SYMBOL_GPL(rust_do_trace_##name)
#else
#define EXPORT_RUST_TRACEPOINT_SYMBOL(unused...)
#define EXPORT_RUST_TRACEPOINT_SYMBOL_GPL(unused...)
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of <trace/define_trace.h> for CREATE_RUST_TRACE_POINTS.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */

#ifdef __BINDGEN__
/*
 * This pass over the file produces prototypes only, in <file>.tp.rs, see
 * scripts/Makefile.build: those of the tracepoints that the file defines, not
 * of all that its headers declare.
 */
#define RUST_TRACEPOINT(name, proto, unused...)				\
	void rust_tracepoint_##name(proto) { }

#undef DEFINE_TRACE
#define DEFINE_TRACE(name, proto, args)					\
	RUST_TRACEPOINT(name, PARAMS(proto), PARAMS(args))

#undef DEFINE_EVENT_TRACEPOINT
#define DEFINE_EVENT_TRACEPOINT(template, name, proto, args)		\
	RUST_TRACEPOINT(name, PARAMS(proto), template, PARAMS(args))

#undef DEFINE_TRACE_FN
#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)			\
	RUST_TRACEPOINT(name, PARAMS(proto), reg, unreg, PARAMS(args))

#undef DEFINE_TRACE_SYSCALL
#define DEFINE_TRACE_SYSCALL(name, reg, unreg, proto, args)		\
	RUST_TRACEPOINT(name, PARAMS(proto), reg, unreg, PARAMS(args))
#endif

/* As EXPORT_TRACEPOINT_SYMBOL(), for modules in Rust. */
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

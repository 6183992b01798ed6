/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints that are defined in Rust, for C code that has sites of them or
 * registers probes.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * Nobody writes DECLARE_RUST_TRACE() by hand: generated_<file>.h is made from
 * the object of <file>.rs and has one for every tracepoint in there, and a
 * static_assert() for every type in its prototype: that Rust has a type of the
 * same name does not mean that it has the same type.  See
 * Documentation/rust/tracepoints.rst.
 */
#ifndef _LINUX_RUST_TRACEPOINT_H
#define _LINUX_RUST_TRACEPOINT_H

#include <linux/build_bug.h>
#include <linux/tracepoint.h>

#ifdef CONFIG_TRACEPOINTS
#define __DECLARE_RUST_TRACE(name, data_proto...)			\
	extern struct tracepoint __tracepoint_##name;			\
	static inline bool trace_##name##_enabled(void)			\
	{								\
		return static_key_false(&__tracepoint_##name.key);	\
	}								\
	static inline int						\
	register_trace_##name(void (*probe)(data_proto), void *data)	\
	{								\
		return tracepoint_probe_register(&__tracepoint_##name,	\
						 (void *)probe, data);	\
	}								\
	static inline int						\
	unregister_trace_##name(void (*probe)(data_proto), void *data)	\
	{								\
		return tracepoint_probe_unregister(&__tracepoint_##name, \
						   (void *)probe, data); \
	}
#else
#define __DECLARE_RUST_TRACE(name, data_proto...)			\
	static inline bool trace_##name##_enabled(void)			\
	{								\
		return false;						\
	}								\
	static inline int						\
	register_trace_##name(void (*probe)(data_proto), void *data)	\
	{								\
		return -EOPNOTSUPP;					\
	}								\
	static inline int						\
	unregister_trace_##name(void (*probe)(data_proto), void *data)	\
	{								\
		return -EOPNOTSUPP;					\
	}
#endif

/*
 * The counterpart of DECLARE_TRACE().  There is no static call, which only C
 * can define: the callee in Rust goes through the list of probes, and tests the
 * condition of the event if it has one.
 */
#define DECLARE_RUST_TRACE(name, args, proto...)			\
	__DECLARE_RUST_TRACE(name, void *__data, proto)			\
	static inline void trace_##name(proto)				\
	{								\
		extern typeof(trace_##name) rust_do_trace_##name;	\
									\
		if (trace_##name##_enabled())				\
			rust_do_trace_##name(args);			\
	}

#define DECLARE_RUST_TRACE_NOARGS(name)					\
	__DECLARE_RUST_TRACE(name, void *__data)			\
	static inline void trace_##name(void)				\
	{								\
		extern typeof(trace_##name) rust_do_trace_##name;	\
									\
		if (trace_##name##_enabled())				\
			rust_do_trace_##name();				\
	}

#endif /* _LINUX_RUST_TRACEPOINT_H */

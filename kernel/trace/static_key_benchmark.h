/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM static_key_benchmark

#if !defined(_STATIC_KEY_BENCHMARK_H) || defined(TRACE_HEADER_MULTI_READ)
#define _STATIC_KEY_BENCHMARK_H

#include <linux/tracepoint.h>

/*
 * Three scalars and a string: what most events of the kernel record. Every
 * function that the benchmark calls takes the same four arguments, so that a
 * dynamic event on one of those functions can record just what this event does.
 */
TRACE_EVENT(static_key_benchmark_hit,
	    TP_PROTO(int nr, u64 value, unsigned long flags, const char *name),
	    TP_ARGS(nr, value, flags, name),

	    TP_STRUCT__entry(__field(int, nr)
			     __field(u64, value)
			     __field(unsigned long, flags)
			     __string(name, name)
	    ),

	    TP_fast_assign(__entry->nr = nr;
			   __entry->value = value;
			   __entry->flags = flags;
			   __assign_str(name);
	    ),

	    TP_printk("nr=%d value=%llu flags=0x%lx name=%s", __entry->nr,
		      __entry->value, __entry->flags, __get_str(name))
);

/* The least that an event can record. */
TRACE_EVENT(static_key_benchmark_one_field,
	    TP_PROTO(int nr),
	    TP_ARGS(nr),

	    TP_STRUCT__entry(__field(int, nr)),

	    TP_fast_assign(__entry->nr = nr;),

	    TP_printk("nr=%d", __entry->nr)
);

/* As events do that name a file. */
TRACE_EVENT(static_key_benchmark_two_strings,
	    TP_PROTO(int nr, u64 value, unsigned long flags, const char *name,
		     unsigned int mode, const char *path),
	    TP_ARGS(nr, value, flags, name, mode, path),

	    TP_STRUCT__entry(__field(int, nr)
			     __field(u64, value)
			     __field(unsigned long, flags)
			     __string(name, name)
			     __field(unsigned int, mode)
			     __string(path, path)
	    ),

	    TP_fast_assign(__entry->nr = nr;
			   __entry->value = value;
			   __entry->flags = flags;
			   __assign_str(name);
			   __entry->mode = mode;
			   __assign_str(path);
	    ),

	    TP_printk("nr=%d value=%llu flags=0x%lx name=%s mode=%o path=%s",
		      __entry->nr, __entry->value, __entry->flags,
		      __get_str(name), __entry->mode, __get_str(path))
);

/*
 * The first one without an event, for who finds an event too much: user space
 * cannot see it, but can put a tracepoint probe event on it.
 */
DECLARE_TRACE(static_key_benchmark_bare,
	      TP_PROTO(int nr, u64 value, unsigned long flags,
		       const char *name),
	      TP_ARGS(nr, value, flags, name));

/* In static_key_benchmark_rust.rs. */
int bench_rust_declared(int nr, u64 value, unsigned long flags,
			const char *name);
int bench_rust_defined(int nr, u64 value, unsigned long flags,
		       const char *name);
bool bench_rust_defined_enabled(void);

#endif /* _STATIC_KEY_BENCHMARK_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE static_key_benchmark
#include <trace/define_trace.h>

// SPDX-License-Identifier: GPL-2.0
/*
 * What the events of compile_fail/event_arguments.rs are to C: a probe for each,
 * and a function that prints a record. This is compiled without the headers of
 * the kernel, for the tags alone that the compiler gives the functions for CFI.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <sys/types.h>

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

/* The kernel has a typedef without a tag, whose name the compiler takes instead. */
#define atomic_t struct atomic_t

atomic_t {
	int counter;
};

struct task_struct;
struct trace_event;
struct trace_iterator;

enum print_line_t {
	TRACE_TYPE_HANDLED = 1,
};

#define TP_ARGS(args...) args

#define DECLARE_RUST_TRACE(name, args, proto...)			\
	void probe_##name(void *__data, proto)				\
	{								\
	}								\
	void call_##name(void (*probe)(void *__data, proto), proto)	\
	{								\
		probe(0, args);						\
	}

#define DECLARE_RUST_TRACE_NOARGS(name)					\
	void probe_##name(void *__data)					\
	{								\
	}

#include "declared.h"

enum print_line_t output(struct trace_iterator *iter, int flags,
			 struct trace_event *event)
{
	return TRACE_TYPE_HANDLED;
}

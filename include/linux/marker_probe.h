/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marker probes that get their arguments as function parameters.
 *
 * See Documentation/trace/markers.rst.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LINUX_MARKER_PROBE_H
#define _LINUX_MARKER_PROBE_H

#include <linux/array_size.h>
#include <linux/marker.h>
/* For __MAP(), __SC_DECL() and __SC_ARGS(). */
#include <linux/syscalls.h>

/*
 * Arguments that are not larger than a long are read as a long, see
 * marker_event_get_argument().
 */
static __always_inline void __marker_get_args(struct marker_call *call,
					      const u8 *wide,
					      unsigned long long *args,
					      unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		args[i] = wide[i] ? va_arg(call->args, unsigned long long) :
			va_arg(call->args, unsigned long);
}

/* 1 << arg if the argument is larger than a long. */
#define __MARKER_WIDE(type, arg)	((sizeof(type) > sizeof(long)) << (arg))
#define __MARKER_GET(type, arg)		__marker_as(type, __args[arg])
/* The upper part of an argument that is smaller than a long is undefined. */
#define __marker_as(type, value)					\
	((type)(typeof(__builtin_choose_expr(				\
		sizeof(type) > sizeof(long), 0ULL,			\
		__builtin_choose_expr(					\
			sizeof(type) < sizeof(long), 0U, 0UL))))(value))

/**
 * DEFINE_MARKER_PROBE_N() - define a probe that gets its arguments as a
 * function does
 * @nr: number of arguments, from 1 to 6; usually part of the macro's name, as
 *	in DEFINE_MARKER_PROBE2(name, fmt, ...)
 * @name: of the static const struct marker_probe
 * @fmt: the marker must have this format
 * @params: types and names of the arguments, as for SYSCALL_DEFINEx(); the
 *	compiler checks them against @fmt
 *
 * The function body follows. In it, data is the argument of
 * marker_probe_register().
 */
#define DEFINE_MARKER_PROBE_N(nr, name, fmt, params...)			\
	static const char __##name##_format[] = fmt;			\
	static void __##name##_body(void *data,				\
				    __MAP##nr(__SC_DECL, params));	\
	static __always_inline void					\
	__##name##_checked(void *data, __MAP##nr(__SC_DECL, params))	\
	{								\
		if (0)							\
			__mark_check_format(__##name##_format,		\
					    __MAP##nr(__SC_ARGS, params)); \
		__##name##_body(data, __MAP##nr(__SC_ARGS, params));	\
	}								\
	static void __##name##_func(void *__data,			\
				    struct marker_call *__call)		\
	{								\
		/* Here the names are the positions of the arguments. */ \
		enum { __MAP##nr(__SC_ARGS, params) };			\
		static const u8 __wide[] = {				\
			__MAP##nr(__MARKER_WIDE, params)		\
		};							\
		unsigned long long __args[ARRAY_SIZE(__wide)];		\
									\
		__marker_get_args(__call, __wide, __args,		\
				  ARRAY_SIZE(__wide));			\
		__##name##_checked(__data,				\
				   __MAP##nr(__MARKER_GET, params));	\
	}								\
	static const struct marker_probe name = {			\
		.func = __##name##_func, .format = __##name##_format,	\
	};								\
	static __always_inline void					\
	__##name##_body(void *data, __MAP##nr(__SC_DECL, params))

#define DEFINE_MARKER_PROBE1(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(1, name, fmt, params)
#define DEFINE_MARKER_PROBE2(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(2, name, fmt, params)
#define DEFINE_MARKER_PROBE3(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(3, name, fmt, params)
#define DEFINE_MARKER_PROBE4(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(4, name, fmt, params)
#define DEFINE_MARKER_PROBE5(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(5, name, fmt, params)
#define DEFINE_MARKER_PROBE6(name, fmt, params...) \
	DEFINE_MARKER_PROBE_N(6, name, fmt, params)

#endif /* _LINUX_MARKER_PROBE_H */

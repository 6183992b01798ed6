/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints that are defined here and called from Rust, one of every kind,
 * and the C part of a C/Rust pair of events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM test_rust_tracepoint

#if !defined(_LIB_TEST_RUST_TRACEPOINT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _LIB_TEST_RUST_TRACEPOINT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(test_c_site,
	    TP_PROTO(int value),
	    TP_ARGS(value),

	    TP_STRUCT__entry(__field(int, value)),

	    TP_fast_assign(__entry->value = value;),

	    TP_printk("value=%d", __entry->value)
);

DECLARE_TRACE(test_c_bare,
	      TP_PROTO(int value, struct task_struct *task),
	      TP_ARGS(value, task));

TRACE_EVENT_CONDITION(test_c_condition,
		      TP_PROTO(int value),
		      TP_ARGS(value),

		      TP_CONDITION(value > 0),

		      TP_STRUCT__entry(__field(int, value)),

		      TP_fast_assign(__entry->value = value;),

		      TP_printk("value=%d", __entry->value)
);

DECLARE_EVENT_CLASS(test_c_class,
		    TP_PROTO(u64 value),
		    TP_ARGS(value),

		    TP_STRUCT__entry(__field(u64, value)),

		    TP_fast_assign(__entry->value = value;),

		    TP_printk("value=%llu", __entry->value)
);

DEFINE_EVENT(test_c_class, test_c_first,
	     TP_PROTO(u64 value),
	     TP_ARGS(value)
);

DEFINE_EVENT_CONDITION(test_c_class, test_c_second,
		       TP_PROTO(u64 value),
		       TP_ARGS(value),
		       TP_CONDITION(value & 1)
);

/*
 * The Rust part of this C/Rust pair is test_rust_twin in
 * test_rust_tracepoint_main.rs; both must record and print the same.
 */
TRACE_EVENT(test_c_twin,
	    TP_PROTO(u32 id, const char *name, unsigned int flags, const u8 *mac,
		     const u32 *data, size_t count, struct task_struct *task),
	    TP_ARGS(id, name, flags, mac, data, count, task),

	    TP_STRUCT__entry(__field(u8, low)
			     __field(u32, id)
			     __field(s16, negative)
			     __field(bool, odd)
			     __field(unsigned long, wide)
			     __field(unsigned int, flags)
			     __field(struct task_struct *, task)
			     __array(u8, mac, 6)
			     __array(char, label, 8)
			     __string(name, name)
			     __dynamic_array(u32, data, count)
			     __field(long long, last)
			     __field(u8, tail)
	    ),

	    TP_fast_assign(__entry->low = id;
			   __entry->id = id;
			   __entry->negative = -(s16)id;
			   __entry->odd = id & 1;
			   __entry->wide = (unsigned long)id << 8;
			   __entry->flags = flags;
			   __entry->task = task;
			   memcpy(__entry->mac, mac, 6);
			   memcpy(__entry->label, "label\0\0\0", 8);
			   __assign_str(name);
			   memcpy(__get_dynamic_array(data), data,
				  count * sizeof(u32));
			   __entry->last = -1;
			   __entry->tail = ~id;
	    ),

	    TP_printk("low=%u id=%u negative=%d odd=%d wide=0x%lx flags=%s state=%s mac=%s addr=%pM label=%s short=%.3s name=%s data=%s last=%lld tail=%u",
		      __entry->low, __entry->id, __entry->negative,
		      __entry->odd, __entry->wide,
		      __print_flags(__entry->flags, "|",
				    { 1, "READ" }, { 2, "WRITE" }, { 4, "SYNC" }),
		      __print_symbolic(__entry->flags,
				       { 0, "idle" }, { 1, "busy" }),
		      __print_hex(__entry->mac, 6), __entry->mac,
		      __entry->label, __entry->label, __get_str(name),
		      __print_array(__get_dynamic_array(data),
				    __get_dynamic_array_len(data) / 4, 4),
		      __entry->last, __entry->tail)
);

#endif /* _LIB_TEST_RUST_TRACEPOINT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE test_rust_tracepoint_trace
#include <trace/define_trace.h>

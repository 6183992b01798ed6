/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM compile_fail

#if !defined(_COMPILE_FAIL_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _COMPILE_FAIL_EVENTS_H

#include <linux/tracepoint.h>

TRACE_EVENT(compile_fail_event,
	    TP_PROTO(int value, struct task_struct *task),
	    TP_ARGS(value, task),

	    TP_STRUCT__entry(__field(int, value)),

	    TP_fast_assign(__entry->value = value;),

	    TP_printk("value=%d", __entry->value)
);

TRACE_EVENT(compile_fail_names,
	    TP_PROTO(unsigned long first, const char *second, int third),
	    TP_ARGS(first, second, third),

	    TP_STRUCT__entry(__field(unsigned long, first)
			     __field(const void *, second)
			     __field(int, third)
	    ),

	    TP_fast_assign(__entry->first = first;
			   __entry->second = second;
			   __entry->third = third;
	    ),

	    TP_printk("first=%lu second=%p third=%d", __entry->first,
		      __entry->second, __entry->third)
);

#endif /* _COMPILE_FAIL_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>

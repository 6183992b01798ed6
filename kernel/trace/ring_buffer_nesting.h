/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ring_buffer_nesting

#if !defined(_RING_BUFFER_NESTING_H) || defined(TRACE_HEADER_MULTI_READ)
#define _RING_BUFFER_NESTING_H

#include <linux/tracepoint.h>

/* @copies: @nr times @seq, by which a reader sees whether a record is torn. */
TRACE_EVENT(ring_buffer_nesting,
	    TP_PROTO(unsigned int context, u64 seq, unsigned int nr),
	    TP_ARGS(context, seq, nr),

	    TP_STRUCT__entry(__field(u64, seq)
			     /* Before the array, which is aligned then. */
			     __field(unsigned int, context)
			     __dynamic_array(u64, copies, nr)
	    ),

	    TP_fast_assign(__entry->seq = seq;
			   __entry->context = context;
			   memset64(__get_dynamic_array(copies), seq, nr);
	    ),

	    TP_printk("context=%u seq=%llu copies=%s", __entry->context, __entry->seq,
		      __print_array(__get_dynamic_array(copies),
				    __get_dynamic_array_len(copies) / 8, 8))
);

#endif /* _RING_BUFFER_NESTING_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ring_buffer_nesting
#include <trace/define_trace.h>

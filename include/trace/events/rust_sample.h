/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracepoint that is defined here and called from samples/rust.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rust_sample

#if !defined(_TRACE_RUST_SAMPLE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RUST_SAMPLE_H

#include <linux/tracepoint.h>

TRACE_EVENT(rust_sample_loaded,
	    TP_PROTO(int magic_number),
	    TP_ARGS(magic_number),

	    TP_STRUCT__entry(__field(int, magic_number)),

	    TP_fast_assign(__entry->magic_number = magic_number;),

	    TP_printk("magic=%d", __entry->magic_number)
);

#endif /* _TRACE_RUST_SAMPLE_H */

/* This part must be outside protection */
#include <trace/define_trace.h>

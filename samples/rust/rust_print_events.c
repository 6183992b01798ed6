// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of rust_print, as a module of their own: the object of
 * rust_print.rs has the name of its module and cannot be linked with another.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/module.h>

#define CREATE_TRACE_POINTS
#define CREATE_RUST_TRACE_POINTS
#include <trace/events/rust_sample.h>

EXPORT_TRACEPOINT_SYMBOL_GPL(rust_sample_loaded);
EXPORT_RUST_TRACEPOINT_SYMBOL_GPL(rust_sample_loaded);

MODULE_DESCRIPTION("Tracepoints of the Rust printing macros sample");
MODULE_LICENSE("GPL");

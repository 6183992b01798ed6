// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Rust trace event sample.
//!
//! The events are called while the module is being loaded and when it is removed. To see all of
//! them, build the sample into the kernel and boot with `trace_event=rust_sample`.

use kernel::prelude::*;

module! {
    type: RustTraceEvent,
    name: "rust_trace_event",
    authors: ["The static-key tracepoints developers"],
    description: "Rust trace event sample",
    license: "GPL",
}

kernel::trace_event! {
    system: rust_sample,

    /// A request was queued.
    fn rust_sample_request(id: u32, name: &CStr, flags: u32, data: &[u8]) if id != 0,
    entry: {
        id: u32,
        flags: u32,
        name: string,
        data: dynamic_array<u8>,
    },
    print: "id=%u name=%s flags=%s data=%s", id, name,
        flags(flags, "|", { 1: "READ", 2: "WRITE" }),
        hex(data),
}

kernel::trace_event_class! {
    class rust_sample_io(id: u32, len: usize),
    entry: {
        id: u32,
        len: usize,
    },
    print: "id=%u len=%zu", id, len,
    events: {
        /// A request has begun.
        fn rust_sample_begin,
        /// A request has ended; of those that did nothing this is not said.
        fn rust_sample_end if len > 0,
    },
}

/// Traces a request that does nothing.
fn request(id: u32, data: &[u8]) {
    trace_rust_sample_request(id, c"sample", id % 4, data);
    trace_rust_sample_begin(id, data.len());
    // What is computed for an event only, is computed only if the event is enabled.
    if trace_rust_sample_end_enabled() {
        let done = data.iter().filter(|byte| **byte != 0).count();

        trace_rust_sample_end(id, done);
    }
}

struct RustTraceEvent;

impl kernel::Module for RustTraceEvent {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        for id in 0..4 {
            request(id, &[1, 2, 3, 4][..id as usize]);
        }
        pr_info!("Rust trace event sample (init)\n");

        Ok(RustTraceEvent)
    }
}

impl Drop for RustTraceEvent {
    fn drop(&mut self) {
        request(4, &[0; 4]);
        pr_info!("Rust trace event sample (exit)\n");
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! A module with an event of the same name as one in `test_rust_tracepoint`.

use kernel::prelude::*;

module! {
    type: Duplicate,
    name: "test_rust_tracepoint_duplicate",
    authors: ["The static-key tracepoints developers"],
    description: "Test of trace events of the same name",
    license: "GPL",
}

kernel::trace_event! {
    system: test_rust_tracepoint,
    fn test_rust_condition(value: c_int),
    entry: { value: c_int },
    print: "value=%d", value,
}

struct Duplicate;

impl kernel::Module for Duplicate {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        trace_test_rust_condition(1);
        Ok(Self)
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Rust sample of a vendor's module: a probe on the hook of `rust_vendor_hook`.
//!
//! While the module is loaded, the device of `rust_vendor_hook` is busy for every second one who
//! opens it.

use core::sync::atomic::{
    AtomicU32,
    Ordering, //
};
use kernel::{
    attach_probe,
    ffi::c_int,
    prelude::*,
    tracepoint::Probe, //
};

module! {
    type: RustVendorProbe,
    name: "rust_vendor_probe",
    authors: ["The static-key tracepoints developers"],
    description: "Rust sample of a probe of a vendor",
    license: "GPL",
}

struct RustVendorProbe {
    _probe: Probe<AtomicU32>,
}

/// Called by the tracepoint `rust_sample_open_tp`.
fn opened(calls: &AtomicU32, _pid: u32, result: &mut c_int) {
    if calls.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
        *result = EBUSY.to_errno();
    }
}

impl kernel::Module for RustVendorProbe {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        // SAFETY: `opened` has the arguments of the tracepoint. It may be called anywhere.
        let probe = unsafe { attach_probe!(rust_sample_open_tp, opened, AtomicU32::new(0)) }?;

        Ok(Self { _probe: probe })
    }
}

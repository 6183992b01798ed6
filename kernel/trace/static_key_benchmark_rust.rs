// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The functions of the static key benchmark that are in Rust.

use kernel::{
    ffi::{c_char, c_int, c_ulong},
    str::{CStr, CStrExt as _},
};

kernel::include_tracepoints!(static_key_benchmark_main);

kernel::trace_event! {
    system: static_key_benchmark,

    /// `static_key_benchmark_hit`, defined in Rust.
    fn static_key_benchmark_rust_hit(
        nr: c_int,
        value: u64,
        flags: c_ulong,
        name: *const c_char,
    ),
    entry: {
        nr: c_int,
        value: u64,
        flags: c_ulong,
        // SAFETY: The benchmark passes the name of one of its entries, a valid C string.
        name: string = unsafe { CStr::from_char_ptr(name) },
    },
    print: "nr=%d value=%llu flags=0x%lx name=%s", nr, value, flags, name,
}

/// Has a site of the event that is defined in C.
///
/// # Safety
///
/// `name` must point to a valid C string.
#[no_mangle]
#[inline(never)]
pub unsafe extern "C" fn bench_rust_declared(
    nr: c_int,
    value: u64,
    flags: c_ulong,
    name: *const c_char,
) -> c_int {
    // SAFETY: The caller guarantees that `name` points to a valid C string, as the event requires.
    unsafe { trace_static_key_benchmark_hit(nr, value, flags, name) };
    0
}

/// Has a site of the event that is defined in Rust.
#[no_mangle]
#[inline(never)]
pub extern "C" fn bench_rust_defined(
    nr: c_int,
    value: u64,
    flags: c_ulong,
    name: *const c_char,
) -> c_int {
    trace_static_key_benchmark_rust_hit(nr, value, flags, name);
    0
}

/// Returns whether the event that is defined in Rust is enabled.
#[no_mangle]
pub extern "C" fn bench_rust_defined_enabled() -> bool {
    trace_static_key_benchmark_rust_hit_enabled()
}

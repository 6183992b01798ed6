// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Test of static keys and tracepoints in Rust.
//!
//! The functions of this file are called from `test_rust_tracepoint_check.c`, which checks that the
//! probes of their tracepoints are called.

use core::sync::atomic::{AtomicU32, Ordering};
use kernel::{
    bindings::{static_key_false, static_key_true, task_struct},
    error::to_result,
    ffi::{c_char, c_int, c_longlong, c_uint, c_ulong},
    jump_label::{StaticKeyFalse, StaticKeyTrue},
    prelude::*,
    static_branch_likely, static_branch_unlikely,
    trace_event::char_array,
};

module! {
    type: TestRustTracepoint,
    name: "test_rust_tracepoint",
    authors: ["The static-key tracepoints developers"],
    description: "Test of static keys and tracepoints in Rust",
    license: "GPL",
}

kernel::include_tracepoints!(test_rust_tracepoint_events);

kernel::declare_trace! {
    /// As the event in C, but declared by hand.
    unsafe fn test_c_condition(value: c_int);
}

kernel::trace_event! {
    system: test_rust_tracepoint,

    /// The Rust part of a C/Rust pair with `test_c_twin`: the same fields, values and text.
    fn test_rust_twin(
        id: u32,
        name: &CStr,
        flags: c_uint,
        mac: &[u8; 6],
        data: &[u32],
        task: *mut task_struct,
    ),
    entry: {
        low: u8 = id as u8,
        id: u32 = id,
        negative: i16 = (id as i16).wrapping_neg(),
        odd: bool = id & 1 != 0,
        wide: c_ulong = (id as c_ulong) << 8,
        flags: c_uint = flags,
        task: *mut task_struct = task,
        mac: [u8; 6] = *mac,
        label: [c_char; 8] = char_array(c"label"),
        name: string = name,
        data: dynamic_array<u32> = data,
        last: c_longlong = -1,
        tail: u8 = !id as u8,
    },
    print: "low=%u id=%u negative=%d odd=%d wide=0x%lx flags=%s state=%s mac=%s addr=%pM \
            label=%s short=%.3s name=%s data=%s last=%lld tail=%u",
        low, id, negative, odd, wide,
        flags(flags, "|", { 1: "READ", 2: "WRITE", 0x4: "SYNC" }),
        symbolic(flags, { 0: "idle", 1: "busy" }),
        hex(mac), mac, label, label, name, array(data), last, tail,
}

kernel::trace_event! {
    system: test_rust_tracepoint,

    /// As `test_c_condition`, with a counter of evaluations of the condition.
    fn test_rust_condition(value: c_int) if {
        CONDITIONS.fetch_add(1, Ordering::Relaxed);
        value > 0
    },
    entry: { value: c_int },
    print: "value=%d", value,
}

kernel::trace_event! {
    system: test_rust_tracepoint,

    /// What C cannot define: an event without arguments, and without fields.
    fn test_rust_empty(),
    entry: {},
    print: "empty",
}

kernel::trace_event_class! {
    system: test_rust_tracepoint,
    class test_rust_class(value: u64),
    entry: { value: u64 },
    print: "value=%llu", value,
    events: {
        /// As `test_c_first`.
        fn test_rust_first,
        /// As `test_c_second`.
        fn test_rust_second if value & 1 != 0,
    },
}

/// How often the condition of an event was evaluated.
static CONDITIONS: AtomicU32 = AtomicU32::new(0);

extern "C" {
    static test_rust_tracepoint_key_false: static_key_false;
    static test_rust_tracepoint_key_true: static_key_true;

    fn test_rust_tracepoint_check() -> c_int;
}

/// Has the same site as `test_rust_tracepoint_site_c`.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_site_rust(value: c_int) {
    // SAFETY: The event takes any number.
    unsafe { trace_test_c_site(value) }
}

/// Calls a tracepoint without an event.
///
/// # Safety
///
/// `task` must point to a task.
#[no_mangle]
pub unsafe extern "C" fn test_rust_tracepoint_bare(value: c_int, task: *mut task_struct) {
    // SAFETY: The caller guarantees that `task` is valid, as the probes require.
    unsafe { trace_test_c_bare_tp(value, task) }
}

/// Calls a tracepoint with a condition.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_condition(value: c_int) {
    // SAFETY: The event takes any number.
    unsafe { test_c_condition(value) }
}

/// Calls an event of a class.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_first(value: u64) {
    // SAFETY: The event takes any number.
    unsafe { trace_test_c_first(value) }
}

/// Calls another event of the class, with a condition.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_second(value: u64) {
    // SAFETY: The event takes any number.
    unsafe { trace_test_c_second(value) }
}

/// Which tracepoints have probes: bits as in `test_rust_tracepoint.h`.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_enabled() -> c_uint {
    let enabled = [
        trace_test_c_site_enabled(),
        trace_test_c_bare_tp_enabled(),
        trace_test_c_condition_enabled(),
        trace_test_c_first_enabled(),
        trace_test_c_second_enabled(),
    ];

    enabled
        .iter()
        .enumerate()
        .fold(0, |bits, (nr, &on)| bits | c_uint::from(on) << nr)
}

/// Branches on the keys of C: bits as in `test_rust_tracepoint.h`.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_branches() -> c_uint {
    let branches = [
        static_branch_unlikely!(test_rust_tracepoint_key_false),
        static_branch_likely!(test_rust_tracepoint_key_false),
        static_branch_unlikely!(test_rust_tracepoint_key_true),
        static_branch_likely!(test_rust_tracepoint_key_true),
    ];

    branches
        .iter()
        .enumerate()
        .fold(0, |bits, (nr, &on)| bits | c_uint::from(on) << nr)
}

/// How often the condition of `test_rust_condition` was evaluated.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_conditions() -> c_uint {
    CONDITIONS.load(Ordering::Relaxed)
}

/// Calls the events that are defined here, except the C/Rust pair.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_defined(value: c_int) {
    trace_test_rust_condition(value);
    trace_test_rust_first(value as u64);
    trace_test_rust_second(value as u64);
    trace_test_rust_empty();
}

/// The values that the C/Rust pair of events records in round `nr`.
struct Twin {
    id: u32,
    flags: c_uint,
    mac: [u8; 6],
    data: [u32; 4],
    count: usize,
}

impl Twin {
    fn new(nr: c_uint) -> Self {
        Self {
            id: nr,
            flags: nr % 9,
            mac: [2, 0, 0, 0xfe, 0xff, nr as u8],
            data: [nr, !nr, nr << 16, 0],
            count: nr as usize % 5,
        }
    }
}

/// Calls the event that is defined in C.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_twin_c(nr: c_uint) {
    let twin = Twin::new(nr);

    // SAFETY: The pointers are valid, `count` is at most the length of `data`, and the event only
    // stores the address of the task.
    unsafe {
        trace_test_c_twin(
            twin.id,
            c"twin".as_char_ptr(),
            twin.flags,
            twin.mac.as_ptr(),
            twin.data.as_ptr(),
            twin.count,
            kernel::bindings::get_current(),
        )
    }
}

/// Calls the event that is defined here.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_twin_rust(nr: c_uint) {
    let twin = Twin::new(nr);

    trace_test_rust_twin(
        twin.id,
        c"twin",
        twin.flags,
        &twin.mac,
        &twin.data[..twin.count],
        // SAFETY: There is always a current task.
        unsafe { kernel::bindings::get_current() },
    )
}

static FALSE: StaticKeyFalse = StaticKeyFalse::new();
static TRUE: StaticKeyTrue = StaticKeyTrue::new();

/// Returns the result of all kinds of branches on all kinds of keys.
fn branches() -> [bool; 4] {
    [
        static_branch_unlikely!(FALSE),
        static_branch_likely!(FALSE),
        static_branch_unlikely!(TRUE),
        static_branch_likely!(TRUE),
    ]
}

/// Toggles the keys and checks all branches after each change.
fn check_keys() -> Result {
    let expect = |false_key: bool, true_key: bool| {
        let expected = [false_key, false_key, true_key, true_key];
        let found = branches();

        if found == expected && (FALSE.count() > 0, TRUE.count() > 0) == (false_key, true_key) {
            Ok(())
        } else {
            pr_err!("branches are {found:?}, not {expected:?}\n");
            Err(EINVAL)
        }
    };

    expect(false, true)?;
    FALSE.enable();
    expect(true, true)?;
    TRUE.disable();
    expect(true, false)?;
    FALSE.disable();
    expect(false, false)?;

    let first = FALSE.get()?;
    let second = FALSE.get()?;
    let other = TRUE.get()?;
    expect(true, true)?;
    drop(first);
    expect(true, true)?;
    drop(second);
    expect(false, true)?;
    drop(other);
    expect(false, false)?;
    TRUE.enable();
    expect(false, true)
}

struct TestRustTracepoint;

impl kernel::Module for TestRustTracepoint {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        check_keys()?;
        // SAFETY: The module is being loaded.
        to_result(unsafe { test_rust_tracepoint_check() })?;
        Ok(Self)
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Test of static keys and tracepoints in Rust.
//!
//! The functions of this file are called from `test_rust_tracepoint_check.c`, which checks that the
//! probes of their tracepoints are called.

use core::{
    str,
    sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering},
};
use kernel::{
    attach_probe,
    bindings::{cpumask, static_key_false, static_key_true, task_struct, timespec64},
    cpumask::Cpumask,
    error::to_result,
    ffi::{c_char, c_int, c_longlong, c_uint, c_ulong, c_void},
    jump_label::{StaticKeyFalse, StaticKeyTrue},
    prelude::*,
    static_branch_likely, static_branch_unlikely,
    trace_event::char_array,
    tracepoint::Probe,
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

    /// The names of a static, a function and a macro of C: the arguments are meant.
    unsafe fn test_c_names_tp(jiffies: c_ulong, dev_name: *const c_char, current: c_int);
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
    /// The Rust part of a C/Rust pair with `test_c_fields`.
    fn test_rust_fields(
        nr: u32,
        times: &[timespec64; 2],
        text: &[u8],
        mask: &[c_ulong; 2],
        cpus: &Cpumask,
        addr: &[u8],
    ),
    entry: {
        nr: u32,
        time: struct timespec64 = times[0],
        pair: [struct timespec64; 2] = *times,
        times: dynamic_array<struct timespec64> = &times[..nr as usize % 3],
        text: string,
        made: vstring = fmt!("{nr} is {}", str::from_utf8(text).unwrap_or("?")),
        mask: bitmask = &mask[..],
        cpus: cpumask,
        addr: sockaddr,
        tail: u8 = !nr as u8,
    },
    print: "nr=%u time=%lld.%09ld pair=%s times=%s text=%s made=%s mask=%s cpus=%s addr=%pISpc \
            tail=%u",
        nr, time.tv_sec, time.tv_nsec, hex(pair), hex_str(times), text, made, mask, cpus, addr,
        tail,
}

kernel::trace_event! {
    /// The Rust part of a C/Rust pair with `test_c_rel`.
    fn test_rust_rel(nr: u32, text: &str, mask: &[c_ulong; 2], cpus: &Cpumask, addr: &[u8]),
    entry: {
        text: rel_string,
        nr: u32,
        data: rel_dynamic_array<u32> = &[nr; 4][..nr as usize % 5],
        mask: rel_bitmask = &mask[..],
        cpus: rel_cpumask,
        addr: rel_sockaddr,
    },
    print: "text=%s nr=%u data=%s mask=%s cpus=%s addr=%pISpc",
        text, nr, array(data), mask, cpus, addr,
}

kernel::trace_event! {
    /// The Rust part of a C/Rust pair with `test_c_print`.
    fn test_rust_print(nr: u32, bytes: &[u8], mask: &[c_ulong; 2]),
    entry: {
        nr: u32,
        time: u64 = u64::from(nr) * 1_000_000_007,
        error: c_int = -((nr % 3) as c_int),
        pointer: *mut c_void = (-(nr as isize) - 1) as *mut c_void,
        mac: [u8; 6] = [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5]],
        pair: [u16; 2] = [nr as u16, !nr as u16],
        bytes: dynamic_array<u8>,
        mask: bitmask = &mask[..],
    },
    print: "str=%s dump=%s ph=%*ph phD=%*phD mac=%6phC len=%d bits=%*pbl error=%pe %pe dev=%u:%u \
            time=%llu.%09u %s sum=%u wide=%llu low=%s pair=%u,%u",
        hex_str(mac),
        hex_dump(bytes, "b ", offset, 16, 1, true),
        sized(bytes),
        sized(mac),
        mac,
        len(bytes),
        bits(mask),
        err_ptr(error),
        pointer,
        major(nr),
        minor(nr),
        ns_to_secs(time),
        ns_without_secs(time),
        if nr & 1 != 0 { "odd" } else if nr == 0 { "none" } else { "even" },
        nr * 2 + 1,
        (nr as u64) << 32,
        symbolic(nr & 3, { 0: "zero", 1: "one" }),
        pair[0],
        pair[1],
}

kernel::trace_event! {
    /// As `test_c_fn`, with functions for the first and the last probe.
    fn test_rust_fn(value: c_int),
    entry: { value: c_int },
    print: "value=%d", value,
    register: || {
        REGISTERED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    },
    unregister: || {
        REGISTERED.fetch_sub(1, Ordering::Relaxed);
    },
}

kernel::tracepoint! {
    /// As `test_c_bare`: a tracepoint without an event, for probes of other modules.
    #[export]
    unsafe fn test_rust_bare(value: c_int, task: *mut task_struct) if value != 4,
}

kernel::tracepoint! {
    /// A hook, in which a probe may change the value.
    fn test_rust_hook(order: u32, value: &mut u64, task: Option<&task_struct>),
}

/// Calls of the function behind `register` without one of that behind `unregister`.
static REGISTERED: AtomicI32 = AtomicI32::new(0);

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

const PAGE_MASK: u64 = !0xfff;
const SMALL: u64 = 4096;
const NEGATIVE: i64 = -1;
const PART: u32 = 100;

kernel::trace_event! {
    system: test_rust_tracepoint,

    /// Constants in the print format, whose types decide what is passed to C's `printf()`.
    fn test_rust_constants(value: u32),
    entry: {
        address: u64 = 0x1234_5678,
        value: u32 = value.wrapping_add(PART),
        name: string = "constants",
    },
    print: "page=%llx small=%llu negative=%lld shifted=%llu parts=%u,%u name=%s",
        address & PAGE_MASK, SMALL, NEGATIVE, 1u64 << 40, value / PART, value % 100, name,
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
        /// In no configuration, neither in C.
        #[cfg(any())]
        fn test_rust_left_out { print: "left out value=%llu", value },
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

/// Calls a tracepoint whose arguments have the names of other things of the kernel.
///
/// # Safety
///
/// `second` must point to a string.
#[no_mangle]
pub unsafe extern "C" fn test_rust_tracepoint_names(
    first: c_ulong,
    second: *const c_char,
    third: c_int,
) {
    // SAFETY: The caller guarantees that `second` is valid.
    unsafe { test_c_names_tp(first, second, third) }
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
    trace_test_rust_constants(value as u32);
}

/// Calls the events of pairs that are about kinds of fields and of print helpers.
///
/// # Safety
///
/// The arguments must point to as many elements as `test_rust_tracepoint.h` says, or as the
/// argument behind it.
#[no_mangle]
pub unsafe extern "C" fn test_rust_tracepoint_fields(
    nr: u32,
    times: &[timespec64; 2],
    text: *const u8,
    len: usize,
    mask: &[c_ulong; 2],
    cpus: *const cpumask,
    addr: *const u8,
    size: usize,
) {
    // SAFETY: The caller guarantees that these are the lengths, and that the mask is valid.
    let (text, addr, cpus) = unsafe {
        (
            core::slice::from_raw_parts(text, len.max(106)),
            core::slice::from_raw_parts(addr, size),
            Cpumask::from_raw(cpus),
        )
    };

    trace_test_rust_fields(nr, times, &text[..len], mask, cpus, addr);
    trace_test_rust_rel(
        nr,
        str::from_utf8(&text[..len]).unwrap_or("?"),
        mask,
        cpus,
        addr,
    );
    trace_test_rust_print(nr, &text[..6 + len % 100], mask);
}

/// Calls the event with functions for the first and the last probe.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_fn(value: c_int) {
    trace_test_rust_fn(value);
}

/// Calls the tracepoint without an event that is defined here.
///
/// # Safety
///
/// `task` must be what the probes expect.
#[no_mangle]
pub unsafe extern "C" fn test_rust_tracepoint_bare_rust(value: c_int, task: *mut task_struct) {
    // SAFETY: The caller guarantees that `task` is what the probes expect.
    unsafe { trace_test_rust_bare_tp(value, task) };
}

/// Calls the hook; returns what the probes made of `value`.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_hook(order: u32, mut value: u64) -> u64 {
    trace_test_rust_hook_tp(order, &mut value, None);
    value
}

/// What a probe in Rust has seen.
#[derive(Default)]
struct Seen {
    calls: AtomicU32,
    value: AtomicU64,
}

/// A probe of `test_c_bare` and `test_rust_bare`.
fn probe_bare(seen: &Seen, value: c_int, _task: *mut task_struct) {
    seen.calls.fetch_add(1, Ordering::Relaxed);
    seen.value.store(value as u64, Ordering::Relaxed);
}

/// A probe of `test_rust_hook`.
fn probe_hook(seen: &Seen, order: u32, value: &mut u64, task: Option<&task_struct>) {
    seen.calls.fetch_add(1, Ordering::Relaxed);
    if task.is_none() {
        *value <<= order;
    }
}

/// Attaches probes in Rust and calls their tracepoints.
fn check_probes() -> Result {
    let ensure = |right: bool| if right { Ok(()) } else { Err(EINVAL) };
    // SAFETY: The types of the arguments are those of the tracepoints. The probes do not look at
    // the task.
    let (c, rust, hook) = unsafe {
        (
            attach_probe!(test_c_bare_tp, probe_bare, Seen::default())?,
            attach_probe!(test_rust_bare_tp, probe_bare, Seen::default())?,
            attach_probe!(test_rust_hook_tp, probe_hook, Seen::default())?,
        )
    };
    let calls = |seen: &Seen| seen.calls.load(Ordering::Relaxed);

    // SAFETY: The probe does not look at the task.
    unsafe { test_rust_tracepoint_bare_rust(5, core::ptr::null_mut()) };
    ensure(calls(rust.data()) == 1 && rust.data().value.load(Ordering::Relaxed) == 5)?;
    ensure(calls(c.data()) == 0)?;
    // SAFETY: The probe does not look at the task.
    unsafe { test_rust_tracepoint_bare(6, core::ptr::null_mut()) };
    ensure(calls(c.data()) == 1 && c.data().value.load(Ordering::Relaxed) == 6)?;
    ensure(test_rust_tracepoint_hook(3, 5) == 40 && calls(hook.data()) == 1)?;

    // Several probes of a tracepoint are called through pointers, whose types CONFIG_CFI checks.
    // SAFETY: As above.
    let (second_c, second_hook) = unsafe {
        (
            attach_probe!(test_c_bare_tp, probe_bare, Seen::default())?,
            attach_probe!(
                test_rust_hook_tp,
                |seen: &Seen, _: u32, value: &mut u64, _: Option<&task_struct>| {
                    seen.calls.fetch_add(1, Ordering::Relaxed);
                    *value += 1;
                },
                Seen::default()
            )?,
        )
    };
    // SAFETY: As above.
    unsafe { test_rust_tracepoint_bare(7, core::ptr::null_mut()) };
    ensure(calls(c.data()) == 2 && second_c.data().value.load(Ordering::Relaxed) == 7)?;
    ensure(test_rust_tracepoint_hook(3, 5) == 41 && calls(second_hook.data()) == 1)?;
    drop((second_c, second_hook));

    // The data of probes with the same function is told apart even if it has no bytes.
    let empty = |(): &(), _: u32, value: &mut u64, _: Option<&task_struct>| *value += 100;
    // SAFETY: As above.
    let twice = unsafe {
        (
            attach_probe!(test_rust_hook_tp, empty, ())?,
            attach_probe!(test_rust_hook_tp, empty, ())?,
        )
    };

    ensure(test_rust_tracepoint_hook(3, 5) == 240)?;
    drop(twice);
    drop(hook);
    ensure(test_rust_tracepoint_hook(3, 5) == 5)?;
    drop(rust);
    ensure(!trace_test_rust_bare_tp_enabled() && !trace_test_rust_hook_tp_enabled())?;

    // A tracepoint of the kernel that is not exported, and one that does not exist.
    // SAFETY: The tracepoint has one argument, which the probe does not look at.
    let by_name = |name| unsafe { Probe::attach_by_name(name, probe_any, AtomicU32::new(0)) };

    drop(by_name(c"sched_process_free")?);
    ensure(by_name(c"test_no_such_tracepoint").is_err_and(|error| error == ENOENT))
}

/// A probe with one argument.
fn probe_any(calls: &AtomicU32, _task: *mut task_struct) {
    calls.fetch_add(1, Ordering::Relaxed);
}

/// Returns whether that event is registered.
#[no_mangle]
pub extern "C" fn test_rust_tracepoint_registered() -> c_int {
    REGISTERED.load(Ordering::Relaxed)
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
        check_probes().inspect_err(|_| pr_err!("a probe in Rust is not called as it should\n"))?;
        // SAFETY: The module is being loaded.
        to_result(unsafe { test_rust_tracepoint_check() })?;
        Ok(Self)
    }
}

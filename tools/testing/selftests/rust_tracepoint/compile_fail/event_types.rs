// SPDX-License-Identifier: GPL-2.0

//! Types that only the compiler knows.

use core::num::NonZeroU32;
use kernel::ffi::c_int;

/// Not for records.
#[derive(Clone, Copy)]
pub struct Pair(u32, u32);

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_struct(id: u32),
    entry: { pair: Pair = Pair(id, id) }, //~ ERROR: `Pair` cannot be the type of a field
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_assignment(id: u32),
    entry: { id: c_int = "one" }, //~ ERROR: mismatched types
    print: "id=%d", id,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_string(id: u32),
    entry: { name: string = id }, //~ ERROR: `u32` cannot be the value of a `string` field
    print: "name=%s", name,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_operands(id: u32, len: u64),
    entry: { id: u32, len: u64 },
    print: "sum=%llu", len + id, //~ ERROR: mismatched types
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_bitmask(id: u32),
    entry: { mask: bitmask = id }, //~ ERROR: cannot be the value of a `bitmask` field
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_cpumask(id: u32),
    entry: { mask: cpumask = &id }, //~ ERROR: mismatched types
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_register(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
    register: || 0, //~ ERROR: mismatched types
    unregister: || (),
}

mod alias {
    /// What C takes for the other one.
    #[allow(non_camel_case_types)]
    pub type u64 = core::primitive::u32;
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_alias(id: u32),
    entry: { id: alias::u64 = id }, //~ ERROR: mismatched types
    print: "id=%u", id,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_alias_of_elements(id: u32),
    entry: { ids: [alias::u64; 2] = [id; 2] }, //~ ERROR: mismatched types
    print: "nothing",
}

kernel::trace_event! { //~ ERROR: fields of a fixed size are limited to 512 bytes
    system: compile_fail,
    fn compile_fail_stack(id: u32),
    entry: { data: [u8; 600] = [id as u8; 600] },
    print: "nothing",
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_pointer(of: *mut u32), //~ ERROR: this needs an `unsafe fn`
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_bool(flag: &mut bool), //~ ERROR: this needs an `unsafe fn`
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_nonzero(of: Option<&mut NonZeroU32>), //~ ERROR: SafeArgument
}

// What these take is for the caller to ensure, or anything.
kernel::tracepoint! {
    system: compile_fail,
    unsafe fn compile_fail_bare_unsafe(of: *mut u32, flag: &mut bool, all: &mut NonZeroU32),
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_safe(of: &mut u32, ids: &mut [u8; 6], flag: &bool, no: Option<&mut i64>),
}

/// Calls one of those without `unsafe`.
pub fn call(of: *mut u32, flag: &mut bool, all: &mut NonZeroU32) {
    trace_compile_fail_bare_unsafe_tp(of, flag, all); //~ ERROR: is unsafe
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_slice(data: &[u8]), //~ ERROR: the trait `Sized` is not implemented
}

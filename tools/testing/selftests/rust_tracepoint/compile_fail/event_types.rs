// SPDX-License-Identifier: GPL-2.0

//! Types that only the compiler knows.

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

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_slice(data: &[u8]), //~ ERROR: the trait `Sized` is not implemented
}

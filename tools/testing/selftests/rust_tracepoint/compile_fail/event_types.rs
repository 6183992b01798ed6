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

// SPDX-License-Identifier: GPL-2.0

//! Conversions that are for another size or kind of number.

use kernel::ffi::c_char;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_wide(id: u64),
    entry: { id: u64 = id },
    print: "id=%u", id, //~ ERROR: does not fit
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_narrow(id: u32),
    entry: { id: u32 = id },
    print: "id=%llu", id, //~ ERROR: does not fit
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_number_for_string(id: u32),
    entry: { id: u32 = id },
    print: "id=%s", id, //~ ERROR: does not fit
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_text(id: u32),
    entry: { name: [c_char; 0] = [] }, //~ ERROR: a string array needs room for the NUL
    print: "%s", name,
}

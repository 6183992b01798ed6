// SPDX-License-Identifier: GPL-2.0

//! Print formats that do not match the fields.

// The checks must not be those of lints, which may be off.
#![allow(arithmetic_overflow, non_snake_case, unconditional_panic)]

use kernel::{
    bindings,
    ffi::c_char, //
};

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_field(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", number, //~ ERROR: `number` is not a field of `compile_fail_no_field`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_few(id: u32),
    entry: { id: u32 = id },
    print: "id=%u of %u", id, //~ ERROR: does not match the number of arguments
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_many(id: u32),
    entry: { id: u32 = id },
    print: "id", id, //~ ERROR: does not match the number of arguments
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_string_for_number(id: u32),
    entry: { name: string = c"name" },
    print: "name=%d", name, //~ ERROR: `name` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_expression(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id.wrapping_add(1), //~ ERROR: unsupported expression in `print:`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_expression_type(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id as u64 + 1, //~ ERROR: the value does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_without_else(id: u32),
    entry: { id: u32 },
    print: "%s", if id != 0 { "id" }, //~ ERROR: `if` needs an `else`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_index(id: u32),
    entry: { pair: [u16; 2] = [0; 2], id: u32 },
    print: "%u", pair[id as usize], //~ ERROR: the index must be an integer literal
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_out_of_bounds(id: u32),
    entry: { pair: [u16; 2] = [0; 2] },
    print: "%u", pair[2], //~ ERROR: index out of bounds
}

const NOTHING: u32 = 0;
const BEFORE: i32 = -1;
const BITS: u32 = 64;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_divided(len: u32, count: u32),
    entry: { len: u32, count: u32 },
    print: "%u", len / count, //~ ERROR: the right operand must be a literal or a constant
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_divided_by_field_with_a_name_like_a_constant(len: u32),
    entry: { len: u32, NOTHING: u32 = 0 },
    print: "%u", len % (NOTHING), //~ ERROR: the right operand must be a literal or a constant
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_divided_by_zero(len: u32),
    entry: { len: u32 },
    print: "%u", len / NOTHING, //~ ERROR: the divisor must be positive
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_divided_by_minus_one(len: i32),
    entry: { len: i32 },
    print: "%d", len % BEFORE, //~ ERROR: the divisor must be positive
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_shifted_by_field(len: u32, by: u32),
    entry: { len: u32, by: u32 },
    print: "%u", len >> by, //~ ERROR: the right operand must be a literal or a constant
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_shifted_too_far(len: u64),
    entry: { len: u64 },
    print: "%llu", len << BITS, //~ ERROR: shifts must be by 0 to 63 bits
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_compared(name: &core::ffi::CStr),
    entry: { name: string },
    print: "%d", name == "disk", //~ ERROR: strings and arrays cannot be operands
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_compared_arrays(id: u32),
    entry: { mac: [u8; 6] = [0; 6], id: u32 },
    print: "%s", if (mac) == mac { "all" } else { "" }, //~ ERROR: strings and arrays cannot be
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_sized(data: &[u8]),
    entry: { data: dynamic_array<u8> },
    print: "%*s", sized(data), //~ ERROR: `data` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_sized_mask(mask: &[usize]),
    entry: { mask: bitmask },
    print: "%*ph", sized(mask), //~ ERROR: `mask` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_dynamic_array(id: u32),
    entry: { mac: [u8; 6] = [0; 6] },
    print: "%s", dynamic_array(mac), //~ ERROR: `dynamic_array()` takes a `dynamic_array<T>`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_rel_dynamic_array(data: &[u8]),
    entry: { data: rel_dynamic_array<u8> },
    print: "%s", dynamic_array(data), //~ ERROR: `dynamic_array()` takes a `dynamic_array<T>`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_bits(data: &[u8]),
    entry: { data: dynamic_array<u8> },
    print: "%*pbl", bits(data), //~ ERROR: `bits()` cannot print this field: it takes a bitmap
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_hex_of_string(id: u32),
    entry: { name: string = c"name" },
    print: "%s", hex(name), //~ ERROR: `hex()` cannot print this field: it takes an array
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_hex_of_mask(mask: &[usize]),
    entry: { mask: bitmask },
    print: "%s", hex_str(mask), //~ ERROR: `hex_str()` cannot print this field: it takes an array
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_sockaddr(addr: &[u8]),
    entry: { addr: sockaddr },
    print: "%pI4", addr, //~ ERROR: `addr` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_wide(id: u32),
    entry: { mac: [u8; 6] = [0; 6] },
    print: "%7ph", mac, //~ ERROR: `mac` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_flags_of_text(id: u32),
    entry: { name: string = c"name" },
    print: "%s", flags(name, "|", { 1: "ONE" }), //~ ERROR: `flags()` and `symbolic()` take an
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_dump(data: &[u8]),
    entry: { data: dynamic_array<u8> },
    print: "%s", hex_dump(data, "", line, 16, 1, true), //~ ERROR: `none`, `address` or `offset`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_dump_pointer(at: *const c_char, data: &[u8]),
    entry: { at: *const c_char = at, data: dynamic_array<u8> },
    print: "%s", hex_dump(data, at, offset, 16, 1, true), //~ ERROR: expected a string literal
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_struct(time: bindings::timespec64),
    entry: { time: struct bindings::timespec64 },
    print: "%llu", time, //~ ERROR: structs cannot be printed
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_percent_n(id: u32),
    entry: { id: u32 = id },
    print: "id=%n", id, //~ ERROR: or has an unsupported conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_function(id: u32),
    entry: { id: u32 = id },
    print: "id=%s", words(id), //~ ERROR: unknown function `words`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_bytes_for_text(id: u32),
    entry: { mac: [u8; 6] = [0; 6] },
    print: "%s", mac, //~ ERROR: `mac` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_few_bytes(id: u32),
    entry: { mac: [u8; 5] = [0; 5] },
    print: "%pM", mac, //~ ERROR: `mac` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_follows(of: *const u8),
    entry: { of: *const u8 },
    print: "%pM", of, //~ ERROR: `of` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_address(of: *const u8),
    entry: { of: *const u8 },
    print: "%px", of, //~ ERROR: `of` does not fit its conversion
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_hex_string(id: u32, len: i32),
    entry: { mac: [u8; 6] = [0; 6], len: i32 },
    print: "%*ph", len, mac, //~ ERROR: `mac` does not fit its conversion
}

/// An event with a number.
macro_rules! number {
    ($name:ident, $format:literal) => {
        kernel::trace_event! {
            system: compile_fail,
            fn $name(id: u64),
            entry: { id: u64 = id },
            print: $format, id,
        }
    };
}

// What the kernel does not have; mark_format.rs has the same.
number!(compile_fail_qu, "%qu"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_zu, "%Zu"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_lc, "%lc"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_hs, "%hs"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_lp, "%lp"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_hhhd, "%hhhd"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_llld, "%llld"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_zzu, "%zzu"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_lhu, "%lhu"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_y, "%y"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_flags, "%5-d"); //~ ERROR: or has an unsupported conversion
number!(compile_fail_end, "%5"); //~ ERROR: or has an unsupported conversion

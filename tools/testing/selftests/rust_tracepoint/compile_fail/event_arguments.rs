// SPDX-License-Identifier: GPL-2.0

//! Events with arguments of all types. This must compile: probes see the fields only.

use kernel::{
    bindings::{atomic_t, pid_t, task_struct},
    ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void},
    prelude::KVec,
    str::CStr,
};

/// Nothing that C knows.
pub struct Mine(pub u8, pub u32);

macro_rules! events {
    ($($name:ident: $ty:ty,)*) => {$(
        kernel::trace_event! {
            system: compile_fail,
            fn $name(arg: $ty),
            entry: {},
            print: "nothing",
        }
    )*};
}

events! {
    compile_fail_bool: bool,
    compile_fail_i8: i8,
    compile_fail_u8: u8,
    compile_fail_i16: i16,
    compile_fail_u16: u16,
    compile_fail_i32: i32,
    compile_fail_u32: u32,
    compile_fail_i64: i64,
    compile_fail_u64: u64,
    compile_fail_isize: isize,
    compile_fail_usize: usize,
    compile_fail_char: c_char,
    compile_fail_int: c_int,
    compile_fail_uint: c_uint,
    compile_fail_long: c_long,
    compile_fail_ulong: c_ulong,
    compile_fail_typedef: pid_t,
    compile_fail_cstr: &CStr,
    compile_fail_no_cstr: Option<&CStr>,
    compile_fail_pointer: *const u32,
    compile_fail_pointer_mut: *mut pid_t,
    compile_fail_void: *mut c_void,
    compile_fail_to_pointer: *const *mut u8,
    compile_fail_to_void: *mut *const Mine,
    compile_fail_struct: *mut task_struct,
    compile_fail_struct_ref: &task_struct,
    compile_fail_typedef_ref: Option<&atomic_t>,
    compile_fail_array: &[u8; 6],
    compile_fail_arrays: *const [[u16; 2]; 3],
    compile_fail_mine: &Mine,
    compile_fail_no_mine: Option<&Mine>,
    compile_fail_mine_ptr: *mut Mine,
    compile_fail_mine_array: &[Mine; 2],
    compile_fail_slice: &[u32],
    compile_fail_slice_mine: &[Mine],
    compile_fail_slice_refs: &[&CStr],
    compile_fail_str: &str,
    compile_fail_value: Mine,
    compile_fail_closure: &dyn Fn() -> u32,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_nothing(),
    entry: {},
    print: "nothing",
}

// The condition uses what the event takes.
kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_moved(data: KVec<u8>, of: Mine) if !data.is_empty() && of.0 != 0,
    entry: { data: dynamic_array<u8> = &data[..], of: u32 = of.1 },
    print: "%s %u", hex(data), of,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_many(id: u64, name: &CStr, pair: &[u16; 2], data: &[u32], of: &Mine)
        if id != 0 && of.0 != 0,
    entry: {
        id: u64,
        name: string,
        pair: [u16; 2] = *pair,
        data: dynamic_array<u32>,
        of: u32 = of.1,
    },
    print: "%llu %s %s %s %u", id, name, array(pair), array(data), of,
}

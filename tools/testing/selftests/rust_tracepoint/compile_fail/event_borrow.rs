// SPDX-License-Identifier: GPL-2.0

//! A record is made from what all values borrow: no value may end a borrow of one before it.

use kernel::prelude::*;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_freed(data: KVec<u8>),
    entry: {
        data: dynamic_array<u8> = &data[..],
        len: usize = {
            drop(data); //~ ERROR: cannot move out of `data` because it is borrowed
            0
        },
    },
    print: "data=%s len=%zu", hex(data), len,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_written(data: &mut [u8]),
    entry: {
        data: dynamic_array<u8> = data,
        old: u8 = core::mem::take(&mut data[0]), //~ ERROR: cannot borrow `data[_]` as mutable
    },
    print: "data=%s old=%u", hex(data), old,
}

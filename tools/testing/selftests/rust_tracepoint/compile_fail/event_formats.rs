// SPDX-License-Identifier: GPL-2.0

//! Conversions that are the same for events and for markers. This must compile.

use kernel::{
    ffi::{c_char, c_long},
    mark,
};

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_formats(id: u32),
    entry: {
        tiny: i8 = id as i8,
        half: u16 = id as u16,
        id: u32,
        word: c_long = id as c_long,
        wide: u64 = id as u64,
        size: usize = id as usize,
    },
    print: "%hhd %hx %d %i %+u % 5x %#X %-8.3o %c %li %05lld %Lu %zu %td %%",
        tiny, half, id, id, id, id, id, id, id, word, wide, wide, size, size,
}

/// The same in a marker.
pub fn hit(id: u32) {
    mark!(
        compile_fail_formats,
        "%hhd %hx %d %i %+u % 5x %#X %-8.3o %c %li %05lld %Lu %zu %td %%",
        id as i8,
        id as u16,
        id,
        id,
        id,
        id,
        id,
        id,
        id,
        id as isize,
        id as u64,
        id as u64,
        id as usize,
        id as isize
    );
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_precisions(id: u32, width: i32),
    entry: {
        text: [c_char; 8] = [b'x'; 8],
        id: u32,
        width: i32,
        mac: [u8; 6] = [0; 6],
        address: *const u32 = core::ptr::null(),
    },
    print: "%s %.0s %.7s %-20.8s %.3s %*u %.*s %pM %p %pS", text, text, text, text,
        symbolic(id, { 0: "zero" }), width, id, width, text, mac, address, address,
}

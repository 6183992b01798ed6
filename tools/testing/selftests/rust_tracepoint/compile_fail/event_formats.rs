// SPDX-License-Identifier: GPL-2.0

//! Conversions that are the same for events and for markers. This must compile.

use kernel::{
    ffi::{c_int, c_long},
    mark,
    trace_event::TraceField,
};

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_formats(id: u32),
    entry: {
        tiny: i8 = id as i8,
        short: u16 = id as u16,
        id: u32 = id,
        long: c_long = id as c_long,
        wide: u64 = id as u64,
        size: usize = id as usize,
    },
    print: "%hhd %hx %d %i %+u % 5x %#X %-8.3o %c %li %05lld %Lu %zu %td %%",
        tiny, short, id, id, id, id, id, id, id, long, wide, wide, size, size,
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
    fn compile_fail_precisions(id: u32),
    entry: { text: [u8; 8] = [b'x'; 8], id: u32 = id },
    print: "%s %.0s %.7s %-20.8s %.3s", text, text, text, text, symbolic(id, { 0: "zero" }),
}

// The byte of a `bool` in a record may be any, so it must not be read as a `bool`.
const _: (fn(u8) -> c_int, fn(u8) -> u64) = (
    <bool as TraceField>::promote,
    <bool as TraceField>::into_u64,
);

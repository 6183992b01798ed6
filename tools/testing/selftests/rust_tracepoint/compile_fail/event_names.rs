// SPDX-License-Identifier: GPL-2.0

//! Names of the user that are like those inside the macros, and must not be taken for them.
//!
//! This must compile, and with the values that the assertions say.

#![allow(dead_code, non_snake_case, non_upper_case_globals)]

use core::{convert::Infallible as MaybeUninit, mem::size_of};
use kernel::{
    ffi::{c_char, c_ulong},
    str::CStr, //
};

/// Not the record of the event.
#[derive(Clone, Copy)]
pub struct Piece {
    len: u32,
    key: u8,
}

/// Nor a type of the kernel crate.
pub struct Argument(u64, u64, u64);

/// Nor any of these.
pub type Field = Infallible;
/// Nor this.
pub type Text = Infallible;
/// Nor this.
pub type Formatted = Infallible;
type Infallible = MaybeUninit;

const LEN: usize = 3;
const PIECES: u32 = 5;
const TEXT: u32 = 7;
const MAX_ARGS: u32 = 11;
const CAST: u32 = 13;
const DIGITS: u64 = 17;
const T: u32 = 19;

const fn is_field() -> u32 {
    23
}

const fn is_struct() -> u32 {
    29
}

const fn identity() -> u32 {
    31
}

const fn argument() -> u32 {
    37
}

const fn text_len() -> u32 {
    41
}

const fn text() -> u32 {
    43
}

const fn major() -> u32 {
    47
}

const fn err_ptr() -> u32 {
    53
}

/// Drivers that name a static as C or the macros do must be able to have events, too.
macro_rules! statics {
    ($($name:ident)*) => { $( static $name: u32 = 61; )* };
}

statics! {
    args event entry fields flags func call hit result register unregister shared size state
    symbolic trace enabled tracepoint value wanted
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_names(rec: &Piece, array: &[u8; LEN], name: &CStr, bytes: &[u8])
        if size_of::<Piece>() == 8 && rec.len != is_field() + LEN as u32,
    entry: {
        name: string,
        array: [u8; LEN] = {
            const _: () = assert!(size_of::<Argument>() == 24 && size_of::<Piece>() == 8);
            const _: () = assert!(LEN == 3);

            [rec.key; LEN]
        },
        label: [c_char; LEN] = [b'x'; LEN],
        elements: [c_ulong; LEN] = [0; LEN],
        item: u32 = {
            const SUM: u32 = PIECES + TEXT + MAX_ARGS + CAST + T + is_field() + is_struct()
                + identity() + argument() + text_len() + text() + major() + err_ptr();

            const _: () = assert!(SUM == 359);
            SUM
        },
        len: u32 = rec.len + args + event + entry + fields + flags + func + call + hit + result,
        other: u32 = register + unregister + shared + size + state + symbolic + trace,
        more: u32 = enabled + tracepoint + value + wanted,
        major: u32 = 1,
        minor: u32 = 2,
        err_ptr: i32 = -3,
        bytes: dynamic_array<u8>,
    },
    print: "%s %s %s %s %s %u %u %u %u %u %llu %pe %u %s", name, hex(array), label,
        array(elements), symbolic(item, { PIECES: "FIVE", TEXT: "SEVEN" }), len, other,
        more + PIECES, major(major), minor(minor), DIGITS, err_ptr(err_ptr), array[2], hex(bytes),
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_names(of: &mut u32, is_argument: u32) if is_argument != LEN as u32,
}

kernel::trace_event_class! {
    system: compile_fail,
    class Compile_Fail_Case(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id,
    events: {
        fn compile_fail_case { print: "%u", id },
        fn COMPILE_FAIL_CASE { print: "number=%u", id },
    },
}

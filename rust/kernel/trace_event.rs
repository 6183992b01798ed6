// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Trace events that are defined in Rust.
//!
//! [`trace_event!`] and [`trace_event_class!`] generate a `TRACE_EVENT()`, or a
//! `DECLARE_EVENT_CLASS()` with its `DEFINE_EVENT()`s, which is compiled as C: events are enabled,
//! recorded, filtered and printed by the code of the same macros as C events. The Rust code
//! consists of the site, one NOP, and of an out-of-line function that computes the fields.
//!
//! The text of the definition is stored in a section of the object, from which the build generates
//! `generated_<file>.h` and `generated_<file>.c`. See `Documentation/rust/tracepoints.rst`.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)
//!
//! [`trace_event!`]: crate::trace_event!
//! [`trace_event_class!`]: crate::trace_event_class!

use crate::{
    ffi::{c_char, c_int},
    printf::Argument,
    str::CStr,
};

/// Types of the fields of trace events, which have an equivalent type in C.
///
/// # Safety
///
/// `Self` must have the same layout and the same valid values as the C type that the macros use for
/// it.
///
/// # Guarantees
///
/// A value of `Self` may be read as the C type, and vice versa.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a field of a trace event",
    label = "unsupported type of a field",
    note = "supported are integers, `bool`, raw pointers, arrays of these, `string` and \
            `dynamic_array<T>`"
)]
pub unsafe trait Field: Copy {
    /// The kind of argument of `printf()`.
    #[doc(hidden)]
    const ARGUMENT: Argument;
}

macro_rules! impl_integers {
    ($($letter:literal: $($ty:ty),*;)*) => {$($(
        // SAFETY: The C type is the integer of this size and signedness, or `bool`.
        unsafe impl Field for $ty {
            const ARGUMENT: Argument = Argument::Integer($letter);
        }
    )*)*};
}

impl_integers! {
    'd': i8, u8, i16, u16, i32, u32, bool;
    'l': isize, usize;
    'L': i64, u64;
}

// SAFETY: A pointer to a sized type is a plain address in both languages.
unsafe impl<T> Field for *const T {
    const ARGUMENT: Argument = Argument::Address;
}

// SAFETY: As above.
unsafe impl<T> Field for *mut T {
    const ARGUMENT: Argument = Argument::Address;
}

/// Types that a field of the type `string` can be made from.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of a `string` field",
    label = "not a string",
    note = "a string is a `&CStr`, a `&str`, or an `Option` of these"
)]
pub trait Text<'a> {
    /// Returns the bytes, without a NUL at the end.
    #[doc(hidden)]
    fn bytes(self) -> &'a [u8];
}

impl<'a> Text<'a> for &'a CStr {
    #[inline(always)]
    fn bytes(self) -> &'a [u8] {
        self.to_bytes()
    }
}

impl<'a> Text<'a> for &'a str {
    #[inline(always)]
    fn bytes(self) -> &'a [u8] {
        self.as_bytes()
    }
}

impl<'a, T: Text<'a>> Text<'a> for Option<T> {
    #[inline(always)]
    fn bytes(self) -> &'a [u8] {
        // As C records NULL.
        self.map_or(b"(null)", T::bytes)
    }
}

/// Copies a string into a character array, for a field of the type `[c_char; N]`.
///
/// A longer string is truncated. The array is padded with NULs and always ends with one.
///
/// # Examples
///
/// ```
/// use kernel::trace_event::char_array;
///
/// assert_eq!(char_array::<4>(c"ab"), *b"ab\0\0");
/// assert_eq!(char_array::<4>(c"abcdef"), *b"abc\0");
/// ```
#[inline]
pub fn char_array<const N: usize>(string: &CStr) -> [c_char; N] {
    let mut array = [0; N];

    for (to, from) in array
        .iter_mut()
        .take(N.saturating_sub(1))
        .zip(string.to_bytes())
    {
        *to = *from as c_char;
    }
    array
}

/// A piece of the C text of a definition.
#[doc(hidden)]
pub enum Piece {
    /// Literal text.
    Text(&'static str),
    /// A number that is not known to the macro, but to the compiler.
    Number(i128),
}

/// Length of a [`Piece::Number`] in the text, independent of its value.
const DIGITS: usize = 20;

/// Returns the length of a text.
#[doc(hidden)]
pub const fn text_len(pieces: &[Piece]) -> usize {
    let mut len = 0;
    let mut nr = 0;

    while nr < pieces.len() {
        len += match pieces[nr] {
            Piece::Text(text) => text.len(),
            Piece::Number(_) => DIGITS,
        };
        nr += 1;
    }
    len
}

/// Concatenates the pieces of a text.
#[doc(hidden)]
pub const fn text<const LEN: usize>(pieces: &[Piece]) -> [u8; LEN] {
    let mut to = [b' '; LEN];
    let mut at = 0;
    let mut nr = 0;

    while nr < pieces.len() {
        match pieces[nr] {
            Piece::Text(text) => {
                let from = text.as_bytes();
                let mut i = 0;

                while i < from.len() {
                    to[at] = from[i];
                    at += 1;
                    i += 1;
                }
            }
            Piece::Number(number) => {
                let mut left = number.unsigned_abs();
                let mut digit = at + DIGITS - 1;

                // The digits are preceded by blanks. More digits than `DIGITS` are a compile error.
                loop {
                    to[digit] = b'0' + (left % 10) as u8;
                    left /= 10;
                    if left == 0 {
                        break;
                    }
                    digit -= 1;
                }
                if number < 0 {
                    to[digit - 1] = b'-';
                }
                at += DIGITS;
            }
        }
        nr += 1;
    }
    to
}

/// Checks that the value of a name in `symbolic()` or `flags()` fits into an `unsigned long`, its
/// type in C.
#[doc(hidden)]
pub const fn key(value: i128) -> i128 {
    assert!(
        -(1 << (c_int::BITS - 1)) <= value && value <= usize::MAX as i128,
        "the value of a name does not fit into an unsigned long"
    );
    value
}

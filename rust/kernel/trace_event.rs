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
//! `<file>.trace.h` and `<file>.trace.c`. See `Documentation/rust/tracepoints.rst`.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)
//!
//! [`trace_event!`]: crate::trace_event!
//! [`trace_event_class!`]: crate::trace_event_class!

use crate::{
    bindings,
    bitmap::Bitmap,
    cpumask::Cpumask,
    ffi::{c_char, c_int, c_ulong},
    printf::Argument,
    str::CStr,
};
use core::{
    fmt::{self, Write as _},
    marker::PhantomData,
    mem::MaybeUninit,
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
    note = "supported are integers, `bool`, raw pointers, `struct T`, arrays of these, \
            `string`, `vstring`, `bitmask`, `cpumask`, `sockaddr` and `dynamic_array<T>`"
)]
pub unsafe trait Field: Copy {
    /// The kind of argument of `printf()`.
    #[doc(hidden)]
    const ARGUMENT: Argument;

    /// What is in front of a constant in C, up to its digits; empty if there are none.
    #[doc(hidden)]
    const CAST: &'static str = "";
}

macro_rules! impl_integers {
    ($($letter:literal: $($ty:ty, $cast:literal),*;)*) => {$($(
        // SAFETY: The C type is the integer of this size and signedness, or `bool`.
        unsafe impl Field for $ty {
            const ARGUMENT: Argument = Argument::Integer($letter);
            const CAST: &'static str = $cast;
        }
    )*)*};
}

impl_integers! {
    'd': i8, "((s8)", u8, "((u8)", i16, "((s16)", u16, "((u16)", i32, "((s32)", u32, "((u32)",
        bool, "((bool)";
    'l': isize, "((ssize_t)", usize, "((size_t)";
    'L': i64, "((s64)", u64, "((u64)";
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
    note = "a string is a `&CStr`, a `&str`, a `&[u8]`, or an `Option` of these"
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

impl<'a> Text<'a> for &'a [u8] {
    #[inline(always)]
    fn bytes(self) -> &'a [u8] {
        self
    }
}

/// Returns whether a record can hold this number of elements: their size in bytes has 16 bits, of
/// which a string needs one byte more.
#[doc(hidden)]
#[inline(always)]
pub const fn fits<T>(len: usize) -> bool {
    len < u16::MAX as usize
        / if size_of::<T>() == 0 {
            1
        } else {
            size_of::<T>()
        }
}

/// The value of a field of the type `vstring`, formatted before any code of tracing runs.
#[doc(hidden)]
///
/// # Invariants
///
/// The first `len` bytes of `text` are initialized; `len` is at most [`Self::MAX`].
pub struct Formatted {
    text: [MaybeUninit<u8>; Self::MAX],
    len: usize,
}

impl Formatted {
    /// `TRACE_EVENT_STR_MAX`, without the NUL.
    const MAX: usize = 511;

    #[inline]
    pub fn new(value: fmt::Arguments<'_>) -> Self {
        // INVARIANT: The first 0 bytes are.
        let mut this = Self {
            text: [MaybeUninit::uninit(); Self::MAX],
            len: 0,
        };

        // An error says that the text is cut.
        let _ = this.write_fmt(value);
        this
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: By the type invariant, these bytes are initialized and within `text`.
        unsafe { core::slice::from_raw_parts(self.text.as_ptr().cast(), self.len) }
    }
}

impl fmt::Write for Formatted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let left = &mut self.text[self.len..];
        let len = text.len().min(left.len());

        for (to, from) in left.iter_mut().zip(text.bytes()) {
            to.write(from);
        }
        // INVARIANT: The loop has written `len` bytes behind those that were initialized.
        self.len += len;
        if len == text.len() {
            Ok(())
        } else {
            Err(fmt::Error)
        }
    }
}

/// The words of a bitmap, which another CPU may be changing.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Longs<'a> {
    first: *const c_ulong,
    len: usize,
    bitmap: PhantomData<&'a c_ulong>,
}

impl Longs<'_> {
    #[inline(always)]
    pub fn as_ptr(self) -> *const c_ulong {
        self.first
    }

    #[allow(clippy::len_without_is_empty)]
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len
    }
}

/// Types that a field of the type `bitmask` can be made from.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of a `bitmask` field",
    label = "not a bitmap",
    note = "a bitmap is a `&Bitmap` or a `&[c_ulong]`"
)]
pub trait Bits<'a> {
    /// Returns the words with the bits.
    #[doc(hidden)]
    fn longs(self) -> Longs<'a>;
}

impl<'a> Bits<'a> for &'a [c_ulong] {
    #[inline(always)]
    fn longs(self) -> Longs<'a> {
        Longs {
            first: self.as_ptr(),
            len: self.len(),
            bitmap: PhantomData,
        }
    }
}

impl<'a> Bits<'a> for &'a Bitmap {
    #[inline(always)]
    fn longs(self) -> Longs<'a> {
        Longs {
            first: self.as_ptr().cast(),
            len: self.len().div_ceil(c_ulong::BITS as usize),
            bitmap: PhantomData,
        }
    }
}

/// Returns the words of the value of a field of the type `cpumask`; C knows their number.
#[doc(hidden)]
#[inline(always)]
pub fn cpumask(value: &Cpumask) -> Longs<'_> {
    Longs {
        first: value.as_raw().cast_const().cast(),
        len: 0,
        bitmap: PhantomData,
    }
}

/// Returns the value of a field of the type `sockaddr`, or, if it is shorter than the addresses of
/// its family, which would be read behind its end, one of no family.
#[doc(hidden)]
#[inline]
pub fn sockaddr(value: &[u8]) -> &[u8] {
    const INET: u16 = bindings::AF_INET as u16;
    const INET6: u16 = bindings::AF_INET6 as u16;

    let least = match value {
        [first, second, ..] => match u16::from_ne_bytes([*first, *second]) {
            INET => 16,
            INET6 => 28,
            _ => 2,
        },
        _ => 2,
    };

    if value.len() < least {
        &[0; 2]
    } else {
        value
    }
}

/// Types of what is printed.
#[doc(hidden)]
pub trait Printed {
    /// The kind of argument of `printf()`.
    const ARGUMENT: Argument;
}

impl<T: Field> Printed for T {
    const ARGUMENT: Argument = <T as Field>::ARGUMENT;
}

impl Printed for &'static str {
    const ARGUMENT: Argument = Argument::Text;
}

/// Returns the kind of argument of an expression, in a function of the struct with all fields.
#[doc(hidden)]
pub const fn argument<S, T: Printed>(_: fn(&S) -> T) -> Argument {
    T::ARGUMENT
}

/// Returns what is in front of a constant of this type in C.
#[doc(hidden)]
#[inline]
pub const fn cast<T: Field>(_: fn() -> T) -> &'static str {
    T::CAST
}

/// Checks that an expression in `print:`, which C computes, can be divided by this number.
#[doc(hidden)]
#[inline]
pub const fn divisor(value: i128) {
    assert!(value > 0, "the divisor must be positive");
}

/// Checks that the bits of an expression in `print:` can be shifted by this number.
#[doc(hidden)]
#[inline]
pub const fn shift(value: i128) {
    assert!(0 <= value && value < 64, "shifts must be by 0 to 63 bits");
}

/// Limit for the size of the values of all fields, which are on the stack.
#[doc(hidden)]
pub const MAX_ARGS: usize = 512;

/// The functions of `print:`, for their types; C has the functions.
#[doc(hidden)]
pub mod print {
    use crate::ffi::c_void;

    pub fn major(_dev: u32) -> u32 {
        0
    }

    pub fn minor(_dev: u32) -> u32 {
        0
    }

    pub fn err_ptr<T: Into<i64>>(_error: T) -> *const c_void {
        core::ptr::null()
    }

    pub fn ns_to_secs(_time: u64) -> u64 {
        0
    }

    pub fn ns_without_secs(_time: u64) -> u32 {
        0
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
#[inline]
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
#[inline]
pub const fn key(value: i128) -> i128 {
    assert!(
        -(1 << (c_int::BITS - 1)) <= value && value <= usize::MAX as i128,
        "the value does not fit into an unsigned long"
    );
    value
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Markers: named places in the code that somebody may connect a probe to.
//!
//! [`mark!`] is what `MARK()` is in C. The markers of both languages are the same to whoever
//! connects a probe or an event to them.
//!
//! C header: [`include/linux/marker.h`](srctree/include/linux/marker.h)
//!
//! [`mark!`]: crate::mark

#[cfg(all(CONFIG_MARKERS, not(CONFIG_JUMP_LABEL)))]
use crate::jump_label::load_and_test;
#[cfg(CONFIG_MARKERS)]
use crate::types::Opaque;
use crate::{
    bindings,
    ffi::{c_char, c_int, c_long, c_longlong, c_void},
    str::CStr,
};
use core::marker::PhantomData;

/// What there is of a marker: the C side's `struct marker`.
#[cfg(CONFIG_MARKERS)]
#[doc(hidden)]
#[repr(transparent)]
pub struct Marker(Opaque<bindings::marker>);

// SAFETY: The marker is only accessed by the C side, which takes the locks that this needs.
#[cfg(CONFIG_MARKERS)]
unsafe impl Sync for Marker {}

#[cfg(CONFIG_MARKERS)]
impl Marker {
    /// Defines a marker, for the initializer of a `static` in the section `__markers`.
    pub const fn new(name: &'static CStr, format: &'static CStr) -> Self {
        Self(Opaque::new(bindings::marker {
            name: name.as_char_ptr(),
            format: format.as_char_ptr(),
            // SAFETY: This is a key that is off, and NULL for no probes.
            ..unsafe { core::mem::zeroed() }
        }))
    }

    /// Returns a pointer to what C knows.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *mut bindings::marker {
        self.0.get()
    }

    /// Tests whether the marker has probes.
    #[cfg(not(CONFIG_JUMP_LABEL))]
    #[inline(always)]
    pub fn is_enabled(&self) -> bool {
        // SAFETY: The marker is valid, and has a key.
        unsafe { load_and_test(core::ptr::addr_of!((*self.as_ptr()).key).cast()) }
    }
}

/// Whether this can be the name of a marker, which becomes that of an event.
#[doc(hidden)]
pub const fn is_name(name: &str) -> bool {
    let text = name.as_bytes();
    let mut at = 0;

    while at < text.len() {
        // A raw identifier, or one of other letters than those of C.
        if !text[at].is_ascii_alphanumeric() && text[at] != b'_' {
            return false;
        }
        at += 1;
    }
    text.len() < bindings::MARKER_MAX_NAME as usize
}

/// A number for the assembler to compare formats by.
///
/// This is FNV-1a, see <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
#[doc(hidden)]
pub const fn hash(format: &str) -> u32 {
    let text = format.as_bytes();
    let mut hash = 0x811c_9dc5_u32;
    let mut at = 0;

    while at < text.len() {
        hash = (hash ^ text[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    hash
}

/// There is no such argument.
#[doc(hidden)]
pub const NONE: char = '\0';

/// There is a conversion that the kernel does not have.
#[doc(hidden)]
pub const UNKNOWN: char = '?';

/// Returns the byte at a place, or zero.
const fn byte(text: &[u8], at: usize) -> u8 {
    if at < text.len() {
        text[at]
    } else {
        0
    }
}

/// Skips flags at the front of a conversion.
const fn skip_flags(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b'-' | b'+' | b' ' | b'#' | b'0') {
        at += 1;
    }
    at
}

/// Skips a number, or a star; the latter is counted.
const fn skip_number(text: &[u8], mut at: usize, stars: usize) -> (usize, usize) {
    if byte(text, at) == b'*' {
        return (at + 1, stars + 1);
    }
    while byte(text, at).is_ascii_digit() {
        at += 1;
    }
    (at, stars)
}

/// Parses a conversion; returns where it ends, its stars, and what its argument is.
const fn conversion(text: &[u8], start: usize) -> (usize, usize, char) {
    let (mut at, mut stars) = skip_number(text, skip_flags(text, start), 0);

    if byte(text, at) == b'.' {
        (at, stars) = skip_number(text, at + 1, stars);
    }

    let (length, integer) = match (byte(text, at), byte(text, at + 1)) {
        (b'h', b'h') => (2, 'd'),
        (b'h', _) => (1, 'd'),
        (b'l', b'l') => (2, 'L'),
        (b'L', _) => (1, 'L'),
        (b'l' | b'z' | b't', _) => (1, 'l'),
        _ => (0, 'd'),
    };

    at += length;
    let argument = match byte(text, at) {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => integer,
        _ if length != 0 => UNKNOWN,
        b'c' => 'd',
        b's' => 's',
        b'p' => 'p',
        _ => UNKNOWN,
    };

    at += 1;
    // What follows `%p` says what the pointer leads to.
    while argument == 'p' && byte(text, at).is_ascii_alphanumeric() {
        at += 1;
    }
    (at, stars, argument)
}

/// Returns what the format wants as its argument `index`.
///
/// This is a letter that there is a [`Conversion`] for.
#[doc(hidden)]
pub const fn argument(format: &str, mut index: usize) -> char {
    let text = format.as_bytes();
    let mut at = 0;

    while at < text.len() {
        if text[at] != b'%' {
            at += 1;
            continue;
        }
        if byte(text, at + 1) == b'%' {
            at += 2;
            continue;
        }

        let (end, stars, argument) = conversion(text, at + 1);

        if argument == UNKNOWN {
            return UNKNOWN;
        }
        if index < stars {
            return 'd';
        }
        if index == stars {
            return argument;
        }
        index -= stars + 1;
        at = end;
    }
    NONE
}

/// What is not passed, as the format is wrong, which is an error already.
#[doc(hidden)]
pub struct Ignored;

/// A letter that [`argument`] returns.
#[doc(hidden)]
pub struct Letter<const LETTER: char>;

/// What the letter stands for.
#[doc(hidden)]
pub trait Conversion {
    /// The type that C sees.
    type Passed;
}

macro_rules! impl_conversions {
    ($($letter:expr, $passed:ty;)*) => {$(
        impl Conversion for Letter<{ $letter }> {
            type Passed = $passed;
        }
    )*};
}

impl_conversions! {
    'd', c_int;
    'l', c_long;
    'L', c_longlong;
    's', *const c_char;
    'p', *const c_void;
    NONE, Ignored;
    UNKNOWN, Ignored;
}

mod private {
    /// Seals [`Argument`](super::Argument): only this module can name it.
    pub struct Token;
}

/// Types of the arguments of markers, which C sees as `P` for as long as `'a`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit its conversion in the format of the marker",
    label = "the conversion is for another type",
    note = "`%d`, `%u`, `%x`, `%c` and `*` take `i32`, `u32`, narrower integers and `bool`; with \
            `l`, `z` or `t` they take `isize` and `usize`, and with `ll` they take `i64` and `u64`",
    note = "`%s` takes `&CStr` and `Option<&CStr>`, `%p` takes raw pointers"
)]
pub trait Argument<'a, P> {
    /// Converts the argument to what C sees.
    #[doc(hidden)]
    fn pass(self, token: private::Token) -> P;
}

macro_rules! impl_integers {
    ($($passed:ty: $($ty:ty),*;)*) => {$($(
        impl Argument<'_, $passed> for $ty {
            #[inline(always)]
            fn pass(self, _: private::Token) -> $passed {
                self as $passed
            }
        }
    )*)*};
}

impl_integers! {
    c_int: i8, u8, i16, u16, i32, u32, bool;
    c_long: isize, usize;
    c_longlong: i64, u64;
}

macro_rules! impl_pointers {
    ($($pointer:ty),*) => {$(
        impl<T: ?Sized> Argument<'_, *const c_void> for $pointer {
            #[inline(always)]
            fn pass(self, _: private::Token) -> *const c_void {
                self.cast::<c_void>()
            }
        }
    )*};
}

impl_pointers!(*const T, *mut T);

impl<'a> Argument<'a, *const c_char> for &'a CStr {
    #[inline(always)]
    fn pass(self, _: private::Token) -> *const c_char {
        self.as_char_ptr()
    }
}

impl<'a> Argument<'a, *const c_char> for Option<&'a CStr> {
    #[inline(always)]
    fn pass(self, _: private::Token) -> *const c_char {
        self.map_or(core::ptr::null(), CStr::as_char_ptr)
    }
}

impl<T> Argument<'_, Ignored> for T {
    fn pass(self, _: private::Token) -> Ignored {
        Ignored
    }
}

/// An argument that fits its conversion; what it was made from is borrowed as long as it lives.
#[doc(hidden)]
pub struct Passed<'a, P>(P, PhantomData<&'a ()>);

impl<P> Passed<'_, P> {
    /// Returns what C sees.
    #[inline(always)]
    pub fn value(self) -> P {
        self.0
    }
}

/// Checks an argument.
#[doc(hidden)]
#[inline(always)]
pub fn check<'a, const LETTER: char, T>(
    _: Letter<LETTER>,
    argument: T,
) -> Passed<'a, <Letter<LETTER> as Conversion>::Passed>
where
    Letter<LETTER>: Conversion,
    T: Argument<'a, <Letter<LETTER> as Conversion>::Passed>,
{
    Passed(argument.pass(private::Token), PhantomData)
}

/// A place that a probe can be connected to.
///
/// The name is not in quotation marks and begins with that of the subsystem. The format, a string
/// literal, says what the arguments are, as for `printf()` in the kernel; the compiler checks that
/// they are:
///
/// | conversion                               | argument                                      |
/// |------------------------------------------|-----------------------------------------------|
/// | `%d`, `%i`, `%u`, `%x`, `%X`, `%o`, `%c` | [`i32`], [`u32`], narrower integers, [`bool`] |
/// | the same with `h` or `hh`, not `%c`      | the same                                      |
/// | with `l`, `z` or `t`                     | [`isize`], [`usize`]                          |
/// | with `ll` or `L`                         | [`i64`], [`u64`]                              |
/// | `%s`                                     | `&`[`CStr`], [`Option`]`<&`[`CStr`]`>`        |
/// | `%p`, `%pM` and all others like it       | `*const T`, `*mut T`                          |
/// | `*` as a width or precision              | as `%d`, before the argument to be printed    |
///
/// As long as nobody registers a probe this is a no-op, and the arguments are not evaluated.
/// Markers of the same name must have the same format: it is an error of the assembler if they do
/// not within a crate, and the kernel refuses to load a module if they do not.
///
/// Without `CONFIG_MARKERS`, this does nothing but check the arguments.
///
/// # Context
///
/// Any, NMI included. Where RCU is not watching, and on CPUs that are going offline, no probe is
/// called.
///
/// # Pointers
///
/// Any pointer will do: what an event records of it is read so that a bad address does no harm.
///
/// # Examples
///
/// ```
/// use kernel::{c_str, mark, str::CStr};
///
/// fn start(pid: i32, name: &CStr, mac: *const [u8; 6], size: usize) {
///     mark!(rust_doctest_start, "pid %d name %s mac %pM size %zu", pid, name, mac, size);
/// }
///
/// start(1, c_str!("init"), &[2, 0, 0, 0, 0, 1], 512);
/// mark!(rust_doctest_done, "nothing, 100%% of it");
/// ```
///
/// [`CStr`]: crate::str::CStr
#[macro_export]
macro_rules! mark {
    ($name:ident, $format:literal $(, $arg:expr)* $(,)?) => {{
        const _: () = {
            const FORMAT: &str = $format;
            const COUNT: usize = <[&str]>::len(&[$(stringify!($arg)),*]);

            ::core::assert!(
                $crate::marker::is_name(stringify!($name)),
                "the name of a marker must be a word in ASCII, shorter than MARKER_MAX_NAME"
            );
            ::core::assert!(
                $crate::marker::argument(FORMAT, usize::MAX) != $crate::marker::UNKNOWN,
                "the format of the marker has an unknown conversion"
            );
            ::core::assert!(
                $crate::marker::argument(FORMAT, COUNT) == $crate::marker::NONE,
                "the marker has fewer arguments than its format has conversions"
            );
            ::core::assert!(
                COUNT == 0
                    || $crate::marker::argument(FORMAT, COUNT - 1) != $crate::marker::NONE,
                "the marker has more arguments than its format has conversions"
            );
        };

        $crate::marker_site!($name, $format, $($arg,)*)
    }};
}

/// The record of a marker and its site.
#[doc(hidden)]
#[cfg(CONFIG_MARKERS)]
#[macro_export]
macro_rules! marker_site {
    ($name:ident, $format:literal, $($arg:expr,)*) => {{
        #[link_section = "__markers"]
        static __MARKER: $crate::marker::Marker =
            $crate::marker::Marker::new($crate::c_str!(stringify!($name)), $crate::c_str!($format));

        if $crate::marker_enabled!(__MARKER) {
            $crate::marker_agree!($name, $format);
            $crate::marker_hit!(__MARKER, $format, [], $($arg,)*);
        }
    }};
}

/// Without `CONFIG_MARKERS`, arguments are checked.
#[doc(hidden)]
#[cfg(not(CONFIG_MARKERS))]
#[macro_export]
macro_rules! marker_site {
    ($name:ident, $format:literal, $($arg:expr,)*) => {
        if false {
            $crate::marker_hit!($name, $format, [], $($arg,)*);
        }
    };
}

/// Tests whether a marker has probes.
#[doc(hidden)]
#[cfg(all(CONFIG_MARKERS, CONFIG_JUMP_LABEL))]
#[macro_export]
macro_rules! marker_enabled {
    ($marker:path) => {
        $crate::arch_static_branch!(
            "arch_static_branch_asm.rs",
            $marker,
            ::core::mem::offset_of!($crate::bindings::marker, key),
            0
        )
    };
}

/// Tests whether a marker has probes.
#[doc(hidden)]
#[cfg(all(CONFIG_MARKERS, not(CONFIG_JUMP_LABEL)))]
#[macro_export]
macro_rules! marker_enabled {
    ($marker:path) => {
        $marker.is_enabled()
    };
}

/// Has the assembler compare the format with that of the same name before, as C does.
///
/// This is outside of the straight path, and no code.
#[doc(hidden)]
#[cfg(CONFIG_MARKERS)]
#[macro_export]
macro_rules! marker_agree {
    ($name:ident, $format:literal) => {
        // SAFETY: There is no instruction in here.
        #[allow(unused_unsafe)]
        unsafe {
            ::core::arch::asm!(
                concat!(".ifndef .L__mark_", stringify!($name)),
                concat!(".set .L__mark_", stringify!($name), ", {hash}"),
                concat!(".elseif .L__mark_", stringify!($name), " - {hash}"),
                // The compiler does not say which place it comes from.
                concat!(
                    ".error \"marker ", stringify!($name), " in line ", line!(), " of ",
                    module_path!(), " has another format\""
                ),
                ".endif",
                hash = const $crate::marker::hash($format),
                options(nomem, nostack, preserves_flags),
            )
        };
    };
}

/// Evaluates the arguments of a marker one after the other, and calls its probes.
#[doc(hidden)]
#[macro_export]
macro_rules! marker_hit {
    ($marker:ident, $format:literal, [$($passed:ident)*],) => {
        $crate::marker_call!($marker, $($passed)*)
    };
    ($marker:ident, $format:literal, [$($passed:ident)*], $arg:expr, $($rest:expr,)*) => {
        // As in a call, what is temporary lives until the end.
        match $crate::marker::check(
            $crate::marker::Letter::<{
                $crate::marker::argument($format, <[&str]>::len(&[$(stringify!($passed)),*]))
            }>,
            $arg,
        ) {
            // This is another name than all those before.
            passed => {
                $crate::marker_hit!($marker, $format, [$($passed)* passed], $($rest,)*)
            }
        }
    };
}

/// Calls the probes of a marker.
#[doc(hidden)]
#[cfg(CONFIG_MARKERS)]
#[macro_export]
macro_rules! marker_call {
    ($marker:ident, $($passed:ident)*) => {{
        // SAFETY: The arguments are what the format says, and what they point to is borrowed.
        #[allow(unused_unsafe)]
        unsafe {
            $crate::bindings::__mark_hit($marker.as_ptr(), $($passed.value()),*)
        };
    }};
}

/// Without `CONFIG_MARKERS`, there is nothing to call.
#[doc(hidden)]
#[cfg(not(CONFIG_MARKERS))]
#[macro_export]
macro_rules! marker_call {
    ($marker:ident, $($passed:ident)*) => {{
        $( let _ = $passed.value(); )*
    }};
}

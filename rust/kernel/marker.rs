// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Markers: named hooks in the code that probes can be registered for.
//!
//! [`mark!`] is `MARK()` in Rust. Probes and events work identically on markers of both languages.
//!
//! C header: [`include/linux/marker.h`](srctree/include/linux/marker.h)
//!
//! [`mark!`]: crate::mark

use crate::{
    bindings,
    ffi::{c_char, c_int, c_long, c_longlong, c_void},
    printf,
    str::{CStr, CStrExt as _},
};
#[cfg(CONFIG_MARKERS)]
use crate::{str::as_char_ptr_in_const_context, types::Opaque};
use core::marker::PhantomData;

/// Wraps C's `struct marker`.
///
/// # Invariants
///
/// * `name` and `format` of the `struct marker` point to C strings that are valid for `'static`.
/// * Its key was initialized as disabled and its probes as NULL; only the C side modifies these.
#[cfg(CONFIG_MARKERS)]
#[doc(hidden)]
#[repr(transparent)]
pub struct Marker(Opaque<bindings::marker>);

#[cfg(CONFIG_MARKERS)]
// SAFETY: By the type invariants, only the C side modifies the marker, under its own locks.
unsafe impl Sync for Marker {}

#[cfg(CONFIG_MARKERS)]
impl Marker {
    /// Defines a marker, for the initializer of a `static` in the section `__markers`.
    pub const fn new(name: &'static CStr, format: &'static CStr) -> Self {
        // INVARIANT: Both strings are `'static`, and all other fields are zero.
        Self(Opaque::new(bindings::marker {
            name: as_char_ptr_in_const_context(name),
            format: as_char_ptr_in_const_context(format),
            // SAFETY: All zeroes is a disabled key, and NULL for no probes.
            ..unsafe { core::mem::zeroed() }
        }))
    }

    /// Returns a pointer to the `struct marker`.
    #[inline(always)]
    pub const fn as_ptr(&self) -> *mut bindings::marker {
        self.0.get()
    }
}

/// Returns whether this is valid as the name of a marker, which becomes an event name.
#[doc(hidden)]
pub const fn is_name(name: &str) -> bool {
    let text = name.as_bytes();
    let mut at = 0;

    while at < text.len() {
        // Reject raw identifiers and non-ASCII letters.
        if !text[at].is_ascii_alphanumeric() && text[at] != b'_' {
            return false;
        }
        at += 1;
    }
    text.len() < bindings::MARKER_MAX_NAME as usize
}

/// Returns a hash by which the assembler compares formats.
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

/// Stands for an argument without a valid conversion; that is reported as an error elsewhere.
#[doc(hidden)]
pub struct Ignored;

/// A letter returned by [`argument`](crate::printf::argument), as a type.
#[doc(hidden)]
pub struct Letter<const LETTER: char>;

/// The C type of a conversion.
#[doc(hidden)]
pub trait Conversion {
    /// The type that is passed to C.
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
    printf::NONE, Ignored;
    printf::UNKNOWN, Ignored;
}

mod private {
    /// Seals [`Argument`](super::Argument): only this module can name it.
    pub struct Token;
}

/// Types of the arguments of markers, which are passed to C as a `P` that is valid for `'a`.
///
/// # Guarantees
///
/// This trait is sealed, and all implementations are in this module. For a `P` of `*const c_char`,
/// `pass` returns NULL or a pointer to a NUL-terminated string that is valid for `'a`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not fit its conversion in the format of the marker",
    label = "the conversion is for another type",
    note = "`%d`, `%u`, `%x`, `%c` and `*` take `i32`, `u32`, narrower integers and `bool`; with \
            `l`, `z` or `t` they take `isize` and `usize`, and with `ll` they take `i64` and `u64`",
    note = "`%s` takes `&CStr` and `Option<&CStr>`, `%p` takes raw pointers"
)]
pub trait Argument<'a, P> {
    /// Converts the argument to the type that is passed to C.
    #[doc(hidden)]
    fn pass(self, token: private::Token) -> P;
}

macro_rules! impl_integers {
    ($($passed:ty: $($ty:ty),*;)*) => {$($(
        impl Argument<'_, $passed> for $ty {
            #[allow(clippy::cast_lossless)]
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

/// An argument that fits its conversion, and borrows for `'a` what it was made from.
///
/// # Invariants
///
/// The value is the result of [`Argument::pass`] of an argument with the lifetime `'a`.
#[doc(hidden)]
pub struct Passed<'a, P>(P, PhantomData<&'a ()>);

impl<P> Passed<'_, P> {
    /// Returns the value that is passed to C.
    #[inline(always)]
    pub fn value(self) -> P {
        self.0
    }
}

/// Checks that an argument fits its conversion, and converts it.
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
    // INVARIANT: The value is the result of `pass` of an argument with the lifetime `'a`.
    Passed(argument.pass(private::Token), PhantomData)
}

/// Defines a marker.
///
/// The name is written without quotation marks and begins with the name of the subsystem. The
/// format, a string literal, describes the arguments, as for `printf()` in the kernel. The compiler
/// checks their types:
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
/// As long as no probe is registered this is a NOP, and the arguments are not evaluated. Markers of
/// the same name must have the same format: within a crate the assembler checks this, across
/// modules the kernel leaves out, and logs, the marker that comes second.
///
/// Without `CONFIG_MARKERS`, this only checks the arguments.
///
/// # Context
///
/// Any, NMI included. No probe is called where RCU is not watching, or on a CPU that is going
/// offline.
///
/// # Pointers
///
/// A pointer need not be valid: events read the memory it points to with fault handling.
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
                $crate::printf::argument(FORMAT, usize::MAX) != $crate::printf::UNKNOWN,
                "the format of the marker has an unknown conversion"
            );
            ::core::assert!(
                $crate::printf::argument(FORMAT, COUNT) == $crate::printf::NONE,
                "the marker has fewer arguments than its format has conversions"
            );
            ::core::assert!(
                COUNT == 0
                    || $crate::printf::argument(FORMAT, COUNT - 1) != $crate::printf::NONE,
                "the marker has more arguments than its format has conversions"
            );
        };

        $crate::marker_site!($name, $format, $($arg,)*)
    }};
}

/// Defines the `struct marker` and its site.
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

/// Without `CONFIG_MARKERS`, only checks the arguments.
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
        // SAFETY: The marker is a valid static, and `key` is a static key.
        unsafe { $crate::jump_label::load_and_test((&raw const (*$marker.as_ptr()).key).cast()) }
    };
}

/// Makes the assembler compare the format with that of earlier markers of this name, as C does.
///
/// Emits no code.
#[doc(hidden)]
#[cfg(CONFIG_MARKERS)]
#[macro_export]
macro_rules! marker_agree {
    ($name:ident, $format:literal) => {
        // SAFETY: The assembly emits no instruction.
        #[allow(unused_unsafe)]
        unsafe {
            ::core::arch::asm!(
                concat!(".ifndef .L__mark_", stringify!($name)),
                concat!(".set .L__mark_", stringify!($name), ", {hash}"),
                concat!(".elseif .L__mark_", stringify!($name), " - {hash}"),
                // The compiler does not report the location.
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
        // As in a function call, temporaries live until the end of the statement.
        match $crate::marker::check(
            $crate::marker::Letter::<{
                $crate::printf::argument($format, <[&str]>::len(&[$(stringify!($passed)),*]))
            }>,
            $arg,
        ) {
            // By macro hygiene, each `passed` is a separate variable.
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
        // SAFETY: The arguments were checked against the format, and by the invariants of `Passed`
        // strings are valid during the call.
        #[allow(unused_unsafe)]
        unsafe {
            $crate::bindings::__mark_hit($marker.as_ptr(), $($passed.value()),*)
        };
        // No tail call, as in `MARK()`: the return address is that of the marker.
        // SAFETY: There is no instruction.
        #[allow(unused_unsafe)]
        unsafe {
            ::core::arch::asm!("", options(nomem, nostack, preserves_flags))
        };
    }};
}

/// Without `CONFIG_MARKERS`, only uses the arguments.
#[doc(hidden)]
#[cfg(not(CONFIG_MARKERS))]
#[macro_export]
macro_rules! marker_call {
    ($marker:ident, $($passed:ident)*) => {{
        $( let _ = $passed.value(); )*
    }};
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Tracepoints.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)

/// Tests whether a tracepoint, given as the path of its `static`, has probes: its site.
#[doc(hidden)]
#[cfg(all(CONFIG_TRACEPOINTS, CONFIG_JUMP_LABEL))]
#[macro_export]
macro_rules! tracepoint_enabled {
    ($tracepoint:path) => {{
        // Only a tracepoint has its key at this offset.
        let _: *const $crate::bindings::tracepoint = $crate::static_key_address!($tracepoint);

        $crate::arch_static_branch!(
            "arch_static_branch_asm.rs",
            $tracepoint,
            ::core::mem::offset_of!($crate::bindings::tracepoint, key),
            0
        )
    }};
}

/// Tests whether a tracepoint, given as the path of its `static`, has probes: its site.
#[doc(hidden)]
#[cfg(all(CONFIG_TRACEPOINTS, not(CONFIG_JUMP_LABEL)))]
#[macro_export]
macro_rules! tracepoint_enabled {
    ($tracepoint:path) => {{
        let tracepoint: *const $crate::bindings::tracepoint =
            $crate::static_key_address!($tracepoint);

        // SAFETY: A tracepoint is valid as long as its sites are, and has a key.
        unsafe { $crate::jump_label::load_and_test(::core::ptr::addr_of!((*tracepoint).key)) }
    }};
}

/// Without `CONFIG_TRACEPOINTS`, no tracepoint has probes.
#[doc(hidden)]
#[cfg(not(CONFIG_TRACEPOINTS))]
#[macro_export]
macro_rules! tracepoint_enabled {
    ($tracepoint:path) => {
        false
    };
}

/// Checks that RCU is watching, whether the tracepoint has probes or not.
///
/// With lockdep, a site that would be wrong once the tracepoint is enabled warns at once, as
/// sites in C do, unless the condition of the tracepoint is false. The condition is evaluated only
/// where it decides about a warning; that of an event in C is not known here and taken for true.
#[doc(hidden)]
#[inline(always)]
pub fn check_rcu(_condition: impl FnOnce() -> bool) {
    // SAFETY: Both functions may be called anywhere.
    #[cfg(all(CONFIG_TRACEPOINTS, CONFIG_LOCKDEP))]
    unsafe {
        if crate::bindings::tracepoint_lacks_rcu() && _condition() {
            crate::bindings::tracepoint_warn_rcu();
        }
    }
}

/// Declares tracepoints of C by hand, each checked against its prototype in C.
///
/// A declaration becomes a function that has the site of the tracepoint: when it is inlined, its
/// caller has the no-op, and when the tracepoint has probes, they are called. A second function,
/// `trace_<name>_enabled`, tells whether it has probes; use it around work that is done for the
/// tracepoint only.
///
/// The tracepoints must be known from [`include_tracepoints!`] in the same module. That macro
/// gives a function for each of them too, so declare those only that should look different: with
/// another name in front of a safe wrapper, documented, or public.
///
/// # Safety
///
/// The functions are `unsafe`: what the event makes of its arguments, for instance of a pointer,
/// stands in its `TP_fast_assign()` and in every probe. Where any argument will do, as with
/// numbers, put a safe function around it.
///
/// # Examples
///
/// ```ignore
/// kernel::include_tracepoints!(rust_print_events);
///
/// kernel::declare_trace! {
///     /// The module was loaded.
///     unsafe fn rust_sample_loaded(magic: c_int);
/// }
///
/// #[inline]
/// pub(crate) fn trace_rust_sample_loaded(magic: i32) {
///     // SAFETY: The event takes any number.
///     unsafe { rust_sample_loaded(magic as c_int) }
/// }
/// ```
///
/// [`include_tracepoints!`]: crate::include_tracepoints
#[macro_export]
macro_rules! declare_trace {
    ($(
        $(#[$attr:meta])*
        $vis:vis unsafe fn $name:ident($($arg:ident : $ty:ty),* $(,)?);
    )*) => {$( $crate::macros::paste! {
        $(#[$attr])*
        #[inline(always)]
        $vis unsafe fn $name($($arg: $ty),*) {
            // A mismatch here is one between this declaration and the event in C.
            const CALLEE: unsafe extern "C" fn($($ty),*) = [<rust_do_trace_ $name:span>];

            $crate::trace_site!([<__tracepoint_ $name:span>], CALLEE($($arg),*));
        }

        /// Whether the tracepoint has probes.
        #[allow(dead_code)]
        #[inline(always)]
        $vis fn [<trace_ $name _enabled>]() -> bool {
            $crate::tracepoint_enabled!([<__tracepoint_ $name:span>])
        }
    })*};
}

/// The site of a tracepoint within an unsafe function: the branch, and the call behind it.
#[doc(hidden)]
#[macro_export]
macro_rules! trace_site {
    ($tracepoint:ident, $callee:ident($($arg:ident),*)) => {
        if $crate::tracepoint_enabled!($tracepoint) {
            // SAFETY: The caller answers for the arguments.
            unsafe { $callee($($arg),*) }
        }
        $crate::tracepoint::check_rcu(|| true);
    };
}

/// Makes the tracepoints of a C file known, with their prototypes as C has them.
///
/// The argument is the name, without `.c`, of a file in the same directory that defines
/// `CREATE_RUST_TRACE_POINTS` and includes the headers of the events. For every tracepoint in
/// there, this gives two functions, as in C:
///
/// ```ignore
/// unsafe fn trace_<name>(...);
/// fn trace_<name>_enabled() -> bool;
/// ```
///
/// The names and types of the parameters come from the C headers; structs are those of
/// [`bindings`], or of the module that contains the macro where the kernel crate does not have
/// them. The functions are found in a module named as the file, and by their names alone; a
/// visibility in front of the file's name applies to both.
///
/// In the Makefile, a line says that the object with the macro needs the prototypes:
///
/// ```text
/// TRACEPOINTS_rust_print.o := rust_print_events.c
/// ```
///
/// See `Documentation/rust/tracepoints.rst`.
///
/// # Safety
///
/// As for [`declare_trace!`].
///
/// [`bindings`]: crate::bindings
/// [`declare_trace!`]: crate::declare_trace
#[macro_export]
macro_rules! include_tracepoints {
    ($vis:vis $file:ident) => {
        $vis mod $file {
            //! Tracepoints that are defined in C.
            #![allow(unused_imports)]

            use super::*;
            use $crate::bindings::*;

            include!(concat!(env!("OBJDIR"), "/generated_", stringify!($file), ".rs"));
        }

        #[allow(unused_imports)]
        $vis use $file::*;
    };
}

/// What the files of [`include_tracepoints!`](crate::include_tracepoints) contain.
#[doc(hidden)]
#[macro_export]
macro_rules! tracepoints_of_c {
    ($(extern "C" {
        $(#[$attr:meta])*
        pub fn $name:ident($($arg:ident : $ty:ty),* $(,)?);
    })*) => {$( $crate::macros::paste! {
        // As in the bindings: some structs are empty in some configurations.
        #[allow(improper_ctypes)]
        extern "C" {
            #[doc(hidden)]
            pub static mut [<__tracepoint_ $name:span>]: $crate::bindings::tracepoint;

            #[doc(hidden)]
            pub fn [<rust_do_trace_ $name:span>]($($arg: $ty),*);
        }

        /// Has a site of the tracepoint and calls its probes.
        ///
        /// # Safety
        ///
        /// The arguments must be what the event and its probes take them for.
        #[allow(dead_code, clippy::too_many_arguments)]
        #[inline(always)]
        pub unsafe fn [<trace_ $name>]($($arg: $ty),*) {
            $crate::trace_site!([<__tracepoint_ $name>], [<rust_do_trace_ $name>]($($arg),*));
        }

        /// Whether the tracepoint has probes.
        #[allow(dead_code)]
        #[inline(always)]
        pub fn [<trace_ $name _enabled>]() -> bool {
            $crate::tracepoint_enabled!([<__tracepoint_ $name:span>])
        }
    })*};
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2024 Google LLC.
// Copyright (C) 2026 The static-key tracepoints developers

//! Tracepoints.
//!
//! C header: [`include/linux/tracepoint.h`](srctree/include/linux/tracepoint.h)

use crate::transmute::FromBytes;

/// The site of a tracepoint: tests whether it has probes. The argument is the path of its `static`.
#[doc(hidden)]
#[cfg(CONFIG_TRACEPOINTS)]
#[macro_export]
macro_rules! tracepoint_enabled {
    ($tracepoint:path) => {{
        // SAFETY: A tracepoint is defined in C and outlives its sites.
        unsafe { $crate::static_branch_unlikely!($tracepoint, $crate::bindings::tracepoint, key) }
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

/// Checks that RCU is watching, even if the tracepoint is disabled.
///
/// With lockdep, a site where RCU is not watching warns, as sites in C do, unless the condition of
/// the tracepoint is false. The condition is evaluated only if RCU is not watching. The condition
/// of an event defined in C is not known in Rust, and taken for true.
#[doc(hidden)]
#[inline(always)]
pub fn check_rcu(_condition: impl FnOnce() -> bool) {
    // SAFETY: Both functions may be called anywhere.
    #[cfg(all(CONFIG_TRACEPOINTS, CONFIG_LOCKDEP))]
    unsafe {
        if !crate::bindings::tracepoint_rcu_is_watching() && _condition() {
            crate::bindings::tracepoint_warn_rcu();
        }
    }
}

/// Declares tracepoints of C by hand, each checked against its prototype in C.
///
/// A declaration becomes an inline function with the site of the tracepoint: the NOP is in its
/// caller, and the probes are called if the tracepoint is enabled. A second function,
/// `trace_<name>_enabled`, returns whether it has probes; use it around work that is needed for the
/// tracepoint only.
///
/// The tracepoint must be in the [`bindings`], which cover the headers that
/// `rust/bindings/bindings_helper.h` includes. [`include_tracepoints!`] needs neither that nor the
/// prototype; the two may be combined, for functions that should be documented, public or safe.
///
/// # Safety
///
/// The functions are `unsafe`: the caller must pass arguments that meet the requirements of the
/// `TP_fast_assign()` of the event and of all its probes, for instance valid pointers. If any
/// argument is valid, as for numbers, wrap the function in a safe one.
///
/// # Examples
///
/// ```
/// kernel::declare_trace! {
///     /// The module was loaded.
///     unsafe fn rust_sample_loaded(magic: kernel::ffi::c_int);
/// }
///
/// #[inline]
/// fn trace_rust_sample_loaded(magic: i32) {
///     // SAFETY: The event accepts any number.
///     unsafe { rust_sample_loaded(magic) }
/// }
/// ```
///
/// [`bindings`]: crate::bindings
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
            // The bindings are in scope where their names are meant, and not where the arguments
            // are named: an argument may have the name of one of their functions or statics. Names
            // that are not in the bindings come from the module of the declaration.
            #[cfg(CONFIG_TRACEPOINTS)]
            $crate::trace_site!(
                {
                    #[allow(unused_imports)]
                    use $crate::bindings::*;

                    $crate::tracepoint_enabled!([<__tracepoint_ $name:span>])
                },
                {
                    #[allow(unused_imports)]
                    use $crate::bindings::*;

                    [<rust_do_trace_ $name:span>]
                },
                ($($arg),*)
            );

            #[cfg(not(CONFIG_TRACEPOINTS))]
            {
                $( let _ = $arg; )*
            }
        }

        $(#[$attr])*
        ///
        /// Whether the tracepoint has probes.
        #[allow(dead_code)]
        #[inline(always)]
        $vis fn [<trace_ $name _enabled>]() -> bool {
            #[allow(unused_imports)]
            use $crate::bindings::*;

            $crate::tracepoint_enabled!([<__tracepoint_ $name:span>])
        }
    })*};
}

/// The site of a tracepoint in an unsafe function: the branch and the call of the probes.
#[doc(hidden)]
#[macro_export]
macro_rules! trace_site {
    ($enabled:expr, $callee:expr, ($($arg:ident),*)) => {
        if $enabled {
            let callee = $callee;

            // SAFETY: The caller of the enclosing unsafe function guarantees that the arguments are
            // valid.
            unsafe { callee($($arg),*) }
        }
        $crate::tracepoint::check_rcu(|| true);
    };
}

/// Declares the tracepoints of a C file, with their prototypes in C.
///
/// The argument is the name, without `.c`, of a file in the same directory that defines
/// `CREATE_RUST_TRACE_POINTS` and includes the headers of the events. For every tracepoint in that
/// file, this defines two functions, as in C:
///
/// ```ignore
/// unsafe fn trace_<name>(...);
/// fn trace_<name>_enabled() -> bool;
/// ```
///
/// The names and types of the parameters come from the C headers; structs are those of
/// [`bindings`], or of the module that contains the macro where the kernel crate does not have
/// them. The functions are in a module named after the file, and are re-exported from the current
/// module; a visibility in front of the name of the file applies to both.
///
/// The Makefile must state that the object with the macro needs the prototypes:
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

            include!(concat!(env!("OBJDIR"), "/", stringify!($file), ".tp.rs"));
        }

        #[allow(unused_imports)]
        $vis use $file::*;
    };
}

/// The content of the files of [`include_tracepoints!`](crate::include_tracepoints).
#[doc(hidden)]
#[macro_export]
macro_rules! tracepoints_of_c {
    ($(extern "C" {
        $(#[$attr:meta])*
        pub fn $name:ident($($arg:ident : $ty:ty),* $(,)?);
    })*) => {$( $crate::macros::paste! {
        // As for the bindings: some structs are empty in some configurations.
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
        /// The arguments must meet the requirements of the event and its probes.
        #[allow(dead_code, clippy::too_many_arguments)]
        #[inline(always)]
        pub unsafe fn [<trace_ $name>]($($arg: $ty),*) {
            $crate::trace_site!(
                $crate::tracepoint_enabled!([<__tracepoint_ $name>]),
                [<rust_do_trace_ $name>],
                ($($arg),*)
            );
        }

        /// Whether the tracepoint has probes.
        #[allow(dead_code)]
        #[inline(always)]
        pub fn [<trace_ $name _enabled>]() -> bool {
            $crate::tracepoint_enabled!([<__tracepoint_ $name:span>])
        }
    })*};
}

/// Types of the arguments of tracepoints without an event, and of probes.
///
/// # Safety
///
/// `Self` must have the layout of `C`, which must be the type that the macro uses in C. With
/// `CONFIG_CFI`, a probe is called only if its arguments have the types of C.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of an argument of a tracepoint without an event",
    label = "unsupported type of an argument",
    note = "supported are integers, `bool`, raw pointers, and references to types with a size"
)]
#[doc(hidden)]
pub unsafe trait TracepointArgument {
    /// The type in C.
    type C;

    /// Returns the argument of a probe.
    ///
    /// # Safety
    ///
    /// `value` must be a valid value of `Self`, for as long as the result exists.
    unsafe fn from_c(value: Self::C) -> Self;
}

macro_rules! impl_integers {
    ($($ty:ty)*) => {$(
        // SAFETY: The C type is the integer of this size and signedness, or `bool`.
        unsafe impl TracepointArgument for $ty {
            type C = Self;

            #[inline(always)]
            unsafe fn from_c(value: Self) -> Self {
                value
            }
        }
    )*};
}

impl_integers!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize bool);

macro_rules! impl_pointers {
    ($($ty:ty: $c:ty, $value:ident => $result:expr;)*) => {$(
        // SAFETY: A pointer or reference to a sized type is an address; `None` is NULL.
        unsafe impl<T> TracepointArgument for $ty {
            type C = $c;

            #[inline(always)]
            unsafe fn from_c($value: $c) -> Self {
                $result
            }
        }
    )*};
}

impl_pointers! {
    *const T: *const T, value => value;
    *mut T: *mut T, value => value;
    // SAFETY: The caller guarantees that the reference is valid.
    &T: *const T, value => unsafe { &*value };
    // SAFETY: As above.
    &mut T: *mut T, value => unsafe { &mut *value };
    // SAFETY: As above, unless it is NULL.
    Option<&T>: *const T, value => unsafe { value.as_ref() };
    // SAFETY: As above.
    Option<&mut T>: *mut T, value => unsafe { value.as_mut() };
}

/// Types of the arguments of a tracepoint without an event whose function is safe.
///
/// # Safety
///
/// A probe, which is C code, must be able to use any value of `Self` as it likes: what it refers to
/// is valid, and whatever is written there is valid.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of an argument of a safe tracepoint",
    label = "this needs an `unsafe fn`",
    note = "probes may use what a raw pointer points to, and write any bytes through a `&mut T`, \
            which are a valid `T` if it implements `FromBytes`"
)]
#[doc(hidden)]
pub unsafe trait SafeArgument: TracepointArgument {}

macro_rules! impl_safe {
    ($($ty:ty)*) => {$(
        // SAFETY: There is nothing that a probe could do with it but to read it.
        unsafe impl SafeArgument for $ty {}
    )*};
}

impl_safe!(i8 u8 i16 u16 i32 u32 i64 u64 isize usize bool);

// SAFETY: It is a pointer to `const` in C, and valid.
unsafe impl<T> SafeArgument for &T {}

// SAFETY: As above, or NULL.
unsafe impl<T> SafeArgument for Option<&T> {}

// SAFETY: It is valid, and any bytes that a probe writes are a `T`.
unsafe impl<T: FromBytes> SafeArgument for &mut T {}

// SAFETY: As above, or NULL.
unsafe impl<T: FromBytes> SafeArgument for Option<&mut T> {}

#[cfg(CONFIG_TRACEPOINTS)]
mod probe {
    use super::TracepointArgument;
    use crate::{
        alloc::{flags::GFP_KERNEL, KBox},
        bindings,
        error::{code::ENOENT, to_result, Result},
        ffi::c_void,
        str::{CStr, CStrExt as _},
    };
    use core::ptr;

    /// Functions that can be probes: their arguments are a reference to the data of the probe, and
    /// those of the tracepoint.
    ///
    /// # Safety
    ///
    /// The function at `address()` must have the signature of a probe in C whose arguments, behind
    /// the data, are [`TracepointArgument::C`] of `Args`. It must call `Self`.
    #[doc(hidden)]
    #[diagnostic::on_unimplemented(
        message = "this cannot be a probe with data of the type `{T}`",
        note = "a probe is a function, or a closure that captures nothing; its first argument is a \
                reference to the data, the others are those of the tracepoint"
    )]
    pub unsafe trait ProbeFn<T, Args>: Copy + Sync + 'static {
        /// Returns the address of the function that the tracepoint calls.
        fn address() -> *mut c_void;
    }

    macro_rules! impl_probe_fn {
        () => {};
        ($first:ident $($arg:ident)*) => {
            // SAFETY: `call` has these arguments, and calls `Func`.
            unsafe impl<T, Func, $first, $($arg),*> ProbeFn<T, ($first, $($arg,)*)> for Func
            where
                Func: Fn(&T, $first, $($arg),*) + Copy + Sync + 'static,
                $first: TracepointArgument,
                $($arg: TracepointArgument,)*
            {
                fn address() -> *mut c_void {
                    /// # Safety
                    ///
                    /// `data` must point to the data of the probe, and the other arguments must be
                    /// valid.
                    #[allow(non_snake_case)]
                    unsafe extern "C" fn call<T, Func, $first, $($arg),*>(
                        data: *mut c_void,
                        $first: $first::C,
                        $($arg: $arg::C),*
                    ) where
                        Func: Fn(&T, $first, $($arg),*) + Copy + Sync + 'static,
                        $first: TracepointArgument,
                        $($arg: TracepointArgument,)*
                    {
                        const { assert!(size_of::<Func>() == 0, "a probe must not capture") };
                        // SAFETY: `attach()` got a value of this type, which has no bytes, may be
                        // copied, and may be used by any CPU at any time.
                        let function = unsafe { ptr::NonNull::<Func>::dangling().as_ref() };

                        // SAFETY: The caller guarantees that all arguments are valid.
                        unsafe {
                            function(
                                &(*data.cast::<Data<T>>()).data,
                                $first::from_c($first),
                                $($arg::from_c($arg)),*
                            )
                        }
                    }

                    call::<T, Func, $first, $($arg),*> as *mut c_void
                }
            }

            impl_probe_fn!($($arg)*);
        };
    }

    impl_probe_fn!(A B C D E F G H I J K L);

    /// The data of a probe, which has an address of its own also if `T` has no bytes: a tracepoint
    /// tells probes with the same function apart by that.
    struct Data<T> {
        data: T,
        _byte: u8,
    }

    /// A probe in Rust, which is called by a tracepoint until it is dropped.
    ///
    /// Dropping it sleeps: it waits until no CPU is in the function any more.
    ///
    /// # Invariants
    ///
    /// The function is registered for the tracepoint, with the address of `data`.
    pub struct Probe<T: Send + Sync + 'static> {
        tracepoint: *mut bindings::tracepoint,
        function: *mut c_void,
        data: KBox<Data<T>>,
    }

    // SAFETY: Probes may be unregistered by any thread, and the data may be dropped by any.
    unsafe impl<T: Send + Sync> Send for Probe<T> {}

    // SAFETY: A shared reference gives access to the data only, which is `Sync`.
    unsafe impl<T: Send + Sync> Sync for Probe<T> {}

    impl<T: Send + Sync> Probe<T> {
        /// Registers a probe for a tracepoint; [`attach_probe!`](crate::attach_probe) is shorter.
        ///
        /// # Safety
        ///
        /// `tracepoint` must point to a tracepoint that exists as long as the result. The arguments
        /// of the function, apart from the first, must be those of its `TP_PROTO()`: a reference is
        /// a pointer to `const`, a mutable one a pointer that is not. What they refer to is
        /// valid during the call only, and the function must not keep it, also where its types
        /// would allow it, as `&'static T`. The function must be one that may be called where the
        /// tracepoint is. The result must be dropped before the module with the function is
        /// unloaded; in particular, it must not be forgotten.
        pub unsafe fn attach<F: ProbeFn<T, Args>, Args>(
            tracepoint: *mut bindings::tracepoint,
            _function: F,
            data: T,
        ) -> Result<Self> {
            let data = KBox::new(Data { data, _byte: 0 }, GFP_KERNEL)?;
            let function = F::address();

            // SAFETY: The caller guarantees that the tracepoint is valid and the function fits. The
            // data is dropped after the last call.
            to_result(unsafe {
                bindings::tracepoint_probe_register(
                    tracepoint,
                    function,
                    (&raw const *data).cast_mut().cast(),
                )
            })?;
            // INVARIANT: The function was registered just now.
            Ok(Self {
                tracepoint,
                function,
                data,
            })
        }

        /// As [`attach`](Self::attach), for a tracepoint of the kernel image, which is found by its
        /// name and need not be exported. That of a `DECLARE_TRACE()` ends with `_tp`.
        ///
        /// # Safety
        ///
        /// As for [`attach`](Self::attach).
        pub unsafe fn attach_by_name<F: ProbeFn<T, Args>, Args>(
            name: &CStr,
            function: F,
            data: T,
        ) -> Result<Self> {
            struct Search<'a> {
                name: &'a CStr,
                found: *mut bindings::tracepoint,
            }

            /// # Safety
            ///
            /// `search` must be that of [`attach_by_name`], of which nobody else has a reference.
            unsafe extern "C" fn compare(
                tracepoint: *mut bindings::tracepoint,
                search: *mut c_void,
            ) {
                // SAFETY: It is the address of `search` below, which nobody else refers to.
                let search = unsafe { &mut *search.cast::<Search<'_>>() };
                // SAFETY: Tracepoints of the kernel image are always valid, and so are their names.
                let name = unsafe { CStr::from_char_ptr((*tracepoint).name) };

                if name == search.name {
                    search.found = tracepoint;
                }
            }

            let mut search = Search {
                name,
                found: ptr::null_mut(),
            };

            // SAFETY: `compare` gets the address of `search`, and is not called afterwards.
            unsafe {
                bindings::for_each_kernel_tracepoint(Some(compare), (&raw mut search).cast())
            };
            if search.found.is_null() {
                return Err(ENOENT);
            }
            // SAFETY: The caller guarantees the rest.
            unsafe { Self::attach(search.found, function, data) }
        }

        /// Returns the data of the probe.
        pub fn data(&self) -> &T {
            &self.data.data
        }
    }

    impl<T: Send + Sync> Drop for Probe<T> {
        fn drop(&mut self) {
            // SAFETY: By the type invariant, this is registered. After the second call, no CPU is
            // in the function any more.
            unsafe {
                bindings::tracepoint_probe_unregister(
                    self.tracepoint,
                    self.function,
                    (&raw const *self.data).cast_mut().cast(),
                );
                bindings::tracepoint_synchronize_unregister();
            }
        }
    }
}

#[cfg(CONFIG_TRACEPOINTS)]
pub use probe::{Probe, ProbeFn};

/// Attaches a probe in Rust to a tracepoint of C or of Rust, by its name.
///
/// The tracepoint is one of this module or one that is exported, as by
/// `EXPORT_TRACEPOINT_SYMBOL_GPL()` or `#[export]`: then the module with the tracepoint cannot be
/// unloaded before this one. The value is a `Result<Probe<T>>`.
///
/// # Examples
///
/// ```ignore
/// fn boost(calls: &AtomicU32, order: u32, pages: &mut u32) { ... }
///
/// // SAFETY: These are the arguments of the tracepoint.
/// let probe = unsafe {
///     kernel::attach_probe!(rust_sample_hook_tp, boost, AtomicU32::new(0))
/// }?;
/// ```
#[macro_export]
macro_rules! attach_probe {
    ($tracepoint:ident, $function:expr, $data:expr $(,)?) => {
        $crate::macros::paste! {{
            extern "C" {
                static mut [<__tracepoint_ $tracepoint:span>]: $crate::bindings::tracepoint;
            }

            $crate::tracepoint::Probe::attach(
                &raw mut [<__tracepoint_ $tracepoint:span>],
                $function,
                $data,
            )
        }}
    };
}

#[doc(inline)]
pub use crate::{attach_probe, declare_trace, include_tracepoints};

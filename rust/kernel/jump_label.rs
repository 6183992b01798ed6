// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2024 Google LLC.
// Copyright (C) 2026 The static-key tracepoints developers

//! Static keys and static branches.
//!
//! A static branch costs one NOP while its key has the state it was defined with: enabling or
//! disabling a key patches the code of every branch on it. The branches themselves are
//! [`static_branch_unlikely!`] and [`static_branch_likely!`], for keys defined in C and in Rust
//! alike; [`StaticKeyFalse`] and [`StaticKeyTrue`] define keys in Rust.
//!
//! Each architecture defines the NOP and its entry in the jump table once, in `asm/jump_label.h`.
//! The build extracts them from there, see `Documentation/rust/static-keys.rst`.
//!
//! Without `CONFIG_JUMP_LABEL`, a branch loads and tests the count of its key.
//!
//! C header: [`include/linux/jump_label.h`](srctree/include/linux/jump_label.h)
//!
//! [`static_branch_unlikely!`]: crate::static_branch_unlikely
//! [`static_branch_likely!`]: crate::static_branch_likely

use crate::{
    bindings,
    error::{code::EOVERFLOW, Result},
    ffi::c_int,
    types::Opaque,
};

/// Types of static keys.
///
/// # Safety
///
/// * `Self` must have the layout of [`bindings::static_key`].
/// * Every key of this type must be defined with the state [`Self::INITIALLY_TRUE`], for which its
///   branches are built.
///
/// # Guarantees
///
/// A pointer to a key of this type may be cast to a pointer to [`bindings::static_key`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a static key",
    label = "not a static key",
    note = "static branches test statics of the types `StaticKeyFalse` and `StaticKeyTrue`, or of \
            their counterparts in C"
)]
pub unsafe trait Key {
    /// Whether the key is defined as enabled.
    const INITIALLY_TRUE: bool;
}

// SAFETY: `static_key_false` is the C type of keys that are defined as disabled; the `static_key`
// is its only member.
unsafe impl Key for bindings::static_key_false {
    const INITIALLY_TRUE: bool = false;
}

// SAFETY: As above.
unsafe impl Key for bindings::static_key_true {
    const INITIALLY_TRUE: bool = true;
}

/// A static key that is defined in Rust; use it as [`StaticKeyFalse`] or [`StaticKeyTrue`].
///
/// A key has a count and is enabled while the count is not zero. [`Self::get`] takes a count until
/// the result is dropped, for keys with several users. [`Self::enable`] and [`Self::disable`] set
/// the count to one and to zero, for keys with a single user; do not use both interfaces on the
/// same key.
///
/// All functions that change the state may sleep and must not be called with `cpus_read_lock()`
/// held. The change is complete on all CPUs when they return.
///
/// # Invariants
///
/// * The `static_key` was initialized with the state `INITIALLY_TRUE`.
/// * After that, only the C side modifies it.
///
/// # Examples
///
/// ```
/// use kernel::jump_label::StaticKeyFalse;
/// use kernel::{static_branch_likely, static_branch_unlikely};
///
/// static VERBOSE: StaticKeyFalse = StaticKeyFalse::new();
///
/// fn verbose() -> bool {
///     let unlikely = static_branch_unlikely!(VERBOSE);
///
///     assert_eq!(unlikely, static_branch_likely!(VERBOSE));
///     unlikely
/// }
///
/// assert!(!verbose());
/// VERBOSE.enable();
/// assert!(verbose());
/// VERBOSE.disable();
/// assert!(!verbose());
///
/// let first = VERBOSE.get()?;
/// let second = VERBOSE.get()?;
/// assert_eq!(VERBOSE.count(), 2);
/// drop(first);
/// assert!(verbose());
/// drop(second);
/// assert!(!verbose());
/// # Ok::<(), Error>(())
/// ```
#[repr(transparent)]
pub struct StaticKey<const INITIALLY_TRUE: bool>(Opaque<bindings::static_key>);

/// A static key that is defined as disabled, as with `DEFINE_STATIC_KEY_FALSE()` in C.
pub type StaticKeyFalse = StaticKey<false>;

/// A static key that is defined as enabled, as with `DEFINE_STATIC_KEY_TRUE()` in C.
///
/// # Examples
///
/// ```
/// use kernel::jump_label::StaticKeyTrue;
/// use kernel::{static_branch_likely, static_branch_unlikely};
///
/// static FAST_PATH: StaticKeyTrue = StaticKeyTrue::new();
///
/// assert!(static_branch_likely!(FAST_PATH));
/// FAST_PATH.disable();
/// assert!(!static_branch_likely!(FAST_PATH));
/// assert!(!static_branch_unlikely!(FAST_PATH));
/// FAST_PATH.enable();
/// assert!(static_branch_unlikely!(FAST_PATH));
/// ```
pub type StaticKeyTrue = StaticKey<true>;

// SAFETY: By the type invariants, only the C side modifies the key, under its own locks. Rust reads
// only the count, which is atomic.
unsafe impl<const INITIALLY_TRUE: bool> Sync for StaticKey<INITIALLY_TRUE> {}

// SAFETY: `Self` is a transparent wrapper of `bindings::static_key`, and by its type invariants the
// key was defined with the state `INITIALLY_TRUE`.
unsafe impl<const INITIALLY_TRUE: bool> Key for StaticKey<INITIALLY_TRUE> {
    const INITIALLY_TRUE: bool = INITIALLY_TRUE;
}

impl<const INITIALLY_TRUE: bool> StaticKey<INITIALLY_TRUE> {
    /// Defines a key, for the initializer of a `static`.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        // INVARIANT: The initial state is `INITIALLY_TRUE`, and only C functions get the pointer.
        Self(Opaque::new(bindings::static_key {
            enabled: bindings::atomic_t {
                counter: INITIALLY_TRUE as c_int,
            },
            // The initial state; later also the pointer to the jump entries of the key.
            #[cfg(CONFIG_JUMP_LABEL)]
            __bindgen_anon_1: bindings::static_key__bindgen_ty_1 {
                type_: INITIALLY_TRUE as crate::ffi::c_ulong,
            },
        }))
    }

    /// Enables the key if it is disabled.
    pub fn enable(&'static self) {
        // SAFETY: `self` is `'static`, so the key is valid until its module is removed.
        unsafe { bindings::static_key_enable(self.0.get()) }
    }

    /// Disables the key if it is enabled.
    pub fn disable(&'static self) {
        // SAFETY: As in `enable`.
        unsafe { bindings::static_key_disable(self.0.get()) }
    }

    /// Takes a count: the key is enabled at least until the result is dropped.
    ///
    /// # Errors
    ///
    /// [`EOVERFLOW`] if the count is at its maximum.
    pub fn get(&'static self) -> Result<StaticKeyRef> {
        // SAFETY: As in `enable`.
        if unsafe { bindings::static_key_slow_inc(self.0.get()) } {
            // INVARIANT: `static_key_slow_inc()` has taken a count.
            Ok(StaticKeyRef(&self.0))
        } else {
            Err(EOVERFLOW)
        }
    }

    /// Returns the count, which may change at any time.
    pub fn count(&self) -> i32 {
        // SAFETY: `self` is a valid key.
        unsafe { bindings::static_key_count(self.0.get()) }
    }
}

/// One count of a [`StaticKey`], released when it is dropped. Dropping may sleep.
///
/// # Invariants
///
/// `self` owns one count of the key, taken with `static_key_slow_inc()`.
#[must_use = "the key is disabled again when this is dropped"]
pub struct StaticKeyRef(&'static Opaque<bindings::static_key>);

// SAFETY: A count may be released by any thread.
unsafe impl Send for StaticKeyRef {}

// SAFETY: As above.
unsafe impl Sync for StaticKeyRef {}

impl Drop for StaticKeyRef {
    fn drop(&mut self) {
        // SAFETY: By the type invariants, `self` owns a count of a valid key.
        unsafe { bindings::static_key_slow_dec(self.0.get()) }
    }
}

/// Returns [`Key::INITIALLY_TRUE`] of the type of a key, at compile time.
#[doc(hidden)]
#[inline(always)]
pub const fn initially_true<K: Key>(_: *const K) -> bool {
    K::INITIALLY_TRUE
}

/// Makes a macro that takes the key of a C static `unsafe`.
///
/// # Safety
///
/// `_key` must point into a static that is defined in C.
#[doc(hidden)]
#[cfg(CONFIG_JUMP_LABEL)]
#[inline(always)]
pub unsafe fn key_of_c(_key: *const bindings::static_key_false) {}

/// Loads and tests the count of a key: a branch without `CONFIG_JUMP_LABEL`.
///
/// # Safety
///
/// `key` must point to a valid static key.
#[doc(hidden)]
#[cfg(not(CONFIG_JUMP_LABEL))]
#[inline(always)]
pub unsafe fn load_and_test(key: *const bindings::static_key) -> bool {
    // SAFETY: The caller guarantees that `key` is valid. The count is an `atomic_t`, so a volatile
    // read is not torn.
    unsafe { (&raw const (*key).enabled.counter).read_volatile() > 0 }
}

/// Expands to a static branch: a file with the assembly text, a static, the offset of the key in
/// it, and the state of the key for which the site is a NOP.
///
/// Evaluates to whether the site branches.
#[doc(hidden)]
#[cfg(all(CONFIG_JUMP_LABEL, not(testlib)))]
#[macro_export]
macro_rules! arch_static_branch {
    ($file:literal, $key:path, $offset:expr, $branch:literal) => {
        'branch: {
            // SAFETY: The text is a NOP or a jump to the label, and changes neither registers nor
            // flags nor memory. The callers of this macro check that the static has a static key at
            // this offset.
            #[allow(unused_unsafe)]
            unsafe {
                $crate::asm!(
                    include!(concat!(env!("OBJTREE"), "/rust/kernel/generated_", $file));
                    l_yes = label { break 'branch true },
                    symb = sym $key,
                    off = const $offset,
                    branch = const $branch,
                    options(nomem, nostack, preserves_flags),
                )
            };
            false
        }
    };
}

/// Host tests do not patch branches.
#[doc(hidden)]
#[cfg(all(CONFIG_JUMP_LABEL, testlib))]
#[macro_export]
macro_rules! arch_static_branch {
    ($file:literal, $key:path, $offset:expr, $branch:literal) => {
        false
    };
}

/// Tests a static key that is usually disabled.
///
/// The argument is the path of a `static`: a [`StaticKeyFalse`] or [`StaticKeyTrue`] of Rust, or a
/// `static_key_false` or `static_key_true` of C from the bindings. The result is a `bool`. With the
/// key disabled, the site is a NOP and falls through; the code for an enabled key is placed out of
/// line.
///
/// A key of C that is the field of a static is named by three arguments: the path of the static,
/// its type, and the field, which is a `static_key_false`. This form requires `unsafe`: the static
/// must be defined in C.
///
/// See [`StaticKey`] for an example.
///
/// [`StaticKey`]: crate::jump_label::StaticKey
/// [`StaticKeyFalse`]: crate::jump_label::StaticKeyFalse
/// [`StaticKeyTrue`]: crate::jump_label::StaticKeyTrue
#[cfg(CONFIG_JUMP_LABEL)]
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path) => {
        // Only one of the two is left by the compiler.
        if $crate::jump_label::initially_true($crate::static_key_address!($key)) {
            $crate::arch_static_branch!("arch_static_branch_jump_asm.rs", $key, 0usize, 0)
        } else {
            $crate::arch_static_branch!("arch_static_branch_asm.rs", $key, 0usize, 0)
        }
    };
    ($key:path, $keytyp:ty, $field:ident) => {{
        $crate::jump_label::key_of_c($crate::static_key_field!($key, $keytyp, $field));

        $crate::arch_static_branch!(
            "arch_static_branch_asm.rs",
            $key,
            ::core::mem::offset_of!($keytyp, $field),
            0
        )
    }};
}

/// Tests a static key that is usually enabled.
///
/// As [`static_branch_unlikely!`], but the code for an enabled key falls through.
///
/// [`static_branch_unlikely!`]: crate::static_branch_unlikely
#[cfg(CONFIG_JUMP_LABEL)]
#[macro_export]
macro_rules! static_branch_likely {
    ($key:path) => {
        // Only one of the two is left by the compiler.
        !(if $crate::jump_label::initially_true($crate::static_key_address!($key)) {
            $crate::arch_static_branch!("arch_static_branch_asm.rs", $key, 0usize, 1)
        } else {
            $crate::arch_static_branch!("arch_static_branch_jump_asm.rs", $key, 0usize, 1)
        })
    };
}

/// Tests a static key; without `CONFIG_JUMP_LABEL` this loads its count.
#[cfg(not(CONFIG_JUMP_LABEL))]
#[macro_export]
macro_rules! static_branch_unlikely {
    ($key:path) => {{
        let key = $crate::static_key_address!($key);
        let _ = $crate::jump_label::initially_true(key);

        // SAFETY: `initially_true` requires `Key`, so `key` points to a static key.
        unsafe { $crate::jump_label::load_and_test(key.cast()) }
    }};
    ($key:path, $keytyp:ty, $field:ident) => {
        $crate::jump_label::load_and_test($crate::static_key_field!($key, $keytyp, $field).cast())
    };
}

/// Tests a static key; without `CONFIG_JUMP_LABEL` this loads its count.
#[cfg(not(CONFIG_JUMP_LABEL))]
#[macro_export]
macro_rules! static_branch_likely {
    ($key:path) => {
        $crate::static_branch_unlikely!($key)
    };
}

/// Returns the address of a static, which may be `extern`.
#[doc(hidden)]
#[macro_export]
macro_rules! static_key_address {
    ($key:path) => {{
        // SAFETY: The static is not read. (Not needed since Rust 1.82.)
        #[allow(unused_unsafe)]
        unsafe {
            &raw const $key
        }
    }};
}

/// Returns the address of a C key that is a field of a static of type `$keytyp`.
#[doc(hidden)]
#[macro_export]
macro_rules! static_key_field {
    ($key:path, $keytyp:ty, $field:ident) => {{
        let outer: *const $keytyp = $crate::static_key_address!($key);
        // SAFETY: The field is in bounds of the static, which is not read.
        #[allow(unused_unsafe)]
        let field = unsafe { &raw const (*outer).$field };
        let field: *const $crate::bindings::static_key_false = field;

        field
    }};
}

#[doc(inline)]
pub use crate::{static_branch_likely, static_branch_unlikely};

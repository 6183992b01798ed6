// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Static keys and static branches.
//!
//! A static branch costs one no-op while its key has the state it was defined with: enabling or
//! disabling a key patches the code of every branch on it. The branches themselves are
//! [`static_branch_unlikely!`] and [`static_branch_likely!`], for keys defined in C and in Rust
//! alike; [`StaticKeyFalse`] and [`StaticKeyTrue`] define keys in Rust.
//!
//! What the no-op and its entry in the jump table look like is written down once per architecture,
//! in `asm/jump_label.h`. The build takes it from there, see `Documentation/rust/static-keys.rst`.
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
    types::Opaque,
};

/// Types of static keys.
///
/// # Safety
///
/// `Self` must have the layout of [`bindings::static_key`], and a key of this type must have been
/// defined with the state [`Self::INITIALLY_TRUE`]: at boot, every branch is taken to be in the
/// state that belongs to it.
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

// SAFETY: In C, this is what the type stands for, and the key is its only member.
unsafe impl Key for bindings::static_key_false {
    const INITIALLY_TRUE: bool = false;
}

// SAFETY: As above.
unsafe impl Key for bindings::static_key_true {
    const INITIALLY_TRUE: bool = true;
}

/// A static key that is defined in Rust; use it as [`StaticKeyFalse`] or [`StaticKeyTrue`].
///
/// A key counts: it is enabled as long as its count is not zero. [`Self::get`] adds to the count
/// for as long as the result lives, which suits a key with several users. [`Self::enable`] and
/// [`Self::disable`] set the count to one and to zero, which suits a key with a single switch; the
/// two ways are not for the same key.
///
/// All functions that change the state may sleep and must not be called with
/// `cpus_read_lock()` held. The change is complete on all CPUs when they return.
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

// SAFETY: The key is only accessed through the functions of the C side, which take the locks that
// this needs, and by volatile reads of its count.
unsafe impl<const INITIALLY_TRUE: bool> Sync for StaticKey<INITIALLY_TRUE> {}

// SAFETY: The type is a transparent wrapper of `bindings::static_key`, and `new` is the only way
// to define one.
unsafe impl<const INITIALLY_TRUE: bool> Key for StaticKey<INITIALLY_TRUE> {
    const INITIALLY_TRUE: bool = INITIALLY_TRUE;
}

impl<const INITIALLY_TRUE: bool> StaticKey<INITIALLY_TRUE> {
    /// Defines a key, for the initializer of a `static`.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self(Opaque::new(bindings::static_key {
            enabled: bindings::atomic_t {
                counter: INITIALLY_TRUE as _,
            },
            // The state that the code was built for; later, the key's list of branches.
            #[cfg(CONFIG_JUMP_LABEL)]
            __bindgen_anon_1: bindings::static_key__bindgen_ty_1 {
                type_: INITIALLY_TRUE as _,
            },
        }))
    }

    /// Enables the key if it is disabled.
    pub fn enable(&'static self) {
        // SAFETY: The key is valid for ever, or until its module has gone.
        unsafe { bindings::static_key_enable(self.0.get()) }
    }

    /// Disables the key if it is enabled.
    pub fn disable(&'static self) {
        // SAFETY: As in `enable`.
        unsafe { bindings::static_key_disable(self.0.get()) }
    }

    /// Enables the key until the result is dropped, however many others do the same.
    ///
    /// # Errors
    ///
    /// [`EOVERFLOW`] if the count is at its maximum.
    pub fn get(&'static self) -> Result<StaticKeyRef> {
        // SAFETY: As in `enable`.
        if unsafe { bindings::static_key_slow_inc(self.0.get()) } {
            Ok(StaticKeyRef(&self.0))
        } else {
            Err(EOVERFLOW)
        }
    }

    /// Returns the count. It may have changed by the time it is looked at.
    pub fn count(&self) -> i32 {
        // SAFETY: `self` is a valid key.
        unsafe { bindings::static_key_count(self.0.get()) }
    }
}

/// One count of a [`StaticKey`], given back when it is dropped. Dropping may sleep.
#[must_use = "the key is disabled again when this is dropped"]
pub struct StaticKeyRef(&'static Opaque<bindings::static_key>);

// SAFETY: Any thread may give back a count, and there is nothing else to do with a reference.
unsafe impl Send for StaticKeyRef {}

// SAFETY: As above.
unsafe impl Sync for StaticKeyRef {}

impl Drop for StaticKeyRef {
    fn drop(&mut self) {
        // SAFETY: The count was taken in `StaticKey::get`, and the key is valid as said there.
        unsafe { bindings::static_key_slow_dec(self.0.get()) }
    }
}

/// Whether the key is of a type that is defined as enabled; the compiler knows the answer.
#[doc(hidden)]
#[inline(always)]
pub const fn initially_true<K: Key>(_: *const K) -> bool {
    K::INITIALLY_TRUE
}

/// Loads and tests a key, as branches do without `CONFIG_JUMP_LABEL`.
///
/// # Safety
///
/// `key` must point to a valid static key.
#[doc(hidden)]
#[cfg(not(CONFIG_JUMP_LABEL))]
#[inline(always)]
pub unsafe fn load_and_test(key: *const bindings::static_key) -> bool {
    // SAFETY: The caller says that `key` is valid. The count is atomic: other CPUs write it whole.
    unsafe { core::ptr::addr_of!((*key).enabled.counter).read_volatile() > 0 }
}

/// Joins string literals that stand side by side, as the preprocessor of C leaves them.
#[doc(hidden)]
#[macro_export]
macro_rules! concat_literals {
    ($($text:literal)*) => { ::core::concat!($($text),*) };
}

/// Places a static branch: a text, a key within a static, and the state that is the no-op.
///
/// The label's block is where the branch goes to.
#[doc(hidden)]
#[cfg(CONFIG_JUMP_LABEL)]
#[macro_export]
macro_rules! arch_static_branch_text {
    ($file:literal, $key:path, $offset:expr, $branch:literal, $($option:ident),*) => {
        'branch: {
            // SAFETY: The text is a no-op or a jump to the label, and changes neither registers
            // nor flags nor memory. The macros that lead here check that the static has a static
            // key at this offset.
            #[allow(unused_unsafe)]
            unsafe {
                ::core::arch::asm!(
                    include!(concat!(env!("OBJTREE"), "/rust/kernel/", $file)),
                    l_yes = label { break 'branch true },
                    symb = sym $key,
                    off = const $offset,
                    branch = const $branch,
                    options(nomem, nostack, preserves_flags $(, $option)*),
                )
            };
            false
        }
    };
}

/// Places a static branch with the assembler syntax of the architecture's header.
#[doc(hidden)]
#[cfg(all(CONFIG_JUMP_LABEL, CONFIG_X86))]
#[macro_export]
macro_rules! arch_static_branch {
    ($($arg:tt)*) => { $crate::arch_static_branch_text!($($arg)*, att_syntax) };
}

/// Places a static branch with the assembler syntax of the architecture's header.
#[doc(hidden)]
#[cfg(all(CONFIG_JUMP_LABEL, not(CONFIG_X86)))]
#[macro_export]
macro_rules! arch_static_branch {
    ($($arg:tt)*) => { $crate::arch_static_branch_text!($($arg)*,) };
}

/// Tests a static key whose being enabled is the unusual case.
///
/// The argument is the path of a `static`: a [`StaticKeyFalse`] or [`StaticKeyTrue`] of Rust, or a
/// `static_key_false` or `static_key_true` of C from the bindings. The result is a `bool`. The
/// usual path, with the key disabled, is a no-op and falls through; only the code for a key that
/// is enabled is placed out of line.
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
}

/// Tests a static key whose being enabled is the usual case.
///
/// As [`static_branch_unlikely!`], but the code for a key that is enabled falls through.
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

        // SAFETY: The line above compiles for static keys only.
        unsafe { $crate::jump_label::load_and_test(key.cast()) }
    }};
}

/// Tests a static key; without `CONFIG_JUMP_LABEL` this loads its count.
#[cfg(not(CONFIG_JUMP_LABEL))]
#[macro_export]
macro_rules! static_branch_likely {
    ($key:path) => {
        $crate::static_branch_unlikely!($key)
    };
}

/// The address of a static, which may be an `extern` one.
#[doc(hidden)]
#[macro_export]
macro_rules! static_key_address {
    ($key:path) => {{
        // SAFETY: Nothing is read. (Since Rust 1.82 this needs no `unsafe`.)
        #[allow(unused_unsafe)]
        unsafe {
            ::core::ptr::addr_of!($key)
        }
    }};
}

// SPDX-License-Identifier: GPL-2.0

//! Arguments with names of the bindings. This must compile, and must pass the arguments.

#![deny(unused_variables)]

use kernel::ffi::{c_char, c_int, c_ulong};

kernel::include_tracepoints!(events);

kernel::declare_trace! {
    /// `jiffies` is a static of C, `dev_name` a function, `current` a macro.
    pub unsafe fn compile_fail_names(jiffies: c_ulong, dev_name: *const c_char, current: c_int);
}

/// Calls the tracepoint.
pub fn call() {
    // SAFETY: The event stores the address only.
    unsafe { compile_fail_names(1, c"disk".as_ptr().cast(), 2) }
}

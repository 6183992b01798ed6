// SPDX-License-Identifier: GPL-2.0

//! The declaration has another type than C.

use kernel::{bindings::task_struct, ffi::c_long};

kernel::include_tracepoints!(events);

kernel::declare_trace! { //~ ERROR: mismatched types
    unsafe fn compile_fail_event(a: c_long, b: *mut task_struct);
}

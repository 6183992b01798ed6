// SPDX-License-Identifier: GPL-2.0

//! The argument has another type than C.

use kernel::bindings::task_struct;

kernel::include_tracepoints!(events);

/// Calls it.
pub fn call(task: *mut task_struct) {
    // SAFETY: This does not compile.
    unsafe { trace_compile_fail_event("one", task) }; //~ ERROR: mismatched types
}

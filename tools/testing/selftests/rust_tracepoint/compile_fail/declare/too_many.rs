// SPDX-License-Identifier: GPL-2.0

//! There is one argument more than in C.

use kernel::bindings::task_struct;

kernel::include_tracepoints!(events);

/// Calls it.
pub fn call(task: *mut task_struct) {
    // SAFETY: This does not compile.
    unsafe { trace_compile_fail_event(1, task, 2) }; //~ ERROR: takes 2 arguments but 3 arguments
}

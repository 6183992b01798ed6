// SPDX-License-Identifier: GPL-2.0

//! What must compile: by name, by hand, and the name of the parameters does not matter.

use kernel::{bindings::task_struct, ffi::c_int};

kernel::include_tracepoints!(events);

kernel::declare_trace! {
    unsafe fn compile_fail_event(number: c_int, of: *mut task_struct);
}

/// Calls the tracepoint in both ways.
///
/// # Safety
///
/// `task` must point to a task.
pub unsafe fn call(task: *mut task_struct) {
    if trace_compile_fail_event_enabled() {
        // SAFETY: The caller answers for `task`.
        unsafe {
            trace_compile_fail_event(1, task);
            compile_fail_event(2, task);
        }
    }
}

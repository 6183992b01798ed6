// SPDX-License-Identifier: GPL-2.0

//! There is no such tracepoint.

kernel::include_tracepoints!(events);

/// Calls it.
pub fn call() {
    // SAFETY: This does not compile.
    unsafe { trace_no_such_event(1) }; //~ ERROR: cannot find function `trace_no_such_event`
}

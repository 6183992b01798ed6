// SPDX-License-Identifier: GPL-2.0

//! There is no such tracepoint to declare.

use kernel::ffi::c_int;

kernel::include_tracepoints!(events);

kernel::declare_trace! { //~ ERROR: `rust_do_trace_no_such_event`
    unsafe fn no_such_event(value: c_int);
}

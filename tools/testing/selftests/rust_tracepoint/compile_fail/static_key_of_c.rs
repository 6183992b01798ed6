// SPDX-License-Identifier: GPL-2.0

//! That a static with a key is one of C cannot be checked.

use kernel::bindings::tracepoint;
use kernel::static_branch_unlikely;

extern "C" {
    static __tracepoint_sched_switch: tracepoint;
}

/// Tests it.
pub fn test() -> bool {
    static_branch_unlikely!(__tracepoint_sched_switch, tracepoint, key) //~ ERROR: is unsafe
}

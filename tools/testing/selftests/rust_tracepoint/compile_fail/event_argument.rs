// SPDX-License-Identifier: GPL-2.0

//! A type that no probe can be called with.

/// Not for probes.
#[derive(Clone, Copy)]
pub struct Pair(u32, u32);

kernel::trace_event! { //~ ERROR: `Pair` cannot be an argument of a trace event
    system: compile_fail,
    fn compile_fail_argument(pair: Pair), //~ ERROR: `Pair` cannot be an argument of a trace event
    entry: { id: u32 = pair.0 },
    print: "id=%u", id,
}

// SPDX-License-Identifier: GPL-2.0

//! What unsafe code relies on is not for safe code to provide.

use kernel::{printf::Argument, trace_event::Field};

/// Has padding.
#[derive(Clone, Copy)]
pub struct Pair(u8, u32);

#[rustfmt::skip]
impl Field for Pair { //~ ERROR: requires an `unsafe impl` declaration
    const ARGUMENT: Argument = Argument::Integer('L');
}

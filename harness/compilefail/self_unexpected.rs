// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
pub fn one() -> u32 { 1i32 }

// Judged: self_unexpected.rs:4: unexpected error[E0308]

// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
pub fn one() -> u32 { 1i32 } //~ ERROR: mismatched types
pub fn two() -> u32 { 2i32 }

// Judged: self_additional.rs:5: unexpected error[E0308]

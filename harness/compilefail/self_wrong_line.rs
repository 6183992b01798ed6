// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
//~ ERROR: mismatched types
pub fn one() -> u32 { 1i32 }

// Judged: self_wrong_line.rs:4: no error

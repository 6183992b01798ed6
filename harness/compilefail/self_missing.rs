// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
pub fn one() -> u32 { 1 } //~ ERROR: mismatched

// Judged: self_missing.rs:4: no error

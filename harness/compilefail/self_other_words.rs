// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
pub fn one() -> u32 { 1i32 } //~ ERROR: borrow

// Judged: self_other_words.rs:4: not 'borrow' but

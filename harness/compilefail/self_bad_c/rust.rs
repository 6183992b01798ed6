// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
pub fn one() -> u32 { 1 }

// Judged: elsewhere:0: unexpected

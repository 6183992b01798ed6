// SPDX-License-Identifier: GPL-2.0-or-later
//! A test of the runner.
use kernel::prelude::*;
//~ ERROR elsewhere: undeclared
pub fn one() -> u32 { 1 }

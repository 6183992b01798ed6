// SPDX-License-Identifier: GPL-2.0

//! A format that is not a literal.

use kernel::mark;

const FORMAT: &str = "nothing";

/// Has it.
pub fn constant() {
    mark!(compile_fail_constant, FORMAT); //~ ERROR: no rules expected
}

// SPDX-License-Identifier: GPL-2.0

//! As many arguments as the format does not have conversions.

use kernel::{c_str, mark};

/// Too few and too many.
pub fn numbers(nr: i32) {
    mark!(compile_fail_none, "nr %d"); //~ ERROR: the marker has fewer arguments
    mark!(compile_fail_few, "nr %d of %d", nr); //~ ERROR: the marker has fewer arguments
    mark!(compile_fail_star, "%*d", nr); //~ ERROR: the marker has fewer arguments
    mark!(compile_fail_many, "nr %d", nr, c_str!("x")); //~ ERROR: the marker has more arguments
    mark!(compile_fail_percent, "100%%", nr); //~ ERROR: the marker has more arguments
}

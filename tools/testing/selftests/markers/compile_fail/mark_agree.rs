// SPDX-License-Identifier: GPL-2.0

//! Markers of the same name with different formats.

use kernel::mark;

/// Has a marker.
pub fn first(nr: i32) {
    mark!(compile_fail_agree, "nr %d", nr);
}

/// Has the same.
pub fn second(nr: i32) {
    mark!(compile_fail_agree, "nr %d", nr);
}

/// Has not. The assembler's error is not about a line of this file.
pub fn third(nr: u32) {
    //~ ERROR elsewhere: marker compile_fail_agree in line 20 of mark_agree has another format
    mark!(compile_fail_agree, "nr %u", nr);
}

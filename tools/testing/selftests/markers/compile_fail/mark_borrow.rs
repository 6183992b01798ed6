// SPDX-License-Identifier: GPL-2.0

//! Strings that would be gone before they are read, and code that is not safe.

use kernel::{mark, str::CString};

/// Uses the string.
fn change(name: &mut CString) -> usize {
    name.to_bytes().len()
}

/// Changes a string that is an argument.
pub fn string(mut name: CString) {
    mark!(compile_fail_borrow, "%s %zu", &*name, change(&mut name)); //~ ERROR: cannot borrow `name`
}

/// Reads from a pointer.
pub fn pointer(nr: *const i32) {
    mark!(compile_fail_unsafe, "%d", *nr); //~ ERROR: dereference of raw pointer is unsafe
}

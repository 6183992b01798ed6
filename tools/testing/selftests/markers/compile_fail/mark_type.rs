// SPDX-License-Identifier: GPL-2.0

//! Arguments of other types than the format says.

use kernel::{c_str, mark, str::CStr};

/// Numbers of other sizes.
pub fn sizes(int: i32, long: usize, long_long: u64) {
    mark!(compile_fail_int, "%d %d", int, long); //~ ERROR: `usize` does not fit its conversion
    mark!(compile_fail_int, "%d %d", int, long_long); //~ ERROR: `u64` does not fit its conversion
    mark!(compile_fail_long, "%lu", int); //~ ERROR: `i32` does not fit its conversion
    mark!(compile_fail_long, "%lu", long_long); //~ ERROR: `u64` does not fit its conversion
    mark!(compile_fail_long_long, "%lld", long); //~ ERROR: `usize` does not fit its conversion
    mark!(compile_fail_star, "%.*s", long, c_str!("name")); //~ ERROR: `usize` does not fit
}

/// What is no number, and what is no string.
pub fn kinds(name: &CStr, text: &str, letter: char, pointer: *const u8) {
    mark!(compile_fail_name, "%d", name); //~ ERROR: CStr` does not fit
    mark!(compile_fail_str, "%s", text); //~ ERROR: `&str` does not fit its conversion
    mark!(compile_fail_char, "%c", letter); //~ ERROR: `char` does not fit its conversion
    mark!(compile_fail_raw, "%s", pointer); //~ ERROR: `*const u8` does not fit its conversion
    mark!(compile_fail_pointer, "%p", name); //~ ERROR: does not fit its conversion
    mark!(
        compile_fail_lines,
        "%d %s %d",
        1,
        name,
        text, //~ ERROR: `&str` does not fit its conversion
    );
}

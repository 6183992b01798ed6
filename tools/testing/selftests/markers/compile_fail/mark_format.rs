// SPDX-License-Identifier: GPL-2.0

//! Formats and names that a marker cannot have.

use kernel::mark;

/// Conversions that the kernel does not have.
pub fn conversions(nr: i32) {
    mark!(compile_fail_n, "%d %n", nr, &nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_f, "%f", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_ls, "%ls", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_end, "100%"); //~ ERROR: the marker has an unknown conversion
}

/// As in event_print.rs, for events.
pub fn as_for_events(nr: u64) {
    mark!(compile_fail_qu, "%qu", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_zu, "%Zu", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_lc, "%lc", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_hs, "%hs", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_lp, "%lp", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_hhhd, "%hhhd", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_llld, "%llld", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_zzu, "%zzu", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_lhu, "%lhu", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_y, "%y", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_flags, "%5-d", nr); //~ ERROR: the marker has an unknown conversion
    mark!(compile_fail_five, "%5", nr); //~ ERROR: the marker has an unknown conversion
}

/// A format that is no text.
pub fn number() {
    mark!(compile_fail_number, 5); //~ ERROR: expected `&str`
}

/// Names that no event can have.
pub fn names() {
    mark!(r#fn, "nothing"); //~ ERROR: the name of a marker must be a word in ASCII
    mark!(größe, "nothing"); //~ ERROR: the name of a marker must be a word in ASCII
}

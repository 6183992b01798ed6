// SPDX-License-Identifier: GPL-2.0

//! What Rust takes for a `u32` and C for a `long`. This must compile, but not its C part.
//~ ERROR elsewhere: expects argument of type

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_format(len: u32),
    entry: { len: u32 },
    print: "%u", len & 0xffff_ffff,
}

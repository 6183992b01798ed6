// SPDX-License-Identifier: GPL-2.0

//! A member that is in another place in C, in a struct of the same size. This must compile, but not
//! with its header.
//~ ERROR elsewhere: offsetof(struct rust_compile_fail_offset_args, wide)

/// In C, this is aligned to four bytes.
#[allow(non_camel_case_types)]
pub type compile_fail_wide = u64;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_offset(id: u32, wide: compile_fail_wide, last: u64),
    entry: { id: u32, wide: compile_fail_wide, last: u64 },
    print: "id=%u wide=%llu last=%llu", id, wide, last,
}

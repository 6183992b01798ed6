// SPDX-License-Identifier: GPL-2.0

//! A type that has the name of another in C. This must compile, but not with its header.
//~ ERROR elsewhere: sizeof(gid_t)

/// In C this has 32 bits.
#[allow(non_camel_case_types)]
pub type gid_t = u64;

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_unlike(id: gid_t),
    entry: { id: gid_t },
    print: "id=%llu", id,
}

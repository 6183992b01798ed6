// SPDX-License-Identifier: GPL-2.0

//! Types that are those of C. This must compile.

use kernel::{
    bindings::{pid_t, task_struct},
    ffi::c_ulong,
    str::CStr,
};

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_alike(id: pid_t, len: &c_ulong, mac: &[u8; 6], text: &CStr, of: &task_struct),
    entry: {
        id: pid_t,
        len: c_ulong = *len,
        mac: [u8; 6] = *mac,
        text: string,
        of: *const task_struct = of,
    },
    print: "id=%d", id,
}

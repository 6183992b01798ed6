// SPDX-License-Identifier: GPL-2.0

//! Events with sections that are missing, unknown, or there twice.

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_entry(id: u32), //~ ERROR: `compile_fail_no_entry` has no `entry: { ... }`
    print: "id=%u", id,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_print(id: u32), //~ ERROR: `compile_fail_no_print` has no `print: "..."`
    entry: { id: u32 = id },
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_unknown_key(id: u32),
    assign: { id = id }, //~ ERROR: unknown key
    entry: { id: u32 = id },
    print: "id=%u", id,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_twice(id: u32),
    entry: { id: u32 = id },
    entry: { id: u32 = id }, //~ ERROR: `entry:` is there twice
    print: "id=%u", id,
}

kernel::trace_event_class! {
    system: compile_fail,
    class compile_fail_class(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id,
    events: {}, //~ ERROR: a class needs an event at least
}

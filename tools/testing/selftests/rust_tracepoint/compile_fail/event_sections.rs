// SPDX-License-Identifier: GPL-2.0

//! Events with sections that are missing, unknown, or there twice.

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_entry(id: u32),
    print: "id=%u", id, //~ ERROR: expected `entry`
}

kernel::trace_event! { //~ ERROR: expected `print`
    system: compile_fail,
    fn compile_fail_no_print(id: u32),
    entry: { id: u32 },
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_unknown_key(id: u32),
    assign: { id = id }, //~ ERROR: expected `entry`
    entry: { id: u32 },
    print: "id=%u", id,
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_twice(id: u32),
    entry: { id: u32 },
    entry: { id: u32 }, //~ ERROR: expected `print`
    print: "id=%u", id,
}

kernel::trace_event_class! {
    system: compile_fail,
    class compile_fail_class(id: u32), //~ ERROR: a class needs at least one event
    entry: { id: u32 },
    print: "id=%u", id,
    events: {},
}

kernel::trace_event_class! {
    system: compile_fail,
    class compile_fail_two(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
    events: {
        fn compile_fail_one,
        fn compile_fail_one, //~ ERROR: duplicate event `compile_fail_one`
    },
}

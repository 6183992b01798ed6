// SPDX-License-Identifier: GPL-2.0

//! Fields that a record cannot have, as far as it can be told from their names.

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_float(id: u32),
    entry: { id: f32 = 1.0 }, //~ ERROR: the kernel has no floating point numbers
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_str(id: u32),
    entry: { name: &str = "name" }, //~ ERROR: a record cannot have a reference
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_cstr(id: u32),
    entry: { name: CStr = c"name" }, //~ ERROR: the type of a string is `string`
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_reference(id: u32),
    entry: { id: &u32 = &id }, //~ ERROR: a record cannot have a reference
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_common(id: u32),
    entry: { common_pid: u32 = id }, //~ ERROR: one of those that all records have
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_field_twice(id: u32),
    entry: {
        id: u32 = id,
        id: u32 = id, //~ ERROR: field `id` is there twice
    },
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_array_of_references(id: u32),
    entry: { ids: [&u32; 1] = [&id] }, //~ ERROR: the elements of an array are integers
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_generic(id: u32),
    entry: { id: Option<u32> = Some(id) }, //~ ERROR: not a type of C
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_keyword(id: u32),
    entry: { default: u32 = id }, //~ ERROR: `default` is a keyword of C
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    unsafe fn compile_fail_unsafe(id: u32), //~ ERROR: an event is safe
    entry: { id: u32 },
    print: "nothing",
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_keyword(switch: u32), //~ ERROR: `switch` is a keyword of C
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_nothing(), //~ ERROR: has an argument at least
}

kernel::trace_event! {
    system: "compile/fail", //~ ERROR: a system has a name of letters, digits, `_` and `-`
    fn compile_fail_system(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
}

kernel::trace_event! {
    system: "", //~ ERROR: a system has a name of letters, digits, `_` and `-`
    fn compile_fail_no_system(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
}

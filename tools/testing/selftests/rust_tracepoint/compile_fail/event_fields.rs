// SPDX-License-Identifier: GPL-2.0

//! Fields that a record cannot have, as far as it can be told from their names.

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_float(id: u32),
    entry: { id: f32 = 1.0 }, //~ ERROR: floating point fields are not supported
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_str(id: u32),
    entry: { name: &str = "name" }, //~ ERROR: fields cannot be references
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_cstr(id: u32),
    entry: { name: CStr = c"name" }, //~ ERROR: use `string` for strings
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_reference(id: u32),
    entry: { id: &u32 = &id }, //~ ERROR: fields cannot be references
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_common(id: u32),
    entry: { common_pid: u32 = id }, //~ ERROR: `common_pid` is reserved
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_field_twice(id: u32),
    entry: {
        id: u32 = id,
        id: u32 = id, //~ ERROR: duplicate field `id`
    },
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_array_of_references(id: u32),
    entry: { ids: [&u32; 1] = [&id] }, //~ ERROR: array elements must be integers
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_generic(id: u32),
    entry: { id: Option<u32> = Some(id) }, //~ ERROR: unsupported field type
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_keyword(id: u32),
    entry: { default: u32 = id }, //~ ERROR: `default` is a C keyword
    print: "nothing",
}

kernel::trace_event! {
    system: compile_fail,
    unsafe fn compile_fail_unsafe(id: u32), //~ ERROR: events cannot be `unsafe`
    entry: { id: u32 },
    print: "nothing",
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_keyword(switch: u32), //~ ERROR: `switch` is a C keyword
}

kernel::tracepoint! {
    system: compile_fail,
    fn compile_fail_bare_nothing(), //~ ERROR: a tracepoint needs at least one argument
}

kernel::trace_event! {
    system: "compile/fail", //~ ERROR: system names must consist of 1 to 63 letters
    fn compile_fail_system(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
}

kernel::trace_event! {
    system: "", //~ ERROR: system names must consist of 1 to 63 letters
    fn compile_fail_no_system(id: u32),
    entry: { id: u32 },
    print: "id=%u", id,
}

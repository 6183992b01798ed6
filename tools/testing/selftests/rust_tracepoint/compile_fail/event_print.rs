// SPDX-License-Identifier: GPL-2.0

//! Print formats that do not match the fields.

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_no_field(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", number, //~ ERROR: `number` is not a field of event `compile_fail_no_field`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_few(id: u32),
    entry: { id: u32 = id },
    print: "id=%u of %u", id, //~ ERROR: has 2 conversions for 1 argument
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_too_many(id: u32),
    entry: { id: u32 = id },
    print: "id", id, //~ ERROR: has 0 conversions for 1 argument
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_string_for_number(id: u32),
    entry: { name: string = c"name" },
    print: "name=%d", name, //~ ERROR: does not fit field `name`: it is a string, for `%s`
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_expression(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id + 1, //~ ERROR: only fields can be printed, and not expressions
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_percent_n(id: u32),
    entry: { id: u32 = id },
    print: "id=%n", id, //~ ERROR: %n
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_function(id: u32),
    entry: { id: u32 = id },
    print: "id=%s", words(id), //~ ERROR: unknown function; a field can be printed with
}

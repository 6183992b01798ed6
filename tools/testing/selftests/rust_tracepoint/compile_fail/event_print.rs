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

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_precision(id: u32),
    entry: { text: [u8; 8] = [0; 8], id: u32 = id },
    print: "%.s %u", text, id, //~ ERROR: the precision of `%.s %u` is not a number
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_large_precision(id: u32),
    entry: { id: u32 = id },
    print: "%.99999999999999999999u", id, //~ ERROR: is not a number
}

/// An event with a number.
macro_rules! number {
    ($name:ident, $format:literal) => {
        kernel::trace_event! {
            system: compile_fail,
            fn $name(id: u64),
            entry: { id: u64 = id },
            print: $format, id,
        }
    };
}

// What the kernel does not have; mark_format.rs has the same.
number!(compile_fail_qu, "%qu"); //~ ERROR: `%q` is not a conversion of the kernel
number!(compile_fail_zu, "%Zu"); //~ ERROR: `%Z` is not a conversion of the kernel
number!(compile_fail_lc, "%lc"); //~ ERROR: `%lc` is not a conversion of the kernel
number!(compile_fail_hs, "%hs"); //~ ERROR: `%hs` is not a conversion of the kernel
number!(compile_fail_lp, "%lp"); //~ ERROR: `%lp` is not a conversion of the kernel
number!(compile_fail_hhhd, "%hhhd"); //~ ERROR: `%hhhd` is not a conversion of the kernel
number!(compile_fail_llld, "%llld"); //~ ERROR: `%llld` is not a conversion of the kernel
number!(compile_fail_zzu, "%zzu"); //~ ERROR: `%zzu` is not a conversion of the kernel
number!(compile_fail_lhu, "%lhu"); //~ ERROR: `%lhu` is not a conversion of the kernel
number!(compile_fail_y, "%y"); //~ ERROR: `%y` is not a conversion of the kernel
number!(compile_fail_flags, "%5-d"); //~ ERROR: `%5-` is not a conversion of the kernel
number!(compile_fail_end, "%5"); //~ ERROR: the conversion `%5` is not complete

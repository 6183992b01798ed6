// SPDX-License-Identifier: GPL-2.0

//! Names of the user that are like those inside the macros, and must not be taken for them.
//!
//! This must compile, and with the values that the assertions say.

#![allow(dead_code, non_snake_case, non_upper_case_globals)]

use core::mem::size_of;
use kernel::str::CStr;

/// Not the record of the event.
pub struct Record {
    len: u32,
    key: u8,
}

/// Not the type of the sink.
pub struct S(u64, u64, u64);

/// Not the function that writes a record.
const fn record(number: u8) -> u32 {
    number as u32
}

const CLASS: u32 = 1;
const FIELDS: usize = 3;
const NAME: usize = 5;
const CALL: u32 = 7;
const ENTRY: u32 = 11;
const BPF_MAP: u32 = 13;
const DECLARATION: u32 = 17;
const TYPE_0: u32 = 19;
const TYPE_1: u32 = 23;
const FORMAT_COMPILE_FAIL_NAMES: u32 = 29;
const PRINT_FMT_COMPILE_FAIL_NAMES: u32 = 31;
const FUNCTIONS_COMPILE_FAIL_NAMES: u32 = 37;
const KEYS_2_COMPILE_FAIL_NAMES: u32 = 41;

const fn trace_event_raw_event_compile_fail_names() -> u32 {
    43
}

const fn perf_trace_compile_fail_names() -> u32 {
    47
}

const fn __bpf_trace_compile_fail_names() -> u32 {
    53
}

const fn trace_raw_output_compile_fail_names() -> u32 {
    59
}

/// Drivers that name a static as C does must be able to have events, too.
macro_rules! statics {
    ($($name:ident)*) => { $( static $name: u32 = 61; )* };
}

statics! {
    data event fields flags func iter layout location_0 perf_probe probe result sink size source_0
    state text_len value
}

kernel::trace_event! {
    system: compile_fail,
    fn compile_fail_names(rec: &Record, array: &[u8; NAME], text: &CStr, bytes: &[u8])
        if size_of::<Record>() == 8 && rec.len != record(array[NAME - 1]),
    entry: {
        text: string,
        array: [u8; FIELDS] = {
            const _: () = assert!(size_of::<S>() == 24 && size_of::<Record>() == 8 && FIELDS == 3);

            [rec.key; FIELDS]
        },
        item: u32 = {
            const SUM: u32 = CALL + ENTRY + BPF_MAP + DECLARATION + TYPE_0 + TYPE_1
                + FORMAT_COMPILE_FAIL_NAMES + PRINT_FMT_COMPILE_FAIL_NAMES
                + FUNCTIONS_COMPILE_FAIL_NAMES + KEYS_2_COMPILE_FAIL_NAMES
                + trace_event_raw_event_compile_fail_names() + perf_trace_compile_fail_names()
                + __bpf_trace_compile_fail_names() + trace_raw_output_compile_fail_names()
                + record(1);

            const _: () = assert!(SUM == 431);
            SUM
        },
        len: u32 = rec.len + record(rec.key),
        other: u32 = data + event + fields + flags + func + iter + layout + location_0,
        more: u32 = perf_probe + probe + result + sink + size + source_0 + state + text_len + value,
        bytes: dynamic_array<u8>,
    },
    print: "%s %s %s %u %u %u %s", text, hex(array),
        symbolic(item, { CLASS: "ONE", CALL: "SEVEN" }), len, other, more, hex(bytes),
}

kernel::trace_event_class! {
    system: compile_fail,
    class Compile_Fail_Case(id: u32),
    entry: { id: u32 = id },
    print: "id=%u", id,
    events: {
        fn compile_fail_case { print: "%u", id },
        fn COMPILE_FAIL_CASE { print: "number=%u", id },
    },
}

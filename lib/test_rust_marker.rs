// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Markers in Rust for `tools/testing/selftests/markers`.
//!
//! All of them are hit three times when the module is loaded, and three times when it is removed.

use core::sync::atomic::{AtomicI32, Ordering};
use kernel::{c_str, ffi::c_void, mark, prelude::*, str::CStr};

module! {
    type: TestRustMarker,
    name: "test_rust_marker",
    authors: ["The static-key tracepoints developers"],
    description: "Markers in Rust for the test of markers",
    license: "GPL",
}

/// How often the argument of a marker was evaluated.
static EVALUATED: AtomicI32 = AtomicI32::new(0);

fn evaluate() -> i32 {
    EVALUATED.fetch_add(1, Ordering::Relaxed) + 1
}

fn hit_numbers(nr: i32) {
    mark!(
        test_rust_marker_int,
        "d=%d i=%i u=%u x=0x%x X=%X o=%o c='%c'",
        -nr,
        i32::MIN,
        4_000_000_000u32,
        0xabcd,
        0xabcdu32,
        8u32,
        b'm',
    );
    mark!(
        test_rust_marker_narrow,
        "hhd=%hhd hhu=%hhu hd=%hd hu=%hu b=%d promoted=%d",
        -3i8,
        253u8,
        -300i16,
        65_000u16,
        true,
        u16::MAX,
    );
    mark!(
        test_rust_marker_wide,
        "ld=%ld lu=%lu zu=%zu td=%td lld=%lld a=%d llu=%llu",
        isize::MIN,
        usize::MAX,
        6usize,
        -7isize,
        -6_000_000_000i64,
        1,
        18_000_000_000_000_000_000u64,
    );
    mark!(
        test_rust_marker_ten,
        "%d %d %d %d %d %d %d %d %d %d",
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10
    );
    mark!(test_rust_marker_none, "nothing, 100%% of it");
    mark!(test_rust_marker_evaluated, "nr %d", evaluate());
}

fn hit_pointers() {
    let mac = [2, 0, 0, 0xfe, 0xff, 1u8];
    let bad = 0xffff_ffff_ffff_e000_u64 as *const [u8; 6];

    mark!(
        test_rust_marker_string,
        "name %s padded [%-6s] four %.*s null %s",
        c_str!("first"),
        c_str!("it"),
        4,
        c_str!("abcdef"),
        None::<&CStr>,
    );
    mark!(
        test_rust_marker_pointer,
        "x=%px mac %pM bad %pM error %pe",
        0x2000 as *mut c_void,
        core::ptr::from_ref::<[u8]>(&mac),
        bad,
        -2isize as *mut c_void,
    );
}

/// Ends with a marker, from which the compiler could make a tail call.
#[inline(never)]
fn hit_last(nr: i32) {
    mark!(test_rust_marker_last, "last %d", nr);
}

#[inline(never)]
fn hit() {
    for nr in 1..=3i32 {
        mark!(
            test_rust_marker,
            "nr %d size %lu name %s",
            nr,
            8usize,
            c_str!("rust")
        );
        hit_numbers(nr);
        hit_pointers();
        hit_last(nr);
    }
}

struct TestRustMarker;

impl kernel::Module for TestRustMarker {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        hit();
        Ok(Self)
    }
}

impl Drop for TestRustMarker {
    fn drop(&mut self) {
        // A second marker of the same name.
        mark!(
            test_rust_marker,
            "nr %d size %lu name %s",
            0,
            0usize,
            c_str!("exit")
        );
        hit();
        pr_info!("evaluated {}\n", EVALUATED.load(Ordering::Relaxed));
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Functions of Rust for `tools/testing/selftests/rust_functions`.
//!
//! Writing anything to `test_rust_functions/fire` in debugfs calls each of them once, with the
//! arguments in [`fire`], which the test compares with what ftrace and what builds on it shows.

use core::hint::black_box;
use kernel::{
    debugfs::{
        Dir,
        File, //
    },
    ffi::{
        c_char,
        c_int, //
    },
    prelude::*,
    uaccess::UserSliceReader,
};

module! {
    type: TestRustFunctions,
    name: "test_rust_functions",
    authors: ["The static-key tracepoints developers"],
    description: "Functions of Rust for the test of tracing them",
    license: "GPL",
}

// The compiler must neither inline these functions, nor know their arguments, nor see that a result
// or an argument is not used: callers need not pass it then. They are public, so that they keep
// their ABI.

/// Arguments of all sizes.
#[inline(never)]
pub fn numbers(a: i8, b: u16, c: i32, d: u64, e: bool) -> i64 {
    black_box(i64::from(a) + i64::from(b) + i64::from(c) + d as i64 + i64::from(e))
}

/// An argument in two registers: its address and its length.
#[inline(never)]
pub fn text(name: &str, id: u32) -> usize {
    black_box(black_box(name).len() + id as usize)
}

/// A function with a name and an ABI as in C.
#[no_mangle]
#[inline(never)]
pub extern "C" fn test_rust_functions_c(value: c_int, text: *const c_char) -> c_int {
    black_box(text);
    black_box(value + 1)
}

/// Generic, and thus a function for each type that it is used with.
#[inline(never)]
pub fn twice<T: Into<u64>>(value: T) -> u64 {
    black_box(2 * value.into())
}

/// Something with methods.
pub struct Disk {
    id: u32,
    sectors: u64,
}

/// What a [`Disk`] does.
pub trait Device {
    /// Returns the number of sectors that can be read.
    fn read(&self, first: u64, count: u16) -> u64;
}

impl Device for Disk {
    #[inline(never)]
    fn read(&self, first: u64, count: u16) -> u64 {
        black_box(self.sectors.saturating_sub(first).min(u64::from(count)))
    }
}

impl Disk {
    /// Calls the allocator, which is written in C.
    #[inline(never)]
    pub fn allocate(id: u32, sectors: u64) -> Result<KBox<Self>> {
        Ok(KBox::new(Disk { id, sectors }, GFP_KERNEL)?)
    }
}

/// Calls the closure that it gets.
#[inline(never)]
pub fn call(function: &dyn Fn(u32) -> u32) -> u32 {
    black_box(function(black_box(4)))
}

/// Not to be seen by any tracer.
#[notrace]
#[inline(never)]
pub fn hidden(value: u32) -> u32 {
    black_box(value ^ 1)
}

/// Has the same instructions as [`same_second`].
#[inline(never)]
pub fn same_first(value: u32) -> u32 {
    black_box(value * 7)
}

/// Has the same instructions as [`same_first`].
#[inline(never)]
pub fn same_second(value: u32) -> u32 {
    black_box(value * 7)
}

/// Calls all functions above.
#[inline(never)]
fn fire(_: &(), reader: &mut UserSliceReader) -> Result {
    let len = reader.len();

    black_box(numbers(
        black_box(-8),
        black_box(60_000),
        black_box(-32),
        black_box(1 << 40),
        black_box(true),
    ));
    black_box(text(black_box("disk"), black_box(3)));
    black_box(test_rust_functions_c(
        black_box(41),
        black_box(c"from Rust".as_char_ptr()),
    ));
    black_box(twice(black_box(21u8)));
    black_box(twice(black_box(2_100u32)));

    let disk = Disk::allocate(black_box(5), black_box(100))?;

    black_box(disk.read(black_box(90), black_box(20)));
    black_box(call(&|value| black_box(value + disk.id)));
    black_box(hidden(black_box(6)));
    black_box(same_first(black_box(1)));
    black_box(same_second(black_box(2)));
    reader.skip(len)
}

#[pin_data]
struct TestRustFunctions {
    #[pin]
    _fire: File<()>,
    _dir: Dir,
}

impl kernel::InPlaceModule for TestRustFunctions {
    fn init(_module: &'static ThisModule) -> impl PinInit<Self, Error> {
        let dir = Dir::new(c"test_rust_functions");

        try_pin_init!(Self {
            _fire <- dir.write_callback_file(c"fire", (), &fire),
            _dir: dir,
        })
    }
}

// SPDX-License-Identifier: GPL-2.0

//! What unsafe code relies on is not for safe code to provide.

use core::mem::MaybeUninit;
use kernel::{
    ffi::c_void,
    trace_event::{bits, Key, Sink, TraceArg},
};

/// Has padding.
#[derive(Clone, Copy)]
pub struct Pair(u8, u32);

#[rustfmt::skip]
impl TraceArg for Pair { //~ ERROR: not all trait items implemented
    type Abi = (u8, u32); //~ ERROR: the trait bound `(u8, u32): kernel::trace_event::private::Abi`

    fn into_abi(self) -> (u8, u32) {
        (self.0, self.1)
    }

    unsafe fn from_abi(abi: (u8, u32)) -> Self {
        Self(abi.0, abi.1)
    }
}

/// Reads padding.
pub fn read(pair: Pair) -> u64 {
    bits(pair) //~ ERROR: the trait bound `Pair: kernel::trace_event::private::Abi` is not satisfied
}

/// Where there is no memory.
#[derive(Clone, Copy)]
pub struct Nowhere;

#[rustfmt::skip]
impl Sink for Nowhere { //~ ERROR: the trait `kernel::trace_event::Sink` requires an `unsafe impl`
    type State = ();

    fn reserve(self, _: &mut MaybeUninit<()>, _: usize) -> *mut c_void {
        8 as *mut c_void
    }

    unsafe fn commit(self, _: &mut MaybeUninit<()>, _: *mut c_void, _: usize) {}
}

/// Has no C string.
pub const ADDRESS: Key = Key::new(1, 8 as *const u8); //~ ERROR: mismatched types

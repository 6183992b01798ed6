// SPDX-License-Identifier: GPL-2.0

//! Only functions with a body can be hidden from ftrace.

#![allow(dead_code)]

use kernel::prelude::*;

/// Hidden from it.
#[notrace]
pub fn hidden(value: u32) -> u32 {
    value
}

/// Hidden as well, whatever it is.
#[inline(never)]
#[notrace]
pub(crate) unsafe extern "C" fn anything<T: Copy>(value: T) -> T {
    value
}

struct Device(u32);

impl Device {
    #[notrace]
    fn write(&mut self) {} //~ ERROR: cannot be used on methods
}

#[notrace]
struct NotAFunction; //~ ERROR: an attribute of functions that have a body

trait Read {
    #[notrace]
    fn read(&self); //~ ERROR: an attribute of functions that have a body
}

#[notrace(always)] //~ ERROR: unexpected token
fn with_argument() {}

// SPDX-License-Identifier: LGPL-2.1-or-later

//! Record the entries and exits of functions.
//!
//! A function is recorded if the compiler put the call of a hook into it; README.rst lists
//! the options for that. With the feature `program`, the program is linked with
//! libfntrace.so, and `fntrace record` runs it. Without this feature, the backend becomes a
//! part of the kernel or program, which provides memory with a [`Tracer`] for each CPU:
//!
//! ```ignore
//! static TRACER: fntrace::Tracer<4096, 65536> = fntrace::Tracer::new();
//!
//! let context = TRACER.init(0, stack, fntrace::Mode::Stop).unwrap();
//! // SAFETY: There is one CPU, and it runs on `stack`.
//! unsafe { context.make_only() };
//! fntrace::start();
//! application();
//! fntrace::stop();
//! context.send(counter_hz, |bytes| port.write(bytes)).unwrap();
//! ```
//!
//! With [`Tracer::init_stream`], the recording can be longer than the memory for it: a
//! [`Stream`] sends it in parts to `fntrace receive`, while it is made.
#![no_std]
#![warn(missing_docs)]

#[cfg(not(feature = "program"))]
mod embedded;
#[cfg(not(feature = "program"))]
pub use embedded::{Context, InUse, Mode, Running, Stream, Tracer};

/// Bits of the value of a mark.
pub const MARK_BITS: u32 = 48;

const SEND: u64 = 1 << 47;
const RECEIVE: u64 = 1 << 46;

/// The largest number of a message.
pub const MESSAGE_MAX: u64 = RECEIVE - 1;

mod backend {
    extern "C" {
        pub fn fntrace_start();
        pub fn fntrace_stop();
        pub fn fntrace_running() -> bool;
        pub fn fntrace_counter() -> u64;
        pub fn fntrace_mark(value: u64) -> bool;
        #[cfg(not(feature = "program"))]
        pub fn fntrace_drop_short(ticks: u64);
    }
}

/// Trace all functions that are entered from now on.
pub fn start() {
    // SAFETY: It stores two pointers of the backend, which hooks read atomically.
    unsafe { backend::fntrace_start() }
}

/// Trace no function that is entered from now on.
///
/// Functions that were entered before are still recorded when they return.
pub fn stop() {
    // SAFETY: As in start().
    unsafe { backend::fntrace_stop() }
}

/// Is tracing on?
pub fn running() -> bool {
    // SAFETY: It reads one pointer of the backend atomically.
    unsafe { backend::fntrace_running() }
}

/// The counter that records are stamped with, in its own units.
pub fn counter() -> u64 {
    // SAFETY: It reads a register that is readable wherever hooks can run.
    unsafe { backend::fntrace_counter() }
}

/// Record a value of [`MARK_BITS`] bits; those above are not kept.
///
/// Returns false if the running code has no context, or its buffer has no room.
pub fn mark(value: u64) -> bool {
    // SAFETY: It writes to the buffer of the context that runs, as every hook does.
    unsafe { backend::fntrace_mark(value & ((1 << MARK_BITS) - 1)) }
}

/// Record that message `number` is about to be sent to another machine.
pub fn mark_send(number: u64) -> bool {
    mark(SEND | (number & MESSAGE_MAX))
}

/// Record that message `number` of another machine has arrived.
pub fn mark_receive(number: u64) -> bool {
    mark(RECEIVE | (number & MESSAGE_MAX))
}

/// Keep no calls that are shorter than `ticks` units of the counter; 0 keeps all.
///
/// Only for threads or CPUs with one stack each: two threads that take turns on a CPU might
/// take back each other's records.
#[cfg(not(feature = "program"))]
pub fn drop_short(ticks: u64) {
    // SAFETY: It stores one number, which hooks read atomically.
    unsafe { backend::fntrace_drop_short(ticks) }
}

/// Have `fntrace_current()` return the pointer that is `$offset` bytes above the base of
/// `gs`: a kernel with several CPUs stores the address of each CPU's [`Context`] there.
///
/// It is assembly, so no option of the compiler puts a hook into it. Without this macro, the
/// context is that of [`Context::make_only`].
///
/// # Safety
///
/// When tracing is on, `gs` must lead to memory of the running CPU wherever instrumented code
/// runs, and the pointer there must be null or that of a [`Context`] of this CPU alone, whose
/// `stack` is the one that this CPU runs on.
#[cfg(all(target_arch = "x86_64", not(feature = "program")))]
#[macro_export]
macro_rules! current_from_gs {
    ($offset:expr) => {
        ::core::arch::global_asm!(
            ".pushsection .text.fntrace_current, \"ax\", @progbits",
            ".globl fntrace_current",
            ".type fntrace_current, @function",
            "fntrace_current:",
            "movq %gs:{offset}, %rax",
            "ret",
            ".size fntrace_current, . - fntrace_current",
            ".popsection",
            offset = const $offset,
            options(att_syntax)
        );
    };
}

// SPDX-License-Identifier: GPL-2.0-or-later

//! A unikernel that traces itself: the application, the library that it uses and the
//! interrupts are functions of one address space, and so of one trace.
//!
//! It counts its calls, so that a trace of it can be checked to the last record. What is
//! special is that it moves itself to an address that is not known before.
#![no_std]
#![no_main]

mod application;
mod machine;

use core::fmt::Write;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU64, Ordering};

use machine::{Console, EXIT_FAILURE, EXIT_SUCCESS};

/// How often the functions with `count!()` in them were called.
pub struct Counter {
    name: &'static str,
    calls: AtomicU64,
}

impl Counter {
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            calls: AtomicU64::new(0),
        }
    }

    #[inline(always)]
    pub fn add(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }

    fn print(&self) {
        let calls = self.calls.load(Ordering::Relaxed);

        let _ = writeln!(Console, "calls {} {calls}", self.name);
    }
}

/// The whole recording has room in the first one, which is sent at the end; the second one is
/// sent whenever it is full.
static TRACER: fntrace::Tracer<4096, 0x40000> = fntrace::Tracer::new();
static SMALL_TRACER: fntrace::Tracer<4096, 1000> = fntrace::Tracer::new();
static STREAM: fntrace::Stream = fntrace::Stream {
    send: |header, records| {
        machine::send(header);
        machine::send(records);
    },
    interrupts_off: true,
};

// SAFETY of the macro: machine::set_context() stores the context of the only CPU, and sets gs
// before tracing starts.
fntrace::current_from_gs!(0);

/// What instrumented functions are called from, so that they all return while records are kept.
#[inline(never)]
fn run() {
    machine::start_timer();
    application::run();
    machine::stop_timer();
}

#[no_mangle]
extern "C" fn kernel_main(offset: usize, start_info: usize) -> ! {
    machine::init();
    // SAFETY: boot.S got it from QEMU.
    let stream = unsafe { machine::has_parameter(start_info, "stream=1") };
    let context = if stream {
        SMALL_TRACER.init_stream(0, machine::stack(), &STREAM)
    } else {
        TRACER.init(0, machine::stack(), fntrace::Mode::Stop)
    }
    .expect("this is the only use of it");
    machine::set_context(context);

    fntrace::start();
    run();
    fntrace::stop();

    let _ = writeln!(Console, "moved by {offset:#x}");
    for counter in application::COUNTERS.iter().chain(&machine::COUNTERS) {
        counter.print();
    }
    let _ = writeln!(Console, "lost {}", context.lost());
    if context.send(machine::counter_hz(), machine::send).is_err() {
        panic!("tracing is still on");
    }
    let _ = writeln!(Console, "done");
    machine::exit(EXIT_SUCCESS)
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    fntrace::stop();
    let _ = writeln!(Console, "panic: {}", info.message());
    machine::exit(EXIT_FAILURE)
}

/// The core library was compiled for targets that unwind, and names this.
#[no_mangle]
extern "C" fn rust_eh_personality() {}

// SPDX-License-Identifier: GPL-2.0-or-later

//! embedding FILE STREAM: a program of one thread that contains the backend, and writes what it
//! recorded to FILE, and something else to STREAM while it is recorded. It also tells what the
//! crate refuses.

use std::{
    env,
    fs::File,
    hint::black_box,
    io::Write,
    sync::{
        atomic::{AtomicU64, Ordering},
        OnceLock,
    },
};

static TRACER: fntrace::Tracer<64, 4096> = fntrace::Tracer::new();

/// Without frames, for entries only.
static ENTRIES: fntrace::Tracer<0, 256> = fntrace::Tracer::new();

/// Sent while it is made, as there is room for few records.
static SENT: fntrace::Tracer<64, 50> = fntrace::Tracer::new();
static STREAM: fntrace::Stream = fntrace::Stream {
    send,
    interrupts_off: false,
};
static FILE: OnceLock<File> = OnceLock::new();
static PARTS: AtomicU64 = AtomicU64::new(0);

/// It has hooks itself, and writes to vector registers.
fn send(header: &[u8], records: &[u8]) {
    let mut sum = 0.5;

    for byte in records {
        sum += half(f64::from(*byte));
    }
    black_box(sum);
    for bytes in [header, records] {
        let mut file = FILE.get().expect("it was made");
        file.write_all(bytes).expect("it cannot be written");
    }
    PARTS.fetch_add(1, Ordering::Relaxed);
}

/// Its argument and result are in vector registers when a buffer becomes full.
#[inline(never)]
fn half(n: f64) -> f64 {
    black_box(n) / 2.0
}

/// What is sent while it is made; returns the context, which has the rest.
fn streamed(path: &std::ffi::OsStr) -> &'static fntrace::Context {
    FILE.set(File::create(path).expect("it cannot be made"))
        .expect("this is the only one");
    let context = SENT
        .init_stream(2, 0..0, &STREAM)
        .expect("this is the only use of it");
    // SAFETY: There is one thread.
    unsafe { context.make_only() };
    fntrace::start();
    let mut sum = 0.0;
    for n in 0..1000 {
        sum += half(f64::from(n));
    }
    fntrace::stop();
    assert!(sum == 249_750.0, "the sum is {sum}");
    assert!(context.lost() == 0, "{} calls were lost", context.lost());
    println!("count embedding::half 1000");
    println!("parts {}", PARTS.load(Ordering::Relaxed));
    context
}

#[inline(never)]
fn leaf(n: u64) -> u64 {
    black_box(n) + 1
}

#[inline(never)]
fn descend(levels: u64) -> u64 {
    if levels == 0 {
        leaf(0)
    } else {
        descend(levels - 1) + 1
    }
}

fn main() {
    let path = env::args_os().nth(1).expect("a file is missing");
    // The bounds of this stack are not known.
    let context = TRACER
        .init(0, 0..0, fntrace::Mode::Stop)
        .expect("this is the only use of it");

    assert!(TRACER.init(1, 0..0, fntrace::Mode::Stop).is_err());
    // SAFETY: There is one thread.
    unsafe { context.make_only() };
    assert!(!fntrace::running());
    fntrace::start();
    assert!(fntrace::running());
    for n in 0..10 {
        leaf(n);
    }
    fntrace::mark(42);
    descend(50);
    // Of 101 levels, 64 have a frame.
    let before = context.lost();
    descend(100);
    let lost = context.lost() - before;
    assert!(context.send(0, |_| unreachable!()).is_err());
    fntrace::stop();
    leaf(0);
    fntrace::mark(7);

    // Without optimisation, black_box() is a function as well.
    assert!((38..40).contains(&lost), "{lost} calls were lost");
    println!("count embedding::descend {}", 51 + 64);

    let entries = ENTRIES
        .init(1, 0..0, fntrace::Mode::Overwrite)
        .expect("this is the only use of it");
    // SAFETY: There is one thread.
    unsafe { entries.make_only() };
    fntrace::start();
    leaf(1);
    leaf(2);
    fntrace::stop();
    println!("count embedding::leaf 13");

    let hz = 1_000_000_000;
    let mut file = File::create(path).expect("it cannot be made");
    for part in [context, entries] {
        part.send(hz, |bytes| {
            file.write_all(bytes).expect("it cannot be written")
        })
        .expect("tracing is off");
    }

    let path = env::args_os().nth(2).expect("a second file is missing");
    streamed(&path)
        .send(hz, |bytes| {
            let mut file = FILE.get().expect("it was made");
            file.write_all(bytes).expect("it cannot be written")
        })
        .expect("tracing is off");
}

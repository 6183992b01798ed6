// SPDX-License-Identifier: LGPL-2.1-or-later

//! The memory that the backend writes to, and how it gets to the host.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicBool, Ordering};

/// STATE_SIZE of glue.c.
const STATE_SIZE: usize = 384;
/// VECTORS_SIZE of glue.c.
const VECTORS_SIZE: usize = 2816;
/// Is code in Rust compiled to use vector registers?
const USES_VECTORS: bool = cfg!(any(
    target_feature = "sse",
    target_feature = "neon",
    target_feature = "d"
));
/// FNTRACE_GROW.
const GROW: u32 = 2;
/// FNTRACE_HEADER_SIZE.
const HEADER_SIZE: usize = 4096;
/// The size of struct fntrace_frame; glue.c compares it.
const FRAME_SIZE: usize = if cfg!(target_arch = "aarch64") {
    32
} else {
    24
};
/// struct fntrace_record.
const RECORD_SIZE: usize = 16;

/// The arguments of fntrace_rust_init().
#[repr(C)]
struct Setup {
    buffer: *mut u8,
    records: *mut u8,
    records_size: usize,
    frames: *mut u8,
    frames_size: usize,
    low: usize,
    high: usize,
    cpu: u32,
    mode: u32,
    stream: *const u8,
    vectors: *mut u8,
    interrupts_off: bool,
}

extern "C" {
    fn fntrace_rust_init(state: *mut u8, setup: *const Setup);
    fn fntrace_rust_set(state: *const Context);
    fn fntrace_rust_set_hz(state: *const Context, hz: u64);
    fn fntrace_rust_copy(state: *const Context, at: usize, to: *mut u8, size: usize) -> usize;
    fn fntrace_rust_lost(state: *const Context) -> u64;
}

/// What happens when a buffer is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing more is recorded; what is lost is counted.
    Stop = 0,
    /// The oldest records are written over.
    Overwrite = 1,
}

/// Who sends a buffer whenever it is full; see [`Tracer::init_stream`].
pub struct Stream {
    /// Sends a part of the recording: a header, and records right behind it. Several CPUs that
    /// send to one place have to take turns.
    ///
    /// It is called at the entry or exit of any function, on the stack of that function, and
    /// must not wait for what that function may hold. Its own calls are not recorded.
    pub send: fn(header: &[u8], records: &[u8]),
    /// Disable interrupts meanwhile, which only a kernel can do: what an interrupt calls then
    /// would not be recorded.
    pub interrupts_off: bool,
}

/// [`Tracer::init`] was called before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InUse;

/// Tracing is on, so the records change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running;

#[repr(C, align(4096))]
struct Memory<const FRAMES: usize, const RECORDS: usize> {
    header: [u8; HEADER_SIZE],
    records: [[u8; RECORD_SIZE]; RECORDS],
    frames: [[u8; FRAME_SIZE]; FRAMES],
    state: [u8; STATE_SIZE],
    vectors: [u8; VECTORS_SIZE],
}

/// Memory for the trace of one CPU: a shadow stack for `FRAMES` nested calls, and a buffer of
/// `RECORDS` records of 16 bytes.
///
/// An entry and an exit are one record each. Calls deeper than `FRAMES` are counted as lost.
pub struct Tracer<const FRAMES: usize, const RECORDS: usize> {
    used: AtomicBool,
    memory: UnsafeCell<MaybeUninit<Memory<FRAMES, RECORDS>>>,
}

// SAFETY: `memory` is written by init(), which goes on once, and then by the backend for the
// one CPU whose context it is.
unsafe impl<const FRAMES: usize, const RECORDS: usize> Sync for Tracer<FRAMES, RECORDS> {}

impl<const FRAMES: usize, const RECORDS: usize> Tracer<FRAMES, RECORDS> {
    /// Memory that is not in use yet, for a static variable.
    pub const fn new() -> Self {
        Self {
            used: AtomicBool::new(false),
            memory: UnsafeCell::new(MaybeUninit::zeroed()),
        }
    }

    /// Prepare the memory for CPU `cpu`.
    ///
    /// `stack` is the stack that this CPU runs on; if it is empty, functions that are left by
    /// a jump are noticed later. Interrupts may have other stacks. This can be done once.
    pub fn init(
        &'static self,
        cpu: u32,
        stack: Range<usize>,
        mode: Mode,
    ) -> Result<&'static Context, InUse> {
        self.init_with(cpu, stack, mode as u32, None)
    }

    /// The same for a recording that is sent while it is made, for `fntrace receive`.
    ///
    /// `stream` gets the records whenever there are `RECORDS` of them. At the end,
    /// [`Context::send`] sends those that are left.
    pub fn init_stream(
        &'static self,
        cpu: u32,
        stack: Range<usize>,
        stream: &'static Stream,
    ) -> Result<&'static Context, InUse> {
        self.init_with(cpu, stack, GROW, Some(stream))
    }

    fn init_with(
        &'static self,
        cpu: u32,
        stack: Range<usize>,
        mode: u32,
        stream: Option<&'static Stream>,
    ) -> Result<&'static Context, InUse> {
        if self.used.swap(true, Ordering::Relaxed) {
            return Err(InUse);
        }
        let memory = self.memory.get().cast::<Memory<FRAMES, RECORDS>>();

        // SAFETY: `memory` is that of a static variable, all zeros, and `used` keeps others
        // away from it. Its parts have the sizes given here. The state begins with what a
        // Context is, and stays where it is.
        unsafe {
            let setup = Setup {
                buffer: (&raw mut (*memory).header).cast(),
                records: (&raw mut (*memory).records).cast(),
                records_size: RECORDS * RECORD_SIZE,
                frames: (&raw mut (*memory).frames).cast(),
                frames_size: FRAMES * FRAME_SIZE,
                low: stack.start,
                high: stack.end,
                cpu,
                mode,
                stream: stream.map_or(ptr::null(), |stream| ptr::from_ref(stream).cast()),
                vectors: if USES_VECTORS {
                    (&raw mut (*memory).vectors).cast()
                } else {
                    ptr::null_mut()
                },
                interrupts_off: stream.is_some_and(|stream| stream.interrupts_off),
            };
            let state: *mut u8 = (&raw mut (*memory).state).cast();

            fntrace_rust_init(state, &setup);
            Ok(&*state.cast::<Context>())
        }
    }
}

impl<const FRAMES: usize, const RECORDS: usize> Default for Tracer<FRAMES, RECORDS> {
    fn default() -> Self {
        Self::new()
    }
}

/// Where the code of one CPU is traced to; the `struct fntrace_context` of the backend.
#[repr(C)]
pub struct Context {
    // Written by the backend, through pointers that Rust has no reference to.
    opaque: UnsafeCell<[u8; 0]>,
}

// SAFETY: Its methods only read, one byte at a time, or write the rate of the counter, which
// the backend does not use.
unsafe impl Sync for Context {}

impl Context {
    /// Trace all code to this context.
    ///
    /// # Safety
    ///
    /// Instrumented code, while tracing is on, must run on one CPU and in one thread only.
    pub unsafe fn make_only(&'static self) {
        // SAFETY: The caller promises that nobody else writes to this context.
        unsafe { fntrace_rust_set(self) }
    }

    /// How many calls could not be recorded.
    pub fn lost(&self) -> u64 {
        // SAFETY: init() made this context.
        unsafe { fntrace_rust_lost(self) }
    }

    /// Pass the recording to `sink` in parts; of one that is sent while it is made, the rest.
    ///
    /// `counter_hz` is the rate of [`crate::counter`], 0 if it is not known. What several CPUs
    /// send, one after the other, is one file for `fntrace`.
    pub fn send(&self, counter_hz: u64, mut sink: impl FnMut(&[u8])) -> Result<(), Running> {
        let mut part = [0; 512];
        let mut at = 0;

        if crate::running() {
            return Err(Running);
        }
        // SAFETY: init() made this context.
        unsafe { fntrace_rust_set_hz(self, counter_hz) };
        loop {
            // SAFETY: It writes up to `part.len()` bytes to `part`, and says how many.
            let len = unsafe { fntrace_rust_copy(self, at, part.as_mut_ptr(), part.len()) };

            if len == 0 {
                return Ok(());
            }
            sink(&part[..len]);
            at += len;
        }
    }
}

/// Called by glue.c when a buffer is full.
#[no_mangle]
extern "C" fn fntrace_rust_send(
    stream: *const u8,
    header: *const u8,
    records: *const u8,
    size: usize,
) {
    // SAFETY: init_stream() gave this pointer to glue.c. The header and the records are not
    // written while they are sent, as the buffer is full.
    let (stream, header, records) = unsafe {
        (
            &*stream.cast::<Stream>(),
            slice::from_raw_parts(header, HEADER_SIZE),
            slice::from_raw_parts(records, size),
        )
    };

    (stream.send)(header, records);
}

/// Called by glue.c when a function returns that the shadow stack does not know.
#[no_mangle]
extern "C" fn fntrace_rust_fault(why: *const u8, len: usize) -> ! {
    // SAFETY: `why` has `len` bytes and is never written.
    let why = unsafe { slice::from_raw_parts(why, len) };

    panic!(
        "fntrace: {}",
        core::str::from_utf8(why).unwrap_or("a function returned that was never entered")
    );
}

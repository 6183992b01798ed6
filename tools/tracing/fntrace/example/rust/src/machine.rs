// SPDX-License-Identifier: GPL-2.0-or-later

//! A PC, as far as it is needed: interrupts of the timer, and where output goes.

use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;
use core::fmt;
use core::ops::Range;
use core::ptr;
use core::slice;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use fntrace::Context;

use crate::Counter;

const NR_VECTORS: usize = 33;
const TIMER_VECTOR: usize = 32;
const STACK_SIZE: usize = 0x80000;

global_asm!(
    ".set NR_VECTORS, {vectors}",
    ".set STACK_SIZE, {stack}",
    include_str!("boot.S"),
    vectors = const NR_VECTORS,
    stack = const STACK_SIZE,
    options(att_syntax)
);

const CONSOLE: u16 = 0x3f8;
const LINE_STATUS: u16 = 5;
const CAN_SEND: u8 = 0x20;

const DEBUGCON: u16 = 0xe9;
const DEBUG_EXIT: u16 = 0xf4;
pub const EXIT_SUCCESS: u8 = 0x10;
pub const EXIT_FAILURE: u8 = 0x11;

const PIC1: u16 = 0x20;
const PIC2: u16 = 0xa0;
const PIC_EOI: u8 = 0x20;
const PIT_COUNTER: u16 = 0x40;
const PIT_CONTROL: u16 = 0x43;
const PIT_RATE_MODE: u8 = 0x34;
const PIT_LATCH: u8 = 0;
const PIT_HZ: u64 = 1193182;
const PIT_RELOAD: u16 = 1193;

const MSR_GS_BASE: u32 = 0xc0000101;
const KERNEL_CODE: u64 = 0x08;
const TASK_STATE: u16 = 0x18;

/// The task state only says where the stack for interrupts is: word 9 of 26 (IST 1).
#[repr(C, align(16))]
struct Tables {
    idt: [[u64; 2]; NR_VECTORS],
    task: [u32; 26],
}

struct Shared<T>(UnsafeCell<T>);

// SAFETY: There is one CPU, and init() is done with them before interrupts are on.
unsafe impl<T> Sync for Shared<T> {}

static TABLES: Shared<Tables> = Shared(UnsafeCell::new(Tables {
    idt: [[0; 2]; NR_VECTORS],
    task: [0; 26],
}));

extern "C" {
    static boot_stack: [u8; STACK_SIZE];
    static interrupt_stack: [u8; STACK_SIZE];
    static stubs: [[u8; 16]; NR_VECTORS];
    static mut gdt: [u64; 5];
}

/// What gs leads to; fntrace_current() reads it.
static CONTEXT: AtomicPtr<Context> = AtomicPtr::new(ptr::null_mut());

static TIMER: Counter = Counter::new("unikernel::machine::timer_interrupt");
static TICK: Counter = Counter::new("unikernel::machine::tick");

pub static COUNTERS: [&Counter; 2] = [&TIMER, &TICK];

static TICKS: AtomicU64 = AtomicU64::new(0);

#[inline(always)]
fn port_write(port: u16, value: u8) {
    // SAFETY: The ports of this file do nothing to memory.
    unsafe { asm!("out dx, al", in("dx") port, in("al") value, options(nomem, nostack)) }
}

#[inline(always)]
fn port_read(port: u16) -> u8 {
    let value: u8;

    // SAFETY: As in port_write().
    unsafe { asm!("in al, dx", in("dx") port, out("al") value, options(nomem, nostack)) }
    value
}

/// The serial port.
pub struct Console;

impl fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while port_read(CONSOLE + LINE_STATUS) & CAN_SEND == 0 {}
            port_write(CONSOLE, byte);
        }
        Ok(())
    }
}

/// What QEMU passes to a PVH kernel, as far as it is needed.
#[repr(C)]
struct StartInfo {
    words: [u32; 4],
    modules: u64,
    command_line: u64,
}

/// Is this word on the command line?
///
/// # Safety
///
/// `start_info` must be what the kernel was started with.
pub unsafe fn has_parameter(start_info: usize, word: &str) -> bool {
    // SAFETY: The caller says so. The memory that boot.S maps has both, and nobody writes there.
    // Each byte is read for itself, or the compiler might want strlen().
    let line = unsafe {
        let info = &*(start_info as *const StartInfo);
        let line = info.command_line as *const u8;
        let mut len = 0;

        if line.is_null() {
            return false;
        }
        while line.add(len).read_volatile() != 0 {
            len += 1;
        }
        slice::from_raw_parts(line, len)
    };

    line.split(|byte| *byte == b' ')
        .any(|own| own == word.as_bytes())
}

/// To a file or socket of the host.
pub fn send(bytes: &[u8]) {
    for byte in bytes {
        port_write(DEBUGCON, *byte);
    }
}

pub fn exit(status: u8) -> ! {
    port_write(DEBUG_EXIT, status);
    loop {
        // SAFETY: Without interrupts, it stops here for ever.
        unsafe { asm!("cli", "hlt", options(nomem, nostack)) }
    }
}

pub fn stack() -> Range<usize> {
    let low = (&raw const boot_stack) as usize;

    low..low + STACK_SIZE
}

fn fill_tables() {
    let top = (&raw const interrupt_stack) as u64 + STACK_SIZE as u64;

    // SAFETY: Nobody else uses the tables, and interrupts are off.
    unsafe {
        let tables = &mut *TABLES.0.get();

        tables.task[9] = top as u32;
        tables.task[10] = (top >> 32) as u32;
        for (gate, stub) in tables.idt.iter_mut().zip(&stubs) {
            let addr = ptr::from_ref(stub) as u64;

            // A present interrupt gate of privilege 0, on the stack IST 1.
            *gate = [
                (addr & 0xffff)
                    | (KERNEL_CODE << 16)
                    | (0x8e01 << 32)
                    | (((addr >> 16) & 0xffff) << 48),
                addr >> 32,
            ];
        }
        let task = (&raw const tables.task) as u64;
        gdt[3] = 103 | ((task & 0xffffff) << 16) | (0x89 << 40) | (((task >> 24) & 0xff) << 56);
        gdt[4] = task >> 32;
    }
}

/// A pointer to a table, as the CPU takes it: its limit and its address.
fn pointer(size: usize, addr: u64) -> [u16; 5] {
    let word = |n: u32| (addr >> (16 * n)) as u16;

    [size as u16 - 1, word(0), word(1), word(2), word(3)]
}

fn load_tables() {
    let descriptors = pointer(size_of::<[u64; 5]>(), (&raw const gdt) as u64);
    // SAFETY: Only its address is taken.
    let idt = unsafe { &raw const (*TABLES.0.get()).idt } as u64;
    let gates = pointer(size_of::<[[u64; 2]; NR_VECTORS]>(), idt);

    // SAFETY: fill_tables() made what is loaded; the segments in use stay the same.
    unsafe {
        asm!(
            "lgdt [{}]",
            "lidt [{}]",
            "ltr {:x}",
            in(reg) &descriptors,
            in(reg) &gates,
            in(reg) TASK_STATE,
            options(nostack)
        );
    }
}

/// Interrupts of the PICs at vectors 32 and up; only the timer's is let through.
fn init_pics() {
    for (pic, first, link) in [
        (PIC1, TIMER_VECTOR as u8, 4),
        (PIC2, TIMER_VECTOR as u8 + 8, 2),
    ] {
        port_write(pic, 0x11);
        port_write(pic + 1, first);
        port_write(pic + 1, link);
        port_write(pic + 1, 1);
        port_write(pic + 1, 0xff);
    }
    port_write(PIC1 + 1, 0xfe);
}

pub fn init() {
    fill_tables();
    load_tables();
    init_pics();
}

pub fn set_context(context: &'static Context) {
    let base = CONTEXT.as_ptr() as u64;

    CONTEXT.store(ptr::from_ref(context).cast_mut(), Ordering::Relaxed);
    // SAFETY: Nothing else uses gs.
    unsafe {
        asm!(
            "wrmsr",
            in("ecx") MSR_GS_BASE,
            in("eax") base as u32,
            in("edx") (base >> 32) as u32,
            options(nostack)
        );
    }
}

/// 0 is the longest round, of 65536.
fn set_timer(reload: u16) {
    port_write(PIT_CONTROL, PIT_RATE_MODE);
    port_write(PIT_COUNTER, reload as u8);
    port_write(PIT_COUNTER, (reload >> 8) as u8);
}

pub fn start_timer() {
    set_timer(PIT_RELOAD);
    // SAFETY: init() said where interrupts go.
    unsafe { asm!("sti", options(nostack)) }
}

/// Returns after at least 20 interrupts.
pub fn stop_timer() {
    while TICKS.load(Ordering::Relaxed) < 20 {
        core::hint::spin_loop();
    }
    // SAFETY: Interrupts may be off at any time.
    unsafe { asm!("cli", options(nostack)) }
}

/// The time stamp counter and the counter of the PIT, read at the same time.
struct Clocks {
    counter: u64,
    pit: u16,
}

/// A virtual CPU may be away at any time, so the reading that took least is the one to believe.
fn read_clocks() -> Clocks {
    let mut shortest = u64::MAX;
    let mut clocks = Clocks { counter: 0, pit: 0 };

    for _ in 0..16 {
        let before = fntrace::counter();
        port_write(PIT_CONTROL, PIT_LATCH);
        let low = port_read(PIT_COUNTER);
        let high = port_read(PIT_COUNTER);
        let took = fntrace::counter() - before;

        if took < shortest {
            shortest = took;
            clocks.counter = before + took / 2;
            clocks.pit = u16::from_le_bytes([low, high]);
        }
    }
    clocks
}

/// During 20 ms; the PIT counts down.
fn measure_counter() -> u64 {
    let from = read_clocks();

    loop {
        let to = read_clocks();
        let ticks = u64::from(from.pit.wrapping_sub(to.pit));

        if ticks >= PIT_HZ / 50 {
            return (to.counter - from.counter) * PIT_HZ / ticks;
        }
    }
}

/// The rate of the counter, 0 if it cannot be found out.
///
/// Interrupts could not tell: some are lost while a buffer is sent. The counter of the PIT is
/// back where it was after 55 ms, and if the CPU was away for so long, nothing tells. So two
/// measurements must agree.
pub fn counter_hz() -> u64 {
    set_timer(0);
    let mut last = measure_counter();

    for _ in 0..50 {
        let hz = measure_counter();

        if hz.abs_diff(last) < last / 1000 {
            return hz;
        }
        last = hz;
    }
    0
}

/// The library of the kernel: what an interrupt calls.
#[inline(never)]
fn tick() {
    TICK.add();
    fntrace::mark(TICKS.fetch_add(1, Ordering::Relaxed) + 1);
}

#[inline(never)]
fn timer_interrupt() {
    TIMER.add();
    tick();
    port_write(PIC1, PIC_EOI);
}

/// Called by boot.S.
#[no_mangle]
extern "C" fn interrupt(vector: usize, addr: usize) {
    if vector == TIMER_VECTOR {
        timer_interrupt();
    } else {
        panic!("trap {vector} at {addr:#x}");
    }
}

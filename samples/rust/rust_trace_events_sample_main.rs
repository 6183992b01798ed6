// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The trace events of `samples/trace_events`, in Rust.
//!
//! For each event of `trace-events-sample.h` there is one here with `rust_` before its name: the
//! same fields, the same print format, the same values once a second. The two files can be read
//! side by side, and the two modules be loaded together. `rust_sample_event` is the event of
//! `samples/ftrace/sample-trace-array.h`.
//!
//! ```text
//! # echo 1 > /sys/kernel/tracing/events/rust-sample-trace/enable
//! # cat /sys/kernel/tracing/trace_pipe
//! ```

// `foo`, as in C.
#![allow(clippy::disallowed_names)]

use core::ptr;
use kernel::{
    bindings,
    bitmap::Bitmap,
    cpu::{nr_cpu_ids, CpuId},
    cpumask::Cpumask,
    error::from_err_ptr,
    ffi::{c_char, c_int, c_long, c_ulong, c_void},
    fmt, impl_has_hr_timer,
    prelude::*,
    sync::{
        aref::ARef,
        atomic::{ordering, Atomic},
        Arc, ArcBorrow,
    },
    task::Task,
    time::{
        hrtimer::{
            ArcHrTimerHandle, HrTimer, HrTimerCallback, HrTimerCallbackContext, HrTimerPointer,
            HrTimerRestart, RelativeSoftMode,
        },
        msecs_to_jiffies, Delta, Monotonic,
    },
    trace_event::char_array,
};

module! {
    type: RustTraceEventsSample,
    name: "rust_trace_events_sample",
    authors: ["The static-key tracepoints developers"],
    description: "The trace events of the C sample in Rust",
    license: "GPL",
}

// A constant in a print format is its value in the `format` file, without TRACE_DEFINE_ENUM().
const TRACE_SAMPLE_FOO: c_int = 2;
const TRACE_SAMPLE_BAR: c_int = 4;
const TRACE_SAMPLE_ZOO: c_int = 8;

kernel::trace_event! {
    system: "rust-sample-trace",

    /// As `foo_bar`: most kinds of fields, and functions of the print format.
    ///
    /// `sized(cpus)` counts the bytes of `cpus`, so `%*pbl` prints as many bits, an eighth of what
    /// there is. `bits(cpus)` is the number of bits.
    fn rust_foo_bar(
        foo: &CStr,
        bar: c_int,
        lst: &[c_int],
        string: &CStr,
        mask: &Cpumask,
        message: fmt::Arguments<'_>,
    ),
    entry: {
        foo: [c_char; 10] = char_array(foo),
        bar: c_int,
        list: dynamic_array<c_int> = lst,
        str: string = string,
        cpus: bitmask = possible_cpus(mask),
        cpum: cpumask = mask,
        vstr: vstring = message,
        lstr: string = &foo.to_bytes()[..foo.count_bytes().min((bar / 2) as usize)],
    },
    print: "foo %s %d %s %s %s %s %s %s (%s) (%s) %s [%d] %*pbl",
        foo, bar,
        symbolic(bar, {
            0: "zero",
            TRACE_SAMPLE_FOO: "TWO",
            TRACE_SAMPLE_BAR: "FOUR",
            TRACE_SAMPLE_ZOO: "EIGHT",
            10: "TEN",
        }),
        flags(bar, "|", { 1: "BIT1", 2: "BIT2", 4: "BIT3", 8: "BIT4" }),
        array(list), dynamic_array(list), str, lstr, cpus, cpum, vstr, len(cpus), sized(cpus),
}

kernel::trace_event! {
    /// As `foo_bar_with_cond`: the condition costs nothing while the event is disabled.
    fn rust_foo_bar_with_cond(foo: &CStr, bar: c_int) if bar % 10 == 0,
    entry: {
        foo: string,
        bar: c_int,
    },
    print: "foo %s %d", foo, bar,
}

kernel::trace_event! {
    /// As `foo_bar_with_fn`: its thread runs only while the event is enabled.
    fn rust_foo_bar_with_fn(foo: &CStr, bar: c_int),
    entry: {
        foo: string,
        bar: c_int,
    },
    print: "foo %s %d", foo, bar,
    register: foo_bar_reg,
    unregister: foo_bar_unreg,
}

kernel::trace_event_class! {
    class rust_foo_template(foo: &CStr, bar: c_int),
    entry: {
        foo: string,
        bar: c_int,
    },
    print: "foo %s %d", foo, bar,
    events: {
        /// As `foo_with_template_simple`.
        fn rust_foo_with_template_simple,
        /// As `foo_with_template_cond`.
        fn rust_foo_with_template_cond if bar % 8 == 0,
        /// As `foo_with_template_fn`: has the thread of `rust_foo_bar_with_fn`.
        fn rust_foo_with_template_fn { register: foo_bar_reg, unregister: foo_bar_unreg },
        /// As `foo_with_template_print`: another text for the same record.
        fn rust_foo_with_template_print { print: "bar %s %d", foo, bar },
    },
}

kernel::trace_event! {
    /// As `foo_rel_loc`: fields whose places in the record are counted from themselves.
    fn rust_foo_rel_loc(foo: &CStr, bar: c_int, mask: &[c_ulong; 1], cpus: &Cpumask),
    entry: {
        foo: rel_string,
        bar: c_int,
        bitmask: rel_bitmask = &mask[..],
        cpumask: rel_cpumask = cpus,
    },
    print: "foo_rel_loc %s, %d, %s, %s", foo, bar, bitmask, cpumask,
}

kernel::trace_event! {
    /// As `foo_timer_fn`: called by a timer.
    fn rust_foo_timer_fn(data: &TimerData),
    entry: {
        name: string = data.name,
        count: c_int = data.counter().load(ordering::Relaxed),
    },
    print: "name=%s count=%d", name, count,
}

kernel::trace_event! {
    /// As `sample_event` of `samples/ftrace/sample-trace-array.h`.
    fn rust_sample_event(count: c_int, time: c_ulong),
    entry: {
        count: c_int,
        time: c_ulong,
    },
    print: "count value=%d at jiffies=%lu", count, time,
}

/// Returns as many bits of a mask as there are possible CPUs.
fn possible_cpus(mask: &Cpumask) -> &Bitmap {
    // SAFETY: The mask of possible CPUs is set up when the kernel boots.
    let possible = unsafe { Cpumask::from_raw(&raw const bindings::__cpu_possible_mask) };

    // SAFETY: A mask has a bit for each possible CPU.
    unsafe { Bitmap::from_raw(mask.as_raw().cast(), possible.weight() as usize) }
}

/// A kernel thread, which is stopped when this is dropped.
struct Thread(ARef<Task>);

impl Thread {
    /// Starts a thread that calls a function once a second, with the number of calls before.
    fn run(name: &CStr, each_second: fn(c_int)) -> Result<Self> {
        // SAFETY: `main` gets a function as it expects, and the format has one string.
        let task = from_err_ptr(unsafe {
            bindings::kthread_create_on_node(
                Some(Self::main),
                each_second as *mut c_void,
                bindings::NUMA_NO_NODE,
                c"%s".as_char_ptr(),
                name.as_char_ptr(),
            )
        })?;
        // SAFETY: The thread has not been woken up yet, so its task exists.
        let task: ARef<Task> = unsafe { &*task.cast::<Task>() }.into();

        task.wake_up();
        Ok(Self(task))
    }

    /// # Safety
    ///
    /// This is for a thread of [`Thread::run`], with a `fn(c_int)` as its data.
    unsafe extern "C" fn main(data: *mut c_void) -> c_int {
        // SAFETY: The caller guarantees that this is such a function.
        let each_second = unsafe { core::mem::transmute::<*mut c_void, fn(c_int)>(data) };
        let second = msecs_to_jiffies(1000) as c_long;
        let mut count: c_int = 0;

        // SAFETY: This is a kernel thread.
        while !unsafe { bindings::kthread_should_stop() } {
            // SAFETY: A thread may sleep. kthread_stop() wakes it up.
            unsafe { bindings::schedule_timeout_interruptible(second) };
            each_second(count);
            count = count.wrapping_add(1);
        }
        0
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // SAFETY: This is a kernel thread, and nobody else stops it.
        unsafe { bindings::kthread_stop(self.0.as_ptr()) };
    }
}

/// Calls what needs no thread of its own.
fn simple(count: c_int) {
    const STRINGS: [&CStr; 5] = [
        c"Mother Goose",
        c"Snoopy",
        c"Gandalf",
        c"Frodo",
        c"One ring to rule them all",
    ];
    let nr = count as usize % STRINGS.len();
    let task = kernel::current!();
    // SAFETY: This points into the task, or to a constant; other CPUs may change its bits.
    let cpus = unsafe { Cpumask::from_raw((*task.as_ptr()).cpus_ptr) };

    trace_rust_foo_bar(
        c"hello",
        count,
        &[1, 2, 3, 4][..nr],
        STRINGS[nr],
        cpus,
        fmt!("iter={count}"),
    );
    trace_rust_foo_with_template_simple(c"HELLO", count);
    trace_rust_foo_bar_with_cond(c"Some times print", count);
    trace_rust_foo_with_template_cond(c"prints other times", count);
    trace_rust_foo_with_template_print(c"I have to be different", count);
    trace_rust_foo_rel_loc(c"Hello __rel_loc", count, &[0xdeadbeef], cpus);
    if trace_rust_sample_event_enabled() {
        // SAFETY: The kernel writes this all the time, in one access.
        let time = unsafe { ptr::read_volatile(&raw const bindings::jiffies) };

        trace_rust_sample_event(count, time);
    }
}

/// Calls the events that start the thread which calls this.
fn simple_fn(count: c_int) {
    trace_rust_foo_bar_with_fn(c"Look at me", count);
    trace_rust_foo_with_template_fn(c"Look at me too", count);
}

/// How many of these events are enabled.
static SIMPLE_FN_USERS: Atomic<i32> = Atomic::new(0);

/// Their thread, from [`KBox::into_raw`]; null while it does not run.
static SIMPLE_FN_THREAD: Atomic<*mut Thread> = Atomic::new(ptr::null_mut());

fn start_simple_fn() -> Result {
    pr_info!("Starting the thread of the events with functions\n");

    let thread = KBox::new(Thread::run(c"rust-sample-fn", simple_fn)?, GFP_KERNEL)?;

    SIMPLE_FN_THREAD.xchg(KBox::into_raw(thread), ordering::Full);
    Ok(())
}

fn stop_simple_fn() {
    let thread = SIMPLE_FN_THREAD.xchg(ptr::null_mut(), ordering::Full);

    if !thread.is_null() {
        pr_info!("Stopping the thread of the events with functions\n");
        // SAFETY: This is from `KBox::into_raw`, and nobody else has it any more.
        drop(unsafe { KBox::from_raw(thread) });
    }
}

/// Called before the first probe of either event. The kernel calls this and [`foo_bar_unreg`] one
/// at a time. If it returns an error, the event stays disabled.
fn foo_bar_reg() -> Result {
    if SIMPLE_FN_USERS.fetch_add(1, ordering::Full) > 0 {
        return Ok(());
    }
    start_simple_fn().inspect_err(|_| {
        SIMPLE_FN_USERS.fetch_sub(1, ordering::Full);
    })
}

/// Called after the last probe of either event.
fn foo_bar_unreg() {
    if SIMPLE_FN_USERS.fetch_sub(1, ordering::Full) == 1 {
        stop_simple_fn();
    }
}

/// A timer that counts on each CPU how often it expired there.
#[pin_data]
struct TimerData {
    name: &'static CStr,
    counters: KVec<Atomic<i32>>,
    #[pin]
    timer: HrTimer<Self>,
}

impl TimerData {
    fn new() -> impl PinInit<Self, Error> {
        try_pin_init!(Self {
            name: c"sample_timer_counter",
            counters: {
                let mut counters = KVec::new();

                for _ in 0..nr_cpu_ids() {
                    counters.push(Atomic::new(0), GFP_KERNEL)?;
                }
                counters
            },
            timer <- HrTimer::new(),
        })
    }

    /// Returns the counter of this CPU.
    fn counter(&self) -> &Atomic<i32> {
        &self.counters[CpuId::current().as_u32() as usize]
    }
}

impl HrTimerCallback for TimerData {
    type Pointer<'a> = Arc<Self>;

    fn run(
        this: ArcBorrow<'_, Self>,
        mut context: HrTimerCallbackContext<'_, Self>,
    ) -> HrTimerRestart {
        trace_rust_foo_timer_fn(&this);
        this.counter().add(1, ordering::Relaxed);
        context.forward_now(Delta::from_secs(1));
        HrTimerRestart::Restart
    }
}

impl_has_hr_timer! {
    // In a softirq, as the timers of C.
    impl HasHrTimer<Self> for TimerData {
        mode: RelativeSoftMode<Monotonic>, field: self.timer
    }
}

struct RustTraceEventsSample {
    _simple: Thread,
    _timer: ArcHrTimerHandle<TimerData>,
}

impl kernel::Module for RustTraceEventsSample {
    fn init(_module: &'static ThisModule) -> Result<Self> {
        let timer = Arc::pin_init(TimerData::new(), GFP_KERNEL)?;

        Ok(Self {
            _simple: Thread::run(c"rust-sample", simple)?,
            _timer: timer.start(Delta::from_secs(1)),
        })
    }
}

impl Drop for RustTraceEventsSample {
    fn drop(&mut self) {
        // The events may still be enabled: the kernel removes them after this.
        stop_simple_fn();
    }
}

// SPDX-License-Identifier: GPL-2.0-or-later

//! Work for whose functions the number of calls is known.

use core::hint::black_box;

use crate::Counter;

static FIB: Counter = Counter::new("unikernel::application::fib");
static DESCEND: Counter = Counter::new("unikernel::application::descend");
static ORDER: Counter = Counter::new("unikernel::application::order");
static SQUARE: Counter = Counter::new(
    "<unikernel::application::Square as \
unikernel::application::Shape>::area",
);
static CIRCLE: Counter = Counter::new(
    "<unikernel::application::Circle as \
unikernel::application::Shape>::area",
);

pub static COUNTERS: [&Counter; 5] = [&FIB, &DESCEND, &ORDER, &SQUARE, &CIRCLE];

#[inline(never)]
fn fib(n: u64) -> u64 {
    FIB.add();
    if n < 2 {
        n
    } else {
        fib(n - 1) + black_box(fib(n - 2))
    }
}

#[inline(never)]
fn descend(levels: u64) -> u64 {
    DESCEND.add();
    if levels == 0 {
        0
    } else {
        black_box(descend(levels - 1)) + 1
    }
}

/// Called by the sort of the core library.
#[inline(never)]
fn order(a: &u64, b: &u64) -> core::cmp::Ordering {
    ORDER.add();
    a.cmp(b)
}

trait Shape {
    fn area(&self) -> f64;
}

struct Square(f64);
struct Circle(f64);

/// Results are in vector registers, which the hooks must leave alone.
impl Shape for Square {
    #[inline(never)]
    fn area(&self) -> f64 {
        SQUARE.add();
        self.0 * self.0
    }
}

impl Shape for Circle {
    #[inline(never)]
    fn area(&self) -> f64 {
        CIRCLE.add();
        3.0 * self.0 * self.0
    }
}

/// The table of functions has addresses, which had to be relocated.
#[inline(never)]
fn areas(shapes: &[&dyn Shape]) -> f64 {
    shapes.iter().map(|shape| shape.area()).sum()
}

#[inline(never)]
fn sort() {
    let mut numbers = [0u64; 100];
    let mut value = 1u64;

    for number in &mut numbers {
        value = value.wrapping_mul(6364136223846793005).wrapping_add(1);
        *number = value >> 33;
    }
    numbers.sort_unstable_by(order);
    assert!(numbers.is_sorted(), "the numbers are not sorted");
}

#[inline(never)]
pub fn run() {
    for _ in 0..40 {
        assert_eq!(fib(black_box(12)), 144);
        assert_eq!(descend(black_box(500)), 500);
        sort();
        assert_eq!(
            areas(black_box(&[&Square(2.0), &Circle(1.0), &Square(3.0)])),
            16.0
        );
    }
}

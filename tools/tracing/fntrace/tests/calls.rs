// SPDX-License-Identifier: GPL-2.0-or-later
//! Functions of Rust, threads, and panics that are caught.

use std::hint::black_box;
use std::panic;
use std::thread;

#[inline(never)]
fn fib(n: u32) -> u64 {
    if n < 2 {
        black_box(n as u64)
    } else {
        black_box(fib(n - 1)) + black_box(fib(n - 2))
    }
}

#[inline(never)]
fn panics(n: u32) {
    if black_box(n) < 1000 {
        panic!("as it should");
    }
}

#[inline(never)]
fn catches(n: u32) -> bool {
    panic::catch_unwind(|| panics(n)).is_err()
}

fn fibs(n: u32) -> u64 {
    let (mut a, mut b) = (1u64, 1u64);
    for _ in 1..n {
        (a, b) = (b, a + b + 1);
    }
    b
}

fn main() {
    panic::set_hook(Box::new(|_| ()));
    let other = thread::spawn(|| fib(10));
    assert_eq!(fib(12), 144);
    assert_eq!(other.join().unwrap(), 55);
    for n in 0..10 {
        assert!(catches(n));
    }
    assert_eq!(fib(5), 5);
    println!("count calls::fib {}", fibs(12) + fibs(10) + fibs(5));
    println!("count calls::panics 10");
    println!("count calls::catches 10");
    println!("count calls::main 1");
}

// SPDX-License-Identifier: GPL-2.0-or-later
//! Functions of Rust with references, strings and enumerations; see values.c. Those that are
//! exported have the arguments that are written here, whatever is optimised.

use std::hint::black_box;

#[derive(Clone, Copy)]
pub enum Color {
    Red = 1,
    Blue = -5,
}

pub struct Inner {
    a: u8,
    b: i64,
}

pub struct Thing {
    name: String,
    text: &'static str,
    inner: Inner,
    color: Color,
    ratio: f32,
}

pub struct Wrapped(u32);

#[inline(never)]
#[no_mangle]
pub fn numbers(a: i8, b: u64, c: f32, d: f64, e: bool, f: char, g: usize) -> i32 {
    black_box((a, b, c, d, e, f, g));
    -3
}

#[inline(never)]
#[no_mangle]
pub fn texts<'a>(a: &'a str, b: &String, c: &mut u16, d: &f64, e: *const i32) -> &'a str {
    black_box((b, c, d, e));
    a
}

#[inline(never)]
#[no_mangle]
pub fn things(a: &Thing, b: Color, c: &Color, d: Wrapped, e: &mut Inner) -> u64 {
    black_box((a, b, c, d, e));
    u64::MAX
}

#[inline(never)]
#[no_mangle]
pub fn slices(a: &[u16], b: Box<Inner>, c: u8) -> Color {
    black_box((a, b, c));
    Color::Blue
}

#[inline(never)]
#[no_mangle]
pub fn options(a: i32, b: Option<i32>, c: i32) -> bool {
    black_box((a, b, c));
    true
}

/// Optimised, it gets neither its arguments nor returns anything: all its calls are known.
#[inline(never)]
fn local(a: i32, b: i32) -> i32 {
    black_box(b);
    a
}

impl Thing {
    #[inline(never)]
    #[export_name = "method"]
    pub fn method(&self, a: i32) -> f64 {
        black_box((self, a));
        2.5
    }
}

trait Area {
    fn area(&self, times: i32) -> i32;
}

/// The older names of Rust have dots in those of trait implementations.
impl Area for Inner {
    #[inline(never)]
    fn area(&self, times: i32) -> i32 {
        black_box((self, times));
        black_box(21)
    }
}

const NAMED: &str = "{name=\"named\", text=\"some text\", inner={a=1, b=2}, color=Red, ratio=0.25}";

fn main() {
    let number = 7;
    let mut inner = Inner { a: 255, b: -9 };
    let thing = Thing {
        name: "named".to_string(),
        text: "some text",
        inner: Inner { a: 1, b: 2 },
        color: Color::Red,
        ratio: 0.25,
    };
    let list = [1u16, 2, 3];

    black_box(numbers(-1, 1 << 40, 0.5, -1e100, true, 'ß', 9));
    println!("shows numbers(a=-1, b=1099511627776, c=0.5, d=-1e+100, e=true, f='ß', g=9) = -3");
    black_box(texts("abc", &"owned".to_string(), &mut 5, &1.5, &number));
    println!(
        "shows texts(a=\"abc\", b=\"owned\", c=5, d=1.5, e={:p}) = \"abc\"",
        &number
    );
    black_box(things(
        &thing,
        Color::Blue,
        &Color::Red,
        Wrapped(17),
        &mut inner,
    ));
    print!("shows things(a={NAMED}, b=Blue, c=Red, d={{__0=17}}, e={{a=255, b=-9}})");
    println!(" = 18446744073709551615");
    black_box(slices(&list, Box::new(Inner { a: 4, b: 5 }), 6));
    println!(
        "shows slices(a={{data_ptr={:p}, length=3}}, b={{a=4, b=5}}, c=6) = Blue",
        &list
    );
    black_box(options(1, Some(2), 3));
    println!("shows options(a=1, ...) = true");
    black_box(local(12, 13));
    black_box(inner.area(14));
    black_box(thing.method(11));
    println!("shows method(self={NAMED}, a=11) = 2.5");
}

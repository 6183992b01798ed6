// SPDX-License-Identifier: GPL-2.0

//! Lists of values and names that C would read past the end of.

use kernel::trace_event::{Key, Keys};

/// A name without a NUL.
pub const NAME: Key = Key::new(1, b"one"); //~ ERROR: the name of a value has no NUL

/// A list that does not end.
pub static LIST: Keys<1> = Keys::new([Key::new(1, b"1\0")]); //~ ERROR: a list of values has no end

/// As above.
pub static EMPTY: Keys<0> = Keys::new([]); //~ ERROR: a list of values has no end

/// What is right.
pub static ONE: Keys<2> = Keys::new([Key::new(1, b"one\0"), Key::END]);

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Parser of the format strings of the kernel's `printf()`, for use at compile time.
//!
//! [`mark!`] and [`trace_event!`] check with this that their arguments fit the format, as the C
//! compiler cannot. Arguments are counted from zero; each `*` takes one. All functions are
//! `#[inline]`, so that none is in the kernel: only the compiler calls them.
//!
//! C documentation: `Documentation/core-api/printk-formats.rst`
//!
//! [`mark!`]: crate::mark
//! [`trace_event!`]: crate::trace_event!

/// The format has no such argument.
pub const NONE: char = '\0';

/// The format has a conversion that the kernel does not support.
pub const UNKNOWN: char = '?';

/// Returns the byte at an index, or zero after the end.
#[inline]
const fn byte(text: &[u8], at: usize) -> u8 {
    if at < text.len() {
        text[at]
    } else {
        0
    }
}

/// Skips flags at the front of a conversion.
#[inline]
const fn skip_flags(text: &[u8], mut at: usize) -> usize {
    while matches!(byte(text, at), b'-' | b'+' | b' ' | b'#' | b'0') {
        at += 1;
    }
    at
}

/// Skips a number or a star, and counts the star.
#[inline]
const fn skip_number(text: &[u8], mut at: usize, stars: usize) -> (usize, usize) {
    if byte(text, at) == b'*' {
        return (at + 1, stars + 1);
    }
    while byte(text, at).is_ascii_digit() {
        at += 1;
    }
    (at, stars)
}

/// A parsed conversion.
struct Conversion {
    /// Number of arguments that its width and precision take.
    stars: usize,
    /// The letter that [`argument`] returns for it.
    argument: char,
    /// Index after its end; the `M` of `%pM` is a part of it.
    end: usize,
    /// Index after its `%`.
    start: usize,
    /// Index of its letter.
    letter: usize,
    /// Its width, 0 if it has none or takes it from an argument.
    width: usize,
}

/// Parses the conversion whose `%` is before `start`.
#[inline]
const fn conversion(text: &[u8], start: usize) -> Conversion {
    let start = skip_flags(text, start);
    let (mut at, mut stars) = skip_number(text, start, 0);
    let mut width = 0;
    let mut digit = start;

    // More digits than these are no width that matters here.
    while digit < at && digit < start + 6 && stars == 0 {
        width = 10 * width + (text[digit] - b'0') as usize;
        digit += 1;
    }

    if byte(text, at) == b'.' {
        (at, stars) = skip_number(text, at + 1, stars);
    }

    let (length, integer) = match (byte(text, at), byte(text, at + 1)) {
        (b'h', b'h') => (2, 'd'),
        (b'h', _) => (1, 'd'),
        (b'l', b'l') => (2, 'L'),
        (b'L', _) => (1, 'L'),
        (b'l' | b'z' | b't', _) => (1, 'l'),
        _ => (0, 'd'),
    };
    let letter = at + length;
    let argument = match byte(text, letter) {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => integer,
        _ if length != 0 => UNKNOWN,
        b'c' => 'd',
        b's' => 's',
        b'p' => 'p',
        _ => UNKNOWN,
    };
    let mut end = letter + 1;

    // The letters and digits after `%p` are a part of the conversion.
    while argument == 'p' && byte(text, end).is_ascii_alphanumeric() {
        end += 1;
    }
    Conversion {
        stars,
        argument,
        end,
        start,
        letter,
        width,
    }
}

/// Finds the conversion that takes an argument, and whether the argument is for one of its stars.
#[inline]
const fn find(text: &[u8], mut index: usize) -> Option<(Conversion, bool)> {
    let mut at = 0;

    while at < text.len() {
        if text[at] != b'%' {
            at += 1;
            continue;
        }
        if byte(text, at + 1) == b'%' {
            at += 2;
            continue;
        }

        let found = conversion(text, at + 1);

        if found.argument == UNKNOWN || index < found.stars {
            let star = found.argument != UNKNOWN;

            return Some((found, star));
        }
        if index == found.stars {
            return Some((found, false));
        }
        index -= found.stars + 1;
        at = found.end;
    }
    None
}

/// Returns the type of an argument of the format.
///
/// It is `d` for an `int`, `l` for a `long`, `L` for a `long long`, `s` for a string, `p` for a
/// pointer, [`NONE`], or, if there is an unknown conversion before that, [`UNKNOWN`].
///
/// # Examples
///
/// ```
/// use kernel::printf::{argument, NONE, UNKNOWN};
///
/// assert_eq!(argument("%d of %lu", 1), 'l');
/// assert_eq!(argument("%s 100%%", 1), NONE);
/// assert_eq!(argument("%f", 0), UNKNOWN);
/// // The star is an `int` before the value.
/// assert_eq!(argument("%*llx", 0), 'd');
/// assert_eq!(argument("%*llx", 1), 'L');
/// ```
#[inline]
pub const fn argument(format: &str, index: usize) -> char {
    match find(format.as_bytes(), index) {
        Some((_, true)) => 'd',
        Some((found, false)) => found.argument,
        None => NONE,
    }
}

/// Returns whether the format has exactly `count` arguments, and only conversions that the kernel
/// supports.
///
/// # Examples
///
/// ```
/// use kernel::printf::counts;
///
/// assert!(counts("%s 100%%", 1));
/// assert!(!counts("%s %d", 1));
/// assert!(!counts("%s", 2));
/// assert!(!counts("%n", 1));
/// ```
#[inline]
pub const fn counts(format: &str, count: usize) -> bool {
    argument(format, usize::MAX) != UNKNOWN
        && argument(format, count) == NONE
        && (count == 0 || argument(format, count - 1) != NONE)
}

/// Returns how many bytes a `%p` conversion reads at the address in its argument; 0 if it prints
/// the pointer itself, hashed or as a symbol or an error.
///
/// `None` if that does not depend on the format alone, and for `%px`, which shows the address.
#[inline]
const fn reads(format: &str, index: usize) -> Option<usize> {
    let text = format.as_bytes();
    let Some((found, false)) = find(text, index) else {
        return None;
    };
    let letter = found.letter;
    let extension = (
        found.end - letter - 1,
        byte(text, letter + 1),
        byte(text, letter + 2),
        byte(text, letter + 3),
    );

    match extension {
        (0, ..) | (1, b'K' | b'S' | b's' | b'e', ..) => Some(0),
        // The width is the number of bytes, of which it prints at most 64.
        (1, b'h', ..) | (2, b'h', b'C' | b'D' | b'N', _) if found.stars == 0 => {
            Some(match found.width {
                0 => 1,
                1..=64 => found.width,
                _ => 64,
            })
        }
        (1, b'M' | b'm', ..) | (2, b'M', b'R' | b'F', _) | (2, b'm', b'R', _) => Some(6),
        (2, b'I' | b'i', b'4', _) | (3, b'I', b'4', b'h' | b'n' | b'b' | b'l') => Some(4),
        (2, b'I' | b'i', b'6', _) | (3, b'I', b'6', b'c') => Some(16),
        (1, b'U', ..) | (2, b'U', b'b' | b'B' | b'l' | b'L', _) => Some(16),
        _ => None,
    }
}

/// An argument that is stored in a record. Memory outside of the record must not be accessed when
/// it is printed.
#[derive(Clone, Copy)]
pub enum Argument {
    /// An integer, with the letter of [`argument`].
    Integer(char),
    /// A NUL-terminated string in the record.
    Text,
    /// This number of bytes in the record.
    Bytes(usize),
    /// An address that may be printed, but not dereferenced.
    Address,
    /// The `*` before [`Self::SizedBytes`] or [`Self::SizedBits`].
    Star,
    /// As many bytes in the record as the argument before this says.
    SizedBytes,
    /// As many bits in the record as the argument before this says.
    SizedBits,
    /// A `struct sockaddr` in the record.
    Sockaddr,
}

/// Returns the first letters of the extension of a `%p` conversion, and whether its width is a
/// star.
#[inline]
const fn extension(format: &str, index: usize) -> (u8, u8, bool) {
    let text = format.as_bytes();

    match find(text, index) {
        Some((found, false)) => {
            let start = skip_flags(text, found.start);

            (
                byte(text, found.letter + 1),
                byte(text, found.letter + 2),
                found.stars == 1 && byte(text, start) == b'*',
            )
        }
        _ => (0, 0, false),
    }
}

impl Argument {
    /// Returns whether this fits the argument `index` of the format.
    ///
    /// # Examples
    ///
    /// ```
    /// use kernel::printf::Argument;
    ///
    /// assert!(Argument::Integer('d').fits("%u", 0));
    /// // A MAC address is six bytes.
    /// assert!(Argument::Bytes(6).fits("%pM", 0));
    /// assert!(!Argument::Bytes(4).fits("%pM", 0));
    /// // This would show the address.
    /// assert!(!Argument::Address.fits("%px", 0));
    /// ```
    #[inline]
    pub const fn fits(self, format: &str, index: usize) -> bool {
        match (self, argument(format, index)) {
            (Self::Integer(letter), wanted) => letter == wanted,
            (Self::Text, 's') => true,
            (Self::Bytes(size), 'p') => {
                matches!(reads(format, index), Some(bytes) if 0 < bytes && bytes <= size)
            }
            (Self::Address, 'p') => matches!(reads(format, index), Some(0)),
            (Self::Star, 'd') => matches!(find(format.as_bytes(), index), Some((_, true))),
            (Self::SizedBytes, 'p') => matches!(extension(format, index), (b'h', _, true)),
            (Self::SizedBits, 'p') => matches!(extension(format, index), (b'b', _, true)),
            (Self::Sockaddr, 'p') => matches!(extension(format, index), (b'I' | b'i', b'S', false)),
            _ => false,
        }
    }
}

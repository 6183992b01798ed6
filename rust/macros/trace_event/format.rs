// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Format strings of the kernel's `printf()`.

/// A part of a format string.
pub(crate) enum Piece {
    /// Text, in which percent signs are doubled.
    Text(String),
    Conversion(Conversion),
}

/// A conversion like `%-8lu`.
pub(crate) struct Conversion {
    /// All of it.
    pub(crate) text: String,
    /// The precision, if it has one.
    pub(crate) precision: Option<usize>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Integer(Width),
    Char,
    String,
    /// `%p`, `%px`, `%pS`, ...: prints the pointer.
    Pointer,
    /// `%pM`, ...: prints as many bytes that it points to.
    Memory(usize),
}

/// The size of an integer.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Width {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Size,
}

/// Splits a format string.
pub(crate) fn parse(format: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = format;

    while let Some(percent) = rest.find('%') {
        if percent != 0 {
            pieces.push(Piece::Text(rest[..percent].to_string()));
        }
        rest = &rest[percent..];
        if let Some(after) = rest.strip_prefix("%%") {
            pieces.push(Piece::Text("%%".to_string()));
            rest = after;
        } else {
            let conversion = conversion(rest)?;

            rest = &rest[conversion.text.len()..];
            pieces.push(Piece::Conversion(conversion));
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_string()));
    }
    Ok(pieces)
}

/// Takes the characters that `accept` accepts from the front of a text.
fn take<'a>(text: &mut &'a str, accept: impl Fn(char) -> bool) -> &'a str {
    let end = text.find(|c| !accept(c)).unwrap_or(text.len());
    let (taken, rest) = text.split_at(end);

    *text = rest;
    taken
}

/// Parses the conversion that a text starts with.
fn conversion(text: &str) -> Result<Conversion, String> {
    let mut rest = &text[1..];

    take(&mut rest, |c| "-+ #0".contains(c));
    take(&mut rest, |c| c.is_ascii_digit());

    let digits = rest.strip_prefix('.').map(|after| {
        rest = after;
        take(&mut rest, |c| c.is_ascii_digit())
    });

    if rest.starts_with('*') {
        return Err("`*` is not supported: write the width or precision as a number".to_string());
    }

    let precision = match digits.map(str::parse) {
        None => None,
        Some(Ok(number)) => Some(number),
        // To the kernel, `%.s` is the same as `%s`, and not as `%.0s`.
        Some(Err(_)) => return Err(format!("the precision of `{text}` is not a number")),
    };
    let modifier = take(&mut rest, |c| "hlLzt".contains(c));
    let mut chars = rest.chars();
    let Some(letter) = chars.next() else {
        return Err(format!("the conversion `{text}` is not complete"));
    };

    rest = chars.as_str();
    let extension = if letter == 'p' {
        take(&mut rest, |c| c.is_ascii_alphanumeric())
    } else {
        ""
    };
    let text = text[..text.len() - rest.len()].to_string();
    let unknown = || Err(format!("`{text}` is not a conversion of the kernel"));

    let kind = match letter {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => Kind::Integer(match modifier {
            "" => Width::Int,
            "h" => Width::Short,
            "hh" => Width::Char,
            "l" => Width::Long,
            "ll" | "L" => Width::LongLong,
            "z" | "t" => Width::Size,
            _ => return unknown(),
        }),
        'n' => return Err("`%n` is not supported, in the kernel as a whole".to_string()),
        'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
            return Err(format!(
                "`{text}` is for floating point numbers, which the kernel cannot print"
            ))
        }
        _ if !modifier.is_empty() => return unknown(),
        'c' => Kind::Char,
        's' => Kind::String,
        'p' => match extension {
            "" | "x" | "K" | "S" | "SR" | "s" => Kind::Pointer,
            "M" | "MR" | "MF" | "m" | "mR" => Kind::Memory(6),
            "I4" | "i4" | "I4h" | "I4n" | "I4b" | "I4l" => Kind::Memory(4),
            "I6" | "i6" | "I6c" => Kind::Memory(16),
            "U" | "Ub" | "UB" | "Ul" | "UL" => Kind::Memory(16),
            _ => {
                return Err(format!(
                    "`{text}` is not supported: when an event is printed, only what is in its \
                     record can be read"
                ))
            }
        },
        _ => return unknown(),
    };

    Ok(Conversion {
        text,
        precision,
        kind,
    })
}

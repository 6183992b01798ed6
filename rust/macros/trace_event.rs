// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `trace_event!`, `trace_event_class!` and `tracepoint!`.
//!
//! An event defined in Rust is a C event whose only argument is a pointer to a struct with the
//! values of the fields. [`Definition`] is the parsed input of the macros. [`c_text`] generates the
//! struct and the `TRACE_EVENT()` in C, [`expand`] the struct and the functions in Rust, and
//! [`check`] reports errors that the C compiler would not report, or not at the right location.
//! [`class`], [`expr`], [`functions`], [`register`], [`tracepoint`] and [`variable`] each have one
//! feature, from its syntax to its C text.

mod c_text;
mod check;
mod class;
mod expand;
mod expr;
mod functions;
mod parse;
mod register;
mod tracepoint;
mod variable;

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Error, Expr, LitStr, Token, Type, Visibility};

use self::{functions::PrintArg, variable::Variable};

/// The parsed input of either macro.
struct Definition {
    system: Option<LitStr>,
    /// Name of the class, or of the single event.
    name: Ident,
    is_class: bool,
    args: Vec<(Ident, Type)>,
    fields: Vec<Field>,
    print: Print,
    events: Vec<Event>,
}

struct Event {
    attrs: Vec<Attribute>,
    vis: Visibility,
    unsafety: Option<Token![unsafe]>,
    name: Ident,
    condition: Option<Expr>,
    /// Replaces that of the class.
    print: Option<Print>,
    /// The functions that are called before the first and after the last probe.
    register: Option<(Expr, Expr)>,
}

struct Field {
    name: Ident,
    kind: Kind,
    value: Expr,
}

/// A type whose values a record can hold: `T`, or `struct T`.
struct Element {
    ty: Type,
    is_struct: bool,
}

enum Kind {
    Scalar(Element),
    Array(Element, Expr),
    /// A field of variable length; whether its place is relative to the field (`__rel_loc`).
    Variable(Variable, bool),
}

struct Print {
    format: LitStr,
    args: Vec<PrintArg>,
}

/// Expands `trace_event!`.
pub(crate) fn trace_event(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<parse::Single>(input)
        .and_then(|parse::Single(definition)| expand::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

/// Expands `trace_event_class!`.
pub(crate) fn trace_event_class(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<class::Class>(input)
        .and_then(|class::Class(definition)| expand::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

/// Expands `tracepoint!`.
pub(crate) fn tracepoint(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<tracepoint::Bare>(input)
        .and_then(|tracepoint::Bare(definition)| tracepoint::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

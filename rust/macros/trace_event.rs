// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Tracepoints and trace events that are defined in Rust.
//!
//! A definition becomes functions in Rust, and C text that creates the tracepoint. [`Definition`]
//! is the parsed input of the macros. What they share is in [`parse`], [`check`], [`expand`] and
//! [`c_text`]; each other module has one part of a definition, from its syntax to its C text.

mod c_text;
mod check;
mod class;
mod event;
mod expand;
mod expr;
mod field;
mod functions;
mod parse;
mod print;
mod register;
mod tracepoint;
mod variable;

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Error, Expr, LitStr, Token, Type, Visibility};

use self::{field::Field, print::Print};

/// The parsed input of one of the macros.
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

/// Expands `trace_event!`.
pub(crate) fn trace_event(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<event::Single>(input)
        .and_then(|event::Single(definition)| event::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

/// Expands `trace_event_class!`.
pub(crate) fn trace_event_class(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<class::Class>(input)
        .and_then(|class::Class(definition)| event::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

/// Expands `tracepoint!`.
pub(crate) fn tracepoint(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<tracepoint::Bare>(input)
        .and_then(|tracepoint::Bare(definition)| tracepoint::expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

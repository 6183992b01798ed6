// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `trace_event!` and `trace_event_class!`.
//!
//! [`parse`] makes a [`Class`](parse::Class) of the tokens, [`check`] compares its parts with each
//! other, and [`expand`] writes the items. A single event is a class with one event of its name.

mod check;
mod ctype;
mod expand;
mod format;
mod parse;
mod template;

use proc_macro::{Ident, Span, TokenStream, TokenTree};

/// What is wrong with the user's tokens, and where.
pub(crate) struct Error {
    first: Span,
    last: Span,
    message: String,
}

impl Error {
    fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            first: span,
            last: span,
            message: message.into(),
        }
    }

    /// An error about all of the tokens.
    fn about(tokens: &TokenStream, message: impl Into<String>) -> Self {
        let mut spans = tokens.clone().into_iter().map(|token| token.span());
        let first = spans.next().unwrap_or_else(Span::call_site);

        Self {
            first,
            last: spans.last().unwrap_or(first),
            message: message.into(),
        }
    }

    fn into_tokens(self) -> TokenStream {
        // The compiler underlines from the first token of the macro call to the last one.
        let mut tokens: Vec<_> = template::expand(
            self.first,
            "::core::compile_error! { $message }",
            &[("message", template::string(&self.message))],
        )
        .into_iter()
        .collect();

        if let Some(token) = tokens.last_mut() {
            token.set_span(Span::mixed_site().located_at(self.last));
        }
        tokens.into_iter().collect()
    }
}

/// How a macro is written: with one event, or with a class and a list of events.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Event,
    Class,
}

/// Finds a name that belongs to the macros, see [`template::OWN`].
fn own_name(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if parse::plain(&ident).starts_with(template::OWN) => Some(ident),
        TokenTree::Group(group) => own_name(group.stream()),
        _ => None,
    })
}

pub(crate) fn trace_event(tokens: TokenStream, form: Form) -> TokenStream {
    if let Some(ident) = own_name(tokens.clone()) {
        let message = format!(
            "names that start with `{}` belong to the macros",
            template::OWN
        );

        return Error::new(ident.span(), message).into_tokens();
    }
    let class = match parse::class(tokens, form) {
        Ok(class) => class,
        Err(error) => return error.into_tokens(),
    };
    let errors = check::class(&class);

    if errors.is_empty() {
        return expand::class(&class);
    }
    // The functions are there nevertheless, so that their callers cause no errors of their own.
    let mut tokens = expand::empty(&class);

    tokens.extend(errors.into_iter().map(Error::into_tokens));
    tokens
}

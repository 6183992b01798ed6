// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Tokens from texts with places to fill in.

use proc_macro::{Group, Ident, Literal, Span, TokenStream, TokenTree};

/// What the names begin with that belong to the macros.
///
/// Only labels and local variables are hidden from the tokens of the user. An item or a generic
/// parameter is not: a `Record` in a template would take the place of a type `Record` that an
/// argument has. Nor can a variable have the name of a `static` of the user. So all of them have
/// this prefix, and tokens of the user must not have it.
pub(crate) const OWN: &str = "__trace_event_";

/// Expands a template: `$name` stands for the tokens that `values` has for `name`, and `@name` is a
/// name that belongs to the macros.
///
/// What the template itself contains gets the place of `span` in error messages.
pub(crate) fn expand(span: Span, template: &str, values: &[(&str, TokenStream)]) -> TokenStream {
    let tokens = template
        .parse()
        .unwrap_or_else(|error| panic!("bad template: {error}: {template}"));

    fill(tokens, Span::mixed_site().located_at(span), values)
}

fn fill(tokens: TokenStream, span: Span, values: &[(&str, TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    let mut tokens = tokens.into_iter();

    while let Some(mut token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '$' => {
                let name = tokens.next().expect("a name after $").to_string();
                let (_, value) = values
                    .iter()
                    .find(|(other, _)| *other == name)
                    .unwrap_or_else(|| panic!("no value for ${name}"));

                out.extend(value.clone());
            }
            TokenTree::Punct(punct) if punct.as_char() == '@' => {
                let name = tokens.next().expect("a name after @").to_string();

                out.extend(own(&name, span));
            }
            TokenTree::Group(group) => {
                let mut filled = Group::new(group.delimiter(), fill(group.stream(), span, values));

                filled.set_span(span);
                out.extend([TokenTree::Group(filled)]);
            }
            _ => {
                token.set_span(span);
                out.extend([token]);
            }
        }
    }
    out
}

/// A string literal.
pub(crate) fn string(text: &str) -> TokenStream {
    TokenTree::Literal(Literal::string(text)).into()
}

/// The bytes of a constant C string, with the NUL.
pub(crate) fn c_bytes(text: &str) -> TokenStream {
    let mut bytes = text.as_bytes().to_vec();

    bytes.push(0);
    TokenTree::Literal(Literal::byte_string(&bytes)).into()
}

/// The address of a constant C string, as `*const u8`.
pub(crate) fn c_string(text: &str) -> TokenStream {
    expand(
        Span::call_site(),
        "$bytes.as_ptr()",
        &[("bytes", c_bytes(text))],
    )
}

/// A number without suffix.
pub(crate) fn number(number: usize) -> TokenStream {
    TokenTree::Literal(Literal::usize_unsuffixed(number)).into()
}

/// A name that the user has not written.
pub(crate) fn ident(name: &str, span: Span) -> TokenStream {
    TokenTree::Ident(Ident::new(name, span)).into()
}

/// A name that belongs to the macros.
pub(crate) fn own(name: &str, span: Span) -> TokenStream {
    ident(&format!("{OWN}{name}"), span)
}

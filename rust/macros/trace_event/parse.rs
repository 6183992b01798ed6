// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The grammar that the macros share: `system`, attributes, the prototype and its condition.

use syn::{
    parenthesized, parse::ParseStream, punctuated::Punctuated, Attribute, Expr, Ident, LitStr,
    Result, Token, Type,
};

use super::{print::Print, Definition, Event};

pub(super) mod kw {
    syn::custom_keyword!(class);
    syn::custom_keyword!(entry);
    syn::custom_keyword!(events);
    syn::custom_keyword!(print);
    syn::custom_keyword!(register);
    syn::custom_keyword!(system);
    syn::custom_keyword!(unregister);
}

/// Parses `keyword: value,`; the comma may be missing at the end.
pub(super) fn entry<T>(
    input: ParseStream<'_>,
    keyword: impl FnOnce(ParseStream<'_>) -> Result<()>,
    value: impl FnOnce(ParseStream<'_>) -> Result<T>,
) -> Result<T> {
    keyword(input)?;
    input.parse::<Token![:]>()?;
    let value = value(input)?;

    comma(input)?;
    Ok(value)
}

pub(super) fn comma(input: ParseStream<'_>) -> Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

/// Parses `system: name,` or, for a name that is no identifier, `system: "my-name",`.
pub(super) fn system(input: ParseStream<'_>) -> Result<Option<LitStr>> {
    if !input.peek(kw::system) {
        return Ok(None);
    }
    entry(
        input,
        |input| input.parse::<kw::system>().map(drop),
        |input| {
            if input.peek(LitStr) {
                return input.parse();
            }
            let name: Ident = input.parse()?;

            Ok(LitStr::new(&name.to_string(), name.span()))
        },
    )
    .map(Some)
}

pub(super) fn args(input: ParseStream<'_>) -> Result<Vec<(Ident, Type)>> {
    let content;

    parenthesized!(content in input);
    let list = Punctuated::<_, Token![,]>::parse_terminated_with(&content, |arg| {
        let name = arg.parse()?;

        arg.parse::<Token![:]>()?;
        Ok((name, arg.parse()?))
    })?;

    Ok(list.into_iter().collect())
}

pub(super) fn condition(input: ParseStream<'_>) -> Result<Option<Expr>> {
    if !input.peek(Token![if]) {
        return Ok(None);
    }
    input.parse::<Token![if]>()?;
    // A `{` after it is no part of it.
    Expr::parse_without_eager_brace(input).map(Some)
}

impl Definition {
    /// Parses an event or tracepoint of its own, up to its condition.
    pub(super) fn begin(input: ParseStream<'_>) -> Result<Self> {
        let system = system(input)?;
        let mut event = Event::begin(input)?;
        let args = args(input)?;

        event.condition = condition(input)?;
        comma(input)?;
        Ok(Self {
            system,
            name: event.name.clone(),
            is_class: false,
            args,
            fields: Vec::new(),
            print: Print {
                format: LitStr::new("", event.name.span()),
                args: Vec::new(),
            },
            events: vec![event],
        })
    }
}

impl Event {
    /// Parses its name, and what is in front of it.
    pub(super) fn begin(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let unsafety = input.parse()?;

        input.parse::<Token![fn]>()?;
        Ok(Self {
            attrs,
            vis,
            unsafety,
            name: input.parse()?,
            condition: None,
            print: None,
            register: None,
        })
    }
}

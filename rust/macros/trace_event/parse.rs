// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The grammar of the macros: `system`, the prototype with its condition, `entry:` and `print:`.
//!
//! What only some definitions have is parsed in the file of that feature.

use syn::{
    braced, bracketed,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    Attribute, Error, Expr, Ident, LitStr, PathArguments, Result, Token, Type,
};

use super::{
    register::register, variable::Variable, Definition, Element, Event, Field, Kind, Print,
};

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
    // A `{` after it begins the print format of the event.
    Expr::parse_without_eager_brace(input).map(Some)
}

pub(super) fn fields(input: ParseStream<'_>) -> Result<Vec<Field>> {
    entry(
        input,
        |input| input.parse::<kw::entry>().map(drop),
        |input| {
            let content;

            braced!(content in input);
            Ok(Punctuated::<Field, Token![,]>::parse_terminated(&content)?
                .into_iter()
                .collect())
        },
    )
}

pub(super) fn print(input: ParseStream<'_>) -> Result<Print> {
    entry(
        input,
        |input| input.parse::<kw::print>().map(drop),
        |input| {
            let format = input.parse()?;
            let mut args = Vec::new();

            // The next entry is `word:`; a path has `::` there.
            while input.peek(Token![,]) {
                let rest = input.fork();

                rest.parse::<Token![,]>()?;
                let entry =
                    rest.peek(Ident::peek_any) && rest.peek2(Token![:]) && !rest.peek2(Token![::]);

                if rest.is_empty() || entry {
                    break;
                }
                input.parse::<Token![,]>()?;
                args.push(input.parse()?);
            }
            Ok(Print { format, args })
        },
    )
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;

        input.parse::<Token![:]>()?;
        let kind = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            input.parse()?
        } else {
            syn::parse_quote!(#name)
        };

        Ok(Self { name, kind, value })
    }
}

impl Element {
    /// Parses a type; `wrong` is the error about one that cannot be in this place.
    fn parse(input: ParseStream<'_>, wrong: &str) -> Result<Self> {
        let is_struct = input.parse::<Option<Token![struct]>>()?.is_some();
        let ty: Type = input.parse()?;
        let error = |message: &str| Err(Error::new(ty.span(), message));

        match &ty {
            Type::Ptr(_) if !is_struct => {}
            Type::Path(path) if path.qself.is_none() => {
                let Some(last) = path.path.segments.last() else {
                    return error(wrong);
                };

                match (&last.ident.to_string()[..], &last.arguments) {
                    ("f32" | "f64", _) => return error("floating point fields are not supported"),
                    ("String" | "CString" | "str" | "CStr", _) => {
                        return error("use `string` for strings")
                    }
                    (_, PathArguments::None) => {}
                    _ => return error(wrong),
                }
            }
            _ => return error(wrong),
        }
        Ok(Self { ty, is_struct })
    }

    /// Parses the type of the elements of an array.
    pub(super) fn parse_of_array(input: ParseStream<'_>) -> Result<Self> {
        Self::parse(
            input,
            "array elements must be integers, `bool`, raw pointers or `struct T`",
        )
    }
}

impl Parse for Kind {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(syn::token::Bracket) {
            let content;

            bracketed!(content in input);
            let element = content.call(Element::parse_of_array)?;

            content.parse::<Token![;]>()?;
            return Ok(Self::Array(element, content.parse()?));
        }
        if input.peek(Token![&]) {
            return Err(input.error(
                "fields cannot be references: use `string` or `dynamic_array<T>` to record a copy",
            ));
        }
        if let Some((variable, rel)) = Variable::parse(input)? {
            return Ok(Self::Variable(variable, rel));
        }
        Element::parse(input, "unsupported field type").map(Self::Scalar)
    }
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

/// A single event.
pub(super) struct Single(pub(super) Definition);

impl Parse for Single {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut definition = Definition::begin(input)?;

        definition.fields = fields(input)?;
        definition.print = print(input)?;
        definition.events[0].register = register(input)?;
        Ok(Self(definition))
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

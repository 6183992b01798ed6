// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The functions of `print:`: `flags()`, `symbolic()`, `hex()`, `array()`, `major()` and so on.
//!
//! Each stands for a helper of C with its arguments. Those of [`OF_BYTES`] take a field, the others
//! an expression.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    braced, parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    visit_mut::VisitMut,
    Error, Expr, ExprCall, Ident, Lit, LitStr, Result, Token, Type,
};

use super::{
    c_text::CText,
    expr::{c_expr, c_lit, print_value},
    field::{Element, Field, Kind},
    parse::comma,
    print::{plain_name, print_kind},
    variable::Variable,
    Definition,
};

pub(super) enum PrintArg {
    /// A field, an expression of fields, or a function of one.
    Value(Expr),
    /// `flags(value, "|", { ... })`, and `symbolic()` without a separator.
    Names(Expr, Option<LitStr>, Vec<(Expr, LitStr)>),
}

impl Parse for PrintArg {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let fork = input.fork();
        let flags = match fork.parse::<Ident>() {
            Ok(word) if fork.peek(syn::token::Paren) && word == "flags" => true,
            Ok(word) if fork.peek(syn::token::Paren) && word == "symbolic" => false,
            _ => return input.parse().map(Self::Value),
        };
        let content;

        input.parse::<Ident>()?;
        parenthesized!(content in input);
        let value = content.parse()?;
        let between = if flags {
            content.parse::<Token![,]>()?;
            Some(content.parse()?)
        } else {
            None
        };
        let names = names(&content)?;

        comma(&content)?;
        Ok(Self::Names(value, between, names))
    }
}

/// Parses `, { 1: "READ", 2: "WRITE" }`.
fn names(input: ParseStream<'_>) -> Result<Vec<(Expr, LitStr)>> {
    let content;

    input.parse::<Token![,]>()?;
    braced!(content in input);
    let list = Punctuated::<_, Token![,]>::parse_terminated_with(&content, |name| {
        let value = name.parse()?;

        name.parse::<Token![:]>()?;
        Ok((value, name.parse()?))
    })?;

    Ok(list.into_iter().collect())
}

/// Functions of the bytes of a field, in `print:`.
const OF_BYTES: [&str; 8] = [
    "hex",
    "hex_str",
    "hex_dump",
    "array",
    "dynamic_array",
    "sized",
    "bits",
    "len",
];

/// Returns the name of such a function, and its first argument; of other expressions an empty name
/// and the expression.
pub(super) fn of_bytes(value: &Expr) -> (String, &Expr) {
    if let Expr::Call(call) = value {
        let name = plain_name(&call.func).map_or(String::new(), Ident::to_string);

        if let Some(first) = call.args.first().filter(|_| OF_BYTES.contains(&&name[..])) {
            return (name, first);
        }
    }
    (String::new(), value)
}

impl PrintArg {
    pub(super) fn value(&self) -> &Expr {
        match self {
            Self::Value(value) | Self::Names(value, ..) => value,
        }
    }

    /// Returns the kinds of the arguments that this is to `printf()`.
    pub(super) fn kinds(&self, definition: &Definition, shared: &Ident) -> Vec<TokenStream> {
        let argument = quote!(::kernel::printf::Argument);
        let text = quote!(#argument::Text);
        let value = self.value();

        if let Self::Names(..) = self {
            let kind = print_value(definition, shared, value);

            return vec![quote_spanned!(value.span()=> {
                ::core::assert!(
                    ::core::matches!(#kind, #argument::Integer(_)),
                    "`flags()` and `symbolic()` take an integer"
                );
                #text
            })];
        }
        match &of_bytes(value).0[..] {
            "" => vec![print_kind(definition, shared, value)],
            "sized" => match definition.plain_field(of_bytes(value).1) {
                Some(Kind::Variable(Variable::Bitmask | Variable::Cpumask, _)) => {
                    vec![quote!(#argument::Star), quote!(#argument::SizedBits)]
                }
                _ => vec![quote!(#argument::Star), quote!(#argument::SizedBytes)],
            },
            "bits" => vec![quote!(#argument::Star), quote!(#argument::SizedBits)],
            "len" => vec![quote!(#argument::Integer('d'))],
            _ => vec![text],
        }
    }

    /// Adds this to the arguments of `TP_printk()`.
    pub(super) fn c_text(&self, definition: &Definition, c: &mut CText) -> Result<()> {
        let (value, between, names) = match self {
            Self::Value(value) => return c_expr(definition, value, c),
            Self::Names(value, between, names) => (value, between, names),
        };

        c.add(match between {
            Some(_) => "__print_flags(",
            None => "__print_symbolic(",
        });
        c_expr(definition, value, c)?;
        if let Some(between) = between {
            c.add(", ");
            c.literal(between)?;
        }
        c_names(names, c)
    }

    /// Checks that a field can be printed in this way, as far as its tokens tell.
    pub(super) fn check(&self, definition: &Definition) -> Result<()> {
        let (function, value) = of_bytes(self.value());
        let wrong = |message: String| Err(Error::new(value.span(), message));

        if function.is_empty() {
            return definition.check_plain(value);
        }

        let kind = definition.plain_field(value);

        match (kind, &function[..]) {
            (None, _) => match plain_name(value) {
                Some(name) => definition.field(name).map(drop),
                None => wrong(format!("`{function}()` takes a field")),
            },
            (Some(Kind::Variable(Variable::Bitmask | Variable::Cpumask, _)), "bits" | "sized")
            | (Some(Kind::Variable(..)), "len") => Ok(()),
            // C finds the elements by the name of the field, as those of `__dynamic_array()`.
            (Some(Kind::Array(..) | Kind::Variable(_, true)), "dynamic_array") => {
                wrong("`dynamic_array()` takes a `dynamic_array<T>`: use `array()`".into())
            }
            (Some(Kind::Array(of, _) | Kind::Variable(Variable::Slice(of), _)), function)
                if !matches!(function, "bits" | "len")
                    && matches!(of.ty, Type::Path(_))
                    && !(of.is_struct && matches!(function, "array" | "dynamic_array")) =>
            {
                Ok(())
            }
            (_, function) => {
                let takes = match function {
                    "bits" => "a bitmap",
                    "len" => "a field of variable length",
                    "sized" => "an array or a bitmap",
                    "array" | "dynamic_array" => "an array of integers",
                    _ => "an array",
                };

                wrong(format!(
                    "`{function}()` cannot print this field: it takes {takes}"
                ))
            }
        }
    }
}

/// Names the functions of `print:` by their paths, as a field or a constant of the driver may have
/// the name of one.
pub(super) struct PrintFunctions;

impl VisitMut for PrintFunctions {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        if let Some(name) = plain_name(&call.func) {
            let path = quote_spanned!(name.span()=> ::kernel::trace_event::print::#name);

            *call.func = Expr::Verbatim(path);
        }
        for arg in &mut call.args {
            self.visit_expr_mut(arg);
        }
    }
}

impl Field {
    /// Adds the address of the elements to the text.
    fn c_address(&self, c: &mut CText) {
        let name = &self.name;

        c.add(&match &self.kind {
            Kind::Variable(_, true) => format!("__get_rel_dynamic_array({name})"),
            Kind::Variable(_, false) => format!("__get_dynamic_array({name})"),
            _ => format!("__entry->{name}"),
        });
    }

    /// Adds the number of bytes to the text.
    fn c_length(&self, c: &mut CText) {
        let name = &self.name;

        match &self.kind {
            Kind::Variable(_, true) => c.add(&format!("__get_rel_dynamic_array_len({name})")),
            Kind::Variable(_, false) => c.add(&format!("__get_dynamic_array_len({name})")),
            Kind::Array(Element { ty, .. }, len) => {
                c.number(quote!(::core::mem::size_of::<[#ty; #len]>()))
            }
            Kind::Scalar(_) => c.add(&format!("sizeof(__entry->{name})")),
        }
    }
}

/// Adds an argument that must be a literal of some kind.
fn c_literal(value: &Expr, is_kind: fn(&Lit) -> bool, kind: &str, c: &mut CText) -> Result<()> {
    match value {
        Expr::Lit(literal) if is_kind(&literal.lit) => c_lit(&literal.lit, c),
        _ => Err(Error::new(value.span(), format!("expected {kind}"))),
    }
}

fn c_names(names: &[(Expr, LitStr)], c: &mut CText) -> Result<()> {
    for (value, text) in names {
        c.add(", { ");
        c.number(quote_spanned! {value.span()=>
            ::kernel::trace_event::key((#value) as i128)
        });
        c.add(", ");
        c.literal(text)?;
        c.add(" }");
    }
    c.add(")");
    Ok(())
}

/// Adds a call of one of the functions of `print:` to the text.
pub(super) fn c_call(definition: &Definition, call: &ExprCall, c: &mut CText) -> Result<()> {
    let args: Vec<_> = call.args.iter().collect();
    let name = plain_name(&call.func).map_or(String::new(), Ident::to_string);
    let (function, count) = match &name[..] {
        "major" => ("MAJOR", 1),
        "minor" => ("MINOR", 1),
        "err_ptr" => ("ERR_PTR", 1),
        "ns_to_secs" => ("__print_ns_to_secs", 1),
        "ns_without_secs" => ("__print_ns_without_secs", 1),
        "len" | "sized" | "bits" => ("", 1),
        "hex" => ("__print_hex", 1),
        "hex_str" => ("__print_hex_str", 1),
        "array" => ("__print_array", 1),
        "dynamic_array" => ("__print_dynamic_array", 1),
        "hex_dump" => ("__print_hex_dump", 6),
        _ => {
            return Err(Error::new(
                call.func.span(),
                format!(
                    "unknown function `{name}`. Valid functions are: `flags`, `symbolic`, `hex`, \
                     `hex_str`, `hex_dump`, `array`, `dynamic_array`, `sized`, `bits`, `len`, \
                     `major`, `minor`, `err_ptr`, `ns_to_secs`, `ns_without_secs`."
                ),
            ))
        }
    };

    if args.len() != count {
        let message = match count {
            1 => format!("`{name}()` takes 1 argument"),
            _ => format!("`{name}()` takes {count} arguments"),
        };

        return Err(Error::new(call.span(), message));
    }
    if !function.is_empty() {
        c.add(&format!("{function}("));
    }
    let field = match plain_name(args[0]) {
        Some(field) if OF_BYTES.contains(&&name[..]) => definition.field(field)?,
        _ => {
            c_expr(definition, args[0], c)?;
            c.add(")");
            return Ok(());
        }
    };

    match &name[..] {
        "len" => {
            field.c_length(c);
            return Ok(());
        }
        "sized" | "bits" => {
            field.c_length(c);
            c.add(if name == "bits" { " * 8, " } else { ", " });
            field.c_address(c);
            return Ok(());
        }
        "array" => {
            let ty = field.element().map(|element| &element.ty);
            let size = quote!(::core::mem::size_of::<#ty>());

            field.c_address(c);
            c.add(", ");
            if let Kind::Array(_, len) = &field.kind {
                c.number(quote!(::core::convert::identity::<usize>(#len)));
            } else {
                field.c_length(c);
                c.add(" / ");
                c.number(size.clone());
            }
            c.add(", ");
            c.number(size);
        }
        "dynamic_array" => {
            let ty = field.element().map(|element| &element.ty);

            c.add(&format!("{}, ", field.name));
            c.number(quote!(::core::mem::size_of::<#ty>()));
        }
        "hex_dump" => {
            let prefix = plain_name(args[2]).map_or(String::new(), Ident::to_string);

            if !matches!(&prefix[..], "none" | "address" | "offset") {
                let message = "the prefix type must be `none`, `address` or `offset`";

                return Err(Error::new(args[2].span(), message));
            }
            // C reads what the first of these points to.
            c_literal(
                args[1],
                |lit| matches!(lit, Lit::Str(_)),
                "a string literal",
                c,
            )?;
            c.add(&format!(", DUMP_PREFIX_{}, ", prefix.to_uppercase()));
            c_literal(
                args[3],
                |lit| matches!(lit, Lit::Int(_)),
                "an integer literal",
                c,
            )?;
            c.add(", ");
            c_literal(
                args[4],
                |lit| matches!(lit, Lit::Int(_)),
                "an integer literal",
                c,
            )?;
            c.add(", ");
            field.c_address(c);
            c.add(", ");
            field.c_length(c);
            c.add(", ");
            c_literal(
                args[5],
                |lit| matches!(lit, Lit::Bool(_)),
                "`true` or `false`",
                c,
            )?;
        }
        _ => {
            field.c_address(c);
            c.add(", ");
            field.c_length(c);
        }
    }
    c.add(")");
    Ok(())
}

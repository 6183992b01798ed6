// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `print:`, the print format with its arguments.
//!
//! The format is that of `TP_printk()`. Assertions with the parser of formats in the kernel crate
//! check the types of the arguments against it at compile time.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    ext::IdentExt, parse::ParseStream, spanned::Spanned, Error, Expr, Ident, LitStr, Result, Token,
};

use super::{
    c_text::CText,
    expr::print_value,
    field::{is_char, Element, Kind},
    functions::{of_bytes, PrintArg},
    parse::{entry, kw},
    variable::Variable,
    Definition,
};

pub(super) struct Print {
    pub(super) format: LitStr,
    pub(super) args: Vec<PrintArg>,
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

impl Definition {
    /// Returns all print formats of the definition.
    pub(super) fn prints(&self) -> impl Iterator<Item = &Print> {
        core::iter::once(&self.print).chain(self.events.iter().flat_map(|event| &event.print))
    }

    /// Checks that a field can be printed as it is, as far as its tokens tell.
    pub(super) fn check_plain(&self, value: &Expr) -> Result<()> {
        let wrong = |message: &str| Err(Error::new(value.span(), message));

        match self.plain_field(value) {
            Some(Kind::Variable(Variable::Slice(_), _)) => {
                wrong("dynamic arrays cannot be printed as they are: use `hex()` or `array()`")
            }
            Some(Kind::Scalar(Element {
                is_struct: true, ..
            })) => wrong("structs cannot be printed: print their members"),
            _ => Ok(()),
        }
    }
}

/// Returns the name that an expression consists of.
pub(super) fn plain_name(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}

/// Returns the kind of argument that an expression in a print format is to `printf()`.
pub(super) fn print_kind(definition: &Definition, shared: &Ident, value: &Expr) -> TokenStream {
    let argument = quote!(::kernel::printf::Argument);

    match definition.plain_field(value) {
        Some(Kind::Array(Element { ty, .. }, _)) if is_char(ty) => quote!(#argument::Text),
        Some(Kind::Array(Element { ty, .. }, len)) => {
            quote!(#argument::Bytes(::core::mem::size_of::<[#ty; #len]>()))
        }
        Some(Kind::Variable(variable, _)) => variable.print_kind(),
        _ => print_value(definition, shared, value),
    }
}

/// Returns assertions that the arguments of a print format fit it.
pub(super) fn print_checks(definition: &Definition, shared: &Ident, print: &Print) -> TokenStream {
    let format = &print.format;
    let mut checks = TokenStream::new();
    let mut count = 0usize;

    for arg in &print.args {
        let name = plain_name(of_bytes(arg.value()).1);
        let name = name.map_or("the value".into(), |name| format!("`{name}`"));
        let message = format!("{name} does not fit its conversion in the format");

        for kind in arg.kinds(definition, shared) {
            checks.extend(quote_spanned! {arg.value().span()=>
                ::core::assert!(#kind.fits(#format, #count), #message);
            });
            count += 1;
        }
    }
    quote_spanned! {format.span()=>
        ::core::assert!(
            ::kernel::printf::counts(#format, #count),
            "the format does not match the number of arguments, or has an unsupported conversion"
        );
        #checks
    }
}

/// Adds the `TP_printk()`.
pub(super) fn c_print(definition: &Definition, print: &Print, c: &mut CText) -> Result<()> {
    c.add("TP_printk(");
    if print.args.is_empty() {
        // `TP_printk()` requires an argument.
        let text = print.format.value().replace("%%", "%");

        c.add("\"%s\", ");
        c.literal(&LitStr::new(&text, print.format.span()))?;
    } else {
        c.literal(&print.format)?;
    }
    for arg in &print.args {
        c.add(",\n\t\t");
        arg.c_text(definition, c)?;
    }
    c.add(")");
    Ok(())
}

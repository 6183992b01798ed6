// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Fields of variable length: strings, dynamic arrays, bitmaps and socket addresses.
//!
//! In the struct that Rust and C share, such a field is a pointer to what the event was called with
//! and a number of elements. In the record it is a `__dynamic_array()`, to which
//! `TP_fast_assign()` copies these.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{parse::ParseStream, spanned::Spanned, Expr, Ident, Result, Token, Type};

use super::field::Element;

// Few of them exist, and not for long.
#[allow(clippy::large_enum_variant)]
pub(super) enum Variable {
    Text,
    /// Text that Rust formats.
    Format,
    Slice(Element),
    Bitmask,
    Cpumask,
    Sockaddr,
}

/// Returns what the macros of C have in their names for `__rel_loc`.
fn rel_prefix(rel: bool) -> &'static str {
    if rel {
        "rel_"
    } else {
        ""
    }
}

impl Variable {
    /// Parses the type of a field of variable length, and whether its place is relative to the
    /// field. Consumes nothing if it is another type.
    pub(super) fn parse(input: ParseStream<'_>) -> Result<Option<(Self, bool)>> {
        let fork = input.fork();
        let word = fork
            .parse::<Ident>()
            .map_or(String::new(), |word| word.to_string());
        let (word, rel) = match word.strip_prefix("rel_") {
            Some(word) => (word, true),
            None => (&word[..], false),
        };
        let variable = match word {
            "dynamic_array" if fork.peek(Token![<]) => {
                input.parse::<Ident>()?;
                input.parse::<Token![<]>()?;
                let element = input.call(Element::parse_of_array)?;

                input.parse::<Token![>]>()?;
                return Ok(Some((Self::Slice(element), rel)));
            }
            _ if fork.peek(Token![::]) => return Ok(None),
            "string" => Self::Text,
            "vstring" if !rel => Self::Format,
            "bitmask" => Self::Bitmask,
            "cpumask" => Self::Cpumask,
            "sockaddr" => Self::Sockaddr,
            _ => return Ok(None),
        };

        input.parse::<Ident>()?;
        Ok(Some((variable, rel)))
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Format)
    }

    /// Returns the type of the elements.
    fn element(&self) -> TokenStream {
        match self {
            Self::Text | Self::Format | Self::Sockaddr => quote!(u8),
            Self::Slice(Element { ty, .. }) => quote!(#ty),
            Self::Bitmask | Self::Cpumask => quote!(::kernel::ffi::c_ulong),
        }
    }

    /// Returns the members of the field in the struct that Rust and C share.
    pub(super) fn rust_members(&self, name: &Ident) -> TokenStream {
        let len = format_ident!("{name}__len");
        let ty = self.element();

        quote!(#name: *const #ty, #len: usize,)
    }

    /// Returns what is stored: something with a pointer and a number of elements.
    pub(super) fn rust_value(&self, value: &Expr) -> TokenStream {
        let span = value.span();

        match self {
            Self::Text => quote_spanned!(span=> ::kernel::trace_event::Text::bytes(#value)),
            Self::Format => {
                quote_spanned!(span=> ::kernel::trace_event::Formatted::new(#value).bytes())
            }
            Self::Slice(Element { ty, .. }) => {
                quote_spanned!(span=> ::core::convert::identity::<&[#ty]>(#value))
            }
            Self::Bitmask => quote_spanned!(span=> ::kernel::trace_event::Bits::longs(#value)),
            Self::Cpumask => quote_spanned!(span=> ::kernel::trace_event::cpumask(#value)),
            Self::Sockaddr => quote_spanned!(span=> ::kernel::trace_event::sockaddr(#value)),
        }
    }

    /// Returns the statement that stores both members; an event whose record cannot hold them does
    /// not happen.
    pub(super) fn rust_store(&self, name: &Ident, value: &Ident) -> TokenStream {
        let len = format_ident!("{name}__len");
        let ty = self.element();

        quote! {
            if !::kernel::trace_event::fits::<#ty>(#value.len()) {
                return;
            }
            // SAFETY: The struct is a local variable.
            unsafe {
                (&raw mut (*__trace_event_args).#name).write(#value.as_ptr());
                (&raw mut (*__trace_event_args).#len).write(#value.len());
            }
        }
    }

    /// Returns the variable that an expression in a print format finds under the name of the field,
    /// if the field can be part of one.
    pub(super) fn print_value(&self, name: &Ident) -> TokenStream {
        match self {
            Self::Slice(_) | Self::Sockaddr => quote!(),
            _ => quote!(let #name = "";),
        }
    }

    /// Returns the kind of argument that the field is to `printf()`.
    pub(super) fn print_kind(&self) -> TokenStream {
        match self {
            Self::Sockaddr => quote!(::kernel::printf::Argument::Sockaddr),
            _ => quote!(::kernel::printf::Argument::Text),
        }
    }

    /// Returns the type of the elements, if the definition names it.
    pub(super) fn named_element(&self) -> Option<&Element> {
        match self {
            Self::Slice(element) => Some(element),
            _ => None,
        }
    }

    /// Returns the type of the elements in C, as [`Element::c_named`].
    pub(super) fn c_type<'a>(
        &'a self,
        structs: &mut Vec<String>,
        named: &mut Vec<(String, &'a Type)>,
    ) -> Result<String> {
        Ok(match self {
            Self::Slice(element) => element.c_named(structs, named)?,
            Self::Text | Self::Format => "char".into(),
            Self::Sockaddr => "u8".into(),
            Self::Bitmask | Self::Cpumask => "unsigned long".into(),
        })
    }

    /// Returns the field in `TP_STRUCT__entry()`.
    pub(super) fn c_entry(&self, name: &Ident, ty: &str, rel: bool) -> String {
        let rel = rel_prefix(rel);

        match self {
            // The macros of C take no structs as elements.
            Self::Slice(Element {
                is_struct: true, ..
            }) => {
                format!("\t\t__{rel}dynamic_array(u8, {name}, args->{name}__len * sizeof({ty}))\n")
            }
            // This is what __bitmask() and so on are; a cpumask has a type of its own. In the
            // place of __string(), whose __assign_str() tests for NULL.
            Self::Cpumask => format!("\t\t__{rel}cpumask({name})\n"),
            _ => format!(
                "\t\t__{rel}dynamic_array({ty}, {name}, args->{name}__len{})\n",
                if self.is_text() { " + 1" } else { "" }
            ),
        }
    }

    /// Returns the statements in `TP_fast_assign()`.
    pub(super) fn c_assign(&self, name: &Ident, ty: &str, rel: bool) -> String {
        let rel = rel_prefix(rel);
        let size = match self {
            // All bits that the kernel may use, whatever the type has.
            Self::Cpumask => "__bitmask_size_in_bytes(nr_cpumask_bits)".to_string(),
            _ => format!("args->{name}__len * sizeof({ty})"),
        };
        let end = if self.is_text() {
            format!("\t\t__get_{rel}str({name})[args->{name}__len] = 0;\n")
        } else {
            String::new()
        };

        format!("\t\tmemcpy(__get_{rel}dynamic_array({name}), args->{name}, {size});\n{end}")
    }

    /// Returns what the field is in C, if it is printed as it is.
    pub(super) fn c_value(&self, name: &Ident, rel: bool) -> String {
        let what = match self {
            Self::Text | Self::Format => "str",
            Self::Slice(_) => "dynamic_array",
            Self::Bitmask => "bitmask",
            Self::Cpumask => "cpumask",
            Self::Sockaddr => "sockaddr",
        };

        format!("__get_{}{what}({name})", rel_prefix(rel))
    }
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `tracepoint!`: a tracepoint without an event.
//!
//! Its probes get the arguments themselves, so that these must have types that C has as well. It
//! becomes a `DECLARE_TRACE()`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    parse::{Parse, ParseStream},
    spanned::Spanned,
    Error, GenericArgument, PathArguments, Result, Type,
};

use super::{
    c_text::{c_builtin, c_type, last_name, CText},
    check::check_name,
    expand::expand_event,
    Definition,
};

/// A tracepoint without an event: it has neither fields nor a print format.
pub(super) struct Bare(pub(super) Definition);

impl Parse for Bare {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut definition = Definition::begin(input)?;

        definition.name = format_ident!("{}_tp", definition.name);
        definition.events[0].name = definition.name.clone();
        Ok(Self(definition))
    }
}

/// Expands a tracepoint without an event.
pub(super) fn expand(definition: &Definition) -> Result<TokenStream> {
    definition.check()?;

    let event = &definition.events[0];
    let call = format_ident!("rust_do_trace_{}", event.name);
    let (names, types): (Vec<_>, Vec<_>) =
        definition.args.iter().map(|(name, ty)| (name, ty)).unzip();
    let mut c = CText::default();
    let mut structs = Vec::new();
    let mut proto = Vec::new();

    if names.is_empty() {
        let message = "a tracepoint needs at least one argument";

        return Err(Error::new(event.name.span(), message));
    }
    for (name, ty) in &definition.args {
        check_name(name)?;
        proto.push(format!("{} {name}", c_arg(ty, &mut structs)?));
    }
    definition.c_system(&mut c);
    c.structs(structs);
    event.c_head(&mut c);
    for (_, ty) in &definition.args {
        if last_name(ty).is_some_and(|name| c_builtin(&name).is_none() && name != "Option") {
            c.same_size(&c_arg(ty, &mut Vec::new())?, ty);
        }
    }
    let name = event.name.to_string();
    c.add(&format!(
        "DECLARE_TRACE({},\n\tTP_PROTO({}),\n\tTP_ARGS({}));\n",
        name.strip_suffix("_tp").unwrap_or(&name),
        proto.join(", "),
        quote!(#(#names),*)
    ));
    let cfgs = event.cfgs();
    let text = c.into_static(&cfgs);
    let bound = match event.unsafety {
        Some(_) => quote!(TracepointArgument),
        None => quote!(SafeArgument),
    };
    let functions = expand_event(
        definition,
        event,
        quote! {
            #[allow(improper_ctypes)]
            extern "C" {
                fn #call(#(#names: #types),*);
            }

            // SAFETY: The arguments are what the C text says, and borrowed until the call returns.
            unsafe { #call(#(#names),*) }
        },
    );

    Ok(quote! {
        #(#cfgs)*
        const _: () = {
            const fn __trace_event_is_argument<T: ::kernel::tracepoint::#bound>() {}

            #(__trace_event_is_argument::<#types>();)*
        };

        #text
        #functions
    })
}

/// Returns the type of an argument of a tracepoint without an event in C.
fn c_arg(ty: &Type, structs: &mut Vec<String>) -> Result<String> {
    match ty {
        Type::Reference(to) => {
            let elem = &to.elem;
            let pointer = match to.mutability {
                Some(_) => syn::parse_quote!(*mut #elem),
                None => syn::parse_quote!(*const #elem),
            };

            c_type(&pointer, structs)
        }
        Type::Path(path) => match path.path.segments.last().map(|last| &last.arguments) {
            Some(PathArguments::AngleBracketed(of)) => match of.args.first() {
                Some(GenericArgument::Type(of @ Type::Reference(_))) => c_arg(of, structs),
                _ => Err(Error::new(ty.span(), "unsupported argument type")),
            },
            _ => c_type(ty, structs),
        },
        _ => c_type(ty, structs),
    }
}

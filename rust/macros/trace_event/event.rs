// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `trace_event!`: an event with a record.
//!
//! The only argument of its tracepoint is a pointer to a struct with the values of the fields. Rust
//! fills it in on the stack, and the `TRACE_EVENT()` copies it to the record.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{
    parse::{Parse, ParseStream},
    spanned::Spanned,
    Error, Ident, Result,
};

use super::{
    c_text::CText,
    expand::expand_event,
    field::{fields, Field},
    print::{c_print, print, print_checks},
    register::register,
    Definition, Event,
};

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

/// Returns the code that computes the fields and calls the probes.
fn expand_fields(definition: &Definition, event: &Event, shared: &Ident) -> TokenStream {
    let call = format_ident!("rust_do_trace_{}", event.name);
    // Each value is stored before the next one is computed, so that it need not be kept in a
    // register over calls. Temporaries in a value live until the end of its match, and thus of the
    // call of the probes.
    let local = format_ident!("__trace_event_value");
    let body = definition.fields.iter().rev().fold(
        quote! {
            // SAFETY: All fields are set. The C text has assertions that the struct has the same
            // layout in C. Everything it points to is borrowed until the call returns.
            unsafe { #call(__trace_event_args) };
        },
        |inner, field| {
            let value = field.rust_value();
            let store = field.rust_store(&local);
            let keep = field.rust_keep(&local);

            quote! {
                match #value {
                    #local => {
                        #store
                        #inner
                        #keep
                    }
                }
            }
        },
    );

    quote! {
        extern "C" {
            fn #call(args: *const #shared);
        }

        let mut __trace_event_args = ::core::mem::MaybeUninit::<#shared>::uninit();
        let __trace_event_args = __trace_event_args.as_mut_ptr();

        #body
    }
}

/// Checks a definition and expands it.
pub(super) fn expand(definition: &Definition) -> Result<TokenStream> {
    definition.check()?;
    for event in &definition.events {
        if let Some(unsafety) = &event.unsafety {
            let message = "events cannot be `unsafe`";

            return Err(Error::new(unsafety.span(), message));
        }
    }

    let shared = format_ident!("__trace_event_{}_args", definition.name);
    let fields = definition.fields.iter().map(Field::rust_members);
    let types = definition.fields.iter().map(Field::rust_checks);
    let checks = definition
        .prints()
        .map(|print| print_checks(definition, &shared, print));
    let c = c_text(definition, &shared)?;
    let events = definition
        .events
        .iter()
        .map(|event| expand_event(definition, event, expand_fields(definition, event, &shared)));
    // `cfg` attributes of a single event apply to the whole definition.
    let cfgs = match &definition.events[..] {
        [event] => event.cfgs(),
        _ => Vec::new(),
    };
    let text = c.into_static(&cfgs);

    Ok(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types, non_snake_case)]
        #[repr(C)]
        struct #shared {
            #(#fields)*
        }

        #(#cfgs)*
        #[allow(dead_code, unused_variables, clippy::all, clippy::cast_lossless)]
        const _: () = {
            const fn __trace_event_is_field<T: ::kernel::trace_event::Field>() {}
            const fn __trace_event_is_struct<T: ::core::marker::Copy>() {}

            #(#types)*
            ::core::assert!(
                ::core::mem::size_of::<#shared>() <= ::kernel::trace_event::MAX_ARGS,
                "fields of a fixed size are limited to 512 bytes: use `dynamic_array`"
            );
            #({ #checks })*
        };

        #text

        #(#events)*
    })
}

/// Generates the struct, with assertions that its layout is that of Rust.
fn c_struct(definition: &Definition, shared: &Ident, c: &mut CText) -> Result<Vec<String>> {
    let name = &definition.name;
    let mut structs = Vec::new();
    let mut types = Vec::new();
    let mut named = Vec::new();

    for field in &definition.fields {
        types.push(field.c_type(&mut structs, &mut named)?);
    }
    c.add(&format!(
        "#ifndef RUST_{name}_ARGS\n#define RUST_{name}_ARGS\n"
    ));
    c.structs(structs);
    c.add(&format!("struct rust_{name}_args {{\n"));
    for (field, ty) in definition.fields.iter().zip(&types) {
        field.c_member(ty, c);
    }
    c.add(&format!(
        "}};\nstatic_assert(sizeof(struct rust_{name}_args) == "
    ));
    c.number(quote!(::core::mem::size_of::<#shared>()));
    c.add(");\n");
    for field in &definition.fields {
        field.c_place(&format!("struct rust_{name}_args"), shared, c);
    }
    for (text, ty) in named {
        c.same_size(&text, ty);
    }
    c.add("#endif\n");
    Ok(types)
}

/// Generates the definition in C.
fn c_text(definition: &Definition, shared: &Ident) -> Result<CText> {
    let name = &definition.name;
    let prototype = format!("TP_PROTO(const struct rust_{name}_args *args),\n\tTP_ARGS(args)");
    let mut c = CText::default();

    definition.c_system(&mut c);
    let types = c_struct(definition, shared, &mut c)?;
    let which = match &definition.events[..] {
        _ if definition.is_class => "DECLARE_EVENT_CLASS",
        [Event {
            register: Some(_), ..
        }] => "TRACE_EVENT_FN",
        _ => "TRACE_EVENT",
    };

    for event in &definition.events {
        c.part(event, |c| {
            event.c_head(c);
            Ok(())
        })?;
    }

    c.add(&format!(
        "{which}({name},\n\t{prototype},\n\tTP_STRUCT__entry(\n"
    ));
    for (field, ty) in definition.fields.iter().zip(&types) {
        field.c_entry(ty, &mut c);
    }
    c.add("\t),\n\tTP_fast_assign(\n");
    for (field, ty) in definition.fields.iter().zip(&types) {
        field.c_assign(ty, &mut c);
    }
    c.add("\t),\n\t");
    c_print(definition, &definition.print, &mut c)?;
    if !definition.is_class {
        definition.events[0].c_register(&mut c);
    }
    c.add(");\n");
    if definition.is_class {
        for event in &definition.events {
            c.part(event, |c| event.c_event(definition, &prototype, c))?;
        }
    }
    Ok(c)
}

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The Rust code of an event: the struct with the values of the fields, and the functions.
//!
//! `trace_<event>()` is inlined and has the site, one NOP. The function that computes the fields
//! and calls the probes is out of line. What else there is are assertions, for the compiler alone.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{spanned::Spanned, visit_mut::VisitMut, Attribute, Error, Expr, Result};

use super::{
    c_text::{c_builtin, c_text, is_char, last_name, rust_builtin},
    check::plain_name,
    functions::{of_bytes, PrintFunctions},
    Definition, Element, Event, Field, Kind, Print,
};

/// Returns the members of a field in the struct that Rust and C share.
fn rust_field(field: &Field) -> TokenStream {
    let Field { name, kind, .. } = field;

    match kind {
        Kind::Scalar(Element { ty, .. }) => quote!(#name: #ty,),
        Kind::Array(Element { ty, .. }, len) => quote!(#name: [#ty; #len],),
        Kind::Variable(variable, _) => variable.rust_members(name),
    }
}

/// Returns the value of a field; it does not compile if it has another type than the field.
fn rust_value(field: &Field) -> TokenStream {
    let Field { kind, value, .. } = field;
    let span = value.span();
    let this = |ty: TokenStream| quote_spanned!(span=> ::core::convert::identity::<#ty>(#value));

    match kind {
        Kind::Scalar(Element { ty, .. }) => this(quote!(#ty)),
        Kind::Array(Element { ty, .. }, len) => this(quote!([#ty; #len])),
        Kind::Variable(variable, _) => variable.rust_value(value),
    }
}

/// Returns the statement that stores a field in the struct; `value` is the variable with the result
/// of [`rust_value`].
fn rust_store(field: &Field, value: &Ident) -> TokenStream {
    let name = &field.name;

    match &field.kind {
        Kind::Scalar(_) | Kind::Array(..) => quote! {
            // SAFETY: The struct is a local variable.
            unsafe { (&raw mut (*__trace_event_args).#name).write(#value) };
        },
        Kind::Variable(variable, _) => variable.rust_store(name, value),
    }
}

/// Returns an assertion-time value of the fields that a print argument uses, as its type is that
/// of the expression of these.
pub(super) fn print_value(definition: &Definition, shared: &Ident, value: &Expr) -> TokenStream {
    let fields = definition.fields.iter().map(|field| {
        let name = &field.name;

        match &field.kind {
            Kind::Variable(variable, _) => variable.print_value(name),
            _ => quote!(let #name = __trace_event_args.#name;),
        }
    });

    let span = value.span();
    let mut value = value.clone();

    PrintFunctions.visit_expr_mut(&mut value);
    quote_spanned! {span=>
        ::kernel::trace_event::argument(|__trace_event_args: &#shared| {
            #(#fields)*
            #value
        })
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
fn print_checks(definition: &Definition, shared: &Ident, print: &Print) -> TokenStream {
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

impl Event {
    /// Whether C code of other modules may call the tracepoint and register probes.
    pub(super) fn is_exported(&self) -> bool {
        self.attrs.iter().any(|attr| attr.path().is_ident("export"))
    }

    /// Returns the attributes that are for the compiler.
    pub(super) fn attrs(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs
            .iter()
            .filter(|attr| !attr.path().is_ident("export"))
    }

    /// Returns the attributes that may leave the event out.
    pub(super) fn cfgs(&self) -> Vec<&Attribute> {
        self.attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"))
            .collect()
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
            let value = rust_value(field);
            let store = rust_store(field, &local);
            // Without this use, the next values could end what this one borrows.
            let keep = match field.kind {
                Kind::Variable(..) => quote!(let _ = ::core::convert::identity(#local);),
                _ => quote!(),
            };

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

/// Expands the functions of an event; `body` calls the probes.
pub(super) fn expand_event(
    definition: &Definition,
    event: &Event,
    body: TokenStream,
) -> TokenStream {
    let Event {
        vis,
        unsafety,
        name,
        condition,
        ..
    } = event;
    let own_attrs = event.attrs();
    let register = event.expand_register();
    let cfgs = event.cfgs();
    let trace = format_ident!("trace_{name}");
    let enabled = format_ident!("trace_{name}_enabled");
    let enabled_doc = format!("Whether `{name}` is enabled.");
    let hit = format_ident!("__trace_event_{name}");
    let tracepoint = format_ident!("__tracepoint_{name}");
    let (arg_names, arg_types): (Vec<_>, Vec<_>) =
        definition.args.iter().map(|(name, ty)| (name, ty)).unzip();
    // Not negated in place: for clippy that would be the user's expression.
    let test = condition.as_ref().map(|condition| {
        let wanted =
            quote_spanned!(condition.span()=> let __trace_event_wanted: bool = #condition;);

        quote! {
            #wanted
            if !__trace_event_wanted {
                return;
            }
        }
    });
    let watch = match condition {
        Some(condition) => quote!(|| #condition),
        None => quote!(|| true),
    };
    let call = match unsafety {
        // SAFETY: The caller guarantees that the arguments are what the probes expect.
        Some(_) => quote!(unsafe { #hit(#(#arg_names),*) }),
        None => quote!(#hit(#(#arg_names),*)),
    };
    let declaration = quote! {
        #[cfg(CONFIG_TRACEPOINTS)]
        extern "C" {
            static mut #tracepoint: ::kernel::bindings::tracepoint;
        }
    };

    quote! {
        #(#cfgs)*
        #register

        #(#own_attrs)*
        #[allow(dead_code, clippy::too_many_arguments)]
        #[inline(always)]
        #vis #unsafety fn #trace(#(#arg_names: #arg_types),*) {
            #declaration

            // The condition can use the arguments only before they are given away.
            ::kernel::tracepoint::check_rcu(#watch);
            if ::kernel::tracepoint_enabled!(#tracepoint) {
                #call;
            }
        }

        #(#cfgs)*
        #[doc = #enabled_doc]
        #[allow(dead_code)]
        #[inline(always)]
        #vis fn #enabled() -> bool {
            #declaration

            ::kernel::tracepoint_enabled!(#tracepoint)
        }

        #(#cfgs)*
        #[doc(hidden)]
        #[cfg_attr(not(CONFIG_TRACEPOINTS), allow(unused_variables))]
        #[allow(dead_code, non_snake_case, clippy::too_many_arguments)]
        #[::kernel::prelude::notrace]
        #[cold]
        #[inline(never)]
        #unsafety fn #hit(#(#arg_names: #arg_types),*) {
            // Without tracepoints, nothing calls this, but the compiler may keep it; the C part,
            // which it calls, does not exist.
            #[cfg(CONFIG_TRACEPOINTS)]
            {
                #test
                #body
            }
        }
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
    let fields = definition.fields.iter().map(rust_field);
    let types =
        definition
            .fields
            .iter()
            .flat_map(Field::element)
            .map(|Element { ty, is_struct }| {
                let check = if *is_struct {
                    quote!(__trace_event_is_struct)
                } else {
                    quote!(__trace_event_is_field)
                };
                // C goes by the name, so it must not be that of another type in Rust.
                let same = last_name(ty)
                    .filter(|name| !is_struct && c_builtin(name).is_some())
                    .map(|name| {
                        let builtin = rust_builtin(&name);

                        quote_spanned! {ty.span()=>
                            let _: fn(#ty) -> #builtin = |__trace_event_value| __trace_event_value;
                        }
                    });

                quote_spanned!(ty.span()=> #check::<#ty>(); #same)
            });
    let lens = definition
        .fields
        .iter()
        .filter_map(|field| match &field.kind {
            Kind::Array(Element { ty, .. }, len) if is_char(ty) => {
                Some(quote_spanned! {len.span()=>
                    ::core::assert!(#len != 0usize, "a string array needs room for the NUL");
                })
            }
            _ => None,
        });
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
            #(#lens)*
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

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The functions in Rust, `trace_<event>()` and `trace_<event>_enabled()`.
//!
//! Both are inlined and have a site, which is one NOP. The function that evaluates the condition
//! and calls the probes is out of line.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{spanned::Spanned, Attribute};

use super::{Definition, Event};

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

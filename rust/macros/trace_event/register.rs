// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `register:` and `unregister:`, the functions of `TRACE_EVENT_FN()`.
//!
//! C calls them before it enables and after it disables the event. They are functions with C names
//! that call the expressions of the definition.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    parse::{Parse, ParseStream},
    spanned::Spanned,
    Expr, Result,
};

use super::{
    c_text::CText,
    parse::{entry, kw},
    Event,
};

pub(super) fn register(input: ParseStream<'_>) -> Result<Option<(Expr, Expr)>> {
    if !input.peek(kw::register) {
        return Ok(None);
    }

    Ok(Some((
        entry(
            input,
            |input| input.parse::<kw::register>().map(drop),
            Expr::parse,
        )?,
        entry(
            input,
            |input| input.parse::<kw::unregister>().map(drop),
            Expr::parse,
        )?,
    )))
}

impl Event {
    /// Returns the functions for `TRACE_EVENT_FN()`.
    pub(super) fn expand_register(&self) -> TokenStream {
        let Some((register, unregister)) = &self.register else {
            return TokenStream::new();
        };
        let c_register = format_ident!("rust_register_{}", self.name);
        let c_unregister = format_ident!("rust_unregister_{}", self.name);

        let register = quote_spanned! {register.span()=>
            let result: ::kernel::error::Result = (#register)();
        };
        let unregister = quote_spanned!(unregister.span()=> let () = (#unregister)(););

        quote! {
            #[cfg(CONFIG_TRACEPOINTS)]
            const _: () = {
                #[no_mangle]
                #[allow(clippy::redundant_closure_call)]
                extern "C" fn #c_register() -> ::kernel::ffi::c_int {
                    #register
                    result.map_or_else(|error| error.to_errno(), |()| 0)
                }

                #[no_mangle]
                #[allow(clippy::redundant_closure_call)]
                extern "C" fn #c_unregister() {
                    #unregister
                }
            };
        }
    }

    /// Adds the declarations of these functions, which C calls.
    pub(super) fn c_register_declarations(&self, c: &mut CText) {
        let name = &self.name;

        if self.register.is_some() {
            c.add(&format!(
                "int rust_register_{name}(void);\nvoid rust_unregister_{name}(void);\n"
            ));
        }
    }

    /// Adds the last arguments of `TRACE_EVENT_FN()` and `DEFINE_EVENT_FN()`.
    pub(super) fn c_register(&self, c: &mut CText) {
        let name = &self.name;

        if self.register.is_some() {
            c.add(&format!(
                ",\n\trust_register_{name}, rust_unregister_{name}"
            ));
        }
    }
}

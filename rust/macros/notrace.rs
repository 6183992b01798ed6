// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `#[notrace]`.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::{Error, ItemFn, Result};

/// The number of NOPs in front of every function, traced or not, that rust/Makefile passes.
fn padding() -> u8 {
    option_env!("FUNCTION_PADDING_BYTES")
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(0)
}

/// Please see [`crate::notrace`] for documentation.
pub(crate) fn notrace(item: TokenStream) -> Result<TokenStream> {
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        return Err(Error::new_spanned(
            item,
            "`#[notrace]` is an attribute of functions that have a body",
        ));
    };

    // An associated function without `self` looks like any other; of that, rustc complains if
    // it is a recent one (1.96 does, 1.85 does not).
    if let Some(receiver) = function.sig.receiver() {
        return Err(Error::new_spanned(
            receiver,
            "`#[notrace]` cannot be used on methods, because rustc cannot do that; \
             call a function from an `#[inline(always)]` method instead",
        ));
    }
    if !cfg!(CONFIG_RUST_FTRACE) {
        return Ok(item);
    }

    // This replaces both numbers of `-Zpatchable-function-entry`.
    let padding = Literal::u8_unsuffixed(padding());

    Ok(quote! {
        #[patchable_function_entry(prefix_nops = #padding, entry_nops = 0)]
        #item
    })
}

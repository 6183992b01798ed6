// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! C text, and the names of types in it.
//!
//! The text consists of pieces, as some numbers in it are known to the Rust compiler alone. It is
//! stored in a section of the object, from which the build makes a header.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{spanned::Spanned, Attribute, Error, LitStr, Result, Type};

use super::{Definition, Event};

/// C text, in pieces.
#[derive(Default)]
pub(super) struct CText {
    pieces: TokenStream,
    text: String,
    /// Attributes of the pieces that come.
    cfgs: TokenStream,
}

impl CText {
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn flush(&mut self) {
        let text = core::mem::take(&mut self.text);

        self.piece(quote!(Text(#text)));
    }

    pub(super) fn piece(&mut self, piece: TokenStream) {
        let cfgs = &self.cfgs;

        self.pieces
            .extend(quote!(#cfgs ::kernel::trace_event::Piece::#piece,));
    }

    /// Adds what an event of a class has of its own, which goes when the event is left out.
    pub(super) fn part(
        &mut self,
        event: &Event,
        add: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let cfgs = event.cfgs();

        self.flush();
        self.cfgs = quote!(#(#cfgs)*);
        add(self)?;
        self.flush();
        self.cfgs = TokenStream::new();
        Ok(())
    }

    /// Adds a number that the Rust compiler evaluates.
    pub(super) fn number(&mut self, value: TokenStream) {
        self.flush();
        self.piece(quote!(Number((#value) as i128)));
    }

    /// Adds the declarations of structs.
    pub(super) fn structs(&mut self, mut structs: Vec<String>) {
        structs.sort();
        structs.dedup();
        for of in structs {
            self.add(&format!("struct {of};\n"));
        }
    }

    /// Adds an assertion about a type whose name may be that of another type in C.
    pub(super) fn same_size(&mut self, text: &str, ty: &Type) {
        self.add(&format!("static_assert(sizeof({text}) == "));
        self.number(quote!(::core::mem::size_of::<#ty>()));
        self.add(");\n");
    }

    /// Returns the static with the text.
    pub(super) fn into_static(mut self, cfgs: &[&Attribute]) -> TokenStream {
        self.flush();
        let pieces = self.pieces;

        quote! {
            #(#cfgs)*
            #[cfg(CONFIG_TRACEPOINTS)]
            #[allow(clippy::unnecessary_cast)]
            const _: () = {
                const __TRACE_EVENT_PIECES: &[::kernel::trace_event::Piece] = &[#pieces];

                // `used(linker)` would create a separate section for each text.
                #[used(compiler)]
                #[link_section = ".discard.trace_events"]
                static __TRACE_EVENT_TEXT:
                    [u8; ::kernel::trace_event::text_len(__TRACE_EVENT_PIECES)] =
                    ::kernel::trace_event::text(__TRACE_EVENT_PIECES);
            };
        }
    }

    /// Adds a string literal.
    pub(super) fn literal(&mut self, text: &LitStr) -> Result<()> {
        self.add("\"");
        for byte in text.value().bytes() {
            match byte {
                0 => {
                    return Err(Error::new(
                        text.span(),
                        "string literals in `print:` cannot contain NUL",
                    ))
                }
                b'"' | b'\\' => self.add(&format!("\\{}", byte as char)),
                b' '..=b'~' => self.text.push(byte as char),
                _ => self.add(&format!("\\{byte:03o}")),
            }
        }
        self.add("\"");
        Ok(())
    }
}

/// Returns the last segment of a path.
pub(super) fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

/// Returns the C name of a type that has a fixed one.
pub(super) fn c_builtin(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" => "bool",
        "u8" => "u8",
        "u16" => "u16",
        "u32" => "u32",
        "u64" => "u64",
        "i8" => "s8",
        "i16" => "s16",
        "i32" => "s32",
        "i64" => "s64",
        "usize" => "size_t",
        "isize" => "ssize_t",
        "c_void" => "void",
        "c_char" => "char",
        "c_schar" => "signed char",
        "c_uchar" => "unsigned char",
        "c_short" => "short",
        "c_ushort" => "unsigned short",
        "c_int" => "int",
        "c_uint" => "unsigned int",
        "c_long" => "long",
        "c_ulong" => "unsigned long",
        "c_longlong" => "long long",
        "c_ulonglong" => "unsigned long long",
        _ => return None,
    })
}

/// Returns the type in C, and adds the structs that have to be declared for it to `structs`.
pub(super) fn c_type(ty: &Type, structs: &mut Vec<String>) -> Result<String> {
    match ty {
        Type::Ptr(ptr) => {
            let to = match (&*ptr.elem, last_name(&ptr.elem)) {
                (_, Some(name)) => match c_builtin(&name) {
                    Some(builtin) => builtin.to_string(),
                    None => {
                        structs.push(name.clone());
                        format!("struct {name}")
                    }
                },
                (Type::Ptr(_), None) => c_type(&ptr.elem, structs)?,
                _ => "void".to_string(),
            };
            let sign = if to.ends_with('*') { "" } else { " " };
            let constant = if ptr.const_token.is_some() && sign == " " {
                "const "
            } else {
                ""
            };

            Ok(format!("{constant}{to}{sign}*"))
        }
        _ => {
            let name = last_name(ty).ok_or_else(|| Error::new(ty.span(), "unsupported type"))?;

            Ok(c_builtin(&name).map_or(name, str::to_string))
        }
    }
}

impl Event {
    /// Generates what is in front of the definition of the event.
    pub(super) fn c_head(&self, c: &mut CText) {
        let name = &self.name;

        if self.is_exported() {
            c.add(&format!("#define RUST_TRACE_EXPORT {name}\n"));
        }
        self.c_register_declarations(c);
    }
}

impl Definition {
    pub(super) fn c_system(&self, c: &mut CText) {
        if let Some(system) = &self.system {
            c.add(&format!("#define TRACE_SYSTEM {}\n", system.value()));
        }
    }
}

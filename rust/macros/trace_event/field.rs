// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `entry:`, the fields of the record.
//!
//! A field is a member of the struct that Rust and C share, with the value that Rust computes, and
//! an entry of `TP_STRUCT__entry()`, to which `TP_fast_assign()` copies the member. Here are the
//! fields of a fixed size: integers, `bool`, pointers, structs and arrays of these.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    braced, bracketed,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    Error, Expr, Ident, PathArguments, Result, Token, Type,
};

use super::{
    c_text::{c_builtin, c_type, last_name, CText},
    parse::{entry, kw},
    print::plain_name,
    variable::Variable,
    Definition,
};

pub(super) struct Field {
    pub(super) name: Ident,
    pub(super) kind: Kind,
    pub(super) value: Expr,
}

/// A type whose values a record can hold: `T`, or `struct T`.
pub(super) struct Element {
    pub(super) ty: Type,
    pub(super) is_struct: bool,
}

pub(super) enum Kind {
    Scalar(Element),
    Array(Element, Expr),
    /// A field of variable length; whether its place is relative to the field (`__rel_loc`).
    Variable(Variable, bool),
}

pub(super) fn fields(input: ParseStream<'_>) -> Result<Vec<Field>> {
    entry(
        input,
        |input| input.parse::<kw::entry>().map(drop),
        |input| {
            let content;

            braced!(content in input);
            Ok(Punctuated::<Field, Token![,]>::parse_terminated(&content)?
                .into_iter()
                .collect())
        },
    )
}

impl Parse for Field {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;

        input.parse::<Token![:]>()?;
        let kind = input.parse()?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            input.parse()?
        } else {
            syn::parse_quote!(#name)
        };

        Ok(Self { name, kind, value })
    }
}

impl Element {
    /// Parses a type; `wrong` is the error about one that cannot be in this place.
    fn parse(input: ParseStream<'_>, wrong: &str) -> Result<Self> {
        let is_struct = input.parse::<Option<Token![struct]>>()?.is_some();
        let ty: Type = input.parse()?;
        let error = |message: &str| Err(Error::new(ty.span(), message));

        match &ty {
            Type::Ptr(_) if !is_struct => {}
            Type::Path(path) if path.qself.is_none() => {
                let Some(last) = path.path.segments.last() else {
                    return error(wrong);
                };

                match (&last.ident.to_string()[..], &last.arguments) {
                    ("f32" | "f64", _) => return error("floating point fields are not supported"),
                    ("String" | "CString" | "str" | "CStr", _) => {
                        return error("use `string` for strings")
                    }
                    (_, PathArguments::None) => {}
                    _ => return error(wrong),
                }
            }
            _ => return error(wrong),
        }
        Ok(Self { ty, is_struct })
    }

    /// Parses the type of the elements of an array.
    pub(super) fn parse_of_array(input: ParseStream<'_>) -> Result<Self> {
        Self::parse(
            input,
            "array elements must be integers, `bool`, raw pointers or `struct T`",
        )
    }

    /// As [`c_type`], with `struct` in front of the type of one.
    pub(super) fn c_type(&self, structs: &mut Vec<String>) -> Result<String> {
        let prefix = if self.is_struct { "struct " } else { "" };

        Ok(format!("{prefix}{}", c_type(&self.ty, structs)?))
    }

    /// As [`Self::c_type`], and adds the type to `named` if its name alone says what it is in C.
    pub(super) fn c_named<'a>(
        &'a self,
        structs: &mut Vec<String>,
        named: &mut Vec<(String, &'a Type)>,
    ) -> Result<String> {
        let text = self.c_type(structs)?;

        if self.is_struct || last_name(&self.ty).is_some_and(|name| c_builtin(&name).is_none()) {
            named.push((text.clone(), &self.ty));
        }
        Ok(text)
    }
}

impl Parse for Kind {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        if input.peek(syn::token::Bracket) {
            let content;

            bracketed!(content in input);
            let element = content.call(Element::parse_of_array)?;

            content.parse::<Token![;]>()?;
            return Ok(Self::Array(element, content.parse()?));
        }
        if input.peek(Token![&]) {
            return Err(input.error(
                "fields cannot be references: use `string` or `dynamic_array<T>` to record a copy",
            ));
        }
        if let Some((variable, rel)) = Variable::parse(input)? {
            return Ok(Self::Variable(variable, rel));
        }
        Element::parse(input, "unsupported field type").map(Self::Scalar)
    }
}

impl Definition {
    pub(super) fn field(&self, name: &Ident) -> Result<&Field> {
        self.fields
            .iter()
            .find(|field| field.name == *name)
            .ok_or_else(|| {
                Error::new(
                    name.span(),
                    format!("`{name}` is not a field of `{}`", self.name),
                )
            })
    }

    /// Returns the kind of the field that an expression consists of.
    pub(super) fn plain_field(&self, value: &Expr) -> Option<&Kind> {
        let name = plain_name(value)?;

        self.fields
            .iter()
            .find(|field| field.name == *name)
            .map(|field| &field.kind)
    }
}

impl Field {
    /// Returns the type of the field or of its elements, if the definition names it.
    pub(super) fn element(&self) -> Option<&Element> {
        match &self.kind {
            Kind::Scalar(element) | Kind::Array(element, _) => Some(element),
            Kind::Variable(variable, _) => variable.named_element(),
        }
    }

    /// Returns the members of the field in the struct that Rust and C share.
    pub(super) fn rust_members(&self) -> TokenStream {
        let Field { name, kind, .. } = self;

        match kind {
            Kind::Scalar(Element { ty, .. }) => quote!(#name: #ty,),
            Kind::Array(Element { ty, .. }, len) => quote!(#name: [#ty; #len],),
            Kind::Variable(variable, _) => variable.rust_members(name),
        }
    }

    /// Returns the value of the field; it does not compile if it has another type than the field.
    pub(super) fn rust_value(&self) -> TokenStream {
        let Field { kind, value, .. } = self;
        let span = value.span();
        let this =
            |ty: TokenStream| quote_spanned!(span=> ::core::convert::identity::<#ty>(#value));

        match kind {
            Kind::Scalar(Element { ty, .. }) => this(quote!(#ty)),
            Kind::Array(Element { ty, .. }, len) => this(quote!([#ty; #len])),
            Kind::Variable(variable, _) => variable.rust_value(value),
        }
    }

    /// Returns the statement that stores the field in the struct; `value` is the variable with the
    /// result of [`Self::rust_value`].
    pub(super) fn rust_store(&self, value: &Ident) -> TokenStream {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) | Kind::Array(..) => quote! {
                // SAFETY: The struct is a local variable.
                unsafe { (&raw mut (*__trace_event_args).#name).write(#value) };
            },
            Kind::Variable(variable, _) => variable.rust_store(name, value),
        }
    }

    /// Returns the statement behind the call of the probes. Without this use of the variable, the
    /// values of later fields could end what it borrows.
    pub(super) fn rust_keep(&self, value: &Ident) -> TokenStream {
        match self.kind {
            Kind::Variable(..) => quote!(let _ = ::core::convert::identity(#value);),
            _ => quote!(),
        }
    }

    /// Returns statements that compile only if a record can hold the type of the field.
    pub(super) fn rust_checks(&self) -> TokenStream {
        let Some(Element { ty, is_struct }) = self.element() else {
            return TokenStream::new();
        };
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
        let len = match &self.kind {
            Kind::Array(_, len) if is_char(ty) => quote_spanned! {len.span()=>
                ::core::assert!(#len != 0usize, "a string array needs room for the NUL");
            },
            _ => quote!(),
        };

        quote_spanned!(ty.span()=> #check::<#ty>(); #same #len)
    }

    /// Returns the type in C of the field or of its elements, as [`Element::c_named`].
    pub(super) fn c_type<'a>(
        &'a self,
        structs: &mut Vec<String>,
        named: &mut Vec<(String, &'a Type)>,
    ) -> Result<String> {
        match &self.kind {
            Kind::Scalar(element) | Kind::Array(element, _) => element.c_named(structs, named),
            Kind::Variable(variable, _) => variable.c_type(structs, named),
        }
    }

    /// Adds the member of the struct in C; `ty` is the type of the field or of its elements.
    pub(super) fn c_member(&self, ty: &str, c: &mut CText) {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) => c.add(&format!("\t{ty} {name};\n")),
            Kind::Array(_, len) => {
                c.add(&format!("\t{ty} {name}["));
                c.number(quote!(::core::convert::identity::<usize>(#len)));
                c.add("];\n");
            }
            Kind::Variable(..) => c.add(&format!("\tconst {ty} *{name};\n\tsize_t {name}__len;\n")),
        }
    }

    /// Adds assertions that the members of the field are in the same place of the struct, whose
    /// name in C is `of`.
    pub(super) fn c_place(&self, of: &str, shared: &Ident, c: &mut CText) {
        let name = &self.name;
        let len = format_ident!("{name}__len");
        let mut members = Vec::new();

        match &self.kind {
            Kind::Scalar(Element { ty, .. }) => members.push((name, quote!(#ty))),
            Kind::Array(Element { ty, .. }, len) => members.push((name, quote!([#ty; #len]))),
            Kind::Variable(..) => {
                members.push((name, quote!(*const u8)));
                members.push((&len, quote!(usize)));
            }
        }
        for (member, ty) in members {
            c.add(&format!("static_assert(offsetof({of}, {member}) == "));
            c.number(quote!(::core::mem::offset_of!(#shared, #member)));
            c.add(&format!(" &&\n\tsizeof_field({of}, {member}) == "));
            c.number(quote!(::core::mem::size_of::<#ty>()));
            c.add(");\n");
        }
    }

    /// Adds the field to `TP_STRUCT__entry()`.
    pub(super) fn c_entry(&self, ty: &str, c: &mut CText) {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(element) => c.add(&format!(
                "\t\t__field{}({ty}, {name})\n",
                if element.is_struct { "_struct" } else { "" }
            )),
            // The macros of C take no structs as elements.
            Kind::Array(Element { ty: of, is_struct }, len) => {
                let ty = if *is_struct { "u8" } else { ty };

                c.add(&format!("\t\t__array({ty}, {name}, "));
                c.number(match is_struct {
                    true => quote!(::core::mem::size_of::<[#of; #len]>()),
                    false => quote!(::core::convert::identity::<usize>(#len)),
                });
                c.add(")\n");
            }
            Kind::Variable(variable, rel) => c.add(&variable.c_entry(name, ty, *rel)),
        }
    }

    /// Adds the statements of the field to `TP_fast_assign()`.
    pub(super) fn c_assign(&self, ty: &str, c: &mut CText) {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) => c.add(&format!("\t\t__entry->{name} = args->{name};\n")),
            Kind::Array(Element { ty: of, .. }, _) => {
                c.add(&format!(
                    "\t\tmemcpy(__entry->{name}, args->{name}, sizeof(__entry->{name}));\n"
                ));
                if is_char(of) {
                    // Terminate the string within the record.
                    c.add(&format!(
                        "\t\t__entry->{name}[sizeof(__entry->{name}) - 1] = 0;\n"
                    ));
                }
            }
            Kind::Variable(variable, rel) => c.add(&variable.c_assign(name, ty, *rel)),
        }
    }

    /// Returns what the field is in C, if it is printed as it is.
    pub(super) fn c_value(&self) -> String {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) | Kind::Array(..) => format!("__entry->{name}"),
            Kind::Variable(variable, rel) => variable.c_value(name, *rel),
        }
    }
}

pub(super) fn is_char(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| name == "c_char")
}

/// Returns the type in Rust that [`c_builtin`] means by a name.
pub(super) fn rust_builtin(name: &str) -> TokenStream {
    let ident = format_ident!("{name}");

    if name.starts_with("c_") {
        quote!(::kernel::ffi::#ident)
    } else {
        quote!(::core::primitive::#ident)
    }
}

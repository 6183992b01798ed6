// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `trace_event!` and `trace_event_class!`.
//!
//! An event defined in Rust is a C event whose only argument is a pointer to a struct with the
//! values of the fields. [`Definition`] is the parsed input of the macros. [`c_text`] generates the
//! struct and the `TRACE_EVENT()` in C, [`expand`] the struct and the functions in Rust.
//!
//! The checks here are for errors that the C compiler would not report, or not at the right
//! location.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    braced,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    Attribute, Error, Expr, GenericArgument, LitStr, PathArguments, Result, Token, Type,
    Visibility,
};

mod kw {
    syn::custom_keyword!(class);
    syn::custom_keyword!(entry);
    syn::custom_keyword!(events);
    syn::custom_keyword!(print);
    syn::custom_keyword!(system);
}

/// The parsed input of either macro.
struct Definition {
    system: Option<Ident>,
    /// Name of the class, or of the single event.
    name: Ident,
    is_class: bool,
    args: Vec<(Ident, Type)>,
    fields: Vec<Field>,
    print: Print,
    events: Vec<Event>,
}

struct Event {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    condition: Option<Expr>,
    /// Replaces that of the class.
    print: Option<Print>,
}

struct Field {
    name: Ident,
    kind: Kind,
    value: Expr,
}

enum Kind {
    Scalar(Type),
    Array(Type, Expr),
    Text,
    Dynamic(Type),
}

struct Print {
    format: LitStr,
    args: Vec<PrintArg>,
}

struct PrintArg {
    field: Ident,
    how: How,
}

enum How {
    Plain,
    /// `flags(field, "|", { ... })`, and `symbolic()` without a separator.
    Names(Option<LitStr>, Vec<(Expr, LitStr)>),
    Hex,
    Array,
}

/// Parses `keyword: value,`; the comma may be missing at the end.
fn entry<T>(
    input: ParseStream<'_>,
    keyword: impl FnOnce(ParseStream<'_>) -> Result<()>,
    value: impl FnOnce(ParseStream<'_>) -> Result<T>,
) -> Result<T> {
    keyword(input)?;
    input.parse::<Token![:]>()?;
    let value = value(input)?;

    comma(input)?;
    Ok(value)
}

fn comma(input: ParseStream<'_>) -> Result<()> {
    if !input.is_empty() {
        input.parse::<Token![,]>()?;
    }
    Ok(())
}

fn system(input: ParseStream<'_>) -> Result<Option<Ident>> {
    if !input.peek(kw::system) {
        return Ok(None);
    }
    entry(
        input,
        |input| input.parse::<kw::system>().map(drop),
        Ident::parse,
    )
    .map(Some)
}

fn args(input: ParseStream<'_>) -> Result<Vec<(Ident, Type)>> {
    let content;

    parenthesized!(content in input);
    let list = Punctuated::<_, Token![,]>::parse_terminated_with(&content, |arg| {
        let name = arg.parse()?;

        arg.parse::<Token![:]>()?;
        Ok((name, arg.parse()?))
    })?;

    Ok(list.into_iter().collect())
}

fn condition(input: ParseStream<'_>) -> Result<Option<Expr>> {
    if !input.peek(Token![if]) {
        return Ok(None);
    }
    input.parse::<Token![if]>()?;
    // A `{` after it begins the print format of the event.
    Expr::parse_without_eager_brace(input).map(Some)
}

fn fields(input: ParseStream<'_>) -> Result<Vec<Field>> {
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

fn print(input: ParseStream<'_>) -> Result<Print> {
    entry(
        input,
        |input| input.parse::<kw::print>().map(drop),
        |input| {
            let format = input.parse()?;
            let mut args = Vec::new();

            while input.peek(Token![,]) && input.peek2(Ident::peek_any) && !input.peek3(Token![:]) {
                input.parse::<Token![,]>()?;
                args.push(input.parse()?);
            }
            Ok(Print { format, args })
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

impl Parse for Kind {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let ty: Type = input.parse()?;

        let error = |message: &str| Err(Error::new(ty.span(), message));

        match &ty {
            Type::Array(array) => match &*array.elem {
                Type::Path(_) | Type::Ptr(_) => {
                    Ok(Self::Array((*array.elem).clone(), array.len.clone()))
                }
                _ => error("the elements of an array are integers, `bool` or raw pointers"),
            },
            Type::Ptr(_) => Ok(Self::Scalar(ty)),
            Type::Path(path) if path.qself.is_none() => {
                let Some(last) = path.path.segments.last() else {
                    return error("not a type of C");
                };

                match (&last.ident.to_string()[..], &last.arguments) {
                    ("string", PathArguments::None) => Ok(Self::Text),
                    ("dynamic_array", PathArguments::AngleBracketed(of)) if of.args.len() == 1 => {
                        match &of.args[0] {
                            GenericArgument::Type(of @ (Type::Path(_) | Type::Ptr(_))) => {
                                Ok(Self::Dynamic(of.clone()))
                            }
                            _ => error("the elements are integers, `bool` or raw pointers"),
                        }
                    }
                    ("f32" | "f64", _) => error("the kernel has no floating point numbers"),
                    ("String" | "CString" | "str" | "CStr", _) => {
                        error("the type of a string is `string`")
                    }
                    (_, PathArguments::None) => Ok(Self::Scalar(ty)),
                    _ => error("not a type of C"),
                }
            }
            Type::Reference(_) => error(
                "a record cannot have a reference: what it points to may be gone when the record \
                 is read; `string` and `dynamic_array<T>` have copies",
            ),
            _ => error("not a type of C"),
        }
    }
}

impl Parse for PrintArg {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;

        if !input.peek(syn::token::Paren) {
            return Ok(Self {
                field: name,
                how: How::Plain,
            });
        }

        let content;

        parenthesized!(content in input);
        let field = content.parse()?;
        let how = match &name.to_string()[..] {
            "hex" => How::Hex,
            "array" => How::Array,
            "flags" => {
                content.parse::<Token![,]>()?;
                let between = content.parse()?;

                How::Names(Some(between), names(&content)?)
            }
            "symbolic" => How::Names(None, names(&content)?),
            _ => {
                return Err(Error::new(
                    name.span(),
                    "unknown function: there are `flags`, `symbolic`, `hex` and `array`",
                ))
            }
        };

        comma(&content)?;
        Ok(Self { field, how })
    }
}

/// Parses `, { 1: "READ", 2: "WRITE" }`.
fn names(input: ParseStream<'_>) -> Result<Vec<(Expr, LitStr)>> {
    let content;

    input.parse::<Token![,]>()?;
    braced!(content in input);
    let list = Punctuated::<_, Token![,]>::parse_terminated_with(&content, |name| {
        let value = name.parse()?;

        name.parse::<Token![:]>()?;
        Ok((value, name.parse()?))
    })?;

    Ok(list.into_iter().collect())
}

/// A single event.
struct Single(Definition);

impl Parse for Single {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let system = system(input)?;
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;

        input.parse::<Token![fn]>()?;
        let name: Ident = input.parse()?;
        let args = args(input)?;
        let condition = condition(input)?;

        comma(input)?;
        Ok(Self(Definition {
            system,
            name: name.clone(),
            is_class: false,
            args,
            fields: fields(input)?,
            print: print(input)?,
            events: vec![Event {
                attrs,
                vis,
                name,
                condition,
                print: None,
            }],
        }))
    }
}

/// A class, with its events.
struct Class(Definition);

impl Parse for Class {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let system = system(input)?;

        input.parse::<kw::class>()?;
        let name = input.parse()?;
        let args = args(input)?;

        comma(input)?;
        let fields = fields(input)?;
        let print = print(input)?;
        let events = entry(
            input,
            |input| input.parse::<kw::events>().map(drop),
            |input| {
                let content;

                braced!(content in input);
                Punctuated::<Event, Token![,]>::parse_terminated(&content)
            },
        )?;

        Ok(Self(Definition {
            system,
            name,
            is_class: true,
            args,
            fields,
            print,
            events: events.into_iter().collect(),
        }))
    }
}

impl Parse for Event {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;

        input.parse::<Token![fn]>()?;
        let name = input.parse()?;
        let condition = condition(input)?;
        let own = if input.peek(syn::token::Brace) {
            let content;

            braced!(content in input);
            Some(print(&content)?)
        } else {
            None
        };

        Ok(Self {
            attrs,
            vis,
            name,
            condition,
            print: own,
        })
    }
}

/// Limit of the kernel for event names, including the NUL.
const MAX_NAME: usize = 64;

impl Definition {
    fn field(&self, name: &Ident) -> Result<&Field> {
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

    /// Returns all print formats of the definition.
    fn prints(&self) -> impl Iterator<Item = &Print> {
        core::iter::once(&self.print).chain(self.events.iter().flat_map(|event| &event.print))
    }

    fn check(&self) -> Result<()> {
        let mut errors: Option<Error> = None;
        let mut add = |error: Error| match &mut errors {
            Some(errors) => errors.combine(error),
            None => errors = Some(error),
        };
        let names = [&self.name]
            .into_iter()
            .chain(&self.system)
            .chain(self.events.iter().map(|event| &event.name))
            .chain(self.fields.iter().map(|field| &field.name));

        for name in names {
            let text = name.to_string();

            if text.len() >= MAX_NAME || !text.is_ascii() || text.starts_with("r#") {
                add(Error::new(
                    name.span(),
                    "a name is one in C, and of less than 64 characters",
                ));
            }
        }
        for (nr, field) in self.fields.iter().enumerate() {
            let text = field.name.to_string();

            if text.starts_with("common_") || text.starts_with("__data") || text == "ent" {
                add(Error::new(
                    field.name.span(),
                    format!("the name `{text}` is one of those that all records have"),
                ));
            }
            if self.fields[..nr]
                .iter()
                .any(|other| other.name == field.name)
            {
                add(Error::new(
                    field.name.span(),
                    format!("field `{text}` is there twice"),
                ));
            }
        }
        for (nr, event) in self.events.iter().enumerate() {
            if self.events[..nr]
                .iter()
                .any(|other| other.name == event.name)
            {
                add(Error::new(
                    event.name.span(),
                    format!("event `{}` is there twice", event.name),
                ));
            }
        }
        if self.events.is_empty() {
            add(Error::new(
                self.name.span(),
                "a class needs an event at least",
            ));
        }
        for print in self.prints() {
            for arg in &print.args {
                if let Err(error) = self.field(&arg.field).and_then(|field| arg.check(field)) {
                    add(error);
                }
            }
        }
        errors.map_or(Ok(()), Err)
    }
}

impl PrintArg {
    /// Checks that a field can be printed in this way, as far as its tokens tell.
    fn check(&self, field: &Field) -> Result<()> {
        let wrong = |what: &str| {
            Err(Error::new(
                self.field.span(),
                format!("field `{}` is {what}", field.name),
            ))
        };

        match (&self.how, &field.kind) {
            (How::Plain, Kind::Dynamic(_)) => wrong("an array: print it with `hex` or `array`"),
            (How::Plain, _)
            | (How::Names(..), Kind::Scalar(Type::Path(_)))
            | (How::Hex | How::Array, Kind::Array(Type::Path(_), _))
            | (How::Hex | How::Array, Kind::Dynamic(Type::Path(_))) => Ok(()),
            (How::Names(..), _) => wrong("no integer: it has no names"),
            _ => wrong("no array of integers"),
        }
    }
}

/// Returns the members of a field in the struct that Rust and C share.
fn rust_field(field: &Field) -> TokenStream {
    let Field { name, kind, .. } = field;
    let len = format_ident!("{name}__len");

    match kind {
        Kind::Scalar(ty) => quote!(#name: #ty,),
        Kind::Array(ty, len) => quote!(#name: [#ty; #len],),
        Kind::Text => quote!(#name: *const u8, #len: usize,),
        Kind::Dynamic(ty) => quote!(#name: *const #ty, #len: usize,),
    }
}

/// Returns the value of a field; it does not compile if it has another type than the field.
fn rust_value(field: &Field) -> TokenStream {
    let Field { kind, value, .. } = field;

    match kind {
        Kind::Scalar(ty) => quote_spanned!(value.span()=> ::core::convert::identity::<#ty>(#value)),
        Kind::Array(ty, len) => {
            quote_spanned!(value.span()=> ::core::convert::identity::<[#ty; #len]>(#value))
        }
        Kind::Text => quote_spanned!(value.span()=> ::kernel::trace_event::Text::bytes(#value)),
        Kind::Dynamic(ty) => {
            quote_spanned!(value.span()=> ::core::convert::identity::<&[#ty]>(#value))
        }
    }
}

/// Returns the initializer of a field in the struct; `value` is the variable with the result of
/// [`rust_value`].
fn rust_store(field: &Field, value: &Ident) -> TokenStream {
    let name = &field.name;
    let len = format_ident!("{name}__len");

    match field.kind {
        Kind::Scalar(_) | Kind::Array(..) => quote!(#name: #value,),
        Kind::Text | Kind::Dynamic(_) => quote!(#name: #value.as_ptr(), #len: #value.len(),),
    }
}

/// Returns the kind of argument that an argument of a print format is to `printf()`.
fn print_kind(arg: &PrintArg, field: &Field) -> TokenStream {
    let argument = quote!(::kernel::printf::Argument);

    match (&arg.how, &field.kind) {
        (How::Plain, Kind::Scalar(ty)) => {
            quote!(<#ty as ::kernel::trace_event::Field>::ARGUMENT)
        }
        (How::Plain, Kind::Array(ty, len)) if !is_char(ty) => {
            quote!(#argument::Bytes(::core::mem::size_of::<[#ty; #len]>()))
        }
        _ => quote!(#argument::Text),
    }
}

/// Returns assertions that the arguments of a print format fit it.
fn print_checks(definition: &Definition, print: &Print) -> Result<TokenStream> {
    let format = &print.format;
    let count = print.args.len();
    let mut checks = quote_spanned! {format.span()=>
        ::core::assert!(
            ::kernel::printf::counts(#format, #count),
            "the format of the event has other conversions than arguments, or an unknown one"
        );
    };

    for (nr, arg) in print.args.iter().enumerate() {
        let kind = print_kind(arg, definition.field(&arg.field)?);
        let message = format!("`{}` does not fit its conversion in the format", arg.field);

        checks.extend(quote_spanned! {arg.field.span()=>
            ::core::assert!(#kind.fits(#format, #nr), #message);
        });
    }
    Ok(checks)
}

fn expand_event(definition: &Definition, event: &Event, shared: &Ident) -> TokenStream {
    let Event {
        attrs,
        vis,
        name,
        condition,
        ..
    } = event;
    let cfgs: Vec<_> = attrs
        .iter()
        .filter(|attr| attr.path().is_ident("cfg"))
        .collect();
    let trace = format_ident!("trace_{name}");
    let enabled = format_ident!("trace_{name}_enabled");
    let enabled_doc = format!("Whether `{name}` is enabled.");
    let hit = format_ident!("__trace_event_{name}");
    let tracepoint = format_ident!("__tracepoint_{name}");
    let call = format_ident!("rust_do_trace_{name}");
    let (arg_names, arg_types): (Vec<_>, Vec<_>) =
        definition.args.iter().map(|(name, ty)| (name, ty)).unzip();
    let values: Vec<_> = definition.fields.iter().map(rust_value).collect();
    let locals: Vec<_> = (0..values.len())
        .map(|nr| format_ident!("__trace_event_{nr}"))
        .collect();
    let stores = definition
        .fields
        .iter()
        .zip(&locals)
        .map(|(field, local)| rust_store(field, local));
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
    let declaration = quote! {
        #[cfg(CONFIG_TRACEPOINTS)]
        extern "C" {
            static mut #tracepoint: ::kernel::bindings::tracepoint;
        }
    };

    quote! {
        #(#attrs)*
        #[allow(dead_code, clippy::too_many_arguments)]
        #[inline(always)]
        #vis fn #trace(#(#arg_names: #arg_types),*) {
            #declaration

            if ::kernel::tracepoint_enabled!(#tracepoint) {
                #hit(#(#arg_names),*);
            }
            ::kernel::tracepoint::check_rcu(#watch);
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
        #[allow(dead_code, non_snake_case, clippy::too_many_arguments)]
        #[::kernel::prelude::notrace]
        #[cold]
        #[inline(never)]
        fn #hit(#(#arg_names: #arg_types),*) {
            extern "C" {
                fn #call(args: *const #shared);
            }

            #test
            // Temporaries in the values live until the end of the match.
            match (#(#values,)*) {
                (#(#locals,)*) => {
                    let __trace_event_args = #shared { #(#stores)* };

                    // SAFETY: The C text has assertions that the struct has the same layout in C.
                    // Everything it points to is borrowed until the call returns.
                    unsafe { #call(&__trace_event_args) }
                }
            }
        }
    }
}

/// Checks a definition and expands it.
fn expand(definition: &Definition) -> Result<TokenStream> {
    definition.check()?;

    let shared = format_ident!("__trace_event_{}_args", definition.name);
    let fields = definition.fields.iter().map(rust_field);
    let types = definition.fields.iter().map(|field| match &field.kind {
        Kind::Scalar(ty) | Kind::Array(ty, _) | Kind::Dynamic(ty) => ty.clone(),
        Kind::Text => syn::parse_quote!(u8),
    });
    let types: Vec<Type> = types.collect();
    let checks = definition
        .prints()
        .map(|print| print_checks(definition, print))
        .collect::<Result<Vec<_>>>()?;
    let pieces = c_text(definition, &shared)?;
    let events = definition
        .events
        .iter()
        .map(|event| expand_event(definition, event, &shared));
    // `cfg` attributes of a single event apply to the whole definition. If an event of a class is
    // disabled by one, C still has its definition.
    let cfgs: Vec<_> = match &definition.events[..] {
        [event] => event
            .attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"))
            .collect(),
        _ => Vec::new(),
    };

    Ok(quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types, non_snake_case)]
        #[repr(C)]
        struct #shared {
            #(#fields)*
        }

        #(#cfgs)*
        const _: () = {
            const fn is_field<T: ::kernel::trace_event::Field>() {}

            #(is_field::<#types>();)*
            #({ #checks })*
        };

        #(#cfgs)*
        #[cfg(CONFIG_TRACEPOINTS)]
        #[allow(clippy::unnecessary_cast)]
        const _: () = {
            const PIECES: &[::kernel::trace_event::Piece] = &[#pieces];

            // `used(linker)` would create a separate section for each text.
            #[used(compiler)]
            #[link_section = ".discard.trace_events"]
            static TEXT: [u8; ::kernel::trace_event::text_len(PIECES)] =
                ::kernel::trace_event::text(PIECES);
        };

        #(#events)*
    })
}

/// C text, in pieces.
#[derive(Default)]
struct CText {
    pieces: TokenStream,
    text: String,
}

impl CText {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let text = core::mem::take(&mut self.text);

        self.pieces
            .extend(quote!(::kernel::trace_event::Piece::Text(#text),));
    }

    /// Adds a number that the Rust compiler evaluates.
    fn number(&mut self, value: TokenStream) {
        self.flush();
        self.pieces
            .extend(quote!(::kernel::trace_event::Piece::Number((#value) as i128),));
    }

    /// Adds a string literal.
    fn literal(&mut self, text: &LitStr) -> Result<()> {
        self.add("\"");
        for byte in text.value().bytes() {
            match byte {
                0 => return Err(Error::new(text.span(), "there is a NUL in this text")),
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
fn last_name(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

fn is_char(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| name == "c_char")
}

/// Returns the C name of a type that has a fixed one.
fn c_builtin(name: &str) -> Option<&'static str> {
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

/// Returns a type in C, and adds the structs that have to be declared for it to `structs`.
fn c_type(ty: &Type, structs: &mut Vec<String>) -> Result<String> {
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
            let name = last_name(ty).ok_or_else(|| Error::new(ty.span(), "not a type of C"))?;

            Ok(c_builtin(&name).map_or(name, str::to_string))
        }
    }
}

/// Generates the struct, with assertions that its layout is that of Rust.
fn c_struct(definition: &Definition, shared: &Ident, c: &mut CText) -> Result<Vec<String>> {
    let name = &definition.name;
    let mut structs = Vec::new();
    let mut types = Vec::new();
    let mut typedefs = Vec::new();

    for field in &definition.fields {
        let (ty, text) = match &field.kind {
            Kind::Text => (None, "char".to_string()),
            Kind::Scalar(ty) | Kind::Array(ty, _) | Kind::Dynamic(ty) => {
                (Some(ty), c_type(ty, &mut structs)?)
            }
        };

        if let Some(ty) = ty {
            if last_name(ty).is_some_and(|name| c_builtin(&name).is_none()) {
                typedefs.push((text.clone(), ty));
            }
        }
        types.push(text);
    }
    c.add(&format!(
        "#ifndef RUST_{name}_ARGS\n#define RUST_{name}_ARGS\n"
    ));
    structs.sort();
    structs.dedup();
    for of in &structs {
        c.add(&format!("struct {of};\n"));
    }
    c.add(&format!("struct rust_{name}_args {{\n"));
    for (field, ty) in definition.fields.iter().zip(&types) {
        let field_name = &field.name;

        match &field.kind {
            Kind::Scalar(_) => c.add(&format!("\t{ty} {field_name};\n")),
            Kind::Array(_, len) => {
                c.add(&format!("\t{ty} {field_name}["));
                c.number(quote!({ const LEN: usize = #len; LEN }));
                c.add("];\n");
            }
            Kind::Text | Kind::Dynamic(_) => c.add(&format!(
                "\tconst {ty} *{field_name};\n\tsize_t {field_name}__len;\n"
            )),
        }
    }
    c.add(&format!(
        "}};\nstatic_assert(sizeof(struct rust_{name}_args) == "
    ));
    c.number(quote!(::core::mem::size_of::<#shared>()));
    c.add(");\n");
    for (text, ty) in typedefs {
        // The name may be that of another type in C.
        c.add(&format!("static_assert(sizeof({text}) == "));
        c.number(quote!(::core::mem::size_of::<#ty>()));
        c.add(");\n");
    }
    c.add("#endif\n");
    Ok(types)
}

fn c_print(definition: &Definition, print: &Print, c: &mut CText) -> Result<()> {
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
        let field = definition.field(&arg.field)?;
        let name = &field.name;

        c.add(",\n\t\t");
        match &arg.how {
            How::Plain if matches!(field.kind, Kind::Text) => c.add(&format!("__get_str({name})")),
            How::Plain => c.add(&format!("__entry->{name}")),
            How::Names(between, names) => {
                match between {
                    Some(between) => {
                        c.add(&format!("__print_flags(__entry->{name}, "));
                        c.literal(between)?;
                    }
                    None => c.add(&format!("__print_symbolic(__entry->{name}")),
                }
                for (value, text) in names {
                    c.add(", { ");
                    c.number(quote_spanned! {value.span()=>
                        ::kernel::trace_event::key((#value) as i128)
                    });
                    c.add(", ");
                    c.literal(text)?;
                    c.add(" }");
                }
                c.add(")");
            }
            How::Hex | How::Array => {
                let function = if matches!(arg.how, How::Hex) {
                    "__print_hex"
                } else {
                    "__print_array"
                };
                let ty = match &field.kind {
                    Kind::Array(ty, len) => {
                        c.add(&format!("{function}(__entry->{name}, "));
                        c.number(match arg.how {
                            How::Hex => quote!(::core::mem::size_of::<[#ty; #len]>()),
                            _ => quote!({ const LEN: usize = #len; LEN }),
                        });
                        ty
                    }
                    Kind::Dynamic(ty) => {
                        c.add(&format!("{function}(__get_dynamic_array({name}), "));
                        c.add(&format!("__get_dynamic_array_len({name})"));
                        if matches!(arg.how, How::Array) {
                            c.add(" / ");
                            c.number(quote!(::core::mem::size_of::<#ty>()));
                        }
                        ty
                    }
                    _ => unreachable!("PrintArg::check() has seen to that"),
                };

                if matches!(arg.how, How::Array) {
                    c.add(", ");
                    c.number(quote!(::core::mem::size_of::<#ty>()));
                }
                c.add(")");
            }
        }
    }
    c.add(")");
    Ok(())
}

/// Generates the definition in C.
fn c_text(definition: &Definition, shared: &Ident) -> Result<TokenStream> {
    let name = &definition.name;
    let prototype = format!("TP_PROTO(const struct rust_{name}_args *args),\n\tTP_ARGS(args)");
    let mut c = CText::default();

    if let Some(system) = &definition.system {
        c.add(&format!("#define TRACE_SYSTEM {system}\n"));
    }
    let types = c_struct(definition, shared, &mut c)?;
    let which = if definition.is_class {
        "DECLARE_EVENT_CLASS"
    } else {
        "TRACE_EVENT"
    };

    c.add(&format!(
        "{which}({name},\n\t{prototype},\n\tTP_STRUCT__entry(\n"
    ));
    for (field, ty) in definition.fields.iter().zip(&types) {
        let field_name = &field.name;

        match &field.kind {
            Kind::Scalar(_) => c.add(&format!("\t\t__field({ty}, {field_name})\n")),
            Kind::Array(_, len) => {
                c.add(&format!("\t\t__array({ty}, {field_name}, "));
                c.number(quote!({ const LEN: usize = #len; LEN }));
                c.add(")\n");
            }
            Kind::Text => c.add(&format!(
                "\t\t__string_len({field_name}, args->{field_name}, args->{field_name}__len)\n"
            )),
            Kind::Dynamic(_) => c.add(&format!(
                "\t\t__dynamic_array({ty}, {field_name}, args->{field_name}__len)\n"
            )),
        }
    }
    c.add("\t),\n\tTP_fast_assign(\n");
    for (field, ty) in definition.fields.iter().zip(&types) {
        let field_name = &field.name;

        match &field.kind {
            Kind::Scalar(_) => c.add(&format!(
                "\t\t__entry->{field_name} = args->{field_name};\n"
            )),
            Kind::Array(of, _) => {
                c.add(&format!(
                    "\t\tmemcpy(__entry->{field_name}, args->{field_name}, \
                     sizeof(__entry->{field_name}));\n"
                ));
                if is_char(of) {
                    // Terminate the string within the record.
                    c.add(&format!(
                        "\t\t__entry->{field_name}[sizeof(__entry->{field_name}) - 1] = 0;\n"
                    ));
                }
            }
            Kind::Text => c.add(&format!("\t\t__assign_str({field_name});\n")),
            Kind::Dynamic(_) => c.add(&format!(
                "\t\tmemcpy(__get_dynamic_array({field_name}), args->{field_name}, \
                 args->{field_name}__len * sizeof({ty}));\n"
            )),
        }
    }
    c.add("\t),\n\t");
    c_print(definition, &definition.print, &mut c)?;
    c.add(");\n");
    if definition.is_class {
        for event in &definition.events {
            let event_name = &event.name;

            match &event.print {
                None => c.add(&format!(
                    "DEFINE_EVENT({name}, {event_name},\n\t{prototype}"
                )),
                Some(own) => {
                    c.add(&format!(
                        "DEFINE_EVENT_PRINT({name}, {event_name},\n\t{prototype},\n\t"
                    ));
                    c_print(definition, own, &mut c)?;
                }
            }
            c.add(");\n");
        }
    }
    c.flush();
    Ok(c.pieces)
}

/// Expands `trace_event!`.
pub(crate) fn trace_event(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<Single>(input)
        .and_then(|Single(definition)| expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

/// Expands `trace_event_class!`.
pub(crate) fn trace_event_class(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<Class>(input)
        .and_then(|Class(definition)| expand(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

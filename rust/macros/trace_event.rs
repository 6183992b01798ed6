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
    braced, bracketed,
    ext::IdentExt,
    parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    spanned::Spanned,
    visit_mut::VisitMut,
    Attribute, Block, Error, Expr, ExprCall, GenericArgument, Lit, LitBool, LitStr, Member,
    PathArguments, Result, Stmt, Token, Type, UnOp, Visibility,
};

mod kw {
    syn::custom_keyword!(class);
    syn::custom_keyword!(entry);
    syn::custom_keyword!(events);
    syn::custom_keyword!(print);
    syn::custom_keyword!(register);
    syn::custom_keyword!(system);
    syn::custom_keyword!(unregister);
}

/// The parsed input of either macro.
struct Definition {
    system: Option<LitStr>,
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
    unsafety: Option<Token![unsafe]>,
    name: Ident,
    condition: Option<Expr>,
    /// Replaces that of the class.
    print: Option<Print>,
    /// The functions that are called before the first and after the last probe.
    register: Option<(Expr, Expr)>,
}

struct Field {
    name: Ident,
    kind: Kind,
    value: Expr,
}

/// A type whose values a record can hold: `T`, or `struct T`.
struct Element {
    ty: Type,
    is_struct: bool,
}

enum Kind {
    Scalar(Element),
    Array(Element, Expr),
    /// A field of variable length; whether its place is relative to the field (`__rel_loc`).
    Variable(Variable, bool),
}

// Few of them exist, and not for long.
#[allow(clippy::large_enum_variant)]
enum Variable {
    Text,
    /// Text that Rust formats.
    Format,
    Slice(Element),
    Bitmask,
    Cpumask,
    Sockaddr,
}

struct Print {
    format: LitStr,
    args: Vec<PrintArg>,
}

enum PrintArg {
    /// A field, an expression of fields, or a function of one.
    Value(Expr),
    /// `flags(value, "|", { ... })`, and `symbolic()` without a separator.
    Names(Expr, Option<LitStr>, Vec<(Expr, LitStr)>),
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

/// Parses `system: name,` or, for a name that is no identifier, `system: "my-name",`.
fn system(input: ParseStream<'_>) -> Result<Option<LitStr>> {
    if !input.peek(kw::system) {
        return Ok(None);
    }
    entry(
        input,
        |input| input.parse::<kw::system>().map(drop),
        |input| {
            if input.peek(LitStr) {
                return input.parse();
            }
            let name: Ident = input.parse()?;

            Ok(LitStr::new(&name.to_string(), name.span()))
        },
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

            // The next entry is `word:`; a path has `::` there.
            while input.peek(Token![,]) {
                let rest = input.fork();

                rest.parse::<Token![,]>()?;
                let entry =
                    rest.peek(Ident::peek_any) && rest.peek2(Token![:]) && !rest.peek2(Token![::]);

                if rest.is_empty() || entry {
                    break;
                }
                input.parse::<Token![,]>()?;
                args.push(input.parse()?);
            }
            Ok(Print { format, args })
        },
    )
}

fn register(input: ParseStream<'_>) -> Result<Option<(Expr, Expr)>> {
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
                    ("f32" | "f64", _) => return error("the kernel has no floating point numbers"),
                    ("String" | "CString" | "str" | "CStr", _) => {
                        return error("the type of a string is `string`")
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
    fn parse_of_array(input: ParseStream<'_>) -> Result<Self> {
        Self::parse(
            input,
            "the elements of an array are integers, `bool`, raw pointers or `struct T`",
        )
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
                "a record cannot have a reference: what it points to may be gone when the record \
                 is read; `string` and `dynamic_array<T>` have copies",
            ));
        }

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
                return Ok(Self::Variable(Variable::Slice(element), rel));
            }
            _ if fork.peek(Token![::]) => None,
            "string" => Some(Variable::Text),
            "vstring" if !rel => Some(Variable::Format),
            "bitmask" => Some(Variable::Bitmask),
            "cpumask" => Some(Variable::Cpumask),
            "sockaddr" => Some(Variable::Sockaddr),
            _ => None,
        };

        match variable {
            Some(variable) => {
                input.parse::<Ident>()?;
                Ok(Self::Variable(variable, rel))
            }
            None => Element::parse(input, "not a type of C").map(Self::Scalar),
        }
    }
}

impl Parse for PrintArg {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let fork = input.fork();
        let flags = match fork.parse::<Ident>() {
            Ok(word) if fork.peek(syn::token::Paren) && word == "flags" => true,
            Ok(word) if fork.peek(syn::token::Paren) && word == "symbolic" => false,
            _ => return input.parse().map(Self::Value),
        };
        let content;

        input.parse::<Ident>()?;
        parenthesized!(content in input);
        let value = content.parse()?;
        let between = if flags {
            content.parse::<Token![,]>()?;
            Some(content.parse()?)
        } else {
            None
        };
        let names = names(&content)?;

        comma(&content)?;
        Ok(Self::Names(value, between, names))
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

impl Definition {
    /// Parses an event or tracepoint of its own, up to its condition.
    fn begin(input: ParseStream<'_>) -> Result<Self> {
        let system = system(input)?;
        let mut event = Event::begin(input)?;
        let args = args(input)?;

        event.condition = condition(input)?;
        comma(input)?;
        Ok(Self {
            system,
            name: event.name.clone(),
            is_class: false,
            args,
            fields: Vec::new(),
            print: Print {
                format: LitStr::new("", event.name.span()),
                args: Vec::new(),
            },
            events: vec![event],
        })
    }
}

/// A single event.
struct Single(Definition);

impl Parse for Single {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut definition = Definition::begin(input)?;

        definition.fields = fields(input)?;
        definition.print = print(input)?;
        definition.events[0].register = register(input)?;
        Ok(Self(definition))
    }
}

/// A tracepoint without an event: it has neither fields nor a print format.
struct Bare(Definition);

impl Parse for Bare {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut definition = Definition::begin(input)?;

        definition.name = format_ident!("{}_tp", definition.name);
        definition.events[0].name = definition.name.clone();
        Ok(Self(definition))
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

impl Event {
    /// Parses its name, and what is in front of it.
    fn begin(input: ParseStream<'_>) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let unsafety = input.parse()?;

        input.parse::<Token![fn]>()?;
        Ok(Self {
            attrs,
            vis,
            unsafety,
            name: input.parse()?,
            condition: None,
            print: None,
            register: None,
        })
    }
}

impl Parse for Event {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut event = Self::begin(input)?;

        event.condition = condition(input)?;
        if input.peek(syn::token::Brace) {
            let content;

            braced!(content in input);
            if content.peek(kw::print) {
                event.print = Some(print(&content)?);
            }
            event.register = register(&content)?;
            if event.print.is_some() && event.register.is_some() {
                return Err(content.error("C has no event with both in a class"));
            }
        }
        Ok(event)
    }
}

/// The keywords of C that are names in Rust.
const C_KEYWORDS: &str = "asm auto case char default double float goto inline int long register \
                          restrict short signed sizeof switch typedef union unsigned void \
                          volatile _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn";

/// Refuses a name that C cannot have for a variable.
fn check_name(name: &Ident) -> Result<()> {
    if C_KEYWORDS.split(' ').any(|keyword| name == keyword) {
        return Err(Error::new(
            name.span(),
            format!("`{name}` is a keyword of C"),
        ));
    }
    Ok(())
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

    /// Returns the kind of the field that an expression consists of.
    fn plain_field(&self, value: &Expr) -> Option<&Kind> {
        let name = plain_name(value)?;

        self.fields
            .iter()
            .find(|field| field.name == *name)
            .map(|field| &field.kind)
    }

    /// Returns whether an expression is a path that may be the name of a constant.
    fn is_constant(&self, value: &Expr) -> bool {
        match plain_name(value) {
            Some(name) => {
                !name.to_string().chars().any(char::is_lowercase)
                    && self.fields.iter().all(|field| field.name != *name)
            }
            None => matches!(value, Expr::Path(_)),
        }
    }

    /// Returns whether an expression is an array or text, which is an address in C.
    fn is_address(&self, value: &Expr) -> bool {
        match value {
            Expr::Paren(inner) => self.is_address(&inner.expr),
            Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
            Expr::If(test) => {
                only_expr(&test.then_branch).is_ok_and(|value| self.is_address(value))
            }
            _ => matches!(
                self.plain_field(value),
                Some(Kind::Array(..) | Kind::Variable(..))
            ),
        }
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
        for field in &self.fields {
            if let Err(error) = check_name(&field.name) {
                add(error);
            }
        }
        if let Some(system) = &self.system {
            let text = system.value();
            let known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';

            if text.is_empty() || text.len() >= MAX_NAME || !text.bytes().all(known) {
                add(Error::new(
                    system.span(),
                    "a system has a name of letters, digits, `_` and `-`, and of less than 64 of \
                     them",
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
                if let Err(error) = arg.check(self) {
                    add(error);
                }
            }
        }
        errors.map_or(Ok(()), Err)
    }
}

/// Functions of the bytes of a field, in `print:`.
const OF_BYTES: [&str; 8] = [
    "hex",
    "hex_str",
    "hex_dump",
    "array",
    "dynamic_array",
    "sized",
    "bits",
    "len",
];

/// Returns the name of such a function, and its first argument; of other expressions an empty name
/// and the expression.
fn of_bytes(value: &Expr) -> (String, &Expr) {
    if let Expr::Call(call) = value {
        let name = plain_name(&call.func).map_or(String::new(), Ident::to_string);

        if let Some(first) = call.args.first().filter(|_| OF_BYTES.contains(&&name[..])) {
            return (name, first);
        }
    }
    (String::new(), value)
}

impl PrintArg {
    fn value(&self) -> &Expr {
        match self {
            Self::Value(value) | Self::Names(value, ..) => value,
        }
    }

    /// Checks that a field can be printed in this way, as far as its tokens tell.
    fn check(&self, definition: &Definition) -> Result<()> {
        let (function, value) = of_bytes(self.value());
        let wrong = |message: &str| Err(Error::new(value.span(), message));
        let kind = definition.plain_field(value);

        if function.is_empty() {
            return match kind {
                Some(Kind::Variable(Variable::Slice(_), _)) => {
                    wrong("the field is an array: print it with `hex` or `array`")
                }
                Some(Kind::Scalar(Element {
                    is_struct: true, ..
                })) => wrong("the field is a struct: print its members"),
                _ => Ok(()),
            };
        }
        match (kind, &function[..]) {
            (None, _) => match plain_name(value) {
                Some(name) => definition.field(name).map(drop),
                None => wrong("this is a function of a field"),
            },
            (Some(Kind::Variable(Variable::Bitmask | Variable::Cpumask, _)), "bits" | "sized")
            | (Some(Kind::Variable(..)), "len") => Ok(()),
            // C finds the elements by the name of the field, as those of `__dynamic_array()`.
            (Some(Kind::Array(..) | Kind::Variable(_, true)), "dynamic_array") => {
                wrong("the field is no `dynamic_array<T>`: print it with `array`")
            }
            (Some(Kind::Array(of, _) | Kind::Variable(Variable::Slice(of), _)), function)
                if !matches!(function, "bits" | "len")
                    && matches!(of.ty, Type::Path(_))
                    && !(of.is_struct && matches!(function, "array" | "dynamic_array")) =>
            {
                Ok(())
            }
            _ => wrong("the field is no array of integers, or nothing that this can print"),
        }
    }
}

/// Returns the name that an expression consists of.
fn plain_name(value: &Expr) -> Option<&Ident> {
    match value {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
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
}

/// Returns the members of a field in the struct that Rust and C share.
fn rust_field(field: &Field) -> TokenStream {
    let Field { name, kind, .. } = field;
    let len = format_ident!("{name}__len");

    match kind {
        Kind::Scalar(Element { ty, .. }) => quote!(#name: #ty,),
        Kind::Array(Element { ty, .. }, len) => quote!(#name: [#ty; #len],),
        Kind::Variable(variable, _) => {
            let ty = variable.element();

            quote!(#name: *const #ty, #len: usize,)
        }
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
        Kind::Variable(Variable::Text, _) => {
            quote_spanned!(span=> ::kernel::trace_event::Text::bytes(#value))
        }
        Kind::Variable(Variable::Format, _) => {
            quote_spanned!(span=> ::kernel::trace_event::Formatted::new(#value).bytes())
        }
        Kind::Variable(Variable::Slice(Element { ty, .. }), _) => this(quote!(&[#ty])),
        Kind::Variable(Variable::Bitmask, _) => {
            quote_spanned!(span=> ::kernel::trace_event::Bits::longs(#value))
        }
        Kind::Variable(Variable::Cpumask, _) => {
            quote_spanned!(span=> ::kernel::trace_event::cpumask(#value))
        }
        Kind::Variable(Variable::Sockaddr, _) => {
            quote_spanned!(span=> ::kernel::trace_event::sockaddr(#value))
        }
    }
}

/// Returns the statement that stores a field in the struct; `value` is the variable with the result
/// of [`rust_value`].
fn rust_store(field: &Field, value: &Ident) -> TokenStream {
    let name = &field.name;
    let len = format_ident!("{name}__len");

    match &field.kind {
        Kind::Scalar(_) | Kind::Array(..) => quote! {
            // SAFETY: The struct is a local variable.
            unsafe { (&raw mut (*__trace_event_args).#name).write(#value) };
        },
        Kind::Variable(variable, _) => {
            let ty = variable.element();

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
    }
}

/// Names the functions of `print:` by their paths, as a field or a constant of the driver may have
/// the name of one.
struct PrintFunctions;

impl VisitMut for PrintFunctions {
    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        if let Some(name) = plain_name(&call.func) {
            let path = quote_spanned!(name.span()=> ::kernel::trace_event::print::#name);

            *call.func = Expr::Verbatim(path);
        }
        for arg in &mut call.args {
            self.visit_expr_mut(arg);
        }
    }
}

/// Returns an assertion-time value of the fields that a print argument uses, as its type is that
/// of the expression of these.
fn print_value(definition: &Definition, shared: &Ident, value: &Expr) -> TokenStream {
    let fields = definition.fields.iter().map(|field| {
        let name = &field.name;

        match &field.kind {
            Kind::Variable(Variable::Slice(_) | Variable::Sockaddr, _) => quote!(),
            Kind::Variable(..) => quote!(let #name = "";),
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

/// Returns the kinds of the arguments that an argument of a print format is to `printf()`.
fn print_kinds(definition: &Definition, shared: &Ident, arg: &PrintArg) -> Vec<TokenStream> {
    let argument = quote!(::kernel::printf::Argument);
    let text = quote!(#argument::Text);
    let value = arg.value();

    if let PrintArg::Names(..) = arg {
        let kind = print_value(definition, shared, value);

        return vec![quote_spanned!(value.span()=> {
            ::core::assert!(
                ::core::matches!(#kind, #argument::Integer(_)),
                "what has names is an integer"
            );
            #text
        })];
    }
    match &of_bytes(value).0[..] {
        "" => vec![match definition.plain_field(value) {
            Some(Kind::Array(Element { ty, .. }, _)) if is_char(ty) => text,
            Some(Kind::Array(Element { ty, .. }, len)) => {
                quote!(#argument::Bytes(::core::mem::size_of::<[#ty; #len]>()))
            }
            Some(Kind::Variable(Variable::Sockaddr, _)) => quote!(#argument::Sockaddr),
            Some(Kind::Variable(..)) => text,
            _ => print_value(definition, shared, value),
        }],
        "sized" => match definition.plain_field(of_bytes(value).1) {
            Some(Kind::Variable(Variable::Bitmask | Variable::Cpumask, _)) => {
                vec![quote!(#argument::Star), quote!(#argument::SizedBits)]
            }
            _ => vec![quote!(#argument::Star), quote!(#argument::SizedBytes)],
        },
        "bits" => vec![quote!(#argument::Star), quote!(#argument::SizedBits)],
        "len" => vec![quote!(#argument::Integer('d'))],
        _ => vec![text],
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

        for kind in print_kinds(definition, shared, arg) {
            checks.extend(quote_spanned! {arg.value().span()=>
                ::core::assert!(#kind.fits(#format, #count), #message);
            });
            count += 1;
        }
    }
    quote_spanned! {format.span()=>
        ::core::assert!(
            ::kernel::printf::counts(#format, #count),
            "the format of the event has other conversions than arguments, or an unknown one"
        );
        #checks
    }
}

impl Event {
    /// Whether C code of other modules may call the tracepoint and register probes.
    fn is_exported(&self) -> bool {
        self.attrs.iter().any(|attr| attr.path().is_ident("export"))
    }

    /// Returns the attributes that are for the compiler.
    fn attrs(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs
            .iter()
            .filter(|attr| !attr.path().is_ident("export"))
    }

    /// Returns the attributes that may leave the event out.
    fn cfgs(&self) -> Vec<&Attribute> {
        self.attrs
            .iter()
            .filter(|attr| attr.path().is_ident("cfg"))
            .collect()
    }

    /// Returns the functions for `TRACE_EVENT_FN()`.
    fn expand_register(&self) -> TokenStream {
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

/// Expands a tracepoint without an event.
fn expand_bare(definition: &Definition) -> Result<TokenStream> {
    definition.check()?;

    let event = &definition.events[0];
    let call = format_ident!("rust_do_trace_{}", event.name);
    let (names, types): (Vec<_>, Vec<_>) =
        definition.args.iter().map(|(name, ty)| (name, ty)).unzip();
    let mut c = CText::default();
    let mut structs = Vec::new();
    let mut proto = Vec::new();

    if names.is_empty() {
        let message = "a tracepoint without an event has an argument at least";

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

/// Expands the functions of an event; `body` calls the probes.
fn expand_event(definition: &Definition, event: &Event, body: TokenStream) -> TokenStream {
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
fn expand(definition: &Definition) -> Result<TokenStream> {
    definition.check()?;
    for event in &definition.events {
        if let Some(unsafety) = &event.unsafety {
            let message = "an event is safe: what it records are values";

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
                    ::core::assert!(#len != 0usize, "a text of no bytes has no end");
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
                "the fields take too much of the stack: record arrays with `dynamic_array`"
            );
            #({ #checks })*
        };

        #text

        #(#events)*
    })
}

/// C text, in pieces.
#[derive(Default)]
struct CText {
    pieces: TokenStream,
    text: String,
    /// Attributes of the pieces that come.
    cfgs: TokenStream,
}

impl CText {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let text = core::mem::take(&mut self.text);

        self.piece(quote!(Text(#text)));
    }

    fn piece(&mut self, piece: TokenStream) {
        let cfgs = &self.cfgs;

        self.pieces
            .extend(quote!(#cfgs ::kernel::trace_event::Piece::#piece,));
    }

    /// Adds what an event of a class has of its own, which goes when the event is left out.
    fn part(&mut self, event: &Event, add: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let cfgs = event.cfgs();

        self.flush();
        self.cfgs = quote!(#(#cfgs)*);
        add(self)?;
        self.flush();
        self.cfgs = TokenStream::new();
        Ok(())
    }

    /// Adds a number that the Rust compiler evaluates.
    fn number(&mut self, value: TokenStream) {
        self.flush();
        self.piece(quote!(Number((#value) as i128)));
    }

    /// Adds a constant, with its type.
    fn constant(&mut self, value: &Expr) {
        self.flush();
        self.piece(quote_spanned! {value.span()=>
            Text(::kernel::trace_event::cast(|| #value))
        });
        // Of a negative number, the cast makes the number again.
        self.number(quote!((#value) as i128 as u64));
        self.add("ULL)");
    }

    /// Adds the declarations of structs.
    fn structs(&mut self, mut structs: Vec<String>) {
        structs.sort();
        structs.dedup();
        for of in structs {
            self.add(&format!("struct {of};\n"));
        }
    }

    /// Adds an assertion about a type whose name may be that of another type in C.
    fn same_size(&mut self, text: &str, ty: &Type) {
        self.add(&format!("static_assert(sizeof({text}) == "));
        self.number(quote!(::core::mem::size_of::<#ty>()));
        self.add(");\n");
    }

    /// Returns the static with the text.
    fn into_static(mut self, cfgs: &[&Attribute]) -> TokenStream {
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

/// Returns the type in Rust that [`c_builtin`] means by a name.
fn rust_builtin(name: &str) -> TokenStream {
    let ident = format_ident!("{name}");

    if name.starts_with("c_") {
        quote!(::kernel::ffi::#ident)
    } else {
        quote!(::core::primitive::#ident)
    }
}

impl Element {
    /// Returns the type in C, and adds the structs that have to be declared for it to `structs`.
    fn c_type(&self, structs: &mut Vec<String>) -> Result<String> {
        let prefix = if self.is_struct { "struct " } else { "" };

        Ok(format!("{prefix}{}", c_type(&self.ty, structs)?))
    }
}

/// As [`Element::c_type`], of a type that is no struct.
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
                _ => Err(Error::new(ty.span(), "not a type of C")),
            },
            _ => c_type(ty, structs),
        },
        _ => c_type(ty, structs),
    }
}

/// Generates the struct, with assertions that its layout is that of Rust.
fn c_struct(definition: &Definition, shared: &Ident, c: &mut CText) -> Result<Vec<String>> {
    let name = &definition.name;
    let mut structs = Vec::new();
    let mut types = Vec::new();
    let mut named = Vec::new();

    for field in &definition.fields {
        let text = match (&field.kind, field.element()) {
            (_, Some(element)) => {
                let text = element.c_type(&mut structs)?;

                if element.is_struct
                    || last_name(&element.ty).is_some_and(|name| c_builtin(&name).is_none())
                {
                    named.push((text.clone(), &element.ty));
                }
                text
            }
            (Kind::Variable(Variable::Text | Variable::Format, _), _) => "char".into(),
            (Kind::Variable(Variable::Sockaddr, _), _) => "u8".into(),
            _ => "unsigned long".into(),
        };

        types.push(text);
    }
    c.add(&format!(
        "#ifndef RUST_{name}_ARGS\n#define RUST_{name}_ARGS\n"
    ));
    c.structs(structs);
    c.add(&format!("struct rust_{name}_args {{\n"));
    for (field, ty) in definition.fields.iter().zip(&types) {
        let field_name = &field.name;

        match &field.kind {
            Kind::Scalar(_) => c.add(&format!("\t{ty} {field_name};\n")),
            Kind::Array(_, len) => {
                c.add(&format!("\t{ty} {field_name}["));
                c.number(quote!(::core::convert::identity::<usize>(#len)));
                c.add("];\n");
            }
            Kind::Variable(..) => c.add(&format!(
                "\tconst {ty} *{field_name};\n\tsize_t {field_name}__len;\n"
            )),
        }
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

impl Field {
    /// Returns the type of the field or of its elements, if the definition names it.
    fn element(&self) -> Option<&Element> {
        match &self.kind {
            Kind::Scalar(element) | Kind::Array(element, _) => Some(element),
            Kind::Variable(Variable::Slice(element), _) => Some(element),
            Kind::Variable(..) => None,
        }
    }

    /// Adds assertions that the members of the field are in the same place of the struct, whose
    /// name in C is `of`.
    fn c_place(&self, of: &str, shared: &Ident, c: &mut CText) {
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

    /// Returns what the field is in C, if it is printed as it is.
    fn c_value(&self) -> String {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) | Kind::Array(..) => format!("__entry->{name}"),
            Kind::Variable(variable, rel) => {
                let what = match variable {
                    Variable::Text | Variable::Format => "str",
                    Variable::Slice(_) => "dynamic_array",
                    Variable::Bitmask => "bitmask",
                    Variable::Cpumask => "cpumask",
                    Variable::Sockaddr => "sockaddr",
                };

                format!("__get_{}{what}({name})", rel_prefix(*rel))
            }
        }
    }

    /// Adds the address of the elements to the text.
    fn c_address(&self, c: &mut CText) {
        let name = &self.name;

        c.add(&match &self.kind {
            Kind::Variable(_, true) => format!("__get_rel_dynamic_array({name})"),
            Kind::Variable(_, false) => format!("__get_dynamic_array({name})"),
            _ => format!("__entry->{name}"),
        });
    }

    /// Adds the number of bytes to the text.
    fn c_length(&self, c: &mut CText) {
        let name = &self.name;

        match &self.kind {
            Kind::Variable(_, true) => c.add(&format!("__get_rel_dynamic_array_len({name})")),
            Kind::Variable(_, false) => c.add(&format!("__get_dynamic_array_len({name})")),
            Kind::Array(Element { ty, .. }, len) => {
                c.number(quote!(::core::mem::size_of::<[#ty; #len]>()))
            }
            Kind::Scalar(_) => c.add(&format!("sizeof(__entry->{name})")),
        }
    }
}

/// Adds an expression of fields to the text.
fn c_expr(definition: &Definition, value: &Expr, c: &mut CText) -> Result<()> {
    let unknown = |what: &dyn Spanned, message: &str| Err(Error::new(what.span(), message));

    match value {
        Expr::Path(_) => match plain_name(value) {
            Some(name) if definition.fields.iter().any(|field| field.name == *name) => {
                c.add(&definition.field(name)?.c_value());
            }
            // A constant, if a name may be one.
            Some(name) if !definition.is_constant(value) => {
                definition.field(name)?;
            }
            _ => c.constant(value),
        },
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) if !number.suffix().is_empty() => c.constant(value),
            literal => c_lit(literal, c)?,
        },
        Expr::Paren(inner) => c_expr(definition, &inner.expr, c)?,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            c.add("(-");
            c_expr(definition, &unary.expr, c)?;
            c.add(")");
        }
        Expr::Binary(binary) => {
            let op = &binary.op;
            let op = quote!(#op).to_string();

            if op.ends_with('=') && !matches!(&op[..], "==" | "!=" | "<=" | ">=") {
                return unknown(&binary.op, "an assignment cannot be printed");
            }
            for side in [&binary.left, &binary.right] {
                if definition.is_address(side) {
                    return unknown(side, "C would compare the address");
                }
            }
            c.add("(");
            c_expr(definition, &binary.left, c)?;
            c.add(&format!(" {op} "));
            // Whoever reads the trace must not divide by zero.
            match &op[..] {
                "/" | "%" => c_operand(definition, &binary.right, "divisor", c)?,
                "<<" | ">>" => c_operand(definition, &binary.right, "shift", c)?,
                _ => c_expr(definition, &binary.right, c)?,
            }
            c.add(")");
        }
        // Of the value of an enum, the type is that of the cast.
        Expr::Cast(cast) if definition.is_constant(&cast.expr) => c.constant(value),
        Expr::Cast(cast) => {
            let element = Element {
                ty: (*cast.ty).clone(),
                is_struct: false,
            };

            c.add(&format!("(({})", element.c_type(&mut Vec::new())?));
            c_expr(definition, &cast.expr, c)?;
            c.add(")");
        }
        Expr::If(test) => {
            let Some((_, other)) = &test.else_branch else {
                return unknown(value, "there is no `else`");
            };

            c.add("(");
            c_expr(definition, &test.cond, c)?;
            c.add(" ? ");
            c_expr(definition, only_expr(&test.then_branch)?, c)?;
            c.add(" : ");
            match &**other {
                Expr::Block(block) => c_expr(definition, only_expr(&block.block)?, c)?,
                other => c_expr(definition, other, c)?,
            }
            c.add(")");
        }
        Expr::Field(member) => {
            c_expr(definition, &member.base, c)?;
            match &member.member {
                Member::Named(name) => c.add(&format!(".{name}")),
                Member::Unnamed(_) => return unknown(value, "C has no tuples"),
            }
        }
        Expr::Index(index) => {
            let inner = &index.index;

            let number = match &**inner {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Int(number) => number,
                    _ => return unknown(inner, "the index of an element is a number"),
                },
                _ => return unknown(inner, "the index of an element is a number"),
            };
            let Some(Kind::Array(_, len)) = definition.plain_field(&index.expr) else {
                return unknown(&index.expr, "this is no field with a number of elements");
            };
            let digits = number.base10_digits();

            c_expr(definition, &index.expr, c)?;
            c.add("[");
            // The lint against such an index may be off.
            c.flush();
            c.piece(quote_spanned! {inner.span()=> Text({
                if #inner >= #len {
                    ::core::panic!("the array has no such element");
                }
                #digits
            })});
            c.add("]");
        }
        Expr::Call(call) => c_call(definition, call, c)?,
        _ => return unknown(value, "C has no such expression"),
    }
    Ok(())
}

/// Adds the right operand of a division or a shift, which must be a number that is checked by a
/// function of the kernel crate.
fn c_operand(definition: &Definition, value: &Expr, check: &str, c: &mut CText) -> Result<()> {
    let name = format_ident!("{check}");

    match value {
        Expr::Paren(inner) => return c_operand(definition, &inner.expr, check, c),
        Expr::Lit(_) => {}
        _ if definition.is_constant(value) => {}
        _ => {
            let message = "the right operand is a number or a constant: compute others in `entry:`";

            return Err(Error::new(value.span(), message));
        }
    }
    c.flush();
    c.piece(quote_spanned! {value.span()=> Text({
        ::kernel::trace_event::#name((#value) as i128);
        ""
    })});
    c_expr(definition, value, c)
}

fn c_lit(literal: &Lit, c: &mut CText) -> Result<()> {
    match literal {
        Lit::Int(number) => c.add(number.base10_digits()),
        Lit::Str(text) => c.literal(text)?,
        Lit::Bool(LitBool { value, .. }) => c.add(if *value { "1" } else { "0" }),
        Lit::Byte(byte) => c.add(&byte.value().to_string()),
        _ => {
            let message = "not a literal that C has as well";

            return Err(Error::new(literal.span(), message));
        }
    }
    Ok(())
}

/// Adds an argument that must be a literal of some kind.
fn c_literal(value: &Expr, is_kind: fn(&Lit) -> bool, kind: &str, c: &mut CText) -> Result<()> {
    match value {
        Expr::Lit(literal) if is_kind(&literal.lit) => c_lit(&literal.lit, c),
        _ => Err(Error::new(value.span(), format!("this must be {kind}"))),
    }
}

/// Returns the expression that a block consists of.
fn only_expr(block: &Block) -> Result<&Expr> {
    match &block.stmts[..] {
        [Stmt::Expr(value, None)] => Ok(value),
        _ => Err(Error::new(block.span(), "C has no such expression")),
    }
}

fn c_names(names: &[(Expr, LitStr)], c: &mut CText) -> Result<()> {
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
    Ok(())
}

/// Adds a call of one of the functions of `print:` to the text.
fn c_call(definition: &Definition, call: &ExprCall, c: &mut CText) -> Result<()> {
    let args: Vec<_> = call.args.iter().collect();
    let name = plain_name(&call.func).map_or(String::new(), Ident::to_string);
    let (function, count) =
        match &name[..] {
            "major" => ("MAJOR", 1),
            "minor" => ("MINOR", 1),
            "err_ptr" => ("ERR_PTR", 1),
            "ns_to_secs" => ("__print_ns_to_secs", 1),
            "ns_without_secs" => ("__print_ns_without_secs", 1),
            "len" | "sized" | "bits" => ("", 1),
            "hex" => ("__print_hex", 1),
            "hex_str" => ("__print_hex_str", 1),
            "array" => ("__print_array", 1),
            "dynamic_array" => ("__print_dynamic_array", 1),
            "hex_dump" => ("__print_hex_dump", 6),
            _ => return Err(Error::new(
                call.func.span(),
                "unknown function: there are `flags`, `symbolic`, `hex`, `hex_str`, `hex_dump`, \
                 `array`, `dynamic_array`, `sized`, `bits`, `len`, `major`, `minor`, `err_ptr`, \
                 `ns_to_secs` and `ns_without_secs`",
            )),
        };

    if args.len() != count {
        let message = format!("`{name}` has {count} argument(s)");

        return Err(Error::new(call.span(), message));
    }
    if !function.is_empty() {
        c.add(&format!("{function}("));
    }
    let field = match plain_name(args[0]) {
        Some(field) if OF_BYTES.contains(&&name[..]) => definition.field(field)?,
        _ => {
            c_expr(definition, args[0], c)?;
            c.add(")");
            return Ok(());
        }
    };

    match &name[..] {
        "len" => {
            field.c_length(c);
            return Ok(());
        }
        "sized" | "bits" => {
            field.c_length(c);
            c.add(if name == "bits" { " * 8, " } else { ", " });
            field.c_address(c);
            return Ok(());
        }
        "array" => {
            let ty = field.element().map(|element| &element.ty);
            let size = quote!(::core::mem::size_of::<#ty>());

            field.c_address(c);
            c.add(", ");
            if let Kind::Array(_, len) = &field.kind {
                c.number(quote!(::core::convert::identity::<usize>(#len)));
            } else {
                field.c_length(c);
                c.add(" / ");
                c.number(size.clone());
            }
            c.add(", ");
            c.number(size);
        }
        "dynamic_array" => {
            let ty = field.element().map(|element| &element.ty);

            c.add(&format!("{}, ", field.name));
            c.number(quote!(::core::mem::size_of::<#ty>()));
        }
        "hex_dump" => {
            let prefix = plain_name(args[2]).map_or(String::new(), Ident::to_string);

            if !matches!(&prefix[..], "none" | "address" | "offset") {
                let message = "what begins a line is `none`, `address` or `offset`";

                return Err(Error::new(args[2].span(), message));
            }
            // C reads what the first of these points to.
            c_literal(args[1], |lit| matches!(lit, Lit::Str(_)), "a text", c)?;
            c.add(&format!(", DUMP_PREFIX_{}, ", prefix.to_uppercase()));
            c_literal(args[3], |lit| matches!(lit, Lit::Int(_)), "a number", c)?;
            c.add(", ");
            c_literal(args[4], |lit| matches!(lit, Lit::Int(_)), "a number", c)?;
            c.add(", ");
            field.c_address(c);
            c.add(", ");
            field.c_length(c);
            c.add(", ");
            c_literal(
                args[5],
                |lit| matches!(lit, Lit::Bool(_)),
                "`true` or `false`",
                c,
            )?;
        }
        _ => {
            field.c_address(c);
            c.add(", ");
            field.c_length(c);
        }
    }
    c.add(")");
    Ok(())
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
        c.add(",\n\t\t");
        match arg {
            PrintArg::Value(value) => c_expr(definition, value, c)?,
            PrintArg::Names(value, between, names) => {
                c.add(match between {
                    Some(_) => "__print_flags(",
                    None => "__print_symbolic(",
                });
                c_expr(definition, value, c)?;
                if let Some(between) = between {
                    c.add(", ");
                    c.literal(between)?;
                }
                c_names(names, c)?;
            }
        }
    }
    c.add(")");
    Ok(())
}

impl Event {
    /// Generates what is in front of the definition of the event.
    fn c_head(&self, c: &mut CText) {
        let name = &self.name;

        if self.is_exported() {
            c.add(&format!("#define RUST_TRACE_EXPORT {name}\n"));
        }
        if self.register.is_some() {
            c.add(&format!(
                "int rust_register_{name}(void);\nvoid rust_unregister_{name}(void);\n"
            ));
        }
    }

    fn c_register(&self, c: &mut CText) {
        let name = &self.name;

        if self.register.is_some() {
            c.add(&format!(
                ",\n\trust_register_{name}, rust_unregister_{name}"
            ));
        }
    }

    /// Adds the definition of an event of a class.
    fn c_event(&self, definition: &Definition, prototype: &str, c: &mut CText) -> Result<()> {
        let (class, name) = (&definition.name, &self.name);
        let which = match (&self.print, &self.register) {
            (Some(_), _) => "DEFINE_EVENT_PRINT",
            (None, Some(_)) => "DEFINE_EVENT_FN",
            (None, None) => "DEFINE_EVENT",
        };

        c.add(&format!("{which}({class}, {name},\n\t{prototype}"));
        match &self.print {
            Some(own) => {
                c.add(",\n\t");
                c_print(definition, own, c)?;
            }
            None => self.c_register(c),
        }
        c.add(");\n");
        Ok(())
    }
}

impl Definition {
    fn c_system(&self, c: &mut CText) {
        if let Some(system) = &self.system {
            c.add(&format!("#define TRACE_SYSTEM {}\n", system.value()));
        }
    }
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
        let field_name = &field.name;

        match &field.kind {
            Kind::Scalar(element) => c.add(&format!(
                "\t\t__field{}({ty}, {field_name})\n",
                if element.is_struct { "_struct" } else { "" }
            )),
            // The macros of C take no structs as elements.
            Kind::Array(Element { ty: of, is_struct }, len) => {
                let ty = if *is_struct { "u8" } else { ty };

                c.add(&format!("\t\t__array({ty}, {field_name}, "));
                c.number(match is_struct {
                    true => quote!(::core::mem::size_of::<[#of; #len]>()),
                    false => quote!(::core::convert::identity::<usize>(#len)),
                });
                c.add(")\n");
            }
            Kind::Variable(
                Variable::Slice(Element {
                    is_struct: true, ..
                }),
                rel,
            ) => {
                c.add(&format!(
                    "\t\t__{}dynamic_array(u8, {field_name}, \
                     args->{field_name}__len * sizeof({ty}))\n",
                    rel_prefix(*rel)
                ));
            }
            // This is what __bitmask() and so on are; a cpumask has a type of its own. In the
            // place of __string(), whose __assign_str() tests for NULL.
            Kind::Variable(Variable::Cpumask, rel) => c.add(&format!(
                "\t\t__{}cpumask({field_name})\n",
                rel_prefix(*rel)
            )),
            Kind::Variable(variable, rel) => c.add(&format!(
                "\t\t__{}dynamic_array({ty}, {field_name}, args->{field_name}__len{})\n",
                rel_prefix(*rel),
                if variable.is_text() { " + 1" } else { "" }
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
            Kind::Array(Element { ty: of, .. }, _) => {
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
            Kind::Variable(variable, rel) => {
                let rel = rel_prefix(*rel);

                c.add(&format!(
                    "\t\tmemcpy(__get_{rel}dynamic_array({field_name}), args->{field_name}, "
                ));
                c.add(&match variable {
                    // All bits that the kernel may use, whatever the type has.
                    Variable::Cpumask => "__bitmask_size_in_bytes(nr_cpumask_bits));\n".to_string(),
                    _ => format!("args->{field_name}__len * sizeof({ty}));\n"),
                });
                if variable.is_text() {
                    c.add(&format!(
                        "\t\t__get_{rel}str({field_name})[args->{field_name}__len] = 0;\n"
                    ));
                }
            }
        }
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

/// Expands `tracepoint!`.
pub(crate) fn tracepoint(input: proc_macro::TokenStream) -> TokenStream {
    syn::parse::<Bare>(input)
        .and_then(|Bare(definition)| expand_bare(&definition))
        .unwrap_or_else(Error::into_compile_error)
}

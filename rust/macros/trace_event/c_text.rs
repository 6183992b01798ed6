// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The C text of a definition: the struct with the values of the fields, and the `TRACE_EVENT()`.
//!
//! The text consists of pieces, as some numbers in it are known to the Rust compiler alone. It has
//! assertions that the struct and all types have the layout that they have in Rust.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{spanned::Spanned, Attribute, Error, LitStr, Result, Type};

use super::{Definition, Element, Event, Field, Kind, Print};

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

pub(super) fn is_char(ty: &Type) -> bool {
    last_name(ty).is_some_and(|name| name == "c_char")
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

/// Returns the type in Rust that [`c_builtin`] means by a name.
pub(super) fn rust_builtin(name: &str) -> TokenStream {
    let ident = format_ident!("{name}");

    if name.starts_with("c_") {
        quote!(::kernel::ffi::#ident)
    } else {
        quote!(::core::primitive::#ident)
    }
}

impl Element {
    /// Returns the type in C, and adds the structs that have to be declared for it to `structs`.
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

/// As [`Element::c_type`], of a type that is no struct.
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

/// Generates the struct, with assertions that its layout is that of Rust.
fn c_struct(definition: &Definition, shared: &Ident, c: &mut CText) -> Result<Vec<String>> {
    let name = &definition.name;
    let mut structs = Vec::new();
    let mut types = Vec::new();
    let mut named = Vec::new();

    for field in &definition.fields {
        let text = match &field.kind {
            Kind::Scalar(element) | Kind::Array(element, _) => {
                element.c_named(&mut structs, &mut named)?
            }
            Kind::Variable(variable, _) => variable.c_type(&mut structs, &mut named)?,
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
    pub(super) fn element(&self) -> Option<&Element> {
        match &self.kind {
            Kind::Scalar(element) | Kind::Array(element, _) => Some(element),
            Kind::Variable(variable, _) => variable.named_element(),
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
    pub(super) fn c_value(&self) -> String {
        let name = &self.name;

        match &self.kind {
            Kind::Scalar(_) | Kind::Array(..) => format!("__entry->{name}"),
            Kind::Variable(variable, rel) => variable.c_value(name, *rel),
        }
    }
}

pub(super) fn c_print(definition: &Definition, print: &Print, c: &mut CText) -> Result<()> {
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
        arg.c_text(definition, c)?;
    }
    c.add(")");
    Ok(())
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

/// Generates the definition in C.
pub(super) fn c_text(definition: &Definition, shared: &Ident) -> Result<CText> {
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
            Kind::Variable(variable, rel) => c.add(&variable.c_entry(field_name, ty, *rel)),
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
            Kind::Variable(variable, rel) => c.add(&variable.c_assign(field_name, ty, *rel)),
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

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! What can be wrong with an event that its tokens alone do not show.
//!
//! The sizes of types are not known here; [`expand`](super::expand) leaves checks of those for the
//! compiler.

use super::{
    ctype::{Kind, Ty},
    format::{self, Conversion, Piece},
    parse::{plain, Class, Field, How, Print, PrintArg},
    Error, Form,
};
use proc_macro::Ident;
use std::collections::HashSet;

/// As in the kernel's own event names, with the NUL.
const MAX_NAME: usize = 64;

/// BPF has functions for so many.
const MAX_ARGS: usize = 12;

pub(crate) fn class(class: &Class) -> Vec<Error> {
    let mut errors = Vec::new();

    name(&class.system, "system", &mut errors);
    if class.form == Form::Class {
        name(&class.name, "event class", &mut errors);
    }
    args(class, &mut errors);
    fields(class, &mut errors);
    print(class, &class.print, &class.name, &mut errors);

    let mut names = HashSet::new();

    for event in &class.events {
        name(&event.name, "event", &mut errors);
        if !names.insert(plain(&event.name)) {
            errors.push(Error::new(
                event.name.span(),
                format!("event `{}` is there twice", event.name),
            ));
        }
        if let Some(own) = &event.print {
            print(class, own, &event.name, &mut errors);
        }
    }
    errors
}

fn name(ident: &Ident, what: &str, errors: &mut Vec<Error>) {
    let name = plain(ident);

    if name.len() >= MAX_NAME {
        errors.push(Error::new(
            ident.span(),
            format!(
                "the name of the {what} is longer than {} characters",
                MAX_NAME - 1
            ),
        ));
    }
    if !name.is_ascii() {
        errors.push(Error::new(
            ident.span(),
            format!("the name of the {what} has characters that C has not"),
        ));
    }
}

fn args(class: &Class, errors: &mut Vec<Error>) {
    let mut names = HashSet::new();
    let mut count = 0;

    for arg in &class.args {
        let mut error = |message: String| errors.push(Error::about(&arg.ty.tokens, message));

        count += 1;
        match &arg.ty.kind {
            Kind::Ref(to) => match &to.kind {
                Kind::Slice(_) => {
                    // Probes see the address and the length.
                    count += 1;
                    if class
                        .args
                        .iter()
                        .any(|other| plain(&other.name) == format!("{}_len", plain(&arg.name)))
                    {
                        error(format!(
                            "the argument `{0}_len` stands for the length of `{0}`: leave it out",
                            arg.name
                        ));
                    }
                }
                _ if to.is("str") => {
                    error("a `&str` cannot be an argument of an event; pass a `&CStr`".to_string())
                }
                _ => {}
            },
            Kind::RefMut => error(
                "an event cannot change its arguments; pass a `&T` or a raw pointer".to_string(),
            ),
            Kind::Array(..) | Kind::Slice(_) => {
                error("C has no arrays as arguments; pass a reference".to_string())
            }
            Kind::String | Kind::Dynamic(_) => error(
                "this is a type of fields; the type of an argument is `&CStr` or `&[T]`"
                    .to_string(),
            ),
            _ => floating_point(&arg.ty, "argument", errors),
        }
        if !names.insert(plain(&arg.name)) {
            errors.push(Error::new(
                arg.name.span(),
                format!("argument `{}` is there twice", arg.name),
            ));
        }
    }
    if count > MAX_ARGS {
        errors.push(Error::new(
            class.args[class.args.len() - 1].name.span(),
            format!("an event has {MAX_ARGS} arguments at most, and a slice counts as two"),
        ));
    }
}

fn floating_point(ty: &Ty, what: &str, errors: &mut Vec<Error>) {
    if ty.is("f32") || ty.is("f64") {
        errors.push(Error::about(
            &ty.tokens,
            format!(
                "`{}` cannot be the type of an {what}: the kernel has no floating point numbers",
                ty.text()
            )
            .replace("an field", "a field"),
        ));
    }
}

fn fields(class: &Class, errors: &mut Vec<Error>) {
    let mut names = HashSet::new();

    for field in &class.fields {
        let field_name = plain(&field.name);

        name(&field.name, "field", errors);
        if field_name.starts_with("common_") {
            errors.push(Error::new(
                field.name.span(),
                "names that start with `common_` belong to the fields that all events have",
            ));
        }
        if field_name.starts_with("__data") || field_name == "ent" {
            errors.push(Error::new(
                field.name.span(),
                format!("the name `{field_name}` is used by the record itself"),
            ));
        }
        if !names.insert(field_name) {
            errors.push(Error::new(
                field.name.span(),
                format!("field `{}` is there twice", field.name),
            ));
        }
        field_type(field, errors);
    }
}

fn field_type(field: &Field, errors: &mut Vec<Error>) {
    let ty = &field.ty;
    let mut error = |message: &str| errors.push(Error::about(&ty.tokens, message));

    match &ty.kind {
        Kind::Array(element, _) | Kind::Dynamic(element) => match element.kind {
            Kind::Path(_) | Kind::Pointer { .. } => floating_point(element, "field", errors),
            _ => error("the elements of an array are integers, `bool` or raw pointers"),
        },
        Kind::Ref(to) if to.is("CStr") || to.is("str") => {
            error("a record cannot have a reference; the type of a string is `string`")
        }
        Kind::Ref(to) if matches!(to.kind, Kind::Slice(_)) => {
            error("a record cannot have a reference; the type is `dynamic_array<T>`")
        }
        Kind::Slice(_) => error("an array without length has the type `dynamic_array<T>`"),
        Kind::Ref(_) | Kind::RefMut | Kind::Option(_) => error(
            "a record cannot have a reference: what it points to may be gone when the record is \
             read",
        ),
        _ if ty.is("String") || ty.is("CString") || ty.is("str") || ty.is("CStr") => {
            error("the type of a string is `string`")
        }
        _ => floating_point(ty, "field", errors),
    }
}

/// Whether nothing is wrong with the type of a field.
fn has_type(field: &Field) -> bool {
    let mut errors = Vec::new();

    field_type(field, &mut errors);
    errors.is_empty()
}

/// Finds the field of an argument of `print`.
pub(crate) fn find<'a>(class: &'a Class, arg: &PrintArg) -> Option<&'a Field> {
    let name = plain(&arg.field);

    class.fields.iter().find(|field| plain(&field.name) == name)
}

fn print(class: &Class, print: &Print, event: &Ident, errors: &mut Vec<Error>) {
    let format = &print.format;

    if format.text.contains('\0') {
        errors.push(Error::new(format.span, "a format string has no NUL in it"));
        return;
    }
    if format.text.ends_with('\n') {
        errors.push(Error::new(
            format.span,
            "an event is a line anyway: leave out the `\\n`",
        ));
    }

    let pieces = match format::parse(&format.text) {
        Ok(pieces) => pieces,
        Err(message) => {
            errors.push(Error::new(format.span, message));
            return;
        }
    };
    let conversions: Vec<_> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Conversion(conversion) => Some(conversion),
            Piece::Text(_) => None,
        })
        .collect();

    if conversions.len() != print.args.len() {
        let number = |n, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });

        errors.push(Error::new(
            format.span,
            format!(
                "the format string of event `{event}` has {} for {}",
                number(conversions.len(), "conversion"),
                number(print.args.len(), "argument"),
            ),
        ));
    }
    for (i, arg) in print.args.iter().enumerate() {
        let Some(field) = find(class, arg) else {
            errors.push(Error::new(
                arg.field.span(),
                format!("`{}` is not a field of event `{event}`", arg.field),
            ));
            continue;
        };

        if !has_type(field) {
            // There is an error about this already.
        } else if let Some(message) = misused(arg, field) {
            errors.push(Error::new(arg.field.span(), message));
        } else if let Some(conversion) = conversions.get(i) {
            if let Some(message) = mismatch(conversion, arg, field) {
                errors.push(Error::new(arg.field.span(), message));
            }
        }
        if let How::Flags(_, keys) | How::Symbolic(keys) = &arg.how {
            for key in keys {
                if key.name.text.contains('\0') {
                    errors.push(Error::new(key.name.span, "a name has no NUL in it"));
                }
            }
        }
    }
}

/// What is wrong with the use of a function, if that can be told from the tokens.
fn misused(arg: &PrintArg, field: &Field) -> Option<String> {
    let name = &field.name;
    let ty = &field.ty;

    match (&arg.how, &ty.kind) {
        (How::Plain, _) => None,
        (How::Flags(..) | How::Symbolic(_), Kind::Path(_)) => None,
        (How::Flags(..) | How::Symbolic(_), _) => {
            Some(format!("field `{name}` is no integer: it has no names"))
        }
        (How::Hex, Kind::Array(element, _) | Kind::Dynamic(element)) if element.is_byte() => None,
        (How::Hex, _) => Some(format!("field `{name}` is no array of bytes")),
        (How::Array, Kind::Array(element, _) | Kind::Dynamic(element)) if !element.is_pointer() => {
            None
        }
        (How::Array, _) => Some(format!("field `{name}` is no array of integers")),
    }
}

/// What is wrong with a conversion for a field, if that can be told from the tokens.
fn mismatch(conversion: &Conversion, arg: &PrintArg, field: &Field) -> Option<String> {
    use format::Kind as K;

    let Conversion { text, kind, .. } = conversion;
    let name = &field.name;

    if !matches!(arg.how, How::Plain) {
        return (*kind != K::String).then(|| format!("`{text}` does not fit: this prints as `%s`"));
    }

    let wanted = match (kind, &field.ty.kind) {
        (K::String, Kind::String) => return None,
        (K::String, Kind::Array(element, _)) if element.is_byte() => return None,
        (K::Memory(_), Kind::Array(..)) => return None,
        (_, Kind::String) => "it is a string, for `%s`",
        (_, Kind::Array(element, _)) if element.is_byte() => {
            "it is an array, for `%s` with a string in it, or with `hex()` or `array()`"
        }
        (_, Kind::Array(..) | Kind::Dynamic(_)) => {
            "it is an array, for `%s` with `hex()` or `array()`"
        }
        (K::Memory(_), _) => "it is not an array in the record",
        (K::String, Kind::Pointer { .. }) => {
            "what it points to may be gone when the record is read; a `string` field has a copy"
        }
        (K::String, _) => "it is not a string",
        (K::Pointer, Kind::Pointer { .. }) => return None,
        (_, Kind::Pointer { .. }) => "it is a pointer, for `%p` or `%pS`",
        _ => return None,
    };

    Some(format!("`{text}` does not fit field `{name}`: {wanted}"))
}

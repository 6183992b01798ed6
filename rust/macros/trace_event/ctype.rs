// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Rust types, and what C calls them.

use super::template::expand;
use proc_macro::{Delimiter, Span, TokenStream, TokenTree};

/// A type, as far as it can be told from its tokens.
pub(crate) struct Ty {
    pub(crate) tokens: TokenStream,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// The segments of a path, without generic arguments.
    Path(Vec<String>),
    /// `*const T` or `*mut T`.
    Pointer {
        mutable: bool,
        to: Box<Ty>,
    },
    /// `&T`.
    Ref(Box<Ty>),
    /// `&mut T`.
    RefMut,
    /// `Option<T>`.
    Option(Box<Ty>),
    /// `[T; N]`.
    Array(Box<Ty>, TokenStream),
    /// `[T]`.
    Slice(Box<Ty>),
    /// `string`.
    String,
    /// `dynamic_array<T>`.
    Dynamic(Box<Ty>),
    Other,
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

fn is_ident(token: Option<&TokenTree>, name: &str) -> bool {
    matches!(token, Some(TokenTree::Ident(ident)) if ident.to_string() == name)
}

impl Ty {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        let list: Vec<_> = tokens.clone().into_iter().collect();
        let kind = Self::kind(&list);

        Self { tokens, kind }
    }

    fn boxed(tokens: &[TokenTree]) -> Box<Self> {
        Box::new(Self::new(tokens.iter().cloned().collect()))
    }

    fn kind(tokens: &[TokenTree]) -> Kind {
        match tokens {
            // What a `macro_rules!` macro has passed on.
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
                Self::new(group.stream()).kind
            }
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                let inner: Vec<_> = group.stream().into_iter().collect();
                let end = inner.iter().position(|token| is_punct(Some(token), ';'));

                match end {
                    Some(end) => Kind::Array(
                        Self::boxed(&inner[..end]),
                        inner[end + 1..].iter().cloned().collect(),
                    ),
                    None => Kind::Slice(Self::boxed(&inner)),
                }
            }
            [star, qualifier, to @ ..] if is_punct(Some(star), '*') => Kind::Pointer {
                mutable: is_ident(Some(qualifier), "mut"),
                to: Self::boxed(to),
            },
            [and, to @ ..] if is_punct(Some(and), '&') => {
                let to = match to {
                    [quote, _, to @ ..] if is_punct(Some(quote), '\'') => to,
                    _ => to,
                };

                if is_ident(to.first(), "mut") {
                    Kind::RefMut
                } else {
                    Kind::Ref(Self::boxed(to))
                }
            }
            _ => Self::path(tokens),
        }
    }

    fn path(tokens: &[TokenTree]) -> Kind {
        let mut segments = Vec::new();
        let mut rest = tokens;

        loop {
            while is_punct(rest.first(), ':') {
                rest = &rest[1..];
            }
            match rest.first() {
                Some(TokenTree::Ident(ident)) => {
                    let name = ident.to_string();

                    segments.push(name.trim_start_matches("r#").to_string());
                    rest = &rest[1..];
                }
                _ => return Kind::Other,
            }
            if rest.is_empty() {
                return match segments.as_slice() {
                    [name] if name == "string" => Kind::String,
                    _ => Kind::Path(segments),
                };
            }
            if let [open, inner @ .., close] = rest {
                if is_punct(Some(open), '<') && is_punct(Some(close), '>') {
                    return match segments.last().map(String::as_str) {
                        Some("Option") => Kind::Option(Self::boxed(inner)),
                        Some("dynamic_array") if segments.len() == 1 => {
                            Kind::Dynamic(Self::boxed(inner))
                        }
                        _ => Kind::Path(segments),
                    };
                }
            }
            if !is_punct(rest.first(), ':') {
                return Kind::Other;
            }
        }
    }

    /// The type as the user has written it, but for white space.
    pub(crate) fn text(&self) -> String {
        self.tokens.to_string()
    }

    /// Whether a path ends in this name.
    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Path(path) if path.last().is_some_and(|last| last == name))
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self.kind, Kind::Pointer { .. })
    }

    /// Whether this is known to be a byte.
    pub(crate) fn is_byte(&self) -> bool {
        ["u8", "i8", "bool", "c_char", "c_schar", "c_uchar"]
            .iter()
            .any(|name| self.is(name))
    }

    /// What C calls the type.
    pub(crate) fn c_name(&self) -> String {
        match &self.kind {
            Kind::Path(path) => {
                let name = path.last().map_or("", String::as_str);

                c_builtin(name).unwrap_or(name).to_string()
            }
            Kind::Pointer { mutable, to } => to.c_pointer(*mutable),
            Kind::Ref(to) => to.c_pointer(false),
            Kind::Option(inner) => inner.c_name(),
            _ => "void".to_string(),
        }
    }

    /// What C calls a pointer to the type.
    fn c_pointer(&self, mutable: bool) -> String {
        let (name, star) = match &self.kind {
            Kind::Pointer { .. } | Kind::Ref(_) | Kind::Option(_) => {
                // Qualifiers of pointers follow the star.
                let qualifier = if mutable { "" } else { "const " };

                return format!("{}{qualifier}*", self.c_name());
            }
            // C passes the address of the first element.
            Kind::Array(element, _) | Kind::Slice(element) => return element.c_pointer(mutable),
            Kind::Path(path) => (c_pointee(path), " *"),
            _ => ("void".to_string(), " *"),
        };
        let qualifier = if mutable { "" } else { "const " };

        format!("{qualifier}{name}{star}")
    }

    /// What C sees of an argument that is a pointer, `None` if it is none.
    ///
    /// This is a pointer to what [`Self::c_name`] says. With `CONFIG_CFI_CLANG`, functions are
    /// called with the types that they were defined with, and probes are defined in C.
    pub(crate) fn abi(&self) -> Option<TokenStream> {
        match &self.kind {
            Kind::Pointer { mutable, to } => Some(to.abi_pointer(*mutable)),
            Kind::Ref(to) => Some(to.abi_pointer(false)),
            Kind::Option(inner) => inner.abi(),
            _ => None,
        }
    }

    /// A pointer to the type, as in [`Self::c_pointer`].
    pub(crate) fn abi_pointer(&self, mutable: bool) -> TokenStream {
        let void = "::kernel::ffi::c_void";
        let char = "::kernel::ffi::c_char";
        let (to, ty) = match &self.kind {
            Kind::Array(element, _) | Kind::Slice(element) => return element.abi_pointer(mutable),
            Kind::Path(path) => match c_pointee(path).as_str() {
                "void" => (void, TokenStream::new()),
                "char" => (char, TokenStream::new()),
                _ => ("$ty", self.tokens.clone()),
            },
            _ => match self.abi() {
                Some(ty) => ("$ty", ty),
                None => (void, TokenStream::new()),
            },
        };
        let star = if mutable { "*mut" } else { "*const" };

        expand(Span::call_site(), &format!("{star} {to}"), &[("ty", ty)])
    }

    /// The type, or what it points to, if it has a name that C is believed to know, and a size.
    pub(crate) fn c_integer(&self) -> Option<(&Self, String)> {
        match &self.kind {
            Kind::Path(_) => Some((self, self.c_name())),
            Kind::Pointer { to: inner, .. } | Kind::Ref(inner) | Kind::Option(inner) => {
                inner.c_pointee_integer()
            }
            _ => None,
        }
    }

    fn c_pointee_integer(&self) -> Option<(&Self, String)> {
        match &self.kind {
            Kind::Array(inner, _) | Kind::Slice(inner) => inner.c_pointee_integer(),
            Kind::Path(path) => {
                let name = c_pointee(path);

                // C may know no more than the name of a structure.
                (name != "void" && !name.starts_with("struct ") && !self.is("CStr"))
                    .then_some((self, name))
            }
            _ => self.c_integer(),
        }
    }

    /// A declaration of a C variable.
    pub(crate) fn c_declaration(&self, name: &str) -> String {
        let ty = self.c_name();

        if ty.ends_with('*') {
            format!("{ty}{name}")
        } else {
            format!("{ty} {name}")
        }
    }
}

/// The names of C for types that every Rust program knows.
fn c_builtin(name: &str) -> Option<&'static str> {
    Some(match name {
        "i8" => "s8",
        "i16" => "s16",
        "i32" => "s32",
        "i64" => "s64",
        "usize" => "size_t",
        "isize" => "ssize_t",
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
        "c_void" => "void",
        _ => return None,
    })
}

/// The name of C for what a pointer points to.
fn c_pointee(path: &[String]) -> String {
    let name = path.last().map_or("", String::as_str);

    if let Some(name) = c_builtin(name) {
        return name.to_string();
    }
    match name {
        "CStr" => "char".to_string(),
        "u8" | "u16" | "u32" | "u64" | "bool" => name.to_string(),
        _ if name.ends_with("_t") => name.to_string(),
        // C does not know what has a name that only Rust would give it.
        _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => "void".to_string(),
        _ => format!("struct {name}"),
    }
}

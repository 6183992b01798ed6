// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Checks of a definition, for errors that the C compiler would not report, or at a location in
//! generated code.

use syn::{Error, Ident, Result};

use super::Definition;

/// The keywords of C that are names in Rust.
const C_KEYWORDS: &str = "asm auto case char default double float goto inline int long register \
                          restrict short signed sizeof switch typedef union unsigned void \
                          volatile _Alignas _Alignof _Atomic _Bool _Complex _Generic _Noreturn";

/// Refuses a name that C cannot have for a variable.
pub(super) fn check_name(name: &Ident) -> Result<()> {
    if C_KEYWORDS.split(' ').any(|keyword| name == keyword) {
        return Err(Error::new(name.span(), format!("`{name}` is a C keyword")));
    }
    Ok(())
}

/// Limit of the kernel for event names, including the NUL.
const MAX_NAME: usize = 64;

impl Definition {
    pub(super) fn check(&self) -> Result<()> {
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
                    "names must be C identifiers of at most 63 characters",
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
                    "system names must consist of 1 to 63 letters, digits, `_` and `-`",
                ));
            }
        }
        for (nr, field) in self.fields.iter().enumerate() {
            let text = field.name.to_string();

            if text.starts_with("common_") || text.starts_with("__data") || text == "ent" {
                add(Error::new(
                    field.name.span(),
                    format!("`{text}` is reserved"),
                ));
            }
            if self.fields[..nr]
                .iter()
                .any(|other| other.name == field.name)
            {
                add(Error::new(
                    field.name.span(),
                    format!("duplicate field `{text}`"),
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
                    format!("duplicate event `{}`", event.name),
                ));
            }
        }
        if self.events.is_empty() {
            add(Error::new(
                self.name.span(),
                "a class needs at least one event",
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

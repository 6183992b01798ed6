// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! `trace_event_class!`: events that share the record, its code and its print format.
//!
//! The class becomes a `DECLARE_EVENT_CLASS()`, and each event of it a `DEFINE_EVENT()`, or one of
//! the variants of that for an event with a print format or functions of its own.

use syn::{
    braced,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
    Result, Token,
};

use super::{
    c_text::CText,
    field::fields,
    parse::{args, comma, condition, entry, kw, system},
    print::{c_print, print},
    register::register,
    Definition, Event,
};

pub(super) struct Class(pub(super) Definition);

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
                return Err(
                    content.error("an event of a class cannot have both `print` and `register`")
                );
            }
        }
        Ok(event)
    }
}

impl Event {
    /// Adds the definition of an event of a class.
    pub(super) fn c_event(
        &self,
        definition: &Definition,
        prototype: &str,
        c: &mut CText,
    ) -> Result<()> {
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

// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! The tokens of `trace_event!` and `trace_event_class!`.

use super::{
    ctype::{Kind, Ty},
    Error, Form,
};
use proc_macro::{Delimiter, Group, Ident, Literal, Spacing, Span, TokenStream, TokenTree};

type Result<T> = std::result::Result<T, Error>;

/// Events with the same arguments and record.
pub(crate) struct Class {
    pub(crate) form: Form,
    pub(crate) system: Ident,
    pub(crate) name: Ident,
    pub(crate) args: Vec<Arg>,
    pub(crate) fields: Vec<Field>,
    pub(crate) print: Print,
    pub(crate) events: Vec<Event>,
}

pub(crate) struct Event {
    pub(crate) docs: TokenStream,
    pub(crate) visibility: TokenStream,
    pub(crate) name: Ident,
    pub(crate) condition: Option<TokenStream>,
    /// What differs from the class.
    pub(crate) print: Option<Print>,
}

pub(crate) struct Arg {
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
}

pub(crate) struct Field {
    pub(crate) name: Ident,
    pub(crate) ty: Ty,
    /// An expression.
    pub(crate) value: TokenStream,
}

/// What an event looks like as text.
pub(crate) struct Print {
    pub(crate) format: Text,
    pub(crate) args: Vec<PrintArg>,
}

pub(crate) struct PrintArg {
    pub(crate) field: Ident,
    pub(crate) how: How,
}

pub(crate) enum How {
    /// As the conversion says.
    Plain,
    Flags(Text, Vec<Key>),
    Symbolic(Vec<Key>),
    Hex,
    Array,
}

/// A value and its name.
pub(crate) struct Key {
    /// An expression.
    pub(crate) value: TokenStream,
    pub(crate) name: Text,
}

/// The value of a string literal.
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// What an identifier is called in C.
pub(crate) fn plain(ident: &Ident) -> String {
    ident.to_string().trim_start_matches("r#").to_string()
}

/// Reads tokens one after the other.
struct Cursor {
    tokens: Vec<TokenTree>,
    next: usize,
    /// Where to complain that something is missing.
    end: Span,
}

impl Cursor {
    fn new(tokens: TokenStream, end: Span) -> Self {
        Self {
            tokens: tokens.into_iter().collect(),
            next: 0,
            end,
        }
    }

    fn of(group: &Group) -> Self {
        Self::new(group.stream(), group.span_close())
    }

    fn peek(&self, ahead: usize) -> Option<&TokenTree> {
        self.tokens.get(self.next + ahead)
    }

    fn span(&self) -> Span {
        self.peek(0).map_or(self.end, TokenTree::span)
    }

    fn is_end(&self) -> bool {
        self.peek(0).is_none()
    }

    fn is_punct(&self, ahead: usize, c: char) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Punct(punct)) if punct.as_char() == c)
    }

    fn is_ident(&self, ahead: usize, name: &str) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Ident(ident)) if ident.to_string() == name)
    }

    /// Whether there is a colon that is not half of a `::`.
    fn is_colon(&self, ahead: usize) -> bool {
        self.is_punct(ahead, ':') && !self.is_path_separator(ahead)
    }

    fn is_path_separator(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => {
                punct.spacing() == Spacing::Joint && self.is_punct(ahead + 1, ':')
            }
            _ => false,
        }
    }

    /// Whether there is a `name:`.
    fn is_key(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), Some(TokenTree::Ident(_))) && self.is_colon(ahead + 1)
    }

    fn expected<T>(&self, what: &str) -> Result<T> {
        let found = match self.peek(0) {
            Some(TokenTree::Group(group)) => match group.delimiter() {
                Delimiter::Parenthesis => "`(`".to_string(),
                Delimiter::Brace => "`{`".to_string(),
                Delimiter::Bracket => "`[`".to_string(),
                Delimiter::None => format!("`{group}`"),
            },
            Some(token) => format!("`{token}`"),
            None => "the end".to_string(),
        };

        Err(Error::new(
            self.span(),
            format!("expected {what}, found {found}"),
        ))
    }

    fn ident(&mut self, what: &str) -> Result<Ident> {
        match self.peek(0) {
            Some(TokenTree::Ident(ident)) => {
                let ident = ident.clone();

                self.next += 1;
                Ok(ident)
            }
            // What a `macro_rules!` macro has passed on.
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
                let ident = Self::of(group).ident(what)?;

                self.next += 1;
                Ok(ident)
            }
            _ => self.expected(what),
        }
    }

    fn keyword(&mut self, name: &str) -> Result<()> {
        if !self.is_ident(0, name) {
            return self.expected(&format!("`{name}`"));
        }
        self.next += 1;
        Ok(())
    }

    fn punct(&mut self, c: char) -> Result<()> {
        if !self.is_punct(0, c) {
            return self.expected(&format!("`{c}`"));
        }
        self.next += 1;
        Ok(())
    }

    /// A comma, which may be left out at the end.
    fn comma(&mut self) -> Result<()> {
        if self.is_end() {
            return Ok(());
        }
        self.punct(',')
    }

    fn group(&mut self, delimiter: Delimiter, what: &str) -> Result<Group> {
        match self.peek(0) {
            Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
                let group = group.clone();

                self.next += 1;
                Ok(group)
            }
            _ => self.expected(what),
        }
    }

    fn text(&mut self, what: &str) -> Result<Text> {
        match self.peek(0) {
            Some(TokenTree::Literal(literal)) => {
                let Some(text) = unquote(literal) else {
                    return self.expected(what);
                };
                let span = literal.span();

                self.next += 1;
                Ok(Text { text, span })
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
                let text = Self::of(group).text(what)?;

                self.next += 1;
                Ok(text)
            }
            _ => self.expected(what),
        }
    }

    /// Takes tokens until `stop`, of which there has to be one at least.
    fn until(&mut self, what: &str, stop: impl Fn(&Self) -> bool) -> Result<TokenStream> {
        let start = self.next;

        while !self.is_end() && !stop(self) {
            // Not in the middle of a path.
            self.next += if self.is_path_separator(0) { 2 } else { 1 };
        }
        if self.next == start {
            return self.expected(what);
        }
        Ok(self.tokens[start..self.next].iter().cloned().collect())
    }

    /// An expression; a comma belongs to it unless something follows that cannot.
    fn expression(&mut self) -> Result<TokenStream> {
        self.until("an expression", |cursor| {
            cursor.is_punct(0, ',')
                && (cursor.peek(1).is_none() || cursor.is_punct(1, '#') || cursor.is_key(1))
        })
    }

    fn ty(&mut self) -> Result<Ty> {
        let start = self.next;
        let mut depth = 0;

        while !self.is_end() {
            if depth == 0 && (self.is_punct(0, ',') || self.is_punct(0, '=')) {
                break;
            }
            if self.is_punct(0, '<') {
                depth += 1;
            } else if self.is_punct(0, '-') && self.is_punct(1, '>') {
                self.next += 1;
            } else if self.is_punct(0, '>') {
                depth -= 1;
            }
            self.next += 1;
        }
        if self.next == start {
            return self.expected("a type");
        }
        Ok(Ty::new(
            self.tokens[start..self.next].iter().cloned().collect(),
        ))
    }

    /// Documentation.
    fn docs(&mut self) -> Result<TokenStream> {
        let start = self.next;

        while self.is_punct(0, '#') {
            self.next += 1;
            let span = self.span();
            let attribute = self.group(Delimiter::Bracket, "an attribute")?;

            if !Self::of(&attribute).is_ident(0, "doc") {
                return Err(Error::new(
                    span,
                    "only documentation is supported here; other attributes can be put in front \
                     of the macro",
                ));
            }
        }
        Ok(self.tokens[start..self.next].iter().cloned().collect())
    }

    fn visibility(&mut self) -> TokenStream {
        let start = self.next;

        if self.is_ident(0, "pub") {
            self.next += 1;
            if matches!(self.peek(0), Some(TokenTree::Group(group))
                if group.delimiter() == Delimiter::Parenthesis)
            {
                self.next += 1;
            }
        }
        self.tokens[start..self.next].iter().cloned().collect()
    }
}

/// The value of a string literal, or nothing if it is another literal.
fn unquote(literal: &Literal) -> Option<String> {
    let text = literal.to_string();

    if let Some(raw) = text.strip_prefix('r') {
        let raw = raw.trim_matches('#');

        return Some(raw.strip_prefix('"')?.strip_suffix('"')?.to_string());
    }

    let mut chars = text
        .strip_prefix('"')?
        .strip_suffix('"')?
        .chars()
        .peekable();
    let mut value = String::new();

    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next()? {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            '0' => value.push('\0'),
            'x' => {
                let digits: String = [chars.next()?, chars.next()?].iter().collect();

                value.push(u8::from_str_radix(&digits, 16).ok()? as char);
            }
            'u' => {
                let digits: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let digits = digits.trim_start_matches('{').replace('_', "");

                value.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
            }
            '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            c => value.push(c),
        }
    }
    Some(value)
}

pub(crate) fn class(tokens: TokenStream, form: Form) -> Result<Class> {
    let cursor = &mut Cursor::new(tokens, Span::call_site());

    cursor.keyword("system")?;
    if !cursor.is_colon(0) {
        return cursor.expected("`:`");
    }
    cursor.next += 1;
    let system = cursor.ident("the name of a trace system")?;

    cursor.punct(',')?;

    let mut events = None;
    let mut event = None;
    let name;

    match form {
        Form::Event => {
            let new = event_name(cursor, "an event, as in `fn name(id: u32)`")?;

            name = new.name.clone();
            event = Some(new);
        }
        Form::Class => {
            cursor.keyword("class")?;
            name = cursor.ident("the name of an event class")?;
        }
    }
    let args = cursor.group(Delimiter::Parenthesis, "arguments in parentheses")?;

    if cursor.is_punct(0, '-') {
        return Err(Error::new(cursor.span(), "an event returns nothing"));
    }
    cursor.comma()?;
    let args = self::args(&args)?;

    let mut condition = None;
    let mut fields = None;
    let mut print = None;

    while !cursor.is_end() {
        if !cursor.is_key(0) {
            return cursor.expected(match form {
                Form::Event => "`condition:`, `entry:` or `print:`",
                Form::Class => "`entry:`, `print:` or `events:`",
            });
        }

        let key = cursor.ident("")?;
        let known = key.to_string();

        cursor.next += 1;
        let repeated = match known.as_str() {
            "condition" if form == Form::Event => condition.replace(cursor.expression()?).is_some(),
            "entry" => {
                let group = cursor.group(Delimiter::Brace, "fields in braces")?;

                fields.replace(self::fields(&group)?).is_some()
            }
            "print" => print.replace(self::print(cursor)?).is_some(),
            "events" if form == Form::Class => {
                let group = cursor.group(Delimiter::Brace, "events in braces")?;
                let list = self::events(&group)?;

                if list.is_empty() {
                    return Err(Error::new(group.span(), "a class needs an event at least"));
                }
                events.replace(list).is_some()
            }
            "condition" => {
                return Err(Error::new(
                    key.span(),
                    "conditions belong to the events of a class, as in `fn name if id != 0`",
                ))
            }
            _ => {
                return Err(Error::new(
                    key.span(),
                    match form {
                        Form::Event => {
                            "unknown key; the keys of an event are `system`, `condition`, `entry` \
                             and `print`"
                        }
                        Form::Class => {
                            "unknown key; the keys of a class are `system`, `entry`, `print` and \
                             `events`"
                        }
                    },
                ))
            }
        };

        if repeated {
            return Err(Error::new(key.span(), format!("`{known}:` is there twice")));
        }
        cursor.comma()?;
    }

    let missing = |section: &str| {
        let what = match form {
            Form::Event => "event",
            Form::Class => "event class",
        };

        Error::new(name.span(), format!("{what} `{name}` has no `{section}`"))
    };
    let fields = fields.ok_or_else(|| missing("entry: { ... }"))?;
    let print = print.ok_or_else(|| missing("print: \"...\""))?;
    let events = match event {
        Some(event) => vec![Event { condition, ..event }],
        None => events.ok_or_else(|| missing("events: { ... }"))?,
    };

    Ok(Class {
        form,
        system,
        name,
        args,
        fields,
        print,
        events,
    })
}

/// The documentation, visibility and name of an event.
fn event_name(cursor: &mut Cursor, what: &str) -> Result<Event> {
    let docs = cursor.docs()?;
    let visibility = cursor.visibility();

    if !cursor.is_ident(0, "fn") {
        return cursor.expected(what);
    }
    cursor.next += 1;

    let name = cursor.ident("the name of an event")?;

    if cursor.is_punct(0, '<') {
        return Err(Error::new(
            cursor.span(),
            "an event has no generic parameters, and needs no lifetimes",
        ));
    }
    Ok(Event {
        docs,
        visibility,
        name,
        condition: None,
        print: None,
    })
}

fn args(group: &Group) -> Result<Vec<Arg>> {
    let cursor = &mut Cursor::of(group);
    let mut args = Vec::new();

    while !cursor.is_end() {
        let name = cursor.ident("the name of an argument")?;

        cursor.punct(':')?;
        let ty = cursor.ty()?;

        cursor.comma()?;
        args.push(Arg { name, ty });
    }
    Ok(args)
}

fn fields(group: &Group) -> Result<Vec<Field>> {
    let cursor = &mut Cursor::of(group);
    let mut fields = Vec::new();

    while !cursor.is_end() {
        cursor.docs()?;
        let name = cursor.ident("the name of a field")?;

        cursor.punct(':')?;
        let ty = cursor.ty()?;

        if !cursor.is_punct(0, '=') {
            return cursor.expected(&format!("`= value` for the field `{name}`"));
        }
        cursor.next += 1;
        let value = cursor.expression()?;

        cursor.comma()?;
        fields.push(Field { name, ty, value });
    }
    Ok(fields)
}

fn events(group: &Group) -> Result<Vec<Event>> {
    let cursor = &mut Cursor::of(group);
    let mut events = Vec::new();

    while !cursor.is_end() {
        let mut event = event_name(cursor, "an event, as in `fn name`")?;

        if let Some(TokenTree::Group(group)) = cursor.peek(0) {
            if group.delimiter() == Delimiter::Parenthesis {
                return Err(Error::new(
                    group.span(),
                    "an event of a class has the arguments of the class",
                ));
            }
        }
        if cursor.is_ident(0, "if") {
            cursor.next += 1;
            event.condition = Some(cursor.until("an expression", |cursor| {
                cursor.is_own_print()
                    || (cursor.is_punct(0, ',')
                        && (cursor.peek(1).is_none()
                            || cursor.is_punct(1, '#')
                            || cursor.is_ident(1, "pub")
                            || cursor.is_ident(1, "fn")))
            })?);
        }
        if !cursor.is_end() && !cursor.is_punct(0, ',') {
            let group = cursor.group(Delimiter::Brace, "`if`, `{ print: ... }` or `,`")?;
            let inner = &mut Cursor::of(&group);

            inner.keyword("print")?;
            inner.punct(':')?;
            event.print = Some(print(inner)?);
            inner.comma()?;
            if !inner.is_end() {
                return inner.expected("`}`");
            }
        }
        cursor.comma()?;
        events.push(event);
    }
    Ok(events)
}

impl Cursor {
    /// Whether there is a `{ print: ... }`.
    fn is_own_print(&self) -> bool {
        matches!(self.peek(0), Some(TokenTree::Group(group))
        if group.delimiter() == Delimiter::Brace && {
            let inner = Self::of(group);

            inner.is_ident(0, "print") && inner.is_colon(1)
        })
    }
}

fn print(cursor: &mut Cursor) -> Result<Print> {
    let format = cursor.text("a format string")?;
    let mut args = Vec::new();

    while cursor.is_punct(0, ',') && cursor.peek(1).is_some() && !cursor.is_key(1) {
        cursor.next += 1;
        args.push(print_arg(cursor)?);
        if !cursor.is_end() && !cursor.is_punct(0, ',') {
            return Err(Error::new(
                cursor.span(),
                "only fields can be printed, and not expressions: put the value in a field",
            ));
        }
    }
    Ok(Print { format, args })
}

fn print_arg(cursor: &mut Cursor) -> Result<PrintArg> {
    const FUNCTIONS: &str = "`flags()`, `symbolic()`, `hex()` or `array()`";

    if !matches!(
        cursor.peek(0),
        Some(TokenTree::Ident(_) | TokenTree::Group(_))
    ) {
        return Err(Error::new(
            cursor.span(),
            format!("only fields can be printed, or {FUNCTIONS} of a field"),
        ));
    }

    let name = cursor.ident("a field")?;
    let group = match cursor.peek(0) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => {
            group.clone()
        }
        _ => {
            return Ok(PrintArg {
                field: name,
                how: How::Plain,
            })
        }
    };
    let inner = &mut Cursor::of(&group);

    cursor.next += 1;
    let function = name.to_string();

    if !["flags", "symbolic", "hex", "array"].contains(&function.as_str()) {
        return Err(Error::new(
            name.span(),
            format!("unknown function; a field can be printed with {FUNCTIONS}"),
        ));
    }

    let field = inner.ident("a field")?;
    let how = match function.as_str() {
        "flags" => {
            inner.punct(',')?;
            let delimiter = inner.text("a string between the names of flags")?;

            inner.punct(',')?;
            How::Flags(delimiter, keys(inner)?)
        }
        "symbolic" => {
            inner.punct(',')?;
            How::Symbolic(keys(inner)?)
        }
        "hex" => How::Hex,
        _ => How::Array,
    };

    inner.comma()?;
    if !inner.is_end() {
        return inner.expected("`)`");
    }
    Ok(PrintArg { field, how })
}

fn keys(cursor: &mut Cursor) -> Result<Vec<Key>> {
    let group = cursor.group(
        Delimiter::Brace,
        "values and names in braces, as in `{ 1: \"ONE\" }`",
    )?;
    let cursor = &mut Cursor::of(&group);
    let mut keys = Vec::new();

    while !cursor.is_end() {
        let value = cursor.until("a value", |cursor| cursor.is_colon(0))?;

        cursor.punct(':')?;
        let name = cursor.text("the name of the value")?;

        cursor.comma()?;
        keys.push(Key { value, name });
    }
    if keys.is_empty() {
        return Err(Error::new(group.span(), "there are no values and names"));
    }
    Ok(keys)
}

impl Key {
    /// The value as C writes it, if that is how it is written.
    pub(crate) fn c_value(&self) -> Option<String> {
        let mut sign = "";
        let mut tokens = self.value.clone().into_iter().peekable();

        if tokens
            .next_if(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '-'))
            .is_some()
        {
            sign = "-";
        }
        let (Some(TokenTree::Literal(literal)), None) = (tokens.next(), tokens.next()) else {
            return None;
        };
        let text = literal.to_string();
        let plain = match text.strip_prefix("0x") {
            Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
            None => {
                text.chars().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
            }
        };

        plain.then(|| format!("{sign}{text}"))
    }
}

impl Field {
    /// What the record has for the field in C.
    pub(crate) fn is_dynamic(&self) -> bool {
        matches!(self.ty.kind, Kind::String | Kind::Dynamic(_))
    }
}

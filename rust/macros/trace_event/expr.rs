// SPDX-License-Identifier: GPL-2.0

// Copyright (C) 2026 The static-key tracepoints developers

//! Expressions of fields and constants in `print:`, which C computes when a record is read.
//!
//! Rust checks the types of an expression, as it is part of a function that is not called. Its C
//! text has the same operators, so that only those are taken that mean the same in both languages.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{
    spanned::Spanned, visit_mut::VisitMut, Block, Error, Expr, Ident, Lit, LitBool, Member, Result,
    Stmt, UnOp,
};

use super::{
    c_text::CText,
    field::{Element, Kind},
    functions::{c_call, PrintFunctions},
    print::plain_name,
    Definition,
};

impl Definition {
    /// Returns whether an expression is a path that may be the name of a constant.
    pub(super) fn is_constant(&self, value: &Expr) -> bool {
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
}

impl CText {
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
}

/// Returns an assertion-time value of the fields that a print argument uses, as its type is that
/// of the expression of these.
pub(super) fn print_value(definition: &Definition, shared: &Ident, value: &Expr) -> TokenStream {
    let fields = definition.fields.iter().map(|field| {
        let name = &field.name;

        match &field.kind {
            Kind::Variable(variable, _) => variable.print_value(name),
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

/// Adds an expression of fields to the text.
pub(super) fn c_expr(definition: &Definition, value: &Expr, c: &mut CText) -> Result<()> {
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
                return unknown(&binary.op, "assignments are not supported in `print:`");
            }
            for side in [&binary.left, &binary.right] {
                if definition.is_address(side) {
                    return unknown(
                        side,
                        "strings and arrays cannot be operands: C would use their addresses",
                    );
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
                return unknown(value, "`if` needs an `else` in `print:`");
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
                Member::Unnamed(_) => {
                    return unknown(value, "tuple fields are not supported in `print:`")
                }
            }
        }
        Expr::Index(index) => {
            let inner = &index.index;

            let number = match &**inner {
                Expr::Lit(literal) => match &literal.lit {
                    Lit::Int(number) => number,
                    _ => return unknown(inner, "the index must be an integer literal"),
                },
                _ => return unknown(inner, "the index must be an integer literal"),
            };
            let Some(Kind::Array(_, len)) = definition.plain_field(&index.expr) else {
                return unknown(&index.expr, "only arrays of a fixed length can be indexed");
            };
            let digits = number.base10_digits();

            c_expr(definition, &index.expr, c)?;
            c.add("[");
            // The lint against such an index may be off.
            c.flush();
            c.piece(quote_spanned! {inner.span()=> Text({
                if #inner >= #len {
                    ::core::panic!("index out of bounds");
                }
                #digits
            })});
            c.add("]");
        }
        Expr::Call(call) => c_call(definition, call, c)?,
        _ => {
            return unknown(
                value,
                "unsupported expression in `print:`: compute it in `entry:`",
            )
        }
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
            let message =
                "the right operand must be a literal or a constant: compute it in `entry:`";

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

pub(super) fn c_lit(literal: &Lit, c: &mut CText) -> Result<()> {
    match literal {
        Lit::Int(number) => c.add(number.base10_digits()),
        Lit::Str(text) => c.literal(text)?,
        Lit::Bool(LitBool { value, .. }) => c.add(if *value { "1" } else { "0" }),
        Lit::Byte(byte) => c.add(&byte.value().to_string()),
        _ => {
            let message = "unsupported literal in `print:`";

            return Err(Error::new(literal.span(), message));
        }
    }
    Ok(())
}

/// Returns the expression that a block consists of.
fn only_expr(block: &Block) -> Result<&Expr> {
    match &block.stmts[..] {
        [Stmt::Expr(value, None)] => Ok(value),
        _ => Err(Error::new(
            block.span(),
            "unsupported expression in `print:`: compute it in `entry:`",
        )),
    }
}

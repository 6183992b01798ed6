// SPDX-License-Identifier: GPL-2.0
/*
 * Readable names of Rust functions.
 *
 * rustc names a function after its path, with the types of generic arguments,
 * in the encoding that RFC 2603 defines ("v0"). It is a prefix code: each part
 * begins with a letter that says what follows, and a part that occurs again is
 * replaced by the position at which it occurred first. The functions below are
 * named after the rules of the grammar in the RFC. They print as they parse,
 * without memory of their own.
 *
 * A name is shown as in the source, with these exceptions: hashes of crates and
 * numbers of impl blocks are left out, and lifetimes are '_, or left out too.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/rust_demangle.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <linux/string_choices.h>

/* Nested parts. Each takes about a hundred bytes of stack. */
#define RUST_DEMANGLE_MAX_DEPTH	32
/*
 * All parts, those that are referred to counted each time: a name of a few bytes
 * could stand for millions.
 */
#define RUST_DEMANGLE_MAX_PARTS	1024

/**
 * struct rust_demangle - state of a conversion
 * @out: where to print
 * @start: the name behind "_R", which positions count from
 * @at: the next byte
 * @end: the NUL, or the suffix
 * @depth: number of the parts around the current one
 * @parts: number of parts so far
 * @silent: if not zero, what is parsed is not printed
 * @failed: the name is not valid
 */
struct rust_demangle {
	struct seq_buf	*out;
	const char	*start;
	const char	*at;
	const char	*end;
	unsigned int	depth;
	unsigned int	parts;
	unsigned int	silent;
	bool		failed;
};

static void rust_demangle_path(struct rust_demangle *d, bool in_value);
static void rust_demangle_type(struct rust_demangle *d);
static void rust_demangle_const(struct rust_demangle *d);

static void rust_demangle_put(struct rust_demangle *d, const char *text,
			      size_t len)
{
	if (!d->silent && !d->failed && seq_buf_putmem(d->out, text, len))
		d->failed = true;
}

static void rust_demangle_puts(struct rust_demangle *d, const char *text)
{
	rust_demangle_put(d, text, strlen(text));
}

static void rust_demangle_put_number(struct rust_demangle *d, u64 number)
{
	char text[24];

	rust_demangle_put(d, text, scnprintf(text, sizeof(text), "%llu",
					     number));
}

static bool rust_demangle_eat(struct rust_demangle *d, char c)
{
	if (d->failed || d->at == d->end || *d->at != c)
		return false;
	d->at++;
	return true;
}

/* Returns NUL, which no part begins with, if there is no byte left. */
static char rust_demangle_next(struct rust_demangle *d)
{
	if (d->failed || d->at == d->end) {
		d->failed = true;
		return '\0';
	}
	return *d->at++;
}

static bool rust_demangle_enter(struct rust_demangle *d)
{
	if (d->depth == RUST_DEMANGLE_MAX_DEPTH ||
	    d->parts == RUST_DEMANGLE_MAX_PARTS)
		d->failed = true;
	if (d->failed)
		return false;
	d->depth++;
	d->parts++;
	return true;
}

static void rust_demangle_leave(struct rust_demangle *d)
{
	d->depth--;
}

/* The letters of ASCII. Those of ctype.h include some of Latin-1. */
static bool rust_demangle_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool rust_demangle_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* base-62-number: "_" is 0, and all others are the digits plus 1. */
static u64 rust_demangle_base62(struct rust_demangle *d)
{
	u64 value = 0;

	if (rust_demangle_eat(d, '_'))
		return 0;

	while (!rust_demangle_eat(d, '_')) {
		char c = rust_demangle_next(d);
		unsigned int digit = 0;

		if (isdigit(c))
			digit = c - '0';
		else if (rust_demangle_is_lower(c))
			digit = c - 'a' + 10;
		else if (rust_demangle_is_upper(c))
			digit = c - 'A' + 36;
		else
			d->failed = true;

		/* Hashes of crates have 64 bits, and the caller may add one. */
		if (d->failed || value > (U64_MAX - 64) / 62) {
			d->failed = true;
			return 0;
		}

		value = value * 62 + digit;
	}
	return value + 1;
}

/* A number after @tag, plus 1; 0 if there is none. */
static u64 rust_demangle_tagged(struct rust_demangle *d, char tag)
{
	return rust_demangle_eat(d, tag) ? rust_demangle_base62(d) + 1 : 0;
}

/* undisambiguated-identifier. What is not ASCII stays encoded. */
static const char *rust_demangle_identifier(struct rust_demangle *d,
					    size_t *len)
{
	const char *text;
	size_t left;

	rust_demangle_eat(d, 'u');
	*len = 0;
	if (!rust_demangle_eat(d, '0')) {
		char c = rust_demangle_next(d);

		if (!isdigit(c)) {
			d->failed = true;
			return NULL;
		}

		do {
			*len = *len * 10 + c - '0';
			if (*len > d->end - d->start) {
				d->failed = true;
				return NULL;
			}

			if (d->at == d->end || !isdigit(*d->at))
				break;
			c = *d->at++;
		} while (true);
	}

	/* Separates the number from an identifier that begins with a digit. */
	rust_demangle_eat(d, '_');
	left = d->end - d->at;
	if (d->failed || *len > left) {
		d->failed = true;
		return NULL;
	}

	text = d->at;
	d->at += *len;
	return text;
}

static void rust_demangle_print_identifier(struct rust_demangle *d)
{
	size_t len;
	const char *text = rust_demangle_identifier(d, &len);

	if (text)
		rust_demangle_put(d, text, len);
}

/* A lifetime behind "L". */
static void rust_demangle_lifetime(struct rust_demangle *d)
{
	rust_demangle_base62(d);
	rust_demangle_puts(d, "'_");
}

/*
 * backref, behind "B": sets the position to what it refers to. Returns the position
 * to go on from, or NULL if nothing has to be printed.
 */
static const char *rust_demangle_backref(struct rust_demangle *d)
{
	const char *tag = d->at - 1;
	u64 position = rust_demangle_base62(d);
	const char *back = d->at;

	/* What it refers to has to be in front of it, so that there is an end. */
	if (d->failed || position >= tag - d->start) {
		d->failed = true;
		return NULL;
	}

	if (d->silent)
		return NULL;
	d->at = d->start + position;
	return back;
}

static void rust_demangle_generic_args(struct rust_demangle *d)
{
	bool first = true;

	for (; !d->failed && !rust_demangle_eat(d, 'E'); first = false) {
		if (!first)
			rust_demangle_puts(d, ", ");
		if (rust_demangle_eat(d, 'L'))
			rust_demangle_lifetime(d);
		else if (rust_demangle_eat(d, 'K'))
			rust_demangle_const(d);
		else
			rust_demangle_type(d);
	}
}

/* nested-path, behind "N" */
static void rust_demangle_nested(struct rust_demangle *d, bool in_value)
{
	char namespace = rust_demangle_next(d);
	const char *text;
	u64 number;
	size_t len;

	if (!rust_demangle_is_lower(namespace) &&
	    !rust_demangle_is_upper(namespace)) {
		d->failed = true;
		return;
	}

	rust_demangle_path(d, in_value);
	number = rust_demangle_tagged(d, 's');
	text = rust_demangle_identifier(d, &len);
	if (!text)
		return;

	if (rust_demangle_is_lower(namespace)) {
		if (len)
			rust_demangle_puts(d, "::");
		rust_demangle_put(d, text, len);
		return;
	}

	/* Something that has no name in the source. */
	rust_demangle_puts(d, "::{");
	if (namespace == 'C')
		rust_demangle_puts(d, "closure");
	else if (namespace == 'S')
		rust_demangle_puts(d, "shim");
	else
		rust_demangle_put(d, &namespace, 1);

	if (len) {
		rust_demangle_puts(d, ":");
		rust_demangle_put(d, text, len);
	}

	rust_demangle_puts(d, "#");
	rust_demangle_put_number(d, number);
	rust_demangle_puts(d, "}");
}

/* inherent-impl, trait-impl and trait-definition, behind @tag */
static void rust_demangle_impl(struct rust_demangle *d, char tag)
{
	if (tag != 'Y') {
		/* Where the impl block is; its type says more. */
		d->silent++;
		rust_demangle_tagged(d, 's');
		rust_demangle_path(d, false);
		d->silent--;
	}

	rust_demangle_puts(d, "<");
	rust_demangle_type(d);
	if (tag != 'M') {
		rust_demangle_puts(d, " as ");
		rust_demangle_path(d, false);
	}
	rust_demangle_puts(d, ">");
}

/*
 * path. @in_value: where an expression is expected, generic arguments have a "::"
 * in front of them.
 */
static void rust_demangle_path(struct rust_demangle *d, bool in_value)
{
	const char *back;
	char tag;

	if (!rust_demangle_enter(d))
		return;

	tag = rust_demangle_next(d);
	switch (tag) {
	case 'C':
		rust_demangle_tagged(d, 's');
		rust_demangle_print_identifier(d);
		break;
	case 'N':
		rust_demangle_nested(d, in_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		rust_demangle_impl(d, tag);
		break;
	case 'I':
		rust_demangle_path(d, in_value);
		rust_demangle_puts(d, in_value ? "::<" : "<");
		rust_demangle_generic_args(d);
		rust_demangle_puts(d, ">");
		break;
	case 'B':
		back = rust_demangle_backref(d);
		if (back) {
			rust_demangle_path(d, in_value);
			d->at = back;
		}
		break;
	default:
		d->failed = true;
	}

	rust_demangle_leave(d);
}

static const char *rust_demangle_basic_type(char tag)
{
	static const char * const names[] = {
		['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char",
		['d' - 'a'] = "f64", ['e' - 'a'] = "str", ['f' - 'a'] = "f32",
		['h' - 'a'] = "u8", ['i' - 'a'] = "isize",
		['j' - 'a'] = "usize", ['l' - 'a'] = "i32", ['m' - 'a'] = "u32",
		['n' - 'a'] = "i128", ['o' - 'a'] = "u128", ['p' - 'a'] = "_",
		['s' - 'a'] = "i16", ['t' - 'a'] = "u16", ['u' - 'a'] = "()",
		['v' - 'a'] = "...", ['x' - 'a'] = "i64", ['y' - 'a'] = "u64",
		['z' - 'a'] = "!",
	};

	return rust_demangle_is_lower(tag) ? names[tag - 'a'] : NULL;
}

/* fn-sig, behind "F" */
static void rust_demangle_fn_sig(struct rust_demangle *d)
{
	bool first = true;
	const char *abi;
	size_t len;

	rust_demangle_tagged(d, 'G');
	if (rust_demangle_eat(d, 'U'))
		rust_demangle_puts(d, "unsafe ");

	if (rust_demangle_eat(d, 'K')) {
		rust_demangle_puts(d, "extern \"");
		if (rust_demangle_eat(d, 'C')) {
			rust_demangle_puts(d, "C");
		} else {
			abi = rust_demangle_identifier(d, &len);
			/* The hyphens of an ABI are encoded. */
			for (; abi && len; len--, abi++)
				rust_demangle_put(d, *abi == '_' ? "-" : abi,
						  1);
		}
		rust_demangle_puts(d, "\" ");
	}

	rust_demangle_puts(d, "fn(");
	for (; !d->failed && !rust_demangle_eat(d, 'E'); first = false) {
		if (!first)
			rust_demangle_puts(d, ", ");
		rust_demangle_type(d);
	}
	rust_demangle_puts(d, ")");

	if (rust_demangle_eat(d, 'u'))
		return;
	rust_demangle_puts(d, " -> ");
	rust_demangle_type(d);
}

/*
 * A path whose generic arguments may be followed by bindings of associated types.
 * Returns whether the list of arguments is still open.
 */
static bool rust_demangle_open_path(struct rust_demangle *d)
{
	const char *back;
	bool open = false;

	if (!rust_demangle_enter(d))
		return false;

	if (rust_demangle_eat(d, 'B')) {
		back = rust_demangle_backref(d);
		if (back) {
			open = rust_demangle_open_path(d);
			d->at = back;
		}
	} else if (rust_demangle_eat(d, 'I')) {
		rust_demangle_path(d, false);
		rust_demangle_puts(d, "<");
		rust_demangle_generic_args(d);
		open = true;
	} else {
		rust_demangle_path(d, false);
	}

	rust_demangle_leave(d);
	return open;
}

/* dyn-bounds and the lifetime, behind "D" */
static void rust_demangle_dyn(struct rust_demangle *d)
{
	bool first = true, open;

	rust_demangle_puts(d, "dyn ");
	rust_demangle_tagged(d, 'G');

	for (; !d->failed && !rust_demangle_eat(d, 'E'); first = false) {
		if (!first)
			rust_demangle_puts(d, " + ");
		open = rust_demangle_open_path(d);
		while (rust_demangle_eat(d, 'p')) {
			rust_demangle_puts(d, open ? ", " : "<");
			open = true;
			rust_demangle_print_identifier(d);
			rust_demangle_puts(d, " = ");
			rust_demangle_type(d);
		}
		if (open)
			rust_demangle_puts(d, ">");
	}

	if (!rust_demangle_eat(d, 'L'))
		d->failed = true;
	rust_demangle_base62(d);
}

static void rust_demangle_tuple(struct rust_demangle *d)
{
	unsigned int nr = 0;

	rust_demangle_puts(d, "(");
	for (; !d->failed && !rust_demangle_eat(d, 'E'); nr++) {
		if (nr)
			rust_demangle_puts(d, ", ");
		rust_demangle_type(d);
	}
	rust_demangle_puts(d, nr == 1 ? ",)" : ")");
}

static void rust_demangle_type(struct rust_demangle *d)
{
	const char *basic, *back;
	char tag;

	if (!rust_demangle_enter(d))
		return;

	tag = rust_demangle_next(d);
	switch (tag) {
	case 'R':
	case 'Q':
		rust_demangle_puts(d, "&");
		if (rust_demangle_eat(d, 'L'))
			rust_demangle_base62(d);
		if (tag == 'Q')
			rust_demangle_puts(d, "mut ");
		rust_demangle_type(d);
		break;
	case 'P':
	case 'O':
		rust_demangle_puts(d, tag == 'P' ? "*const " : "*mut ");
		rust_demangle_type(d);
		break;
	case 'A':
	case 'S':
		rust_demangle_puts(d, "[");
		rust_demangle_type(d);
		if (tag == 'A') {
			rust_demangle_puts(d, "; ");
			rust_demangle_const(d);
		}
		rust_demangle_puts(d, "]");
		break;
	case 'T':
		rust_demangle_tuple(d);
		break;
	case 'F':
		rust_demangle_fn_sig(d);
		break;
	case 'D':
		rust_demangle_dyn(d);
		break;
	case 'B':
		back = rust_demangle_backref(d);
		if (back) {
			rust_demangle_type(d);
			d->at = back;
		}
		break;
	default:
		basic = rust_demangle_basic_type(tag);
		if (basic) {
			rust_demangle_puts(d, basic);
		} else if (!d->failed) {
			d->at--;
			rust_demangle_path(d, false);
		}
	}

	rust_demangle_leave(d);
}

/* const-data: hexadecimal digits up to "_" */
static const char *rust_demangle_digits(struct rust_demangle *d, size_t *len,
					u64 *value)
{
	const char *text = d->at;

	*value = 0;
	while (!rust_demangle_eat(d, '_')) {
		char c = rust_demangle_next(d);

		if (!isdigit(c) && !(c >= 'a' && c <= 'f')) {
			d->failed = true;
			return NULL;
		}

		*value = *value << 4 | hex_to_bin(c);
	}

	*len = d->at - text - 1;
	return text;
}

static void rust_demangle_integer(struct rust_demangle *d, bool is_signed)
{
	const char *digits;
	size_t len;
	u64 value;

	if (is_signed && rust_demangle_eat(d, 'n'))
		rust_demangle_puts(d, "-");

	digits = rust_demangle_digits(d, &len, &value);
	if (!digits)
		return;

	if (len <= 16) {
		rust_demangle_put_number(d, value);
	} else {
		rust_demangle_puts(d, "0x");
		rust_demangle_put(d, digits, len);
	}
}

static void rust_demangle_char(struct rust_demangle *d)
{
	char text[16];
	size_t len;
	u64 value;

	if (!rust_demangle_digits(d, &len, &value))
		return;

	if (len > 16)
		d->failed = true;
	else if (value < 0x7f && isprint(value) && value != '\'' && value != '\\')
		rust_demangle_put(d, text, scnprintf(text, sizeof(text), "'%c'",
						     (char)value));
	else if (value <= 0x10ffff)
		rust_demangle_put(d, text, scnprintf(text, sizeof(text),
						     "'\\u{%x}'", (u32)value));
	else
		d->failed = true;
}

/* const: integers, bool and char are all that stable Rust has. */
static void rust_demangle_const(struct rust_demangle *d)
{
	const char *back;
	size_t len;
	u64 value;
	char tag;

	if (!rust_demangle_enter(d))
		return;

	tag = rust_demangle_next(d);
	switch (tag) {
	case 'a':
	case 's':
	case 'l':
	case 'x':
	case 'n':
	case 'i':
		rust_demangle_integer(d, true);
		break;
	case 'h':
	case 't':
	case 'm':
	case 'y':
	case 'o':
	case 'j':
		rust_demangle_integer(d, false);
		break;
	case 'b':
		if (rust_demangle_digits(d, &len, &value) &&
		    len <= 16 && value <= 1)
			rust_demangle_puts(d, str_true_false(value));
		else
			d->failed = true;
		break;
	case 'c':
		rust_demangle_char(d);
		break;
	case 'p':
		rust_demangle_puts(d, "_");
		break;
	case 'B':
		back = rust_demangle_backref(d);
		if (back) {
			rust_demangle_const(d);
			d->at = back;
		}
		break;
	default:
		d->failed = true;
	}

	rust_demangle_leave(d);
}

/**
 * rust_demangle() - print the readable name of a Rust function
 * @s: where to print it
 * @name: the symbol, as kallsyms has it
 *
 * What the compiler has appended to the name, such as ".cold", is kept. If the
 * name is not one that rustc makes, or what is to be printed does not fit, @s is
 * as before.
 *
 * Context: Any context. Takes no lock and allocates nothing.
 * Return: true if the name was printed, false otherwise
 */
bool rust_demangle(struct seq_buf *s, const char *name)
{
	struct rust_demangle d = { .out = s };
	size_t len = s->len;

	if (!is_rust_mangled(name) || seq_buf_has_overflowed(s))
		return false;

	d.start = name + 2;
	d.at = d.start;
	d.end = d.start + strcspn(d.start, ".$");

	rust_demangle_path(&d, true);
	if (!d.failed && d.at != d.end) {
		/* The crate that a generic function was compiled in. */
		d.silent++;
		rust_demangle_path(&d, false);
		d.silent--;
	}

	if (d.at != d.end)
		d.failed = true;
	rust_demangle_puts(&d, d.end);
	if (d.failed)
		s->len = len;
	return !d.failed;
}
EXPORT_SYMBOL_GPL(rust_demangle);

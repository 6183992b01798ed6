// SPDX-License-Identifier: GPL-2.0
/*
 * The parsers of marker formats and of lines written to marker_events.
 *
 * The conversions are those of vsprintf() in the kernel, see
 * Documentation/core-api/printk-formats.rst, as far as everything that is
 * printed can be copied when the marker is hit: numbers, strings, and memory
 * that a pointer leads to if its size is known and it contains no further
 * pointers to follow. Documentation/trace/markers.rst has the list, and the
 * grammar of the line.
 *
 * Nothing here allocates memory, sleeps, or looks up markers: all of it can be
 * compiled in user space.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "event_text.h"
#include "marker_parse.h"

/* The part of a conversion between % and its letter. */
struct marker_spec {
	const char	*start;
	/* -1 if there is none. */
	int		precision;
	bool		star_width;
	bool		star_precision;
	int		width;
	/* h, H (for hh), l, L (for ll), z, t; 0 if there is none. */
	char		length;
};

static int marker_parse_number(struct text_parser *p)
{
	int value = 0;

	for (; isdigit(*p->at); p->at++)
		if (value < 10000)
			value = value * 10 + *p->at - '0';
	return value;
}

static void marker_parse_spec(struct text_parser *p, struct marker_spec *spec)
{
	*spec = (struct marker_spec){ .start = p->at - 1, .precision = -1 };
	while (*p->at && strchr("-+ #0", *p->at))
		p->at++;
	if (*p->at == '*') {
		spec->star_width = true;
		p->at++;
	} else {
		spec->width = marker_parse_number(p);
	}

	if (*p->at == '.') {
		p->at++;
		if (*p->at == '*') {
			spec->star_precision = true;
			p->at++;
		} else {
			spec->precision = marker_parse_number(p);
		}
	}

	if (*p->at && strchr("hlLzt", *p->at)) {
		spec->length = *p->at++;
		if (spec->length == *p->at && strchr("hl", spec->length)) {
			spec->length = spec->length == 'h' ? 'H' : 'L';
			p->at++;
		}
	}
}

/*
 * Find the name of an argument: the word before the conversion, with the usual
 * separators between the two: "pid=%d", "pid: %d", "pid %d", "flags 0x%x",
 * "name '%s'".
 */
static struct text_span marker_parse_find_name(struct text_parser *p,
					       const char *from, const char *to)
{
	const char *end = to, *start;

	if (end - from >= 2 && !memcmp(end - 2, "0x", 2) &&
	    (end - from == 2 || !text_is_word(end[-3])))
		end -= 2;
	while (end > from && strchr(" =:([{<\"'#", end[-1]))
		end--;

	for (start = end; start > from && text_is_word(start[-1]); start--)
		;
	while (start < end && !text_is_word_start(*start))
		start++;

	/* The letter of the previous conversion is not a name. */
	return start == from && isalnum(from[0]) && from > p->text ?
		(struct text_span){} : text_span(p, start, end - start);
}

static bool marker_parse_integer(struct text_parser *p,
				 struct marker_format *format,
				 struct marker_arg *arg,
				 const struct marker_spec *spec,
				 enum fetch_format as)
{
	unsigned int size = sizeof(int);

	switch (spec->length) {
	case 'H':
		size = sizeof(char);
		break;
	case 'h':
		size = sizeof(short);
		break;
	case 'l':
	case 'z':
	case 't':
		size = sizeof(long);
		break;
	case 'L':
		size = sizeof(long long);
		break;
	}

	if (size > sizeof(long))
		format->wide |= BIT(arg->slot);
	arg->type = fetch_integer(size, as);
	return true;
}

/* Set @arg to record @size bytes that the pointer leads to. */
static bool marker_parse_copy(struct marker_arg *arg, enum marker_print print,
			      unsigned int size, unsigned int element)
{
	arg->type = fetch_integer(element,
				  element > 1 ? FETCH_HEX : FETCH_UNSIGNED);
	arg->count = print == MARKER_PRINT_HEX || print == MARKER_PRINT_FLAGS ?
		0 : size / element;
	arg->read = true;
	arg->print = print;
	return true;
}

/*
 * Pointer conversions of printk-formats.rst. All letters and digits that follow
 * %p belong to the conversion.
 */
static bool marker_parse_pointer(struct text_parser *p, struct marker_arg *arg,
				 const struct marker_spec *spec)
{
	const char *at = p->at;

	while (isalnum(*p->at))
		p->at++;

	switch (*at) {
	case 'S':
	case 's':
	case 'B':
		arg->type = fetch_find_type("symbol", 6);
		return true;
	case 'M':
	case 'm':
		return marker_parse_copy(arg, MARKER_PRINT_COPY, 6, 1);
	case 'I':
	case 'i':
		switch (at[1]) {
		case '4':
			return marker_parse_copy(arg, MARKER_PRINT_COPY, 4, 1);
		case '6':
			return marker_parse_copy(arg, MARKER_PRINT_COPY, 16, 1);
		}
		break;
	case 'U':
		return marker_parse_copy(arg, MARKER_PRINT_COPY, 16, 1);
	case 'h':
		if (spec->width < 1 || spec->width > 64)
			break;
		return marker_parse_copy(arg, MARKER_PRINT_BYTES, spec->width,
					 1);
	case 'a':
		if (at[1] == 'd')
			return marker_parse_copy(arg, MARKER_PRINT_HEX,
						 sizeof(dma_addr_t),
						 sizeof(dma_addr_t));
		return marker_parse_copy(arg, MARKER_PRINT_HEX,
					 sizeof(phys_addr_t),
					 sizeof(phys_addr_t));
	case 'G':
		if (at[1] == 'g')
			return marker_parse_copy(arg, MARKER_PRINT_FLAGS,
						 sizeof(int), sizeof(int));
		if (at[1] == 'p' || at[1] == 'v')
			return marker_parse_copy(arg, MARKER_PRINT_FLAGS,
						 sizeof(long), sizeof(long));
		break;
	case 'e':
		arg->type = fetch_integer(sizeof(long), FETCH_SIGNED);
		arg->print = MARKER_PRINT_ERROR;
		return true;
	case 'K':
	case 'x':
		arg->type = &fetch_pointer_type;
		return true;
	default:
		/*
		 * vsnprintf() also takes digits for a part of it: "%p4cc" is
		 * not an address.
		 */
		if (isalnum(*at))
			break;
		arg->type = &fetch_pointer_type;
		return true;
	}

	return parser_fail_at(p, MARKER_ERR_FORMAT_POINTER, spec->start);
}

static bool marker_parse_conversion(struct text_parser *p,
				    struct marker_format *format,
				    const char *from)
{
	struct marker_arg *arg = &format->args[format->nr_args];
	struct marker_spec spec;
	bool ok;

	marker_parse_spec(p, &spec);
	if (format->nr_args == FETCH_MAX_FIELDS ||
	    format->nr_slots + 1 + spec.star_precision > FETCH_MAX_FIELDS)
		return parser_fail_at(p, MARKER_ERR_FORMAT_TOO_MANY,
				      spec.start);

	/* A width from an argument is not supported. */
	if (spec.star_width || (spec.star_precision && *p->at != 's'))
		return parser_fail_at(p, MARKER_ERR_FORMAT_STAR, spec.start);

	*arg = (struct marker_arg){
		.name = marker_parse_find_name(p, from, spec.start),
	};
	if (spec.star_precision) {
		arg->limited = true;
		format->nr_slots++;
	}
	arg->slot = format->nr_slots++;

	switch (*p->at++) {
	case 'd':
	case 'i':
		ok = marker_parse_integer(p, format, arg, &spec, FETCH_SIGNED);
		break;
	case 'u':
	case 'o':
		ok = marker_parse_integer(p, format, arg, &spec,
					  FETCH_UNSIGNED);
		break;
	case 'x':
	case 'X':
		ok = marker_parse_integer(p, format, arg, &spec, FETCH_HEX);
		break;
	case 'c':
		arg->type = fetch_find_type("char", 4);
		ok = !spec.length;
		break;
	case 's':
		arg->type = &fetch_string_type;
		arg->read = true;
		/* Larger than any string in a record. */
		arg->max_len = clamp(spec.precision, 0, U16_MAX - 1);
		/* %.0s has nothing to record. */
		ok = !spec.length && spec.precision;
		break;
	case 'p':
		if (spec.length) {
			ok = false;
			break;
		}
		ok = marker_parse_pointer(p, arg, &spec);
		break;
	default:
		ok = false;
	}

	if (!ok)
		return parser_fail_at(p, MARKER_ERR_FORMAT_CONVERSION,
				      spec.start);
	if (p->at - spec.start > MARKER_MAX_SPEC)
		return parser_fail_at(p, MARKER_ERR_FORMAT_LONG, spec.start);

	arg->spec = text_span(p, spec.start, p->at - spec.start);
	format->nr_args++;
	return true;
}

/**
 * marker_parse_format() - parse the format of a marker
 * @text: the format, terminated by a null byte
 * @format: filled in; refers to @text
 * @pos: set to the position of the error in @text
 *
 * Context: Any context. Allocates nothing.
 * Return: MARKER_ERR_OK on success, another error code if the arguments cannot
 *	be recorded.
 */
enum marker_err marker_parse_format(const char *text,
				    struct marker_format *format, u16 *pos)
{
	struct text_parser parser = { .text = text, .at = text }, *p = &parser;
	const char *from = text;

	memset(format, 0, offsetof(struct marker_format, args));
	if (strnlen(text, MARKER_MAX_FORMAT + 1) > MARKER_MAX_FORMAT) {
		parser_fail_at(p, MARKER_ERR_FORMAT_TOO_LONG,
			       text + MARKER_MAX_FORMAT);
		goto out;
	}

	while (*p->at) {
		if (*p->at++ != '%')
			continue;
		if (*p->at == '%')
			p->at++;
		else if (!marker_parse_conversion(p, format, from))
			break;
		from = p->at;
	}
out:
	*pos = p->err_pos;
	return p->err;
}
EXPORT_SYMBOL_IF_KUNIT(marker_parse_format);

static bool marker_parse_name(struct text_parser *p, struct marker_def *def)
{
	size_t len = 0;

	if (text_is_word_start(*p->at) || text_is_wild(*p->at))
		for (; text_is_word(p->at[len]) || text_is_wild(p->at[len]); len++)
			def->base.is_pattern |= text_is_wild(p->at[len]);
	if (!len)
		return parser_fail(p, MARKER_ERR_NO_NAME);
	if (def->nr_names == MARKER_EVENT_MAX_NAMES)
		return parser_fail(p, MARKER_ERR_TOO_MANY_NAMES);
	def->names[def->nr_names++] = text_span(p, p->at, len);
	p->at += len;
	return true;
}

static bool marker_parse_field(struct text_parser *p, struct marker_def *def)
{
	size_t len = text_word_len(p->at);
	struct text_span name = text_span(p, p->at, len);

	if (!len)
		return parser_fail(p, MARKER_ERR_NO_FIELD);
	if (def->nr_fields == FETCH_MAX_FIELDS)
		return parser_fail(p, MARKER_ERR_TOO_MANY_FIELDS);

	if (text_is(p, name, "NULL") || text_is(p, name, "_"))
		name.len = 0;
	else if (text_is_reserved(p->at))
		return parser_fail(p, MARKER_ERR_BAD_FIELD);

	for (int i = 0; i < def->nr_fields; i++)
		if (name.len && text_same(p, def->fields[i], name))
			return parser_fail(p, MARKER_ERR_DUPLICATE_FIELD);

	def->fields[def->nr_fields++] = name;
	p->at += len;
	parser_skip_space(p);
	return true;
}

static bool marker_parse_fields(struct text_parser *p, struct marker_def *def)
{
	def->has_fields = true;
	if (parser_consume(p, ")"))
		return true;
	do {
		if (!marker_parse_field(p, def))
			return false;
	} while (parser_consume(p, ","));
	return parser_consume(p, ")") || parser_fail(p, MARKER_ERR_NO_PAREN);
}

static bool marker_parse_line(struct text_parser *p, struct marker_def *def)
{
	if (!parser_consume_prefix(p, MARKER_EVENT_PREFIX, &def->base,
				   MARKER_ERR_BAD_GROUP, MARKER_ERR_BAD_EVENT))
		return false;

	if (!marker_parse_name(p, def))
		return false;

	if (*p->at == ':' && !def->base.is_pattern) {
		p->at++;
		parser_skip_space(p);
		def->base.module = def->names[0];
		def->nr_names = 0;
		if (!marker_parse_name(p, def))
			return false;
	}

	parser_skip_space(p);
	while (parser_consume(p, "|")) {
		if (!marker_parse_name(p, def))
			return false;
		parser_skip_space(p);
	}
	def->base.name = def->names[0];
	if (def->base.is_pattern && (def->base.event.len || def->nr_names > 1))
		return parser_fail_at(p, MARKER_ERR_PATTERN_NAME,
				      p->text + def->names[0].start);

	if (parser_consume(p, "(") && !marker_parse_fields(p, def))
		return false;
	return !*p->at || *p->at == '#' || parser_fail(p, MARKER_ERR_TRAILING);
}

/**
 * marker_parse_event() - parse a definition
 * @text: the definition, terminated by a null byte
 * @def: filled in; refers to @text
 * @pos: set to the position of the error in @text
 *
 * Context: Any context. Allocates nothing.
 * Return: MARKER_ERR_OK on success, another error code otherwise.
 */
enum marker_err marker_parse_event(const char *text, struct marker_def *def,
				   u16 *pos)
{
	struct text_parser parser = { .text = text, .at = text }, *p = &parser;

	memset(def, 0, sizeof(*def));
	if (strnlen(text, MARKER_EVENT_MAX_TEXT + 1) > MARKER_EVENT_MAX_TEXT)
		parser_fail_at(p, MARKER_ERR_TOO_LONG,
			       text + MARKER_EVENT_MAX_TEXT);
	else
		marker_parse_line(p, def);
	*pos = p->err_pos;
	return p->err;
}
EXPORT_SYMBOL_IF_KUNIT(marker_parse_event);

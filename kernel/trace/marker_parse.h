/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the format of a marker says of its arguments, and what a line written to
 * marker_events says.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _MARKER_PARSE_H
#define _MARKER_PARSE_H

#include "fetch_type.h"

/* What a line starts with that has group and event, in dynamic_events all. */
#define MARKER_EVENT_PREFIX	'm'
/* The longest definition, in characters. */
#define MARKER_EVENT_MAX_TEXT	1023
/* The longest format, in characters. */
#define MARKER_MAX_FORMAT	1023
/* The longest conversion, in characters: %-20.20s */
#define MARKER_MAX_SPEC		15
/* A marker and those that take its place. */
#define MARKER_EVENT_MAX_NAMES	8

/* What is printed of an argument, other than what its type says. */
enum marker_print {
	MARKER_PRINT_VALUE,	/* the value, as the conversion says */
	MARKER_PRINT_COPY,	/* %pM and others: what it pointed to, as the conversion says */
	MARKER_PRINT_BYTES,	/* %6ph: as MARKER_PRINT_COPY; tools have no such conversion */
	MARKER_PRINT_HEX,	/* %pa: what it pointed to, as a number */
	MARKER_PRINT_FLAGS,	/* %pGg: as MARKER_PRINT_COPY; for tools a number */
	MARKER_PRINT_ERROR,	/* %pe: as the conversion says; for tools a number */
};

/**
 * struct marker_arg - a conversion of a format that takes an argument
 * @type: of the field, or of its elements
 * @count: number of elements that the argument points to; 0 if it is not an array
 * @read: what the argument points to is recorded
 * @print: what is printed of it
 * @slot: position of the argument
 * @limited: the argument before it says how many characters of a string to read
 * @max_len: so many characters are read; 0 if all are
 * @spec: the conversion
 * @name: what comes before it and looks like a name; empty if nothing does
 */
struct marker_arg {
	const struct fetch_type	*type;
	u16			count;
	bool			read;
	enum marker_print	print;
	u8			slot;
	bool			limited;
	u16			max_len;
	struct text_span	spec;
	struct text_span	name;
};

/**
 * struct marker_format - what a format says
 * @nr_slots: number of arguments
 * @wide: bits of the arguments that are larger than a long
 * @nr_args: number of @args
 * @args: in the order of the format
 */
struct marker_format {
	u8			nr_slots;
	u32			wide;
	u8			nr_args;
	struct marker_arg	args[FETCH_MAX_FIELDS];
};

/**
 * struct marker_def - what a line says
 * @group: of the event; empty if the definition has none
 * @event: name of the event; empty if the definition has none
 * @body: the start of what follows group and event
 * @module: that is waited for; empty if the definition has none
 * @nr_names: number of @names
 * @names: of the marker and of those that take its place
 * @has_fields: whether there are parentheses
 * @nr_fields: number of @fields
 * @fields: their names, in the order of the arguments; empty if one is left out
 */
struct marker_def {
	struct text_span	group;
	struct text_span	event;
	u16			body;
	struct text_span	module;
	u8			nr_names;
	struct text_span	names[MARKER_EVENT_MAX_NAMES];
	bool			has_fields;
	u8			nr_fields;
	struct text_span	fields[FETCH_MAX_FIELDS];
};

/* What can be wrong; error_log has it in words. */
enum marker_err {
	MARKER_ERR_OK,
	MARKER_ERR_TOO_LONG,
	MARKER_ERR_BAD_GROUP,
	MARKER_ERR_BAD_EVENT,
	MARKER_ERR_EVENT_EXISTS,
	MARKER_ERR_NO_NAME,
	MARKER_ERR_LONG_NAME,
	MARKER_ERR_TOO_MANY_NAMES,
	MARKER_ERR_UNKNOWN_MARKER,
	MARKER_ERR_NO_FIELD,
	MARKER_ERR_BAD_FIELD,
	MARKER_ERR_DUPLICATE_FIELD,
	MARKER_ERR_TOO_MANY_FIELDS,
	MARKER_ERR_NO_PAREN,
	MARKER_ERR_TRAILING,
	MARKER_ERR_TOO_LARGE,
	MARKER_ERR_FORMAT_TOO_LONG,
	MARKER_ERR_FORMAT_TOO_MANY,
	MARKER_ERR_FORMAT_CONVERSION,
	MARKER_ERR_FORMAT_POINTER,
	MARKER_ERR_FORMAT_STAR,
	MARKER_ERR_FORMAT_LONG,
	MARKER_NR_ERRS,
};

enum marker_err marker_parse_format(const char *text, struct marker_format *format, u16 *pos);
bool marker_event_has_prefix(const char *text);
enum marker_err marker_parse_event(const char *text, struct marker_def *def, u16 *pos);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parsers of marker formats and of lines written to marker_events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _MARKER_PARSE_H
#define _MARKER_PARSE_H

#include "fetch_type.h"

/*
 * First letter of a line with group or event name, and of all lines in
 * dynamic_events.
 */
#define MARKER_EVENT_PREFIX	'm'
/* Maximum length of a definition, in characters. */
#define MARKER_EVENT_MAX_TEXT	1023
/* Maximum length of a format, in characters. */
#define MARKER_MAX_FORMAT	1023
/* Maximum length of a conversion, in characters: %-20.20s */
#define MARKER_MAX_SPEC		15
/* Maximum number of markers in a definition: one and its fallbacks. */
#define MARKER_EVENT_MAX_NAMES	8

/* How an argument is printed, other than by its type. */
enum marker_print {
	/* The value, by its conversion. */
	MARKER_PRINT_VALUE,
	/* %pM and others: the memory it pointed to, by its conversion. */
	MARKER_PRINT_COPY,
	/* %6ph: as MARKER_PRINT_COPY; libtraceevent has no such conversion. */
	MARKER_PRINT_BYTES,
	/* %pa: the memory it pointed to, as a number. */
	MARKER_PRINT_HEX,
	/* %pGg: as MARKER_PRINT_COPY; for libtraceevent a number. */
	MARKER_PRINT_FLAGS,
	/* %pe: by its conversion; for libtraceevent a number. */
	MARKER_PRINT_ERROR,
};

/**
 * struct marker_arg - a conversion of a format that takes an argument
 * @type: type of the field, or of its elements
 * @count: number of elements that the argument points to; 0 if not an array
 * @read: the memory that the argument points to is recorded
 * @print: how it is printed
 * @slot: position of the argument
 * @limited: the argument before this one limits the length of the string
 * @max_len: maximum number of characters to read; 0 for no limit
 * @spec: the conversion in the text
 * @name: the name that precedes the conversion in the text; may be empty
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
 * struct marker_format - a parsed format
 * @nr_slots: number of arguments
 * @wide: bit mask of the arguments that are larger than a long
 * @nr_args: number of @args
 * @args: arguments in the order of the format
 */
struct marker_format {
	u8			nr_slots;
	u32			wide;
	u8			nr_args;
	struct marker_arg	args[FETCH_MAX_FIELDS];
};

/**
 * struct marker_def - a parsed definition
 * @group: of the event; empty if the definition has none
 * @event: name of the event; empty if the definition has none
 * @definition: start of the text after group and event name
 * @module: module to wait for; empty if the definition has none
 * @nr_names: number of @names
 * @names: names of the marker and its fallbacks
 * @has_fields: the definition has parentheses
 * @nr_fields: number of @fields
 * @fields: field names in the order of the arguments; empty if one is omitted
 */
struct marker_def {
	struct text_span	group;
	struct text_span	event;
	u16			definition;
	struct text_span	module;
	u8			nr_names;
	struct text_span	names[MARKER_EVENT_MAX_NAMES];
	bool			has_fields;
	u8			nr_fields;
	struct text_span	fields[FETCH_MAX_FIELDS];
};

/* Parse errors; marker_event_err_text has their messages. */
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

enum marker_err marker_parse_format(const char *text,
				    struct marker_format *format, u16 *pos);
const struct marker_arg *marker_match_arg(const char *text,
					  const struct marker_format *format,
					  int nr, const char *other_text,
					  const struct marker_format *other);
bool marker_event_has_prefix(const char *text);
enum marker_err marker_parse_event(const char *text, struct marker_def *def,
				   u16 *pos);

#endif

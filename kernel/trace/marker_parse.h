/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parsers of marker formats and of lines written to marker_events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _MARKER_PARSE_H
#define _MARKER_PARSE_H

#include "event_text.h"

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
 * @base: group, names and module; the marker may be waited for with the latter
 * @nr_names: number of @names
 * @names: names of the marker and its fallbacks
 * @has_fields: the definition has parentheses
 * @nr_fields: number of @fields
 * @fields: field names in the order of the arguments; empty if one is omitted
 */
struct marker_def {
	struct event_def	base;
	u8			nr_names;
	struct text_span	names[MARKER_EVENT_MAX_NAMES];
	bool			has_fields;
	u8			nr_fields;
	struct text_span	fields[FETCH_MAX_FIELDS];
};

/* Errors: the name, what write() returns, and the text in error_log. */
#define MARKER_ERRORS	\
	C(OK, 0, "No error"),	\
	C(TOO_LONG, E2BIG, "Definition is too long"),	\
	C(BAD_GROUP, EINVAL, "Group name is not valid"),	\
	C(BAD_EVENT, EINVAL, "Event name is not valid"),	\
	C(EVENT_EXISTS, EEXIST, "Event exists already"),	\
	C(NO_NAME, EINVAL, "Name of a marker expected"),	\
	C(LONG_NAME, E2BIG, "Name is too long"),	\
	C(TOO_MANY_NAMES, E2BIG, "Too many markers"),	\
	C(PATTERN_NAME, EINVAL, "A pattern has no other names, for events or markers"),	\
	C(PATTERN_TOO_MANY, E2BIG, "More markers than 1,000 match the pattern"),	\
	C(PATTERN_MODULE, EINVAL, "Events are removed by patterns of their names alone"),	\
	C(PATTERN_NONE, ENOENT, "No marker matches the pattern; see available_markers"),	\
	C(UNKNOWN_MARKER, ENOENT, "Marker not found; see available_markers"),	\
	C(NO_FIELD, EINVAL, "Field name or NULL expected"),	\
	C(BAD_FIELD, EINVAL, "Field name is reserved"),	\
	C(DUPLICATE_FIELD, EINVAL, "Field name is used already"),	\
	C(TOO_MANY_FIELDS, E2BIG, "Marker does not have so many fields"),	\
	C(NO_PAREN, EINVAL, "Closing parenthesis or comma expected"),	\
	C(TRAILING, EINVAL, "Nothing expected here"),	\
	C(TOO_LARGE, E2BIG, "Record does not fit into a sub-buffer"),	\
	C(FORMAT_TOO_LONG, E2BIG, "Format of the marker is too long"),	\
	C(FORMAT_TOO_MANY, E2BIG, "Marker has too many arguments"),	\
	C(FORMAT_CONVERSION, EOPNOTSUPP,	\
	  "Format of the marker has a conversion that is not known"),	\
	C(FORMAT_POINTER, EOPNOTSUPP, "This %p conversion cannot be recorded"),	\
	C(FORMAT_STAR, EOPNOTSUPP, "Width or precision from an argument cannot be recorded"),	\
	C(FORMAT_LONG, EOPNOTSUPP, "Format of the marker has a conversion that is too long")

#undef C
#define C(name, errno, text)	MARKER_ERR_##name
enum marker_err {
	MARKER_ERRORS
};

enum marker_err marker_parse_format(const char *text,
				    struct marker_format *format, u16 *pos);
enum marker_err marker_parse_event(const char *text, struct marker_def *def,
				   u16 *pos);

#endif

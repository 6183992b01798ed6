/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parser of definitions of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FUNC_EVENT_PARSE_H
#define _FUNC_EVENT_PARSE_H

#include <linux/types.h>

#include "fetch_type.h"

/*
 * First letter of a line with group or event name, and of all lines in
 * dynamic_events.
 */
#define FUNC_EVENT_PREFIX	'c'

/* Maximum length of a definition, in characters. */
#define FUNC_EVENT_MAX_TEXT	2047
/* Maximum number of arguments of a function, in registers and on the stack. */
#define FUNC_EVENT_MAX_ARGS	16
/*
 * Larger than any array that fits into a record; the size of the record is
 * checked later.
 */
#define FUNC_EVENT_MAX_ELEMENTS	65535

enum func_event_source {
	FUNC_EVENT_ARGUMENT,		/* an argument, by its position */
	FUNC_EVENT_RETURN,		/* the return value */
	FUNC_EVENT_ADDRESS,		/* memory at a number */
	FUNC_EVENT_SYMBOL_ADDRESS,	/* memory at a symbol */
	FUNC_EVENT_MEMBER,		/* an argument by name, and members */
};

/**
 * struct func_event_field_def - a field of a definition
 * @name: of the field; empty if the definition has none
 * @type: NULL if the type comes from BTF
 * @count: number of elements; 0 if the field is not an array
 * @source: source of the field
 * @arg: position of the argument, from 0
 * @has_index: the memory that the source points to is read, not the source
 *	itself
 * @offset: in bytes, from the address in the source
 * @index: in elements, from there
 * @address: for FUNC_EVENT_ADDRESS
 * @from: the symbol, or the path of members
 * @at: position in the text, for error_log
 */
struct func_event_field_def {
	struct text_span		name;
	const struct fetch_type		*type;
	u16				count;
	enum func_event_source		source;
	u8				arg;
	bool				has_index;
	s32				offset;
	s32				index;
	u64				address;
	struct text_span		from;
	u16				at;
};

/**
 * struct func_event_def - a parsed definition
 * @group: of the event; empty if the definition has none
 * @event: name of the event; empty if the definition has none
 * @module: of the function; empty if the definition has none
 * @function: its name
 * @prototype: the start of the prototype: the line without group and event
 * @has_args: the definition has parentheses; if not, the arguments come from
 *	BTF, or from what the kernel knows of the system call
 * @nr_args: number of arguments that are used or skipped
 * @arg_at: position of each argument in the text, for error_log
 * @at_return: the event is at the return of the function
 * @nr_entry: number of fields that are read at the entry of the function; they
 *	come first in @fields
 * @nr_fields: number of all fields
 * @fields: fields in the order of the text
 */
struct func_event_def {
	struct text_span		group;
	struct text_span		event;
	struct text_span		module;
	struct text_span		function;
	u16				prototype;
	bool				has_args;
	u8				nr_args;
	u16				arg_at[FUNC_EVENT_MAX_ARGS];
	bool				at_return;
	u8				nr_entry;
	u8				nr_fields;
	struct func_event_field_def	fields[FETCH_MAX_FIELDS];
};

/* Parse errors; func_event_err_text has their messages. */
enum func_event_err {
	FUNC_EVENT_ERR_OK,
	FUNC_EVENT_ERR_TOO_LONG,
	FUNC_EVENT_ERR_BAD_GROUP,
	FUNC_EVENT_ERR_BAD_EVENT,
	FUNC_EVENT_ERR_EVENT_EXISTS,
	FUNC_EVENT_ERR_NO_FUNCTION,
	FUNC_EVENT_ERR_UNKNOWN_FUNCTION,
	FUNC_EVENT_ERR_ONLY_COPY,
	FUNC_EVENT_ERR_NOT_TRACEABLE,
	FUNC_EVENT_ERR_SEVERAL_FUNCTIONS,
	FUNC_EVENT_ERR_UNKNOWN_MODULE,
	FUNC_EVENT_ERR_NO_TYPE,
	FUNC_EVENT_ERR_UNKNOWN_TYPE,
	FUNC_EVENT_ERR_NO_VALUE,
	FUNC_EVENT_ERR_NO_BOUND,
	FUNC_EVENT_ERR_BAD_BOUND,
	FUNC_EVENT_ERR_STRING_ARRAY,
	FUNC_EVENT_ERR_NO_NAME,
	FUNC_EVENT_ERR_BAD_NAME,
	FUNC_EVENT_ERR_DUPLICATE_NAME,
	FUNC_EVENT_ERR_BAD_NUMBER,
	FUNC_EVENT_ERR_NO_INDEX,
	FUNC_EVENT_ERR_IS_AN_ARRAY,
	FUNC_EVENT_ERR_NO_BRACKET,
	FUNC_EVENT_ERR_NO_SOURCE,
	FUNC_EVENT_ERR_UNKNOWN_SYMBOL,
	FUNC_EVENT_ERR_NO_PAREN,
	FUNC_EVENT_ERR_TRAILING,
	FUNC_EVENT_ERR_TOO_MANY_ARGS,
	FUNC_EVENT_ERR_TOO_MANY_FIELDS,
	FUNC_EVENT_ERR_TOO_LARGE,
	FUNC_EVENT_ERR_ENTRY_TOO_LARGE,
	FUNC_EVENT_ERR_NO_RETURN,
	FUNC_EVENT_ERR_NO_RETVAL,
	FUNC_EVENT_ERR_NO_MEMORY,
	FUNC_EVENT_ERR_NO_BTF,
	FUNC_EVENT_ERR_NO_BTF_FUNCTION,
	FUNC_EVENT_ERR_UNKNOWN_ARGUMENT,
	FUNC_EVENT_ERR_UNKNOWN_REGISTER,
	FUNC_EVENT_ERR_ARG_AT_RETURN,
	FUNC_EVENT_ERR_NOT_A_STRUCT,
	FUNC_EVENT_ERR_NOT_A_POINTER,
	FUNC_EVENT_ERR_IS_A_POINTER,
	FUNC_EVENT_ERR_UNKNOWN_MEMBER,
	FUNC_EVENT_ERR_TOO_DEEP,
	FUNC_EVENT_ERR_NO_ROOM_FOR_BITS,
	FUNC_EVENT_ERR_NOT_A_VALUE,
	FUNC_EVENT_ERR_RUST_TYPE,
	FUNC_EVENT_ERR_RUST_STRING,
	FUNC_EVENT_NR_ERRS,
};

bool func_event_has_prefix(const char *text);

enum func_event_err func_event_parse(const char *text,
				     struct func_event_def *def, u16 *pos);
const struct fetch_type *func_event_parse_c_type(const char *text);

#endif

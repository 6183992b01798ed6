/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parser of definitions of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FUNC_EVENT_PARSE_H
#define _FUNC_EVENT_PARSE_H

#include <linux/types.h>

#include "event_text.h"

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
 * @late: memory that an argument points to is read at the return
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
	bool				late;
	s32				offset;
	s32				index;
	u64				address;
	struct text_span		from;
	u16				at;
};

/**
 * struct func_event_def - a parsed definition
 * @base: group, names and module
 * @declared: the type that is in front of the name of the function, and perhaps
 *	attributes; empty if there is none
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
	struct event_def		base;
	struct text_span		declared;
	bool				has_args;
	u8				nr_args;
	u16				arg_at[FUNC_EVENT_MAX_ARGS];
	bool				at_return;
	u8				nr_entry;
	u8				nr_fields;
	struct func_event_field_def	fields[FETCH_MAX_FIELDS];
};

/* Errors: the name, what write() returns, and the text in error_log. */
#define FUNC_EVENT_ERRORS	\
	C(OK, 0, "No error"),	\
	C(TOO_LONG, E2BIG, "Definition is too long"),	\
	C(BAD_GROUP, EINVAL, "Group name is not valid"),	\
	C(BAD_EVENT, EINVAL, "Event name is not valid"),	\
	C(EVENT_EXISTS, EEXIST, "Event exists already"),	\
	C(NO_FUNCTION, EINVAL, "Function name expected"),	\
	C(PATTERN_NAME, EINVAL, "Events of a pattern have the names of the functions"),	\
	C(PATTERN_TOO_MANY, E2BIG, "More functions than 1,000 match the pattern"),	\
	C(PATTERN_MODULE, EINVAL, "Events are removed by patterns of their names alone"),	\
	C(PATTERN_NONE, ENOENT, "No function that can be traced matches the pattern"),	\
	C(UNKNOWN_FUNCTION, ENOENT, "Function not found; it may be inlined everywhere"),	\
	C(ONLY_COPY, ENOENT,	\
	  "Function not found, only this copy, which may have fewer arguments"),	\
	C(NOT_TRACEABLE, EINVAL, "Function cannot be traced"),	\
	C(SEVERAL_FUNCTIONS, EADDRNOTAVAIL, "Several functions have this name"),	\
	C(UNKNOWN_MODULE, EINVAL, "Module name is not valid"),	\
	C(NO_TYPE, EINVAL, "Type expected"),	\
	C(UNKNOWN_TYPE, EINVAL, "Type not known"),	\
	C(NO_VALUE, EINVAL, "Structures have to be pointers"),	\
	C(NO_BOUND, EINVAL, "Array needs a bound"),	\
	C(BAD_BOUND, EINVAL, "Bound is not valid"),	\
	C(STRING_ARRAY, EINVAL, "Strings cannot be array elements"),	\
	C(NO_NAME, EINVAL, "Field name expected"),	\
	C(BAD_NAME, EINVAL, "Field name is reserved"),	\
	C(DUPLICATE_NAME, EINVAL, "Field name is used already"),	\
	C(BAD_NUMBER, EINVAL, "Number is not valid"),	\
	C(NO_INDEX, EINVAL, "Offset needs an index here, as in name+8[0]"),	\
	C(IS_AN_ARRAY, EINVAL,	\
	  "Array in C; write type[n] name for it, name+0[n] for element n"),	\
	C(NO_BRACKET, EINVAL, "Closing bracket expected"),	\
	C(NO_SOURCE, EINVAL, "Address, symbol or member expected"),	\
	C(UNKNOWN_SYMBOL, ENOENT, "Symbol not found"),	\
	C(NO_PAREN, EINVAL, "Closing parenthesis or comma expected"),	\
	C(NO_FUNCTION_ARGS, EINVAL, "Arguments expected, as in (*name)(void)"),	\
	C(TRAILING, EINVAL, "Unexpected text after the arguments"),	\
	C(PROBE_SYNTAX, EINVAL, "This is how probe events are written, in dynamic_events"),	\
	C(TOO_MANY_ARGS, E2BIG, "Too many arguments, or no register has this one"),	\
	C(TOO_MANY_FIELDS, E2BIG, "Too many fields"),	\
	C(TOO_LARGE, E2BIG, "Record does not fit into a sub-buffer"),	\
	C(ENTRY_TOO_LARGE, E2BIG, "Too much to keep until the function returns"),	\
	C(NO_RETURN, EOPNOTSUPP, "Return of functions cannot be traced on this kernel"),	\
	C(NO_MEMORY, ENOMEM, "Out of memory"),	\
	C(NO_BTF, EOPNOTSUPP, "Needs BTF type information, which this kernel does not have"),	\
	C(NO_BTF_FUNCTION, ENOENT, "No BTF type information about this function"),	\
	C(UNKNOWN_ARGUMENT, ENOENT, "Function has no argument of this name"),	\
	C(UNKNOWN_REGISTER, EINVAL,	\
	  "Its place depends on a structure, or on a number of 128 bits"),	\
	C(ARG_AT_RETURN, EINVAL, "Arguments are known at the entry of the function only"),	\
	C(NOT_A_STRUCT, EINVAL, "Not a structure"),	\
	C(NOT_A_POINTER, EINVAL, "Use . for members of this, it is not a pointer"),	\
	C(IS_A_POINTER, EINVAL, "Use -> for members of this, it is a pointer"),	\
	C(UNKNOWN_MEMBER, ENOENT, "No such member"),	\
	C(TOO_DEEP, EINVAL, "Path has too many pointers"),	\
	C(NO_ROOM_FOR_BITS, EINVAL, "Bit field needs a larger type"),	\
	C(RUST_TYPE, EINVAL,	\
	  "Rust passes only integers, bool and thin pointers in known registers"),	\
	C(RUST_STRING, EINVAL, "Text in Rust does not end with a NUL; use char[n]"),	\
	C(NOT_A_VALUE, EINVAL, "Type cannot be shown as a value")

#undef C
#define C(name, errno, text)	FUNC_EVENT_ERR_##name
enum func_event_err {
	FUNC_EVENT_ERRORS
};

enum func_event_err func_event_parse(const char *text,
				     struct func_event_def *def, u16 *pos);
const struct fetch_type *func_event_parse_c_type(const char *text);

#endif

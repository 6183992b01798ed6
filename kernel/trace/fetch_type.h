/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of the fields of function events, marker events and probe events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FETCH_TYPE_H
#define _FETCH_TYPE_H

#include <linux/types.h>

/*
 * Maximum number of fields of an event. A field that reads memory has a bit in
 * the fault word, a u32.
 */
#define FETCH_MAX_FIELDS	32

/* A part of the parsed text. */
struct text_span {
	u16	start;
	u16	len;
};

/* The strings are the last. */
enum fetch_format {
	FETCH_VOID,
	FETCH_SIGNED,
	FETCH_UNSIGNED,
	FETCH_HEX,
	/* A number; an array of them is text. */
	FETCH_CHAR,
	FETCH_QUOTED_CHAR,
	FETCH_BOOL,
	FETCH_POINTER,
	FETCH_SYMBOL,
	FETCH_STRING,
	/* In user space. */
	FETCH_USTRING,
	/* The symbol of an address, as text. */
	FETCH_SYMSTR,
};

/**
 * struct fetch_type - the type of a field
 * @name: name in definitions
 * @ctype: C type in the format file of the event
 * @size: size of one element in a record, in bytes; of a string, that of its
 *	__data_loc
 * @format: how a value is printed
 */
struct fetch_type {
	const char		*name;
	const char		*ctype;
	u8			size;
	enum fetch_format	format;
};

#define FETCH_TYPE(_name, _ctype, _size, _format) \
	{ .name = _name, .ctype = _ctype, .size = _size, \
	  .format = FETCH_##_format }
#define FETCH_TYPEDEF(_name, _c, _format) \
	{ .name = #_name, .ctype = #_c, .size = sizeof(_c), \
	  .format = FETCH_##_format }
#define FETCH_STRING_TYPE(_name, _format) \
	FETCH_TYPE(_name, "__data_loc char[]", sizeof(u32), _format)

extern const struct fetch_type fetch_string_type, fetch_pointer_type,
	fetch_void_type;

const struct fetch_type *fetch_find(const struct fetch_type *type, size_t nr,
				    const char *name, size_t len);
const struct fetch_type *fetch_find_probe_type(const char *name, size_t len);
const struct fetch_type *fetch_find_type(const char *name, size_t len);
const struct fetch_type *fetch_integer(unsigned int size,
				       enum fetch_format format);
const char *fetch_conversion(const struct fetch_type *type);

struct trace_seq;

u64 fetch_get_value(const void *at, unsigned int size);
bool fetch_print(struct trace_seq *s, const struct fetch_type *type,
		 const void *at, const void *record);

static inline bool fetch_is_string(const struct fetch_type *type)
{
	return type->format >= FETCH_STRING;
}

static inline bool fetch_is_signed(const struct fetch_type *type)
{
	return type->format == FETCH_SIGNED;
}

#endif

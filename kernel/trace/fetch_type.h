/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the languages of function events and of marker events have in common: the
 * types that fields can have.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FETCH_TYPE_H
#define _FETCH_TYPE_H

#include <linux/types.h>

/* Fields of an event. Each that reads memory has a bit in a u32. */
#define FETCH_MAX_FIELDS	32

/* Part of the text that is parsed. */
struct text_span {
	u16	start;
	u16	len;
};

enum fetch_format {
	FETCH_VOID,
	FETCH_SIGNED,
	FETCH_UNSIGNED,
	FETCH_HEX,
	FETCH_CHAR,
	FETCH_BOOL,
	FETCH_POINTER,
	FETCH_SYMBOL,
	FETCH_STRING,
	FETCH_USTRING,
};

/**
 * struct fetch_type - a type that a field can have
 * @name: as it is written in a definition
 * @ctype: as user space knows it, in the format file of the event
 * @size: in bytes, of one element; of a string, that of its address
 * @format: what is printed
 */
struct fetch_type {
	const char		*name;
	const char		*ctype;
	u8			size;
	enum fetch_format	format;
};

extern const struct fetch_type fetch_string_type, fetch_pointer_type, fetch_void_type;

const struct fetch_type *fetch_integer(unsigned int size, enum fetch_format format);
const struct fetch_type *fetch_find_type(const char *name, size_t len);

static inline bool fetch_is_string(const struct fetch_type *type)
{
	return type->format == FETCH_STRING || type->format == FETCH_USTRING;
}

#endif

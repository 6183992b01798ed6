// SPDX-License-Identifier: GPL-2.0
/*
 * The types of the fields of probe events, which function events and marker events
 * have as well.
 *
 * Also compiled in user space, with the parser of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "fetch_type.h"

static const struct fetch_type fetch_probe_types[] = {
	FETCH_STRING_TYPE("string", STRING),
	FETCH_STRING_TYPE("ustring", USTRING),
	FETCH_STRING_TYPE("symstr", SYMSTR),
	FETCH_TYPEDEF(u8, u8, UNSIGNED),
	FETCH_TYPEDEF(u16, u16, UNSIGNED),
	FETCH_TYPEDEF(u32, u32, UNSIGNED),
	FETCH_TYPEDEF(u64, u64, UNSIGNED),
	FETCH_TYPEDEF(s8, s8, SIGNED),
	FETCH_TYPEDEF(s16, s16, SIGNED),
	FETCH_TYPEDEF(s32, s32, SIGNED),
	FETCH_TYPEDEF(s64, s64, SIGNED),
	FETCH_TYPEDEF(x8, u8, HEX),
	FETCH_TYPEDEF(x16, u16, HEX),
	FETCH_TYPEDEF(x32, u32, HEX),
	FETCH_TYPEDEF(x64, u64, HEX),
	FETCH_TYPE("char", "u8", sizeof(u8), QUOTED_CHAR),
	FETCH_TYPE("symbol", BITS_PER_LONG == 64 ? "u64" : "u32", sizeof(long),
		   SYMBOL),
};

/**
 * fetch_find() - find a type in a table by its name
 * @type: the table
 * @nr: number of types in it
 * @name: the name
 * @len: its length, in characters
 *
 * Context: Any context.
 * Return: the type, or NULL if there is none.
 */
const struct fetch_type *fetch_find(const struct fetch_type *type, size_t nr,
				    const char *name, size_t len)
{
	for (; nr; nr--, type++)
		if (strlen(type->name) == len && !memcmp(type->name, name, len))
			return type;
	return NULL;
}

/**
 * fetch_integer() - find a type by its size and format
 * @size: size in bytes
 * @format: FETCH_SIGNED, FETCH_UNSIGNED or FETCH_HEX
 *
 * Context: Any context.
 * Return: the type, or NULL if there is none of this size.
 */
const struct fetch_type *fetch_integer(unsigned int size,
				       enum fetch_format format)
{
	for (int i = 0; i < ARRAY_SIZE(fetch_probe_types); i++)
		if (fetch_probe_types[i].size == size &&
		    fetch_probe_types[i].format == format)
			return &fetch_probe_types[i];
	return NULL;
}

/**
 * fetch_find_probe_type() - find a type of probe events by its name
 * @name: the name
 * @len: its length, in characters
 *
 * Context: Any context.
 * Return: the type, or NULL if there is none.
 */
const struct fetch_type *fetch_find_probe_type(const char *name, size_t len)
{
	return fetch_find(fetch_probe_types, ARRAY_SIZE(fetch_probe_types), name,
			  len);
}

/**
 * fetch_conversion() - the conversion of a type in print_fmt
 * @type: the type
 *
 * Of those that libtraceevent understands, the one that is closest to
 * fetch_print().
 *
 * Context: Any context.
 * Return: the conversion, quoted for a string constant of C.
 */
const char *fetch_conversion(const struct fetch_type *type)
{
	bool is_long = type->size == sizeof(u64);

	switch (type->format) {
	case FETCH_SIGNED:
		return is_long ? "%Ld" : "%d";
	case FETCH_UNSIGNED:
	case FETCH_CHAR:
	case FETCH_BOOL:
		return is_long ? "%Lu" : "%u";
	case FETCH_QUOTED_CHAR:
		return "'%c'";
	case FETCH_SYMBOL:
		return "%pS";
	case FETCH_STRING:
	case FETCH_USTRING:
	case FETCH_SYMSTR:
		return "\\\"%s\\\"";
	default:
		return is_long ? "0x%Lx" : "0x%x";
	}
}

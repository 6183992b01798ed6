// SPDX-License-Identifier: GPL-2.0
/*
 * Values in the records of function events, marker events and probe events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bitops.h>
#include <linux/trace_seq.h>

#include "fetch_type.h"
#include "trace.h"
#include "trace_output.h"

/**
 * fetch_get_value() - read a number in a record
 * @at: its address
 * @size: in bytes: 1, 2, 4 or 8
 *
 * Context: Any context.
 * Return: the number, not sign-extended.
 */
u64 fetch_get_value(const void *at, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const u8 *)at;
	case 2:
		return *(const u16 *)at;
	case 4:
		return *(const u32 *)at;
	default:
		return *(const u64 *)at;
	}
}

/**
 * fetch_print() - print a value
 * @s: where it is printed to
 * @type: its type
 * @at: its address in the record
 * @record: the record
 *
 * A string of no bytes, not even a null byte, could not be read. Text is escaped,
 * see trace_seq_escape().
 *
 * Context: Any context.
 * Return: true if all of the value is printed, false if only the start of a string
 *	is, followed by three dots.
 */
bool fetch_print(struct trace_seq *s, const struct fetch_type *type,
		 const void *at, const void *record)
{
	u64 value = fetch_get_value(at, type->size);

	switch (type->format) {
	case FETCH_STRING:
	case FETCH_USTRING:
	case FETCH_SYMSTR:
		/* __data_loc: the length above the offset in the record. */
		if (value >> 16)
			return trace_seq_quote(s, (const char *)record + (u16)value,
					       value >> 16);
		trace_seq_puts(s, FAULT_STRING);
		break;
	case FETCH_SIGNED:
		trace_seq_printf(s, "%lld",
				 sign_extend64(value, type->size * 8 - 1));
		break;
	case FETCH_UNSIGNED:
	case FETCH_CHAR:
	case FETCH_BOOL:
		trace_seq_printf(s, "%llu", value);
		break;
	case FETCH_QUOTED_CHAR:
		trace_seq_putc(s, '\'');
		trace_seq_escape(s, at, 1);
		trace_seq_putc(s, '\'');
		break;
	case FETCH_SYMBOL:
		trace_seq_printf(s, "%pS", (void *)(unsigned long)value);
		break;
	default:
		trace_seq_printf(s, "0x%llx", value);
	}

	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The trace option "rust-names": functions of Rust code as in the source.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>
#include <linux/rust_demangle.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "trace_output.h"

/**
 * trace_seq_print_rust_name() - print a function of Rust code as in the source
 * @s: where to print it
 * @address: an address in the function
 * @offset: print the offset in the function and its size as well
 * @module: print the name of the module as well
 *
 * Context: Process context, as for all output of traces.
 * Return: true if it was printed; false if the function at @address is not one
 *	with a mangled name, or if there is no room
 */
bool trace_seq_print_rust_name(struct trace_seq *s, unsigned long address,
			       bool offset, bool module)
{
	char buf[KSYM_NAME_LEN];
	unsigned long size, at;
	const char *name;
	char *modname;

	/* The module, and with it its name, may be about to be removed. */
	guard(rcu)();

	name = kallsyms_lookup(address, &size, &at, &modname, buf);
	if (!name || s->full)
		return false;

	/* As trace_seq_puts() does. */
	if (!s->seq.size)
		trace_seq_init(s);
	if (!rust_demangle(&s->seq, name))
		return false;

	if (offset)
		trace_seq_printf(s, "+%#lx/%#lx", at, size);
	if (module && modname)
		trace_seq_printf(s, " [%s]", modname);
	return true;
}

bool __trace_seq_print_rust_func(struct trace_seq *s, const char *before,
				 unsigned long func, const char *after)
{
	size_t len;

	trace_seq_puts(s, before);
	len = s->seq.len;
	if (trace_seq_print_rust_name(s, func, false, true)) {
		trace_seq_puts(s, after);
		return true;
	}
	if (!s->full)
		s->seq.len = len - strlen(before);
	return false;
}

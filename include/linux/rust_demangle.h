/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Readable names of Rust functions.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LINUX_RUST_DEMANGLE_H
#define _LINUX_RUST_DEMANGLE_H

#include <linux/types.h>

struct seq_buf;

/**
 * is_rust_mangled() - tell whether a symbol has a mangled name of Rust
 * @name: the symbol
 *
 * Functions of Rust with #[no_mangle], most of them for callers in C, have names
 * as in C. Not every name that begins like a mangled one has to be valid.
 *
 * Context: Any context.
 * Return: true if @name begins like a mangled name, false otherwise
 */
static inline bool is_rust_mangled(const char *name)
{
	return name[0] == '_' && name[1] == 'R' &&
	       name[2] >= 'A' && name[2] <= 'Z';
}

bool rust_demangle(struct seq_buf *s, const char *name);

#endif

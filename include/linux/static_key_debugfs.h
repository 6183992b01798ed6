/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The view of all static keys and their sites, see kernel/static_key_debugfs.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LINUX_STATIC_KEY_DEBUGFS_H
#define _LINUX_STATIC_KEY_DEBUGFS_H

#include <linux/dynamic_debug.h>
#include <linux/errno.h>
#include <linux/jump_label.h>

struct jump_entry;
struct seq_file;

/* The section of the dynamic debug messages of the kernel, if there are any. */
extern struct _ddebug __start___dyndbg[];
extern struct _ddebug __stop___dyndbg[];

int static_key_check(struct seq_file *m);
void static_key_show_sites(struct seq_file *m, struct static_key *key);

/* Implemented by the architecture, and a helper for that. */
int arch_jump_label_read(const struct jump_entry *entry);
int jump_label_compare(const void *addr, const void *nop, const void *jump,
		       size_t size);

#endif /* _LINUX_STATIC_KEY_DEBUGFS_H */

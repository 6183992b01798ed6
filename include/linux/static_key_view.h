/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The view of all static keys and their sites, see kernel/static_key_view.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LINUX_STATIC_KEY_VIEW_H
#define _LINUX_STATIC_KEY_VIEW_H

#include <linux/dynamic_debug.h>
#include <linux/errno.h>
#include <linux/jump_label.h>

struct jump_entry;
struct seq_file;

/* The sections of the kernel's messages of dynamic debug, if it has any. */
extern struct _ddebug __start___dyndbg[];
extern struct _ddebug __stop___dyndbg[];

int static_key_check(struct seq_file *m);
void static_key_show_sites(struct seq_file *m, struct static_key *key);

/* What an architecture implements, and what it may use for that. */
int arch_jump_label_read(const struct jump_entry *entry);
int jump_label_compare(const void *addr, const void *nop, const void *jump, size_t size);

#endif /* _LINUX_STATIC_KEY_VIEW_H */

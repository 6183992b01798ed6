/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of function events know of each other.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FUNC_EVENT_H
#define _FUNC_EVENT_H

#include <linux/ftrace.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "event_fetch.h"
#include "func_event_parse.h"

struct func_hook;

/* An event; the first members are for when its function is called. */
struct func_event {
	struct list_head		hook_node;
	struct fetch_event		base;
	bool				syscall;
	bool				returns;
	/* Nothing is read when the function is entered. */
	bool				return_only;
	/* Reads no memory at the return: what was kept becomes the record. */
	bool				in_place;
	u16				duration_offset;
	/* What a return finds the event by. */
	u32				id;
	struct hlist_node		id_node;
	atomic_long_t			missed;
	struct fetch_program	*entry;
	struct fetch_program	*ret;

	struct func_hook		*hook;
	/* The grace period after which nobody uses the event as it was attached last. */
	unsigned long			detached;
	bool				was_attached;
	/* It has an address of memory that is gone: nothing is read there. */
	bool				is_stale;
	/* Its module is there, but without the function, or what it shows has changed. */
	bool				misfits;
	/* As it was written, without group and event. */
	char				*prototype;
	/* As it was named, and what that is: a system call has a wrapper. */
	char				*function;
	char				*symbol;
	/* That was asked for, or NULL. */
	char				*module;
	/* 0 if the function is not there. */
	unsigned long			ip;
	u8				nr_entry;
};

/* As much as an event at the return of a function can keep from its entry. */
#define FUNC_EVENT_MAX_KEPT	(28 * sizeof(long))

int func_event_nr_args(bool syscall);
u16 func_event_arg_offset(bool syscall, int arg);

int func_event_add(struct func_event *event);
void func_event_remove(struct func_event *event);
int func_event_attach(struct func_event *event);
void func_event_detach(struct func_event *event);
void func_event_settle(void);
int func_event_init(void);

/* --- BTF ------------------------------------------------------------------ */

struct func_event_btf;

#ifdef CONFIG_FUNCTION_EVENTS_BTF
enum func_event_err func_event_btf_get(const struct module *mod, const char *function,
				       struct func_event_btf **result);
void func_event_btf_put(struct func_event_btf *btf);
int func_event_btf_nr_args(struct func_event_btf *btf);
enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
				       struct fetch_field *field);
enum func_event_err func_event_btf_return(struct func_event_btf *btf,
					  struct fetch_field *field);
enum func_event_err func_event_btf_path(struct func_event_btf *btf, const char *path,
					struct fetch_field *field, u16 *pos);
#else
static inline enum func_event_err func_event_btf_get(const struct module *mod,
						     const char *function,
						     struct func_event_btf **result)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline void func_event_btf_put(struct func_event_btf *btf)
{
}

static inline int func_event_btf_nr_args(struct func_event_btf *btf)
{
	return 0;
}

static inline enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
						     struct fetch_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err func_event_btf_return(struct func_event_btf *btf,
							struct fetch_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err
func_event_btf_path(struct func_event_btf *btf, const char *path,
		    struct fetch_field *field, u16 *pos)
{
	return FUNC_EVENT_ERR_NO_BTF;
}
#endif

/* --- return of functions -------------------------------------------------- */

/* A function that is never called, for ftrace to attach the tracer of returns to. */
void func_event_return_anchor(void);

#endif

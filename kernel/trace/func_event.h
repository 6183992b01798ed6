/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal interface between the parts of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FUNC_EVENT_H
#define _FUNC_EVENT_H

#include <linux/fprobe.h>

#include "event_def.h"
#include "event_fetch.h"
#include "func_event_parse.h"

/* A function event; the first members are used when its function is called. */
struct func_event {
	struct fprobe			fp;
	/* What is fetched at the entry of the function, and at its return. */
	struct trace_probe		*entry;
	struct trace_probe		*ret;
	bool				syscall;
	bool				at_return;
	/* There has ever been a string that is read at the return. */
	bool				unread;
	u16				duration_offset;
	/*
	 * What is kept until the return, without text; number of texts; size of the
	 * addresses of strings that the function fills.
	 */
	u16				kept_size;
	u8				nr_entry_strings;
	u16				filled_size;
	/* Size of a frame without its payload. */
	u16				head_size;
	/* Another one each time that the event is attached. */
	u32				id;
	/* Hits that were missed, but those in fp.nmissed; protected by event_mutex. */
	unsigned long			missed;

	/* In func_event_waiting, or the RCU grace period after it was there last. */
	struct hlist_node		wait_node;
	unsigned long			waited;
	/*
	 * An absolute address pointed into memory that was freed; it is 0 now.
	 */
	bool				is_stale;
	/*
	 * The module is loaded, but does not have the function, or a type that
	 * the event shows has changed.
	 */
	bool				mismatch;
	/*
	 * The function name in the definition, and its symbol: that of the
	 * wrapper if it is a system call.
	 */
	char				*function;
	char				*symbol;
	/* Module name in the definition, or NULL. */
	char				*module;
	/* ftrace location of the function; 0 if the function is not loaded. */
	unsigned long			ip;
	/* Number of fields that are read at the entry. */
	u8				nr_entry;
	struct fetch_event		base;
};

/*
 * Entry data of an event at the return. @size is that of all of it, in bytes; at the
 * entry it is the room, if the fprobe of the event has an entry_data_min. @id is
 * that of the event. Behind the @words of arguments that are read at the return comes the
 * payload of the record, with the strings of the entry.
 */
struct func_event_frame {
	u32		size;
	u32		id;
	unsigned long	parent_ip;
	u64		calltime;
	unsigned long	words[];
};

/* Where both address spaces overlap, addresses in system calls are of user space. */
#define FUNC_EVENT_USER_ARGS	\
	(!IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE))

/*
 * Maximum number of bytes that an event saves from the entry of a function for
 * its return.
 */
#define FUNC_EVENT_MAX_KEPT	(27 * sizeof(long))

int func_event_nr_args(bool syscall);
u16 func_event_arg_offset(bool syscall, int arg);
int func_event_stack_offset(bool syscall, int arg);
u16 func_event_return_offset(void);

void func_event_set_handlers(struct func_event *event);
int func_event_attach(struct func_event *event);
void func_event_detach(struct func_event *event);
unsigned long func_event_nr_missed(const struct func_event *event);
int func_event_init(void);

struct func_event_btf;

#ifdef CONFIG_FUNCTION_EVENTS_BTF
enum func_event_err func_event_btf_get(const struct module *mod,
				       const char *function,
				       struct func_event_btf **result);
void func_event_btf_put(struct func_event_btf *btf);
int func_event_btf_nr_args(struct func_event_btf *btf);
enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
				       struct fetch_field *field);
enum func_event_err func_event_btf_return(struct func_event_btf *btf,
					  struct fetch_field *field);
enum func_event_err func_event_btf_path(struct func_event_btf *btf,
					const char *path,
					struct fetch_field *field, u16 *pos);
void func_event_btf_show(struct func_event_btf *btf, const char *function,
			 struct seq_file *m);
enum func_event_err func_event_btf_show_members(struct func_event_btf *btf, const char *path,
						struct seq_file *m, u16 *pos);
#else
static inline enum func_event_err
func_event_btf_get(const struct module *mod, const char *function,
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

static inline enum func_event_err func_event_btf_arg(struct func_event_btf *btf,
						     int nr,
						     struct fetch_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err
func_event_btf_return(struct func_event_btf *btf, struct fetch_field *field)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline enum func_event_err
func_event_btf_path(struct func_event_btf *btf, const char *path,
		    struct fetch_field *field, u16 *pos)
{
	return FUNC_EVENT_ERR_NO_BTF;
}

static inline void func_event_btf_show(struct func_event_btf *btf, const char *function,
				       struct seq_file *m)
{
}

static inline enum func_event_err
func_event_btf_show_members(struct func_event_btf *btf, const char *path,
			    struct seq_file *m, u16 *pos)
{
	return FUNC_EVENT_ERR_NO_BTF;
}
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of tracefs in which each line defines an event, see event_def.c.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_DEF_H
#define _EVENT_DEF_H

#include "event_fetch.h"
#include "event_text.h"

/**
 * struct event_def_ctx - a line of which an event is made, or several
 * @text: the line
 * @may_wait: the line may wait for its module, if there are such lines
 * @enable: the events are to be enabled in the top trace array
 * @is_named: the line was made of one with a pattern, by event_def_make_pattern()
 * @event: set to the event, if the line makes only one
 * @where: for error_log, instead of the name of the file; NULL or allocated
 * @err: the error, one of those of the file; 0 if there is none
 * @pos: position of the error in @text
 */
struct event_def_ctx {
	const char		*text;
	bool			may_wait;
	bool			enable;
	bool			is_named;
	struct fetch_event	*event;
	char			*where;
	int			err;
	u16			pos;
};

/* More are a mistake: tracing them all makes the machine slow. */
#define EVENT_DEF_MAX_MATCHES	1000

/**
 * struct event_def_matches - what a pattern matches
 * @text: the pattern, see lib/glob.c
 * @names: the names; event_def_add_match() adds one
 * @nr: number of @names
 */
struct event_def_matches {
	char		*text;
	char		**names;
	unsigned int	nr;
};

/**
 * struct event_def_file - a file in tracefs in which each line defines an event
 * @name: of the file
 * @letter: that a line with group or event name begins with
 * @group: of an event whose line has none
 * @max_text: maximum length of a line, in characters
 * @ops: of its kind of dynamic events
 * @make: makes the event of a line, or calls event_def_make_pattern(); with event_mutex
 *	held. Returns 0, or a negative errno, with an error in the context if error_log
 *	is to have it.
 * @match: adds what a pattern matches, in a module or, if that is NULL, everywhere
 * @remove: removes the events named by a line, without its leading "!"
 * @err_text: texts of the errors
 * @err_errno: what write() returns for each of them, without its sign
 * @err_too_long: the error that a line is too long; those below are errors, too
 * @err_group: the name of the group is too long
 * @err_event: the name of the event is too long
 * @err_exists: there is such an event
 * @err_too_many: more than EVENT_DEF_MAX_MATCHES match
 * @err_none: nothing matches
 * @err_module: a pattern of a module, which names of events do not tell
 */
struct event_def_file {
	const char			*name;
	char				letter;
	const char			*group;
	unsigned int			max_text;
	struct dyn_event_operations	*ops;
	int				(*make)(struct event_def_ctx *ctx);
	int				(*match)(struct event_def_matches *pattern,
						 const char *module);
	int				(*remove)(const char *text);
	const char * const		*err_text;
	const u8			*err_errno;
	u8				err_too_long;
	u8				err_group;
	u8				err_event;
	u8				err_exists;
	u8				err_too_many;
	u8				err_none;
	u8				err_module;
};

int event_def_fail(struct event_def_ctx *ctx, int err, u16 pos);
int event_def_log_error(const struct event_def_file *file,
			const struct event_def_ctx *ctx);
char *event_def_span_dup(const struct event_def_ctx *ctx, struct text_span span);
int event_def_set_names(const struct event_def_file *file, struct event_def_ctx *ctx,
			const struct event_def *def, struct fetch_event *event);
int event_def_add_match(struct event_def_matches *pattern, const char *name);
int event_def_make_pattern(const struct event_def_file *file, struct event_def_ctx *ctx,
			   const struct event_def *def);
int event_def_define(const struct event_def_file *file, const char *text, bool enable,
		     bool may_wait);
int event_def_create(const struct event_def_file *file, const char *text, bool enable);
void event_def_show(struct seq_file *m, const struct event_def_file *file,
		    struct fetch_event *event, bool names);
bool event_def_has_default_name(const struct event_def_file *file,
				struct fetch_event *event, const char *name);
int event_def_check_open(void);
int event_def_run_line(const struct event_def_file *file, const char *text);
ssize_t event_def_write(const struct event_def_file *file, struct file *filp,
			const char __user *ubuf, size_t count, loff_t *ppos,
			int (*run)(const char *text));
int event_def_remove_line(const struct event_def_file *file, const struct event_def_ctx *ctx,
			  const struct event_def *def, bool has_more);
void event_def_boot_lines(const struct event_def_file *file, char *lines);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Files of tracefs in which each line defines an event, or several with a pattern:
 * function_events and marker_events.
 *
 * event_mutex protects the events of all of these files.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "event_def.h"

/**
 * event_def_fail() - note an error of a line
 * @ctx: the line
 * @err: the error
 * @pos: its position in the line
 *
 * Return: -EINVAL; the errno of the error is that of its file.
 */
int event_def_fail(struct event_def_ctx *ctx, int err, u16 pos)
{
	ctx->err = err;
	ctx->pos = pos;
	return -EINVAL;
}

/**
 * event_def_log_error() - write the error of a line to error_log
 * @file: the file
 * @ctx: the line, after event_def_fail()
 *
 * Context: Process context. May sleep.
 * Return: the errno of the error, negative.
 */
int event_def_log_error(const struct event_def_file *file,
			const struct event_def_ctx *ctx)
{
	tracing_log_err(NULL, ctx->where ?: file->name, ctx->text,
			(const char **)file->err_text, ctx->err, ctx->pos);
	return -file->err_errno[ctx->err];
}

/**
 * event_def_span_dup() - copy a part of a line
 * @ctx: the line
 * @span: the part
 *
 * Return: the copy, NULL if the part is empty or there is no memory.
 */
char *event_def_span_dup(const struct event_def_ctx *ctx, struct text_span span)
{
	return span.len ?
		kstrndup(ctx->text + span.start, span.len, GFP_KERNEL) : NULL;
}

/**
 * event_def_set_names() - set the names of an event, and its definition
 * @file: the file
 * @ctx: the line
 * @def: the names
 * @event: the event
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int event_def_set_names(const struct event_def_file *file, struct event_def_ctx *ctx,
			const struct event_def *def, struct fetch_event *event)
{
	char *system __free(kfree) = NULL, *own __free(kfree) = NULL;
	struct text_span name = def->event.len ? def->event : def->name;

	own = event_def_span_dup(ctx, name);
	system = def->group.len ? event_def_span_dup(ctx, def->group) :
				  kstrdup(file->group, GFP_KERNEL);
	event->definition = kstrdup(ctx->text + def->definition, GFP_KERNEL);
	if (!system || !own || !event->definition)
		return -ENOMEM;
	event->definition[strcspn(event->definition, "#")] = '\0';
	strim(event->definition);
	sanitize_event_name(own);

	/* Group and event name become names of directories in tracefs. */
	if (def->group.len >= MAX_EVENT_NAME_LEN)
		return event_def_fail(ctx, file->err_group, def->group.start);
	if (name.len >= MAX_EVENT_NAME_LEN)
		return event_def_fail(ctx, file->err_event, name.start);
	if (trace_event_exists(system, own))
		return event_def_fail(ctx, file->err_exists, name.start);
	return trace_probe_init(&event->tp, own, system, false, 0);
}

static int event_def_enable(struct fetch_event *event, bool enable)
{
	struct trace_event_file *file;

	file = find_event_file(top_trace_array(), trace_probe_group_name(&event->tp),
			       trace_probe_name(&event->tp));
	return file ? trace_event_enable_disable(file, enable, 0) : -ENOENT;
}

/**
 * event_def_add_match() - add a name that the pattern matches
 * @pattern: the pattern
 * @name: the name, which is copied
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -E2BIG if there are too many names, -ENOMEM otherwise.
 */
int event_def_add_match(struct event_def_matches *pattern, const char *name)
{
	if (pattern->nr == EVENT_DEF_MAX_MATCHES)
		return -E2BIG;
	pattern->names[pattern->nr] = kstrdup(name, GFP_KERNEL);
	return pattern->names[pattern->nr++] ? 0 : -ENOMEM;
}

static int event_def_compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static int event_def_find_matches(const struct event_def_file *file, struct event_def_ctx *ctx,
				  const struct event_def *def,
				  struct event_def_matches *pattern)
{
	char *module __free(kfree) = event_def_span_dup(ctx, def->module);
	int ret;

	/* A name with "*" in it would match itself again and again. */
	if (ctx->is_named)
		return event_def_fail(ctx, file->err_none, def->name.start);
	pattern->text = event_def_span_dup(ctx, def->name);
	pattern->names = kvcalloc(EVENT_DEF_MAX_MATCHES, sizeof(*pattern->names),
				  GFP_KERNEL);
	if (!pattern->text || !pattern->names || (def->module.len && !module))
		return -ENOMEM;

	ret = file->match(pattern, module);
	if (ret == -E2BIG)
		return event_def_fail(ctx, file->err_too_many, def->name.start);
	if (ret)
		return ret;
	if (!pattern->nr)
		return event_def_fail(ctx, file->err_none, def->name.start);
	sort(pattern->names, pattern->nr, sizeof(*pattern->names),
	     event_def_compare_names, NULL);
	return 0;
}

/* Make the event of @name, which the pattern in @ctx matches; as file->make(). */
static int event_def_make_named(const struct event_def_file *file,
				const struct event_def_ctx *ctx,
				const struct event_def *def, const char *name,
				struct event_def_ctx *named)
{
	char *line __free(kfree) =
		kasprintf(GFP_KERNEL, "%.*s%s%s", def->name.start, ctx->text, name,
			  ctx->text + def->name.start + def->name.len);
	u16 start = def->name.start, end = start + def->name.len;
	int ret;

	*named = (struct event_def_ctx){ .text = line, .is_named = true };
	if (!line)
		return -ENOMEM;
	ret = file->make(named);
	kfree(named->where);

	/* Where in the line of the pattern is the error? */
	if (named->pos >= start + strlen(name))
		named->pos += end - start - strlen(name);
	else
		named->pos = min(named->pos, start);
	return ret;
}

/*
 * Names that can have no event are left out, and the kernel log says how many. If none can,
 * that is an error: the one of the first of them, which ctx->where names.
 */
static int event_def_make_matching(const struct event_def_file *file, struct event_def_ctx *ctx,
				   const struct event_def *def,
				   const struct event_def_matches *pattern)
{
	struct fetch_event **made __free(kfree) =
		kcalloc(pattern->nr, sizeof(*made), GFP_KERNEL);
	unsigned int nr_made = 0, nr_left = 0, nr_enabled = 0;
	struct event_def_ctx named, left = {};
	const char *left_name = NULL;
	int ret = 0;

	if (!made)
		return -ENOMEM;

	for (int i = 0; i < pattern->nr; i++) {
		/* Two of the same name make one event, or none. */
		if (i && !strcmp(pattern->names[i], pattern->names[i - 1]))
			continue;
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			goto undo;
		}
		ret = event_def_make_named(file, ctx, def, pattern->names[i], &named);
		if (ret && !named.err)
			goto undo;
		if (!ret) {
			made[nr_made++] = named.event;
		} else if (!nr_left++) {
			left = named;
			left_name = pattern->names[i];
		}
	}
	if (!nr_made) {
		ctx->where = kasprintf(GFP_KERNEL, "%s: %s", file->name, left_name);
		return event_def_fail(ctx, left.err, left.pos);
	}

	for (; ctx->enable && nr_enabled < nr_made; nr_enabled++) {
		ret = event_def_enable(made[nr_enabled], true);
		if (ret)
			goto undo;
	}
	if (nr_left)
		pr_info("%s: %s: %u events; %u left out, the first %s: %s\n",
			file->name, pattern->text, nr_made, nr_left, left_name,
			file->err_text[left.err]);
	return 0;

undo:
	for (int i = 0; i < nr_enabled; i++)
		event_def_enable(made[i], false);
	while (nr_made)
		file->ops->free(&made[--nr_made]->devent);
	/* Another event may get the type of one that has recorded, see dyn_event_release(). */
	if (nr_enabled)
		tracing_reset_all_online_cpus();
	return ret;
}

/**
 * event_def_make_pattern() - make an event for each name that a pattern matches
 * @file: the file
 * @ctx: the line
 * @def: the pattern
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise, and no event is left.
 */
int event_def_make_pattern(const struct event_def_file *file, struct event_def_ctx *ctx,
			   const struct event_def *def)
{
	struct event_def_matches pattern = {};
	int ret = event_def_find_matches(file, ctx, def, &pattern) ?:
		  event_def_make_matching(file, ctx, def, &pattern);

	for (int i = 0; i < pattern.nr; i++)
		kfree(pattern.names[i]);
	kvfree(pattern.names);
	kfree(pattern.text);
	return ret;
}

/**
 * event_def_define() - make the events of a line
 * @file: the file
 * @text: the line
 * @enable: enable the events in the top trace array
 * @may_wait: the line may wait for its module
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise; error_log has the error.
 */
int event_def_define(const struct event_def_file *file, const char *text, bool enable,
		     bool may_wait)
{
	struct event_def_ctx ctx = {
		.text = text, .enable = enable, .may_wait = may_wait,
	};
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = file->make(&ctx);
	if (!ret && ctx.event && enable) {
		ret = event_def_enable(ctx.event, true);
		if (ret)
			file->ops->free(&ctx.event->devent);
	}
	if (ctx.err)
		ret = event_def_log_error(file, &ctx);
	kfree(ctx.where);
	return ret;
}

/**
 * event_def_create() - make the events of a line that was written
 * @file: the file
 * @text: the line
 * @enable: enable the events in the top trace array
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise; error_log has the error.
 */
int event_def_create(const struct event_def_file *file, const char *text, bool enable)
{
	guard(mutex)(&event_mutex);
	return event_def_define(file, text, enable, true);
}

/**
 * event_def_show() - write a line that makes an event
 * @m: where to
 * @file: the file
 * @event: the event
 * @names: with group and event name
 */
void event_def_show(struct seq_file *m, const struct event_def_file *file,
		    struct fetch_event *event, bool names)
{
	if (names)
		seq_printf(m, "%c:%s/%s ", file->letter,
			   trace_probe_group_name(&event->tp),
			   trace_probe_name(&event->tp));
	seq_puts(m, event->definition);
}

/**
 * event_def_has_default_name() - check whether the definition alone makes the same event
 * @file: the file
 * @event: the event
 * @name: what an event without a name is called
 *
 * Return: true if it does, false if it needs group and event name.
 */
bool event_def_has_default_name(const struct event_def_file *file,
				struct fetch_event *event, const char *name)
{
	return !strcmp(trace_probe_group_name(&event->tp), file->group) &&
	       !strcmp(trace_probe_name(&event->tp), name) &&
	       !text_has_prefix(event->definition, file->letter);
}

/**
 * event_def_check_open() - check whether a file in tracefs may be opened
 *
 * Return: 0 on success, a negative errno otherwise.
 */
int event_def_check_open(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?:
		tracing_check_open_get_tr(NULL);
}

/* Before the definition of an event that is to be enabled at once. */
#define EVENT_DEF_ENABLE	'+'

static const char *event_def_skip_enable(const char *text)
{
	return *text == EVENT_DEF_ENABLE ? skip_spaces(text + 1) : text;
}

/**
 * event_def_run_line() - process a line that was written to a file
 * @file: the file
 * @text: the line: a definition, which is enabled after "+", or "!" or "-:" and the
 *	event to remove
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int event_def_run_line(const struct event_def_file *file, const char *text)
{
	text = skip_spaces(text);
	if (!*text)
		return 0;
	if (*text == '!')
		return file->remove(event_def_skip_enable(skip_spaces(text + 1)));
	if (*text == '-')
		return dyn_event_release(text, file->ops);
	return event_def_create(file, event_def_skip_enable(text), *text == EVENT_DEF_ENABLE);
}

/**
 * event_def_write() - common part of write() of a file
 * @file: the file
 * @filp: as passed to write()
 * @ubuf: as passed to write()
 * @count: as passed to write()
 * @ppos: as passed to write()
 * @run: called with each line
 *
 * Context: Process context. May sleep.
 * Return: @count on success, a negative errno otherwise.
 */
ssize_t event_def_write(const struct event_def_file *file, struct file *filp,
			const char __user *ubuf, size_t count, loff_t *ppos,
			int (*run)(const char *text))
{
	/* trace_parse_run_command() reports this in the kernel log only. */
	if (count > file->max_text) {
		char *line __free(kfree) =
			memdup_user_nul(ubuf, file->max_text + 1);

		if (IS_ERR(line))
			return PTR_ERR(no_free_ptr(line));

		if (!strchr(line, '\n')) {
			const struct event_def_ctx ctx = {
				.text = line, .err = file->err_too_long,
				.pos = file->max_text,
			};

			line[file->max_text] = '\0';
			return event_def_log_error(file, &ctx);
		}
	}
	return trace_parse_run_command(filp, ubuf, count, ppos, run);
}

/*
 * Remove events of @group, or of any if it is empty. @name may be a pattern; dots, as in the
 * names of functions cloned by the compiler, are replaced by underscores.
 */
static int event_def_remove_named(const struct event_def_file *file, const char *group,
				  int group_len, const char *name, int name_len)
{
	char *command __free(kfree) =
		kasprintf(GFP_KERNEL, "-:%.*s%s%.*s", group_len, group,
			  group_len ? "/" : "", name_len, name);

	if (!command)
		return -ENOMEM;
	strreplace(command + 2 + group_len, '.', '_');
	return dyn_event_release(command, file->ops);
}

/**
 * event_def_remove_line() - remove events
 * @file: their file
 * @ctx: "name", "group/name", or a line as it is read, after the attempt to parse it
 * @def: names of the line, if it was parsed without an error
 * @has_more: the line has more than names
 *
 * A name without a group matches any group, as with "-:"; a line matches the event that
 * it would create.
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int event_def_remove_line(const struct event_def_file *file, const struct event_def_ctx *ctx,
			  const struct event_def *def, bool has_more)
{
	const struct event_def_ctx no_module = {
		.text = ctx->text, .err = file->err_module, .pos = def->module.start,
	};
	const char *text = ctx->text, *group = "";
	struct text_span name;
	int group_len = 0;

	/*
	 * A definition with a syntax error must not be passed to
	 * dyn_event_release(), which would take its first word for a name.
	 */
	if (ctx->err)
		return *skip_spaces(text + strcspn(text, " \t(|")) ?
		       event_def_log_error(file, ctx) :
		       event_def_remove_named(file, "", 0, text, strlen(text));

	/* Nothing of an event's name tells its module. */
	if (def->is_pattern && def->module.len)
		return event_def_log_error(file, &no_module);

	name = def->event.len ? def->event : def->name;
	if (def->group.len) {
		group = text + def->group.start;
		group_len = def->group.len;
	} else if (has_more || def->module.len) {
		group = file->group;
		group_len = strlen(group);
	}
	return event_def_remove_named(file, group, group_len, text + name.start,
				      name.len);
}

/**
 * event_def_boot_lines() - create the events of a kernel parameter, and enable them
 * @file: the file of the parameter
 * @lines: lines separated by semicolons; modified
 *
 * Context: Process context. May sleep.
 */
void __init event_def_boot_lines(const struct event_def_file *file, char *lines)
{
	char *line;
	int ret;

	/* Tracing is locked down, or the trace array was not allocated. */
	if (!top_trace_array())
		return;

	while ((line = strsep(&lines, ";"))) {
		/* Comments, as in trace_parse_run_command(). */
		line[strcspn(line, "#")] = '\0';
		if (!*skip_spaces(line))
			continue;

		ret = event_def_create(file, event_def_skip_enable(skip_spaces(line)), true);
		if (ret)
			pr_warn("%s: cannot add \"%s\": %d\n", file->name, line,
				ret);
	}
}

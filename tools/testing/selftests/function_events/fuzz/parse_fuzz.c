// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of function events under libFuzzer: the kernel's source, in user space.
 *
 * What is checked, besides what the sanitizers do: that an error is at a position in
 * the text, that a definition refers to the text only and has no values outside their
 * limits, and that the definition which function_events shows of it when it is read
 * says the same when it is written again.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdio.h>
#include <stdlib.h>

#include "func_event_parse.h"
#include "../../kselftest/parse_fuzz.h"

static void check_field(const char *text, const struct func_event_def *def,
			const struct func_event_field_def *field)
{
	check_span(text, field->name);
	check_span(text, field->from);
	CHECK(field->at <= strlen(text));
	CHECK(field->arg < FUNC_EVENT_MAX_ARGS);
	CHECK(field->type || field->source == FUNC_EVENT_MEMBER ||
	      (field->source == FUNC_EVENT_RETURN && def->at_return));
	CHECK(!field->type || field->type->size);
	CHECK(!field->count || !fetch_is_string(field->type));
	CHECK((field->source == FUNC_EVENT_MEMBER ||
	       field->source == FUNC_EVENT_SYMBOL_ADDRESS) == !!field->from.len);
}

static void check_def(const char *text, const struct func_event_def *def)
{
	check_span(text, def->base.group);
	check_span(text, def->base.event);
	check_span(text, def->base.module);
	check_span(text, def->declared);
	check_span(text, def->base.name);
	CHECK(def->base.name.len);
	CHECK(def->base.definition <= def->base.name.start);
	CHECK(def->nr_args <= FUNC_EVENT_MAX_ARGS);
	CHECK(def->nr_entry <= def->nr_fields && def->nr_fields <= FETCH_MAX_FIELDS);
	CHECK(def->at_return || def->nr_entry == def->nr_fields);
	CHECK(def->has_args || !def->nr_entry);

	for (int i = 0; i < def->nr_args; i++)
		CHECK(def->arg_at[i] < strlen(text));
	for (int i = 0; i < def->nr_fields; i++)
		check_field(text, def, &def->fields[i]);
}

static bool same_field(const char *a_text, const struct func_event_field_def *a,
		       const char *b_text, const struct func_event_field_def *b)
{
	return same_span(a_text, a->name, b_text, b->name) &&
		same_span(a_text, a->from, b_text, b->from) &&
		a->type == b->type && a->count == b->count && a->source == b->source &&
		a->arg == b->arg && a->has_index == b->has_index && a->offset == b->offset &&
		a->index == b->index && a->address == b->address;
}

/* A line as it is shown, without names where these are not needed. */
static char *show(const char *text, const struct func_event_def *def, bool names)
{
	const char *prototype = text + def->base.definition;
	struct text_span event = def->base.event.len ? def->base.event : def->base.name;
	char *line;
	int len;

	if (!names)
		return strdup(prototype);
	len = asprintf(&line, "c:%.*s/%.*s %s", def->base.group.len ? def->base.group.len : 1,
		       def->base.group.len ? text + def->base.group.start : "g",
		       event.len, text + event.start, prototype);
	return len < 0 ? NULL : line;
}

static void check_shown(const char *text, const struct func_event_def *def, bool names)
{
	static struct func_event_def again;
	char *line = show(text, def, names);
	u16 pos;

	if (!line)
		return;

	/* Names that were not written may be what is too much. */
	if (strlen(line) <= FUNC_EVENT_MAX_TEXT) {
		CHECK(!func_event_parse(line, &again, &pos));
		CHECK(same_span(text, def->base.module, line, again.base.module));
		CHECK(same_span(text, def->declared, line, again.declared));
		CHECK(same_span(text, def->base.name, line, again.base.name));
		CHECK(def->has_args == again.has_args && def->nr_args == again.nr_args &&
		      def->at_return == again.at_return && def->nr_entry == again.nr_entry &&
		      def->nr_fields == again.nr_fields);
		for (int i = 0; i < def->nr_fields; i++)
			CHECK(same_field(text, &def->fields[i], line, &again.fields[i]));
	}
	free(line);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* All that is not set by the parser is not to be looked at. */
	static struct func_event_def def;
	const struct fetch_type *type;
	enum func_event_err err;
	u16 pos = 0xffff;
	char *text;

	/* To the byte, for the sanitizer to notice what is read behind it. */
	text = malloc(size + 1);
	if (!text)
		return 0;

	memcpy(text, data, size);
	text[size] = '\0';
	memset(&def, 0xff, sizeof(def));

	err = func_event_parse(text, &def, &pos);
	if (err) {
		CHECK(pos <= strlen(text));
	} else {
		check_def(text, &def);
		/*
		 * A name with a dot is not one of an event without being changed, and the
		 * events of a pattern are shown with the names of their functions.
		 */
		if (!def.base.is_pattern &&
		    (def.base.event.len ||
		     !memchr(text + def.base.name.start, '.', def.base.name.len)))
			check_shown(text, &def, true);
		if (!text_has_prefix(text + def.base.definition, FUNC_EVENT_PREFIX))
			check_shown(text, &def, false);
	}

	/* A type on its own, as the metadata of system calls have them. */
	type = func_event_parse_c_type(text);
	CHECK(!type || type->size);
	free(text);
	return 0;
}

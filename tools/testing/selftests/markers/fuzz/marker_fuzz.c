// SPDX-License-Identifier: GPL-2.0
/*
 * The parsers of marker formats and of lines in marker_events under libFuzzer: the
 * kernel's source, in user space.
 *
 * What is checked, besides what the sanitizers do: that an error is at a position in the
 * text, that what is found refers to the text only and has no values outside their
 * limits, and that a definition which is shown says the same when it is written again.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <stdlib.h>

#include "marker_parse.h"
#include "../../kselftest/parse_fuzz.h"

static void check_format(const char *text, const struct marker_format *format)
{
	size_t end = 0;

	CHECK(format->nr_args <= FETCH_MAX_FIELDS);
	CHECK(format->nr_slots <= FETCH_MAX_FIELDS && format->nr_slots >= format->nr_args);
	CHECK(!(format->wide & ~((1ULL << format->nr_slots) - 1)));

	for (int i = 0; i < format->nr_args; i++) {
		const struct marker_arg *arg = &format->args[i];

		check_span(text, arg->spec);
		check_span(text, arg->name);
		CHECK(arg->spec.start >= end);
		CHECK(arg->spec.len && arg->spec.len <= MARKER_MAX_SPEC);
		CHECK(text[arg->spec.start] == '%');
		CHECK(arg->name.start + arg->name.len <= arg->spec.start);
		CHECK(arg->slot < format->nr_slots && (!arg->limited || arg->slot));
		CHECK(arg->type && arg->type->size);
		CHECK(!arg->count || (arg->read && !fetch_is_string(arg->type)));
		CHECK(arg->read || !fetch_is_string(arg->type));
		end = arg->spec.start + arg->spec.len;
	}
}

/* The line without names is what marker_events shows of an event with the usual ones. */
static void check_shown(const char *text, const struct marker_def *def)
{
	const char *line = text + def->base.definition;
	static struct marker_def again;
	u16 pos;

	CHECK(!marker_parse_event(line, &again, &pos));
	CHECK(def->nr_names == again.nr_names && def->has_fields == again.has_fields &&
	      def->nr_fields == again.nr_fields);
	CHECK(same_span(text, def->base.module, line, again.base.module));
	for (int i = 0; i < def->nr_names; i++)
		CHECK(same_span(text, def->names[i], line, again.names[i]));
	for (int i = 0; i < def->nr_fields; i++)
		CHECK(same_span(text, def->fields[i], line, again.fields[i]));
}

static void check_def(const char *text, const struct marker_def *def)
{
	check_span(text, def->base.group);
	check_span(text, def->base.event);
	check_span(text, def->base.module);
	CHECK(def->nr_names && def->nr_names <= MARKER_EVENT_MAX_NAMES);
	CHECK(def->nr_fields <= FETCH_MAX_FIELDS);
	CHECK(def->has_fields || !def->nr_fields);
	CHECK(def->base.definition <= def->names[0].start);
	for (int i = 0; i < def->nr_names; i++) {
		check_span(text, def->names[i]);
		CHECK(def->names[i].len);
	}
	for (int i = 0; i < def->nr_fields; i++)
		check_span(text, def->fields[i]);
	if (!text_has_prefix(text + def->base.definition, MARKER_EVENT_PREFIX))
		check_shown(text, def);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* All that is not set by the parsers is not to be looked at. */
	static struct marker_format format;
	static struct marker_def def;
	u16 pos = 0xffff;
	char *text;

	/* To the byte, for the sanitizer to notice what is read behind it. */
	text = malloc(size + 1);
	if (!text)
		return 0;

	memcpy(text, data, size);
	text[size] = '\0';
	memset(&format, 0xff, sizeof(format));
	memset(&def, 0xff, sizeof(def));

	if (marker_parse_event(text, &def, &pos))
		CHECK(pos <= strlen(text));
	else
		check_def(text, &def);

	pos = 0xffff;
	if (marker_parse_format(text, &format, &pos))
		CHECK(pos <= strlen(text));
	else
		check_format(text, &format);
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options that say which events of a trace are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "filter.h"

/* Options without a letter. */
enum {
	OPTION_MODULE = 512,
	OPTION_THREAD,
	OPTION_PROCESS,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What is shown, each several times if need be:", 1 },
	{ "function", 'F', "NAME", 0, "Only this function and what it calls; wildcards", 1 },
	{ "no-function", 'N', "NAME", 0, "Not this function, nor what it calls; wildcards", 1 },
	{ "module", OPTION_MODULE, "FILE", 0, "Only functions of this program or library", 1 },
	{ "thread", OPTION_THREAD, "NAME", 0, "Only threads of this name or number", 1 },
	{ "process", OPTION_PROCESS, "NAME", 0, "Only processes of this name or number", 1 },
	{ NULL, 0, NULL, 0, "And once:", 2 },
	{ "depth", 'D', "DEPTH", 0, "No calls that are deeper than this", 2 },
	{ "min-time", 't', "TIME", 0, "No calls that are shorter than this: 10us, 2ms", 2 },
	{ "time-range", 'r', "FROM~TO", 0,
	  "Only from a time to another: as replay shows them, or with a unit since the first event",
	  2 },
	{ }
};

static void parse_end(const char *text, struct filter_time *time, struct argp_state *state)
{
	bool unit;

	if (!*text)
		return;
	if (!parse_time(text, &time->ns, &unit))
		argp_error(state, "\"%s\" is not a time", text);
	time->elapsed = unit;
	time->given = true;
}

static void parse_range(const char *text, struct filter *filter, struct argp_state *state)
{
	char *copy = xstrdup(text), *to = strchr(copy, '~');

	if (!to || !strcmp(copy, "~"))
		argp_error(state, "-r %s: a range is FROM~TO, FROM~ or ~TO", text);
	*to++ = 0;
	parse_end(copy, &filter->from, state);
	parse_end(to, &filter->to, state);
	free(copy);
	if (filter->from.given && filter->to.given && filter->from.elapsed == filter->to.elapsed &&
	    filter->from.ns > filter->to.ns)
		argp_error(state, "-r %s: the range ends before it begins", text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct filter *filter = state->input;
	unsigned long depth;
	char *end;

	switch (key) {
	case 'F':
		patterns_add(&filter->only, argument);
		break;
	case 'N':
		patterns_add(&filter->without, argument);
		break;
	case OPTION_MODULE:
		patterns_add(&filter->modules, argument);
		break;
	case OPTION_THREAD:
		patterns_add(&filter->threads, argument);
		break;
	case OPTION_PROCESS:
		patterns_add(&filter->processes, argument);
		break;
	case 'D':
		depth = strtoul(argument, &end, 10);
		if (end == argument || *end || !depth || depth > UINT32_MAX)
			argp_error(state, "-D %s is not a depth", argument);
		filter->depth = depth;
		break;
	case 't':
		if (!parse_duration(argument, &filter->hold.ns))
			argp_error(state, "-t %s is not a time with a unit, such as 10us",
				   argument);
		break;
	case 'r':
		parse_range(argument, filter, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp filter_argp = {
	.options = options,
	.parser = parse,
};

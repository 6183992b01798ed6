// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace info: what a recording is of, and how much of it there is.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "about.h"
#include "command.h"
#include "directory.h"
#include "trace.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
	const char **directory = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "one recording at a time");
		*directory = argument;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void put_about(struct out *out, const char *directory)
{
	char *path = xasprintf("%s/" ABOUT_FILE, directory), *line, *rest, *text;
	char *word;

	text = read_file(path, NULL);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		size_t len = strcspn(line, " ");

		if (!*line)
			continue;
		word = xasprintf("%-10.*s ", (int)len, line);
		out_clean(out, word);
		free(word);
		out_clean(out, line + len + !!line[len]);
		out_printf(out, "\n");
	}
	free(text);
	free(path);
}

int command_info(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[RECORDING]",
		.doc = "Show what was recorded, where and when, and how much there is of it.",
	};
	const char *directory = DEFAULT_DIRECTORY;
	struct raw_summary summary;
	struct out *out;

	argp_parse(&argp, argc, argv, 0, NULL, &directory);
	if (!directory_has_records(directory) && !directory_has_kernel(directory))
		die("%s is not a recording", directory);
	summary = raw_summarise(directory);
	out = out_open("-");
	put_about(out, directory);
	out_printf(out, "%-10s %" PRIu64 "\n", "threads", summary.threads);
	out_printf(out, "%-10s %" PRIu64 "\n", "records", summary.records);
	out_printf(out, "%-10s %" PRIu64 " calls\n", "lost", summary.lost);
	if (directory_has_kernel(directory))
		out_printf(out, "and a trace of the kernel\n");
	return out_close(out) ? 1 : 0;
}

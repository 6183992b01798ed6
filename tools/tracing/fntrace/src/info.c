// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace info: what a recording is of, and how much of it there is.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <fntrace_format.h>

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

static const char *arch_name(uint32_t arch)
{
	switch (arch) {
	case FNTRACE_ARCH_X86_64:
		return "x86_64";
	case FNTRACE_ARCH_ARM64:
		return "arm64";
	case FNTRACE_ARCH_RISCV64:
		return "riscv64";
	default:
		return "unknown";
	}
}

static void put_summary(struct out *out, const struct raw_summary *summary)
{
	if (summary->arch)
		out_printf(out, "%-10s %s\n", "machine", arch_name(summary->arch));
	if (summary->counter_hz)
		out_printf(out, "%-10s %.6f MHz\n", "counter", summary->counter_hz / 1e6);
	out_printf(out, "%-10s %" PRIu64 "\n", "threads", summary->threads);
	out_printf(out, "%-10s %" PRIu64 "%s\n", "records", summary->records,
		   summary->entries_only ? ", of entries only" : "");
	out_printf(out, "%-10s %" PRIu64 " calls", "lost", summary->lost);
	if (summary->too_deep)
		out_printf(out, ", %" PRIu64 " of them too deep", summary->too_deep);
	out_printf(out, "\n");
}

static void put_recording(struct out *out, const char *directory)
{
	const struct raw_summary summary = raw_summarise(directory, 0);
	char **paths;
	int i, nr;

	put_about(out, directory);
	put_summary(out, &summary);
	if (directory_has_kernel(directory))
		out_printf(out, "and a trace of the kernel\n");
	nr = directory_machines(directory, &paths);
	for (i = 0; i < nr; i++) {
		out_printf(out, "\nand, sent by ");
		out_clean(out, strrchr(paths[i], '/') + 1);
		out_printf(out, ":\n");
		put_recording(out, paths[i]);
		free(paths[i]);
	}
	if (nr)
		free(paths);
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
	out = out_open("-");
	if (directory_has_records(directory) || directory_has_kernel(directory) ||
	    directory_has_machines(directory)) {
		put_recording(out, directory);
	} else {
		/* A file of buffers. */
		summary = raw_summarise_dump(directory);
		if (!summary.threads)
			die("%s is not a recording", directory);
		put_summary(out, &summary);
	}
	return out_close(out) ? 1 : 0;
}

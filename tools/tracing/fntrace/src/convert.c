// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace convert, replay, flame: write a trace for another program, as a listing, or as a
 * flame graph.
 */
#include <string.h>

#include "command.h"
#include "input.h"

static const struct writer *const writers[] = {
	&uftrace_writer, &chrome_writer, &perfetto_writer, &flame_writer, &list_writer,
};

/*
 * struct convert - what the command line says
 * @input: where the trace is
 * @writer: of the format; NULL: none was given yet
 * @path: of the output; NULL: none was given
 */
struct convert {
	struct input		input;
	const struct writer	*writer;
	const char		*path;
};

static const struct argp_option convert_options[] = {
	{ "format", 'f', "FORMAT", 0, "uftrace, chrome, perfetto, flame or list", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write to FILE, which is a directory for uftrace; the default is standard output", 0 },
	{ }
};

/* Options without a letter. */
enum {
	OPTION_ELAPSED = 256,
};

static const struct argp_option replay_options[] = {
	{ "elapsed", OPTION_ELAPSED, NULL, 0, "Show times since the first event", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE; the default is standard output", 0 },
	{ }
};

#define FLAME_FILE	"flame.svg"

static const struct argp_option flame_options[] = {
	{ "output", 'o', "FILE", 0,
	  "Write to FILE; the default is " FLAME_FILE ", \"-\" is standard output", 0 },
	{ }
};

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 0 },
	{ }
};

static const struct writer *find_writer(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(writers); i++)
		if (!strcmp(writers[i]->name, name))
			return writers[i];
	return NULL;
}

static void check(struct convert *convert, struct argp_state *state)
{
	if (!convert->writer)
		argp_error(state, "which format? -f is missing");
	if (!convert->path && convert->writer == &uftrace_writer)
		argp_error(state, "-o is missing: the uftrace format is a directory");
	if (!convert->path)
		convert->path = "-";
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct convert *convert = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &convert->input;
		break;
	case 'f':
		convert->writer = find_writer(argument);
		if (!convert->writer)
			argp_error(state, "there is no format \"%s\"", argument);
		break;
	case 'o':
		convert->path = argument;
		break;
	case OPTION_ELAPSED:
		list_elapsed = true;
		break;
	case ARGP_KEY_END:
		check(convert, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int convert_inputs(const struct argp *argp, int argc, char **argv,
			  struct convert *convert)
{
	argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, convert);
	if (input_is(convert->path))
		die("%s is an input; not writing to it", convert->path);
	return input_write(&convert->input, convert->writer, convert->path);
}

int command_convert(int argc, char **argv)
{
	static const struct argp argp = {
		.options = convert_options,
		.parser = parse,
		.args_doc = "[INPUT...]",
		.doc = "Merge traces into one, and write it for another program.",
		.children = children,
	};
	struct convert convert = { };

	return convert_inputs(&argp, argc, argv, &convert);
}

int command_replay(int argc, char **argv)
{
	static const struct argp argp = {
		.options = replay_options,
		.parser = parse,
		.args_doc = "[INPUT...]",
		.doc = "List the calls in the order of time.",
		.children = children,
	};
	struct convert convert = { .writer = &list_writer };

	return convert_inputs(&argp, argc, argv, &convert);
}

int command_flame(int argc, char **argv)
{
	static const struct argp argp = {
		.options = flame_options,
		.parser = parse,
		.args_doc = "[INPUT...]",
		.doc = "Draw a flame graph: where the time went, as an SVG file for a browser.",
		.children = children,
	};
	struct convert convert = { .writer = &flame_writer, .path = FLAME_FILE };

	return convert_inputs(&argp, argc, argv, &convert);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace graph: who called whom, how often and how long.
 */
#include "command.h"
#include "graph.h"
#include "input.h"

/* Options without a letter. */
enum {
	OPTION_CALLERS = 256,
	OPTION_THREADS,
};

static const struct argp_option options[] = {
	{ "callers", OPTION_CALLERS, "FUNCTION", 0,
	  "Show who called this function, or a pattern; can be repeated", 0 },
	{ "threads", OPTION_THREADS, NULL, 0, "Tell threads apart by their names", 0 },
	{ }
};

static const struct argp_child children[] = {
	{ &input_argp, 0, NULL, 0 },
	{ }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct input *input = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = input;
		break;
	case OPTION_CALLERS:
		patterns_add(&graph_callers, argument);
		break;
	case OPTION_THREADS:
		graph_threads = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int command_graph(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[INPUT...]",
		.doc = "Show who called whom, how often and how long, summed over the whole trace.",
		.children = children,
	};
	struct input input = { };

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &input);
	return input_write(&input, &graph_writer, "-");
}

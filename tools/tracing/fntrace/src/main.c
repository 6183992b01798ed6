// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace: record, show and convert traces of function calls.
 */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "trace.h"

static const struct command commands[] = {
	{ "record", "run a program and record its function calls", command_record },
	{ "receive", "write down what another machine sends while it records", command_receive },
	{ "control", "start, stop or dump the recording of a program that runs",
	  command_control },
	{ "replay", "list the calls in the order of time", command_replay },
	{ "report", "show how often functions were called, and how long they took",
	  command_report },
	{ "graph", "show who called whom", command_graph },
	{ "flame", "draw a flame graph", command_flame },
	{ "convert", "write a trace for another program", command_convert },
	{ "info", "show what a recording is of", command_info },
};

bool restore_file_limit;

const char *argp_program_version = "fntrace " VERSION;

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static void print_help(void)
{
	size_t i;

	printf("usage: fntrace COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].help);
	printf("\n\"fntrace COMMAND --help\" lists the options of a command.\n");
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char *name = xasprintf("fntrace %s", command->name);
	int status;

	argv[0] = name;
	status = command->run(argc, argv);
	free(name);
	return status;
}

int main(int argc, char **argv)
{
	const struct command *command;
	const char *word = argc > 1 ? argv[1] : NULL;

	/* A file that gets too large (ulimit -f) is an error of write(). */
	restore_file_limit = signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
	argp_err_exit_status = 2;
	if (!word) {
		warn("no command is given; \"fntrace --help\" lists them");
		return 2;
	}
	if (!strcmp(word, "-V") || !strcmp(word, "--version")) {
		printf("%s\n", argp_program_version);
		return 0;
	}
	if (!strcmp(word, "-h") || !strcmp(word, "-?") || !strcmp(word, "--help") ||
	    (!strcmp(word, "help") && argc == 2)) {
		print_help();
		return 0;
	}
	if (!strcmp(word, "help")) {
		word = argv[2];
		argv[2] = xstrdup("--help");
	}
	command = find_command(word);
	if (!command) {
		warn("there is no command \"%s\"; \"fntrace --help\" lists them", word);
		return 2;
	}
	return run_command(command, argc - 1, argv + 1);
}

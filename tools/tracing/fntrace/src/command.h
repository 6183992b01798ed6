/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands of fntrace.
 */
#ifndef FNTRACE_COMMAND_H
#define FNTRACE_COMMAND_H

#include <stdbool.h>

/*
 * struct command - what "fntrace NAME ..." does
 * @name: of the command
 * @help: one line for "fntrace --help"
 * @run: does it; argv[0] is "fntrace NAME". Returns the exit status.
 */
struct command {
	const char	*name;
	const char	*help;
	int		(*run)(int argc, char **argv);
};

int command_record(int argc, char **argv);
int command_receive(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_control(int argc, char **argv);
int command_info(int argc, char **argv);
int command_report(int argc, char **argv);
int command_graph(int argc, char **argv);
int command_flame(int argc, char **argv);

/* SIGXFSZ was not ignored when fntrace began; it is while fntrace runs. */
extern bool restore_file_limit;

/* Where "record" puts a recording, and where the other commands look for one. */
#define DEFAULT_DIRECTORY	"fntrace.data"

#endif /* FNTRACE_COMMAND_H */

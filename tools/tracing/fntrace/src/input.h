/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands that read a trace have in common: inputs, and what becomes of them.
 */
#ifndef FNTRACE_INPUT_H
#define FNTRACE_INPUT_H

#include <argp.h>

#include "filter.h"
#include "trace.h"

/*
 * struct input - the inputs of a command
 * @trace: in which they are opened
 * @machine: of the next one
 * @image: ELF file of the kernel whose buffers come next; NULL: none
 * @offset: where that kernel ran minus where @image has it, if @moved
 * @moved: false: the recording says it
 * @filter: what of them is shown
 * @progress: show a progress line even if standard error is no terminal
 */
struct input {
	struct trace	*trace;
	struct machine	*machine;
	const char	*image;
	uint64_t	offset;
	bool		moved;
	struct filter	filter;
	bool		progress;
};

/*
 * input_argp - the options and arguments that name inputs and filters; a child of a command's own
 *
 * The input of the parser is a struct input, to be initialised to zeros. It must be parsed
 * with ARGP_IN_ORDER, as an option is about the arguments behind it.
 */
extern const struct argp input_argp;

/*
 * input_open() - open one more input
 *
 * If it cannot be read, the user is told, and fntrace ends.
 */
void input_open(struct input *input, const char *path);

/*
 * input_is() - was this file or directory given as an input?
 */
bool input_is(const char *path);

/*
 * input_write() - read all inputs, write them, and report what is wrong with them
 * @path: what is written, for @writer; "-" is standard output
 *
 * Return: the exit status of the command.
 */
int input_write(struct input *input, const struct writer *writer, const char *path);

#endif /* FNTRACE_INPUT_H */

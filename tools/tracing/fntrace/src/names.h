/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that a recording has of the files that were traced.
 *
 * "N.names" in the directory of a recording is what the Nth file had when the recording
 * ended, so that the names of functions do not depend on what becomes of that file:
 *
 *	path PATH
 *	build-id HEX			of the file, if it has one
 *	stripped			if the file has no symbols but those that others need
 *	segment OFFSET SIZE ADDRESS	for each part of the file that is executed
 *	ADDRESS SIZE NAME		for each function, by address
 *	end
 *
 * Numbers are hexadecimal; names are as the linker has them.
 */
#ifndef FNTRACE_NAMES_H
#define FNTRACE_NAMES_H

#include "trace.h"

/* What follows the number in the name of such a file. */
#define NAMES_SUFFIX	".names"

/*
 * names_save() - write the symbols of all files with traced functions that were mapped
 * @directory: of a recording
 *
 * Return: 0 or an errno; a message was printed.
 */
int names_save(const char *directory);

/*
 * names_open() - read one such file
 *
 * A file without its end is left out, with a warning.
 */
void names_open(struct trace *trace, const char *path, const char *directory);

#endif /* FNTRACE_NAMES_H */

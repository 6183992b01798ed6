/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FNTRACE_MAIN_H
#define FNTRACE_MAIN_H

#include "trace.h"

/*
 * usage_error() - a message, how it is used, and exit with status 2
 * @format: of the message, for @what; NULL for help that was asked for
 */
void usage_error(const char *format, const char *what);

/*
 * convert() - write all of a trace, and report what is wrong with it
 *
 * Return: 0 or an errno; a message was printed.
 */
int convert(struct trace *trace, const struct writer *writer, const struct options *options);

/* SIGXFSZ was not ignored when fntrace began; it is while fntrace runs. */
extern bool restore_file_limit;

int do_record(int argc, char **argv);

#endif /* FNTRACE_MAIN_H */

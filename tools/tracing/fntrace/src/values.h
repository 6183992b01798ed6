/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of arguments in a recording, as they were stored, and as they are shown.
 */
#ifndef FNTRACE_VALUES_H
#define FNTRACE_VALUES_H

#include "trace.h"

/* The name that stands for arguments of which nothing is known. */
#define VALUES_MORE	"..."

/*
 * values_open() - read how the values of a recording are shown
 * @path: of its file "values"; describe.h has the format
 *
 * Return: never NULL; freed by trace_close(). If the file cannot be read, or is damaged,
 * that is told when a value is to be shown, and none is.
 */
struct description *values_open(struct trace *trace, const char *path);

/*
 * values_decode() - the values of a call
 * @data: as libfntrace.so stored them
 * @size: in bytes; there may be up to FNTRACE_DATA_BYTES more than was stored
 * @exit: they are of an exit
 *
 * Return: to be freed with values_free(); NULL if there is no description of them
 */
struct values *values_decode(struct description *description, const uint8_t *data,
			     size_t size, bool exit);

struct values *values_copy(const struct values *values);
void values_free(struct values *values);

/* Of trace_close(). */
void values_close(struct trace *trace);

#endif /* FNTRACE_VALUES_H */

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of arguments, for programs of Linux.
 */
#ifndef FNTRACE_LINUX_VALUES_H
#define FNTRACE_LINUX_VALUES_H

#include <stdbool.h>

/**
 * values_begin() - record the values that "fntrace record" asks for
 * @directory: of the recording, with a slash at the end
 *
 * Reads its file "values" (src/describe.h has its format), and takes what is in it about the
 * program and the libraries that are loaded by now.
 *
 * Context: before anything is traced.
 * Return: false with errno if that failed.
 */
bool values_begin(const char *directory) __attribute__((visibility("hidden")));

/**
 * values_recorded() - are values of any function recorded?
 */
__attribute__((visibility("hidden"))) bool values_recorded(void);

#endif /* FNTRACE_LINUX_VALUES_H */

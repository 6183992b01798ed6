/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wildcard patterns, for code that runs in the middle of any function of the program.
 */
#ifndef FNTRACE_LINUX_GLOB_H
#define FNTRACE_LINUX_GLOB_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * glob_matches() - does a pattern match all of a name?
 * @pattern: see glob(7); without classes of characters ([[:alpha:]])
 * @name: the name
 *
 * Answers as fnmatch(3) without flags does in the C locale, but needs neither vector
 * registers nor a locale.
 */
bool glob_matches(const char *pattern, const char *name);

#pragma GCC visibility pop

#endif /* FNTRACE_LINUX_GLOB_H */

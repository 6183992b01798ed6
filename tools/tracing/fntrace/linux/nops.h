/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that begin with no-ops, in the place of a call of the hook.
 */
#ifndef FNTRACE_LINUX_NOPS_H
#define FNTRACE_LINUX_NOPS_H

#include <link.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * nops_patch() - have them call the hook, in all that is loaded
 * @failed: is called for an object whose code cannot be changed, with the path of its file and
 *	an errno
 *
 * Context: in the constructor, before any of the functions is called.
 */
void nops_patch(void (*failed)(const char *path, int error));

/**
 * nops_has() - are there such functions in an object?
 * @info: of dl_iterate_phdr(3)
 *
 * Context: before nops_patch().
 */
bool nops_has(const struct dl_phdr_info *info);

/**
 * nops_path() - where the file of an object is
 * @info: of dl_iterate_phdr(3)
 */
const char *nops_path(const struct dl_phdr_info *info);

#pragma GCC visibility pop

#endif /* FNTRACE_LINUX_NOPS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols that are in another file than the code.
 */
#ifndef FNTRACE_SEPARATE_H
#define FNTRACE_SEPARATE_H

#include "trace.h"

/*
 * separate_add() - a file with symbols, or a directory to look for them ("--symbols")
 * @path: must stay
 */
void separate_add(const char *path);

/*
 * separate_read() - look for the symbols of an image that has been stripped
 * @path: where its file is, or was
 *
 * They are looked for in what separate_add() got, in the file itself, and where debuggers do
 * (.build-id and .gnu_debuglink). Only a file with the same build ID will do, or if there is
 * none, one with the checksum of .gnu_debuglink, or one of --symbols with the same name.
 * image_sort() follows.
 */
void separate_read(struct image *image, const char *path);

/*
 * separate_tell() - say which files of separate_add() have the symbols of nothing
 */
void separate_tell(void);

#endif /* FNTRACE_SEPARATE_H */

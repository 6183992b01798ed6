/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared objects that belong to this program.
 */
#ifndef FNTRACE_LIBRARY_H
#define FNTRACE_LIBRARY_H

/*
 * library_find() - beside this program, or where "make install" puts it
 * @name: of the file
 *
 * A package may have been moved as a whole.
 *
 * Return: its path, allocated, or NULL
 */
char *library_find(const char *name);

/* For messages: where it was looked for. */
#define LIBRARY_PLACES	"beside this program, nor in ../lib, nor in " LIBDIR

#endif /* FNTRACE_LIBRARY_H */

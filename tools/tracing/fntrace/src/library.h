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

/*
 * library_load() - load a part of this program that not everybody needs
 * @name: of the file
 * @symbol: of a structure in it, which begins with the version of fntrace, a string
 * @what: needs it, for messages
 *
 * Return: the structure, or NULL after a message was printed
 */
const void *library_load(const char *name, const char *symbol, const char *what);

/* For messages: where it was looked for. */
#define LIBRARY_PLACES	\
	"beside this program, nor in ../lib or " LIBDIR ", nor in fntrace below these"

#endif /* FNTRACE_LIBRARY_H */

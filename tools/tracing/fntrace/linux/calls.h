/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recording calls into libraries: of programs that nobody compiled for it.
 *
 * A call that leaves an object goes through its procedure linkage table, which jumps to the
 * address in a word of the global offset table. That word is made to lead to a stub, which
 * calls the hook and jumps on: to the tracer it is a function of its own, with room for the
 * call of a hook in front (-fpatchable-function-entry), that ends in a jump.
 */
#ifndef FNTRACE_LINUX_CALLS_H
#define FNTRACE_LINUX_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/**
 * struct calls - the stubs
 * @start: address of the first one
 * @end: the address behind the last one
 * @names: their names, in the format of the tool's src/names.c, without the line with the path
 * @len: bytes of @names
 */
struct calls {
	unsigned long	start;
	unsigned long	end;
	char		*names;
	size_t		len;
};

/**
 * struct calls_wanted - which calls are to be recorded
 * @which: patterns for the names of the objects' files that make them, each with a slash behind
 *	it; an empty one is the program
 * @program: path of the program
 * @pointers: also those of functions to which the object has pointers; these lead to stubs
 *	then, and are not equal to those that other objects have
 * @save: is called with stubs before anything leads to them; may return false with errno
 */
struct calls_wanted {
	const char	*which;
	const char	*program;
	bool		pointers;
	bool		(*save)(const struct calls *calls);
};

/**
 * calls_begin() - record the calls that objects make into libraries
 * @wanted: which
 *
 * Left alone are calls of functions that have hooks of their own, of this library, of the
 * program, and of those that a hook must not be in front of, as setjmp(). All symbols must
 * have been looked up (LD_BIND_NOW): what has not been is left alone as well.
 *
 * Context: in the constructor, before anything is traced.
 * Return: false with errno if that failed for some calls or all.
 */
bool calls_begin(const struct calls_wanted *wanted);

/**
 * calls_again() - as well of a library that was loaded, and of those that it needs
 * @library: what dlopen() has returned, in the same thread; its caller has not got it yet
 *
 * Stubs stay when what they were made for is unloaded, and are used again if it is loaded to the
 * same place.
 *
 * Context: after calls_begin() has returned true; one thread at a time, with signals blocked.
 * Return: as calls_begin().
 */
bool calls_again(void *library);

#pragma GCC visibility pop

#endif /* FNTRACE_LINUX_CALLS_H */

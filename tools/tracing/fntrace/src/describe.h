/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get the arguments and results of functions, and how to show them.
 *
 * "fntrace record" reads the debug information (DWARF) of the program and its libraries, and
 * writes what follows to the file "values" of the recording. libfntrace.so takes from it what
 * it has to store, and the readers what they have to show, so neither needs DWARF.
 *
 *	object ...
 *		A file, see objects_put(); functions of it follow.
 *	function ID LOW HIGH AFTER NAME
 *		A function, from address LOW of the file up to HIGH, both hexadecimal. AFTER
 *		is 1 if its arguments are in their registers behind the prologue as well.
 *	enter STEP...
 *	leave STEP...
 *		What libfntrace.so stores at its entry and exit.
 *	arg NAME FORMAT
 *	return FORMAT
 *		How an argument is shown, and the result.
 *	enum ID
 *	is VALUE NAME
 *		An enumeration, and each of its constants.
 *	end
 *
 * What is stored begins with the ID, in 4 bytes; offsets are from there. Steps append to it:
 *
 *	gREGISTER.SIZE		a general register; the first argument is in register 0
 *	fREGISTER.SIZE		one for floating point
 *	sOFFSET.SIZE		arguments on the stack
 *	mAT.SIZE		an enum fntrace_value_state in a byte, and the memory that the
 *				pointer at offset AT leads to
 *	nAT.SIZE		2 bytes with the length in bits 0-11 and an enum
 *				fntrace_value_state in bits 12-15, and the string, of at most SIZE
 *				bytes, that the pointer at offset AT leads to
 *	tAT.LENGTH.SIZE		the same; the string has no NUL, and its length is at offset
 *				LENGTH
 *
 * Strings come last, so that everything else has a known offset. In a format is text, with
 * %% for a %, and these, of which AT is an offset and SIZE a number of bytes:
 *
 *	%dAT.SIZE %uAT.SIZE	a signed and an unsigned integer
 *	%DAT.SIZE.SHIFT.BITS	some bits of an integer; %UAT.SIZE.SHIFT.BITS without a sign
 *	%xAT.SIZE		a pointer
 *	%fAT.SIZE		floating point
 *	%bAT.SIZE		a truth value
 *	%cAT.SIZE		a character
 *	%eAT.SIZE.ID		a constant of an enumeration
 *	%aAT.SIZE		an array of characters, up to a NUL
 *	%sN.AT			the string with number N, which begins with 0; the pointer is at AT
 *	%[M.AT ... %]		the memory whose state is at M, and begins behind it; if it is not
 *				there, the pointer at AT is shown instead
 */
#ifndef FNTRACE_DESCRIBE_H
#define FNTRACE_DESCRIBE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <fntrace_format.h>

#include "objects.h"
#include "pattern.h"

/* Characters of a string that readers show; its SIZE is one more, so that they know its end. */
#define DESCRIBE_STRING_SHOWN	64

/* The file. */
#define DESCRIBE_FILE	"values"

/*
 * struct describe_function - a function whose values are wanted
 * @addr: of its symbol
 * @size: in bytes
 * @name: as people read it
 * @linkage: as the linker has it
 * @arguments: are wanted
 * @result: is wanted
 * @described: it was found in the debug information
 * @problem: why not all that is wanted is known; to be freed
 */
struct describe_function {
	uint64_t	addr;
	uint64_t	size;
	const char	*name;
	const char	*linkage;
	bool		arguments;
	bool		result;
	bool		described;
	char		*problem;
};

/*
 * struct describe_object - a file with such functions
 * @path: of the file
 * @hooks: enum image_hooks
 * @functions: sorted by address
 * @nr_functions: how many
 * @next_function: ID of the first of them
 * @next_enumeration: ID of the first enumeration
 */
struct describe_object {
	const char			*path;
	unsigned int			hooks;
	struct describe_function	*functions;
	size_t				nr_functions;
	unsigned int			next_function;
	unsigned int			next_enumeration;
};

/*
 * struct describe - what the options of "fntrace record" say
 * @arguments: patterns for functions whose arguments are wanted
 * @results: for those whose results are wanted
 */
struct describe {
	struct patterns		arguments;
	struct patterns		results;
};

/*
 * describe_program() - how to get and show the values that are wanted
 * @program: of launch_find()
 * @objects: files besides it
 *
 * Return: the text of the file, to be freed; NULL after a message was printed: something
 * that is wanted cannot be had
 */
char *describe_program(struct describe *describe, const char *program,
		       const struct objects *objects);

#define DESCRIBE_PLUGIN_FILE	"fntrace-dwarf.so"
/* The name of its struct describe_plugin. */
#define DESCRIBE_PLUGIN_SYMBOL	"describe_plugin"

/*
 * The problem of a function whose result is wanted, and that has none; and of one that is not
 * in the debug information of its file, as those of the C library that start a program.
 */
#define DESCRIBE_NOTHING	"it returns nothing"
#define DESCRIBE_NO_SOURCE	"its source was compiled without -g"

/*
 * struct describe_plugin - the part of fntrace that reads DWARF, fntrace-dwarf.so
 * @version: of fntrace, of which both must be
 * @describe: writes the lines of the functions of an object. For each function that is not
 *	described, or not wholly, it writes a line "problem ADDRESS TEXT", with TEXT saying
 *	why. Returns NULL, or why nothing could be read.
 *
 * It needs libdw, which nobody else does.
 */
struct describe_plugin {
	const char	*version;
	const char	*(*describe)(const struct describe_object *object, FILE *out);
};

extern const struct describe_plugin describe_plugin;

#endif /* FNTRACE_DESCRIBE_H */

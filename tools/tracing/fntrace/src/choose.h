/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which functions and threads "fntrace record" records.
 *
 * Names of functions are looked up in the symbols of the program and its libraries, and what
 * follows is written to the file "choose" of the recording, from which libfntrace.so has it.
 *
 *	verdicts VERDICTS
 *		All bits of enum fntrace_verdict that follow.
 *	thread PATTERN
 *		Threads that are recorded, by name or number; if there is none, all are.
 *	object ...
 *		A file, see objects_put(); functions of it follow.
 *	function VERDICT LOW HIGH NAME
 *		A function, from address LOW of the file up to HIGH, both hexadecimal.
 *	import VERDICT LINKAGE
 *		A function of a library, as the linker has it: calls of it that are recorded
 *		as such (--library-calls).
 */
#ifndef FNTRACE_CHOOSE_H
#define FNTRACE_CHOOSE_H

#include "objects.h"
#include "pattern.h"

#define CHOOSE_FILE	"choose"

/*
 * struct choose - what the options of "fntrace record" say
 * @only: patterns; nothing but these functions and what they call
 * @without: neither these nor what they call
 * @start_at: recording begins with a call of one of these
 * @stop_at: and ends with one of these
 * @threads: nothing but what these threads do
 * @calls: whose calls into libraries are recorded, as in struct launch
 */
struct choose {
	struct patterns	only;
	struct patterns	without;
	struct patterns	start_at;
	struct patterns	stop_at;
	struct patterns	threads;
	const char	*calls;
};

/*
 * choose_is_set() - are there functions or threads that are not recorded?
 */
bool choose_is_set(const struct choose *choose);

/*
 * choose_has_functions() - are there functions that are not recorded?
 */
bool choose_has_functions(const struct choose *choose);

/*
 * choose_program() - where in memory the functions are
 * @program: of launch_find()
 * @objects: files besides it
 *
 * Return: the text of the file, to be freed; NULL after a message was printed: a pattern
 * matches nothing
 */
char *choose_program(struct choose *choose, const char *program, const struct objects *objects);
void choose_free(struct choose *choose);

#endif /* FNTRACE_CHOOSE_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recording chosen functions and threads only, for programs of Linux.
 *
 * choose_judge() runs in the middle of any function of the program, as all hooks do: no vector
 * registers, no allocation, and no locks of the program's libraries.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <fntrace.h>

#include "../backend/internal.h"
#include "choose.h"
#include "glob.h"
#include "objects.h"

/*
 * struct choose_function - a function of this process
 * @start: address
 * @end: the address behind it
 * @verdict: bits of enum fntrace_verdict
 */
struct choose_function {
	unsigned long	start;
	unsigned long	end;
	unsigned int	verdict;
};

/*
 * struct choose_import - a function of a library that is looked for when it is called
 * @name: as the linker has it
 * @verdict: bits of enum fntrace_verdict
 */
struct choose_import {
	char		*name;
	unsigned int	verdict;
};

/*
 * All functions of this process, by address, those whose calls were to be recorded, and
 * patterns for names and numbers of threads. Not changed when something is traced.
 */
static struct {
	struct choose_function	*functions;
	size_t			nr;
	struct choose_import	*imports;
	size_t			nr_imports;
	char			**threads;
	size_t			nr_threads;
} choose;

/*
 * Addresses that are in none of them, each at the index that its bits from 4 on are. Functions
 * are that far apart, so that 1 MiB of code has no two at one index. All threads read and
 * write this: an entry is one word, and whatever it was before, it is one such address.
 */
__attribute__((visibility("hidden"))) unsigned long choose_plain[1ul << CHOOSE_PLAIN_BITS];

static unsigned int choose_judge(unsigned long func)
{
	unsigned long *plain = &choose_plain[func >> 4 & ((1ul << CHOOSE_PLAIN_BITS) - 1)];
	size_t low = 0, high = choose.nr, middle;

	if (choose.nr_threads)
		choose_asked();
	if (likely(READ(*plain) == func))
		return 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (choose.functions[middle].start <= func)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && func < choose.functions[low - 1].end)
		return choose.functions[low - 1].verdict;
	WRITE(*plain, func);
	return 0;
}

static int choose_compare(const void *a, const void *b)
{
	const struct choose_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Room for one more, at the end; NULL without memory. */
static struct choose_function *choose_more(void)
{
	struct choose_function *functions;

	/* A power of two fills the array. */
	if (!(choose.nr & (choose.nr - 1))) {
		functions = realloc(choose.functions,
				    (choose.nr ? 2 * choose.nr : 1) * sizeof(*functions));
		if (!functions)
			return NULL;
		choose.functions = functions;
	}
	return &choose.functions[choose.nr++];
}

/* "VERDICT LOW HIGH NAME" */
static bool choose_add(const struct object *object, char *line)
{
	struct choose_function *function = choose_more();

	if (!function)
		return false;
	function->verdict = strtoul(line, &line, 10);
	function->start = object->bias + strtoul(line, &line, 16);
	function->end = object->bias + strtoul(line, &line, 16);
	return true;
}

/* "VERDICT NAME" */
static bool choose_add_import(char *line)
{
	struct choose_import *imports, *import;

	imports = realloc(choose.imports, (choose.nr_imports + 1) * sizeof(*imports));
	if (!imports)
		return false;
	choose.imports = imports;
	import = &imports[choose.nr_imports];
	import->verdict = strtoul(line, &line, 10);
	import->name = *line ? strdup(line + 1) : NULL;
	choose.nr_imports += !!import->name;
	return import->name;
}

static bool choose_add_thread(const char *pattern)
{
	char **threads = realloc(choose.threads, (choose.nr_threads + 1) * sizeof(*threads));

	if (!threads)
		return false;
	choose.threads = threads;
	threads[choose.nr_threads] = strdup(pattern);
	return threads[choose.nr_threads++];
}

bool choose_threads(void)
{
	return choose.nr_threads;
}

bool choose_thread(const char *name, unsigned long tid)
{
	char digits[24], *number = digits + sizeof(digits);
	size_t i;

	*--number = 0;
	do {
		*--number = '0' + tid % 10;
		tid /= 10;
	} while (tid);
	for (i = 0; i < choose.nr_threads; i++)
		if (glob_matches(choose.threads[i], name) ||
		    glob_matches(choose.threads[i], number))
			return true;
	return !choose.nr_threads;
}

/* Sets @verdicts to those that there may be. */
static bool choose_parse(char *text, const struct objects *objects, unsigned int *verdicts)
{
	const struct object *object = NULL;
	char *line, *rest = text;

	*verdicts = 0;
	while ((line = strsep(&rest, "\n"))) {
		if (objects_is(&line, "verdicts"))
			*verdicts = strtoul(line, NULL, 10);
		else if (objects_is(&line, "object"))
			object = objects_match(objects, line);
		else if (objects_is(&line, "thread") && !choose_add_thread(line))
			return false;
		else if (objects_is(&line, "import") && !choose_add_import(line))
			return false;
		else if (object && objects_is(&line, "function") && !choose_add(object, line))
			return false;
	}
	return true;
}

void choose_call(const char *name, unsigned long start, unsigned long end)
{
	struct choose_function *function;
	size_t i, at;

	for (i = 0; i < choose.nr_imports; i++) {
		if (strcmp(choose.imports[i].name, name))
			continue;
		function = choose_more();
		if (!function)
			return;
		for (at = choose.nr - 1; at && choose.functions[at - 1].start > start; at--)
			choose.functions[at] = choose.functions[at - 1];
		choose.functions[at] = (struct choose_function){
			start, end, choose.imports[i].verdict,
		};
		return;
	}
}

#ifdef __x86_64__

_Static_assert(offsetof(struct fntrace_stack, frames) == CHOOSE_STACK_FRAMES, "frames");
_Static_assert(offsetof(struct fntrace_stack, depth) == CHOOSE_STACK_DEPTH, "depth");
_Static_assert(offsetof(struct fntrace_stack, unwanted) == CHOOSE_STACK_UNWANTED, "unwanted");
_Static_assert(sizeof(struct fntrace_frame) == CHOOSE_FRAME_SIZE, "size");
_Static_assert(offsetof(struct fntrace_frame, loc) == CHOOSE_FRAME_LOC, "loc");

static void choose_set_hooks(bool functions)
{
	fntrace_mcount_chosen_hook = functions ? choose_mcount : choose_thread_mcount;
	fntrace_fentry_chosen_hook = functions ? choose_fentry : choose_thread_fentry;
}

#else

static void choose_set_hooks(bool functions)
{
}

#endif

bool choose_begin(const char *directory)
{
	char *text = objects_read(directory, "choose");
	struct objects objects;
	unsigned int verdicts;
	bool done;

	if (!text)
		return false;
	objects_find(&objects);
	errno = ENOMEM;
	done = choose_parse(text, &objects, &verdicts);
	objects_free(&objects);
	free(text);
	if (!done)
		return false;
	if (choose.nr)
		qsort(choose.functions, choose.nr, sizeof(choose.functions[0]), choose_compare);
	choose_set_hooks(verdicts);
	fntrace_choose(choose_judge, verdicts);
	return true;
}

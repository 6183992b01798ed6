// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recording chosen functions only, for programs of Linux.
 *
 * choose_judge() runs in the middle of any function of the program, as all hooks do: no vector
 * registers, no locks, no allocation.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <fntrace.h>

#include "../backend/internal.h"
#include "choose.h"
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

/* All of this process, by address. Not changed after choose_begin(). */
static struct {
	struct choose_function	*functions;
	size_t			nr;
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

/* "VERDICT LOW HIGH NAME" */
static bool choose_add(const struct object *object, char *line)
{
	struct choose_function *functions, *function;

	/* A power of two fills the array. */
	if (!(choose.nr & (choose.nr - 1))) {
		functions = realloc(choose.functions,
				    (choose.nr ? 2 * choose.nr : 1) * sizeof(*functions));
		if (!functions)
			return false;
		choose.functions = functions;
	}
	function = &choose.functions[choose.nr++];
	function->verdict = strtoul(line, &line, 10);
	function->start = object->bias + strtoul(line, &line, 16);
	function->end = object->bias + strtoul(line, &line, 16);
	return true;
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
		else if (object && objects_is(&line, "function") && !choose_add(object, line))
			return false;
	}
	return true;
}

#ifdef __x86_64__

_Static_assert(offsetof(struct fntrace_stack, frames) == CHOOSE_STACK_FRAMES, "frames");
_Static_assert(offsetof(struct fntrace_stack, depth) == CHOOSE_STACK_DEPTH, "depth");
_Static_assert(sizeof(struct fntrace_frame) == CHOOSE_FRAME_SIZE, "size");
_Static_assert(offsetof(struct fntrace_frame, ret) == CHOOSE_FRAME_RET, "ret");
_Static_assert(offsetof(struct fntrace_frame, loc) == CHOOSE_FRAME_LOC, "loc");

static void choose_set_hooks(void)
{
	fntrace_mcount_chosen_hook = choose_mcount;
	fntrace_fentry_chosen_hook = choose_fentry;
}

#else

static void choose_set_hooks(void)
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
	choose_set_hooks();
	fntrace_choose(choose_judge, verdicts);
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Paths of calls the other way round: below a function, who called it.
 */
#include <stdlib.h>
#include <string.h>

#include "callers.h"

/* The program or thread that a path begins with, as if it were a function. */
static const struct symbol *program(struct callers *callers, const struct paths *paths,
				    uint32_t root)
{
	struct symbol *symbol;
	size_t i;

	for (i = 0; i < callers->nr_programs; i++)
		if (callers->programs[i].root == root)
			return callers->programs[i].symbol;

	symbol = xalloc(sizeof(*symbol));
	symbol->name = xasprintf("(%s)", paths_name(paths, root));
	callers->programs = xrealloc(callers->programs, (i + 1) * sizeof(*callers->programs));
	callers->programs[i].root = root;
	callers->programs[i].symbol = symbol;
	callers->nr_programs++;
	return symbol;
}

/* Is a function called inside itself? Then its time is that of the outer call. */
static bool is_inside(const struct paths *paths, uint32_t number)
{
	const struct symbol *symbol = paths->list[number].symbol;

	while (paths_is_function(paths, number = paths->list[number].parent))
		if (paths->list[number].symbol == symbol)
			return true;
	return false;
}

static void add(struct callers *callers, const struct paths *paths, uint32_t number)
{
	const struct path *path = &paths->list[number];
	uint64_t total = is_inside(paths, number) ? 0 : path->total;
	uint32_t at, up = number;

	at = paths_find_root(&callers->paths, xstrdup(path->symbol->name));
	for (;;) {
		struct path *to = &callers->paths.list[at];
		const struct symbol *symbol;

		to->calls += path->calls;
		to->total += total;
		/* So that the difference is the function's own time. */
		to->inner += total - (path->total - path->inner);

		up = paths->list[up].parent;
		if (up == PATHS_ALL)
			return;
		symbol = paths_is_function(paths, up) ? paths->list[up].symbol :
							program(callers, paths, up);
		at = paths_find(&callers->paths, at, symbol, paths->list[up].level);
		if (at == PATHS_MERGED) {
			callers->paths.merged += path->calls;
			return;
		}
	}
}

void callers_find(struct callers *callers, const struct paths *paths, struct patterns *functions)
{
	uint32_t i;

	memset(callers, 0, sizeof(*callers));
	paths_begin(&callers->paths, false);
	for (i = 0; i < paths->nr; i++)
		if (paths_is_function(paths, i) &&
		    patterns_match(functions, paths->list[i].symbol->name,
				   pattern_matches_function))
			add(callers, paths, i);
	paths_link(&callers->paths);
}

void callers_free(struct callers *callers)
{
	size_t i;

	for (i = 0; i < callers->nr_programs; i++) {
		free(callers->programs[i].symbol->name);
		free(callers->programs[i].symbol);
	}
	free(callers->programs);
	paths_free(&callers->paths);
}

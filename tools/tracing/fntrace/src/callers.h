/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of calls the other way round: below a function, who called it.
 */
#ifndef FNTRACE_CALLERS_H
#define FNTRACE_CALLERS_H

#include "paths.h"
#include "pattern.h"

/*
 * struct callers - who called some functions
 * @paths: a root for each of these; below it its callers, theirs, and the program at the end.
 *	   Each has times and calls of the function, as far as it was called this way.
 * @programs: stand for functions at the end of @paths
 * @nr_programs: how many
 */
struct callers {
	struct paths	paths;
	struct {
		uint32_t	root;
		struct symbol	*symbol;
	} *programs;
	size_t		nr_programs;
};

/*
 * callers_find() - find the callers of all functions whose name matches
 * @paths: all paths, after paths_finish()
 */
void callers_find(struct callers *callers, const struct paths *paths,
		  struct patterns *functions);
void callers_free(struct callers *callers);

#endif /* FNTRACE_CALLERS_H */

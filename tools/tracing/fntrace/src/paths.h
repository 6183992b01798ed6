/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of calls: who called whom, how often and how long, summed over the whole trace.
 *
 * A trace is as long as it likes: what is kept are the different paths, and of these not
 * more than PATHS_MAX.
 */
#ifndef FNTRACE_PATHS_H
#define FNTRACE_PATHS_H

#include "trace.h"

/* Paths that are told apart; 64 MiB. What calls beyond is time of the caller. */
#define PATHS_MAX	1000000

/* The path of no calls; it has the number 0. */
#define PATHS_ALL	0

/* Stands for a path that got no number. PATHS_ALL is nobody's callee. */
#define PATHS_MERGED	0

/*
 * struct path - a path of calls: the last function of it
 * @symbol: the function
 * @name: of a program or thread, if @parent is PATHS_ALL; it is no function then
 * @total: time in it, in nanoseconds
 * @inner: of this, time in what it called
 * @calls: how often
 * @parent: the caller
 * @recent: the callee that was called last
 * @first: the first callee, after paths_finish()
 * @next: the next callee of the same caller
 * @level: of its first call
 */
struct path {
	union {
		const struct symbol	*symbol;
		char			*name;
	};
	uint64_t	total;
	uint64_t	inner;
	uint64_t	calls;
	uint32_t	parent;
	uint32_t	recent;
	uint32_t	first;
	uint32_t	next;
	uint32_t	level;
};

/*
 * struct paths - all paths of a trace
 * @list: by number
 * @nr: how many
 * @room: how many there is room for
 * @table: numbers by caller and function; 0 is an empty place
 * @table_size: a power of two
 * @roots: programs and threads by their names, linked by @next until paths_finish()
 * @merged: calls that have no path of their own
 * @threads: threads are told apart by their names, not only programs
 */
struct paths {
	struct path	*list;
	uint32_t	nr;
	uint32_t	room;
	uint32_t	*table;
	uint32_t	table_size;
	uint32_t	roots[256];
	uint64_t	merged;
	bool		threads;
};

void paths_begin(struct paths *paths, bool threads);

/*
 * paths_event() - take an event of trace_next()
 */
void paths_event(struct paths *paths, const struct event *event);

/*
 * paths_finish() - after the last event; all calls have ended
 *
 * Callees are after their callers in the list, and are linked in the order in which they were
 * first called.
 */
void paths_finish(struct paths *paths);

/*
 * paths_find() - the path of a function that is called on the path @parent, or PATHS_MERGED
 * @level: of its first call
 */
uint32_t paths_find(struct paths *paths, uint32_t parent, const struct symbol *symbol,
		    enum level level);

/*
 * paths_find_root() - the path of a program or thread of this name, which it takes
 */
uint32_t paths_find_root(struct paths *paths, char *name);

/*
 * paths_link() - link callees in the order in which they were first called; once, at the end
 */
void paths_link(struct paths *paths);

/*
 * paths_calls() - how many calls there were
 */
uint64_t paths_calls(const struct paths *paths);

/*
 * paths_is_function() - false for PATHS_ALL, programs and threads
 */
static inline bool paths_is_function(const struct paths *paths, uint32_t number)
{
	return number != PATHS_ALL && paths->list[number].parent != PATHS_ALL;
}

const char *paths_name(const struct paths *paths, uint32_t number);
void paths_free(struct paths *paths);

#endif /* FNTRACE_PATHS_H */

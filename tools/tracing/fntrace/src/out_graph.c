// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who called whom, as text: a line for each path of calls, below its caller.
 *
 *	      total         self        calls  function
 *	   1.234 ms     0.100 ms            1  main
 *	   1.134 ms     1.134 ms            6    parse
 *
 * Callees are in the order of the time they took. With --callers, a function has its callers
 * below it, in the order of the time that it took for them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "callers.h"
#include "graph.h"

/* Calls inside more than this many others say so by a number. */
#define MAX_INDENT	60

bool graph_threads;
struct patterns graph_callers;

static struct {
	struct out	*out;
	struct paths	paths;
	/* Callees of a path while they are sorted. */
	uint32_t	*order;
	size_t		order_room;
} graph;

static void graph_begin(struct trace *trace, const char *path)
{
	memset(&graph, 0, sizeof(graph));
	graph.out = out_open(path);
	paths_begin(&graph.paths, graph_threads);
}

static void graph_event(const struct event *event)
{
	paths_event(&graph.paths, event);
}

/* The longest first; of the same time, the one that was called first. */
static int compare_times(const void *a, const void *b)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	uint64_t x = graph.paths.list[first].total, y = graph.paths.list[second].total;

	if (x != y)
		return x > y ? -1 : 1;
	return (first > second) - (first < second);
}

static void sort_callees(uint32_t parent)
{
	struct path *list = graph.paths.list;
	uint32_t number, *link = &list[parent].first;
	size_t nr = 0, i;

	for (number = *link; number; number = list[number].next) {
		if (nr == graph.order_room) {
			graph.order_room = graph.order_room ? 2 * graph.order_room : 256;
			graph.order = xrealloc(graph.order,
					       graph.order_room * sizeof(*graph.order));
		}
		graph.order[nr++] = number;
	}
	if (nr > 1)
		qsort(graph.order, nr, sizeof(*graph.order), compare_times);
	for (i = 0; i < nr; i++) {
		*link = graph.order[i];
		link = &list[graph.order[i]].next;
	}
	*link = 0;
}

static void write_path(uint32_t number, unsigned int depth)
{
	const struct path *path = &graph.paths.list[number];
	char total[DURATION_SIZE], self[DURATION_SIZE];
	bool function = graph_callers.nr || paths_is_function(&graph.paths, number);

	out_printf(graph.out, "%12s %12s %12" PRIu64 "  %*s",
		   format_duration(total, path->total),
		   function ? format_duration(self, path->total - path->inner) : "",
		   path->calls, 2 * (depth < MAX_INDENT ? depth : MAX_INDENT), "");
	if (depth > MAX_INDENT)
		out_printf(graph.out, "[%u] ", depth);
	out_clean(graph.out, paths_name(&graph.paths, number));
	out_printf(graph.out, "\n");
}

/* Not by recursion: a path may be as deep as a trace is. */
static void write_paths(void)
{
	const struct path *list = graph.paths.list;
	uint32_t number = PATHS_ALL;
	unsigned int depth = 0;

	for (;;) {
		sort_callees(number);
		if (list[number].first) {
			number = list[number].first;
			depth++;
		} else {
			while (number != PATHS_ALL && !list[number].next) {
				number = list[number].parent;
				depth--;
			}
			if (number == PATHS_ALL)
				break;
			number = list[number].next;
		}
		write_path(number, depth - 1);
	}
}

/* Show the callers instead of the callees; @callers owns graph.paths from now on. */
static void turn_round(struct callers *callers)
{
	callers_find(callers, &graph.paths, &graph_callers);
	patterns_tell(&graph_callers, "function");
	paths_free(&graph.paths);
	graph.paths = callers->paths;
}

static int graph_end(struct trace *trace)
{
	struct callers callers;

	paths_finish(&graph.paths);
	if (graph_callers.nr)
		turn_round(&callers);
	out_printf(graph.out, "%12s %12s %12s  function\n", "total", "self", "calls");
	write_paths();
	if (graph.paths.merged)
		warn("%" PRIu64 " calls count as their callers: over %u paths",
		     graph.paths.merged, PATHS_MAX);
	if (graph_callers.nr)
		callers_free(&callers);
	else
		paths_free(&graph.paths);
	free(graph.order);
	return out_close(graph.out);
}

const struct writer graph_writer = {
	.name = "graph",
	.summary = true,
	.ends = true,
	.begin = graph_begin,
	.event = graph_event,
	.end = graph_end,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fntrace graph: what graph_writer shows.
 */
#ifndef FNTRACE_GRAPH_H
#define FNTRACE_GRAPH_H

#include <stdbool.h>

/*
 * graph_depth - calls inside of more than so many others are not shown; 0: no limit
 * graph_threads - threads are told apart by their names
 */
extern unsigned int graph_depth;
extern bool graph_threads;

#endif /* FNTRACE_GRAPH_H */

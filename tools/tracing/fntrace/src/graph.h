/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fntrace graph: what graph_writer shows.
 */
#ifndef FNTRACE_GRAPH_H
#define FNTRACE_GRAPH_H

#include <stdbool.h>

#include "pattern.h"

/* Threads are told apart by their names. */
extern bool graph_threads;

/* Functions whose callers are shown; none: callees of all */
extern struct patterns graph_callers;

#endif /* FNTRACE_GRAPH_H */

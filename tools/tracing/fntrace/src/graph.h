/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fntrace graph: what graph_writer shows.
 */
#ifndef FNTRACE_GRAPH_H
#define FNTRACE_GRAPH_H

#include <stdbool.h>

/* Threads are told apart by their names. */
extern bool graph_threads;

#endif /* FNTRACE_GRAPH_H */

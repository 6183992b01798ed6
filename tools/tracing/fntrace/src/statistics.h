/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each function was called, and how long it took.
 */
#ifndef FNTRACE_STATISTICS_H
#define FNTRACE_STATISTICS_H

#include "histogram.h"
#include "trace.h"

/*
 * struct function - a function, by its name
 * @name: as people read it
 * @calls: how often it was called
 * @total: time in it, in nanoseconds; of calls inside each other only the outermost counts
 * @sum: time in all calls, also those inside each other
 * @self: time in it that is not in functions that it called
 * @share: of the @self of all functions, in hundredths of a percent
 * @min: the shortest call
 * @max: the longest call
 * @durations: of all calls
 */
struct function {
	char			*name;
	uint64_t		calls;
	uint64_t		total;
	uint64_t		sum;
	uint64_t		self;
	uint64_t		share;
	uint64_t		min;
	uint64_t		max;
	struct histogram	durations;
};

/*
 * struct statistics - all functions of a trace, in the order of their names
 */
struct statistics {
	struct function	*list;
	size_t		nr;
};

/* Adds up what it is given; statistics_take() follows. */
extern const struct writer statistics_writer;

/*
 * statistics_take() - what statistics_writer added up
 *
 * Context: after the last event; the trace may be closed by now.
 */
void statistics_take(struct statistics *statistics);

/*
 * statistics_find() - a function, or NULL
 */
const struct function *statistics_find(const struct statistics *statistics, const char *name);
void statistics_free(struct statistics *statistics);

#endif /* FNTRACE_STATISTICS_H */

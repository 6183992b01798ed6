/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which events of a trace are shown. All readers have these options.
 *
 * A call that is not shown is as if it had not been traced: its time is that of its caller.
 */
#ifndef FNTRACE_FILTER_H
#define FNTRACE_FILTER_H

#include <argp.h>

#include "hold.h"
#include "pattern.h"
#include "trace.h"

/*
 * struct filter_time - one end of a range
 * @ns: time
 * @elapsed: since the first event; else as "replay" shows it
 * @given: there is such an end
 */
struct filter_time {
	uint64_t	ns;
	bool		elapsed;
	bool		given;
};

/*
 * struct filter - what is shown, and what is known so far
 * @only: functions; nothing but these and what they call
 * @without: functions; neither these nor what they call
 * @modules: files; only functions in them
 * @threads: names or numbers
 * @processes: names or numbers
 * @depth: calls inside of so many others are not shown; 0: no limit
 * @from: calls that have not ended begin here
 * @to: calls that have not ended end here
 * @hold: @hold.ns is the least time that a call takes; 0: none
 * @quiet: what matches nothing is not told
 *
 * What follows is of filter.c.
 *
 * @writer: takes what is shown
 * @verdicts: by the number of a symbol
 * @nr_verdicts: how many
 * @started: @from is past
 * @over: @to is past
 * @begun: there was an event
 */
struct filter {
	struct patterns		only;
	struct patterns		without;
	struct patterns		modules;
	struct patterns		threads;
	struct patterns		processes;
	unsigned int		depth;
	struct filter_time	from;
	struct filter_time	to;
	struct hold		hold;
	bool			quiet;
	const struct writer	*writer;
	uint8_t			*verdicts;
	size_t			nr_verdicts;
	bool			started;
	bool			over;
	bool			begun;
};

/*
 * filter_argp - the options; its input is a struct filter, to be initialised to zeros
 */
extern const struct argp filter_argp;

/*
 * filter_is_set() - is there anything that is not shown?
 */
bool filter_is_set(const struct filter *filter);

/*
 * filter_copy() - the same options, for another trace
 * @from: as it was parsed
 *
 * The names in a trace that is compared with may be others: what matches nothing there is
 * not told.
 */
void filter_copy(struct filter *to, const struct filter *from);

/*
 * filter_begin() - before the first event
 */
void filter_begin(struct filter *filter, const struct writer *writer);

/*
 * filter_event() - the next event
 *
 * Return: false if nothing that follows is shown
 */
bool filter_event(struct filter *filter, struct trace *trace, struct event *event);

/*
 * filter_end() - after the last event; what a filter did not match is told, unless @quiet
 */
void filter_end(struct filter *filter, struct trace *trace);

#endif /* FNTRACE_FILTER_H */

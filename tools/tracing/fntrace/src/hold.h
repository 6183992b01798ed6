/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that wait until it is known whether the calls before them take long enough.
 *
 * They leave in the order in which they came. What waits are calls that may still turn out
 * to be too short, and what came after them: not much more than the calls that are open.
 */
#ifndef FNTRACE_HOLD_H
#define FNTRACE_HOLD_H

#include "trace.h"

/*
 * struct hold - a queue
 * @ns: how long a call has to take
 * @event: takes the events that leave
 * @ring: room for events, a power of two
 * @room: how many
 * @head: number of the first event in the queue
 * @tail: number behind the last one
 */
struct hold {
	uint64_t	ns;
	void		(*event)(const struct event *event);
	struct held	*ring;
	size_t		room;
	uint64_t	head;
	uint64_t	tail;
};

/*
 * hold_time() - all calls that began @hold->ns before this take long enough
 */
void hold_time(struct hold *hold, uint64_t now);

/*
 * hold_begin() - the begin of a call
 *
 * Return: its number for hold_end()
 */
uint64_t hold_begin(struct hold *hold, const struct event *event);

/*
 * hold_end() - the end of a call
 * @number: of its begin
 *
 * Return: false if it was too short: neither of both leaves.
 */
bool hold_end(struct hold *hold, const struct event *event, uint64_t number);

/*
 * hold_other() - an event that is no call
 */
void hold_other(struct hold *hold, const struct event *event);

/*
 * hold_flush() - let everything leave, also calls that have not ended
 */
void hold_flush(struct hold *hold);
void hold_free(struct hold *hold);

#endif /* FNTRACE_HOLD_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events that wait until it is known whether the calls before them take long enough.
 */
#include <stdlib.h>

#include "hold.h"
#include "values.h"

/*
 * enum held_state - of an event in the queue
 * @HELD_OPEN: a call that has not ended
 * @HELD_SURE: it leaves
 * @HELD_SHORT: it does not
 */
enum held_state {
	HELD_OPEN,
	HELD_SURE,
	HELD_SHORT,
};

/*
 * struct held - an event in the queue
 * @process: of the task at its time; exec() may have changed it
 * @text: copy of that of the event
 * @values: as well
 */
struct held {
	struct event	event;
	struct process	*process;
	char		*text;
	struct values	*values;
	enum held_state	state;
};

static struct held *held_at(struct hold *hold, uint64_t number)
{
	return &hold->ring[number & (hold->room - 1)];
}

static void grow(struct hold *hold)
{
	struct hold old = *hold;
	uint64_t i;

	hold->room = old.room ? 2 * old.room : 256;
	hold->ring = xalloc(hold->room * sizeof(*hold->ring));
	for (i = old.head; i < old.tail; i++)
		*held_at(hold, i) = *held_at(&old, i);
	free(old.ring);
}

static uint64_t put(struct hold *hold, const struct event *event, enum held_state state)
{
	struct held *held;

	if (hold->tail - hold->head == hold->room)
		grow(hold);
	held = held_at(hold, hold->tail);
	held->event = *event;
	held->process = event->task->process;
	held->text = event->text ? xstrdup(event->text) : NULL;
	held->values = values_copy(event->values);
	held->state = state;
	return hold->tail++;
}

static void drop(struct held *held)
{
	free(held->text);
	values_free(held->values);
}

static void leave(struct hold *hold, struct held *held)
{
	struct task *task = held->event.task;
	struct process *process = task->process;

	held->event.text = held->text;
	held->event.values = held->values;
	task->process = held->process;
	hold->event(&held->event);
	task->process = process;
	drop(held);
}

void hold_time(struct hold *hold, uint64_t now)
{
	while (hold->head < hold->tail) {
		struct held *held = held_at(hold, hold->head);

		if (held->state == HELD_OPEN &&
		    (now < held->event.ns || now - held->event.ns < hold->ns))
			break;
		if (held->state != HELD_SHORT)
			leave(hold, held);
		hold->head++;
	}
}

uint64_t hold_begin(struct hold *hold, const struct event *event)
{
	return put(hold, event, HELD_OPEN);
}

bool hold_end(struct hold *hold, const struct event *event, uint64_t number)
{
	/* Where clocks go backwards, the begin may have left by the time of another thread. */
	if (event->ns - event->begun >= hold->ns || number < hold->head) {
		if (number >= hold->head)
			held_at(hold, number)->state = HELD_SURE;
		put(hold, event, HELD_SURE);
		return true;
	}
	held_at(hold, number)->state = HELD_SHORT;
	drop(held_at(hold, number));
	while (hold->tail > hold->head && held_at(hold, hold->tail - 1)->state == HELD_SHORT)
		hold->tail--;
	return false;
}

void hold_other(struct hold *hold, const struct event *event)
{
	put(hold, event, HELD_SURE);
}

void hold_flush(struct hold *hold)
{
	for (; hold->head < hold->tail; hold->head++) {
		struct held *held = held_at(hold, hold->head);

		if (held->state != HELD_SHORT)
			leave(hold, held);
	}
}

void hold_free(struct hold *hold)
{
	free(hold->ring);
	hold->ring = NULL;
}

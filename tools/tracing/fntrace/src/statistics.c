// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often each function was called, and how long it took.
 *
 * While events come, functions are told apart by the numbers of their symbols. At the end,
 * those of the same name become one: a trace may have several processes of a program.
 */
#include <stdlib.h>
#include <string.h>

#include "statistics.h"

/* Counters of a task come in groups, as it calls few of all functions. */
#define GROUP	256

/**
 * struct statistics_task - struct task.out
 * @nr: groups there is room for
 * @open: by the number of a symbol: how many calls of it have not ended
 */
struct statistics_task {
	size_t		nr;
	uint32_t	*open[];
};

static struct {
	/* By the number of the symbol. */
	struct function	*list;
	size_t		room;
	struct statistics result;
} statistics;

static struct function *function_of(const struct symbol *symbol)
{
	size_t room = statistics.room;

	if (__builtin_expect(symbol->id >= room, 0)) {
		while (symbol->id >= room)
			room = room ? 2 * room : 1024;
		statistics.list = xrealloc(statistics.list, room * sizeof(*statistics.list));
		memset(statistics.list + statistics.room, 0,
		       (room - statistics.room) * sizeof(*statistics.list));
		statistics.room = room;
	}
	return &statistics.list[symbol->id];
}

static uint32_t *new_counter(struct task *task, uint32_t id)
{
	struct statistics_task *own = task->out;
	size_t group = id / GROUP, before = own ? own->nr : 0;

	if (group >= before) {
		own = xrealloc(own, sizeof(*own) + (group + 1) * sizeof(own->open[0]));
		memset(own->open + before, 0, (group + 1 - before) * sizeof(own->open[0]));
		own->nr = group + 1;
		task->out = own;
	}
	own->open[group] = xalloc(GROUP * sizeof(*own->open[group]));
	return &own->open[group][id % GROUP];
}

/* How many calls of a function have not ended in a task? */
static inline uint32_t *open_calls(struct task *task, uint32_t id)
{
	struct statistics_task *own = task->out;

	if (__builtin_expect(!own || id / GROUP >= own->nr || !own->open[id / GROUP], 0))
		return new_counter(task, id);
	return &own->open[id / GROUP][id % GROUP];
}

static void take_call(const struct event *event)
{
	struct function *function = function_of(event->symbol);
	uint64_t ns = event->ns - event->begun;

	if (!function->calls || ns < function->min)
		function->min = ns;
	if (ns > function->max)
		function->max = ns;
	if (!function->calls++)
		function->name = xstrdup(event->symbol->name);
	function->sum += ns;
	function->self += ns > event->inner ? ns - event->inner : 0;
	if (!--*open_calls(event->task, event->symbol->id))
		function->total += ns;
	histogram_add(&function->durations, ns);
}

static void statistics_begin(struct trace *trace, const char *path)
{
	memset(&statistics, 0, sizeof(statistics));
}

static void statistics_event(const struct event *event)
{
	if (event->type == EVENT_ENTRY)
		++*open_calls(event->task, event->symbol->id);
	else if (event->type == EVENT_EXIT)
		take_call(event);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

static void merge(struct function *to, struct function *from)
{
	to->calls += from->calls;
	to->total += from->total;
	to->sum += from->sum;
	to->self += from->self;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	histogram_merge(&to->durations, &from->durations);
	free(from->name);
}

static void merge_names(void)
{
	struct function *list = statistics.list;
	size_t i, called = 0, nr = 0;

	for (i = 0; i < statistics.room; i++)
		if (list[i].calls)
			list[called++] = list[i];
	if (called)
		qsort(list, called, sizeof(*list), compare_names);
	for (i = 0; i < called; i++) {
		if (nr && !strcmp(list[nr - 1].name, list[i].name))
			merge(&list[nr - 1], &list[i]);
		else
			list[nr++] = list[i];
	}
	statistics.result.list = list;
	statistics.result.nr = nr;
}

static void share(const struct statistics *all)
{
	double whole = 0;
	size_t i;

	for (i = 0; i < all->nr; i++)
		whole += all->list[i].self;
	for (i = 0; i < all->nr && whole; i++)
		all->list[i].share = all->list[i].self / whole * 10000 + 0.5;
}

static void free_task(struct statistics_task *own)
{
	size_t i;

	for (i = 0; own && i < own->nr; i++)
		free(own->open[i]);
}

static int statistics_end(struct trace *trace)
{
	struct task *task;

	for (task = trace->tasks; task; task = task->next)
		free_task(task->out);
	merge_names();
	share(&statistics.result);
	return 0;
}

const struct writer statistics_writer = {
	.name = "statistics",
	.summary = true,
	.ends = true,
	.begin = statistics_begin,
	.event = statistics_event,
	.end = statistics_end,
};

void statistics_take(struct statistics *result)
{
	*result = statistics.result;
}

const struct function *statistics_find(const struct statistics *result, const char *name)
{
	struct function key = { .name = (char *)name };

	if (!result->nr)
		return NULL;
	return bsearch(&key, result->list, result->nr, sizeof(key), compare_names);
}

void statistics_free(struct statistics *result)
{
	size_t i;

	for (i = 0; i < result->nr; i++) {
		free(result->list[i].name);
		histogram_free(&result->list[i].durations);
	}
	free(result->list);
}

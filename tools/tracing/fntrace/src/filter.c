// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which events of a trace are shown.
 *
 * For each call that has not ended it is remembered whether it is shown, so that its end is
 * treated as its begin was.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

/* Bits of a verdict on a symbol; 0: there is none yet. */
#define VERDICT_KNOWN		1u
#define VERDICT_ONLY		2u
#define VERDICT_WITHOUT		4u
#define VERDICT_MODULE		8u

/* What a function of the kernel is in. */
#define KERNEL_MODULE		"kernel"

/* No call around this one is shown. */
#define NO_CALLER		SIZE_MAX

/**
 * struct filter_call - a call that has not ended
 * @symbol: the function
 * @process: of its event
 * @addr: as well
 * @begun: when it began; not before the range
 * @inner: time in calls that it made and that are shown
 * @number: of hold_begin()
 * @caller: index of the innermost call around it that is shown, or NO_CALLER
 * @level: of its event
 * @verdict: on its function
 * @shown: it is shown
 */
struct filter_call {
	struct symbol	*symbol;
	struct process	*process;
	uint64_t	addr;
	uint64_t	begun;
	uint64_t	inner;
	uint64_t	number;
	size_t		caller;
	enum level	level;
	uint8_t		verdict;
	bool		shown;
};

/**
 * struct filter_task - struct task.filter
 * @process: the task was in it when @wanted was found
 * @source: as well; the task may have another name in another one
 * @wanted: its thread and process are shown
 * @goes_on: there are events behind the range
 * @inside: calls of functions of filter.only
 * @outside: calls of functions of filter.without
 * @shown: calls that are shown
 * @top: index of the innermost one, or NO_CALLER
 * @depth: calls that have not ended
 * @room: how many there is room for
 * @calls: these, the outermost first
 */
struct filter_task {
	const struct process	*process;
	const struct source	*source;
	bool			wanted;
	bool			goes_on;
	unsigned int		inside;
	unsigned int		outside;
	unsigned int		shown;
	size_t			top;
	size_t			depth;
	size_t			room;
	struct filter_call	calls[];
};

bool filter_is_set(const struct filter *filter)
{
	return filter->only.nr || filter->without.nr || filter->modules.nr ||
	       filter->threads.nr || filter->processes.nr || filter->depth ||
	       filter->from.given || filter->to.given || filter->hold.ns;
}

void filter_copy(struct filter *to, const struct filter *from)
{
	*to = *from;
	patterns_copy(&to->only, &from->only);
	patterns_copy(&to->without, &from->without);
	patterns_copy(&to->modules, &from->modules);
	patterns_copy(&to->threads, &from->threads);
	patterns_copy(&to->processes, &from->processes);
	to->quiet = true;
}

void filter_begin(struct filter *filter, const struct writer *writer)
{
	filter->writer = writer;
	filter->hold.event = writer->event;
}

static bool is_number(const struct patterns *patterns, const struct task *task, uint32_t id)
{
	char *text = xasprintf("%" PRIu64, out_id(task->process->machine, id));
	bool found = patterns_match((struct patterns *)patterns, text, pattern_matches);

	free(text);
	return found;
}

/* Both are called, so that each pattern is known to match something. */
static bool is_wanted(struct filter *filter, const struct task *task)
{
	bool thread = patterns_match(&filter->threads, task->name, pattern_matches) |
		      is_number(&filter->threads, task, task->tid);
	bool process = patterns_match(&filter->processes, program_name(task->process),
				      pattern_matches) |
		       is_number(&filter->processes, task, task->process->pid);

	return (!filter->threads.nr || thread) && (!filter->processes.nr || process);
}

static struct filter_task *get_task(struct filter *filter, struct task *task)
{
	struct filter_task *own = task->filter;

	if (!own || own->depth == own->room) {
		size_t room = own ? 2 * own->room : 64;

		own = xrealloc(own, sizeof(*own) + room * sizeof(own->calls[0]));
		if (!task->filter) {
			memset(own, 0, sizeof(*own));
			own->top = NO_CALLER;
		}
		own->room = room;
		task->filter = own;
	}
	if (own->process != task->process || own->source != task->source) {
		own->process = task->process;
		own->source = task->source;
		own->wanted = is_wanted(filter, task);
	}
	return own;
}

static uint8_t judge(struct filter *filter, const struct symbol *symbol, enum level level)
{
	const char *path = symbol->image ? symbol->image->path :
			   level == LEVEL_KERNEL ? KERNEL_MODULE : "?";
	const char *slash = strrchr(path, '/');
	uint8_t verdict = VERDICT_KNOWN;

	if (patterns_match(&filter->only, symbol->name, pattern_matches_function))
		verdict |= VERDICT_ONLY;
	if (patterns_match(&filter->without, symbol->name, pattern_matches_function))
		verdict |= VERDICT_WITHOUT;
	if (!filter->modules.nr ||
	    patterns_match(&filter->modules, slash ? slash + 1 : path, pattern_matches))
		verdict |= VERDICT_MODULE;
	return verdict;
}

static uint8_t get_verdict(struct filter *filter, const struct symbol *symbol,
			   enum level level)
{
	size_t nr = filter->nr_verdicts;

	if (__builtin_expect(symbol->id >= nr, 0)) {
		while (symbol->id >= nr)
			nr = nr ? 2 * nr : 1024;
		filter->verdicts = xrealloc(filter->verdicts, nr);
		memset(filter->verdicts + filter->nr_verdicts, 0, nr - filter->nr_verdicts);
		filter->nr_verdicts = nr;
	}
	if (__builtin_expect(!filter->verdicts[symbol->id], 0))
		filter->verdicts[symbol->id] = judge(filter, symbol, level);
	return filter->verdicts[symbol->id];
}

/* Is what happens in a task now inside of what is to be shown? */
static bool is_inside(const struct filter *filter, const struct filter_task *own)
{
	return own->wanted && (!filter->only.nr || own->inside) && !own->outside;
}

static void put_begin(struct filter *filter, struct filter_call *call,
		      const struct event *event)
{
	call->begun = event->ns;
	if (filter->hold.ns)
		call->number = hold_begin(&filter->hold, event);
	else
		filter->writer->event(event);
}

static void put_other(struct filter *filter, const struct event *event)
{
	if (filter->hold.ns)
		hold_other(&filter->hold, event);
	else
		filter->writer->event(event);
}

/* Returns false if the call is too short. */
static bool put_end(struct filter *filter, const struct filter_call *call,
		    const struct event *event)
{
	if (filter->hold.ns)
		return hold_end(&filter->hold, event, call->number);
	filter->writer->event(event);
	return true;
}

static void begin_call(struct filter *filter, struct filter_task *own, struct event *event)
{
	uint8_t verdict = get_verdict(filter, event->symbol, event->level);
	struct filter_call *call = &own->calls[own->depth];

	*call = (struct filter_call){
		.symbol = event->symbol,
		.process = event->process,
		.addr = event->addr,
		.caller = own->top,
		.level = event->level,
		.verdict = verdict,
	};
	own->inside += !!(verdict & VERDICT_ONLY);
	own->outside += !!(verdict & VERDICT_WITHOUT);
	call->shown = is_inside(filter, own) && verdict & VERDICT_MODULE &&
		      (!filter->depth || own->shown < filter->depth);
	if (call->shown) {
		own->top = own->depth;
		event->depth = own->shown++;
		if (filter->started)
			put_begin(filter, call, event);
	}
	own->depth++;
}

static void end_call(struct filter *filter, struct filter_task *own, struct event *event)
{
	struct filter_call *call;

	if (!own->depth)
		return;
	call = &own->calls[--own->depth];
	own->inside -= !!(call->verdict & VERDICT_ONLY);
	own->outside -= !!(call->verdict & VERDICT_WITHOUT);
	if (!call->shown)
		return;
	own->top = call->caller;
	event->depth = --own->shown;
	if (!filter->started)
		return;
	event->begun = call->begun;
	event->inner = call->inner;
	if (put_end(filter, call, event) && call->caller != NO_CALLER)
		own->calls[call->caller].inner += event->ns - event->begun;
}

/* Calls that have not ended at the begin of the range, begin there. */
static void start(struct filter *filter, struct trace *trace, uint64_t ns)
{
	struct task *task;
	size_t i;

	filter->started = true;
	for (task = trace->tasks; task; task = task->next) {
		struct filter_task *own = task->filter;
		unsigned int depth = 0;

		for (i = 0; own && i < own->depth; i++) {
			struct filter_call *call = &own->calls[i];
			struct event event = {
				.ns = ns,
				.task = task,
				.symbol = call->symbol,
				.process = call->process,
				.addr = call->addr,
				.type = EVENT_ENTRY,
				.level = call->level,
			};

			if (!call->shown)
				continue;
			event.depth = depth++;
			put_begin(filter, call, &event);
		}
	}
}

/* Elapsed time begins with the first event of the trace. */
static void set_range(struct filter *filter, uint64_t first)
{
	filter->begun = true;
	if (filter->from.elapsed)
		filter->from.ns += first;
	if (filter->to.elapsed)
		filter->to.ns += first;
	if (filter->from.given && filter->to.given && filter->from.ns > filter->to.ns)
		die("-r: the range ends before it begins");
}

bool filter_event(struct filter *filter, struct trace *trace, struct event *event)
{
	struct filter_task *own;

	if (!filter->begun)
		set_range(filter, event->ns);
	if (!filter->started && (!filter->from.given || event->ns >= filter->from.ns))
		start(filter, trace, filter->from.given ? filter->from.ns : event->ns);
	if (filter->to.given && event->ns > filter->to.ns) {
		filter->over = true;
		return false;
	}
	if (filter->hold.ns)
		hold_time(&filter->hold, event->ns);
	own = get_task(filter, event->task);
	if (event->type == EVENT_ENTRY) {
		begin_call(filter, own, event);
	} else if (event->type == EVENT_EXIT) {
		end_call(filter, own, event);
	} else if (filter->started && is_inside(filter, own)) {
		event->depth = own->shown;
		put_other(filter, event);
	}
	return true;
}

/*
 * The calls of a task that have not ended. Those that go on behind the range end there for
 * all writers, the others for those that want it.
 */
static void end_calls(struct filter *filter, struct task *task)
{
	struct filter_task *own = task->filter;
	uint64_t ns = own && own->goes_on ? filter->to.ns : task->last_ns;

	if (!own || !(own->goes_on || filter->writer->ends))
		return;
	while (own->depth) {
		const struct filter_call *call = &own->calls[own->depth - 1];
		struct event event = {
			.ns = ns > call->begun ? ns : call->begun,
			.task = task,
			.symbol = call->symbol,
			.process = call->process,
			.addr = call->addr,
			.type = EVENT_EXIT,
			.level = call->level,
			.repaired = true,
		};

		end_call(filter, own, &event);
	}
}

/* Tasks with events behind the range: what they are doing goes on up to its end. */
static void find_rest(struct trace *trace)
{
	size_t i;

	for (i = 0; i < trace->nr_open; i++) {
		struct filter_task *own = trace->sources[i]->head.task->filter;

		if (own)
			own->goes_on = true;
	}
}

static void tell_unused(const struct filter *filter)
{
	patterns_tell(&filter->only, "function");
	patterns_tell(&filter->without, "function");
	patterns_tell(&filter->modules, "file");
	patterns_tell(&filter->threads, "thread");
	patterns_tell(&filter->processes, "process");
}

void filter_end(struct filter *filter, struct trace *trace)
{
	struct task *task;

	if (filter->over)
		find_rest(trace);
	for (task = trace->tasks; task; task = task->next)
		end_calls(filter, task);
	hold_flush(&filter->hold);
	hold_free(&filter->hold);
	if (!filter->quiet)
		tell_unused(filter);
	if (!filter->started && filter->from.given)
		warn("the trace ends before the time that -r names");
	patterns_free(&filter->only);
	patterns_free(&filter->without);
	patterns_free(&filter->modules);
	patterns_free(&filter->threads);
	patterns_free(&filter->processes);
	free(filter->verdicts);
	for (task = trace->tasks; task; task = task->next) {
		free(task->filter);
		task->filter = NULL;
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merge sources by time, and make calls nest.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "image.h"
#include "values.h"

struct machine *trace_machine(struct trace *trace, const char *name)
{
	struct machine *machine, *other, **end = &trace->machines;

	for (; (machine = *end); end = &machine->next)
		if (!strcmp(machine->name, name))
			return machine;
	machine = xalloc(sizeof(*machine));
	machine->name = xstrdup(name);
	machine->clock = clock_new();
	for (other = trace->machines; other; other = other->next)
		machine->index++;
	*end = machine;
	return machine;
}

struct process *trace_process(struct trace *trace, struct machine *machine,
			      uint32_t pid, const char *exe)
{
	return trace_session(trace, machine, pid, 0, exe);
}

struct process *trace_session(struct trace *trace, struct machine *machine,
			      uint32_t pid, uint32_t session, const char *exe)
{
	unsigned int hash = (pid + 31 * (machine->index + session)) %
			    ARRAY_SIZE(trace->process_table);
	struct process *process, **end = &trace->process_table[hash];

	for (; (process = *end); end = &process->same_hash)
		if (process->machine == machine && process->pid == pid &&
		    process->session == session)
			break;
	if (!process) {
		process = xalloc(sizeof(*process));
		process->machine = machine;
		process->pid = pid;
		process->session = session;
		*end = process;
		/* Writers have them in this order. */
		if (trace->last_process)
			trace->last_process->next = process;
		else
			trace->processes = process;
		trace->last_process = process;
	}
	if (exe && !process->exe)
		process->exe = xstrdup(exe);
	return process;
}

const char *program_name(const struct process *process)
{
	const char *slash = process->exe ? strrchr(process->exe, '/') : NULL;
	const char *name = slash ? slash + 1 : process->exe;

	return name && *name ? name : "?";
}

static void task_name(struct task *task, const char *name)
{
	if (name && *name)
		snprintf(task->name, sizeof(task->name), "%s", name);
}

struct task *trace_task(struct trace *trace, struct process *process,
			uint32_t tid, const char *name)
{
	struct task *task, **end;
	unsigned int hash = (tid + 31 * process->machine->index) %
			    ARRAY_SIZE(trace->task_table);

	for (end = &trace->task_table[hash]; (task = *end); end = &task->same_hash)
		if (task->tid == tid && task->process->machine == process->machine)
			break;
	if (!task) {
		task = xalloc(sizeof(*task));
		task->process = process;
		task->tid = tid;
		*end = task;
		task->next = trace->tasks;
		trace->tasks = task;
	}
	task_name(task, name);
	return task;
}

/* A binary heap of the sources that have an event, the earliest one on top. */

static void sift(struct trace *trace, size_t i)
{
	struct source **heap = trace->sources, *moving = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= trace->nr_open)
			break;
		if (child + 1 < trace->nr_open &&
		    heap[child + 1]->head.ns < heap[child]->head.ns)
			child++;
		if (moving->head.ns <= heap[child]->head.ns)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moving;
}

void trace_add_source(struct trace *trace, struct source *source)
{
	trace->sources = xrealloc(trace->sources,
				  (trace->nr_sources + 1) * sizeof(source));
	trace->sources[trace->nr_sources++] = source;
}

/* Fill the heap: the first event of each source. */
static void begin(struct trace *trace)
{
	struct source **sources = trace->sources;
	size_t i;

	trace->begun = true;
	trace->nr_open = trace->nr_sources;
	for (i = 0; i < trace->nr_open; ) {
		if (sources[i]->next(sources[i], &sources[i]->head)) {
			i++;
		} else {
			struct source *empty = sources[i];

			sources[i] = sources[--trace->nr_open];
			sources[trace->nr_open] = empty;
		}
	}
	for (i = trace->nr_open / 2; i-- > 0; )
		sift(trace, i);
}

/* A call of @ns nanoseconds has ended inside of what is the innermost one by now. */
static void add_to_caller(struct task *task, uint64_t ns)
{
	if (task->depth)
		task->frames[task->depth - 1].inner += ns;
}

/* Fill in the end of the innermost call of @task, which the trace does not have. */
static void end_call(struct event *event, struct task *task, uint64_t ns)
{
	struct frame *frame = &task->frames[--task->depth];

	*event = (struct event){
		.ns = ns,
		.task = task,
		.symbol = frame->symbol,
		.process = frame->process,
		.addr = frame->addr,
		.begun = frame->ns,
		.inner = frame->inner,
		.depth = task->depth,
		.type = EVENT_EXIT,
		.level = frame->level,
		.repaired = true,
	};
	add_to_caller(task, ns - frame->ns);
}

static void repair(struct trace *trace, struct event *event, struct task *task, uint64_t ns)
{
	end_call(event, task, ns);
	trace->nr_repaired++;
}

bool trace_end_call(struct task *task, struct event *event)
{
	if (!task->depth)
		return false;
	end_call(event, task, task->last_ns);
	return true;
}

/*
 * Does the innermost call have to have ended before @event? The kernel is left
 * when the program goes on. At a call's beginning, what is as deep must be over;
 * at its end, what is deeper.
 */
static bool is_over(const struct task *task, const struct event *event)
{
	const struct frame *frame;

	if (!task->depth)
		return false;
	frame = &task->frames[task->depth - 1];
	if (frame->level > event->level)
		return true;
	if (frame->level < event->level)
		return false;
	return event->type == EVENT_ENTRY ? frame->depth >= event->depth :
					    frame->depth > event->depth;
}

/*
 * A task goes on in another file, or in another process. Returns false if one of its calls
 * has to end first, as is in @event then: of what they were called from nothing is left.
 * They end right before @head, so that at its time the task is in one process only.
 */
static bool task_moves(struct trace *trace, struct event *event, struct source *source)
{
	const struct event *head = &source->head;
	struct task *task = head->task;
	uint64_t ns = head->ns ? head->ns - 1 : 0;

	if (task->depth && task->process != head->process) {
		repair(trace, event, task, ns > task->last_ns ? ns : task->last_ns);
		return false;
	}
	task->process = head->process;
	task->source = source;
	task_name(task, source->name);
	return true;
}

bool trace_next(struct trace *trace, struct event *event)
{
	struct source *source;
	struct event *head;
	struct frame *frame;
	struct task *task;

	if (!trace->begun)
		begin(trace);
again:
	/* The last event was taken; its source provides the next one. */
	if (trace->taken) {
		source = trace->sources[0];
		trace->taken = false;
		if (!source->next(source, &source->head)) {
			trace->sources[0] = trace->sources[--trace->nr_open];
			trace->sources[trace->nr_open] = source;
		}
		if (trace->nr_open > 1)
			sift(trace, 0);
	}
	if (!trace->nr_open)
		return false;

	source = trace->sources[0];
	head = &source->head;
	task = head->task;
	if (head->process && (task->source != source || task->process != head->process) &&
	    !task_moves(trace, event, source))
		return true;
	if (head->ns < task->last_ns) {
		trace->nr_backwards++;
		head->ns = task->last_ns;
	}
	task->last_ns = head->ns;
	if (head->process && !head->process->first_ns)
		head->process->first_ns = head->ns;

	switch (head->type) {
	case EVENT_ENTRY:
		if (is_over(task, head)) {
			repair(trace, event, task, head->ns);
			return true;
		}
		if (task->depth == task->room) {
			task->room = task->room ? 2 * task->room : 64;
			task->frames = xrealloc(task->frames,
						task->room * sizeof(*task->frames));
		}
		frame = &task->frames[task->depth];
		frame->symbol = head->symbol;
		frame->process = head->process;
		frame->addr = head->addr;
		frame->ns = head->ns;
		frame->inner = 0;
		frame->depth = head->depth;
		frame->level = head->level;
		*event = *head;
		event->depth = task->depth++;
		break;
	case EVENT_EXIT:
		if (is_over(task, head)) {
			repair(trace, event, task, head->ns);
			return true;
		}
		frame = task->depth ? &task->frames[task->depth - 1] : NULL;
		if (!frame || frame->level != head->level || frame->depth != head->depth) {
			trace->nr_orphans++;
			trace->taken = true;
			goto again;
		}
		*event = *head;
		event->symbol = frame->symbol;
		event->process = frame->process;
		event->addr = frame->addr;
		event->begun = frame->ns;
		event->inner = frame->inner;
		event->depth = --task->depth;
		add_to_caller(task, event->ns - event->begun);
		break;
	case EVENT_LOST:
		trace->nr_lost += head->count;
		*event = *head;
		event->depth = task->depth;
		break;
	case EVENT_POINT:
		*event = *head;
		event->depth = task->depth;
		break;
	}
	trace->taken = true;
	trace->nr_events++;
	return true;
}

void trace_close(struct trace *trace)
{
	struct machine *machine;
	struct process *process;
	struct image *image;
	struct task *task;
	size_t i;

	for (i = 0; i < trace->nr_sources; i++)
		trace->sources[i]->close(trace->sources[i]);
	free(trace->sources);
	while ((task = trace->tasks)) {
		trace->tasks = task->next;
		free(task->frames);
		free(task->out);
		free(task);
	}
	while ((process = trace->processes)) {
		trace->processes = process->next;
		free(process->maps);
		free(process->out);
		free(process->exe);
		free(process);
	}
	while ((machine = trace->machines)) {
		trace->machines = machine->next;
		free(machine->name);
		clock_free(machine->clock);
		free(machine);
	}
	while ((image = trace->images)) {
		trace->images = image->next;
		image_free(image);
	}
	values_close(trace);
	symbol_names_free(trace);
	memset(trace, 0, sizeof(*trace));
}

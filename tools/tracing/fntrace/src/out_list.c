// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A listing to read: one line an event, in the order of time.
 *
 *	5204.000001250 host:prog-100        main() {
 *	5204.000001300 host:prog-100          parse(); 0.120 us
 *	5204.000002000 host:prog-100        }
 *
 * with the name and duration of what ends in a comment behind the brace. Values that were
 * recorded are "main(argc=1) {", "parse(text="a") = true; 0.120 us" and "} = 0".
 *
 * A call has one line instead of two if nothing happens between its beginning
 * and its end: in no task, as else lines would not be in the order of time.
 */
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "trace.h"
#include "values.h"

/* Calls inside more than this many others say so by a number. */
#define MAX_INDENT	60

/* The columns of the time and the task. */
#define SECONDS_WIDTH	10
#define TASK_WIDTH	20

/* What a line has besides its texts. */
#define LINE_ROOM	256

/**
 * struct list_task - struct task.out
 * @source: what @label was made for; the task has another name in another one
 * @label: see make_label(); not a string
 * @label_len: of it
 * @depth: calls that have not ended
 * @room: how many there is room for
 * @begun: when they began
 */
struct list_task {
	const struct source *source;
	char		*label;
	size_t		label_len;
	size_t		depth;
	size_t		room;
	uint64_t	begun[];
};

bool list_elapsed;

static struct {
	const struct trace *trace;
	struct out	*out;
	/* A beginning that has no line yet: the next event may be its end. */
	bool		waiting;
	struct task	*task;
	struct symbol	*symbol;
	uint64_t	ns;
	size_t		depth;
	struct values	*values;
} list;

/* A string constant */
#define put(to, text)	put_text(to, text, sizeof(text) - 1)

/* What stands in every line of a task: "machine:name-tid", and spaces. */
static void make_label(struct list_task *own, const struct task *task)
{
	const struct machine *machine = task->process->machine;
	char *text = xasprintf("%s%s%s-%u", machine->name, *machine->name ? ":" : "",
			       *task->name ? task->name : "?", task->tid);
	size_t len = strlen(text);
	const char *from = text;
	char *to;

	own->source = task->source;
	own->label = xrealloc(own->label, 4 * len + TASK_WIDTH);
	to = put_clean(own->label, &from, text + len);
	while (to < own->label + TASK_WIDTH)
		*to++ = ' ';
	own->label_len = to - own->label;
	free(text);
}

static struct list_task *grow_task(struct task *task)
{
	struct list_task *own = task->out;
	size_t room = own ? 2 * own->room : 64;
	bool new = !own;

	own = xrealloc(own, sizeof(*own) + room * sizeof(own->begun[0]));
	if (new) {
		own->label = NULL;
		make_label(own, task);
		own->depth = 0;
	}
	own->room = room;
	task->out = own;
	return own;
}

static char *put_digits(char *to, uint64_t value, unsigned int digits)
{
	unsigned int i;

	for (i = digits; i--; value /= 10)
		to[i] = '0' + value % 10;
	return to + digits;
}

static char *put_spaces(char *to, size_t nr)
{
	memset(to, ' ', nr);
	return to + nr;
}

/* A line up to what happened. */
static void write_head(const struct task *task, uint64_t ns, size_t depth)
{
	const struct list_task *own = task->out;
	char *to = out_room(list.out, LINE_ROOM);
	char *start = to;
	size_t width;

	if (list_elapsed)
		ns -= list.trace->first_ns;
	to = put_number(to, ns / NSEC_PER_SEC);
	width = to - start;
	if (width < SECONDS_WIDTH) {
		memmove(start + SECONDS_WIDTH - width, start, width);
		memset(start, ' ', SECONDS_WIDTH - width);
		to = start + SECONDS_WIDTH;
	}
	*to++ = '.';
	to = put_digits(to, ns % NSEC_PER_SEC, 9);
	*to++ = ' ';
	out_take(list.out, to);

	out_write(list.out, own->label, own->label_len);
	to = out_room(list.out, LINE_ROOM);
	to = put_spaces(to, 1 + 2 * (depth < MAX_INDENT ? depth : MAX_INDENT));
	if (depth > MAX_INDENT) {
		*to++ = '[';
		to = put_number(to, depth);
		to = put(to, "] ");
	}
	out_take(list.out, to);
}

static char *put_duration(char *to, uint64_t ns)
{
	to = put_number(to, ns / 1000);
	*to++ = '.';
	to = put_digits(to, ns % 1000, 3);
	return put(to, " us");
}

/*
 * "name(a=1, b="text")", or "name()". Types of parameters, which names of C++ have, are only
 * shown where there are no values.
 */
static void write_call(void)
{
	const char *name = list.symbol->name;
	size_t len = pattern_parameters(name), i;
	char *plain;

	if (name[len] && list.values) {
		plain = xasprintf("%.*s", (int)len, name);
		out_clean(list.out, plain);
		free(plain);
	} else {
		out_clean(list.out, name);
		if (name[len])
			return;
	}
	out_write(list.out, "(", 1);
	for (i = 0; list.values && i < list.values->nr; i++) {
		const struct value *value = &list.values->list[i];

		if (i)
			out_write(list.out, ", ", 2);
		out_clean(list.out, value->name);
		if (strcmp(value->name, VALUES_MORE)) {
			out_write(list.out, "=", 1);
			out_clean(list.out, value->text);
		}
	}
	out_write(list.out, ")", 1);
	values_free(list.values);
	list.values = NULL;
}

static void write_result(const struct values *values)
{
	if (!values)
		return;
	out_write(list.out, " = ", 3);
	out_clean(list.out, values->list[0].text);
}

static void write_entry(void)
{
	list.waiting = false;
	write_head(list.task, list.ns, list.depth);
	write_call();
	out_write(list.out, " {\n", 3);
}

static void write_leaf(const struct event *event)
{
	char *to;

	list.waiting = false;
	write_head(list.task, list.ns, list.depth);
	write_call();
	write_result(event->values);
	to = out_room(list.out, LINE_ROOM);
	to = put(to, "; ");
	to = put_duration(to, event->ns - list.ns);
	if (event->repaired)
		to = put(to, " /* the end is not in the trace */");
	*to++ = '\n';
	out_take(list.out, to);
}

static void write_exit(const struct event *event, uint64_t begun, size_t depth)
{
	char *to;

	write_head(event->task, event->ns, depth);
	out_write(list.out, "}", 1);
	write_result(event->values);
	out_write(list.out, " /* ", 4);
	out_clean(list.out, event->symbol->name);
	to = out_room(list.out, LINE_ROOM);
	*to++ = ' ';
	to = put_duration(to, event->ns - begun);
	if (event->repaired)
		to = put(to, ", the end is not in the trace");
	to = put(to, " */\n");
	out_take(list.out, to);
}

static void write_point(const struct event *event, size_t depth)
{
	write_head(event->task, event->ns, depth);
	out_write(list.out, "/* ", 3);
	out_clean(list.out, event->symbol->name);
	if (event->text && *event->text) {
		out_write(list.out, " ", 1);
		out_clean(list.out, event->text);
	}
	out_write(list.out, " */\n", 4);
}

static void write_lost(const struct event *event, size_t depth)
{
	char *to;

	write_head(event->task, event->ns, depth);
	to = out_room(list.out, LINE_ROOM);
	to = put(to, "/* lost ");
	to = put_number(to, event->count);
	out_take(list.out, event->count == 1 ? put(to, " call */\n") : put(to, " calls */\n"));
}

static void list_begin(struct trace *trace, const char *path)
{
	memset(&list, 0, sizeof(list));
	list.trace = trace;
	list.out = out_open(path);
}

static void list_event(const struct event *event)
{
	struct list_task *own = event->task->out;

	if (!own || own->depth == own->room)
		own = grow_task(event->task);

	if (list.waiting) {
		if (event->type == EVENT_EXIT && event->task == list.task) {
			own->depth--;
			write_leaf(event);
			return;
		}
		write_entry();
	}
	if (own->source != event->task->source)
		make_label(own, event->task);

	switch (event->type) {
	case EVENT_ENTRY:
		list.waiting = true;
		list.task = event->task;
		list.symbol = event->symbol;
		list.ns = event->ns;
		list.depth = own->depth;
		list.values = values_copy(event->values);
		own->begun[own->depth++] = event->ns;
		break;
	case EVENT_EXIT:
		if (!own->depth)
			break;
		own->depth--;
		write_exit(event, own->begun[own->depth], own->depth);
		break;
	case EVENT_LOST:
		write_lost(event, own->depth);
		break;
	case EVENT_POINT:
		write_point(event, own->depth);
		break;
	}
}

static int list_end(struct trace *trace)
{
	struct task *task;

	if (list.waiting)
		write_entry();
	for (task = trace->tasks; task; task = task->next)
		if (task->out)
			free(((struct list_task *)task->out)->label);
	return out_close(list.out);
}

const struct writer list_writer = {
	.name	= "list",
	.begin	= list_begin,
	.event	= list_event,
	.end	= list_end,
};

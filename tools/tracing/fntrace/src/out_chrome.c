// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chrome's trace event format: JSON that chrome://tracing, Perfetto and
 * speedscope open.
 *
 * A trace has tens of millions of calls and each is two lines here, so the way
 * of an entry or exit through this file is a few copies: what is constant in a
 * task's lines is made once per task, names come with their escapes, and a
 * time differs from the one before in its last digits only.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/*
 * Viewers know processes and threads by number only; each machine gets a range
 * of its own. Above the largest number that Linux gives (2^22).
 */

/* Names up to this long are copied on the fast path. */
#define NAME_MAX_FAST	4096

/* The constant parts of a line and a time are shorter than this together. */
#define LINE_ROOM	256

/* How much of a text is escaped at a time. */
#define TEXT_CHUNK	1024

/**
 * struct chrome_task - struct task.out
 * @process: what the file says the task is in; exec() changes that
 * @len: of @text
 * @text: what follows the time in every line of the task
 */
struct chrome_task {
	struct process	*process;
	size_t		len;
	char		text[64];
};

static struct {
	struct out	*out;
	bool		comma;
	/* The last time that was written, down to whole milliseconds. */
	uint64_t	base;
	size_t		base_len;
	char		base_text[24];
	/* "000" to "999" */
	char		digits[1000][4];
} chrome;

/* A string constant */
#define put(to, text)	put_bytes(to, text, sizeof(text) - 1)

/* Inline, so that copies of a constant size become moves. */
static inline char *put_bytes(char *to, const char *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

/* A text from outside as the inside of a JSON string. */
static void write_escaped(const char *text)
{
	while (*text) {
		char *to = out_room(chrome.out, (TEXT_CHUNK + 4) * JSON_MAX);

		out_take(chrome.out, put_json(to, &text, TEXT_CHUNK));
	}
}

/* The first event of a task, or the first after exec(): say who it is. */
static struct chrome_task *name_task(struct task *task)
{
	struct process *process = task->process;
	uint64_t first = out_id(process->machine, 0);
	struct chrome_task *own = task->out;
	char *to;

	if (!own)
		own = xalloc(sizeof(*own));
	to = own->text;
	to = put(to, ",\"pid\":");
	to = put_number(to, first + process->pid);
	to = put(to, ",\"tid\":");
	to = put_number(to, first + task->tid);
	to = put(to, ",\"name\":\"");
	own->len = to - own->text;
	own->process = process;
	task->out = own;

	to = out_room(chrome.out, LINE_ROOM);
	/* One of these is the first line of the file. */
	if (chrome.comma)
		to = put(to, ",\n");
	chrome.comma = true;
	to = put(to, "{\"ph\":\"M\",\"ts\":0");
	to = put_bytes(to, own->text, own->len);
	to = put(to, "process_name\",\"args\":{\"name\":\"");
	out_take(chrome.out, to);
	if (*process->machine->name) {
		write_escaped(process->machine->name);
		out_write(chrome.out, ": ", 2);
	}
	write_escaped(program_name(process));

	to = out_room(chrome.out, LINE_ROOM);
	to = put(to, "\"}},\n{\"ph\":\"M\",\"ts\":0");
	to = put_bytes(to, own->text, own->len);
	to = put(to, "thread_name\",\"args\":{\"name\":\"");
	out_take(chrome.out, to);
	write_escaped(*task->name ? task->name : "?");
	out_write(chrome.out, "\"}}", 3);
	return own;
}

/* Microseconds with three decimals */
static inline char *put_time(char *to, uint64_t ns)
{
	uint64_t rest = ns - chrome.base;

	if (__builtin_expect(rest >= 1000000 || !chrome.base_len, 0)) {
		rest = ns % 1000000;
		chrome.base = ns - rest;
		chrome.base_len = put_number(chrome.base_text, ns / 1000000) -
				  chrome.base_text;
		/* JSON has no zeros in front. */
		if (ns < 1000000) {
			chrome.base_len = 0;
			to = put_number(to, rest / 1000);
			*to++ = '.';
			memcpy(to, chrome.digits[rest % 1000], 4);
			return to + 3;
		}
	}
	/* A constant size is faster than the right one. */
	memcpy(to, chrome.base_text, sizeof(chrome.base_text));
	to += chrome.base_len;
	memcpy(to, chrome.digits[(uint32_t)rest / 1000], 4);
	to[3] = '.';
	memcpy(to + 4, chrome.digits[(uint32_t)rest % 1000], 4);
	return to + 7;
}

/* A line up to the name, which the caller made room for. */
static inline char *put_head(char *to, char type, uint64_t ns,
			     const struct chrome_task *own)
{
	to = put(to, ",\n{\"ph\":\"");
	*to++ = type;
	to = put(to, "\",\"ts\":");
	to = put_time(to, ns);
	memcpy(to, own->text, sizeof(own->text));
	return to + own->len;
}

static inline void write_call(char type, uint64_t ns, const struct symbol *symbol,
			      const struct chrome_task *own)
{
	char *to;

	if (__builtin_expect(symbol->json_len > NAME_MAX_FAST, 0)) {
		to = out_room(chrome.out, LINE_ROOM);
		out_take(chrome.out, put_head(to, type, ns, own));
		out_write(chrome.out, symbol->json, symbol->json_len);
		out_write(chrome.out, "\"}", 2);
		return;
	}
	to = out_room(chrome.out, LINE_ROOM + NAME_MAX_FAST);
	to = put_head(to, type, ns, own);
	to = put_bytes(to, symbol->json, symbol->json_len);
	out_take(chrome.out, put(to, "\"}"));
}

/* JSON has no integers beyond this that all readers keep. */
#define INTEGER_MAX	(UINT64_C(1) << 53)

static void write_value(const struct value *value)
{
	uint64_t size = value->integer;

	if (value->kind == VALUE_SIGNED && (int64_t)size < 0)
		size = -size;
	if (((value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED) &&
	     size <= INTEGER_MAX)) {
		out_printf(chrome.out, "%s%" PRIu64, value->kind == VALUE_SIGNED &&
			   (int64_t)value->integer < 0 ? "-" : "", size);
		return;
	}
	if (value->kind == VALUE_FLOAT) {
		out_printf(chrome.out, "%.17g", value->number);
		return;
	}
	out_write(chrome.out, "\"", 1);
	write_escaped(value->kind == VALUE_STRING ? value->string : value->text);
	out_write(chrome.out, "\"", 1);
}

/* An entry or exit of which values are known; rare, compared with others. */
static void write_values(const struct event *event, const struct chrome_task *own)
{
	const struct values *values = event->values;
	size_t i;

	out_take(chrome.out, put_head(out_room(chrome.out, LINE_ROOM),
				      event->type == EVENT_ENTRY ? 'B' : 'E', event->ns, own));
	out_write(chrome.out, event->symbol->json, event->symbol->json_len);
	out_printf(chrome.out, "\",\"args\":{");
	for (i = 0; i < values->nr; i++) {
		out_printf(chrome.out, "%s\"", i ? "," : "");
		write_escaped(values->list[i].name ? values->list[i].name : "return");
		out_write(chrome.out, "\":", 2);
		write_value(&values->list[i]);
	}
	out_write(chrome.out, "}}", 2);
}

static void write_point(const struct event *event, const struct chrome_task *own)
{
	char *to = out_room(chrome.out, LINE_ROOM);

	out_take(chrome.out, put_head(to, 'i', event->ns, own));
	out_write(chrome.out, event->symbol->json, event->symbol->json_len);
	to = out_room(chrome.out, LINE_ROOM);
	to = put(to, "\",\"s\":\"t\"");
	if (event->text) {
		out_take(chrome.out, put(to, ",\"args\":{\"text\":\""));
		write_escaped(event->text);
		to = out_room(chrome.out, LINE_ROOM);
		to = put(to, "\"}");
	}
	out_take(chrome.out, put(to, "}"));
}

static void write_lost(const struct event *event, const struct chrome_task *own)
{
	char *to = out_room(chrome.out, LINE_ROOM);

	to = put_head(to, 'i', event->ns, own);
	to = put(to, "lost\",\"s\":\"t\",\"args\":{\"count\":");
	to = put_number(to, event->count);
	out_take(chrome.out, put(to, "}}"));
}

static void chrome_begin(struct trace *trace, const char *path)
{
	unsigned int i;

	(void)trace;
	for (i = 0; i < ARRAY_SIZE(chrome.digits); i++) {
		chrome.digits[i][0] = '0' + i / 100;
		chrome.digits[i][1] = '0' + i / 10 % 10;
		chrome.digits[i][2] = '0' + i % 10;
	}
	chrome.base_len = 0;
	chrome.comma = false;
	chrome.out = out_open(path);
	out_printf(chrome.out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

static void chrome_event(const struct event *event)
{
	const struct chrome_task *own = event->task->out;

	if (__builtin_expect(!own || own->process != event->task->process, 0))
		own = name_task(event->task);

	if (__builtin_expect(!!event->values, 0)) {
		write_values(event, own);
		return;
	}
	switch (event->type) {
	case EVENT_ENTRY:
		write_call('B', event->ns, event->symbol, own);
		break;
	case EVENT_EXIT:
		write_call('E', event->ns, event->symbol, own);
		break;
	case EVENT_LOST:
		write_lost(event, own);
		break;
	case EVENT_POINT:
		write_point(event, own);
		break;
	}
}

static int chrome_end(struct trace *trace)
{
	out_printf(chrome.out, "\n]}\n");
	return out_close(chrome.out);
}

const struct writer chrome_writer = {
	.name	= "chrome",
	.ends	= true,
	.begin	= chrome_begin,
	.event	= chrome_event,
	.end	= chrome_end,
};

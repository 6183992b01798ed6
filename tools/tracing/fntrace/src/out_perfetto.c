// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Perfetto's own format: a stream of protocol buffer messages.
 *
 * A call takes two packets of about 25 bytes. Names are in the file once
 * ("interned") and are referred to by number; the number is symbol->id.
 *
 * The numbers of fields and values below are those of Perfetto's published
 * schema, as the Python package "perfetto" 0.59.1 has it (the descriptors in
 * perfetto.protos.perfetto.trace.perfetto_trace_pb2); tests/check_perfetto.py
 * decodes what is written here with the same schema.
 */
#include <stdlib.h>
#include <string.h>

#include "trace.h"

/* How a field is encoded; the lower three bits of its tag. */
#define VARINT	0
#define FIXED64	1
#define BYTES	2
#define TAG(field, type)	((field) << 3 | (type))

enum trace_field {
	TRACE_PACKET			= TAG(1, BYTES),
};

enum packet_field {
	PACKET_CLOCK_SNAPSHOT		= TAG(6, BYTES),
	PACKET_TIMESTAMP		= TAG(8, VARINT),
	PACKET_SEQUENCE_ID		= TAG(10, VARINT),
	PACKET_TRACK_EVENT		= TAG(11, BYTES),
	PACKET_INTERNED_DATA		= TAG(12, BYTES),
	PACKET_SEQUENCE_FLAGS		= TAG(13, VARINT),
	PACKET_DEFAULTS			= TAG(59, BYTES),
	PACKET_TRACK_DESCRIPTOR		= TAG(60, BYTES),
};

enum sequence_flag {
	SEQ_INCREMENTAL_STATE_CLEARED	= 1,
	SEQ_NEEDS_INCREMENTAL_STATE	= 2,
};

enum defaults_field {
	DEFAULTS_TIMESTAMP_CLOCK_ID	= TAG(58, VARINT),
};

enum snapshot_field {
	SNAPSHOT_CLOCKS			= TAG(1, BYTES),
	SNAPSHOT_PRIMARY_TRACE_CLOCK	= TAG(2, VARINT),
	CLOCK_ID			= TAG(1, VARINT),
	CLOCK_TIMESTAMP			= TAG(2, VARINT),
	/* A value of CLOCK_ID. */
	BUILTIN_CLOCK_MONOTONIC		= 3,
};

enum track_field {
	TRACK_UUID			= TAG(1, VARINT),
	TRACK_PROCESS			= TAG(3, BYTES),
	TRACK_THREAD			= TAG(4, BYTES),
	TRACK_PARENT_UUID		= TAG(5, VARINT),
	PROCESS_PID			= TAG(1, VARINT),
	PROCESS_NAME			= TAG(6, BYTES),
	THREAD_PID			= TAG(1, VARINT),
	THREAD_TID			= TAG(2, VARINT),
	THREAD_NAME			= TAG(5, BYTES),
};

enum track_event_field {
	TRACK_EVENT_DEBUG_ANNOTATIONS		= TAG(4, BYTES),
	TRACK_EVENT_TYPE			= TAG(9, VARINT),
	TRACK_EVENT_NAME_IID			= TAG(10, VARINT),
	TRACK_EVENT_TRACK_UUID		= TAG(11, VARINT),
	TRACK_EVENT_NAME			= TAG(23, BYTES),
	ANNOTATION_UINT_VALUE		= TAG(3, VARINT),
	ANNOTATION_INT_VALUE		= TAG(4, VARINT),
	ANNOTATION_DOUBLE_VALUE		= TAG(5, FIXED64),
	ANNOTATION_STRING_VALUE		= TAG(6, BYTES),
	ANNOTATION_NAME			= TAG(10, BYTES),
};

enum interned_field {
	INTERNED_EVENT_NAMES		= TAG(2, BYTES),
	INTERNED_NAME_IID		= TAG(1, VARINT),
	INTERNED_NAME_NAME		= TAG(2, BYTES),
};

/* Values of TRACK_EVENT_TYPE. */
enum slice_type {
	TYPE_SLICE_BEGIN		= 1,
	TYPE_SLICE_END			= 2,
	TYPE_INSTANT			= 3,
};

/* All packets are of one sequence; any number will do. */
#define SEQUENCE	1

/*
 * Viewers know processes and threads by number only; each machine gets a range
 * of its own. Above the largest number that Linux gives (2^22).
 */

/* Texts are cut there: a packet is made in the output buffer, in one piece. */
#define TEXT_MAX	(OUT_SIZE / 4)

/* What a packet needs besides its texts. */
#define PACKET_ROOM	256

/**
 * struct perfetto_task - struct task.out
 * @process: what the file says the task is in; exec() changes that
 * @uuid: of its track
 * @len: of @track
 * @track: the field that says which track an event is on
 */
struct perfetto_task {
	struct process	*process;
	uint64_t	uuid;
	size_t		len;
	char		track[16];
};

static struct {
	struct out	*out;
	uint64_t	last_track;
	bool		started;
} perfetto;

static inline char *put_varint(char *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = value | 0x80;
		value >>= 7;
	}
	*to++ = value;
	return to;
}

static inline char *put_field(char *to, unsigned int tag, uint64_t value)
{
	return put_varint(put_varint(to, tag), value);
}

/*
 * A message inside a message: its length is in front of it and is known last.
 * put_message() leaves four bytes for that, which is what a length has here
 * whatever it is; end_message() fills them in.
 */
#define LENGTH_SIZE	4

static char *put_message(char *to, unsigned int tag, char **start)
{
	*start = put_varint(to, tag) + LENGTH_SIZE;
	return *start;
}

static void end_message(char *start, const char *end)
{
	unsigned int length = end - start;
	char *to = start - LENGTH_SIZE;

	for (; to < start - 1; length >>= 7)
		*to++ = length | 0x80;
	*to = length;
}

/*
 * A string from outside: made UTF-8, cut at @max bytes. Takes as much room and
 * LENGTH_SIZE and a tag.
 */
static char *put_string(char *to, unsigned int tag, const char *text, size_t max)
{
	const unsigned char *from = (const unsigned char *)text;
	char *start, *stop;

	to = put_message(to, tag, &start);
	stop = to + max;
	while (*from) {
		size_t size = utf8_size(from);
		/* U+FFFD stands for a byte that is no character. */
		const void *what = size ? from : (const void *)"\357\277\275";
		size_t what_size = size ? size : 3;

		if (to + what_size > stop)
			break;
		memcpy(to, what, what_size);
		to += what_size;
		from += size ? size : 1;
	}
	end_message(start, to);
	return to;
}

static char *put_packet(char *to, char **start, unsigned int flags)
{
	to = put_message(to, TRACE_PACKET, start);
	to = put_field(to, PACKET_SEQUENCE_ID, SEQUENCE);
	return put_field(to, PACKET_SEQUENCE_FLAGS, flags);
}

/*
 * The first packets: where the numbers of names begin, and which clock times
 * are of. The clock snapshot keeps viewers from converting them to another.
 */
static void write_start(uint64_t ns)
{
	char *to = out_room(perfetto.out, PACKET_ROOM);
	char *packet, *snapshot, *message;

	to = put_packet(to, &packet, SEQ_INCREMENTAL_STATE_CLEARED);
	to = put_message(to, PACKET_DEFAULTS, &message);
	to = put_field(to, DEFAULTS_TIMESTAMP_CLOCK_ID, BUILTIN_CLOCK_MONOTONIC);
	end_message(message, to);
	end_message(packet, to);

	to = put_packet(to, &packet, SEQ_NEEDS_INCREMENTAL_STATE);
	to = put_field(to, PACKET_TIMESTAMP, ns);
	to = put_message(to, PACKET_CLOCK_SNAPSHOT, &snapshot);
	to = put_message(to, SNAPSHOT_CLOCKS, &message);
	to = put_field(to, CLOCK_ID, BUILTIN_CLOCK_MONOTONIC);
	to = put_field(to, CLOCK_TIMESTAMP, ns);
	end_message(message, to);
	to = put_field(to, SNAPSHOT_PRIMARY_TRACE_CLOCK, BUILTIN_CLOCK_MONOTONIC);
	end_message(snapshot, to);
	end_message(packet, to);
	out_take(perfetto.out, to);
	perfetto.started = true;
}

/* The first event of a task, or the first after exec(): say what its track is. */
static struct perfetto_task *name_task(struct task *task)
{
	struct process *process = task->process;
	struct machine *machine = process->machine;
	uint64_t first = out_id(machine, 0);
	struct perfetto_task *own = task->out;
	char *to, *packet, *track, *message, *name;
	uint64_t parent;

	/* A thread of another process is another thread, even with the same number. */
	if (!own || own->process->pid != process->pid) {
		if (!own)
			own = xalloc(sizeof(*own));
		own->uuid = ++perfetto.last_track;
		to = put_field(own->track, TRACK_EVENT_TRACK_UUID, own->uuid);
		own->len = to - own->track;
		task->out = own;
	}
	own->process = process;

	/* Threads count from 1, so a process is found above all of them. */
	parent = (uint64_t)1 << 60 | (uint64_t)machine->index << 32 | process->pid;
	name = xasprintf("%s%s%s", machine->name, *machine->name ? ": " : "",
			 program_name(process));

	to = out_room(perfetto.out, PACKET_ROOM + TEXT_MAX);
	to = put_packet(to, &packet, SEQ_NEEDS_INCREMENTAL_STATE);
	to = put_message(to, PACKET_TRACK_DESCRIPTOR, &track);
	to = put_field(to, TRACK_UUID, parent);
	to = put_message(to, TRACK_PROCESS, &message);
	to = put_field(to, PROCESS_PID, first + process->pid);
	to = put_string(to, PROCESS_NAME, name, TEXT_MAX);
	end_message(message, to);
	end_message(track, to);
	end_message(packet, to);
	out_take(perfetto.out, to);
	free(name);

	to = out_room(perfetto.out, PACKET_ROOM + sizeof(task->name));
	to = put_packet(to, &packet, SEQ_NEEDS_INCREMENTAL_STATE);
	to = put_message(to, PACKET_TRACK_DESCRIPTOR, &track);
	to = put_field(to, TRACK_UUID, own->uuid);
	to = put_field(to, TRACK_PARENT_UUID, parent);
	to = put_message(to, TRACK_THREAD, &message);
	to = put_field(to, THREAD_PID, first + process->pid);
	to = put_field(to, THREAD_TID, first + task->tid);
	to = put_string(to, THREAD_NAME, task->name, sizeof(task->name));
	end_message(message, to);
	end_message(track, to);
	end_message(packet, to);
	out_take(perfetto.out, to);
	return own;
}

/* The packet of an event up to the event itself. */
static inline char *put_head(char *to, uint64_t ns)
{
	to = put_field(to, PACKET_SEQUENCE_ID, SEQUENCE);
	to = put_field(to, PACKET_SEQUENCE_FLAGS, SEQ_NEEDS_INCREMENTAL_STATE);
	return put_field(to, PACKET_TIMESTAMP, ns);
}

static inline char *put_event(char *to, enum slice_type type,
			      const struct perfetto_task *own)
{
	to = put_field(to, TRACK_EVENT_TYPE, type);
	/* A constant size is faster than the right one. */
	memcpy(to, own->track, sizeof(own->track));
	return to + own->len;
}

/*
 * The usual packet: a call begins, its name is known to the reader, or it ends.
 * It is shorter than 128 bytes, so its lengths have one byte.
 */
static inline void write_call(enum slice_type type, uint64_t ns, unsigned int name,
			      const struct perfetto_task *own)
{
	char *to = out_room(perfetto.out, PACKET_ROOM);
	char *packet, *event;

	*to++ = TRACE_PACKET;
	packet = ++to;
	to = put_head(to, ns);
	*to++ = PACKET_TRACK_EVENT;
	event = ++to;
	to = put_event(to, type, own);
	if (type == TYPE_SLICE_BEGIN)
		to = put_field(to, TRACK_EVENT_NAME_IID, name);
	event[-1] = to - event;
	packet[-1] = to - packet;
	out_take(perfetto.out, to);
}

/* Texts of all values of a call are cut there. */
#define VALUE_TEXT_MAX	1024
#define VALUES_MAX	32
/* A name, a text, and what is around them. */
#define VALUE_ROOM	(2 * VALUE_TEXT_MAX + 32)

static char *put_value(char *to, const struct value *value)
{
	char *annotation;

	to = put_message(to, TRACK_EVENT_DEBUG_ANNOTATIONS, &annotation);
	to = put_string(to, ANNOTATION_NAME, value->name ? value->name : "return",
			VALUE_TEXT_MAX);
	switch (value->kind) {
	case VALUE_SIGNED:
		to = put_field(to, ANNOTATION_INT_VALUE, value->integer);
		break;
	case VALUE_UNSIGNED:
		to = put_field(to, ANNOTATION_UINT_VALUE, value->integer);
		break;
	case VALUE_FLOAT:
		*to++ = ANNOTATION_DOUBLE_VALUE;
		memcpy(to, &value->number, sizeof(value->number));
		to += sizeof(value->number);
		break;
	case VALUE_STRING:
		to = put_string(to, ANNOTATION_STRING_VALUE, value->string, VALUE_TEXT_MAX);
		break;
	case VALUE_TEXT:
		to = put_string(to, ANNOTATION_STRING_VALUE, value->text, VALUE_TEXT_MAX);
		break;
	}
	end_message(annotation, to);
	return to;
}

/* A packet with a name that is new, or with more than a name. */
static void write_long(const struct event *event, enum slice_type type,
		       const struct perfetto_task *own)
{
	char *to = out_room(perfetto.out, PACKET_ROOM + 2 * TEXT_MAX + VALUES_MAX * VALUE_ROOM);
	size_t i;
	char *packet, *message, *inner;

	to = put_message(to, TRACE_PACKET, &packet);
	to = put_head(to, event->ns);
	if (event->type != EVENT_LOST && !event->symbol->used) {
		to = put_message(to, PACKET_INTERNED_DATA, &message);
		to = put_message(to, INTERNED_EVENT_NAMES, &inner);
		to = put_field(to, INTERNED_NAME_IID, event->symbol->id);
		to = put_string(to, INTERNED_NAME_NAME, event->symbol->name, TEXT_MAX);
		end_message(inner, to);
		end_message(message, to);
		event->symbol->used = true;
	}
	to = put_message(to, PACKET_TRACK_EVENT, &message);
	to = put_event(to, type, own);
	if (event->type == EVENT_LOST) {
		to = put_string(to, TRACK_EVENT_NAME, "lost", TEXT_MAX);
		to = put_message(to, TRACK_EVENT_DEBUG_ANNOTATIONS, &inner);
		to = put_string(to, ANNOTATION_NAME, "count", TEXT_MAX);
		to = put_field(to, ANNOTATION_UINT_VALUE, event->count);
		end_message(inner, to);
	} else if (type != TYPE_SLICE_END) {
		to = put_field(to, TRACK_EVENT_NAME_IID, event->symbol->id);
	}
	for (i = 0; event->values && i < event->values->nr && i < VALUES_MAX; i++)
		to = put_value(to, &event->values->list[i]);
	if (event->type == EVENT_POINT && event->text) {
		to = put_message(to, TRACK_EVENT_DEBUG_ANNOTATIONS, &inner);
		to = put_string(to, ANNOTATION_NAME, "text", TEXT_MAX);
		to = put_string(to, ANNOTATION_STRING_VALUE, event->text, TEXT_MAX);
		end_message(inner, to);
	}
	end_message(message, to);
	end_message(packet, to);
	out_take(perfetto.out, to);
}

static void perfetto_begin(struct trace *trace, const char *path)
{
	(void)trace;
	perfetto.last_track = 0;
	perfetto.started = false;
	perfetto.out = out_open(path);
}

static void perfetto_event(const struct event *event)
{
	const struct perfetto_task *own = event->task->out;

	if (__builtin_expect(!own || own->process != event->task->process, 0)) {
		if (!perfetto.started)
			write_start(event->ns);
		own = name_task(event->task);
	}

	switch (event->type) {
	case EVENT_ENTRY:
		if (__builtin_expect(event->symbol->used && !event->values, 1))
			write_call(TYPE_SLICE_BEGIN, event->ns, event->symbol->id, own);
		else
			write_long(event, TYPE_SLICE_BEGIN, own);
		break;
	case EVENT_EXIT:
		if (__builtin_expect(!event->values, 1))
			write_call(TYPE_SLICE_END, event->ns, 0, own);
		else
			write_long(event, TYPE_SLICE_END, own);
		break;
	case EVENT_LOST:
	case EVENT_POINT:
		write_long(event, TYPE_INSTANT, own);
		break;
	}
}

static int perfetto_end(struct trace *trace)
{
	if (!perfetto.started)
		write_start(0);
	return out_close(perfetto.out);
}

const struct writer perfetto_writer = {
	.name	= "perfetto",
	.ends	= true,
	.begin	= perfetto_begin,
	.event	= perfetto_event,
	.end	= perfetto_end,
};

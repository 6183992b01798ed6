// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read a kernel's trace, in the process that kernel.c starts for it.
 *
 * There are two forms: a trace.dat file, read with libtracecmd, and the
 * directory that kernel_live.c makes, whose pages libtraceevent takes apart.
 * Either gives one feed per CPU and buffer. The feeds are merged by time here.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <event-parse.h>
#include <kbuffer.h>
#include <trace-cmd.h>

#include "kernel.h"
#include "kernel_protocol.h"

/*
 * Not in the header that is installed, though it is in the library. Without it
 * the clock is not known.
 */
const char *tracecmd_get_trace_clock(struct tracecmd_input *handle);
#pragma weak tracecmd_get_trace_clock

#define PAGE_MAX	(1024 * 1024)	/* of the ring buffer */
#define PAGE_SLACK	64		/* that may be read behind a damaged page */
#define CPU_MAX		65536
#define EVENT_MAX	65536	/* common_type has 16 bits */

/**
 * struct feed - the events of one CPU of one buffer, in order of time
 * @record: the next one; NULL at the end
 * @counter: @record->ts is of the time stamp counter
 * @unknown: it is of neither that nor CLOCK_MONOTONIC
 * @handle: of libtracecmd, for a trace.dat file
 * @cpu: which, in the order of that library
 * @started: the first record was read
 * @file: the pages of a recording
 * @kbuf: takes them apart
 * @page: the one at hand
 * @own: room for @record
 */
struct feed {
	struct tep_record	*record;
	bool			counter;
	bool			unknown;
	struct tracecmd_input	*handle;
	int			cpu;
	bool			started;
	FILE			*file;
	struct kbuffer		*kbuf;
	char			*page;
	struct tep_record	own;
};

/* What an event is for us. */
enum kind {
	KIND_ENTRY,
	KIND_EXIT,
	KIND_FUNCTION,
	KIND_STACK,
	KIND_OTHER,
};

/**
 * struct format - an event of the trace
 * @event: as libtraceevent has it
 * @kind: what it is
 * @func: the field with the function's address
 * @extra: that with the depth, the caller's address, or callers
 * @symbol: its name, for KIND_STACK and KIND_OTHER
 */
struct format {
	struct tep_event	*event;
	enum kind		kind;
	struct tep_format_field	*func;
	struct tep_format_field	*extra;
	uint32_t		symbol;
};

/**
 * struct ids - small numbers for large ones
 * @slots: of a hash table with open addressing; @id is 0 in a free one
 * @room: a power of two
 * @used: how many are taken
 */
struct ids {
	struct {
		uint64_t key;
		uint32_t id;
	} *slots;
	size_t	room;
	size_t	used;
};

static struct {
	const struct kernel_input *input;
	FILE			*pipe;
	struct tep_handle	*tep;
	struct feed		**feeds;	/* a heap, the earliest is first */
	size_t			nr_feeds;
	size_t			page_size;
	struct format		*formats[EVENT_MAX];
	struct ids		functions;	/* by address */
	struct ids		tasks;		/* by number */
	struct ids		tgids;		/* value by number */
	uint32_t		nr_symbols;
	uint32_t		nr_tasks;
	struct trace_seq	text;
	uint64_t		total;
	uint64_t		done;
	uint64_t		bad;		/* told at the end */
	char			*clock;		/* the user was warned of */
} decode;

/* Telling */

static void emit(const struct message *message, const char *text)
{
	if (fwrite(message, sizeof(*message), 1, decode.pipe) != 1 ||
	    (message->size && fwrite(text, message->size, 1, decode.pipe) != 1))
		_exit(1);
}

static void emit_value(enum message_type type, uint64_t value)
{
	struct message message = { .type = type, .value = value };

	emit(&message, NULL);
}

/* Frees the text, which is the caller's xasprintf(). */
static void emit_text(enum message_type type, uint64_t value, char *text)
{
	struct message message = { .type = type, .value = value, .size = strlen(text) + 1 };

	emit(&message, text);
	free(text);
}

/* Tell why there is nothing to be told, and end. */
static void give_up(int error, char *why)
{
	emit_text(MESSAGE_FAILED, error, why);
	fflush(decode.pipe);
	_exit(0);
}

/* Numbers */

static uint32_t *ids_slot(struct ids *ids, uint64_t key)
{
	size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32;

	for (;; at++) {
		at &= ids->room - 1;
		if (!ids->slots[at].id || ids->slots[at].key == key)
			break;
	}
	ids->slots[at].key = key;
	return &ids->slots[at].id;
}

/* The place of the number for @key, which is 0 if there was none. */
static uint32_t *ids_get(struct ids *ids, uint64_t key)
{
	uint32_t *id;

	if (ids->used * 2 >= ids->room) {
		struct ids larger = { .room = ids->room ? ids->room * 2 : 1024 };
		size_t i;

		larger.slots = xalloc(larger.room * sizeof(*larger.slots));
		larger.used = ids->used;
		for (i = 0; i < ids->room; i++)
			if (ids->slots[i].id)
				*ids_slot(&larger, ids->slots[i].key) = ids->slots[i].id;
		free(ids->slots);
		*ids = larger;
	}
	id = ids_slot(ids, key);
	if (!*id)
		ids->used++;
	return id;
}

/* Symbols and tasks: their number is told once, the message is the first use. */

static uint32_t new_symbol(const char *name)
{
	emit_text(MESSAGE_SYMBOL, 0, xstrdup(name));
	return decode.nr_symbols++;
}

static uint32_t function_symbol(uint64_t addr)
{
	uint32_t *id = ids_get(&decode.functions, addr);
	const char *name;

	if (!*id) {
		char unknown[32];

		name = tep_find_function(decode.tep, addr);
		if (!name) {
			snprintf(unknown, sizeof(unknown), "<%llx>", (unsigned long long)addr);
			name = unknown;
		}
		*id = new_symbol(name) + 1;
	}
	return *id - 1;
}

static const char *task_comm(int pid)
{
	const char *comm = NULL;

	if (tep_is_pid_registered(decode.tep, pid))
		comm = tep_data_comm_from_pid(decode.tep, pid);
	/* As all tools of ftrace say. */
	return comm ? comm : "<...>";
}

static uint32_t task_id(int pid, int cpu)
{
	uint32_t tid = pid ? (uint32_t)pid : KERNEL_IDLE_TID + cpu;
	uint32_t *id = ids_get(&decode.tasks, tid);
	struct message message = { .type = MESSAGE_TASK, .task = tid };
	char text[512];

	if (*id)
		return *id - 1;
	if (pid) {
		uint32_t tgid = decode.tgids.room ? *ids_slot(&decode.tgids, tid) : 0;

		message.symbol = tgid ? tgid : tid;
		/* The format has the NUL between the two. */
		message.size = snprintf(text, sizeof(text), "%.200s%c%.200s", task_comm(pid), '\0',
					task_comm(message.symbol)) + 1;
	} else {
		message.size = snprintf(text, sizeof(text), "idle/%d%cidle", cpu, '\0') + 1;
	}
	emit(&message, text);
	*id = ++decode.nr_tasks;
	return *id - 1;
}

/* Formats of events */

static bool get_number(struct tep_format_field *field, const struct tep_record *record,
		       uint64_t *value)
{
	unsigned long long number;

	if (!field || field->offset < 0 || field->size <= 0 ||
	    (int64_t)field->offset + field->size > record->size)
		return false;
	if (tep_read_number_field(field, record->data, &number))
		return false;
	*value = number;
	return true;
}

static struct format *get_format(struct tep_record *record)
{
	static const struct {
		const char	*event;
		enum kind	kind;
		const char	*func;
		const char	*extra;
	} special[] = {
		{ "funcgraph_entry", KIND_ENTRY, "func", "depth" },
		{ "funcgraph_exit", KIND_EXIT, "func", "depth" },
		{ "function", KIND_FUNCTION, "ip", "parent_ip" },
		{ "kernel_stack", KIND_STACK, "size", "caller" },
	};
	int type = tep_data_type(decode.tep, record);
	struct tep_event *event;
	struct format *format;
	size_t i;

	if (type < 0 || type >= EVENT_MAX)
		return NULL;
	if (decode.formats[type])
		return decode.formats[type];
	event = tep_find_event(decode.tep, type);
	if (!event || !event->system || !event->name)
		return NULL;
	format = xalloc(sizeof(*format));
	format->event = event;
	format->kind = KIND_OTHER;
	for (i = 0; i < ARRAY_SIZE(special); i++) {
		if (strcmp(event->system, "ftrace") || strcmp(event->name, special[i].event))
			continue;
		format->func = tep_find_field(event, special[i].func);
		format->extra = tep_find_field(event, special[i].extra);
		if (format->func && format->extra)
			format->kind = special[i].kind;
	}
	if ((format->kind == KIND_STACK || format->kind == KIND_OTHER) &&
	    !decode.input->offset) {
		char name[512];

		snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
		format->symbol = new_symbol(name);
	}
	decode.formats[type] = format;
	return format;
}

/*
 * Whether the strings and arrays of a record are inside it; libtraceevent does
 * not look. Nor does it for fixed fields.
 */
static bool record_complete(struct tep_event *event, const struct tep_record *record)
{
	struct tep_format_field *field;

	for (field = event->format.fields; field; field = field->next) {
		uint64_t value, at;

		if (field->offset < 0 || field->size < 0)
			return false;
		/* An array of unknown size is at the end. */
		if ((int64_t)field->offset + field->size > record->size)
			return false;
		if (!(field->flags & TEP_FIELD_IS_DYNAMIC))
			continue;
		if (field->size != 4 || !get_number(field, record, &value))
			continue;
		at = value & 0xffff;
		if (field->flags & TEP_FIELD_IS_RELATIVE)
			at += field->offset + field->size;
		if (at + (value >> 16 & 0xffff) > (uint64_t)record->size)
			return false;
	}
	return true;
}

/* Make the text one line; returns its size with the NUL, 0 if there is none. */
static size_t text_size(void)
{
	struct trace_seq *text = &decode.text;
	size_t i, size;

	trace_seq_terminate(text);
	if (text->state != TRACE_SEQ__GOOD) {
		/* Out of memory: do without. */
		trace_seq_init(text);
		return 0;
	}
	size = strnlen(text->buffer,
		       text->len < MESSAGE_TEXT_MAX ? text->len : MESSAGE_TEXT_MAX - 1);
	while (size && (text->buffer[size - 1] == '\n' || text->buffer[size - 1] == ' '))
		size--;
	if (!size)
		return 0;
	/* Stack traces have lines. */
	for (i = 0; i < size; i++)
		if ((unsigned char)text->buffer[i] < ' ')
			text->buffer[i] = ' ';
	text->buffer[size] = '\0';
	return size + 1;
}

static void print_function(uint64_t addr)
{
	const char *name = tep_find_function(decode.tep, addr);

	if (name)
		trace_seq_puts(&decode.text, name);
	else
		trace_seq_printf(&decode.text, "0x%llx", (unsigned long long)addr);
}

/* The format says how many callers there are at most, a field how many there are. */
static void print_stack(const struct format *format, const struct tep_record *record)
{
	int size = tep_get_long_size(decode.tep), at = format->extra->offset;
	uint64_t nr;

	if (!get_number(format->func, record, &nr))
		return;
	for (; nr && at >= 0 && at + size <= record->size; at += size, nr--) {
		if (at != format->extra->offset)
			trace_seq_puts(&decode.text, " < ");
		print_function(tep_read_number(decode.tep, (char *)record->data + at, size));
	}
}

/* Returns false if the record makes no sense. */
static bool emit_record(struct feed *feed, struct tep_record *record)
{
	struct message message = { .type = MESSAGE_EVENT };
	struct format *format;
	uint64_t func, extra;
	int pid;

	if (record->missed_events)
		/* Less than 0: some. */
		emit_value(MESSAGE_LOST, record->missed_events > 0 ? record->missed_events : 1);
	/* The common fields: type, flags, count of preemption, process. */
	if (!record->data || record->size < 8)
		return false;
	format = get_format(record);
	if (!format)
		return false;
	pid = tep_data_pid(decode.tep, record);
	if (pid < 0 || record->cpu < 0)
		return false;
	message.task = task_id(pid, record->cpu);
	message.time = record->ts;
	message.counter = feed->counter;
	switch (format->kind) {
	case KIND_ENTRY:
	case KIND_EXIT:
		if (!get_number(format->func, record, &func) ||
		    !get_number(format->extra, record, &extra))
			return false;
		message.event = format->kind == KIND_ENTRY ? EVENT_ENTRY : EVENT_EXIT;
		message.symbol = function_symbol(func);
		message.depth = extra;
		break;
	case KIND_FUNCTION:
		if (!get_number(format->func, record, &func) ||
		    !get_number(format->extra, record, &extra))
			return false;
		message.event = EVENT_POINT;
		message.symbol = function_symbol(func);
		trace_seq_reset(&decode.text);
		trace_seq_puts(&decode.text, "parent=");
		print_function(extra);
		message.size = text_size();
		break;
	case KIND_STACK:
		message.event = EVENT_POINT;
		message.symbol = format->symbol;
		trace_seq_reset(&decode.text);
		print_stack(format, record);
		message.size = text_size();
		break;
	case KIND_OTHER:
		if (!record_complete(format->event, record))
			return false;
		message.event = EVENT_POINT;
		message.symbol = format->symbol;
		trace_seq_reset(&decode.text);
		tep_print_event(decode.tep, &decode.text, record, "%s", TEP_PRINT_INFO);
		message.size = text_size();
		break;
	}
	message.value = decode.done < decode.total ? decode.done : decode.total;
	emit(&message, decode.text.buffer);
	return true;
}

/* Feeds */

/*
 * Look at a page before libtraceevent does: a length in it could send the
 * library out of the page, or round in circles.
 */
static bool page_sane(const struct feed *feed)
{
	char *page = feed->page, *data, *end;
	size_t header = tep_get_header_page_size(decode.tep) + sizeof(uint64_t);
	size_t size = tep_read_number(decode.tep, page + sizeof(uint64_t),
				      tep_get_header_page_size(decode.tep));
	struct kbuffer_raw_info info = {};

	size &= (1u << 27) - 1;
	if (size > decode.page_size - header)
		return false;
	data = page + header;
	end = data + size;
	info.next = data;
	while (data < end) {
		if (!kbuffer_raw_get(feed->kbuf, page, &info))
			return false;
		if (info.length < 0 || (char *)info.next <= data || (char *)info.next > end)
			return false;
		data = info.next;
	}
	return true;
}

static bool next_page(struct feed *feed)
{
	size_t got;

	for (;;) {
		got = fread(feed->page, 1, decode.page_size, feed->file);
		if (got != decode.page_size)
			break;
		decode.done += got;
		if (page_sane(feed) && !kbuffer_load_subbuffer(feed->kbuf, feed->page))
			return true;
		decode.bad++;
	}
	if (ferror(feed->file))
		emit_text(MESSAGE_UNREAD, 0,
			  xasprintf("cpu%u.raw: %s; what comes behind is missing", feed->cpu,
				    strerror(errno)));
	/* Part of a page: the recording was cut off. */
	else if (got)
		decode.bad++;
	return false;
}

static struct tep_record *next_of_pages(struct feed *feed)
{
	struct tep_record *record = &feed->own;
	void *data = NULL;

	if (feed->started)
		kbuffer_next_event(feed->kbuf, NULL);
	for (;;) {
		if (feed->started)
			data = kbuffer_read_event(feed->kbuf, &record->ts);
		if (data)
			break;
		if (!next_page(feed))
			return NULL;
		feed->started = true;
	}
	record->data = data;
	record->size = kbuffer_event_size(feed->kbuf);
	record->record_size = kbuffer_curr_size(feed->kbuf);
	record->missed_events = kbuffer_missed_events(feed->kbuf);
	record->cpu = feed->cpu;
	return record;
}

static struct tep_record *next_of_dat(struct feed *feed)
{
	struct tep_record *record;

	tracecmd_free_record(feed->record);
	if (feed->started)
		record = tracecmd_read_data(feed->handle, feed->cpu);
	else
		record = tracecmd_read_cpu_first(feed->handle, feed->cpu);
	feed->started = true;
	if (record && record->record_size > 0)
		decode.done += record->record_size;
	return record;
}

/* Make @feed->record the next one; false at the end. */
static bool feed_next(struct feed *feed)
{
	feed->record = feed->file ? next_of_pages(feed) : next_of_dat(feed);
	return feed->record;
}

static void add_feed(const struct feed *template)
{
	struct feed *feed = xalloc(sizeof(*feed));
	size_t at;

	*feed = *template;
	if (!feed_next(feed)) {
		/* Nothing was recorded on this CPU. */
		if (feed->file)
			fclose(feed->file);
		kbuffer_free(feed->kbuf);
		free(feed->page);
		free(feed);
		return;
	}
	decode.feeds = xrealloc(decode.feeds, (decode.nr_feeds + 1) * sizeof(*decode.feeds));
	for (at = decode.nr_feeds++; at; at = (at - 1) / 2) {
		struct feed *parent = decode.feeds[(at - 1) / 2];

		if (parent->record->ts <= feed->record->ts)
			break;
		decode.feeds[at] = parent;
	}
	decode.feeds[at] = feed;
}

/* The first feed has another record now, or none: put it where it belongs. */
static void sift_first(void)
{
	struct feed *feed = decode.feeds[0];
	size_t at = 0, child;

	if (!feed->record)
		feed = decode.feeds[--decode.nr_feeds];
	for (; (child = 2 * at + 1) < decode.nr_feeds; at = child) {
		if (child + 1 < decode.nr_feeds &&
		    decode.feeds[child + 1]->record->ts < decode.feeds[child]->record->ts)
			child++;
		if (feed->record->ts <= decode.feeds[child]->record->ts)
			break;
		decode.feeds[at] = decode.feeds[child];
	}
	if (decode.nr_feeds)
		decode.feeds[at] = feed;
}

/* Clocks */

/* Warns if times cannot be compared. */
static void set_clock(struct feed *feed, const char *clock)
{
	if (!clock)
		clock = "unknown";
	feed->counter = !strcmp(clock, "x86-tsc");
	feed->unknown = !feed->counter && strcmp(clock, "mono");
	if (!feed->unknown || decode.input->offset ||
	    (decode.clock && !strcmp(decode.clock, clock)))
		return;
	free(decode.clock);
	decode.clock = xstrdup(clock);
	emit_text(MESSAGE_WARN, 0,
		  xasprintf("its clock is \"%s\": how it aligns with others is not known", clock));
}

/* trace.dat */

static void add_handle(struct tracecmd_input *handle)
{
	struct feed feed = { .handle = handle };
	unsigned int cpu;

	set_clock(&feed, tracecmd_get_trace_clock ? tracecmd_get_trace_clock(handle) : NULL);
	/* How many there are only the library knows; those are the ones with data. */
	for (cpu = 0; cpu < CPU_MAX; cpu++) {
		feed.cpu = cpu;
		add_feed(&feed);
	}
}

static void open_dat(const char *path)
{
	struct tracecmd_input *handle;
	struct stat stat_buf;
	int fd, i, nr;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &stat_buf))
		give_up(errno, xstrdup(strerror(errno)));
	if (S_ISDIR(stat_buf.st_mode))
		give_up(EISDIR, xstrdup(strerror(EISDIR)));
	decode.total = stat_buf.st_size;
	/* Without plugins: what they print is not what the kernel's formats say. */
	handle = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle)
		give_up(EINVAL, xstrdup("not a trace.dat file, or a damaged one"));
	decode.tep = tracecmd_get_tep(handle);
	if (!decode.tep)
		give_up(EINVAL, xstrdup("damaged: it has no event formats"));
	add_handle(handle);
	nr = tracecmd_buffer_instances(handle);
	for (i = 0; i < nr; i++) {
		struct tracecmd_input *instance = tracecmd_buffer_instance_handle(handle, i);

		if (instance)
			add_handle(instance);
		else
			decode.bad++;
	}
}

/* A recording of kernel_live.c */

static char *load_file(const char *dir, const char *name, size_t *size)
{
	char *path = xasprintf("%s/%s", dir, name);
	char *text = read_file(path, size);

	free(path);
	return text;
}

/* The value of a line "NAME VALUE" of the description; NULL if there is none. */
static char *info_value(const char *info, const char *name)
{
	size_t len = strlen(name);

	for (; info; info = strchr(info, '\n')) {
		if (*info == '\n')
			info++;
		if (!strncmp(info, name, len) && info[len] == ' ')
			return strndup(info + len + 1, strcspn(info + len + 1, "\n"));
	}
	return NULL;
}

static void load_formats(const char *dir)
{
	char *events = xasprintf("%s/events", dir);
	struct dirent **systems, **names;
	int nr_systems, nr_names, i, j;

	nr_systems = scandir(events, &systems, NULL, alphasort);
	for (i = 0; i < nr_systems; i++) {
		char *system = xasprintf("%s/%s", events, systems[i]->d_name);

		nr_names = *systems[i]->d_name == '.' ? 0 :
			   scandir(system, &names, NULL, alphasort);
		for (j = 0; j < nr_names; j++) {
			char *file = xasprintf("%s/format", names[j]->d_name), *text;
			size_t size;

			text = *names[j]->d_name == '.' ? NULL : load_file(system, file, &size);
			/* If it fails, events of this kind are bad, as others that are unknown. */
			if (text)
				tep_parse_event(decode.tep, text, size, systems[i]->d_name);
			free(text);
			free(file);
			free(names[j]);
		}
		if (nr_names > 0)
			free(names);
		free(system);
		free(systems[i]);
	}
	if (nr_systems >= 0)
		free(systems);
	free(events);
}

static void load_tgids(const char *text)
{
	unsigned int tid, tgid;
	int used;

	/* A larger number than a task has would be that of an idle task. */
	for (; text && sscanf(text, "%u %u%n", &tid, &tgid, &used) == 2; text += used)
		if (tid && tgid && tid < KERNEL_IDLE_TID)
			*ids_get(&decode.tgids, tid) = tgid;
}

static void load_names(const char *dir)
{
	char *text;

	text = load_file(dir, "kallsyms", NULL);
	if (!text || tep_parse_kallsyms(decode.tep, text))
		emit_text(MESSAGE_WARN, 0, xstrdup("the kernel's functions have no names"));
	free(text);
	text = load_file(dir, "saved_cmdlines", NULL);
	if (text)
		tep_parse_saved_cmdlines(decode.tep, text);
	free(text);
	text = load_file(dir, "printk_formats", NULL);
	if (text)
		tep_parse_printk_formats(decode.tep, text);
	free(text);
	text = load_file(dir, "saved_tgids", NULL);
	load_tgids(text);
	free(text);
}

static void add_pages(const char *dir, unsigned int cpu, const char *clock)
{
	char *path = xasprintf("%s/cpu%u.raw", dir, cpu);
	struct feed feed = { .cpu = cpu };
	struct stat stat_buf;

	set_clock(&feed, clock);
	feed.file = fopen(path, "re");
	if (!feed.file || fstat(fileno(feed.file), &stat_buf))
		give_up(errno, xasprintf("cpu%u.raw: %s", cpu, strerror(errno)));
	decode.total += stat_buf.st_size;
	feed.kbuf = tep_kbuffer(decode.tep);
	if (!feed.kbuf)
		give_up(ENOMEM, xstrdup(strerror(ENOMEM)));
	feed.page = xalloc(decode.page_size + PAGE_SLACK);
	add_feed(&feed);
	free(path);
}

static void open_live(const char *dir)
{
	char *info, *order, *clock, *header;
	struct dirent **names;
	size_t size;
	int nr, i;

	info = load_file(dir, KERNEL_INFO, NULL);
	if (!info)
		give_up(errno, xasprintf(KERNEL_INFO ": %s", strerror(errno)));
	order = info_value(info, "byte_order");
	clock = info_value(info, "clock");
	header = load_file(dir, "events/header_page", &size);
	decode.tep = tep_alloc();
	if (!order || !clock || !header || !decode.tep)
		give_up(EINVAL, xstrdup("damaged: it lacks a description"));
	tep_set_file_bigendian(decode.tep, !strcmp(order, "big") ? TEP_BIG_ENDIAN :
							     TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(decode.tep, tep_is_bigendian() ? TEP_BIG_ENDIAN :
								 TEP_LITTLE_ENDIAN);
	if (tep_parse_header_page(decode.tep, header, size, sizeof(long)) ||
	    tep_get_header_timestamp_size(decode.tep) != sizeof(uint64_t) ||
	    (tep_get_header_page_size(decode.tep) != 4 &&
	     tep_get_header_page_size(decode.tep) != 8))
		give_up(EINVAL, xstrdup("damaged: events/header_page is not understood"));
	/* That of local_t, which is a long. */
	tep_set_long_size(decode.tep, tep_get_header_page_size(decode.tep));
	decode.page_size = tep_get_sub_buffer_size(decode.tep);
	if (decode.page_size < 64 || decode.page_size > PAGE_MAX)
		give_up(EINVAL, xasprintf("damaged: pages of %zu bytes", decode.page_size));
	load_formats(dir);
	load_names(dir);
	free(header);
	free(info);
	nr = scandir(dir, &names, NULL, alphasort);
	for (i = 0; i < nr; i++) {
		unsigned int cpu;
		int end = 0;

		if (sscanf(names[i]->d_name, "cpu%u.raw%n", &cpu, &end) == 1 && end &&
		    !names[i]->d_name[end] && cpu < CPU_MAX)
			add_pages(dir, cpu, clock);
		free(names[i]);
	}
	if (nr >= 0)
		free(names);
}

/* kvm_write_tsc_offset */

static void find_offsets(void)
{
	for (; decode.nr_feeds; feed_next(decode.feeds[0]), sift_first()) {
		struct tep_record *record = decode.feeds[0]->record;
		struct message message = { .type = MESSAGE_OFFSET };
		struct format *format;
		uint64_t id;

		if (!record->data || record->size < 8)
			continue;
		format = get_format(record);
		if (!format || strcmp(format->event->name, "kvm_write_tsc_offset"))
			continue;
		/* Fields of KIND_OTHER: they have no use there. */
		if (!format->func) {
			format->func = tep_find_field(format->event, "vcpu_id");
			format->extra = tep_find_field(format->event, "next_tsc_offset");
		}
		if (!get_number(format->func, record, &id) ||
		    !get_number(format->extra, record, &message.value))
			continue;
		message.task = id;
		message.time = record->ts;
		message.counter = decode.feeds[0]->counter;
		message.depth = decode.feeds[0]->unknown;
		emit(&message, NULL);
	}
}

void kernel_decode(const struct kernel_input *input, int fd)
{
	decode.input = input;
	decode.pipe = fdopen(fd, "w");
	if (!decode.pipe)
		_exit(1);
	setvbuf(decode.pipe, NULL, _IOFBF, 64 * 1024);
	/* What is wrong is told in our words. */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	trace_seq_init(&decode.text);
	if (input->live)
		open_live(input->path);
	else
		open_dat(input->path);
	emit_value(MESSAGE_READY, decode.total);
	if (input->offset)
		find_offsets();
	else
		for (; decode.nr_feeds; feed_next(decode.feeds[0]), sift_first())
			if (!emit_record(decode.feeds[0], decode.feeds[0]->record))
				decode.bad++;
	if (decode.bad)
		emit_value(MESSAGE_BAD, decode.bad);
	emit_value(MESSAGE_END, 0);
	fflush(decode.pipe);
}

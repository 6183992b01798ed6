// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read a directory of uftrace, ours or its own.
 */
#define _GNU_SOURCE
#include <byteswap.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "trace.h"
#include "uftrace.h"

struct dat {
	struct source	source;
	struct trace	*trace;
	struct process	*process;
	struct task	*task;
	struct reader	reader;
	int		fd;
	bool		swap;
	bool		more;
	char		**events;
};

/* Names of user events by number; shared by all sources of a directory. */
#define EVENTS_MAX	65536

static bool is_record(const struct dat *dat, const struct uftrace_record *record, uint64_t last)
{
	uint64_t what = dat->swap ? bswap_64(record->what) : record->what;
	uint64_t time = dat->swap ? bswap_64(record->time) : record->time;

	return (what & UFTRACE_MAGIC_MASK) == UFTRACE_RECORD_MAGIC && time >= last &&
	       time - last < 3600 * NSEC_PER_SEC;
}

/*
 * Behind a record with arguments come these, in multiples of 8 bytes. How many is
 * written in no record, so what looks like the next one is taken for it.
 */
static const struct uftrace_record *skip_arguments(struct dat *dat, uint64_t last)
{
	const struct uftrace_record *record;

	while ((record = reader_get(&dat->reader, sizeof(*record)))) {
		if (is_record(dat, record, last))
			return record;
		dat->reader.used -= sizeof(*record) - 8;
		dat->source.done += 8;
	}
	return NULL;
}

static bool dat_next(struct source *source, struct event *event)
{
	struct dat *dat = (struct dat *)source;
	const struct uftrace_record *record;
	uint64_t what;

	for (;;) {
		record = dat->more ? skip_arguments(dat, dat->task->last_ns) :
				     reader_get(&dat->reader, sizeof(*record));
		if (!record)
			return false;
		source->done += sizeof(*record);
		what = dat->swap ? bswap_64(record->what) : record->what;
		dat->more = what & UFTRACE_MORE;
		if ((what & UFTRACE_MAGIC_MASK) == UFTRACE_RECORD_MAGIC)
			break;
		dat->trace->nr_bad++;
	}

	event->ns = dat->swap ? bswap_64(record->time) : record->time;
	event->ns = clock_of_ns(source->machine->clock, event->ns);
	event->task = dat->task;
	event->process = dat->process;
	event->addr = what >> 16;
	event->depth = what >> 6 & UFTRACE_DEPTH_MAX;
	event->level = LEVEL_PROGRAM;
	event->text = NULL;
	event->repaired = false;
	switch (what & 3) {
	case UFTRACE_TYPE_ENTRY:
		event->type = EVENT_ENTRY;
		event->symbol = process_symbol(dat->trace, dat->process, event->addr);
		break;
	case UFTRACE_TYPE_EXIT:
		event->type = EVENT_EXIT;
		break;
	case UFTRACE_TYPE_LOST:
		event->type = EVENT_LOST;
		event->count = event->addr;
		break;
	default:
		event->type = EVENT_POINT;
		what = event->addr - UFTRACE_EVENT_USER;
		event->symbol = event_symbol(dat->trace, what < EVENTS_MAX && dat->events[what] ?
					     dat->events[what] : "uftrace:event");
		event->addr = 0;
	}
	return true;
}

static void dat_close(struct source *source)
{
	struct dat *dat = (struct dat *)source;
	size_t i;

	reader_close(&dat->reader);
	close(dat->fd);
	/* The last one takes the names along. */
	if (!--*(size_t *)dat->events[EVENTS_MAX]) {
		for (i = 0; i <= EVENTS_MAX; i++)
			free(dat->events[i]);
		free(dat->events);
	}
	free(dat);
}

/* "<addr> [<size>] <type> <name>", addresses from where the file is mapped. */
static struct image *read_symbols(struct trace *trace, const char *dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *file = xasprintf("%s/%s.sym", dir, slash ? slash + 1 : path);
	char *name = xasprintf("%s:%s", dir, path), *line, *rest, *text;
	struct image *image;

	for (image = trace->images; image; image = image->next)
		if (!strcmp(image->path, name))
			break;
	if (image)
		goto out;
	text = read_file(file, NULL);
	rest = text;
	if (!text && access(path, R_OK))
		warn("no symbols of %s: %s is missing", path, file);
	image = image_new(trace, name);
	while (rest && (line = strsep(&rest, "\n"))) {
		uint64_t addr;
		char type;
		int at = 0;

		if (sscanf(line, "%" SCNx64 " %c %n", &addr, &type, &at) != 2 || !at ||
		    strchr("0123456789", type)) {
			if (sscanf(line, "%" SCNx64 " %*x %c %n", &addr, &type, &at) != 2 || !at)
				continue;
		}
		if (strchr("?TtwPKDdvu", type))
			image_add(image, addr, 0, line + at);
	}
	image_sort(image);
	free(text);
out:
	free(file);
	free(name);
	return image;
}

static void read_session(struct trace *trace, struct process *process, const char *dir,
			 const char *sid)
{
	char *file = xasprintf("%s/sid-%s.map", dir, sid), *line, *rest, *text;

	text = read_file(file, NULL);
	rest = text;
	if (!text)
		warn("no addresses: cannot read %s: %s", file, strerror(errno));
	while (rest && (line = strsep(&rest, "\n"))) {
		uint64_t start, end, base;
		struct image *image;
		char path[4096];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %4095s", &start, &end,
			   path) != 3 || path[0] != '/')
			continue;
		image = read_symbols(trace, dir, path);
		/* That of a program which is not relocatable has its addresses. */
		base = image->nr_symbols && image->symbols[0].addr >= start ? 0 : start;
		process_map(process, start, end, base, image);
	}
	free(text);
	free(file);
}

static void read_tasks(struct trace *trace, struct machine *machine, const char *dir)
{
	char *file = xasprintf("%s/task.txt", dir), *line, *rest, *text;

	text = read_file(file, NULL);
	rest = text;
	if (!text)
		warn("%s is missing: threads and symbols are not known", file);
	while (rest && (line = strsep(&rest, "\n"))) {
		unsigned int pid, tid;
		char sid[64], exe[4096] = "?";

		if (sscanf(line, "SESS timestamp=%*s %*[^i]id=%u sid=%63s exename=\"%4095[^\"]",
			   &pid, sid, exe) >= 2)
			read_session(trace, trace_process(trace, machine, pid, exe), dir, sid);
		else if (sscanf(line, "TASK timestamp=%*s tid=%u pid=%u", &tid, &pid) == 2 ||
			 sscanf(line, "FORK timestamp=%*s pid=%u ppid=%*u", &tid) == 1)
			trace_task(trace, trace_process(trace, machine,
							line[0] == 'F' ? tid : pid, NULL),
				   tid, NULL);
	}
	free(text);
	free(file);
}

static char **read_events(const char *dir)
{
	char **events = xalloc((EVENTS_MAX + 1) * sizeof(*events));
	char *file = xasprintf("%s/events.txt", dir), *line, *rest, *text;
	char name[512];
	unsigned int id;

	events[EVENTS_MAX] = xalloc(sizeof(size_t));
	text = read_file(file, NULL);
	rest = text;
	while (rest && (line = strsep(&rest, "\n")))
		if (sscanf(line, "EVENT: %u %511s", &id, name) == 2 &&
		    id - UFTRACE_EVENT_USER < EVENTS_MAX && !events[id - UFTRACE_EVENT_USER])
			events[id - UFTRACE_EVENT_USER] = xstrdup(name);
	free(text);
	free(file);
	return events;
}

/* Of a thread that task.txt does not know. */
static struct process *any_process(struct trace *trace, struct machine *machine, uint32_t tid)
{
	struct process *process;

	for (process = trace->processes; process; process = process->next)
		if (process->machine == machine)
			return process;
	return trace_process(trace, machine, tid, NULL);
}

bool uftrace_open(struct trace *trace, struct machine *machine, const char *path)
{
	char *info = xasprintf("%s/info", path);
	struct uftrace_file header;
	size_t before = trace->nr_sources;
	struct dirent **entries;
	int i, count, fd;
	char **events;
	bool swap;

	fd = open_input_file(info);
	if (fd < 0 || read(fd, &header, sizeof(header)) != sizeof(header) ||
	    memcmp(header.magic, UFTRACE_MAGIC, sizeof(header.magic))) {
		warn("%s: not a directory of uftrace", path);
		goto out;
	}
	swap = header.byte_order != UFTRACE_BYTE_ORDER;
	if (header.elf_class != 2)
		warn("%s: of a 32 bit program; addresses may be wrong", path);

	read_tasks(trace, machine, path);
	events = read_events(path);
	count = scandir(path, &entries, NULL, versionsort);
	for (i = 0; i < count; i++) {
		char *file = xasprintf("%s/%s", path, entries[i]->d_name);
		struct stat status;
		unsigned int tid;
		struct dat *dat;
		int end = 0, data;

		if (sscanf(entries[i]->d_name, "%u.dat%n", &tid, &end) == 1 && end &&
		    !entries[i]->d_name[end]) {
			data = open_input_file(file);
			if (data < 0 || fstat(data, &status)) {
				warn("cannot read %s: %s", file, strerror(errno));
			} else {
				struct task *task = trace_task(trace,
					any_process(trace, machine, tid), tid, NULL);

				dat = xalloc(sizeof(*dat));
				dat->source.next = dat_next;
				dat->source.close = dat_close;
				dat->source.machine = machine;
				dat->source.total = status.st_size;
				dat->trace = trace;
				dat->task = task;
				dat->process = task->process;
				dat->fd = data;
				dat->swap = swap;
				dat->events = events;
				++*(size_t *)events[EVENTS_MAX];
				reader_open(&dat->reader, data, 0, status.st_size);
				trace_add_source(trace, &dat->source);
			}
		}
		free(file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (trace->nr_sources == before) {
		warn("%s: no data in it", path);
		free(events[EVENTS_MAX]);
		free(events);
	}
out:
	if (fd >= 0)
		close(fd);
	free(info);
	return trace->nr_sources > before;
}

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
#include "directory.h"
#include "image.h"
#include "uftrace.h"

/*
 * struct turn - from when on a number of a thread is that of a process, in its file's time
 *
 * Only where that changes: the process that it had first is the task's.
 */
struct turn {
	const struct task	*task;
	struct process		*process;
	uint64_t		time;
};

/* Of all tasks, in the order of task.txt. */
struct turns {
	struct turn	*list;
	size_t		nr;
};

/*
 * struct dat - the file of a task
 * @process: which it is in at @time
 * @turns: which it will be in; those up to @turn are over
 * @path: of it
 * @swap: it has the other order of bytes
 * @more: arguments follow the last record
 * @skipped: bytes since then
 * @time: of the last record, as it is in the file
 * @events: names of user events by number
 */
struct dat {
	struct source	source;
	struct trace	*trace;
	struct process	*process;
	struct task	*task;
	struct turns	turns;
	size_t		turn;
	struct reader	reader;
	char		*path;
	bool		swap;
	bool		more;
	size_t		skipped;
	uint64_t	time;
	char		**events;
};

/* uftrace has this much room for the arguments of a call. */
#define ARGUMENTS_MAX	1024

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
 * written in no record, so what looks like the next one is taken for it: its time is not
 * before that of the last record, both as they are in the file. What is more than arguments
 * can be is damaged.
 */
static const struct uftrace_record *skip_arguments(struct dat *dat)
{
	const struct uftrace_record *record;

	while ((record = reader_get(&dat->reader, sizeof(*record)))) {
		if (is_record(dat, record, dat->time))
			return record;
		dat->reader.used -= sizeof(*record) - 8;
		dat->source.done += 8;
		dat->skipped += 8;
		if (dat->skipped == ARGUMENTS_MAX + 8)
			dat->trace->nr_bad++;
	}
	return NULL;
}

static bool dat_next(struct source *source, struct event *event)
{
	struct dat *dat = (struct dat *)source;
	const struct uftrace_record *record;
	uint64_t what;

	for (;;) {
		record = dat->more ? skip_arguments(dat) :
				     reader_get(&dat->reader, sizeof(*record));
		if (!record)
			return false;
		source->done += sizeof(*record);
		what = dat->swap ? bswap_64(record->what) : record->what;
		dat->more = what & UFTRACE_MORE;
		dat->skipped = 0;
		if ((what & UFTRACE_MAGIC_MASK) == UFTRACE_RECORD_MAGIC)
			break;
		dat->trace->nr_bad++;
	}

	dat->time = dat->swap ? bswap_64(record->time) : record->time;
	while (dat->turn < dat->turns.nr && dat->turns.list[dat->turn].time <= dat->time)
		dat->process = dat->turns.list[dat->turn++].process;
	event->ns = clock_of_ns(source->machine->clock, dat->time);
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
		event->symbol = process_symbol(dat->trace, dat->process, &event->addr,
					       dat->time);
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
	free(dat->turns.list);
	free(dat->path);
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
	struct image *image = image_find(trace, path, dir);
	char *line, *rest, *text;

	if (image)
		goto out;
	text = read_file(file, NULL);
	rest = text;
	if (!text && access(path, R_OK))
		warn("no symbols of %s: %s is missing", path, file);
	image = image_new(trace, path, dir);
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
	return image;
}

/* What is mapped in a process from @time on; what was before ends there. */
static void read_session(struct trace *trace, struct process *process, const char *dir,
			 const char *sid, uint64_t time)
{
	char *file = xasprintf("%s/sid-%s.map", dir, sid), *line, *rest, *text;
	size_t i;

	text = read_file(file, NULL);
	rest = text;
	if (!text)
		warn("no addresses: cannot read %s: %s", file, strerror(errno));
	for (i = 0; i < process->nr_maps; i++)
		if (process->maps[i].to == UINT64_MAX && process->maps[i].from < time)
			process->maps[i].to = time - 1;
	while (rest && (line = strsep(&rest, "\n"))) {
		struct mapping map = { .from = time, .to = UINT64_MAX };
		struct image *image;
		char path[4096];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %*s %4095s", &map.start,
			   &map.end, path) != 3 || path[0] != '/')
			continue;
		image = read_symbols(trace, dir, path);
		map.image = image;
		/* That of a program which is not relocatable has its addresses. */
		map.bias = image->nr_symbols && image->symbols[0].addr >= map.start ? 0 :
										      map.start;
		process_map(process, &map);
	}
	free(text);
	free(file);
}

/* What dlopen() loaded at @time. What was at this place before had been unloaded. */
static void read_library(struct trace *trace, struct process *process, const char *dir,
			 const char *path, uint64_t base, uint64_t time)
{
	struct image *image = read_symbols(trace, dir, path);
	struct mapping map = { .start = base, .bias = base, .from = time, .to = UINT64_MAX };
	size_t i;

	if (!image->nr_symbols)
		return;
	map.image = image;
	/* The last symbol is the end of the others. */
	map.end = base + image->symbols[image->nr_symbols - 1].addr + 1;
	for (i = 0; i < process->nr_maps; i++) {
		struct mapping *other = &process->maps[i];

		if (other->to == UINT64_MAX && other->from < time &&
		    other->start < map.end && other->end > map.start)
			other->to = time - 1;
	}
	process_map(process, &map);
}

/* Another session of the same process is no turn. */
static void add_turn(struct turns *turns, const struct task *task, struct process *process,
		     uint64_t time)
{
	const struct process *last = task->process;
	size_t i;

	for (i = 0; i < turns->nr; i++)
		if (turns->list[i].task == task)
			last = turns->list[i].process;
	if (last == process)
		return;
	turns->list = xrealloc(turns->list, (turns->nr + 1) * sizeof(*turns->list));
	turns->list[turns->nr++] = (struct turn){ .task = task, .process = process, .time = time };
}

/* Those of one task. */
static struct turns turns_of(const struct turns *turns, const struct task *task)
{
	struct turns own = { };
	size_t i;

	for (i = 0; i < turns->nr; i++) {
		if (turns->list[i].task != task)
			continue;
		own.list = xrealloc(own.list, (own.nr + 1) * sizeof(*own.list));
		own.list[own.nr++] = turns->list[i];
	}
	return own;
}

static struct process *process_of(struct trace *trace, struct machine *machine, uint32_t tid)
{
	struct task *task;

	for (task = trace->tasks; task; task = task->next)
		if (task->tid == tid && task->process->machine == machine)
			return task->process;
	return trace_process(trace, machine, tid, NULL);
}

/* A child of fork() has the mappings of its parent. */
static void inherit_maps(struct process *child, const struct process *parent)
{
	size_t i;

	if (child->nr_maps || child == parent)
		return;
	for (i = 0; i < parent->nr_maps; i++)
		process_map(child, &parent->maps[i]);
	if (parent->exe && !child->exe)
		child->exe = xstrdup(parent->exe);
}

static void read_tasks(struct trace *trace, struct machine *machine, const char *dir,
		       struct turns *turns)
{
	static const char session[] = "SESS timestamp=%" SCNu64 ".%" SCNu64
		" %*[^i]id=%u sid=%63s exename=\"%4095[^\"]";
	static const char task[] = "TASK timestamp=%" SCNu64 ".%" SCNu64 " tid=%u pid=%u";
	static const char child[] = "FORK timestamp=%" SCNu64 ".%" SCNu64 " pid=%u ppid=%u";
	static const char library[] = "DLOP timestamp=%" SCNu64 ".%" SCNu64
		" tid=%u sid=%*s base=%" SCNx64 " libname=\"%4095[^\"]";
	char *file = xasprintf("%s/task.txt", dir), *line, *rest, *text;

	text = read_file(file, NULL);
	rest = text;
	if (!text)
		warn("%s is missing: threads and symbols are not known", file);
	while (rest && (line = strsep(&rest, "\n"))) {
		char sid[64], exe[4096] = "?";
		uint64_t seconds, ns, base;
		struct process *process;
		unsigned int pid, tid;

		if (sscanf(line, session, &seconds, &ns, &pid, sid, exe) >= 4) {
			read_session(trace, trace_process(trace, machine, pid, exe), dir, sid,
				     seconds * NSEC_PER_SEC + ns);
		} else if (sscanf(line, task, &seconds, &ns, &tid, &pid) == 4) {
			process = trace_process(trace, machine, pid, NULL);
			add_turn(turns, trace_task(trace, process, tid, NULL), process,
				 seconds * NSEC_PER_SEC + ns);
		} else if (sscanf(line, child, &seconds, &ns, &tid, &pid) == 4) {
			process = trace_process(trace, machine, tid, NULL);
			inherit_maps(process, trace_process(trace, machine, pid, NULL));
			add_turn(turns, trace_task(trace, process, tid, NULL), process,
				 seconds * NSEC_PER_SEC + ns);
		} else if (sscanf(line, library, &seconds, &ns, &tid, &base, exe) == 5) {
			read_library(trace, process_of(trace, machine, tid), dir, exe, base,
				     seconds * NSEC_PER_SEC + ns);
		}
	}
	free(text);
	free(file);
}

/*
 * What the threads are called: "TID NAME" in a file of ours. uftrace has no such file, and
 * calls all threads after the program.
 */
static void read_names(struct trace *trace, struct machine *machine, const char *dir)
{
	char *file = xasprintf("%s/" DIRECTORY_THREADS, dir), *line, *rest, *text;
	struct task *task;

	text = read_file(file, NULL);
	rest = text;
	while (rest && (line = strsep(&rest, "\n"))) {
		unsigned int tid;
		int at = 0;

		if (sscanf(line, "%u %n", &tid, &at) != 1 || !at)
			continue;
		for (task = trace->tasks; task; task = task->next)
			if (task->tid == tid && task->process->machine == machine)
				snprintf(task->name, sizeof(task->name), "%s", line + at);
	}
	for (task = trace->tasks; task; task = task->next)
		if (task->process->machine == machine && !*task->name && task->process->exe)
			snprintf(task->name, sizeof(task->name), "%s",
				 program_name(task->process));
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
	struct turns turns = { };
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

	read_tasks(trace, machine, path, &turns);
	events = read_events(path);
	count = scandir(path, &entries, NULL, versionsort);
	for (i = 0; i < count; i++) {
		char *file = xasprintf("%s/%s", path, entries[i]->d_name);
		struct stat status;
		unsigned int tid;
		struct dat *dat;
		int end = 0;

		if (sscanf(entries[i]->d_name, "%u.dat%n", &tid, &end) == 1 && end &&
		    !entries[i]->d_name[end]) {
			if (stat(file, &status)) {
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
				dat->turns = turns_of(&turns, task);
				dat->path = xstrdup(file);
				dat->swap = swap;
				dat->events = events;
				++*(size_t *)events[EVENTS_MAX];
				reader_open(&dat->reader, dat->path, 0, status.st_size);
				trace_add_source(trace, &dat->source);
			}
		}
		free(file);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	free(turns.list);
	/* Also of threads that only their files tell of. */
	read_names(trace, machine, path);
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

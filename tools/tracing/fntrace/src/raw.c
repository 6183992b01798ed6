// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read what the backend writes; see fntrace_format.h.
 *
 * Nothing in a file is believed: it may end anywhere, and its header may be that
 * of a program which wrote over its own memory.
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

#include <fntrace.h>

#include "clock.h"
#include "describe.h"
#include "directory.h"
#include "image.h"
#include "maps.h"
#include "names.h"
#include "trace.h"
#include "values.h"

/* Records that values of a call take, at most. */
#define DATA_MAX	((FNTRACE_VALUES_MAX + FNTRACE_DATA_BYTES - 1) / FNTRACE_DATA_BYTES)

/*
 * struct raw - one buffer
 * @path: its file
 * @name: of its thread
 * @swap: it has the other order of bytes
 * @wrapped: older records were written over, and some may have been taken back
 * @below: the kernel ran below the addresses of its file: only names say where
 * @grows: the program makes room when it is full
 * @entries_only: there are no records of exits
 * @ends: such a call, which has no duration, has to end
 * @readers: parts of the file, the one with the older records first
 * @window: time of the first record of the newest part; 0: none of it was read
 * @has_data: there may be records with values
 * @description: of the values; NULL if there is none
 * @values: of the last event
 * @data: values in front of the next record
 * @data_size: bytes of @data
 * @data_left: records of @data that are missing; 0: all are there
 */
struct raw {
	struct source	source;
	struct trace	*trace;
	struct process	*process;
	struct task	*task;
	char		*path;
	char		name[sizeof(((struct fntrace_header *)0)->name)];
	bool		swap;
	bool		wrapped;
	bool		below;
	bool		grows;
	bool		entries_only;
	bool		ends;
	uint64_t	addr_high;
	uint64_t	lost;
	struct reader	readers[2];
	unsigned int	reader;
	uint32_t	depth;
	bool		begun;
	uint64_t	last;
	uint64_t	time;
	uint64_t	window;
	char		text[64];
	bool		has_data;
	struct description *description;
	struct values	*values;
	uint8_t		data[DATA_MAX * FNTRACE_DATA_BYTES];
	size_t		data_size;
	unsigned int	data_left;
};

#define TIME_STEP_MAX	(UINT64_C(1) << 53)

/* No machine has smaller pages. */
#define KERNEL_PAGE	4096

static uint64_t fix64(const struct raw *raw, uint64_t value)
{
	return raw->swap ? bswap_64(value) : value;
}

/*
 * A record with values. Those whose first ones are missing, or that are none, are left out:
 * older records were written over, or the room at the end of the buffer was filled up.
 */
static void take_data(struct raw *raw, const struct fntrace_record *record)
{
	unsigned int left = FNTRACE_DATA_LEFT(record->what), i;

	if (record->what & FNTRACE_DATA_FIRST && left <= DATA_MAX) {
		raw->data_size = 0;
	} else if (!raw->data_size || left != raw->data_left) {
		raw->data_size = 0;
		return;
	}
	for (i = 0; i < FNTRACE_DATA_BYTES; i++)
		raw->data[raw->data_size++] = i < 8 ? record->time >> 8 * i :
						      record->what >> 8 * (i - 6);
	raw->data_left = left - 1;
}

/*
 * A program that is killed may have taken a record that it did not fill. It has what was in its
 * place when the buffer was last full, which is older than all that is in the buffer, or zeros.
 */
static bool is_unfilled(const struct raw *raw, const struct fntrace_record *record)
{
	const struct reader *reader = &raw->readers[raw->reader];

	return raw->reader + 1 == ARRAY_SIZE(raw->readers) && reader_is_at_end(reader) &&
	       record->time < raw->time && (!raw->window || record->time < raw->window);
}

/* The next record that is one. What is in raw->data is in front of it. */
static bool get(struct raw *raw, struct fntrace_record *record)
{
	const struct fntrace_record *next;

	raw->data_size = 0;

	while (raw->reader < ARRAY_SIZE(raw->readers)) {
		next = reader_get(&raw->readers[raw->reader], sizeof(*next));
		if (!next) {
			raw->trace->nr_unread += raw->readers[raw->reader].failed;
			raw->reader++;
			continue;
		}
		raw->source.done += sizeof(*next);
		record->time = fix64(raw, next->time);
		record->what = fix64(raw, next->what);
		if (raw->has_data && (record->what & 3) == FNTRACE_MARK &&
		    FNTRACE_DATA_LEFT(record->what)) {
			take_data(raw, record);
			continue;
		}
		if (is_unfilled(raw, record))
			continue;
		/* Never written; or not by us, unless a thread slept for a month. */
		if (record->time && (!raw->time || record->time - raw->time < TIME_STEP_MAX ||
				     raw->time - record->time < TIME_STEP_MAX)) {
			raw->time = record->time;
			if (raw->reader + 1 == ARRAY_SIZE(raw->readers) && !raw->window)
				raw->window = record->time;
			return true;
		}
		raw->trace->nr_bad += record->time || !raw->wrapped;
		raw->data_size = 0;
	}
	return false;
}

/* The values in front of the record of an entry or exit. */
static void decode_values(struct raw *raw, struct event *event)
{
	if (!raw->data_size || raw->data_left || !raw->description)
		return;
	raw->values = values_decode(raw->description, raw->data, raw->data_size,
				    event->type == EVENT_EXIT);
	event->values = raw->values;
}

static bool raw_next(struct source *source, struct event *event)
{
	struct raw *raw = (struct raw *)source;
	struct fntrace_record record;
	uint64_t addr;

	memset(event, 0, sizeof(*event));
	event->task = raw->task;
	event->process = raw->process;
	values_free(raw->values);
	raw->values = NULL;
	if (raw->ends) {
		raw->ends = false;
		event->type = EVENT_EXIT;
		event->ns = raw->last;
		return true;
	}
	if (!get(raw, &record)) {
		/* What was lost was lost at the end, or nobody knows where. */
		if (!raw->lost)
			return false;
		event->type = EVENT_LOST;
		event->count = raw->lost;
		event->ns = raw->last;
		raw->trace->nr_lost_growing += raw->grows ? raw->lost : 0;
		raw->lost = 0;
		return true;
	}

	addr = record.what >> FNTRACE_ADDR_SHIFT;
	event->ns = clock_of_counter(source->machine->clock, record.time);
	raw->last = event->ns;
	switch (record.what & 3) {
	case FNTRACE_LOST:
		event->type = EVENT_LOST;
		event->count = addr;
		raw->trace->nr_lost_growing += raw->grows ? addr : 0;
		return true;
	case FNTRACE_MARK:
		event->type = EVENT_POINT;
		if (addr & (FNTRACE_SEND | FNTRACE_RECEIVE)) {
			event->symbol = event_symbol(raw->trace, addr & FNTRACE_SEND ?
						     "fntrace:send" : "fntrace:receive");
			addr &= FNTRACE_MARK_NUMBER;
		} else {
			event->symbol = event_symbol(raw->trace, "fntrace:mark");
		}
		snprintf(raw->text, sizeof(raw->text), "%" PRIu64, addr);
		event->text = raw->text;
		return true;
	}

	/* The depth that is nearest to the last one and has these bits. */
	event->depth = record.what >> 2 & ((1u << FNTRACE_DEPTH_BITS) - 1);
	if (raw->begun) {
		int32_t step = (int32_t)((event->depth - raw->depth) <<
				(32 - FNTRACE_DEPTH_BITS)) >> (32 - FNTRACE_DEPTH_BITS);

		event->depth = (int64_t)raw->depth + step < 0 ? 0 : raw->depth + step;
	}
	raw->begun = true;
	raw->depth = event->depth;
	event->addr = addr | raw->addr_high;
	event->type = (record.what & 3) == FNTRACE_EXIT ? EVENT_EXIT : EVENT_ENTRY;
	if (event->type == EVENT_ENTRY)
		event->symbol = process_symbol(raw->trace, raw->process, &event->addr,
					       record.time);
	if (raw->below)
		event->addr = 0;
	decode_values(raw, event);
	raw->ends = raw->entries_only && event->type == EVENT_ENTRY;
	return true;
}

static void raw_close(struct source *source)
{
	struct raw *raw = (struct raw *)source;

	reader_close(&raw->readers[0]);
	reader_close(&raw->readers[1]);
	values_free(raw->values);
	free(raw->path);
	free(raw);
}

static void swap_header(struct fntrace_header *header)
{
	uint32_t *words[] = {
		&header->version, &header->header_size, &header->arch, &header->mode,
		&header->cpu, &header->pid, &header->tid, &header->session, &header->flags,
	};
	uint64_t *longs[] = {
		&header->addr_high, &header->counter_hz, &header->start.counter,
		&header->start.ns, &header->latest.counter, &header->latest.ns,
		&header->base, &header->older, &header->next, &header->end,
		&header->wraps, &header->lost, &header->too_deep, &header->anchor,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		*words[i] = bswap_32(*words[i]);
	for (i = 0; i < ARRAY_SIZE(longs); i++)
		*longs[i] = bswap_64(*longs[i]);
}

/* As many records as have a time among them: values of two calls may be the same. */
#define SAME_MAX	(DATA_MAX + 1)

bool raw_is_moved(int fd, uint64_t begin, uint64_t older, uint64_t used)
{
	struct fntrace_record x[SAME_MAX], y[SAME_MAX];
	uint64_t size = used < sizeof(x) ? used : sizeof(x);

	return older && pread(fd, x, size, begin) == (ssize_t)size &&
	       pread(fd, y, size, begin + older) == (ssize_t)size && !memcmp(x, y, size);
}

bool raw_is_header(const struct fntrace_header *header)
{
	return !memcmp(header->magic, FNTRACE_MAGIC, sizeof(header->magic)) &&
	       header->byte_order == FNTRACE_BYTE_ORDER &&
	       (header->version == FNTRACE_VERSION ||
		header->version == FNTRACE_VERSION_VALUES) &&
	       header->header_size >= sizeof(*header) && header->header_size <= RAW_HEADER_MAX &&
	       header->end >= header->base && header->end - header->base <= RAW_ROOM_MAX &&
	       header->next >= header->base;
}

/* A kernel that runs @offset beyond where its file has it, or below if that is negative. */
static void map_kernel(struct process *process, struct image *image, uint64_t offset)
{
	struct mapping map = {
		.start = (int64_t)offset > 0 ? offset : 0,
		.end = UINT64_MAX,
		.bias = offset,
		.to = UINT64_MAX,
		.image = image,
	};

	process_map(process, &map);
}

/*
 * Where a kernel ran, minus where its file has it: both have the address of the function
 * that made the header. A kernel is moved by whole pages.
 */
static uint64_t load_offset(const char *path, const struct image *image, uint64_t anchor)
{
	static bool told;
	uint64_t offset, addr;

	if (!anchor || !image_find_symbol(image, "fntrace_buffer_init", &addr))
		return 0;
	offset = anchor - addr;
	if (!(offset % KERNEL_PAGE))
		return offset;
	if (!told)
		warn("%s: %s is not the kernel that recorded it; names may be wrong", path,
		     image->path);
	told = true;
	return 0;
}

/* Returns false if there is none at @at, or of another version. */
static bool read_header(const char *path, int fd, uint64_t at, struct fntrace_header *header,
			bool *swap)
{
	if (pread(fd, header, sizeof(*header), at) != sizeof(*header) ||
	    memcmp(header->magic, FNTRACE_MAGIC, sizeof(header->magic)))
		return false;
	*swap = header->byte_order == bswap_32(FNTRACE_BYTE_ORDER);
	if (*swap)
		swap_header(header);
	else if (header->byte_order != FNTRACE_BYTE_ORDER)
		return false;
	if (header->version == FNTRACE_VERSION || header->version == FNTRACE_VERSION_VALUES)
		return true;
	warn("%s: version %u of the format; this program knows %u", path, header->version,
	     FNTRACE_VERSION_VALUES);
	return false;
}

/*
 * The buffer at @at of a file of @size bytes. Returns the bytes it takes, or 0 if
 * there is none.
 */
static uint64_t open_buffer(struct trace *trace, struct machine *machine, const char *path,
			    int fd, uint64_t at, uint64_t size, const char *file,
			    const uint64_t *given)
{
	struct image *image = file ? image_open(trace, file, NULL) : NULL;
	struct fntrace_header header;
	uint64_t records, begin, room, next, used, older, offset;
	struct raw *raw;
	bool swap;

	if (!read_header(path, fd, at, &header, &swap))
		return 0;
	if (header.header_size < sizeof(header) || header.header_size > RAW_HEADER_MAX ||
	    header.header_size > size - at) {
		warn("%s: the header is damaged; nothing in it can be read", path);
		return 0;
	}

	begin = at + header.header_size;
	records = size - begin;
	room = header.end - header.base;
	next = (header.next < header.end ? header.next : header.end) - header.base;
	older = 0;
	if (header.end < header.base || header.next < header.base) {
		warn("%s: the header is damaged; reading what there is", path);
		header.wraps = 0;
		next = records;
	} else if (header.older || header.wraps ? room > records : next > records) {
		warn("%s: the file was cut off; reading what there is", path);
		header.wraps = 0;
		next = records;
	} else if (header.older) {
		older = records - room;
		if (older < header.older)
			warn("%s: the file was cut off; reading what there is", path);
		else
			older = header.older;
	}
	used = header.wraps ? room : next;
	header.name[sizeof(header.name) - 1] = 0;

	raw = xalloc(sizeof(*raw));
	raw->source.next = raw_next;
	raw->source.close = raw_close;
	raw->source.machine = machine;
	raw->source.name = raw->name;
	raw->source.total = used + older;
	raw->trace = trace;
	memcpy(raw->name, header.name, sizeof(raw->name));
	raw->path = xstrdup(path);
	raw->swap = swap;
	raw->wrapped = header.wraps;
	raw->has_data = header.version == FNTRACE_VERSION_VALUES;
	raw->time = header.start.counter;
	raw->addr_high = header.addr_high;
	raw->lost = header.lost;
	/* If there is no room, it goes on as one that stops. */
	raw->grows = header.mode == FNTRACE_GROW || header.older;
	raw->entries_only = header.flags & FNTRACE_ENTRIES_ONLY;
	trace->nr_entries_only += raw->entries_only;
	trace->nr_too_deep += header.too_deep;
	raw->process = trace_session(trace, machine, header.pid, header.session, file);
	/* The CPUs of a kernel are numbered from 1: no format of output has a task 0. */
	raw->task = trace_task(trace, raw->process,
			       header.tid ? header.tid : header.cpu + 1, header.name);
	if (header.wraps) {
		reader_open(&raw->readers[0], raw->path, begin + next, begin + used);
		reader_open(&raw->readers[1], raw->path, begin, begin + next);
	} else {
		if (raw_is_moved(fd, begin, older, used))
			used = 0;
		reader_open(&raw->readers[0], raw->path, begin + room, begin + room + older);
		reader_open(&raw->readers[1], raw->path, begin, begin + used);
	}
	if (image) {
		offset = given ? *given : load_offset(path, image, header.anchor);
		raw->below = (int64_t)offset < 0;
		map_kernel(raw->process, image, offset);
	}

	clock_pair(machine->clock, header.start.counter, header.start.ns, false);
	clock_pair(machine->clock, header.latest.counter, header.latest.ns, false);
	if (header.counter_hz)
		machine->clock->hz = header.counter_hz;
	machine->arch = header.arch;
	trace_add_source(trace, &raw->source);
	return header.header_size + (older ? room + older : used);
}

bool raw_open_dump(struct trace *trace, struct machine *machine, const char *path,
		   const char *image, const uint64_t *offset)
{
	uint64_t at = 0, size, taken;
	struct stat status;
	bool any = false;
	int fd;

	fd = open_input_file(path);
	if (fd < 0 || fstat(fd, &status)) {
		warn("cannot read %s: %s", path, strerror(errno));
		return false;
	}
	size = status.st_size;
	while (at < size) {
		taken = open_buffer(trace, machine, path, fd, at, size, image, offset);
		if (!taken) {
			if (any)
				warn("%s: %" PRIu64 " bytes at the end are no buffer", path,
				     size - at);
			break;
		}
		any = true;
		at += taken;
	}
	close(fd);
	if (!any)
		warn("%s: no buffer of fntrace in it", path);
	return any;
}

/* "<pid>-<n>.maps": the path of the program, then copies of /proc/PID/maps. */
static void open_maps(struct trace *trace, struct machine *machine, const char *path,
		      const char *directory, uint32_t pid, uint32_t session)
{
	struct process *process;
	struct maps_file file;

	if (!maps_load(&file, path, directory)) {
		warn("cannot read %s: %s", path, strerror(errno));
		trace->nr_unread++;
		return;
	}
	if (file.lines) {
		process = trace_session(trace, machine, pid, session, file.program);
		maps_read(trace, process, &file);
	}
	free(file.text);
}

/* "clock": a line for each reading of the recorder, counter and nanoseconds. */
void raw_open_clock(struct machine *machine, const char *path)
{
	char *file = xasprintf("%s/" DIRECTORY_CLOCK, path);
	char *text = read_file(file, NULL), *line, *rest = text;
	uint64_t counter, ns;

	while (rest && (line = strsep(&rest, "\n")))
		if (sscanf(line, "%" SCNu64 " %" SCNu64, &counter, &ns) == 2)
			clock_pair(machine->clock, counter, ns, true);
	free(text);
	free(file);
}

static void open_records(struct trace *trace, struct machine *machine, const char *path,
			 const char *image, const uint64_t *offset,
			 struct description *description)
{
	struct stat status;
	int fd = open_input_file(path);

	if (fd < 0 || fstat(fd, &status)) {
		warn("cannot read %s: %s", path, strerror(errno));
		trace->nr_unread++;
	} else if (!open_buffer(trace, machine, path, fd, 0, status.st_size, image, offset)) {
		warn("%s: no buffer of fntrace; left out", path);
		trace->nr_unread++;
	} else {
		((struct raw *)trace->sources[trace->nr_sources - 1])->description = description;
	}
	if (fd >= 0)
		close(fd);
}

bool raw_open_dir(struct trace *trace, struct machine *machine, const char *path,
		  const char *image, const uint64_t *offset)
{
	char *values = xasprintf("%s/" DESCRIBE_FILE, path);
	struct description *description = NULL;
	size_t before = trace->nr_sources;
	struct dirent **entries;
	int i, count;

	if (!access(values, F_OK))
		description = values_open(trace, values);
	free(values);

	count = scandir(path, &entries, NULL, versionsort);
	if (count < 0) {
		warn("cannot read %s: %s", path, strerror(errno));
		return false;
	}
	/* Of a program it is known what is mapped. */
	if (directory_has_maps(path))
		image = NULL;
	/* The names first: what is mapped has them. */
	for (i = 0; i < count; i++) {
		char *file = xasprintf("%s/%s", path, entries[i]->d_name);

		if (directory_is_symbols_name(entries[i]->d_name))
			names_open(trace, file, path);
		free(file);
	}
	for (i = 0; i < count; i++) {
		char *name = entries[i]->d_name, *file = xasprintf("%s/%s", path, name);
		unsigned int pid, session;

		if (directory_is_maps_name(name) && sscanf(name, "%u-%u.", &pid, &session) == 2)
			open_maps(trace, machine, file, path, pid, session);
		else if (directory_is_records_name(name))
			open_records(trace, machine, file, image, offset, description);
		free(file);
		free(entries[i]);
	}
	free(entries);
	raw_open_clock(machine, path);
	if (trace->nr_sources == before && !directory_has_kernel(path))
		warn("%s: nothing was recorded in it", path);
	return trace->nr_sources > before;
}

/* A header may have anything in it, and the file may have been cut off. */
static uint64_t count_records(const struct fntrace_header *header)
{
	uint64_t next = header->next < header->end ? header->next : header->end;

	if (next < header->base)
		return 0;
	if (header->wraps)
		next = header->end;
	return (next - header->base + header->older) / sizeof(struct fntrace_record);
}

static void add_summary(struct raw_summary *summary, const struct fntrace_header *header)
{
	uint64_t counter = header->latest.counter - header->start.counter;
	uint64_t ns = header->latest.ns - header->start.ns;

	summary->threads++;
	summary->records += count_records(header);
	summary->lost += header->lost;
	summary->too_deep += header->too_deep;
	summary->arch = header->arch;
	summary->entries_only |= header->flags & FNTRACE_ENTRIES_ONLY;
	if (header->counter_hz)
		summary->counter_hz = header->counter_hz;
	else if (header->start.counter && header->latest.counter > header->start.counter &&
		 header->latest.ns > header->start.ns)
		summary->counter_hz = (double)counter / ns * NSEC_PER_SEC;
}

/* Buffers that one after the other is behind, as far as their headers are right. */
struct raw_summary raw_summarise_dump(const char *path)
{
	struct raw_summary summary = { };
	struct fntrace_header header;
	uint64_t at = 0, room, next;
	bool swap;
	int fd;

	fd = open_input_file(path);
	while (fd >= 0 && read_header(path, fd, at, &header, &swap)) {
		add_summary(&summary, &header);
		room = header.end - header.base;
		next = (header.next < header.end ? header.next : header.end) - header.base;
		if (header.end < header.base || header.next < header.base || !header.header_size)
			break;
		if (header.older)
			next = room + header.older;
		next = at + header.header_size + (header.wraps ? room : next);
		if (next <= at)
			break;
		at = next;
	}
	if (fd >= 0)
		close(fd);
	return summary;
}

struct raw_summary raw_summarise(const char *path, uint32_t pid)
{
	struct raw_summary summary = { };
	struct fntrace_header header;
	struct dirent *entry;
	DIR *dir;
	bool swap;
	int fd;

	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (!directory_is_records_name(entry->d_name))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd >= 0 && read_header(entry->d_name, fd, 0, &header, &swap) &&
		    (!pid || header.pid == pid))
			add_summary(&summary, &header);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return summary;
}

bool raw_has_counter(const struct trace *trace, const struct machine *machine)
{
	size_t i;

	for (i = 0; i < trace->nr_sources; i++)
		if (trace->sources[i]->next == raw_next && trace->sources[i]->machine == machine)
			return true;
	return false;
}

size_t raw_marks(struct trace *trace, struct machine *machine, struct clock_mark **marks)
{
	size_t i, nr = 0, room = 0;

	*marks = NULL;
	for (i = 0; i < trace->nr_sources; i++) {
		struct raw *raw = (struct raw *)trace->sources[i], scan;
		struct fntrace_record record;
		uint64_t bad = trace->nr_bad, unread = trace->nr_unread;

		if (raw->source.next != raw_next || raw->source.machine != machine)
			continue;
		scan = *raw;
		reader_open(&scan.readers[0], raw->path, raw->readers[0].from, raw->readers[0].to);
		reader_open(&scan.readers[1], raw->path, raw->readers[1].from, raw->readers[1].to);
		while (get(&scan, &record)) {
			uint64_t value = record.what >> FNTRACE_ADDR_SHIFT;

			if ((record.what & 3) != FNTRACE_MARK ||
			    !(value & (FNTRACE_SEND | FNTRACE_RECEIVE)))
				continue;
			if (nr == room) {
				room = room ? 2 * room : 64;
				*marks = xrealloc(*marks, room * sizeof(**marks));
			}
			(*marks)[nr++] = (struct clock_mark){
				.number = value & FNTRACE_MARK_NUMBER,
				.ns = clock_to_ns(&machine->clock->map, record.time),
				.send = value & FNTRACE_SEND,
			};
		}
		reader_close(&scan.readers[0]);
		reader_close(&scan.readers[1]);
		trace->nr_bad = bad;
		trace->nr_unread = unread;
	}
	return nr;
}

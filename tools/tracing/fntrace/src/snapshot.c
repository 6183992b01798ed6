// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copy a recording while programs write to it; see snapshot.h.
 *
 * The threads do not know about it and take no lock. A file is read as it is, and its
 * header before and after that: what the thread wrote to in between is left out. Whatever
 * is still wrong then, a record that was taken but not yet filled when it was read, is
 * recognised by its time, as the times of a thread never go back.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fntrace.h>

#include "about.h"
#include "clock.h"
#include "describe.h"
#include "directory.h"
#include "names.h"
#include "snapshot.h"
#include "trace.h"

/* As raw.c: records that values of a call take, at most. */
#define DATA_MAX	((FNTRACE_VALUES_MAX + FNTRACE_DATA_BYTES - 1) / FNTRACE_DATA_BYTES)

/*
 * struct copy - a file of records that is copied
 * @running: see snapshot()
 * @from: descriptor of the file
 * @to: the copy
 * @header: of the file, when it was read last
 * @last: time of the last record that was copied
 * @nr: records that were copied
 * @data: records with values, which belong to the next one
 * @nr_data: how many; 0: there are none, or the first of them is missing
 */
struct copy {
	bool			running;
	int			from;
	FILE			*to;
	struct fntrace_header	header;
	uint64_t		last;
	uint64_t		nr;
	struct fntrace_record	data[DATA_MAX];
	size_t			nr_data;
};

/* How often to try again when a thread wrote over most of its buffer meanwhile. */
#define TRIES		100
#define CHUNK		(1u << 20)
/* Records: a reader may see one before the store that took it, on arm64 and riscv64. */
#define SLACK		64

static bool read_header(struct copy *copy)
{
	struct fntrace_header *header = &copy->header;

	return pread(copy->from, header, sizeof(*header), 0) == sizeof(*header) &&
	       raw_is_header(header);
}

static uint64_t header_room(const struct fntrace_header *header)
{
	return header->end - header->base;
}

/* Bytes of the buffer that are in use. */
static uint64_t header_used(const struct fntrace_header *header)
{
	return (header->next < header->end ? header->next : header->end) - header->base;
}

/*
 * Where the next record goes, if the buffer had no end. A thread that begins to write it
 * over sets next first and counts in wraps then; busy says that this may be so.
 */
static uint64_t header_position(const struct fntrace_header *header)
{
	uint64_t wraps = header->wraps + (header->next == header->base && header->busy);

	return wraps * header_room(header) + header_used(header);
}

static bool has_values(const struct copy *copy, const struct fntrace_record *record)
{
	return copy->header.version == FNTRACE_VERSION_VALUES &&
	       (record->what & 3) == FNTRACE_MARK && FNTRACE_DATA_LEFT(record->what);
}

/* They have no time: whether they are right, the record behind them says. */
static void keep_values(struct copy *copy, const struct fntrace_record *record)
{
	if (record->what & FNTRACE_DATA_FIRST)
		copy->nr_data = 0;
	else if (!copy->nr_data || copy->nr_data == ARRAY_SIZE(copy->data))
		return;
	copy->data[copy->nr_data++] = *record;
}

static void put_records(struct copy *copy, const struct fntrace_record *records, size_t nr)
{
	uint64_t now = fntrace_counter();
	size_t i;

	for (i = 0; i < nr; i++) {
		if (has_values(copy, &records[i])) {
			keep_values(copy, &records[i]);
			continue;
		}
		if (records[i].time && records[i].time >= copy->last && records[i].time <= now) {
			copy->last = records[i].time;
			copy->nr += copy->nr_data + 1;
			fwrite(copy->data, sizeof(copy->data[0]), copy->nr_data, copy->to);
			fwrite(&records[i], sizeof(records[i]), 1, copy->to);
		}
		copy->nr_data = 0;
	}
}

/* What is at @at of the file, up to @size bytes; less if the file has less. */
static size_t read_at(const struct copy *copy, void *to, uint64_t at, size_t size)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = pread(copy->from, (char *)to + done, size - done, at + done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

/* Records that are behind the buffer in the file; they stay as they are. */
static void copy_older(struct copy *copy, uint64_t from, uint64_t to)
{
	uint64_t begin = copy->header.header_size + header_room(&copy->header);
	struct fntrace_record *chunk = xalloc(CHUNK);
	size_t size, got;

	while (from < to) {
		size = to - from < CHUNK ? to - from : CHUNK;
		got = read_at(copy, chunk, begin + from, size);
		put_records(copy, chunk, got / sizeof(*chunk));
		if (got < size)
			break;
		from += size;
	}
	free(chunk);
}

/*
 * A buffer whose records go behind it when it is full. What is copied is what there was when
 * the header was read first, however fast the thread is. If the records were moved before
 * they could be read from the buffer, they are where copy->header.older was then.
 */
static void copy_growing(struct copy *copy, struct fntrace_record *buffer)
{
	uint64_t older = copy->header.older, used = header_used(&copy->header);
	size_t got;

	copy_older(copy, 0, older);
	got = read_at(copy, buffer, copy->header.header_size, used);
	if (!read_header(copy))
		return;
	if (copy->header.older == older)
		put_records(copy, buffer, got / sizeof(*buffer));
	else
		copy_older(copy, older, older + used);
}

/* A buffer that is written over. The records in front of the position are the newest. */
static void copy_ring(struct copy *copy, struct fntrace_record *buffer)
{
	uint64_t room = header_room(&copy->header), before, after, from, at, size, slack = SLACK;
	int i;

	/* That are taken together with their values. */
	if (copy->header.version == FNTRACE_VERSION_VALUES)
		slack += DATA_MAX;
	slack *= sizeof(*buffer);

	for (i = 0; ; i++) {
		before = header_position(&copy->header);
		read_at(copy, buffer, copy->header.header_size, room);
		if (!read_header(copy) || header_room(&copy->header) != room)
			return;
		after = header_position(&copy->header);
		/* Interrupted for so long that hardly anything is left? */
		if (i == TRIES || after < before + room / 2)
			break;
	}
	from = after + slack > room ? after + slack - room : 0;
	from -= from % sizeof(*buffer);
	while (from < before) {
		at = from % room;
		size = before - from < room - at ? before - from : room - at;
		put_records(copy, buffer + at / sizeof(*buffer), size / sizeof(*buffer));
		from += size;
	}
}

/* The name that a thread has by now, if it is still there. */
static void update_name(struct fntrace_header *header)
{
	char *path = xasprintf("/proc/%u/task/%u/comm", header->pid, header->tid);
	char *text = read_file(path, NULL);

	if (text && *text)
		snprintf(header->name, sizeof(header->name), "%.*s", (int)strcspn(text, "\n"),
			 text);
	free(text);
	free(path);
}

/* Make the header that of a file with @copy->nr records and nothing else. */
static void put_header(struct copy *copy)
{
	struct fntrace_header *header = &copy->header;

	header->mode = FNTRACE_STOP;
	header->older = 0;
	header->wraps = 0;
	header->busy = 0;
	header->next = header->base + copy->nr * sizeof(struct fntrace_record);
	header->end = header->next;
	/* A thread that goes on has not written it yet. */
	if (!header->latest.counter && copy->running)
		header->latest = clock_now();
	update_name(header);
	rewind(copy->to);
	fwrite(header, sizeof(*header), 1, copy->to);
}

/* Returns an errno. What is no file of records, or not yet, is left out. */
static int copy_records(const char *from, const char *to, pid_t pid, bool running,
			uint64_t *records)
{
	struct copy copy = { .running = running, .from = open_input_file(from) };
	void *buffer = MAP_FAILED;
	uint64_t room = 0;
	int error = 0;

	if (copy.from < 0) {
		error = errno;
		warn("cannot read %s: %s", from, strerror(error));
		return error;
	}
	if (!read_header(&copy) || (pid && copy.header.pid != (uint32_t)pid))
		goto out_close;
	room = header_room(&copy.header);
	/* Not malloc(): most of a large buffer may be empty. */
	buffer = mmap(NULL, room + 1, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (buffer == MAP_FAILED)
		die("out of memory");
	copy.to = fopen(to, "we");
	if (!copy.to) {
		error = errno;
		goto out_close;
	}
	errno = 0;
	fseek(copy.to, copy.header.header_size, SEEK_SET);
	if (copy.header.mode == FNTRACE_OVERWRITE)
		copy_ring(&copy, buffer);
	else
		copy_growing(&copy, buffer);
	put_header(&copy);
	if (ferror(copy.to))
		error = errno ? errno : EIO;
	if (fclose(copy.to) && !error)
		error = errno;
	/* Less than a header would be damage to who reads it. */
	if (!error && truncate(to, copy.header.header_size +
			       copy.nr * sizeof(struct fntrace_record)))
		error = errno;
	*records += copy.nr;
out_close:
	if (error)
		warn("cannot write %s: %s", to, strerror(error));
	if (buffer != MAP_FAILED)
		munmap(buffer, room + 1);
	close(copy.from);
	return error;
}

/*
 * What process @pid has mapped, as libfntrace.so would write it. Of one that has become
 * another program since @from was written, the mappings are not those of @from.
 */
static void put_live_maps(FILE *file, pid_t pid, const char *program)
{
	char *path = xasprintf("/proc/%d/exe", pid), *exe = realpath(path, NULL);
	char *maps = xasprintf("/proc/%d/maps", pid), *text = NULL;

	if (exe && !strcmp(exe, program))
		text = read_file(maps, NULL);
	if (text && *text)
		fprintf(file, "at %" PRIu64 "\n%s", fntrace_counter(), text);
	free(text);
	free(maps);
	free(exe);
	free(path);
}

/*
 * A process writes down what it has mapped before that changes, and at its end. One that
 * goes on may have loaded libraries since.
 */
static int copy_maps(const char *from, const char *to, pid_t pid)
{
	char *text = read_file(from, NULL), *program;
	FILE *file;
	int error = 0;

	if (!text)
		return 0;
	file = fopen(to, "we");
	if (!file) {
		error = errno;
		goto out;
	}
	errno = 0;
	fputs(text, file);
	program = xasprintf("%.*s", (int)strcspn(text, "\n"), text);
	put_live_maps(file, pid, program);
	free(program);
	if (ferror(file))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno;
out:
	if (error)
		warn("cannot write %s: %s", to, strerror(error));
	free(text);
	return error;
}

/* Readings of the clocks: those of "fntrace record", and one of this moment if @running. */
static int copy_clock(const char *from, const char *to, bool running)
{
	char *text = read_file(from, NULL);
	struct fntrace_clock now = clock_now();
	FILE *file = fopen(to, "we");
	int error = 0;

	if (file) {
		errno = 0;
		fputs(text ? text : "", file);
		if (running)
			fprintf(file, "%" PRIu64 " %" PRIu64 "\n", now.counter, now.ns);
		if (ferror(file))
			error = errno ? errno : EIO;
	}
	if ((!file || fclose(file)) && !error)
		error = errno;
	if (error)
		warn("cannot write %s: %s", to, strerror(error));
	free(text);
	return error;
}

/* What the values mean; it does not change. */
static int copy_text(const char *from, const char *to)
{
	char *text = read_file(from, NULL);
	FILE *file = text ? fopen(to, "we") : NULL;
	int error = 0;

	if (!file || fputs(text, file) == EOF)
		error = errno;
	if (file && fclose(file) && !error)
		error = errno;
	if (error)
		warn("cannot copy %s to %s: %s", from, to, strerror(error));
	free(text);
	return error;
}

static int copy_file(const char *name, const char *from, const char *to, pid_t pid,
		     bool running, uint64_t *records)
{
	pid_t owner = strtoul(name, NULL, 10);

	if (directory_is_records_name(name))
		return copy_records(from, to, pid, running, records);
	if (directory_is_maps_name(name) && (!pid || pid == owner))
		return copy_maps(from, to, owner);
	/* Of stubs, which are in no file. */
	if (!strcmp(name, DESCRIBE_FILE) || (directory_is_symbols_name(name) && strchr(name, '-')))
		return copy_text(from, to);
	return 0;
}

int snapshot(const char *from, const char *to, pid_t pid, bool running, uint64_t *records)
{
	char *source = xasprintf("%s/" DIRECTORY_CLOCK, from);
	char *target = xasprintf("%s/" DIRECTORY_CLOCK, to);
	int error = copy_clock(source, target, running), i, count;
	struct dirent **entries;

	free(source);
	free(target);
	if (error)
		return error;
	*records = 0;
	count = scandir(from, &entries, NULL, versionsort);
	if (count < 0) {
		warn("cannot read %s: %s", from, strerror(errno));
		return errno;
	}
	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		source = xasprintf("%s/%s", from, name);
		target = xasprintf("%s/%s", to, name);
		if (!error)
			error = copy_file(name, source, target, pid, running, records);
		free(source);
		free(target);
		free(entries[i]);
	}
	free(entries);
	if (error)
		return error;
	about_copy(from, to);
	return names_save(to);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading files from their beginning to their end with little memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace.h"

/* Together; a trace may have thousands of threads. */
#define AHEAD_ALL	(16u << 20)
#define AHEAD_MAX	(256u << 10)
#define AHEAD_MIN	4096u

static unsigned int nr_readers;

int open_input_file(const char *path)
{
	struct stat status;
	int fd;

	if (stat(path, &status))
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd;
}

void reader_open(struct reader *reader, const char *path, uint64_t from, uint64_t to)
{
	*reader = (struct reader){ .path = path, .from = from, .to = to };
	nr_readers++;
}

static bool fill(struct reader *reader, size_t size)
{
	size_t left = reader->have - reader->used;
	ssize_t got;
	int fd = -1;

	if (!reader->buffer) {
		/* Those that are opened later are too late; there are none in practice. */
		reader->size = AHEAD_ALL / nr_readers;
		if (reader->size > AHEAD_MAX)
			reader->size = AHEAD_MAX;
		if (reader->size < AHEAD_MIN)
			reader->size = AHEAD_MIN;
		reader->buffer = xalloc(reader->size);
	}
	memmove(reader->buffer, reader->buffer + reader->used, left);
	reader->used = 0;
	reader->have = left;
	/* Not kept open: a trace may have more files than a process may have open. */
	if (reader->have < reader->size && reader->from < reader->to) {
		fd = open_input_file(reader->path);
		if (fd < 0) {
			warn("cannot read %s: %s; what comes behind is missing", reader->path,
			     strerror(errno));
			reader->to = reader->from;
			reader->failed = true;
		}
	}
	while (reader->have < reader->size && reader->from < reader->to) {
		size_t want = reader->size - reader->have;

		if (want > reader->to - reader->from)
			want = reader->to - reader->from;
		got = pread(fd, reader->buffer + reader->have, want, reader->from);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			warn("cannot read %s: %s; what comes behind is missing", reader->path,
			     strerror(errno));
			reader->failed = true;
		}
		if (got <= 0) {
			reader->to = reader->from;
			break;
		}
		reader->have += got;
		reader->from += got;
	}
	if (fd >= 0)
		close(fd);
	return reader->have >= size;
}

const void *reader_get(struct reader *reader, size_t size)
{
	const void *data;

	if (reader->have - reader->used < size && !fill(reader, size))
		return NULL;
	data = reader->buffer + reader->used;
	reader->used += size;
	return data;
}

bool reader_is_at_end(const struct reader *reader)
{
	return reader->used == reader->have && reader->from >= reader->to;
}

void reader_close(struct reader *reader)
{
	free(reader->buffer);
	reader->buffer = NULL;
	nr_readers--;
}

char *read_file(const char *path, size_t *size)
{
	size_t have = 0, room = 4096;
	char *text;
	ssize_t got;
	int fd;

	fd = open_input_file(path);
	if (fd < 0)
		return NULL;
	text = xalloc(room);
	while ((got = read(fd, text + have, room - 1 - have)) > 0) {
		have += got;
		if (have == room - 1) {
			room *= 2;
			text = xrealloc(text, room);
		}
	}
	close(fd);
	text[have] = 0;
	if (size)
		*size = have;
	return text;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Buffers and other files that a machine sends, one part after the other.
 *
 * What arrives may be damaged or end anywhere. The beginning of a header is found at any
 * place: it cuts off the records of the part before it, and what comes before the first one
 * is skipped.
 */
#define _GNU_SOURCE
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fntrace_format.h>

#include "directory.h"
#include "kernel_protocol.h"
#include "stream.h"
#include "trace.h"

/* magic, byte_order and version, which both kinds of headers begin with. */
#define MARK_SIZE	16
/* Where the files say that the records were; any address does. */
#define BASE		FNTRACE_HEADER_SIZE

/*
 * struct sent - a buffer, and the file with what arrived of it
 * @header: the latest one, in the order of bytes of its writer
 * @swap: that is not the order of this machine
 * @fd: -1: its file is not open
 * @size: bytes of records in the file
 * @counted: bytes of records that were sent
 * @oldest: offset of the oldest record, if records were written over
 * @room: size of such a buffer
 */
struct sent {
	struct fntrace_header	header;
	bool			swap;
	int			fd;
	char			*path;
	uint64_t		size;
	uint64_t		counted;
	uint64_t		oldest;
	uint64_t		room;
	struct sent		*next;
};

/*
 * struct stream - what was read and not written yet
 * @data: of which @len bytes from @start on are to be used
 * @sent: the buffers, the latest one first
 * @part: of which records come now
 * @path: of the file whose bytes come now; without both a header is next
 * @fd: that file
 * @at: where in it they go
 * @padding: bytes of the header behind the structure that are to come
 * @left: bytes of records, or of the file, that are to come
 */
struct stream {
	const char		*directory;
	char			data[2 * 65536];
	size_t			start;
	size_t			len;
	struct sent		*sent;
	struct sent		*part;
	char			*path;
	int			fd;
	uint64_t		at;
	uint64_t		padding;
	uint64_t		left;
	struct stream_summary	summary;
};

static uint32_t get32(const struct sent *sent, uint32_t value)
{
	return sent->swap ? bswap_32(value) : value;
}

static uint64_t get64(const struct sent *sent, uint64_t value)
{
	return sent->swap ? bswap_64(value) : value;
}

/* Of the two kinds of headers, both of which begin with the same letter. */
static bool is_file_mark(const char *data)
{
	return !memcmp(data, FNTRACE_FILE_MAGIC, sizeof(FNTRACE_FILE_MAGIC));
}

/* Is this how a header begins? In @swap: does it have the other order of bytes? */
static bool is_mark(const char *data, bool *swap)
{
	struct fntrace_header header;
	uint32_t version;

	memcpy(&header, data, MARK_SIZE);
	if (memcmp(header.magic, FNTRACE_MAGIC, sizeof(header.magic)) && !is_file_mark(data))
		return false;
	*swap = header.byte_order == bswap_32(FNTRACE_BYTE_ORDER);
	version = *swap ? bswap_32(header.version) : header.version;
	return (*swap || header.byte_order == FNTRACE_BYTE_ORDER) &&
	       (version == FNTRACE_VERSION || version == FNTRACE_VERSION_VALUES);
}

/*
 * How many bytes are in front of the first mark at @from or behind it, or are certainly in
 * front of the next one?
 */
static size_t find_mark(const struct stream *stream, size_t from, bool *found)
{
	const char *start = stream->data + stream->start, *at = start + from;
	const char *end = start + stream->len;
	bool swap;

	for (*found = false; end - at >= MARK_SIZE; at++) {
		at = memchr(at, FNTRACE_MAGIC[0], end - at - MARK_SIZE + 1);
		if (!at)
			break;
		*found = is_mark(at, &swap);
		if (*found)
			return at - start;
	}
	return stream->len >= MARK_SIZE ? stream->len - MARK_SIZE + 1 : 0;
}

static void consume(struct stream *stream, size_t size)
{
	stream->start += size;
	stream->len -= size;
}

static void write_at(int fd, const char *path, const void *data, size_t size, uint64_t at)
{
	ssize_t done;

	for (; size; data = (const char *)data + done, size -= done, at += done) {
		done = pwrite(fd, data, size, at);
		if (done < 0)
			die("cannot write %s: %s", path, strerror(errno));
	}
}

/* The records come first, so that the header never counts what is not there. */
static void write_header(struct sent *sent)
{
	struct fntrace_header header = sent->header;

	header.header_size = get32(sent, FNTRACE_HEADER_SIZE);
	header.base = get64(sent, BASE);
	header.next = get64(sent, BASE + (header.wraps ? sent->oldest : sent->size));
	header.end = get64(sent, BASE + (header.wraps ? sent->room : sent->size));
	header.older = 0;
	header.busy = 0;
	write_at(sent->fd, sent->path, &header, sizeof(header), 0);
}

static bool same_buffer(const struct fntrace_header *a, const struct fntrace_header *b)
{
	return a->byte_order == b->byte_order && a->arch == b->arch && a->pid == b->pid &&
	       a->tid == b->tid && a->cpu == b->cpu && a->session == b->session;
}

static struct sent *new_file(struct stream *stream)
{
	struct sent *sent = xalloc(sizeof(*sent));

	sent->path = xasprintf("%s/%" PRIu64 "-0.fntrace", stream->directory,
			       ++stream->summary.buffers);
	sent->next = stream->sent;
	stream->sent = sent;
	return sent;
}

/* More of them may come than files can be open. */
static void open_file(struct sent *sent)
{
	sent->fd = open(sent->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (sent->fd < 0 || (!sent->size && ftruncate(sent->fd, FNTRACE_HEADER_SIZE)))
		die("cannot write %s: %s", sent->path, strerror(errno));
}

static void close_file(int *fd, const char *path)
{
	if (close(*fd))
		die("cannot write %s: %s", path, strerror(errno));
	*fd = -1;
}

/*
 * A kernel that counts less than what arrived has started again, or sends only once. If the
 * oldest record is not the first one, nothing can follow, or be in front of it.
 */
static struct sent *find_buffer(struct stream *stream, const struct fntrace_header *header,
				uint64_t older)
{
	struct sent *sent;

	for (sent = stream->sent; sent; sent = sent->next)
		if (same_buffer(&sent->header, header))
			break;
	if (!sent || older < sent->counted || header->wraps || sent->header.wraps)
		sent = new_file(stream);
	return sent;
}

/* Returns false if the header at the beginning cannot be that of a part. */
static bool begin_part(struct stream *stream)
{
	struct sent plain = { };
	uint64_t base, next, end, older;
	uint32_t header_size;
	struct sent *sent;

	memcpy(&plain.header, stream->data + stream->start, sizeof(plain.header));
	is_mark(stream->data + stream->start, &plain.swap);
	header_size = get32(&plain, plain.header.header_size);
	base = get64(&plain, plain.header.base);
	next = get64(&plain, plain.header.next);
	end = get64(&plain, plain.header.end);
	older = get64(&plain, plain.header.older);
	if (header_size < sizeof(plain.header) || header_size > RAW_HEADER_MAX || next < base ||
	    end < base || end - base > RAW_ROOM_MAX ||
	    (end - base) % sizeof(struct fntrace_record) ||
	    (next - base) % sizeof(struct fntrace_record))
		return false;

	if (next > end)
		next = end;
	stream->left = plain.header.wraps ? end - base : next - base;
	stream->padding = header_size - sizeof(plain.header);
	consume(stream, sizeof(plain.header));

	sent = find_buffer(stream, &plain.header, older);
	stream->summary.missing += older - sent->counted;
	sent->counted = older + stream->left;
	sent->oldest = next - base;
	sent->room = end - base;
	sent->header = plain.header;
	sent->swap = plain.swap;
	open_file(sent);
	write_header(sent);
	stream->part = sent;
	return true;
}

/* Does a path lead to something below where it begins? */
static bool stays_below(const char *path)
{
	const char *name = path;

	do {
		if (!*name || *name == '/' || *name == '.')
			return false;
		name = strchr(name, '/');
	} while (name && name++);
	return true;
}

/*
 * Files that a recording has besides those of records, also in the directory of the kernel.
 * What it is called must not lead anywhere else.
 */
static bool is_file_name(const char *name)
{
	if (!stays_below(name))
		return false;
	if (strchr(name, '/'))
		return !strncmp(name, KERNEL_DIR "/", strlen(KERNEL_DIR "/"));
	return directory_is_sent_name(name);
}

/* @path: of a file; what is behind @from are names of directories and of the file */
static void make_directories(char *path, size_t from)
{
	char *slash = path + from;

	while ((slash = strchr(slash, '/'))) {
		*slash = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			die("cannot make the directory %s: %s", path, strerror(errno));
		*slash++ = '/';
	}
}

/* Returns false if the header at the beginning cannot be that of bytes of a file. */
static bool begin_bytes(struct stream *stream)
{
	struct fntrace_file header;
	struct sent plain = { };
	uint64_t size, at;

	memcpy(&header, stream->data + stream->start, sizeof(header));
	is_mark(stream->data + stream->start, &plain.swap);
	size = get64(&plain, header.size);
	at = get64(&plain, header.at);
	if (at > RAW_ROOM_MAX || size > RAW_ROOM_MAX ||
	    !memchr(header.name, 0, sizeof(header.name)))
		return false;
	if (!*header.name) {
		stream->summary.ended = true;
		consume(stream, sizeof(header));
		return true;
	}
	if (!is_file_name(header.name))
		return false;

	consume(stream, sizeof(header));
	stream->path = xasprintf("%s/%s", stream->directory, header.name);
	make_directories(stream->path, strlen(stream->directory) + 1);
	stream->fd = open(stream->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			  (at ? 0 : O_TRUNC), 0644);
	if (stream->fd < 0)
		die("cannot write %s: %s", stream->path, strerror(errno));
	stream->at = at;
	stream->left = size;
	stream->padding = 0;
	stream->summary.files++;
	return true;
}

static void end_part(struct stream *stream)
{
	struct sent *sent = stream->part;

	stream->summary.cut_off += stream->padding || stream->left;
	if (!sent) {
		close_file(&stream->fd, stream->path);
		free(stream->path);
		stream->path = NULL;
		return;
	}
	/* What follows begins with a whole record. */
	sent->size -= sent->size % sizeof(struct fntrace_record);
	write_header(sent);
	close_file(&sent->fd, sent->path);
	stream->part = NULL;
}

static void put_bytes(struct stream *stream, size_t size)
{
	const char *data = stream->data + stream->start;
	struct sent *sent = stream->part;

	if (sent) {
		write_at(sent->fd, sent->path, data, size, FNTRACE_HEADER_SIZE + sent->size);
		sent->size += size;
		write_header(sent);
	} else {
		write_at(stream->fd, stream->path, data, size, stream->at);
		stream->at += size;
	}
	stream->left -= size;
	consume(stream, size);
}

/*
 * Is it the whole header of a file without a name, behind which nothing comes? In what is
 * left of a header that was cut off, another one would begin.
 */
static bool is_end(const struct stream *stream)
{
	static const char none[sizeof(((struct fntrace_file *)NULL)->name)];
	const char *header = stream->data + stream->start;

	return stream->len >= sizeof(struct fntrace_file) &&
	       !memcmp(header + offsetof(struct fntrace_file, name), none, sizeof(none));
}

/* Looks for a header. Returns false if nothing can be done with what there is. */
static bool step_outside(struct stream *stream, bool last)
{
	bool found, again, file;
	size_t size, whole, len;

	size = find_mark(stream, 0, &found);
	if (found && !size) {
		file = is_file_mark(stream->data + stream->start);
		len = file ? sizeof(struct fntrace_file) : sizeof(struct fntrace_header);
		if (stream->len < len + MARK_SIZE - 1 && !last && !(file && is_end(stream)))
			return false;
		/* It may have been cut off, and another one follow. */
		whole = find_mark(stream, 1, &again);
		if (stream->len >= len && (!again || whole >= len) &&
		    (file ? begin_bytes(stream) : begin_part(stream)))
			return true;
		size = again ? whole : MARK_SIZE;
	} else if (last && !found) {
		size = stream->len;
	}
	stream->summary.skipped += size;
	consume(stream, size);
	return size;
}

/* Does what can be done with what there is. Returns false if that is nothing. */
static bool step(struct stream *stream, bool last)
{
	bool found;
	size_t size;

	if (!stream->part && !stream->path)
		return step_outside(stream, last);
	if (!stream->padding && !stream->left) {
		end_part(stream);
		return true;
	}
	size = find_mark(stream, 0, &found);
	if (found && !size) {
		end_part(stream);
		return true;
	}
	if (last && !found)
		size = stream->len;
	if (stream->padding) {
		if (size > stream->padding)
			size = stream->padding;
		stream->padding -= size;
		consume(stream, size);
	} else {
		if (size > stream->left)
			size = stream->left;
		put_bytes(stream, size);
	}
	return size;
}

struct stream *stream_open(const char *directory)
{
	struct stream *stream = xalloc(sizeof(*stream));

	stream->directory = directory;
	return stream;
}

void stream_put(struct stream *stream, const void *data, size_t size)
{
	size_t part;

	while (size) {
		memmove(stream->data, stream->data + stream->start, stream->len);
		stream->start = 0;
		part = sizeof(stream->data) - stream->len;
		if (part > size)
			part = size;
		memcpy(stream->data + stream->len, data, part);
		stream->len += part;
		data = (const char *)data + part;
		size -= part;
		while (step(stream, false))
			;
	}
}

bool stream_has_ended(const struct stream *stream)
{
	return stream->summary.ended;
}

struct stream_summary stream_close(struct stream *stream)
{
	struct stream_summary summary;
	struct sent *sent;

	while (step(stream, true))
		;
	if (stream->part || stream->path)
		end_part(stream);
	while ((sent = stream->sent)) {
		stream->sent = sent->next;
		free(sent->path);
		free(sent);
	}
	summary = stream->summary;
	free(stream);
	return summary;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Send a recording to "fntrace receive" while programs write to it; see send.h.
 *
 * The file of a thread has its buffer, which the thread maps, and behind it what was in the
 * buffer whenever it was full (fntrace_grow() of linux/preload.c). The latter never changes,
 * so it is sent as a part of a buffer, as a kernel does, and a hole is punched in its place.
 * What is in the buffer itself is sent when the recording has ended. Other files are sent as
 * they are, with struct fntrace_file in front of their bytes: those that grow line by line at
 * once, those that are written in the end with it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fntrace_format.h>

#include "address.h"
#include "directory.h"
#include "kernel_protocol.h"
#include "send.h"
#include "trace.h"

#define CHUNK		(256u << 10)
/* Bytes after which the disk gets back what was sent. */
#define PART_MAX	(16u << 20)
/* Milliseconds for which who receives may take nothing. */
#define SEND_TIMEOUT	30000

/*
 * struct sent_file - how much of a file was sent
 * @name: in the directory
 * @number: of a file of records: they may be two of one thread
 * @size: bytes; of a file of records, those that were behind the buffer
 */
struct sent_file {
	char		*name;
	uint32_t	number;
	uint64_t	size;
};

/*
 * struct sender - a connection
 * @fd: -1: it is lost
 * @files: a tree of struct sent_file, see tsearch(3)
 * @numbers: of files up to now
 * @updated: second of the last update
 * @data: what was read of a file
 */
struct sender {
	int		fd;
	const char	*address;
	void		*files;
	uint32_t	numbers;
	time_t		updated;
	char		data[CHUNK];
};

static int sender_compare(const void *a, const void *b)
{
	return strcmp(((const struct sent_file *)a)->name, ((const struct sent_file *)b)->name);
}

static struct sent_file *sender_find(struct sender *sender, const char *name)
{
	struct sent_file key = { .name = (char *)name }, *file;
	struct sent_file **found = tsearch(&key, &sender->files, sender_compare);

	if (!found)
		die("no memory");
	if (*found != &key)
		return *found;
	file = xalloc(sizeof(*file));
	file->name = xstrdup(name);
	file->number = sender->numbers++;
	*found = file;
	return file;
}

static void sender_free_file(void *data)
{
	struct sent_file *file = data;

	free(file->name);
	free(file);
}

static void sender_lose(struct sender *sender, int error)
{
	warn("the connection to %s is lost: %s", sender->address, strerror(error));
	close(sender->fd);
	sender->fd = -1;
}

static void sender_put(struct sender *sender, const void *data, size_t size)
{
	struct pollfd wanted = { .fd = sender->fd, .events = POLLOUT };
	ssize_t done;

	while (size && sender->fd >= 0) {
		done = write(sender->fd, data, size);
		if (done >= 0) {
			data = (const char *)data + done;
			size -= done;
		} else if (errno == EAGAIN) {
			if (!poll(&wanted, 1, SEND_TIMEOUT))
				sender_lose(sender, ETIMEDOUT);
		} else if (errno != EINTR) {
			sender_lose(sender, errno);
		}
	}
}

/*
 * Send @size bytes of a file from @at on. A header told how many follow, so that zeros take
 * the place of what cannot be read any more.
 */
static void sender_put_range(struct sender *sender, int fd, const char *name, uint64_t at,
			     uint64_t size)
{
	bool bad = false;
	ssize_t got;

	for (; size && sender->fd >= 0; at += got, size -= got) {
		got = size < CHUNK ? size : CHUNK;
		if (!bad) {
			got = pread(fd, sender->data, got, at);
			bad = got <= 0;
			if (bad && got < 0)
				warn("cannot read %s: %s", name, strerror(errno));
		}
		if (bad) {
			got = size < CHUNK ? size : CHUNK;
			memset(sender->data, 0, got);
		}
		sender_put(sender, sender->data, got);
	}
}

/* A part of a buffer: a header, and @size bytes of the file from @at on. */
static void sender_put_part(struct sender *sender, struct sent_file *file, int fd,
			    const struct fntrace_header *header, uint64_t at, uint64_t size)
{
	struct fntrace_header part = *header;

	part.header_size = sizeof(part);
	part.busy = 0;
	part.older = file->size;
	part.base = sizeof(part);
	part.end = part.base + size;
	part.next = header->wraps ? part.base + (header->next - header->base) : part.end;
	/* In a stream, this tells the buffers of one thread apart. */
	part.cpu = file->number;
	sender_put(sender, &part, sizeof(part));
	sender_put_range(sender, fd, file->name, at, size);
	file->size += size;
}

/* So that the disk has no more than what was not sent yet. Where it cannot do that, it has all. */
static void punch(int fd, uint64_t at, uint64_t size)
{
	fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, size);
}

/*
 * What went behind the buffer. The last of it stays until the end: if the program is killed
 * right there, it is in the buffer too, as raw.c says.
 */
static void sender_put_older(struct sender *sender, struct sent_file *file, int fd,
			     const struct fntrace_header *header, uint64_t to)
{
	uint64_t begin = header->header_size + (header->end - header->base), at, size;

	if (header->wraps)
		return;
	while (file->size < to) {
		at = begin + file->size;
		size = to - file->size;
		if (size > PART_MAX)
			size = PART_MAX;
		sender_put_part(sender, file, fd, header, at, size);
		if (sender->fd < 0)
			break;
		punch(fd, at, size);
	}
}

static void sender_put_records(struct sender *sender, struct sent_file *file, int fd, bool last)
{
	struct fntrace_header header;
	uint64_t room, used;
	struct stat status;

	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) || fstat(fd, &status) ||
	    !raw_is_header(&header) || header.older > RAW_ROOM_MAX ||
	    header.header_size > status.st_size) {
		if (last)
			warn("%s: damaged; not sent", file->name);
		return;
	}
	room = header.end - header.base;
	if (!last) {
		if (header.older > room)
			sender_put_older(sender, file, fd, &header, header.older - room);
		return;
	}
	used = header.next < header.end ? header.next - header.base : room;
	if (raw_is_moved(fd, header.header_size, header.older, used))
		used = 0;
	sender_put_older(sender, file, fd, &header, header.older);
	sender_put_part(sender, file, fd, &header, header.header_size,
			header.wraps ? room : used);
}

static void sender_put_file_header(struct sender *sender, const char *name, uint64_t at,
				   uint64_t size)
{
	struct fntrace_file header = {
		.magic = FNTRACE_FILE_MAGIC,
		.byte_order = FNTRACE_BYTE_ORDER,
		.version = FNTRACE_VERSION,
		.at = at,
		.size = size,
	};

	strncpy(header.name, name, sizeof(header.name) - 1);
	sender_put(sender, &header, sizeof(header));
}

/* What was added to a file that is none of records. */
static void sender_put_text(struct sender *sender, struct sent_file *file, int fd, bool last)
{
	struct stat status;
	uint64_t size;

	if (fstat(fd, &status) || status.st_size < 0 || (uint64_t)status.st_size < file->size)
		return;
	size = status.st_size - file->size;
	if (!size && (file->size || !last))
		return;
	sender_put_file_header(sender, file->name, file->size, size);
	sender_put_range(sender, fd, file->name, file->size, size);
	file->size += size;
}

/*
 * @dir: the directory
 * @prefix: where it is in that of the recording
 * @entry: name of the file
 */
static void sender_put_entry(struct sender *sender, int dir, const char *prefix,
			     const char *entry, bool last)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	bool records = !*prefix && directory_is_records_name(entry);
	struct sent_file *file;
	char *name;
	int fd = -1;

	/* To punch holes, it must be open for writing. */
	if (records)
		fd = openat(dir, entry, O_RDWR | flags);
	if (fd < 0)
		fd = openat(dir, entry, O_RDONLY | flags);
	if (fd < 0)
		return;
	name = xasprintf("%s%s", prefix, entry);
	file = sender_find(sender, name);
	free(name);
	if (records)
		sender_put_records(sender, file, fd, last);
	else
		sender_put_text(sender, file, fd, last);
	close(fd);
}

/* The files for whose names @which is true. */
static void sender_put_files(struct sender *sender, DIR *dir, bool (*which)(const char *name),
			     bool last)
{
	struct dirent *entry;

	rewinddir(dir);
	while (sender->fd >= 0 && (entry = readdir(dir)))
		if (which(entry->d_name))
			sender_put_entry(sender, dirfd(dir), "", entry->d_name, last);
}

/* @prefix: path in the recording, with a slash behind it */
static void sender_put_tree(struct sender *sender, int parent, const char *entry,
			    const char *prefix)
{
	int fd = openat(parent, entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *child;
	struct stat status;
	char *path;

	if (!dir)
		return;
	while (sender->fd >= 0 && (child = readdir(dir))) {
		if (child->d_name[0] == '.' ||
		    fstatat(fd, child->d_name, &status, AT_SYMLINK_NOFOLLOW))
			continue;
		if (S_ISDIR(status.st_mode)) {
			path = xasprintf("%s%s/", prefix, child->d_name);
			sender_put_tree(sender, fd, child->d_name, path);
			free(path);
		} else if (S_ISREG(status.st_mode)) {
			sender_put_entry(sender, fd, prefix, child->d_name, true);
		}
	}
	closedir(dir);
}

/*
 * In an order in which it can be read wherever it ends: with the clock it is a recording, see
 * directory_is_recording(), with the mappings the records have names, and with KERNEL_INFO the
 * rest is the trace of a kernel. What describes that is complete in the end only.
 */
static void sender_put_directory(struct sender *sender, const char *path, bool last)
{
	DIR *dir = opendir(path);

	if (!dir)
		return;
	sender_put_entry(sender, dirfd(dir), "", DIRECTORY_CLOCK, last);
	sender_put_files(sender, dir, directory_is_sent_name, last);
	sender_put_files(sender, dir, directory_is_records_name, last);
	if (last) {
		sender_put_entry(sender, dirfd(dir), "", KERNEL_DIR "/" KERNEL_INFO, last);
		sender_put_tree(sender, dirfd(dir), KERNEL_DIR, KERNEL_DIR "/");
	}
	closedir(dir);
}

struct sender *sender_open(const char *address)
{
	int fd = address_send(address);
	struct sender *sender;

	if (fd < 0)
		return NULL;
	sender = xalloc(sizeof(*sender));
	sender->fd = fd;
	sender->address = address;
	return sender;
}

static void sender_update_all(struct sender *sender, const char *directory, bool last)
{
	/* If nobody receives any more, that is an error of write(). */
	signal(SIGPIPE, SIG_IGN);
	sender_put_directory(sender, directory, last);
}

void sender_update(struct sender *sender, const char *directory)
{
	time_t now = time(NULL);

	/* A program that starts many others is looked at more often. */
	if (now == sender->updated)
		return;
	sender->updated = now;
	sender_update_all(sender, directory, false);
}

/* Of a socket: its other end is closed when everything was written down there. */
static void sender_finish(struct sender *sender)
{
	struct pollfd wanted = { .fd = sender->fd, .events = POLLIN };
	char byte;

	if (shutdown(sender->fd, SHUT_WR))
		return;
	if (!poll(&wanted, 1, SEND_TIMEOUT))
		sender_lose(sender, ETIMEDOUT);
	else if (read(sender->fd, &byte, 1) < 0)
		sender_lose(sender, errno);
}

bool sender_close(struct sender *sender, const char *directory, bool whole)
{
	bool good;

	if (whole) {
		sender_update_all(sender, directory, true);
		/* A file without a name: there is nothing more. */
		sender_put_file_header(sender, "", 0, 0);
	}
	if (whole && sender->fd >= 0)
		sender_finish(sender);
	good = sender->fd >= 0;
	if (good)
		close(sender->fd);
	tdestroy(sender->files, sender_free_file);
	free(sender);
	return good;
}

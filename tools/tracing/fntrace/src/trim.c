// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Give back the room on the disk that threads had reserved when their process ended.
 *
 * The file of a thread has a header, a buffer that the thread maps, and behind it what was in
 * the buffer whenever it was full (open_buffer() and fntrace_grow() of linux/preload.c). Up to
 * 1 MB of the buffer, and most of the 64 KB of the header, have nothing in them at the end.
 *
 * To cut off what a process still maps would kill it. So a file is left alone while the thread
 * exists that it is named after, or while anybody has it open for writing, or mapped so: the
 * kernel refuses a read lease then (fcntl(2)).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fntrace_format.h>

#include "directory.h"
#include "trace.h"
#include "trim.h"

/* What the disk gives back is whole blocks; no smaller ones are worth a system call. */
#define TRIM_BLOCK	UINT64_C(4096)

static int trim_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static bool trim_is_done(const struct trimmer *trimmer, const char *name)
{
	return tfind(name, &trimmer->done, trim_compare);
}

static void trim_set_done(struct trimmer *trimmer, const char *name)
{
	if (!tsearch(xstrdup(name), &trimmer->done, trim_compare))
		die("no memory");
}

/* @all: if the file system knows no leases, nobody has it open. */
static bool trim_is_unused(int fd, bool all)
{
	if (!fcntl(fd, F_SETLEASE, F_RDLCK)) {
		fcntl(fd, F_SETLEASE, F_UNLCK);
		return true;
	}
	return all && errno != EAGAIN;
}

static void trim_punch(int fd, uint64_t from, uint64_t to)
{
	from = (from + TRIM_BLOCK - 1) & ~(TRIM_BLOCK - 1);
	to &= ~(TRIM_BLOCK - 1);
	if (from < to)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from);
}

static void trim_cut(int fd, const struct fntrace_header *header, uint64_t size)
{
	uint64_t begin = header->header_size, room = header->end - header->base;
	uint64_t next = header->next < header->end ? header->next : header->end;
	uint64_t used = header->wraps ? room : next - header->base;
	uint64_t end = begin + (header->older ? room + header->older : used);

	if (end < size && ftruncate(fd, end))
		return;
	trim_punch(fd, sizeof(*header), begin);
	if (header->older)
		trim_punch(fd, begin + used, begin + room);
}

/* Returns false if it has to be looked at again. */
static bool trim_file(int dir, const char *name, bool all)
{
	struct fntrace_header header;
	struct stat status;
	bool unused, good;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return true;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode)) {
		close(fd);
		return true;
	}
	/* From then on the header stays as it is, as nobody opens the file again. */
	unused = trim_is_unused(fd, all);
	good = pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	       raw_is_header(&header) && header.older <= RAW_ROOM_MAX;
	close(fd);
	if (!unused || !good)
		return unused;
	fd = openat(dir, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return true;
	trim_cut(fd, &header, status.st_size);
	close(fd);
	return true;
}

static void trim_directory(struct trimmer *trimmer, const char *directory, bool all)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	pid_t tid;

	while (dir && (entry = readdir(dir))) {
		if (!directory_is_records_name(entry->d_name) ||
		    trim_is_done(trimmer, entry->d_name))
			continue;
		tid = strtoul(entry->d_name, NULL, 10);
		if (!all && (tid <= 0 || !kill(tid, 0) || errno != ESRCH))
			continue;
		if (trim_file(dirfd(dir), entry->d_name, all))
			trim_set_done(trimmer, entry->d_name);
	}
	if (dir)
		closedir(dir);
}

void trim_update(struct trimmer *trimmer, const char *directory)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (trimmer->updated == now.tv_sec)
		return;
	trimmer->updated = now.tv_sec;
	/* Nobody opens a file that is leased; if somebody did, that must not end this process. */
	signal(SIGIO, SIG_IGN);
	trim_directory(trimmer, directory, false);
}

void trim_end(struct trimmer *trimmer, const char *directory, bool all)
{
	signal(SIGIO, SIG_IGN);
	trim_directory(trimmer, directory, all);
	tdestroy(trimmer->done, free);
	trimmer->done = NULL;
}

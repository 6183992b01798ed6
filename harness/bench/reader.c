// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reader MODE FILE EVENTS NAME: how many instructions it takes to read a ring buffer with EVENTS
 * events, divided by their number. Prints "@figure insn.NAME NUMBER" or "@error insn.NAME REASON".
 *
 *	read	read(2) from a file with text, or pages
 *	splice	splice(2) from trace_pipe_raw to a pipe, and from there to /dev/null
 *	mmap	TRACE_MMAP_IOCTL_GET_READER on trace_pipe_raw, page by page
 *
 * Nothing looks at what was read. Under -icount shift=0, each instruction takes a nanosecond.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* As in linux/trace_mmap.h, which the headers of older systems lack. */
struct trace_buffer_meta {
	__u32 meta_page_size;
	__u32 meta_struct_len;
	__u32 subbuf_size;
	__u32 nr_subbufs;
	__u64 reader_lost_events;
	__u32 reader_id;
	__u32 reader_read;
	__u64 flags;
	__u64 entries;
	__u64 overrun;
	__u64 read;
};

#define TRACE_MMAP_IOCTL_GET_READER	_IO('R', 0x20)

static const char *name;

static void fail(const char *what)
{
	printf("@error insn.%s %s: %s\n", name, what, strerror(errno));
	exit(1);
}

static double now(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_MONOTONIC_RAW, &time))
		fail("clock_gettime");
	return time.tv_sec * 1e9 + time.tv_nsec;
}

static void read_all(int file)
{
	static char buffer[65536];
	ssize_t got;

	do
		got = read(file, buffer, sizeof(buffer));
	while (got > 0);
	if (got < 0 && errno != EAGAIN)
		fail("read");
}

static void splice_all(int file)
{
	int null = open("/dev/null", O_WRONLY);
	int ends[2];
	ssize_t got;

	if (null < 0 || pipe(ends))
		fail("pipe");
	while ((got = splice(file, NULL, ends[1], NULL, 65536, SPLICE_F_NONBLOCK)) > 0) {
		if (splice(ends[0], NULL, null, NULL, got, 0) != got)
			fail("splice to /dev/null");
	}
	if (got < 0 && errno != EAGAIN)
		fail("splice");
}

static void map_all(int file)
{
	volatile struct trace_buffer_meta *meta;
	__u64 read;

	meta = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, file, 0);
	if (meta == MAP_FAILED)
		fail("mmap");
	do {
		read = meta->read;
		if (ioctl(file, TRACE_MMAP_IOCTL_GET_READER))
			fail("ioctl");
	} while (meta->read != read);
}

int main(int argc, char **argv)
{
	double begin, end;
	int file;

	if (argc != 5)
		return 2;
	name = argv[4];
	file = open(argv[2], O_RDONLY | O_NONBLOCK);
	if (file < 0)
		fail(argv[2]);

	begin = now();
	if (!strcmp(argv[1], "read"))
		read_all(file);
	else if (!strcmp(argv[1], "splice"))
		splice_all(file);
	else
		map_all(file);
	end = now();

	printf("@figure insn.%s %.3f\n", name, (end - begin) / atof(argv[3]));
	return 0;
}

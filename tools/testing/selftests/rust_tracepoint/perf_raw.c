// SPDX-License-Identifier: GPL-2.0
/*
 * Show the raw samples that perf takes of trace events:
 *
 *	perf_raw FILE TEXT ID...
 *
 * opens the events with these IDs for itself, writes TEXT to FILE, and prints
 * for each sample the place of its event among the IDs, from 1, and its bytes
 * in hexadecimal.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/perf_event.h>

#define MAX_EVENTS 8
#define PAGES 16

static struct event {
	int fd;
	struct perf_event_mmap_page *page;
	/* The samples, in a ring of SIZE bytes. */
	const __u8 *data;
	size_t size;
} events[MAX_EVENTS];

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static int open_event(struct event *event, long id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	/* nolibc has no sysconf(); a page of a larger size divides this. */
	size_t unit = 65536;

	event->fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);
	if (event->fd < 0)
		return fail("perf_event_open");

	/* One page, whatever its size, and a power of two of them. */
	for (; unit >= 4096; unit /= 2) {
		event->page = mmap(NULL, unit * (PAGES + 1), PROT_READ | PROT_WRITE,
				   MAP_SHARED, event->fd, 0);
		if (event->page != MAP_FAILED)
			break;
	}
	if (event->page == MAP_FAILED)
		return fail("mmap");

	event->data = (const __u8 *)event->page + event->page->data_offset;
	event->size = event->page->data_size;
	return 0;
}

static __u8 byte(const struct event *event, __u64 at)
{
	return event->data[at % event->size];
}

static __u32 word(const struct event *event, __u64 at)
{
	union {
		__u8 bytes[4];
		__u32 word;
	} word;
	int i;

	for (i = 0; i < 4; i++)
		word.bytes[i] = byte(event, at + i);
	return word.word;
}

static void show(const struct event *event, int number)
{
	__u64 head = __atomic_load_n(&event->page->data_head, __ATOMIC_ACQUIRE);
	__u64 at = 0;

	while (at < head) {
		/* A header of the sort of struct perf_event_header. */
		__u32 type = word(event, at);
		union {
			__u8 bytes[2];
			__u16 size;
		} record = { { byte(event, at + 6), byte(event, at + 7) } };
		__u32 size, i;

		if (type == PERF_RECORD_SAMPLE) {
			size = word(event, at + 8);
			printf("%d ", number);
			for (i = 0; i < size; i++)
				printf("%x%x", byte(event, at + 12 + i) >> 4,
				       byte(event, at + 12 + i) & 15);
			printf("\n");
		} else {
			printf("%d record of type %u\n", number, type);
		}
		at += record.size;
	}
}

int main(int argc, char **argv)
{
	int i, file, opened = argc - 3;
	ssize_t length;

	if (opened < 1 || opened > MAX_EVENTS) {
		printf("usage: perf_raw FILE TEXT ID...\n");
		return 1;
	}
	for (i = 0; i < opened; i++) {
		if (open_event(&events[i], atol(argv[3 + i])))
			return 1;
	}

	file = open(argv[1], O_WRONLY);
	if (file < 0)
		return fail("open");
	length = strlen(argv[2]);
	if (write(file, argv[2], length) != length)
		return fail("write");
	close(file);

	for (i = 0; i < opened; i++)
		show(&events[i], i + 1);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Whether perf records each change of the kernel's code:
 *
 *	perf_text_poke FILE
 *
 * writes 1 and then 0 to FILE, which enables events, while perf records what is changed. Each
 * change of the first write has to be one of the second write, with old and new code swapped,
 * and none may be lost. Says how many records there were.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/perf_event.h>

#include "program.h"

/* Room for 30,000 changes. */
#define RING_SIZE	(2 << 20)
#define PAGE_SIZE	4096
#define MOST_CHANGES	30000
#define MOST_BYTES	6

struct text_poke {
	struct perf_event_header header;
	__u64 addr;
	__u16 old_len;
	__u16 new_len;
	__u8 bytes[2 * MOST_BYTES];
};

/* Those of the first write. */
static struct text_poke changes[MOST_CHANGES];
static int nr_changes;

static int compare_changes(const struct text_poke *one, const struct text_poke *other)
{
	if (one->addr != other->addr)
		return one->addr < other->addr ? -1 : 1;
	return 0;
}

static struct text_poke *find_change(const struct text_poke *wanted)
{
	int low = 0, high = nr_changes;

	while (low < high) {
		int middle = (low + high) / 2;
		int order = compare_changes(wanted, &changes[middle]);

		if (!order)
			return &changes[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* A record may be in two parts, at the end of the ring and at its beginning. */
static void copy_out(void *to, const char *ring, __u64 at, int size)
{
	int i;

	for (i = 0; i < size; i++)
		((char *)to)[i] = ring[(at + i) % RING_SIZE];
}

/* Take the records out of the ring: call @each for those of changes. */
static int take_records(struct perf_event_mmap_page *page, int (*each)(struct text_poke *change))
{
	const char *ring = (const char *)page + PAGE_SIZE;
	__u64 head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	__u64 at = page->data_tail;
	struct text_poke change;
	int n = 0;

	while (at < head) {
		copy_out(&change.header, ring, at, sizeof(change.header));
		if (change.header.type == PERF_RECORD_LOST) {
			printf("records are lost\n");
			return -1;
		}
		if (change.header.type == PERF_RECORD_TEXT_POKE) {
			copy_out(&change, ring, at,
				 change.header.size < sizeof(change) ? change.header.size :
				 sizeof(change));
			if (change.old_len > MOST_BYTES || change.new_len != change.old_len) {
				printf("%u bytes became %u\n", change.old_len, change.new_len);
				return -1;
			}
			if (each(&change))
				return -1;
			n++;
		}

		at += change.header.size;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
	return n;
}

/* The kernel changes them in ascending order, up to the size of its queue. */
static int keep_change(struct text_poke *change)
{
	int i;

	if (nr_changes == MOST_CHANGES) {
		printf("more than %d changes\n", MOST_CHANGES);
		return 1;
	}
	for (i = nr_changes++; i && compare_changes(change, &changes[i - 1]) < 0; i--)
		changes[i] = changes[i - 1];
	changes[i] = *change;
	return 0;
}

static int undone(struct text_poke *change)
{
	struct text_poke *first = find_change(change);
	int len = change->old_len;

	/* Of a static call that went to the iterator before, for one. */
	if (!first)
		return 0;
	if (first->old_len == len && !memcmp(first->bytes, change->bytes + len, len) &&
	    !memcmp(first->bytes + len, change->bytes, len))
		return 0;
	printf("%llx is not what it was\n", (unsigned long long)change->addr);
	return 1;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr;
	struct perf_event_mmap_page *page;
	unsigned long cpus = 1;
	int fd, on, off;

	if (argc != 2)
		return 2;

	/* All of them are recorded by the CPU that makes them. */
	if (syscall(__NR_sched_setaffinity, 0, sizeof(cpus), &cpus) < 0)
		return fail("sched_setaffinity");

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.text_poke = 1;
	fd = syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);
	if (fd < 0)
		return fail("perf_event_open");

	page = mmap(NULL, PAGE_SIZE + RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return fail("mmap");

	if (put(argv[1], "1"))
		return 1;
	on = take_records(page, keep_change);
	if (put(argv[1], "0") || on < 0)
		return 1;
	off = take_records(page, undone);
	if (off < 0)
		return 1;
	printf("%d records of changes, %d of them undone\n", on + off, off);
	return 0;
}

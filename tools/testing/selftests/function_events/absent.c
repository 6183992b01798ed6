// SPDX-License-Identifier: GPL-2.0
/*
 * Give system calls memory of which no page is present:
 *
 *	absent
 *
 * These are openat() of /proc/version, by a name across two pages, writev() to
 * /dev/null, where both the vector and the same text are absent, and openat() of a
 * name where there is no memory, which fails.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/mman.h>

/* At least a page, and a multiple of its size, on all architectures. */
#define SIZE 65536
#define NAME "/proc/version"

struct vector {
	const char	*base;
	unsigned long	len;
};

static char *map(const void *start, unsigned long at, unsigned long len)
{
	int fd = syscall(__NR_memfd_create, "absent", 0);
	char *memory;

	/* Writing to the file does not map its pages. */
	if (fd < 0 || ftruncate(fd, 2 * SIZE) < 0 || lseek(fd, at, SEEK_SET) < 0 ||
	    write(fd, start, len) != (ssize_t)len)
		return NULL;
	memory = mmap(NULL, 2 * SIZE, PROT_READ, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory + at;
}

int main(void)
{
	const char *name = map(NAME, SIZE - 5, sizeof(NAME)), *text = map(NAME, 0, sizeof(NAME));
	struct vector vector = { text, sizeof(NAME) };
	char *absent = map(&vector, 0, sizeof(vector));
	int null = open("/dev/null", O_WRONLY);

	if (!name || !text || !absent || null < 0) {
		printf("cannot map memory: error %d\n", errno);
		return 1;
	}

	if (syscall(__NR_openat, AT_FDCWD, name, O_RDONLY, 0) < 0) {
		printf("openat: error %d\n", errno);
		return 1;
	}

	if (syscall(__NR_writev, null, absent, 1) != sizeof(NAME)) {
		printf("writev: error %d\n", errno);
		return 1;
	}

	munmap(absent, SIZE);
	if (syscall(__NR_openat, AT_FDCWD, absent, O_RDONLY, 0) >= 0 || errno != EFAULT) {
		printf("openat without a name: error %d\n", errno);
		return 1;
	}
	return 0;
}

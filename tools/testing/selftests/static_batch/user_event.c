// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a process is told that its user event is enabled:
 *
 *	user_event DATA NAME FILE
 *
 * registers NAME with DATA, the file user_events_data of tracefs, writes 1 and then 0 to
 * FILE, which enables events, and says what it has been told after each. While a child
 * writes the 1, it waits to be told, and writes an event at once.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/user_events.h>

#include "program.h"

/* Bit 0 of @enabled is set by the kernel while somebody listens. */
static struct {
	__u32 enabled;
	__u32 written;
	/* For the alignment: both are on one page. */
	__u64 unused;
} told;

static unsigned int listening(void)
{
	return __atomic_load_n(&told.enabled, __ATOMIC_RELAXED) & 1;
}

/* Write an event as soon as the kernel has said that somebody listens. */
static int write_when_listening(int data, __u32 index, const char *file)
{
	__u32 event[2] = { index };
	pid_t child, ended = 0;
	int ret = 0, status;

	child = fork();
	if (child < 0)
		return fail("fork");
	if (!child) {
		msleep(100);
		exit(put(file, "1"));
	}

	/* To a page that is not writable since fork(), the kernel would write later. */
	__atomic_store_n(&told.written, 1, __ATOMIC_RELAXED);
	while (!listening() && !ended) {
		sched_yield();
		ended = waitpid(child, &status, WNOHANG);
	}
	if (write(data, event, sizeof(event)) < 0)
		ret = fail("an event after it was enabled");

	if (!ended)
		ended = waitpid(child, &status, 0);
	if (ended != child || status)
		return 1;
	return ret;
}

int main(int argc, char **argv)
{
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(told.enabled),
		.enable_addr = (unsigned long)&told.enabled,
	};
	int fd;

	if (argc != 4)
		return 2;

	reg.name_args = (unsigned long)argv[2];
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		return fail(argv[1]);
	if (ioctl(fd, DIAG_IOCSREG, &reg) < 0)
		return fail("DIAG_IOCSREG");

	printf("%u", listening());
	if (write_when_listening(fd, reg.write_index, argv[3]))
		return 1;
	printf(" %u", listening());
	if (put(argv[3], "0"))
		return 1;
	printf(" %u\n", listening());
	return 0;
}

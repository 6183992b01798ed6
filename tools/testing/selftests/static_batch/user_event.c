// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a process is told that its user event is enabled:
 *
 *	user_event DATA NAME FILE
 *
 * registers NAME with DATA, the file user_events_data of tracefs, writes 1 and then 0 to
 * FILE, which enables events, and says what it has been told after each.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/user_events.h>

/* Bit 0 is set by the kernel while somebody listens. */
static __u32 enabled;

static unsigned int listening(void)
{
	return __atomic_load_n(&enabled, __ATOMIC_RELAXED) & 1;
}

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static int put(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY);
	int ret;

	if (fd < 0)
		return fail(file);
	ret = write(fd, value, 1) == 1 ? 0 : fail(value);
	close(fd);
	return ret;
}

int main(int argc, char **argv)
{
	struct user_reg reg = {
		.size = sizeof(reg),
		.enable_size = sizeof(enabled),
		.enable_addr = (unsigned long)&enabled,
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
	if (put(argv[3], "1"))
		return 1;
	printf(" %u", listening());
	if (put(argv[3], "0"))
		return 1;
	printf(" %u\n", listening());
	return 0;
}

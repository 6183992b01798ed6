// SPDX-License-Identifier: GPL-2.0
/*
 * Ask a binder device for the version of its protocol:
 *
 *	binder_version DEVICE
 *
 * One ioctl() that needs no other process; prints its command and the answer.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/android/binder.h>

int main(int argc, char **argv)
{
	struct binder_version version = { .protocol_version = -1 };
	int fd;

	if (argc != 2) {
		printf("usage: binder_version DEVICE\n");
		return 1;
	}

	fd = open(argv[1], O_RDWR);
	if (fd < 0 || ioctl(fd, BINDER_VERSION, &version) < 0) {
		printf("%s: error %d\n", argv[1], errno);
		return 1;
	}

	printf("cmd=0x%x version %d\n", (unsigned int)BINDER_VERSION,
	       (int)version.protocol_version);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Open a file by a pointer with a tag in its top byte:
 *
 *	open_tagged FILE
 *
 * This works if the kernel takes such pointers from programs; if not, it is at least asked to.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/prctl.h>

#define TAG 0x2aUL

int main(int argc, char **argv)
{
	unsigned long name;

	if (argc != 2) {
		printf("usage: open_tagged FILE\n");
		return 2;
	}

	syscall(__NR_prctl, PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0);
	name = (unsigned long)argv[1] | TAG << 56;
	if (syscall(__NR_openat, -100, name, O_RDONLY, 0) < 0 && errno != EFAULT) {
		printf("openat: error %d\n", errno);
		return 1;
	}
	return 0;
}

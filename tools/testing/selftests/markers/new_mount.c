// SPDX-License-Identifier: GPL-2.0
/*
 * new_mount SOURCE [DIRECTORY]: makes a read-only mount of tmpfs with fsopen() and
 * fsmount(), and leaves it to nobody, or mounts it in the directory with mount().
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/mount.h>

static int new_mount(const char *source)
{
	int fs = syscall(__NR_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	if (fs < 0 ||
	    syscall(__NR_fsconfig, fs, FSCONFIG_SET_STRING, "source", source, 0) ||
	    syscall(__NR_fsconfig, fs, FSCONFIG_SET_FLAG, "ro", NULL, 0) ||
	    syscall(__NR_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	return syscall(__NR_fsmount, fs, FSMOUNT_CLOEXEC, 0) < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2 && argc != 3)
		return 2;
	ret = argc == 2 ? new_mount(argv[1]) :
		syscall(__NR_mount, argv[1], argv[2], "tmpfs", MS_RDONLY, NULL);
	if (ret)
		perror(argv[0]);
	return ret ? 1 : 0;
}

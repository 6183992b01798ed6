/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs of this directory share.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

/* Write a character to a file. */
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

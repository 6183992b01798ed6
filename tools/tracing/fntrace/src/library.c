// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared objects that belong to this program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library.h"
#include "trace.h"

char *library_find(const char *name)
{
	static const char *const places[] = { "%s/%s", "%s/../lib/%s", "%.0s" LIBDIR "/%s" };
	char exe[PATH_MAX], *library;
	ssize_t len;
	size_t i;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len < 0)
		die("cannot find out where this program is: %s", strerror(errno));
	exe[len] = 0;
	dirname(exe);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = xasprintf(places[i], exe, name);

		library = realpath(path, NULL);
		free(path);
		if (library)
			return library;
	}
	return NULL;
}

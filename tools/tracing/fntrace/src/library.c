// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared objects that belong to this program.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
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
	static const char *const places[] = {
		"%s/%s", "%s/../lib/%s", "%s/../lib/fntrace/%s",
		"%.0s" LIBDIR "/%s", "%.0s" LIBDIR "/fntrace/%s",
	};
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

const void *library_load(const char *name, const char *symbol, const char *what)
{
	char *path = library_find(name);
	const char *const *version = NULL;
	void *library;

	if (!path) {
		warn("%s need %s, which is not " LIBRARY_PLACES, what, name);
		return NULL;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		version = dlsym(library, symbol);
	if (!version) {
		warn("%s need %s: %s", what, name, dlerror());
	} else if (strcmp(*version, VERSION)) {
		warn("%s is of fntrace %s, not %s", path, *version, VERSION);
		version = NULL;
	}
	free(path);
	return version;
}

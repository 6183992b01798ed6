// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded into fntrace: files of tracefs that are for tracing functions are not
 * there, as in a kernel without CONFIG_FUNCTION_TRACER.
 *
 * libtracefs opens files by one of these two, and looks for them by the third.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

int __open64_2(const char *path, int flags);

static bool is_missing(const char *path)
{
	static const char *const names[] = {
		"/set_ftrace_pid", "/set_ftrace_notrace_pid", "/options/function-fork",
	};
	size_t len = strlen(path), i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (len > strlen(names[i]) && !strcmp(path + len - strlen(names[i]), names[i])) {
			errno = ENOENT;
			return true;
		}
	}
	return false;
}

int open64(const char *path, int flags, ...)
{
	int (*next)(const char *path, int flags, ...) = dlsym(RTLD_NEXT, "open64");
	mode_t mode = 0;
	va_list args;

	va_start(args, flags);
	if (flags & O_CREAT)
		mode = va_arg(args, mode_t);
	va_end(args);
	return is_missing(path) ? -1 : next(path, flags, mode);
}

int __open64_2(const char *path, int flags)
{
	int (*next)(const char *path, int flags) = dlsym(RTLD_NEXT, "__open64_2");

	return is_missing(path) ? -1 : next(path, flags);
}

int stat64(const char *path, struct stat64 *status)
{
	int (*next)(const char *path, struct stat64 *status) = dlsym(RTLD_NEXT, "stat64");

	return is_missing(path) ? -1 : next(path, status);
}

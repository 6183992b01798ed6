// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What "fntrace record" says about functions of files, for the addresses of this process.
 *
 * This runs in the constructor of the library.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "objects.h"

static int objects_add(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name :
							       "/proc/self/exe";
	struct objects *objects = data;
	struct object *list, *object;
	int fd;

	list = realloc(objects->list, (objects->nr + 1) * sizeof(*list));
	if (!list)
		return 0;
	objects->list = list;
	object = &list[objects->nr];
	/* Emulators know about this file when it is opened. */
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	if (!syscall(SYS_fstat, fd, &object->status)) {
		object->bias = info->dlpi_addr;
		objects->nr++;
	}
	syscall(SYS_close, fd);
	return 0;
}

void objects_find(struct objects *objects)
{
	*objects = (struct objects){ };
	dl_iterate_phdr(objects_add, objects);
}

void objects_free(struct objects *objects)
{
	free(objects->list);
}

const struct object *objects_match(const struct objects *objects, char *line)
{
	unsigned long long has[5];
	size_t i;

	for (i = 0; i < 5; i++)
		has[i] = strtoull(line, &line, 10);
	for (i = 0; i < objects->nr; i++) {
		const struct stat *status = &objects->list[i].status;

		if (status->st_dev == has[0] && status->st_ino == has[1] &&
		    (unsigned long long)status->st_size == has[2] &&
		    (unsigned long long)status->st_mtim.tv_sec == has[3] &&
		    (unsigned long long)status->st_mtim.tv_nsec == has[4])
			return &objects->list[i];
	}
	return NULL;
}

bool objects_is(char **line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*line, word, len) || (*line)[len] != ' ')
		return false;
	*line += len + 1;
	return true;
}

char *objects_read(const char *directory, const char *name)
{
	size_t have = 0;
	struct stat status;
	char *path, *text = NULL;
	ssize_t got;
	int fd;

	if (asprintf(&path, "%s%s", directory, name) < 0)
		return NULL;
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	free(path);
	if (fd < 0)
		return NULL;
	if (!syscall(SYS_fstat, fd, &status))
		text = malloc(status.st_size + 1);
	while (text && have < (size_t)status.st_size &&
	       (got = syscall(SYS_read, fd, text + have, status.st_size - have)) > 0)
		have += got;
	if (text)
		text[have] = 0;
	syscall(SYS_close, fd);
	return text;
}

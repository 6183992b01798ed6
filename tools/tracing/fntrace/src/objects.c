// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files that a program consists of; see objects.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "objects.h"
#include "trace.h"

/*
 * struct walk - of objects_walk()
 * @take: its argument
 * @data: as well
 * @linker: the dynamic linker of the program, also for libraries that the user names
 * @seen: files that are done
 * @nr_seen: how many
 */
struct walk {
	void	(*take)(void *data, const char *path, const char *name, bool named);
	void	*data;
	char	*linker;
	char	**seen;
	size_t	nr_seen;
};

char *objects_output(void (*function)(const void *data), const void *data, int *status)
{
	size_t have = 0, room = 65536;
	char *text = xalloc(room);
	int fds[2];
	pid_t child;
	ssize_t got;

	if (pipe2(fds, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	*status = 0;
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!child) {
		dup2(fds[1], STDOUT_FILENO);
		function(data);
		if (fflush(stdout))
			die("cannot write to a pipe: %s", strerror(errno));
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], text + have, room - 1 - have)) > 0 ||
	       (got < 0 && errno == EINTR)) {
		have += got > 0 ? got : 0;
		if (have == room - 1) {
			room *= 2;
			text = xrealloc(text, room);
		}
	}
	close(fds[0]);
	text[have] = 0;
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return text;
}

char *objects_linker(const char *path, bool *is_elf)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *linker = NULL;
	GElf_Phdr header;
	size_t i, count;
	Elf *elf;

	*is_elf = false;
	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	*is_elf = elf && !elf_getphdrnum(elf, &count);
	if (!*is_elf)
		count = 0;
	for (i = 0; i < count && !linker; i++) {
		if (!gelf_getphdr(elf, i, &header) || header.p_type != PT_INTERP ||
		    header.p_filesz > PATH_MAX)
			continue;
		linker = xalloc(header.p_filesz + 1);
		if (pread(fd, linker, header.p_filesz, header.p_offset) < 0)
			*linker = 0;
	}
	elf_end(elf);
	close(fd);
	return linker;
}

/* What a dynamic linker has to list the libraries of. */
struct linked {
	const char	*linker;
	const char	*path;
};

/*
 * Both glibc's (ld.so(8)) and musl's know --list, which runs nothing. LD_TRACE_LOADED_OBJECTS,
 * for which the program would have to be executed, is not known to musl's: it would run.
 */
static void list_libraries(const void *data)
{
	const struct linked *linked = data;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	execl(linked->linker, linked->linker, "--list", linked->path, NULL);
	_exit(127);
}

static bool is_seen(const struct walk *walk, const char *path)
{
	size_t i;

	for (i = 0; i < walk->nr_seen; i++)
		if (!strcmp(walk->seen[i], path))
			return true;
	return false;
}

/* Each file once, and the libraries that it is linked with. */
static void walk_file(struct walk *walk, const char *name, bool named)
{
	char *path = realpath(name, NULL), *linker, *text, *line, *rest;
	struct linked linked = { .path = path };
	bool is_elf;
	int status;

	if (!path || is_seen(walk, path)) {
		free(path);
		return;
	}
	walk->seen = xrealloc(walk->seen, (walk->nr_seen + 1) * sizeof(*walk->seen));
	walk->seen[walk->nr_seen++] = path;
	walk->take(walk->data, path, name, named);
	if (!named)
		return;
	linker = objects_linker(path, &is_elf);
	if (linker && !walk->linker)
		walk->linker = xstrdup(linker);
	linked.linker = linker ? linker : walk->linker;
	/* Neither a static program nor what it loads, if anything, has one. */
	if (!linked.linker)
		return;
	text = objects_output(list_libraries, &linked, &status);
	/* "	libm.so.6 => /lib/libm.so.6 (0x00007f0000000000)", or without an arrow */
	for (rest = text; (line = strsep(&rest, "\n")); ) {
		char *file = strchr(line, '/'), *arrow = strstr(line, "=> "), *end;

		if (arrow)
			file = arrow[3] == '/' ? arrow + 3 : NULL;
		end = file ? strstr(file, " (0x") : NULL;
		if (!end)
			continue;
		*end = 0;
		walk_file(walk, file, false);
	}
	free(text);
	free(linker);
}

bool objects_walk(const char *program, const struct objects *objects,
		  void (*take)(void *data, const char *path, const char *name, bool named),
		  void *data)
{
	struct walk walk = { .take = take, .data = data };
	bool good = true;
	size_t i;

	walk_file(&walk, program, true);
	for (i = 0; i < objects->nr; i++) {
		if (access(objects->list[i], R_OK)) {
			warn("cannot read %s: %s", objects->list[i], strerror(errno));
			good = false;
		}
		walk_file(&walk, objects->list[i], true);
	}
	for (i = 0; i < walk.nr_seen; i++)
		free(walk.seen[i]);
	free(walk.seen);
	free(walk.linker);
	return good;
}

bool objects_put(FILE *out, const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return false;
	fprintf(out, "object %llu %llu %llu %llu %llu %s\n",
		(unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
		(unsigned long long)status.st_size, (unsigned long long)status.st_mtim.tv_sec,
		(unsigned long long)status.st_mtim.tv_nsec, path);
	return true;
}

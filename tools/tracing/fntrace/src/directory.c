// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Directories of recordings and of uftrace: which files in them may be removed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fntrace_control.h>

#include "about.h"
#include "choose.h"
#include "describe.h"
#include "directory.h"
#include "kernel.h"
#include "kernel_protocol.h"
#include "names.h"
#include "trace.h"

static bool has_suffix(const char *name, const char *suffix)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, suffix);
}

bool directory_is_records_name(const char *name)
{
	return has_suffix(name, ".fntrace");
}

/* Each process saves where its files are mapped, even if it traces nothing. */
bool directory_is_maps_name(const char *name)
{
	return has_suffix(name, ".maps");
}

bool directory_is_symbols_name(const char *name)
{
	return has_suffix(name, NAMES_SUFFIX);
}

bool directory_is_control_name(const char *name)
{
	return has_suffix(name, FNTRACE_CONTROL_SUFFIX);
}

static bool directory_is_uftrace_name(const char *name)
{
	return has_suffix(name, ".dat");
}

/* Names that a recording or uftrace gives to its files, and nobody else. */
bool directory_is_name(const char *name)
{
	static const char *const names[] = {
		"info", "task.txt", "events.txt", DIRECTORY_CLOCK, "default.opts", "kernel",
		DIRECTORY_THREADS, ABOUT_FILE, CHOOSE_FILE, DESCRIBE_FILE, DIRECTORY_MACHINES,
		DIRECTORY_TSC_OFFSET, DIRECTORY_TSC_RATIO, DIRECTORY_TSC_RATIO_BITS,
	};
	const char *dot = strrchr(name, '.');
	size_t digits = strspn(name, "0123456789-");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	if (!dot)
		return false;
	if (digits && name + digits == dot)
		return directory_is_uftrace_name(name) || directory_is_records_name(name) ||
		       directory_is_maps_name(name) || directory_is_symbols_name(name) ||
		       directory_is_control_name(name);
	return !strcmp(dot, ".sym") || (!strncmp(name, "sid-", 4) && !strcmp(dot, ".map")) ||
	       (!strncmp(name, "perf-cpu", 8) && !strcmp(dot, ".dat"));
}

/* What one machine knows of another is not the other's to say. */
bool directory_is_sent_name(const char *name)
{
	static const char *const names[] = {
		KERNEL_DIR, DIRECTORY_MACHINES, DIRECTORY_TSC_OFFSET, DIRECTORY_TSC_RATIO,
		DIRECTORY_TSC_RATIO_BITS,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return false;
	return directory_is_name(name) && !directory_is_records_name(name) &&
	       !directory_is_control_name(name);
}

/* What uftrace itself writes, and "convert -f uftrace" does not. */
static bool directory_is_foreign_name(const char *name)
{
	return !directory_is_sent_name(name) || directory_is_maps_name(name) ||
	       directory_is_symbols_name(name) ||
	       !strcmp(name, DIRECTORY_CLOCK) || !strcmp(name, ABOUT_FILE) ||
	       !strcmp(name, CHOOSE_FILE) || !strcmp(name, DESCRIBE_FILE) ||
	       !strcmp(name, "default.opts") ||
	       !strncmp(name, "perf-cpu", 8);
}

static bool directory_any_name(const char *name)
{
	return true;
}

static bool directory_is_other_name(const char *name)
{
	return !directory_is_name(name);
}

/* Is there a file for whose name @which is true? A missing directory has none. */
static bool directory_has(const char *path, bool (*which)(const char *name))
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
			which(entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

static bool directory_exists(const char *path, const char *name)
{
	char *file = xasprintf("%s/%s", path, name);
	bool exists = !access(file, F_OK);

	free(file);
	return exists;
}

bool directory_is_empty(const char *path)
{
	return directory_exists(path, ".") && !directory_has(path, directory_any_name);
}

bool directory_has_kernel(const char *path)
{
	return directory_exists(path, KERNEL_DIR "/" KERNEL_INFO);
}

bool directory_has_records(const char *path)
{
	return directory_has(path, directory_is_records_name);
}

bool directory_has_maps(const char *path)
{
	return directory_has(path, directory_is_maps_name);
}

bool directory_has_uftrace(const char *path)
{
	return directory_has(path, directory_is_uftrace_name);
}

static int is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

int directory_machines(const char *path, char ***paths)
{
	char *machines = xasprintf("%s/" DIRECTORY_MACHINES, path);
	struct dirent **entries;
	int i, nr = scandir(machines, &entries, is_no_dot, versionsort);

	if (nr < 0 && errno != ENOENT && errno != ENOTDIR)
		warn("cannot read %s: %s", machines, strerror(errno));
	if (nr > 0)
		*paths = xalloc(nr * sizeof(**paths));
	for (i = 0; i < nr; i++) {
		(*paths)[i] = xasprintf("%s/%s", machines, entries[i]->d_name);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	free(machines);
	return nr < 0 ? 0 : nr;
}

bool directory_has_machines(const char *path)
{
	char *machines = xasprintf("%s/" DIRECTORY_MACHINES, path);
	bool has = directory_has(machines, directory_any_name);

	free(machines);
	return has;
}

/* It may be empty, or have a beginning only, if who received it was killed. */
static bool directory_is_part(const char *path)
{
	return directory_is_recording(path) || directory_is_empty(path) ||
	       (directory_exists(path, ABOUT_FILE) &&
		!directory_has(path, directory_is_other_name));
}

static bool directory_machines_are_parts(const char *path)
{
	char **paths, *machines;
	int i, nr = directory_machines(path, &paths);
	bool are = true;

	for (i = 0; i < nr; i++) {
		are = are && directory_is_part(paths[i]);
		free(paths[i]);
	}
	if (nr)
		free(paths);
	machines = xasprintf("%s/" DIRECTORY_MACHINES, path);
	/* What cannot be read may be anything. */
	are = are && (access(machines, F_OK) || !access(machines, R_OK | X_OK));
	free(machines);
	return are;
}

/* Without a clock, which is that of this machine. */
static bool directory_is_received(const char *path)
{
	return directory_exists(path, ABOUT_FILE) && directory_has_records(path);
}

bool directory_is_recording(const char *path)
{
	if (!directory_exists(path, DIRECTORY_CLOCK) && !directory_exists(path, "task.txt") &&
	    !directory_is_received(path) && !directory_is_converted(path))
		return false;
	if (directory_exists(path, KERNEL_DIR) && !directory_has_kernel(path))
		return false;
	if (!directory_machines_are_parts(path))
		return false;
	return !directory_has(path, directory_is_other_name);
}

bool directory_is_converted(const char *path)
{
	char *file = xasprintf("%s/" DIRECTORY_MARK, path), *text = read_file(file, NULL);
	bool marked = text && strstr(text, DIRECTORY_MARK_TEXT);

	free(text);
	free(file);
	return marked && !directory_has(path, directory_is_foreign_name);
}

static void directory_unlink(const char *path, bool (*which)(const char *name))
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (which(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

void directory_clean(const char *path)
{
	directory_unlink(path, directory_is_name);
}

uint64_t directory_missing(const char *path)
{
	struct fntrace_control control;
	const struct dirent *entry;
	uint64_t missing = 0;
	char *name;
	DIR *dir = opendir(path);
	int fd;

	while (dir && (entry = readdir(dir))) {
		if (!directory_is_control_name(entry->d_name))
			continue;
		name = xasprintf("%s/%s", path, entry->d_name);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		free(name);
		if (fd < 0)
			continue;
		if (pread(fd, &control, sizeof(control), 0) == sizeof(control) &&
		    !memcmp(control.magic, FNTRACE_CONTROL_MAGIC, sizeof(control.magic)))
			missing += control.missing;
		close(fd);
	}
	if (dir)
		closedir(dir);
	return missing;
}

void directory_remove_controls(const char *path)
{
	directory_unlink(path, directory_is_control_name);
}

bool directory_remove(const char *path)
{
	static const char *const trees[] = { KERNEL_DIR, DIRECTORY_MACHINES };
	char *tree;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(trees); i++) {
		tree = xasprintf("%s/%s", path, trees[i]);
		remove_tree(tree);
		free(tree);
	}
	directory_clean(path);
	return !rmdir(path);
}

void directory_save(const char *path, const char *name, const char *text)
{
	char *where = xasprintf("%s/%s", path, name);
	FILE *file = fopen(where, "we");

	if (!file || fputs(text, file) == EOF || fclose(file))
		die("cannot write %s: %s", where, strerror(errno));
	free(where);
}

/* The name of a recording that was made before that in @path. */
static char *directory_before(const char *path, const char *suffix)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	return xasprintf("%.*s%s", (int)len, path, suffix);
}

static void directory_make_new(const char *path)
{
	/* Arguments of functions and commands, and the kernel's symbols, are not for others. */
	if (mkdir(path, 0700))
		die("cannot make the directory %s: %s", path, strerror(errno));
}

bool directory_begin(const char *path)
{
	char *old, *older;
	bool is_recording;

	if (access(path, F_OK) && errno == ENOENT) {
		directory_make_new(path);
		return false;
	}
	old = directory_before(path, ".old");
	older = directory_before(path, ".older");
	is_recording = directory_is_recording(path);
	if (is_recording) {
		/* What was interrupted has left it. */
		if (directory_is_recording(old) && directory_is_recording(older))
			directory_remove(older);
		if (directory_is_recording(old) && rename(old, older))
			die("%s: cannot rename the recording in it to %s: %s", old, older,
			    strerror(errno));
		/* Only an empty directory is replaced. */
		if (rename(path, old)) {
			warn("%s: cannot rename the recording in it to %s: %s", path, old,
			     strerror(errno));
			rename(older, old);
			exit(1);
		}
	} else if (rmdir(path)) {
		if (errno != ENOTEMPTY && errno != EEXIST)
			die("cannot record to %s: %s", path, strerror(errno));
		die("%s has other files in it; not touching them", path);
	}
	directory_make_new(path);
	free(older);
	free(old);
	return is_recording;
}

void directory_keep(const char *path)
{
	char *older = directory_before(path, ".older");

	if (directory_is_recording(older))
		directory_remove(older);
	free(older);
}

void directory_undo(const char *path)
{
	char *old = directory_before(path, ".old");
	char *older = directory_before(path, ".older");

	if (directory_remove(path) && !rename(old, path))
		rename(older, old);
	free(older);
	free(old);
}

void directory_make(const char *path)
{
	if (directory_begin(path))
		directory_keep(path);
}

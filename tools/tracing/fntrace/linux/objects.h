/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What "fntrace record" says about functions of files, for the addresses of this process.
 */
#ifndef FNTRACE_LINUX_OBJECTS_H
#define FNTRACE_LINUX_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#pragma GCC visibility push(hidden)

/**
 * struct object - a program or library that is loaded
 * @status: of its file
 * @bias: what is to be added to an address in the file
 */
struct object {
	struct stat	status;
	unsigned long	bias;
};

/**
 * struct objects - all that are loaded
 * @list: of them
 * @nr: how many
 */
struct objects {
	struct object	*list;
	size_t		nr;
};

/**
 * objects_find() - what is loaded by now
 * @objects: is filled in; objects_free() follows
 *
 * Without memory some are missing.
 */
void objects_find(struct objects *objects);
void objects_free(struct objects *objects);

/**
 * objects_match() - is a file loaded?
 * @objects: of objects_find()
 * @line: "DEV INODE SIZE SECONDS NANOSECONDS PATH", with its last change
 *
 * Return: the object, or NULL
 */
const struct object *objects_match(const struct objects *objects, char *line);

/**
 * objects_is() - is this the first word of a line?
 * @line: set to what follows it, if it is
 * @word: the word
 */
bool objects_is(char **line, const char *word);

/**
 * objects_read() - a file of the recording
 * @directory: of the recording, with a slash at the end
 * @name: of the file
 *
 * Return: its text, to be freed; NULL with errno.
 */
char *objects_read(const char *directory, const char *name);

#pragma GCC visibility pop

#endif /* FNTRACE_LINUX_OBJECTS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that a program consists of: itself and its libraries.
 */
#ifndef FNTRACE_OBJECTS_H
#define FNTRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * struct objects - files that the user names besides a program
 * @list: their names
 * @nr: how many
 */
struct objects {
	const char	**list;
	unsigned int	nr;
};

/*
 * objects_walk() - the files of a program, each once
 * @program: of launch_find()
 * @objects: more files, whose libraries are wanted as well
 * @take: called for each, with its absolute path, and @name, by which it is loaded; @named: it
 *	is the program, or of @objects
 * @data: for @take
 *
 * Return: false if one of @objects cannot be read; a message was printed.
 */
bool objects_walk(const char *program, const struct objects *objects,
		  void (*take)(void *data, const char *path, const char *name, bool named),
		  void *data);

/*
 * objects_linker() - the dynamic linker that a program asks for
 * @is_elf: set to whether it is an ELF file
 *
 * Return: its path, to be freed; NULL if there is none
 */
char *objects_linker(const char *path, bool *is_elf);

/*
 * objects_output() - what a function that runs in a process of its own writes to stdout
 * @status: of waitpid()
 *
 * Return: the text, to be freed
 */
char *objects_output(void (*function)(const void *data), const void *data, int *status);

/*
 * objects_put() - the line with which libfntrace.so recognises a file
 *
 *	object DEVICE INODE SIZE SECONDS NANOSECONDS PATH
 *
 * The times are those of its last change.
 *
 * Return: false if it is not there any more
 */
bool objects_put(FILE *out, const char *path);

#endif /* FNTRACE_OBJECTS_H */

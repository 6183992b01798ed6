/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of /proc/PID/maps, with the times at which they were made.
 */
#ifndef FNTRACE_MAPS_H
#define FNTRACE_MAPS_H

#include <time.h>

#include "trace.h"

/*
 * struct maps_line - a part of a file that is mapped to be executed
 * @start: first address
 * @end: the address behind it
 * @offset: in the file
 * @inode: number of the file; 0 if it is not known
 * @path: of the file
 */
struct maps_line {
	uint64_t	start;
	uint64_t	end;
	uint64_t	offset;
	uint64_t	inode;
	const char	*path;
};

/*
 * enum maps_kind - what a line is
 * @MAPS_TIME: "at COUNTER": the time of the lines that follow
 * @MAPS_CODE: a file that is executed
 * @MAPS_OTHER: anything else that is mapped
 * @MAPS_NONE: no line of such a file
 */
enum maps_kind {
	MAPS_TIME,
	MAPS_CODE,
	MAPS_OTHER,
	MAPS_NONE,
};

/*
 * maps_parse() - what a line says
 * @line: without its end; @map->path points into it
 * @time: filled in for MAPS_TIME
 * @map: filled in for MAPS_CODE
 */
enum maps_kind maps_parse(const char *line, uint64_t *time, struct maps_line *map);

/*
 * struct maps_file - such copies, of one process
 * @text: what is to be freed
 * @program: path of the program, by the root directory that it had when it began
 * @lines: the copies; who reads them changes them. NULL if there are none
 * @recording: directory that they are from
 * @saved: when the last copy was made
 */
struct maps_file {
	char		*text;
	char		*lines;
	const char	*program;
	const char	*recording;
	struct timespec	saved;
};

/*
 * maps_read() - what was mapped in a process
 *
 * In front of each copy is the time it was made; if no copy follows, nothing had changed. A
 * copy is made before anything is unmapped, so it says what was there from the copy before
 * up to its own time. Lines in front of the first time are for all times.
 */
void maps_read(struct trace *trace, struct process *process, const struct maps_file *file);

/*
 * maps_load() - read the file with the copies
 * @file: filled in; its @text is to be freed
 *
 * Return: false with errno if it cannot be read
 */
bool maps_load(struct maps_file *file, const char *path, const char *recording);

/*
 * maps_path() - where a file that was mapped is, by the root directory of this process
 *
 * Return: the path, allocated; that of @map if it is found nowhere.
 */
char *maps_path(struct trace *trace, const struct maps_file *file, const struct maps_line *map);

/*
 * maps_same_file() - is the file of this path the one that was mapped?
 * @path: what maps_path() says
 *
 * Return: false if there is another one in its place by now; true if there is none.
 */
bool maps_same_file(const struct maps_file *file, const struct maps_line *map,
		    const char *path);

#endif /* FNTRACE_MAPS_H */

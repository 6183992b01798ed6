// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces from lines of /proc/PID/maps (proc(5)).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image.h"
#include "maps.h"

enum maps_kind maps_parse(const char *line, uint64_t *time, struct maps_line *map)
{
	char prot[8];
	int path = 0;

	if (sscanf(line, "at %" SCNu64, time) == 1)
		return MAPS_TIME;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %" SCNu64 " %n",
		   &map->start, &map->end, prot, &map->offset, &map->inode, &path) < 5 || !path)
		return MAPS_NONE;
	map->path = line + path;
	if (strlen(prot) < 3 || prot[2] != 'x' || *map->path != '/' || map->end <= map->start)
		return MAPS_OTHER;
	return MAPS_CODE;
}

bool maps_load(struct maps_file *file, const char *path, const char *recording)
{
	struct stat status;

	file->text = read_file(path, NULL);
	if (!file->text)
		return false;
	file->lines = file->text;
	file->program = strsep(&file->lines, "\n");
	file->recording = recording;
	file->saved = stat(path, &status) ? (struct timespec){ } : status.st_mtim;
	return true;
}

/* A file that was written later is another one, even if it has the number of the first. */
bool maps_same_file(const struct maps_file *file, const struct maps_line *map,
		    const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return true;
	if (map->inode && status.st_ino != map->inode)
		return false;
	return status.st_mtim.tv_sec != file->saved.tv_sec ?
	       status.st_mtim.tv_sec < file->saved.tv_sec :
	       status.st_mtim.tv_nsec <= file->saved.tv_nsec;
}

/* Is this the file of @map? If the recording has it, it need not be there any more. */
static bool is_file(struct trace *trace, const struct maps_file *file,
		    const struct maps_line *map, const char *path)
{
	struct stat status;

	return image_find(trace, path, file->recording) ||
	       (map->inode && !stat(path, &status) && status.st_ino == map->inode);
}

/*
 * The paths in /proc/PID/maps begin at the root directory of who reads it, as far as they are
 * below it, else where the mount namespace begins (prepend_path() in fs/d_path.c). After a
 * chroot() by the program that is not the root directory of the tool.
 */
char *maps_path(struct trace *trace, const struct maps_file *file, const struct maps_line *map)
{
	const char *program = file->program, *at;
	char *path;

	if (is_file(trace, file, map, map->path))
		return xstrdup(map->path);
	/* The namespace begins above the root directory of the tool. */
	for (at = strchr(map->path + 1, '/'); at; at = strchr(at + 1, '/'))
		if (is_file(trace, file, map, at))
			return xstrdup(at);
	/* The program is below its new root directory. */
	for (at = strrchr(program, '/'); at && at > program;
	     at = memrchr(program, '/', at - program)) {
		path = xasprintf("%.*s%s", (int)(at - program), program, map->path);
		if (is_file(trace, file, map, path))
			return path;
		free(path);
	}
	return xstrdup(map->path);
}

/* The recording has the symbols, unless it was not finished. */
static struct image *find_image(struct trace *trace, const struct maps_file *file,
				const struct maps_line *map)
{
	char *path = maps_path(trace, file, map);
	struct image *image = image_find(trace, path, file->recording);

	if (!image && maps_same_file(file, map, path)) {
		image = image_open(trace, path, file->recording);
	} else if (!image) {
		image = image_new(trace, path, file->recording);
		image->problem = xstrdup("it is not the file that was recorded");
	}
	free(path);
	return image;
}

/* What the copy before had, which ended at @before, is still there at @now. */
static void prolong_maps(struct process *process, uint64_t before, uint64_t now)
{
	size_t i;

	for (i = 0; i < process->nr_maps; i++)
		if (process->maps[i].to == before)
			process->maps[i].to = now;
}

void maps_read(struct trace *trace, struct process *process, const struct maps_file *file)
{
	struct mapping mapping = { .from = 0, .to = UINT64_MAX };
	uint64_t before = 0, now = 0, time;
	char *line, *rest = file->lines;
	struct maps_line map;
	bool copied = true;

	while ((line = strsep(&rest, "\n"))) {
		switch (maps_parse(line, &time, &map)) {
		case MAPS_TIME:
			if (!copied)
				prolong_maps(process, before, now);
			before = now;
			now = time;
			mapping.from = before ? before + 1 : 0;
			mapping.to = now;
			copied = false;
			break;
		case MAPS_CODE:
			copied = true;
			mapping.image = find_image(trace, file, &map);
			mapping.start = map.start;
			mapping.end = map.end;
			mapping.bias = map.start - image_address(mapping.image, map.offset);
			process_map(process, &mapping);
			break;
		case MAPS_OTHER:
			copied = true;
			break;
		case MAPS_NONE:
			break;
		}
	}
	if (!copied)
		prolong_maps(process, before, now);
}

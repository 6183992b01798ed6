// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The symbols that a recording has of the files that were traced; see names.h.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "directory.h"
#include "image.h"
#include "maps.h"
#include "names.h"
#include "separate.h"

static void write_image(const struct image *image, FILE *file)
{
	size_t i;

	fprintf(file, "path %s\n", image->path);
	if (image->build_id)
		fprintf(file, "build-id %s\n", image->build_id);
	if (image->stripped)
		fprintf(file, "stripped\n");
	for (i = 0; i < image->nr_segments; i++)
		fprintf(file, "segment %" PRIx64 " %" PRIx64 " %" PRIx64 "\n",
			image->segments[i].offset, image->segments[i].size,
			image->segments[i].addr);
	for (i = 0; i < image->nr_symbols; i++)
		/* There is no such function, but there may be such a file. */
		if (!strchr(image->symbols[i].name, '\n'))
			fprintf(file, "%" PRIx64 " %" PRIx64 " %s\n", image->symbols[i].addr,
				image->symbols[i].size, image->symbols[i].name);
	fprintf(file, "end\n");
}

static int save_image(const struct image *image, const char *directory, unsigned int number)
{
	char *path = xasprintf("%s/%u" NAMES_SUFFIX, directory, number);
	FILE *file = fopen(path, "we");
	int error = 0;

	if (!file) {
		error = errno;
	} else {
		/* What the last write that failed says stays in it. */
		errno = 0;
		write_image(image, file);
		if (ferror(file))
			error = errno ? errno : EIO;
		if (fclose(file) && !error)
			error = errno;
	}
	if (error)
		warn("cannot write %s: %s", path, strerror(error));
	free(path);
	return error;
}

/* Each file once, whichever processes it is mapped in. */
static void take_file(struct trace *trace, const struct maps_file *file,
		      const struct maps_line *map)
{
	char *path = maps_path(trace, file, map);
	struct image *image;

	if (!image_find(trace, path, file->recording)) {
		image = image_new(trace, path, file->recording);
		/* What is gone by now, or replaced, is told when somebody asks for its names. */
		if (maps_same_file(file, map, path))
			image_read(image, path);
	}
	free(path);
}

static void take_process(struct trace *trace, const char *path, const char *directory)
{
	struct maps_file file;
	struct maps_line map;
	uint64_t time;
	char *line;

	if (!maps_load(&file, path, directory))
		return;
	while ((line = strsep(&file.lines, "\n")))
		if (maps_parse(line, &time, &map) == MAPS_CODE)
			take_file(trace, &file, &map);
	free(file.text);
}

int names_save(const char *directory)
{
	struct trace *trace = xalloc(sizeof(*trace));
	const struct image *image;
	struct dirent **entries;
	unsigned int number = 0;
	int i, count, error = 0;

	count = scandir(directory, &entries, NULL, versionsort);
	for (i = 0; i < count; i++) {
		char *path = xasprintf("%s/%s", directory, entries[i]->d_name);

		if (directory_is_maps_name(entries[i]->d_name))
			take_process(trace, path, directory);
		free(path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	for (image = trace->images; image && !error; image = image->next)
		if (image->hooks)
			error = save_image(image, directory, number++);
	trace_close(trace);
	free(trace);
	return error;
}

/* Returns false if the line is none of the file's. */
static bool read_line(struct image *image, char *line)
{
	uint64_t addr, size, offset;
	char *end;

	if (!strncmp(line, "build-id ", 9) && !image->build_id) {
		image->build_id = xstrdup(line + 9);
		return true;
	}
	if (!strcmp(line, "stripped")) {
		image->stripped = true;
		return true;
	}
	if (sscanf(line, "segment %" SCNx64 " %" SCNx64 " %" SCNx64, &offset, &size,
		   &addr) == 3) {
		image_add_segment(image, offset, size, addr);
		return true;
	}
	addr = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	line = end + 1;
	size = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1])
		return false;
	image_add(image, addr, size, end + 1);
	return true;
}

void names_open(struct trace *trace, const char *path, const char *directory)
{
	static const char head[] = "path ";
	char *text = read_file(path, NULL), *line, *rest = text;
	struct image *image;
	bool whole = false;

	if (!text) {
		warn("cannot read %s: %s", path, strerror(errno));
		return;
	}
	line = strsep(&rest, "\n");
	if (strncmp(line, head, strlen(head)) ||
	    image_find(trace, line + strlen(head), directory)) {
		warn("%s: damaged; left out", path);
		free(text);
		return;
	}
	image = image_new(trace, line + strlen(head), directory);
	while (!whole && rest && (line = strsep(&rest, "\n"))) {
		whole = !strcmp(line, "end");
		if (!whole && !read_line(image, line))
			break;
	}
	if (whole && image->stripped)
		separate_read(image, image->path);
	if (whole)
		image_sort(image);
	free(text);
	if (whole)
		return;
	warn("%s: damaged; left out", path);
	trace->images = image->next;
	image_free(image);
}

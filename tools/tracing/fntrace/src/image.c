// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images: files, or kernels, with the symbols in them.
 */
#include <stdlib.h>
#include <string.h>

#include "image.h"

/* The kernel maps whole pages: what is mapped may begin before the segment. */
#define PAGE_MAX	UINT64_C(0x10000)

struct image *image_find(struct trace *trace, const char *path, const char *recording)
{
	struct image *image;

	for (image = trace->images; image; image = image->next)
		if (!strcmp(image->path, path) && !image->recording == !recording &&
		    (!recording || !strcmp(image->recording, recording)))
			break;
	return image;
}

struct image *image_new(struct trace *trace, const char *path, const char *recording)
{
	struct image *image = xalloc(sizeof(*image));

	image->path = xstrdup(path);
	image->recording = recording ? xstrdup(recording) : NULL;
	image->next = trace->images;
	trace->images = image;
	return image;
}

void image_free(struct image *image)
{
	size_t i;

	for (i = 0; i < image->nr_symbols; i++) {
		free(image->symbols[i].name);
		free(image->symbols[i].linkage);
		free(image->symbols[i].json);
	}
	free(image->symbols);
	free(image->segments);
	free(image->problem);
	free(image->build_id);
	free(image->recording);
	free(image->path);
	free(image);
}

void image_add(struct image *image, uint64_t addr, uint64_t size, const char *name)
{
	struct symbol *symbol;

	/* A power of two fills the array. */
	if (!(image->nr_symbols & (image->nr_symbols - 1)))
		image->symbols = xrealloc(image->symbols, sizeof(*symbol) *
					  (image->nr_symbols ? 2 * image->nr_symbols : 1));
	symbol = &image->symbols[image->nr_symbols++];
	memset(symbol, 0, sizeof(*symbol));
	symbol->addr = addr;
	symbol->size = size;
	symbol->name = xstrdup(name);
}

/* Of several names of a place, the one that does not begin with underscores. */
static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (!x->size != !y->size)
		return x->size ? -1 : 1;
	if (strspn(x->name, "_") != strspn(y->name, "_"))
		return strspn(x->name, "_") < strspn(y->name, "_") ? -1 : 1;
	return strcmp(x->name, y->name);
}

void image_sort(struct image *image)
{
	size_t i, kept = 0;

	if (!image->nr_symbols)
		return;
	qsort(image->symbols, image->nr_symbols, sizeof(image->symbols[0]), compare_symbols);
	for (i = 0; i < image->nr_symbols; i++) {
		if (kept && image->symbols[kept - 1].addr == image->symbols[i].addr) {
			free(image->symbols[i].name);
			continue;
		}
		image->symbols[kept++] = image->symbols[i];
	}
	image->nr_symbols = kept;
}

bool image_find_symbol(const struct image *image, const char *name, uint64_t *addr)
{
	const struct symbol *symbol;
	size_t i;

	for (i = 0; i < image->nr_symbols; i++) {
		symbol = &image->symbols[i];
		if (strcmp(symbol->linkage ? symbol->linkage : symbol->name, name))
			continue;
		*addr = symbol->addr;
		return true;
	}
	return false;
}

void image_add_segment(struct image *image, uint64_t offset, uint64_t size, uint64_t addr)
{
	image->segments = xrealloc(image->segments,
				   (image->nr_segments + 1) * sizeof(*image->segments));
	image->segments[image->nr_segments++] = (struct segment){
		.offset = offset,
		.size = size,
		.addr = addr,
	};
}

uint64_t image_address(const struct image *image, uint64_t offset)
{
	size_t i;

	for (i = 0; i < image->nr_segments; i++) {
		const struct segment *segment = &image->segments[i];

		if (offset + PAGE_MAX > segment->offset &&
		    offset < segment->offset + segment->size)
			return segment->addr - segment->offset + offset;
	}
	return offset;
}

struct image *image_open(struct trace *trace, const char *path, const char *recording)
{
	struct image *image = image_find(trace, path, recording);
	const char *error;

	if (!image) {
		image = image_new(trace, path, recording);
		error = image_read(image, path);
		if (error)
			image->problem = xstrdup(error);
	}
	return image;
}

void image_tell(struct image *image)
{
	warn("no symbols of %s: %s", image->path, image->problem);
	free(image->problem);
	image->problem = NULL;
}

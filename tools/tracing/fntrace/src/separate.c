// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbols that are in another file than the code; see separate.h.
 */
#define _GNU_SOURCE
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "separate.h"

#define DEBUG_DIRECTORY	"/usr/lib/debug"

/* What the user has named, and whether it was of use. */
static struct separate_place {
	const char	*path;
	bool		used;
} *separate_places;
static size_t separate_nr_places;

void separate_add(const char *path)
{
	separate_places = xrealloc(separate_places,
				   (separate_nr_places + 1) * sizeof(*separate_places));
	separate_places[separate_nr_places++] = (struct separate_place){ .path = path };
}

/* As binutils computes it: CRC-32 of IEEE 802.3. */
static uint32_t separate_checksum(const unsigned char *data, size_t size)
{
	static uint32_t table[256];
	uint32_t crc = ~0u, bits;
	unsigned int i, bit;

	for (i = 0; i < ARRAY_SIZE(table) && !table[255]; i++) {
		for (bits = i, bit = 0; bit < 8; bit++)
			bits = bits & 1 ? bits >> 1 ^ 0xedb88320 : bits >> 1;
		table[i] = bits;
	}
	while (size--)
		crc = table[(crc ^ *data++) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool separate_has_checksum(const char *path, uint32_t checksum)
{
	size_t size;
	char *data = read_file(path, &size);
	bool has = data && separate_checksum((unsigned char *)data, size) == checksum;

	free(data);
	return has;
}

/*
 * What .gnu_debuglink says: a name, padded to 4 bytes, and a checksum in the byte order of the
 * file. Returns the name, allocated, or NULL.
 */
static char *separate_link(const char *path, uint32_t *checksum)
{
	Elf_Scn *section = NULL;
	char *link = NULL;
	size_t names, at;
	GElf_Shdr header;
	Elf_Data *data;
	const char *name;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_getshdrstrndx(elf, &names))
		names = 0;
	while (elf && !link && (section = elf_nextscn(elf, section))) {
		name = gelf_getshdr(section, &header) ?
		       elf_strptr(elf, names, header.sh_name) : NULL;
		if (!name || strcmp(name, ".gnu_debuglink"))
			continue;
		data = elf_getdata(section, NULL);
		at = data ? (strnlen(data->d_buf, data->d_size) + 4) & ~(size_t)3 : 0;
		if (!data || at + sizeof(*checksum) > data->d_size)
			break;
		memcpy(checksum, (char *)data->d_buf + at, sizeof(*checksum));
		if (elf_getident(elf, NULL)[EI_DATA] != (*(char *)&(int){ 1 } ? ELFDATA2LSB :
										ELFDATA2MSB))
			*checksum = __builtin_bswap32(*checksum);
		link = xstrdup(data->d_buf);
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return link;
}

/*
 * Take the symbols of a file, which is freed, if it is of this image. @good: it is, if there
 * are no build IDs.
 */
static bool separate_try(struct image *image, char *path, bool good)
{
	bool taken = false;
	char *id = NULL;

	if (!access(path, R_OK)) {
		id = image_build_id(path);
		if (image->build_id && id)
			good = !strcmp(id, image->build_id);
		taken = good && image_read_symbols(image, path);
	}
	free(id);
	free(path);
	return taken;
}

/* The name of a file by its build ID. */
static char *separate_by_id(const struct image *image, const char *directory)
{
	if (!image->build_id || strlen(image->build_id) < 3)
		return xstrdup("");
	return xasprintf("%s/.build-id/%.2s/%s.debug", directory, image->build_id,
			 image->build_id + 2);
}

static bool separate_has_name(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t len = strlen(name);

	path = slash ? slash + 1 : path;
	return !strncmp(path, name, len) && (!path[len] || !strcmp(path + len, ".debug"));
}

static bool separate_in_place(struct image *image, const struct separate_place *place,
			      const char *path)
{
	const char *name = strrchr(path, '/');
	struct stat status;

	name = name ? name + 1 : path;
	if (stat(place->path, &status))
		return false;
	if (!S_ISDIR(status.st_mode))
		return separate_try(image, xstrdup(place->path),
				    separate_has_name(place->path, name));
	return separate_try(image, separate_by_id(image, place->path), false) ||
	       separate_try(image, xasprintf("%s/%s", place->path, name), true) ||
	       separate_try(image, xasprintf("%s/%s.debug", place->path, name), true) ||
	       separate_try(image, xasprintf("%s/%s", place->path, path), true) ||
	       separate_try(image, xasprintf("%s/%s.debug", place->path, path), true);
}

/* As gdb looks for it: beside the file, in .debug beside it, and below the global directory. */
static bool separate_linked(struct image *image, const char *path)
{
	static const char *const formats[] = { "%.*s/%s", "%.*s/.debug/%s",
					       DEBUG_DIRECTORY "%.*s/%s" };
	const char *slash = strrchr(path, '/');
	uint32_t checksum;
	bool taken = false;
	char *link = slash ? separate_link(path, &checksum) : NULL;
	size_t i;

	for (i = 0; link && !taken && i < ARRAY_SIZE(formats); i++) {
		char *file = xasprintf(formats[i], (int)(slash - path), path, link);
		bool by_checksum;

		/* A whole file is only read for its checksum if there are no IDs. */
		by_checksum = !image->build_id && !access(file, R_OK) &&
			      separate_has_checksum(file, checksum);
		taken = separate_try(image, xstrdup(file), by_checksum);
		free(file);
	}
	free(link);
	return taken;
}

void separate_read(struct image *image, const char *path)
{
	bool taken = false;
	size_t i;

	for (i = 0; i < separate_nr_places && !taken; i++) {
		taken = separate_in_place(image, &separate_places[i], path);
		separate_places[i].used |= taken;
	}
	/* The file may have them by now. */
	taken = taken || (image->build_id && separate_try(image, xstrdup(path), false)) ||
		separate_try(image, separate_by_id(image, DEBUG_DIRECTORY), false) ||
		separate_linked(image, path);
	if (taken)
		image->stripped = false;
}

void separate_tell(void)
{
	size_t i;

	for (i = 0; i < separate_nr_places; i++)
		if (!separate_places[i].used)
			warn("--symbols %s: nothing of the trace has its symbols there",
			     separate_places[i].path);
}

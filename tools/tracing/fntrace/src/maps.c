// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Address spaces from lines of /proc/PID/maps (proc(5)).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace.h"

/*
 * Addresses in the file are those of its program headers; what is mapped is a part
 * of the file. Returns the address that belongs to an offset in the file.
 */
static bool address_of_offset(const char *path, uint64_t offset, uint64_t *addr)
{
	bool found = false;
	size_t i, count;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && !elf_getphdrnum(elf, &count)) {
		for (i = 0; i < count && !found; i++) {
			GElf_Phdr header;

			if (!gelf_getphdr(elf, i, &header) || header.p_type != PT_LOAD)
				continue;
			/* The kernel maps whole pages. */
			if (offset + 0xffff >= header.p_offset &&
			    offset < header.p_offset + header.p_filesz) {
				*addr = header.p_vaddr - header.p_offset + offset;
				found = true;
			}
			/* Of two segments in a page, the executable one decides. */
			if (found && !(header.p_flags & PF_X))
				found = false;
		}
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return found;
}

/* What the copy before had, which ended at @before, is still there at @now. */
static void prolong_maps(struct process *process, uint64_t before, uint64_t now)
{
	size_t i;

	for (i = 0; i < process->nr_maps; i++)
		if (process->maps[i].to == before)
			process->maps[i].to = now;
}

void read_maps(struct trace *trace, struct process *process, char *text)
{
	struct mapping map = { .from = 0, .to = UINT64_MAX };
	uint64_t before = 0, now = 0, time;
	char *line, *rest = text;
	bool copied = true;

	while ((line = strsep(&rest, "\n"))) {
		uint64_t offset, addr;
		char prot[8];
		int path = 0;

		if (sscanf(line, "at %" SCNu64, &time) == 1) {
			if (!copied)
				prolong_maps(process, before, now);
			before = now;
			now = time;
			map.from = before ? before + 1 : 0;
			map.to = now;
			copied = false;
			continue;
		}
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
			   &map.start, &map.end, prot, &offset, &path) < 4 || !path)
			continue;
		copied = true;
		if (strlen(prot) < 3 || prot[2] != 'x' || line[path] != '/' ||
		    map.end <= map.start)
			continue;
		if (!address_of_offset(line + path, offset, &addr))
			addr = offset;
		map.bias = map.start - addr;
		map.image = image_open(trace, line + path, line + path);
		process_map(process, &map);
	}
	if (!copied)
		prolong_maps(process, before, now);
}

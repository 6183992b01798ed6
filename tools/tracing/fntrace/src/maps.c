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

void read_maps(struct trace *trace, struct process *process, char *text)
{
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		uint64_t start, end, offset, addr;
		char prot[8];
		int path = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
			   &start, &end, prot, &offset, &path) < 4 || !path)
			continue;
		if (strlen(prot) < 3 || prot[2] != 'x' || line[path] != '/' || end <= start)
			continue;
		if (!address_of_offset(line + path, offset, &addr))
			addr = offset;
		process_map(process, start, end, start - addr,
			    image_open(trace, line + path, line + path));
	}
}

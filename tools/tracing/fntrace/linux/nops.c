// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions that begin with no-ops, in the place of a call of the hook.
 *
 * Those of -fpatchable-function-entry are listed in a section. Those of GCC's -mnop-mcount
 * (-pg -mfentry) are not, or together with others that are behind the prologue
 * (__mcount_loc), so nothing tells them but the symbols of functions that begin with such a
 * no-op. That is looked for in a program alone: GCC has -mnop-mcount only for code with a
 * fixed address. If somebody else has put a no-op of this form there, a call in its place does
 * no harm.
 *
 * This runs in the constructor of the library.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fntrace.h>

#include "nops.h"

#define NOPS_PAGE	65536ul		/* the largest there is */
#define NOPS_REACH	(1ul << 27)	/* of a call on arm64; elsewhere it is 2 GiB */

/* The section that lists the places: addresses, which the dynamic linker has relocated. */
static const char nops_section[] = "__patchable_function_entries";

/*
 * struct nops_file - the file of an object, mapped
 * @data: what is in it
 * @size: bytes
 * @sections: its section headers
 * @names: the section with their names
 */
struct nops_file {
	const char	*data;
	size_t		size;
	const Elf64_Shdr *sections;
	const Elf64_Shdr *names;
	unsigned int	nr_sections;
};

/*
 * struct nops_places - where the no-ops are in memory
 * @list: addresses
 * @nr: how many
 * @own: @list is to be freed
 */
struct nops_places {
	unsigned long	*list;
	size_t		nr;
	bool		own;
};

const char *nops_path(const struct dl_phdr_info *info)
{
	return info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
}

static bool nops_is_program(const struct dl_phdr_info *info)
{
	return !info->dlpi_name || !*info->dlpi_name;
}

static bool nops_holds(const struct nops_file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

static void nops_close(struct nops_file *file)
{
	if (file->data)
		munmap((void *)file->data, file->size);
}

static bool nops_open(struct nops_file *file, const char *path)
{
	int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	const Elf64_Ehdr *header;
	struct stat status;
	void *data;

	*file = (struct nops_file){ };
	if (fd < 0)
		return false;
	data = syscall(SYS_fstat, fd, &status) || !status.st_size ? MAP_FAILED :
	       mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	syscall(SYS_close, fd);
	if (data == MAP_FAILED)
		return false;
	file->data = data;
	file->size = status.st_size;
	header = data;
	if (!nops_holds(file, 0, sizeof(*header)) || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_shentsize != sizeof(*file->sections) ||
	    header->e_shstrndx >= header->e_shnum ||
	    !nops_holds(file, header->e_shoff, header->e_shnum * sizeof(*file->sections))) {
		nops_close(file);
		return false;
	}
	file->sections = (const Elf64_Shdr *)(file->data + header->e_shoff);
	file->nr_sections = header->e_shnum;
	file->names = &file->sections[header->e_shstrndx];
	return true;
}

static bool nops_is_list(const struct nops_file *file, const Elf64_Shdr *section)
{
	uint64_t name = file->names->sh_offset + section->sh_name;

	return section->sh_flags & SHF_ALLOC &&
	       nops_holds(file, name, sizeof(nops_section)) &&
	       !memcmp(file->data + name, nops_section, sizeof(nops_section));
}

#ifdef __x86_64__

/* The one that GCC writes for -mnop-mcount, in front or behind endbr64 (-fcf-protection). */
static unsigned long nops_at_entry(unsigned long addr)
{
	static const char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (!memcmp((void *)addr, endbr64, sizeof(endbr64)))
		addr += sizeof(endbr64);
	return memcmp((void *)addr, nop, sizeof(nop)) ? 0 : addr;
}

static bool nops_is_code(const struct dl_phdr_info *info, unsigned long addr, size_t size)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    addr - info->dlpi_addr - p->p_vaddr < p->p_memsz &&
		    p->p_memsz - (addr - info->dlpi_addr - p->p_vaddr) >= size)
			return true;
	}
	return false;
}

/* From the symbols of functions. Of several at one place, the first has the call already. */
static void nops_scan(const struct dl_phdr_info *info, const struct nops_file *file,
		      const Elf64_Shdr *section, struct nops_places *places)
{
	size_t nr = section->sh_size / sizeof(Elf64_Sym), i;
	const Elf64_Sym *symbols;
	unsigned long addr;

	if (!nops_holds(file, section->sh_offset, section->sh_size) || places->list)
		return;
	places->list = malloc(nr * sizeof(*places->list));
	if (!places->list)
		return;
	places->own = true;
	symbols = (const Elf64_Sym *)(file->data + section->sh_offset);
	for (i = 0; i < nr; i++) {
		addr = info->dlpi_addr + symbols[i].st_value;
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    symbols[i].st_shndx == SHN_UNDEF || !nops_is_code(info, addr, 9))
			continue;
		addr = nops_at_entry(addr);
		if (addr)
			places->list[places->nr++] = addr;
	}
}

#else

static void nops_scan(const struct dl_phdr_info *info, const struct nops_file *file,
		      const Elf64_Shdr *section, struct nops_places *places)
{
}

#endif

/* Which are there? nops_free() follows. */
static struct nops_places nops_find(const struct dl_phdr_info *info)
{
	struct nops_places places = { };
	struct nops_file file;
	unsigned int i;

	if (!nops_open(&file, nops_path(info)))
		return places;
	for (i = 0; i < file.nr_sections && !places.nr; i++) {
		if (!nops_is_list(&file, &file.sections[i]))
			continue;
		places.list = (unsigned long *)(info->dlpi_addr + file.sections[i].sh_addr);
		places.nr = file.sections[i].sh_size / sizeof(*places.list);
	}
	for (i = 0; i < file.nr_sections && !places.list && nops_is_program(info); i++)
		if (file.sections[i].sh_type == SHT_SYMTAB)
			nops_scan(info, &file, &file.sections[i], &places);
	nops_close(&file);
	return places;
}

static void nops_free(struct nops_places *places)
{
	if (places->own)
		free(places->list);
}

bool nops_has(const struct dl_phdr_info *info)
{
	struct nops_places places = nops_find(info);

	nops_free(&places);
	return places.nr;
}

static int nops_write(void *addr, const void *code, size_t len)
{
	memcpy(addr, code, len);
	__builtin___clear_cache(addr, (char *)addr + len);
	return 0;
}

static void *nops_thunk_at(unsigned long addr)
{
	void *page = mmap((void *)addr, NOPS_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (page == (void *)addr)
		return page;
	if (page != MAP_FAILED)
		munmap(page, NOPS_PAGE);
	return NULL;
}

/*
 * A page within reach of @object, or NULL: below it, else above, where there may be room when
 * something large is mapped below. Behind a program the heap grows, so that is as far away as
 * possible; behind a library as near as possible, as the stack may be above it.
 */
static void *nops_thunk_near(unsigned long object, bool program)
{
	unsigned long near = object & ~(NOPS_PAGE - 1), distance;
	void *thunk = NULL;

	for (distance = NOPS_PAGE; distance < NOPS_REACH && distance < near && !thunk;
	     distance += NOPS_PAGE)
		thunk = nops_thunk_at(near - distance);
	for (distance = NOPS_PAGE; distance < NOPS_REACH && !thunk; distance += NOPS_PAGE)
		thunk = nops_thunk_at(near + (program ? NOPS_REACH - distance : distance));
	return thunk;
}

static int nops_protect(struct dl_phdr_info *info, int more)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		unsigned long start = (info->dlpi_addr + p->p_vaddr) & ~(page - 1);
		unsigned long end = info->dlpi_addr + p->p_vaddr + p->p_memsz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (mprotect((void *)start, end - start, PROT_READ | PROT_EXEC | more))
			return -errno;
	}
	return 0;
}

static int nops_patch_object(struct dl_phdr_info *info, size_t size, void *data)
{
	void (*failed)(const char *path, int error) = data;
	struct nops_places places = nops_find(info);
	void *thunk;

	if (!places.nr)
		goto out;
	thunk = nops_thunk_near(info->dlpi_addr + info->dlpi_phdr[0].p_vaddr,
				nops_is_program(info));
	if (!thunk || nops_protect(info, PROT_WRITE)) {
		failed(nops_path(info), errno);
		goto out;
	}
	fntrace_patch(places.list, places.list + places.nr, thunk, nops_write);
	nops_protect(info, 0);
out:
	nops_free(&places);
	return 0;
}

void nops_patch(void (*failed)(const char *path, int error))
{
	dl_iterate_phdr(nops_patch_object, failed);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an ELF file says about addresses: symbols, and which part of the file is where.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "separate.h"

/* Calls of these are what compilers put into functions to have them traced. */
static const struct {
	const char		*name;
	enum image_hooks	hook;
} hooks[] = {
	{ "mcount", IMAGE_MCOUNT },
	{ "_mcount", IMAGE_MCOUNT },
	{ "__fentry__", IMAGE_FENTRY },
	{ "__cyg_profile_func_enter", IMAGE_REPORTS },
};

/* Or they leave room for a call, and list the places in this section. */
#define PATCHABLE	"__patchable_function_entries"

static bool is_function(const GElf_Sym *symbol)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info), bind = GELF_ST_BIND(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_NOTYPE)
		return bind == STB_LOCAL || bind == STB_GLOBAL;
	return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* A linker may have put the version behind the name, as in "mcount@GLIBC_2.2.5". */
static unsigned int which_hook(const GElf_Sym *symbol, const char *name)
{
	size_t i, len = strcspn(name, "@");

	if (symbol->st_shndx != SHN_UNDEF)
		return 0;
	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (len == strlen(hooks[i].name) && !memcmp(name, hooks[i].name, len))
			return hooks[i].hook;
	return 0;
}

static void read_table(struct image *image, Elf *elf, Elf_Scn *section,
		       const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, count;

	if (!data || !header->sh_entsize)
		return;
	count = data->d_size / header->sh_entsize;
	for (i = 0; i < count; i++) {
		const char *name;
		GElf_Sym symbol;

		if (!gelf_getsym(data, i, &symbol))
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		/* Not the marks that assemblers and linkers make. */
		if (!name || !*name || *name == '$' || !strncmp(name, ".L", 2))
			continue;
		if (is_function(&symbol))
			image_add(image, symbol.st_value, symbol.st_size, name);
		else
			image->hooks |= which_hook(&symbol, name);
	}
}

static void read_sections(struct image *image, Elf *elf)
{
	Elf_Scn *section = NULL, *dynamic = NULL;
	GElf_Shdr header, dynamic_header;
	size_t names = 0;
	bool found = false;

	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section))) {
		const char *name;

		if (!gelf_getshdr(section, &header))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, PATCHABLE))
			image->hooks |= IMAGE_PATCHABLE;
		if (header.sh_type == SHT_SYMTAB) {
			read_table(image, elf, section, &header);
			found = true;
		} else if (header.sh_type == SHT_DYNSYM) {
			dynamic = section;
			dynamic_header = header;
		}
	}
	/* What is left in a stripped library. */
	if (!found && dynamic)
		read_table(image, elf, dynamic, &dynamic_header);
	image->stripped = !found;
}

/*
 * What GCC's -mnop-mcount leaves at the beginning of a function, perhaps behind endbr64. It
 * has this for x86_64 only, and for code with a fixed address.
 */
static void find_nops(struct image *image, Elf *elf)
{
	static const char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t size, i, j;
	GElf_Ehdr header;
	const char *file = elf_rawfile(elf, &size);

	if (!file || !gelf_getehdr(elf, &header) || header.e_type != ET_EXEC ||
	    header.e_machine != EM_X86_64)
		return;
	for (i = 0; i < image->nr_symbols; i++) {
		uint64_t addr = image->symbols[i].addr, at;

		for (j = 0; j < image->nr_segments; j++) {
			const struct segment *segment = &image->segments[j];

			at = addr - segment->addr + segment->offset;
			if (addr < segment->addr || addr - segment->addr >= segment->size ||
			    at + sizeof(endbr64) + sizeof(nop) > size)
				continue;
			if (!memcmp(file + at, endbr64, sizeof(endbr64)))
				at += sizeof(endbr64);
			if (!memcmp(file + at, nop, sizeof(nop))) {
				image->hooks |= IMAGE_PATCHABLE;
				return;
			}
		}
	}
}

/* Addresses are those of the program headers; what is mapped is a part of the file. */
static void read_segments(struct image *image, Elf *elf)
{
	GElf_Phdr header;
	size_t i, count;

	if (elf_getphdrnum(elf, &count))
		return;
	for (i = 0; i < count; i++)
		if (gelf_getphdr(elf, i, &header) && header.p_type == PT_LOAD &&
		    header.p_flags & PF_X)
			image_add_segment(image, header.p_offset, header.p_filesz,
					  header.p_vaddr);
}

const char *image_read(struct image *image, const char *path)
{
	const char *error = NULL;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return strerror(errno);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		read_segments(image, elf);
		read_sections(image, elf);
		image->build_id = image_build_id(path);
		/* Of what is not traced, nobody needs names. */
		if (image->stripped && image->hooks)
			separate_read(image, path);
		image_sort(image);
		if (!image->hooks)
			find_nops(image, elf);
	} else {
		error = "not an ELF file";
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return error;
}

bool image_read_symbols(struct image *image, const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool found = false;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		read_table(image, elf, section, &header);
		found = true;
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return found;
}

const char *image_imports(const char *path, void (*take)(void *data, const char *name),
			  void *data)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *table;
	GElf_Sym symbol;
	const char *name;
	Elf *elf;
	size_t i;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return strerror(errno);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
		    !header.sh_entsize)
			continue;
		table = elf_getdata(section, NULL);
		for (i = 0; table && i < table->d_size / header.sh_entsize; i++) {
			if (!gelf_getsym(table, i, &symbol) || symbol.st_shndx != SHN_UNDEF)
				continue;
			name = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (name && *name)
				take(data, name);
		}
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return NULL;
}

/* Instructions of arm64: paciasp, pacibsp; mov x0, x30; bl. */
#define ARM64_PACIASP		0xd503233f
#define ARM64_PACIBSP		0xd503237f
#define ARM64_MOV_X0_X30	0xaa1e03e0
#define ARM64_IS_BL(word)	(((word) & 0xfc000000) == 0x94000000)
/* So many of a function are in front of its call of mcount(), at most. */
#define ARM64_PROLOGUE		32

/* "mov x0, x30; bl" is what calls mcount(), which has the caller's return address in x0. */
static bool signs_in_front_of_call(const char *code, size_t size)
{
	size_t i, left = 0;
	uint32_t word, last = 0;

	for (i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, code + i, sizeof(word));
		word = le32toh(word);
		if (word == ARM64_PACIASP || word == ARM64_PACIBSP)
			left = ARM64_PROLOGUE;
		else if (left && last == ARM64_MOV_X0_X30 && ARM64_IS_BL(word))
			return true;
		else if (left)
			left--;
		last = word;
	}
	return false;
}

static void note_mcount(void *data, const char *name)
{
	*(bool *)data |= !strcmp(name, "_mcount");
}

bool image_signs_addresses(const char *path)
{
	bool mcount = false, signs = false;
	GElf_Ehdr header;
	GElf_Phdr part;
	size_t i, count, size;
	const char *file;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	file = elf ? elf_rawfile(elf, &size) : NULL;
	if (file && gelf_getehdr(elf, &header) && header.e_machine == EM_AARCH64 &&
	    !elf_getphdrnum(elf, &count)) {
		image_imports(path, note_mcount, &mcount);
		for (i = 0; i < count && mcount && !signs; i++)
			signs = gelf_getphdr(elf, i, &part) && part.p_type == PT_LOAD &&
				part.p_flags & PF_X && part.p_offset <= size &&
				part.p_filesz <= size - part.p_offset &&
				signs_in_front_of_call(file + part.p_offset, part.p_filesz);
	}
	if (elf)
		elf_end(elf);
	close(fd);
	return signs;
}

/* Of a section of notes, the one with the build ID. */
static char *read_build_id(Elf_Data *data)
{
	size_t at = 0, next, name, id, i;
	const unsigned char *bytes;
	GElf_Nhdr note;
	char *text;

	while (data && at < data->d_size && (next = gelf_getnote(data, at, &note, &name, &id))) {
		at = next;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) ||
		    !note.n_descsz)
			continue;
		bytes = (unsigned char *)data->d_buf + id;
		text = xalloc(2 * note.n_descsz + 1);
		for (i = 0; i < note.n_descsz; i++)
			sprintf(text + 2 * i, "%02x", bytes[i]);
		return text;
	}
	return NULL;
}

char *image_build_id(const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	char *id = NULL;
	Elf *elf;
	int fd;

	elf_version(EV_CURRENT);
	fd = open_input_file(path);
	if (fd < 0)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && !id && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			id = read_build_id(elf_getdata(section, NULL));
	if (elf)
		elf_end(elf);
	close(fd);
	return id;
}

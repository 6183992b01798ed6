// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recording calls into libraries; see calls.h.
 *
 * What is relied on of the procedure linkage table is in the psABIs: DT_JMPREL has a
 * relocation for each of its words in the global offset table, but of functions whose address
 * the object takes as well (DT_RELA), and a call through it may change r11 (x86-64), x16 and
 * x17 (arm64), t0 to t3 (riscv64), as the dynamic linker does that looks a symbol up at its
 * first call.
 *
 * This runs in the constructor of the library.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../backend/internal.h"
#include "calls.h"
#include "choose.h"
#include "glob.h"
#include "nops.h"

#if defined(__x86_64__)
#define CALLS_SLOT	R_X86_64_JUMP_SLOT
#define CALLS_SIZE	32
#elif defined(__aarch64__)
#define CALLS_SLOT	R_AARCH64_JUMP_SLOT
#define CALLS_SIZE	40
#else
#define CALLS_SLOT	R_RISCV_JUMP_SLOT
#define CALLS_SIZE	40
#endif

/* What an object imports if functions in it call hooks. */
static const char *const calls_hooks[] = {
	"mcount", "_mcount", "__fentry__", "__cyg_profile_func_enter",
};

/*
 * No hook can be in front of these: they return twice, or to another place than they were
 * called from, or look at who called them; or the return address is on another stack.
 */
static const char *const calls_unhooked[] = {
	"__libc_start_main", "__tls_get_addr", "__morestack",
	"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "savectx",
	"getcontext", "setcontext", "swapcontext", "makecontext",
	"vfork", "__vfork", "clone", "__clone", "clone3",
	"dlopen", "dlmopen", "dlsym", "dlvsym",
};

/*
 * The unwinder reads return addresses, which are put back for that until something traced is
 * called next. So what it calls must not be: names with one of these in them...
 */
static const char *const calls_unwinding[] = { "_Unwind_", "_personality" };

/* ...and calls of objects whose names begin with one of these. */
static const char *const calls_unwinders[] = {
	"libgcc_s.so", "libstdc++.so", "libc++abi.so", "libunwind.so",
};

/*
 * struct calls_object - a program or library that is loaded
 * @bias: what is to be added to an address in its file
 * @low: its first address
 * @high: the address behind it
 * @dynamic: its dynamic section, or NULL
 * @protect: what the dynamic linker has made read-only: whole pages
 * @protect_end: the address behind it
 * @program: it is the program
 * @traced: functions in it call hooks
 * @wanted: its calls are to be recorded
 */
struct calls_object {
	unsigned long		bias;
	unsigned long		low;
	unsigned long		high;
	const Elf64_Dyn		*dynamic;
	unsigned long		protect;
	unsigned long		protect_end;
	bool			program;
	bool			traced;
	bool			wanted;
};

/*
 * struct calls_slot - a word of a global offset table
 * @word: it
 * @name: of the function, as the linker has it
 * @object: whose it is
 */
struct calls_slot {
	unsigned long			*word;
	const char			*name;
	const struct calls_object	*object;
};

/*
 * struct calls_work - what calls_begin() found
 * @which: its argument
 * @program: its argument
 * @error: an errno, or 0
 */
struct calls_work {
	const char		*which;
	const char		*program;
	struct calls_object	*objects;
	size_t			nr_objects;
	struct calls_slot	*slots;
	size_t			nr_slots;
	int			error;
};

/* Returns room for one more in an array, or NULL. */
static void *calls_more(struct calls_work *work, void **list, size_t nr, size_t size)
{
	void *more;

	/* A power of two fills the array. */
	if (!(nr & (nr - 1))) {
		more = realloc(*list, (nr ? 2 * nr : 1) * size);
		if (!more) {
			work->error = ENOMEM;
			return NULL;
		}
		*list = more;
	}
	return (char *)*list + nr * size;
}

static bool calls_is_one_of(const char *const *names, size_t nr, const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

#define CALLS_NR(names)	(sizeof(names) / sizeof(names[0]))

static bool calls_may_hook(const char *name)
{
	size_t i;

	for (i = 0; i < CALLS_NR(calls_unwinding); i++)
		if (strstr(name, calls_unwinding[i]))
			return false;
	return !calls_is_one_of(calls_unhooked, CALLS_NR(calls_unhooked), name);
}

/* Do the patterns name this file? */
static bool calls_is_wanted(const struct calls_work *work, const struct dl_phdr_info *info)
{
	bool program = !info->dlpi_name || !*info->dlpi_name;
	const char *path = program ? work->program : info->dlpi_name, *base, *end;
	char pattern[256];
	const char *at;
	size_t i;

	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	for (i = 0; i < CALLS_NR(calls_unwinders); i++)
		if (!strncmp(base, calls_unwinders[i], strlen(calls_unwinders[i])))
			return false;
	for (at = work->which; (end = strchr(at, '/')); at = end + 1) {
		if (end == at && program)
			return true;
		if (end == at || (size_t)(end - at) >= sizeof(pattern))
			continue;
		memcpy(pattern, at, end - at);
		pattern[end - at] = 0;
		if (glob_matches(pattern, base))
			return true;
	}
	return false;
}

/*
 * The dynamic linker has put the load address into the dynamic section, but for riscv64,
 * where that cannot be written to (DL_RO_DYN_SECTION), and for the vDSO.
 */
static unsigned long calls_address(const struct calls_object *object, unsigned long addr)
{
	return addr >= object->low && addr < object->high ? addr : addr + object->bias;
}

static unsigned long calls_entry(const struct calls_object *object, Elf64_Sxword tag)
{
	const Elf64_Dyn *entry;

	for (entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	return 0;
}

static void *calls_table(const struct calls_object *object, Elf64_Sxword tag)
{
	unsigned long addr = calls_entry(object, tag);

	return addr ? (void *)calls_address(object, addr) : NULL;
}

static const Elf64_Sym *calls_symbol(const struct calls_object *object, const Elf64_Rela *rela)
{
	const Elf64_Sym *symbols = calls_table(object, DT_SYMTAB);

	return symbols && ELF64_R_SYM(rela->r_info) ? &symbols[ELF64_R_SYM(rela->r_info)] : NULL;
}

static const char *calls_name(const struct calls_object *object, const Elf64_Rela *rela)
{
	const Elf64_Sym *symbol = calls_symbol(object, rela);
	const char *names = calls_table(object, DT_STRTAB);

	return symbol && names ? names + symbol->st_name : "";
}

static bool calls_imports_hooks(const struct calls_object *object, Elf64_Sxword table,
				Elf64_Sxword size)
{
	const Elf64_Rela *rela = calls_table(object, table);
	size_t nr = calls_entry(object, size) / sizeof(*rela), i;

	for (i = 0; rela && i < nr; i++)
		if (ELF64_R_SYM(rela[i].r_info) &&
		    calls_is_one_of(calls_hooks, CALLS_NR(calls_hooks),
				    calls_name(object, &rela[i])))
			return true;
	return false;
}

static int calls_take_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct calls_work *work = data;
	struct calls_object *object = calls_more(work, (void **)&work->objects,
						 work->nr_objects, sizeof(*object));
	unsigned long page = sysconf(_SC_PAGESIZE);
	int i;

	if (!object)
		return 1;
	work->nr_objects++;
	*object = (struct calls_object){
		.bias = info->dlpi_addr,
		.low = ULONG_MAX,
		.program = !info->dlpi_name || !*info->dlpi_name,
	};
	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		unsigned long start = info->dlpi_addr + p->p_vaddr;

		switch (p->p_type) {
		case PT_LOAD:
			if (start < object->low)
				object->low = start;
			if (start + p->p_memsz > object->high)
				object->high = start + p->p_memsz;
			break;
		case PT_DYNAMIC:
			object->dynamic = (const Elf64_Dyn *)start;
			break;
		case PT_GNU_RELRO:
			object->protect = start & -page;
			object->protect_end = (start + p->p_memsz) & -page;
			break;
		}
	}
	object->wanted = calls_is_wanted(work, info);
	object->traced = calls_imports_hooks(object, DT_JMPREL, DT_PLTRELSZ) ||
			 calls_imports_hooks(object, DT_RELA, DT_RELASZ) || nops_has(info);
	/* And none of this library. */
	if ((unsigned long)calls_begin >= object->low &&
	    (unsigned long)calls_begin < object->high) {
		object->traced = true;
		object->wanted = false;
	}
	return 0;
}

static const struct calls_object *calls_object_of(const struct calls_work *work,
						  unsigned long addr)
{
	size_t i;

	for (i = 0; i < work->nr_objects; i++)
		if (addr >= work->objects[i].low && addr < work->objects[i].high)
			return &work->objects[i];
	return NULL;
}

static void calls_take_slots(struct calls_work *work, const struct calls_object *object)
{
	const Elf64_Rela *rela = calls_table(object, DT_JMPREL);
	size_t nr = calls_entry(object, DT_PLTRELSZ) / sizeof(*rela), i;

	if (!rela || calls_entry(object, DT_PLTREL) != DT_RELA)
		return;
	for (i = 0; i < nr; i++) {
		unsigned long *word = (unsigned long *)(object->bias + rela[i].r_offset);
		const char *name = calls_name(object, &rela[i]);
		const struct calls_object *target;
		struct calls_slot *slot;

		if (ELF64_R_TYPE(rela[i].r_info) != CALLS_SLOT || !*name || !*word ||
		    !calls_may_hook(name))
			continue;
		target = calls_object_of(work, *word);
		/*
		 * In its own object it is no call of a library, or was not looked up. In the
		 * program, it may be the entry of the table there that stands for the function
		 * of a library, if the program has a fixed address and takes that of the function.
		 */
		if (!target || target->traced || target == object || target->program)
			continue;
		slot = calls_more(work, (void **)&work->slots, work->nr_slots, sizeof(*slot));
		if (!slot)
			return;
		*slot = (struct calls_slot){ word, name, object };
		work->nr_slots++;
	}
}

/* Instructions and, at the end, two words: the hook, and where to go on. */
static void calls_make_stub(char *stub, unsigned long target)
{
	const unsigned long words[2] = { (unsigned long)fntrace_fentry, target };
#if defined(__x86_64__)
	static const uint8_t code[CALLS_SIZE - sizeof(words)] = {
		0xff, 0x15, 10, 0, 0, 0,	/* call *10(%rip) */
		0xff, 0x25, 12, 0, 0, 0,	/* jmp *12(%rip) */
		0xcc, 0xcc, 0xcc, 0xcc,
	};
#elif defined(__aarch64__)
	static const uint32_t code[(CALLS_SIZE - sizeof(words)) / 4] = {
		0xaa1e03e9,			/* mov x9, x30 */
		0x580000b0,			/* ldr x16, .+20 */
		0xd63f0200,			/* blr x16 */
		0x580000b0,			/* ldr x16, .+20 */
		0xd61f0200,			/* br x16 */
		0xd503201f,			/* nop */
	};
#else
	static const uint32_t code[(CALLS_SIZE - sizeof(words)) / 4] = {
		0x00000317,			/* auipc t1, 0 */
		0x01833383,			/* ld t2, 24(t1) */
		0x000382e7,			/* jalr t0, 0(t2) */
		0x00000317,			/* auipc t1, 0 */
		0x01433303,			/* ld t1, 20(t1) */
		0x00030067,			/* jr t1 */
	};
#endif

	memcpy(stub, code, sizeof(code));
	memcpy(stub + sizeof(code), words, sizeof(words));
}

static bool calls_write(const struct calls_slot *slot, unsigned long value)
{
	const struct calls_object *object = slot->object;
	unsigned long page = sysconf(_SC_PAGESIZE), addr = (unsigned long)slot->word;
	bool read_only = addr >= object->protect && addr < object->protect_end;

	if (read_only && mprotect((void *)(addr & -page), page, PROT_READ | PROT_WRITE))
		return false;
	/* Whoever calls meanwhile goes the one way or the other. */
	__atomic_store_n(slot->word, value, __ATOMIC_RELEASE);
	if (read_only)
		mprotect((void *)(addr & -page), page, PROT_READ);
	return true;
}

/*
 * The stubs have no file, so what says where they are in one begins at 0: see
 * image_address() of the tool.
 */
static bool calls_make(struct calls_work *work, struct calls *calls,
		       bool (*save)(const struct calls *calls))
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	size_t size = (work->nr_slots * CALLS_SIZE + page - 1) & -page, i;
	FILE *names = open_memstream(&calls->names, &calls->len);
	char *stubs;

	if (!names)
		return false;
	stubs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stubs == MAP_FAILED) {
		fclose(names);
		return false;
	}
	calls->start = (unsigned long)stubs;
	calls->end = calls->start + size;
	fprintf(names, "segment 0 %zx 0\n", size);
	for (i = 0; i < work->nr_slots; i++) {
		calls_make_stub(stubs + i * CALLS_SIZE, *work->slots[i].word);
		fprintf(names, "%zx %x %s\n", i * CALLS_SIZE, CALLS_SIZE, work->slots[i].name);
	}
	fprintf(names, "end\n");
	if (fclose(names) || mprotect(stubs, size, PROT_READ | PROT_EXEC) || !save(calls)) {
		munmap(stubs, size);
		return false;
	}
	__builtin___clear_cache(stubs, stubs + size);
	for (i = 0; i < work->nr_slots; i++)
		if (calls_write(&work->slots[i], calls->start + i * CALLS_SIZE))
			choose_call(work->slots[i].name, calls->start + i * CALLS_SIZE,
				    calls->start + (i + 1) * CALLS_SIZE);
	return true;
}

bool calls_begin(const char *which, const char *program,
		 bool (*save)(const struct calls *calls))
{
	struct calls_work work = { .which = which, .program = program };
	struct calls calls = { };
	bool done = false;
	size_t i;

	dl_iterate_phdr(calls_take_object, &work);
	for (i = 0; i < work.nr_objects && !work.error; i++)
		if (work.objects[i].wanted)
			calls_take_slots(&work, &work.objects[i]);
	errno = work.error;
	if (!work.error)
		done = !work.nr_slots || calls_make(&work, &calls, save);
	free(calls.names);
	free(work.objects);
	free(work.slots);
	return done;
}

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
 * Code of -fno-plt, which is what Rust's compiler makes for x86-64, calls through a word of
 * DT_RELA without that table. The address of a function is read from the same word, and must
 * stay what it is in other objects, so words that anything but calls and jumps refers to are
 * left alone. On x86-64 an instruction refers to a word by the distance from its own end, in
 * four bytes that only an immediate of up to four bytes can follow, so all of them can be
 * found without decoding instructions, but for code of -mcmodel=large: if that reads a pointer
 * from a word which other code of the same object calls through, the pointer leads to a stub.
 * Elsewhere the address is put together from the immediates of several instructions, and a call
 * cannot be told from reading the address.
 *
 * Concurrency: one thread at a time is in calls_run(), see calls.h. The dynamic linker may load
 * and unload other libraries meanwhile. dl_iterate_phdr() keeps those that it shows from being
 * unmapped until its callback returns; what is read later is of libraries that cannot be unloaded,
 * as the caller has a handle for them, or they are needed by such a library, or were there when
 * the program began. These are relocated, so nobody else writes to their words, or changes how
 * their pages are protected. Other threads call through the words; each is written at once.
 * Nothing is allocated in the callback, but before the program begins: an allocator may call the
 * dynamic linker, which may wait for who waits for this lock.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <search.h>
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
#define CALLS_WORD	R_X86_64_GLOB_DAT
#define CALLS_SIZE	32
#elif defined(__aarch64__)
#define CALLS_SLOT	R_AARCH64_JUMP_SLOT
#define CALLS_WORD	R_AARCH64_GLOB_DAT
#define CALLS_SIZE	40
#else
#define CALLS_SLOT	R_RISCV_JUMP_SLOT
/* Words of the global offset table have no type of their own. */
#define CALLS_WORD	R_RISCV_64
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

/* What the library has in front of others' and calls may be recorded of; see preload.c. */
static const char *const calls_own[] = {
	"pthread_create", "execve", "execv", "execvp", "execvpe", "fexecve", "posix_spawn",
	"posix_spawnp",
};

/*
 * struct calls_object - a program or library that is loaded
 * @bias: what is to be added to an address in its file
 * @low: its first address
 * @high: the address behind it
 * @dynamic: its dynamic section, or NULL
 * @symbols: that its relocations are about, or NULL
 * @strings: names of these, or NULL
 * @headers: of its segments
 * @nr_headers: how many
 * @soname: a hash of its DT_SONAME, or 0
 * @file: a hash of the name of its file
 * @protect: what the dynamic linker has made read-only: whole pages
 * @protect_end: the address behind it
 * @left: as in struct calls_known
 * @program: it is the program
 * @first: as in struct calls_known
 * @traced: as in struct calls_known
 * @wanted: its calls are to be recorded
 * @held: it cannot be unloaded while this is looked at
 * @own: it is this library
 */
struct calls_object {
	unsigned long		bias;
	unsigned long		low;
	unsigned long		high;
	const Elf64_Dyn		*dynamic;
	const Elf64_Sym		*symbols;
	const char		*strings;
	const Elf64_Phdr	*headers;
	unsigned int		nr_headers;
	uint64_t		soname;
	uint64_t		file;
	unsigned long		protect;
	unsigned long		protect_end;
	size_t			left;
	bool			program;
	bool			first;
	bool			traced;
	bool			wanted;
	bool			held;
	bool			own;
};

/*
 * struct calls_slot - a word of a global offset table
 * @word: it
 * @name: of the function, as the linker has it
 * @object: whose it is
 * @called: an instruction calls or jumps to what it has
 * @taken: another instruction refers to it
 */
struct calls_slot {
	unsigned long			*word;
	const char			*name;
	const struct calls_object	*object;
	bool				called;
	bool				taken;
};

/*
 * struct calls_stub - what a slot is made to lead to; for good, as a library may be unloaded and
 *	loaded again
 * @target: where the stub goes on
 * @name: as in struct calls_slot
 * @addr: where it is; 0 until it is made
 * @listed: it is going to be made
 */
struct calls_stub {
	unsigned long	target;
	char		*name;
	unsigned long	addr;
	bool		listed;
};

/*
 * struct calls_known - what is known of an object from the last time
 * @low: its first address
 * @dynamic: its dynamic section
 * @first: it was there when the program began, so it stays
 * @traced: functions in it call hooks
 * @left: words that are no calls
 */
struct calls_known {
	unsigned long		low;
	const Elf64_Dyn		*dynamic;
	bool			first;
	bool			traced;
	size_t			left;
};

/*
 * struct calls_work - calls_run()
 * @objects: all that are loaded
 * @room: for so many
 * @unloaded: how often something was unloaded, so far
 * @slots: those that are to lead to stubs
 * @error: an errno, or 0
 */
struct calls_work {
	struct calls_object	*objects;
	size_t			nr_objects;
	size_t			room;
	unsigned long long	unloaded;
	struct calls_slot	*slots;
	size_t			nr_slots;
	int			error;
};

/*
 * What calls_begin() was called with; what is known of the objects that were there at the last
 * time, for as long as nothing else may be in their place, or NULL until calls_begin() is done;
 * and all stubs, which tsearch(3) keeps.
 */
static struct {
	struct calls_wanted	wanted;
	struct calls_known	*known;
	size_t			nr_known;
	unsigned long long	unloaded;
	void			*stubs;
} calls_state;

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

/* Do the patterns name this file? The program has no name for the dynamic linker. */
static bool calls_is_wanted(const char *name)
{
	const char *path = *name ? name : calls_state.wanted.program, *base, *end;
	char pattern[256];
	const char *at;
	size_t i;

	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	for (i = 0; i < CALLS_NR(calls_unwinders); i++)
		if (!strncmp(base, calls_unwinders[i], strlen(calls_unwinders[i])))
			return false;
	for (at = calls_state.wanted.which; (end = strchr(at, '/')); at = end + 1) {
		if (end == at && !*name)
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
	return object->symbols && ELF64_R_SYM(rela->r_info) ?
	       &object->symbols[ELF64_R_SYM(rela->r_info)] : NULL;
}

static const char *calls_name(const struct calls_object *object, const Elf64_Rela *rela)
{
	const Elf64_Sym *symbol = calls_symbol(object, rela);

	return symbol && object->strings ? object->strings + symbol->st_name : "";
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

/* Of what is behind the last slash of a name; FNV-1a, with which no name has 0. */
static uint64_t calls_hash(const char *name)
{
	const char *slash = strrchr(name, '/');
	uint64_t hash = 0xcbf29ce484222325;

	for (name = slash ? slash + 1 : name; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash;
}

static const struct calls_known *calls_known_of(const struct calls_work *work,
						const struct calls_object *object)
{
	const struct calls_known *known = calls_state.known;
	bool same = work->unloaded == calls_state.unloaded;

	for (; known && known < calls_state.known + calls_state.nr_known; known++)
		if (known->low == object->low && known->dynamic == object->dynamic)
			return known->first || same ? known : NULL;
	return NULL;
}

static void calls_take_segments(struct calls_object *object)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	const Elf64_Phdr *p;

	object->low = ULONG_MAX;
	for (p = object->headers; p < object->headers + object->nr_headers; p++) {
		unsigned long start = object->bias + p->p_vaddr;

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
}

/* The no-ops of what is loaded later stay. */
static bool calls_is_traced(const struct calls_object *object, struct dl_phdr_info *info)
{
	return calls_imports_hooks(object, DT_JMPREL, DT_PLTRELSZ) ||
	       calls_imports_hooks(object, DT_RELA, DT_RELASZ) ||
	       (object->first && nops_has(info));
}

static int calls_take_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *name = info->dlpi_name ? info->dlpi_name : "";
	const struct calls_known *known;
	struct calls_work *work = data;
	struct calls_object *object;
	unsigned long soname;

	work->unloaded = info->dlpi_subs;
	if (work->nr_objects++ >= work->room)
		return 0;
	object = &work->objects[work->nr_objects - 1];
	*object = (struct calls_object){
		.bias = info->dlpi_addr,
		.headers = info->dlpi_phdr,
		.nr_headers = info->dlpi_phnum,
		.file = calls_hash(name),
		.program = !*name,
	};
	calls_take_segments(object);
	object->symbols = calls_table(object, DT_SYMTAB);
	object->strings = calls_table(object, DT_STRTAB);
	soname = calls_entry(object, DT_SONAME);
	object->soname = object->strings && soname ? calls_hash(object->strings + soname) : 0;
	known = calls_known_of(work, object);
	object->first = known ? known->first : !calls_state.known;
	object->traced = known ? known->traced : calls_is_traced(object, info);
	object->left = known ? known->left : 0;
	object->wanted = calls_is_wanted(name);
	/* And none of this library. */
	if ((unsigned long)calls_begin >= object->low &&
	    (unsigned long)calls_begin < object->high) {
		object->own = true;
		object->traced = true;
		object->wanted = false;
	}
	return 0;
}

/* All that are loaded, for which there may be no room at first. */
static bool calls_take_objects(struct calls_work *work)
{
	do {
		free(work->objects);
		work->room = work->nr_objects + 16;
		work->objects = calloc(work->room, sizeof(*work->objects));
		if (!work->objects)
			return false;
		work->nr_objects = 0;
		dl_iterate_phdr(calls_take_object, work);
	} while (work->nr_objects > work->room);
	return true;
}

/* Hold what an object needs. Returns whether there was something that was not held. */
static bool calls_hold_needed(struct calls_work *work, const struct calls_object *object)
{
	struct calls_object *other;
	const Elf64_Dyn *entry;
	bool more = false;
	uint64_t hash;

	for (entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag != DT_NEEDED || !object->strings)
			continue;
		hash = calls_hash(object->strings + entry->d_un.d_val);
		for (other = work->objects; other < work->objects + work->nr_objects; other++) {
			if (other->held || (other->soname != hash && other->file != hash))
				continue;
			other->held = true;
			more = true;
		}
	}
	return more;
}

/* Which of them cannot be unloaded: all if @root is NULL, else that one and what it needs. */
static void calls_hold(struct calls_work *work, const void *root)
{
	bool more = true;
	size_t i;

	for (i = 0; i < work->nr_objects; i++)
		work->objects[i].held = !root || work->objects[i].dynamic == root;
	while (root && more) {
		more = false;
		for (i = 0; i < work->nr_objects; i++)
			if (work->objects[i].held && calls_hold_needed(work, &work->objects[i]))
				more = true;
	}
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

/* May a word be the address of a function? Old linkers have data between the functions. */
static bool calls_is_function(const struct calls_object *object, const Elf64_Rela *rela)
{
	unsigned int type = ELF64_ST_TYPE(calls_symbol(object, rela)->st_info);

	return type != STT_OBJECT && type != STT_COMMON && type != STT_TLS;
}

static bool calls_is_code(const struct calls_object *object, unsigned long addr)
{
	const Elf64_Phdr *p;

	for (p = object->headers; p < object->headers + object->nr_headers; p++)
		if (p->p_type == PT_LOAD && p->p_flags & PF_X &&
		    addr - object->bias - p->p_vaddr < p->p_memsz)
			return true;
	return false;
}

static void calls_take_slots(struct calls_work *work, const struct calls_object *object,
			     const Elf64_Rela *rela, size_t nr, unsigned int type)
{
	size_t i;

	for (i = 0; rela && i < nr; i++) {
		unsigned long *word = (unsigned long *)(object->bias + rela[i].r_offset);
		const char *name = calls_name(object, &rela[i]);
		const struct calls_object *target;
		struct calls_slot *slot;
		bool own;

		if (ELF64_R_TYPE(rela[i].r_info) != type || !*name || !*word ||
		    !calls_may_hook(name) || !calls_is_function(object, &rela[i]))
			continue;
		target = calls_object_of(work, *word);
		/*
		 * In its own object it is no call of a library, or was not looked up. In the
		 * program, it may be the entry of the table there that stands for the function
		 * of a library, if the program has a fixed address and takes that of the function.
		 */
		if (!target || target == object || target->program ||
		    !calls_is_code(target, *word))
			continue;
		own = target->own && calls_is_one_of(calls_own, CALLS_NR(calls_own), name);
		if (target->traced && !own)
			continue;
		slot = calls_more(work, (void **)&work->slots, work->nr_slots, sizeof(*slot));
		if (!slot)
			return;
		*slot = (struct calls_slot){ .word = word, .name = name, .object = object };
		work->nr_slots++;
	}
}

#ifdef __x86_64__

static int calls_compare_slots(const void *a, const void *b)
{
	const struct calls_slot *one = a, *two = b;

	return one->word < two->word ? -1 : one->word > two->word;
}

/*
 * struct calls_words - the slots of DT_RELA of an object, which may be no calls
 * @slots: of them, in the order of their addresses
 * @nr: how many, at least one
 * @first: address of the first word
 * @last: of the last one
 */
struct calls_words {
	struct calls_slot	*slots;
	size_t			nr;
	unsigned long		first;
	unsigned long		last;
};

/* An instruction refers to @addr, if there is a word. */
static void calls_note(const struct calls_words *words, unsigned long addr, bool call)
{
	const struct calls_slot key = { .word = (unsigned long *)addr };
	struct calls_slot *slot;

	if (addr < words->first || addr > words->last)
		return;
	slot = bsearch(&key, words->slots, words->nr, sizeof(key), calls_compare_slots);
	if (slot && call)
		slot->called = true;
	else if (slot)
		slot->taken = true;
}

static void calls_scan(const struct calls_words *words, const uint8_t *code, size_t size)
{
	/* Bytes of an immediate behind the distance. */
	static const unsigned int behind[] = { 1, 2, 4 };
	unsigned long span = words->last - words->first + 4, end;
	int32_t distance;
	size_t at, i;
	bool call;

	for (at = 2; at + sizeof(distance) <= size; at++) {
		memcpy(&distance, code + at, sizeof(distance));
		/*
		 * In front of a distance is the byte that says so (mod 0, r/m 5). Others that look
		 * like one to a word are of jumps, immediates and the like.
		 */
		if ((code[at - 1] & 0xc7) != 0x05)
			continue;
		end = (unsigned long)code + at + sizeof(distance) + distance;
		if (end - (words->first - 4) > span)
			continue;
		/* call *distance(%rip), jmp *distance(%rip) */
		call = code[at - 2] == 0xff && (code[at - 1] == 0x15 || code[at - 1] == 0x25);
		calls_note(words, end, call);
		for (i = 0; i < CALLS_NR(behind); i++)
			calls_note(words, end + behind[i], false);
	}
}

/* Returns false if there is code that cannot be read: it may refer to any of them. */
static bool calls_scan_object(const struct calls_words *words, const struct calls_object *object)
{
	const Elf64_Phdr *p;

	for (p = object->headers; p < object->headers + object->nr_headers; p++) {
		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (!(p->p_flags & PF_R))
			return false;
		calls_scan(words, (const uint8_t *)object->bias + p->p_vaddr, p->p_filesz);
	}
	return true;
}

/* Keep of the slots from @from on, of which there are some, those that are calls. */
static void calls_keep_calls(struct calls_work *work, const struct calls_object *object,
			     size_t from)
{
	struct calls_words words = { .slots = work->slots + from, .nr = work->nr_slots - from };
	size_t i;

	work->nr_slots = from;
	qsort(words.slots, words.nr, sizeof(*words.slots), calls_compare_slots);
	words.first = (unsigned long)words.slots[0].word;
	words.last = (unsigned long)words.slots[words.nr - 1].word;
	if (!calls_scan_object(&words, object))
		return;
	for (i = 0; i < words.nr; i++)
		if (words.slots[i].called && !words.slots[i].taken)
			work->slots[work->nr_slots++] = words.slots[i];
}

#else

static void calls_keep_calls(struct calls_work *work, const struct calls_object *object,
			     size_t from)
{
	work->nr_slots = from;
}

#endif

/* Those that code calls through without the table. */
static void calls_take_words(struct calls_work *work, struct calls_object *object)
{
	size_t from = work->nr_slots, found;

	calls_take_slots(work, object, calls_table(object, DT_RELA),
			 calls_entry(object, DT_RELASZ) / sizeof(Elf64_Rela), CALLS_WORD);
	found = work->nr_slots - from;
	/* Looking at the code again would find the same. */
	if (!found || found == object->left)
		work->nr_slots = from;
	else if (!calls_state.wanted.pointers)
		calls_keep_calls(work, object, from);
	object->left = found - (work->nr_slots - from);
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

static int calls_compare_stubs(const void *a, const void *b)
{
	const struct calls_stub *one = a, *two = b;

	if (one->target != two->target)
		return one->target < two->target ? -1 : 1;
	return strcmp(one->name, two->name);
}

/* The stub of a slot, which may have to be made; NULL without memory. */
static struct calls_stub *calls_stub_of(const struct calls_slot *slot)
{
	const struct calls_stub key = { .target = *slot->word, .name = (char *)slot->name };
	struct calls_stub **found = tfind(&key, &calls_state.stubs, calls_compare_stubs);
	struct calls_stub *stub;

	if (found)
		return *found;
	stub = malloc(sizeof(*stub));
	if (!stub)
		return NULL;
	*stub = (struct calls_stub){ .target = key.target, .name = strdup(slot->name) };
	if (stub->name && tsearch(stub, &calls_state.stubs, calls_compare_stubs))
		return stub;
	free(stub->name);
	free(stub);
	return NULL;
}

/*
 * The stubs have no file, so what says where they are in one begins at 0: see
 * image_address() of the tool.
 */
static bool calls_make(struct calls_stub **list, size_t nr)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	size_t size = (nr * CALLS_SIZE + page - 1) & -page, i;
	struct calls calls = { };
	bool done = false;
	FILE *names;
	char *stubs;

	names = open_memstream(&calls.names, &calls.len);
	if (!names)
		return false;
	stubs = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (stubs == MAP_FAILED) {
		fclose(names);
		goto out;
	}
	calls.start = (unsigned long)stubs;
	calls.end = calls.start + size;
	fprintf(names, "segment 0 %zx 0\n", size);
	for (i = 0; i < nr; i++) {
		calls_make_stub(stubs + i * CALLS_SIZE, list[i]->target);
		fprintf(names, "%zx %x %s\n", i * CALLS_SIZE, CALLS_SIZE, list[i]->name);
	}
	fprintf(names, "end\n");
	done = !fclose(names) && !mprotect(stubs, size, PROT_READ | PROT_EXEC) &&
	       calls_state.wanted.save(&calls);
	if (!done) {
		munmap(stubs, size);
		goto out;
	}
	__builtin___clear_cache(stubs, stubs + size);
	for (i = 0; i < nr; i++) {
		list[i]->addr = calls.start + i * CALLS_SIZE;
		/* What is traced later is not among the chosen functions. */
		if (!calls_state.known)
			choose_call(list[i]->name, list[i]->addr, list[i]->addr + CALLS_SIZE);
	}
out:
	free(calls.names);
	return done;
}

/* Have the slots lead to stubs, new ones or those that are there. */
static bool calls_lead(const struct calls_work *work)
{
	struct calls_stub **stubs = calloc(work->nr_slots, sizeof(*stubs)), **list = NULL;
	size_t nr = 0, i;
	bool done;

	if (stubs)
		list = calloc(work->nr_slots, sizeof(*list));
	done = list;
	for (i = 0; i < work->nr_slots && done; i++) {
		stubs[i] = calls_stub_of(&work->slots[i]);
		done = stubs[i];
		if (!done || stubs[i]->addr || stubs[i]->listed)
			continue;
		stubs[i]->listed = true;
		list[nr++] = stubs[i];
	}
	done = done && (!nr || calls_make(list, nr));
	for (i = 0; i < work->nr_slots && done; i++)
		done = calls_write(&work->slots[i], stubs[i]->addr);
	while (nr)
		list[--nr]->listed = false;
	free(stubs);
	free(list);
	return done;
}

/* What is known the next time; returns NULL without memory. */
static struct calls_known *calls_summary(const struct calls_work *work)
{
	struct calls_known *known = calloc(work->nr_objects, sizeof(*known));
	size_t i;

	for (i = 0; known && i < work->nr_objects; i++) {
		const struct calls_object *object = &work->objects[i];

		known[i] = (struct calls_known){
			.low = object->low,
			.dynamic = object->dynamic,
			.first = object->first,
			.traced = object->traced,
			.left = object->left,
		};
	}
	return known;
}

static bool calls_run(const void *root)
{
	struct calls_known *known = NULL;
	struct calls_work work = { };
	bool done;
	size_t i;

	if (!calls_take_objects(&work))
		work.error = ENOMEM;
	else
		calls_hold(&work, root);
	for (i = 0; i < work.nr_objects && !work.error; i++) {
		struct calls_object *object = &work.objects[i];

		if (!object->wanted || !object->held)
			continue;
		if (calls_entry(object, DT_PLTREL) == DT_RELA)
			calls_take_slots(&work, object, calls_table(object, DT_JMPREL),
					 calls_entry(object, DT_PLTRELSZ) / sizeof(Elf64_Rela),
					 CALLS_SLOT);
		calls_take_words(&work, object);
	}
	if (!work.error)
		known = calls_summary(&work);
	done = known && (!work.nr_slots || calls_lead(&work));
	if (work.error)
		errno = work.error;
	if (done) {
		free(calls_state.known);
		calls_state.known = known;
		calls_state.nr_known = work.nr_objects;
		calls_state.unloaded = work.unloaded;
	} else {
		free(known);
	}
	free(work.objects);
	free(work.slots);
	return done;
}

bool calls_again(void *library)
{
	const struct link_map *map;

	return !dlinfo(library, RTLD_DI_LINKMAP, &map) && calls_run(map->l_ld);
}

bool calls_begin(const struct calls_wanted *wanted)
{
	calls_state.wanted = *wanted;
	calls_state.wanted.which = strdup(wanted->which);
	return calls_state.wanted.which && calls_run(NULL);
}

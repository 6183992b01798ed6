// SPDX-License-Identifier: GPL-2.0-only
/*
 * A view of all static keys and their sites, in static_keys/ of debugfs:
 *
 *  keys	one line for each key
 *  sites	the same lines, each followed by those of the key's sites
 *  check	reading it compares all sites with the state of their keys
 *
 * See Documentation/trace/static-key-view.rst for the format.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * Nothing is recorded for the view, apart from which modules have sites.  All
 * it shows comes from the jump tables, that of the kernel and one for each
 * module, which are sorted by key and then by the address of the site.  Walking
 * all of them in this order, a step is one binary search per table, finds each
 * key once and each site once, wherever either is defined, sealed or not.  And
 * since a step needs no more than the addresses that the last one got to, which
 * are only ever compared, the walk can stop anywhere and go on later, no matter
 * which modules have come and gone.
 *
 * What is on the list of modules, and in their tables, stays as it is while
 * jump_label_mutex is held: modules get on and off the list under it, sites are
 * patched under it, and the memory of a module is not freed before it is off.
 * A key lives as long as any module with sites on it, which is either its own
 * or one that depends on that.
 */
#include <linux/cpu.h>
#include <linux/dynamic_debug.h>
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/static_key_view.h>
#include <linux/string_choices.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

#include "static_batch.h"

/* So many sites are checked before others get a chance to take the lock. */
#define CHECK_BATCH 256

/* Where a walk is; the first entry that is not before this is the next. */
struct view_pos {
	unsigned long key;
	unsigned long code;
	unsigned long entry;
};

/* Valid until jump_label_mutex is released. */
struct view_site {
	const struct jump_entry *entry;
	struct module *mod;
};

struct view_iter {
	struct view_site site;
	struct view_pos pos;
	/* The key of the site before this one. */
	unsigned long key_before;
	/* What seq_file thinks pos is. */
	loff_t index;
	bool sites;
};

/* A module with a jump table. */
struct view_module {
	struct list_head list;
	struct module *mod;
};

/* Protected by jump_label_mutex. */
static LIST_HEAD(view_modules);

/*
 * Walking the tables
 */

static int static_key_view_compare(const struct jump_entry *entry,
				   const struct view_pos *pos)
{
	unsigned long key = (unsigned long)jump_entry_key(entry);
	unsigned long code = jump_entry_code(entry);

	if (key != pos->key)
		return key < pos->key ? -1 : 1;
	if (code != pos->code)
		return code < pos->code ? -1 : 1;
	/*
	 * Only sites in init code that is gone can have the same address, one
	 * in each of several modules.
	 */
	if ((unsigned long)entry != pos->entry)
		return (unsigned long)entry < pos->entry ? -1 : 1;
	return 0;
}

/* Returns the first entry that is not before @pos, or @stop. */
static const struct jump_entry *
static_key_view_table_find(const struct jump_entry *start,
			   const struct jump_entry *stop,
			   const struct view_pos *pos)
{
	size_t low = 0, high = stop - start;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (static_key_view_compare(start + middle, pos) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return start + low;
}

static const struct jump_entry *
static_key_view_module_find(const struct module *mod,
			    const struct view_pos *pos)
{
#ifdef CONFIG_MODULES
	return static_key_view_table_find(mod->jump_entries,
					  mod->jump_entries + mod->num_jump_entries,
					  pos);
#else
	return NULL;
#endif
}

static bool static_key_view_module_has(const struct module *mod,
				       const struct jump_entry *entry)
{
#ifdef CONFIG_MODULES
	return entry < mod->jump_entries + mod->num_jump_entries;
#else
	return false;
#endif
}

/* Finds the first site of all that is not before @pos. */
static bool static_key_view_find(const struct view_pos *pos,
				 struct view_site *site)
{
	const struct jump_entry *entry;
	struct view_module *view;

	entry = static_key_view_table_find(__start___jump_table,
					   __stop___jump_table, pos);
	site->entry = entry < __stop___jump_table ? entry : NULL;
	site->mod = NULL;

	list_for_each_entry(view, &view_modules, list) {
		struct view_pos best;

		entry = static_key_view_module_find(view->mod, pos);
		if (!static_key_view_module_has(view->mod, entry))
			continue;
		if (site->entry) {
			best.key = (unsigned long)jump_entry_key(site->entry);
			best.code = jump_entry_code(site->entry);
			best.entry = (unsigned long)site->entry;
			if (static_key_view_compare(entry, &best) > 0)
				continue;
		}
		site->entry = entry;
		site->mod = view->mod;
	}
	return site->entry;
}

static void static_key_view_pos_at_key(struct view_pos *pos, unsigned long key)
{
	*pos = (struct view_pos){ .key = key };
}

static void static_key_view_pos_after_site(struct view_pos *pos,
					   const struct view_site *site)
{
	pos->key = (unsigned long)jump_entry_key(site->entry);
	pos->code = jump_entry_code(site->entry);
	pos->entry = (unsigned long)site->entry + 1;
}

static unsigned long static_key_view_count_sites(const struct static_key *key)
{
	struct view_pos first, last;
	struct view_module *view;
	unsigned long count;

	static_key_view_pos_at_key(&first, (unsigned long)key);
	static_key_view_pos_at_key(&last, (unsigned long)key + 1);
	count = static_key_view_table_find(__start___jump_table,
					   __stop___jump_table, &last) -
		static_key_view_table_find(__start___jump_table,
					   __stop___jump_table, &first);
	list_for_each_entry(view, &view_modules, list)
		count += static_key_view_module_find(view->mod, &last) -
			static_key_view_module_find(view->mod, &first);
	return count;
}

/*
 * The state of keys and sites
 */

/* What @addr is in, if that is a module. */
static struct module *static_key_view_module_at(unsigned long addr)
{
	struct module *mod;

	preempt_disable();
	mod = __module_address(addr);
	preempt_enable();
	return mod;
}

/* Whether the memory of a key is there to stay, rather than that of init data. */
static bool static_key_view_key_readable(const struct static_key *key,
					 const struct module *mod)
{
	unsigned long addr = (unsigned long)key;

	if (mod)
		return within_module_core(addr, mod);
	return __is_kernel(addr) && !init_section_contains((void *)addr, sizeof(*key));
}

/**
 * arch_jump_label_read() - tell a no-op from a jump
 * @entry: a site whose code is there, see jump_entry_is_init()
 *
 * An architecture without such a function has its sites shown as unknown, and
 * not checked.
 *
 * Context: Process context, jump_label_mutex is held.
 * Return: JUMP_LABEL_NOP, JUMP_LABEL_JMP, or -EILSEQ if the code is neither
 * this no-op nor the jump to the target of @entry, -EFAULT if it cannot be
 * read, -EOPNOTSUPP if the architecture cannot tell.
 */
int __weak arch_jump_label_read(const struct jump_entry *entry)
{
	return -EOPNOTSUPP;
}

/**
 * jump_label_compare() - compare the code of a site with instructions
 * @addr: where the code is
 * @nop: the bytes of a no-op, as they are in memory
 * @jump: the bytes of the jump
 * @size: how many bytes each has, at most 8
 *
 * Helps to implement arch_jump_label_read().
 *
 * Context: Process context, jump_label_mutex is held.
 * Return: as arch_jump_label_read().
 */
int jump_label_compare(const void *addr, const void *nop, const void *jump, size_t size)
{
	u8 code[8];

	if (WARN_ON_ONCE(size > sizeof(code)))
		return -EINVAL;
	if (copy_from_kernel_nofault(code, addr, size))
		return -EFAULT;
	if (!memcmp(code, nop, size))
		return JUMP_LABEL_NOP;
	if (!memcmp(code, jump, size))
		return JUMP_LABEL_JMP;
	return -EILSEQ;
}

/* As arch_jump_label_read(), but -ENOENT for code that is or will be gone. */
static int static_key_view_site_read(const struct view_site *site)
{
	/*
	 * Code of the init sections has this mark, at any time: when they are
	 * freed is not known here, and nobody can wait for that.  Built-in exit
	 * code which is dropped may be elsewhere.
	 */
	if (jump_entry_is_init(site->entry) ||
	    !kernel_text_address(jump_entry_code(site->entry)))
		return -ENOENT;
	return arch_jump_label_read(site->entry);
}

/*
 * Names
 */

#ifdef CONFIG_TRACEPOINTS
/* The first and the last of the kernel's tracepoints, set once. */
static unsigned long first_tracepoint = ULONG_MAX, last_tracepoint;

static void __init static_key_view_note_tracepoint(struct tracepoint *tp,
						   void *priv)
{
	unsigned long addr = (unsigned long)tp;

	first_tracepoint = min(first_tracepoint, addr);
	last_tracepoint = max(last_tracepoint, addr);
}

struct tracepoint_query {
	struct tracepoint *wanted;
	bool found;
};

static void static_key_view_match_tracepoint(struct tracepoint *tp, void *priv)
{
	struct tracepoint_query *query = priv;

	query->found |= tp == query->wanted;
}

/* Returns the tracepoint that a key is part of, or NULL. */
static struct tracepoint *
static_key_view_key_tracepoint(const struct static_key *key,
			       const struct module *mod)
{
	struct tracepoint *tp = container_of(key, struct tracepoint, key);
	struct tracepoint_query query = { .wanted = tp };
	unsigned int i __maybe_unused;

	if (!mod) {
		if ((unsigned long)tp >= first_tracepoint &&
		    (unsigned long)tp <= last_tracepoint)
			for_each_kernel_tracepoint(static_key_view_match_tracepoint,
						   &query);
		return query.found ? tp : NULL;
	}
#ifdef CONFIG_MODULES
	for (i = 0; i < mod->num_tracepoints; i++) {
		if (tracepoint_ptr_deref(mod->tracepoints_ptrs + i) == tp)
			return tp;
	}
#endif
	return NULL;
}

static void __init static_key_view_note_tracepoints(void)
{
	for_each_kernel_tracepoint(static_key_view_note_tracepoint, NULL);
}

static bool static_key_view_show_tracepoint_key(struct seq_file *m,
						const struct static_key *key,
						const struct module *mod)
{
	const struct tracepoint *tp = static_key_view_key_tracepoint(key, mod);

	if (tp)
		seq_printf(m, "__tracepoint_%s", tp->name);
	return tp;
}
#else
static inline void static_key_view_note_tracepoints(void) { }

static bool static_key_view_show_tracepoint_key(struct seq_file *m,
						const struct static_key *key,
						const struct module *mod)
{
	return false;
}
#endif

#ifdef CONFIG_DYNAMIC_DEBUG_CORE
/* Shows the message of dynamic debug that a key is part of, if it is. */
static bool static_key_view_show_ddebug_key(struct seq_file *m,
					    const struct static_key *key,
					    const struct module *mod)
{
	const struct _ddebug *start = __start___dyndbg, *stop = __stop___dyndbg;
	size_t prefix = strlen(__FILE__) - strlen(KBUILD_MODFILE ".c");
	const char *name;
	size_t offset;

#ifdef CONFIG_MODULES
	if (mod) {
		start = mod->dyndbg_info.descs;
		stop = start + mod->dyndbg_info.num_descs;
	}
#endif
	if ((void *)key < (void *)start || (void *)key >= (void *)stop)
		return false;
	offset = (void *)key - (void *)start;
	if (offset % sizeof(*start) != offsetof(struct _ddebug, key))
		return false;
	start += offset / sizeof(*start);

	/* Built outside of the source tree, all names start like that of here. */
	name = start->filename;
	if (!strncmp(name, __FILE__, prefix))
		name += prefix;
	seq_printf(m, "dyndbg:%s:%u", name, start->lineno);
	return true;
}
#else
static bool static_key_view_show_ddebug_key(struct seq_file *m,
					    const struct static_key *key,
					    const struct module *mod)
{
	return false;
}
#endif

#if defined(CONFIG_MODULES) && defined(CONFIG_KALLSYMS)
/*
 * Shows the symbol of a module's variable. kallsyms_lookup() goes by addresses
 * alone: it finds symbols that mark the end of a section where a variable starts,
 * and without CONFIG_KALLSYMS_ALL the last function before all data.
 */
static bool static_key_view_show_module_variable(struct seq_file *m,
						 unsigned long addr,
						 const struct module *mod)
{
	const struct mod_kallsyms *symbols;
	bool found = false;
	unsigned int i;

	/* Replaced, when the module has been loaded, by one without init code. */
	preempt_disable();
	symbols = rcu_dereference_sched(mod->kallsyms);
	for (i = 0; symbols && i < symbols->num_symtab && !found; i++) {
		const Elf_Sym *symbol = &symbols->symtab[i];
		unsigned long offset = addr - symbol->st_value;

		if (symbol->st_shndx == SHN_UNDEF || offset >= symbol->st_size)
			continue;
		seq_puts(m, symbols->strtab + symbol->st_name);
		if (offset)
			seq_printf(m, "+0x%lx", offset);
		found = true;
	}
	preempt_enable();
	return found;
}
#else
static bool static_key_view_show_module_variable(struct seq_file *m,
						 unsigned long addr,
						 const struct module *mod)
{
	return false;
}
#endif

/* What there is to say without a symbol, and for this addresses must be known. */
static void static_key_view_show_offset(struct seq_file *m, unsigned long addr,
					const struct module *mod)
{
	if (!mod && __is_kernel(addr)) {
		seq_printf(m, "_stext+0x%lx", addr - (unsigned long)_stext);
		return;
	}
#ifdef CONFIG_MODULES
	for_each_mod_mem_type(type) {
		static const char * const names[MOD_MEM_NUM_TYPES] = {
			[MOD_TEXT]		= "text",
			[MOD_DATA]		= "data",
			[MOD_RODATA]		= "rodata",
			[MOD_RO_AFTER_INIT]	= "ro_after_init",
			[MOD_INIT_TEXT]		= "init.text",
			[MOD_INIT_DATA]		= "init.data",
			[MOD_INIT_RODATA]	= "init.rodata",
		};

		if (mod && within_module_mem_type(addr, mod, type)) {
			seq_printf(m, "%s+0x%lx", names[type],
				   addr - (unsigned long)mod->mem[type].base);
			return;
		}
	}
#endif
	/* Init code or data of a module that is gone, and so is its name. */
	seq_putc(m, '?');
}

/*
 * The function that @addr is in, looked up into @name, and the offset from its
 * start; or NULL. Where the init code of a module was, there may be others now.
 */
static const char *
static_key_view_function_at(unsigned long addr, const struct module *mod,
			    char *name, unsigned long *offset)
{
	unsigned long size;
	char *modname;

	if (mod && !within_module(addr, mod))
		return NULL;
	return kallsyms_lookup(addr, &size, offset, &modname, name);
}

static void static_key_view_show_module(struct seq_file *m,
					const struct module *mod)
{
	if (mod)
		seq_printf(m, " [%s]", module_name((struct module *)mod));
}

static void static_key_view_show_key_name(struct seq_file *m,
					  const struct static_key *key,
					  const struct module *mod)
{
	unsigned long addr = (unsigned long)key;
	char name[KSYM_NAME_LEN];
	unsigned long size, offset;
	char *modname;

	if (static_key_view_show_tracepoint_key(m, key, mod) ||
	    static_key_view_show_ddebug_key(m, key, mod) ||
	    (mod && static_key_view_show_module_variable(m, addr, mod))) {
		static_key_view_show_module(m, mod);
	} else if (!mod && kallsyms_lookup(addr, &size, &offset, &modname, name)) {
		seq_puts(m, name);
		if (offset)
			seq_printf(m, "+0x%lx", offset);
	} else {
		static_key_view_show_offset(m, addr, mod);
		static_key_view_show_module(m, mod);
	}
}

static void static_key_view_show_function(struct seq_file *m,
					  const struct view_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (static_key_view_function_at(addr, site->mod, name, &offset))
		seq_printf(m, "%s+0x%lx", name, offset);
	else
		static_key_view_show_offset(m, addr, site->mod);
	static_key_view_show_module(m, site->mod);
}

/*
 * From which language a site is, if its function tells: mangled names are those
 * of Rust, and both names with a dot, of which GCC and clang make parts and
 * clones of functions, and records of the function tracer are of C.  A function
 * without either may be in assembly.
 */
static const char *static_key_view_site_language(const struct view_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (!static_key_view_function_at(addr, site->mod, name, &offset))
		return "-";
	if (str_has_prefix(name, "_R"))
		return "rust";
	if (strchr(name, '.') || ftrace_location(addr - offset))
		return "c";
	return "-";
}

/* To whom kptr_restrict hides it, as zeros. */
static void static_key_view_show_address(struct seq_file *m, unsigned long addr)
{
	if (!kallsyms_show_value(m->file->f_cred))
		addr = 0;
	seq_printf(m, "%0*lx ", BITS_PER_LONG / 4, addr);
}

static void static_key_view_show_key(struct seq_file *m, struct static_key *key)
{
	struct module *mod = static_key_view_module_at((unsigned long)key);

	static_key_view_show_address(m, (unsigned long)key);
	if (static_key_view_key_readable(key, mod)) {
		int count = static_key_count(key);

		seq_printf(m, "%s %d %s",
			   static_batch_pending(key) ? "pending" : str_on_off(count), count,
			   str_on_off(key->type & JUMP_TYPE_TRUE));
	} else {
		seq_puts(m, "init - -");
	}
	seq_printf(m, " %lu ", static_key_view_count_sites(key));
	static_key_view_show_key_name(m, key, mod);
	seq_putc(m, '\n');
}

static const char *static_key_view_read_name(int read)
{
	switch (read) {
	case JUMP_LABEL_NOP:
		return "nop";
	case JUMP_LABEL_JMP:
		return "jump";
	case -ENOENT:
		return "init";
	case -EOPNOTSUPP:
		return "?";
	default:
		return "other";
	}
}

static void static_key_view_show_site(struct seq_file *m,
				      const struct view_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);

	static_key_view_show_address(m, addr);
	seq_printf(m, "%s %s ",
		   static_key_view_read_name(static_key_view_site_read(site)),
		   static_key_view_site_language(site));
	static_key_view_show_function(m, site);
	seq_putc(m, '\n');
}

/**
 * static_key_show_sites() - show the sites of a key
 * @m: where to write to, a file that was opened
 * @key: the key, which must not go away while this runs
 *
 * The lines are those of debugfs, each with the word "site" before it.
 *
 * Context: Process context. May sleep. Takes and releases jump_label_mutex.
 */
void static_key_show_sites(struct seq_file *m, struct static_key *key)
{
	struct view_site site;
	struct view_pos pos;

	static_key_view_pos_at_key(&pos, (unsigned long)key);
	jump_label_lock();
	while (static_key_view_find(&pos, &site) &&
	       jump_entry_key(site.entry) == key) {
		seq_puts(m, "\tsite ");
		static_key_view_show_site(m, &site);
		static_key_view_pos_after_site(&pos, &site);
	}
	jump_label_unlock();
}

/*
 * The consistency check
 */

static void static_key_view_show_mismatch(struct seq_file *m,
					  const struct view_site *site,
					  int read, enum jump_label_type wanted)
{
	struct static_key *key = jump_entry_key(site->entry);
	unsigned long addr = jump_entry_code(site->entry);
	struct module *mod;
	u8 code[4];

	static_key_view_show_function(m, site);
	seq_printf(m, ": found %s", static_key_view_read_name(read));
	if (read == -EILSEQ && !copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		seq_printf(m, " (%*ph)", (int)sizeof(code), code);
	seq_printf(m, ", expected %s for key ",
		   static_key_view_read_name(wanted));
	mod = static_key_view_module_at((unsigned long)key);
	static_key_view_show_key_name(m, key, mod);
	seq_printf(m, " which is %s\n", str_on_off(static_key_enabled(key)));
}

/* Nothing may be pending: no site has to wait for the end of a batch. */
static void static_key_view_check_lock(void)
{
	cpus_read_lock();
	jump_label_lock();
	static_batch_settle_keys();
}

static void static_key_view_check_unlock(void)
{
	jump_label_unlock();
	cpus_read_unlock();
}

/**
 * static_key_check() - compare the code of all sites with their keys
 * @m: where to write mismatches and a summary to, or NULL
 *
 * A mismatch is a site that is a no-op where the state of its key demands a
 * jump, the other way around, or neither. Sites in init code, and all sites of
 * architectures that cannot tell, do not count. Keys may be turned and modules
 * may come and go at the same time. What batches have put off so far takes
 * effect.
 *
 * Context: Process context. May sleep. Takes and releases cpus_read_lock() and
 *	    jump_label_mutex.
 * Return: the number of mismatches.
 */
int static_key_check(struct seq_file *m)
{
	unsigned long keys = 0, sites = 0, unread = 0;
	unsigned long last_key = 0;
	struct view_pos pos = { };
	struct view_site site;
	int mismatches = 0;

	static_key_view_check_lock();
	while (static_key_view_find(&pos, &site)) {
		struct static_key *key = jump_entry_key(site.entry);
		enum jump_label_type wanted;
		struct module *mod;
		int read;

		if ((unsigned long)key != last_key)
			keys++;
		last_key = (unsigned long)key;
		sites++;
		read = static_key_view_site_read(&site);
		mod = static_key_view_module_at((unsigned long)key);
		if (read == -ENOENT || read == -EOPNOTSUPP ||
		    !static_key_view_key_readable(key, mod)) {
			unread++;
		} else {
			/* See the table in linux/jump_label.h. */
			wanted = static_key_enabled(key) ^ jump_entry_is_branch(site.entry);
			if (read != (int)wanted) {
				mismatches++;
				if (m)
					static_key_view_show_mismatch(m, &site, read,
								      wanted);
			}
		}
		static_key_view_pos_after_site(&pos, &site);
		if (sites % CHECK_BATCH == 0) {
			static_key_view_check_unlock();
			cond_resched();
			static_key_view_check_lock();
		}
	}
	static_key_view_check_unlock();

	if (m) {
		if (unread)
			seq_printf(m, "%lu sites not read\n", unread);
		seq_printf(m, "%lu keys, %lu sites, %d mismatches\n", keys, sites, mismatches);
	}
	return mismatches;
}
EXPORT_SYMBOL_GPL(static_key_check);

/*
 * Files
 */

static void *static_key_view_iter_find(struct view_iter *iter)
{
	return static_key_view_find(&iter->pos, &iter->site) ? iter : NULL;
}

/* Lets iter->pos be what comes after iter->site. */
static void static_key_view_iter_advance(struct view_iter *iter)
{
	iter->key_before = (unsigned long)jump_entry_key(iter->site.entry);
	if (iter->sites)
		static_key_view_pos_after_site(&iter->pos, &iter->site);
	else
		static_key_view_pos_at_key(&iter->pos, iter->key_before + 1);
}

static void *static_key_view_start(struct seq_file *m, loff_t *index)
{
	struct view_iter *iter = m->private;

	jump_label_lock();
	if (*index == 0 || *index != iter->index) {
		iter->index = 0;
		iter->key_before = 0;
		static_key_view_pos_at_key(&iter->pos, 0);
	}
	if (*index == 0)
		return SEQ_START_TOKEN;
	/* Only if somebody seeks; else this is where the last read ended. */
	for (; iter->index < *index; iter->index++) {
		if (iter->index == 0)
			continue;
		if (!static_key_view_iter_find(iter))
			return NULL;
		static_key_view_iter_advance(iter);
	}
	return static_key_view_iter_find(iter);
}

static void *static_key_view_next(struct seq_file *m, void *v, loff_t *index)
{
	struct view_iter *iter = m->private;

	if (v != SEQ_START_TOKEN)
		static_key_view_iter_advance(iter);
	iter->index = ++*index;
	return static_key_view_iter_find(iter);
}

static void static_key_view_stop(struct seq_file *m, void *v)
{
	jump_label_unlock();
}

static int static_key_view_show(struct seq_file *m, void *v)
{
	struct view_iter *iter = m->private;
	struct static_key *key;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# address state count initially sites key [module]\n");
		if (iter->sites)
			seq_puts(m, "#\taddress code language function+offset [module]\n");
		return 0;
	}
	key = jump_entry_key(iter->site.entry);
	if ((unsigned long)key != iter->key_before)
		static_key_view_show_key(m, key);
	if (iter->sites) {
		seq_putc(m, '\t');
		static_key_view_show_site(m, &iter->site);
	}
	return 0;
}

static const struct seq_operations view_ops = {
	.start	= static_key_view_start,
	.next	= static_key_view_next,
	.stop	= static_key_view_stop,
	.show	= static_key_view_show,
};

/* The files "keys" and "sites"; the latter comes with data. */
static int static_key_view_open(struct inode *inode, struct file *file)
{
	struct view_iter *iter;

	iter = __seq_open_private(file, &view_ops, sizeof(*iter));
	if (!iter)
		return -ENOMEM;
	iter->sites = inode->i_private;
	return 0;
}

static const struct file_operations view_fops = {
	.owner		= THIS_MODULE,
	.open		= static_key_view_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static int static_key_view_check_show(struct seq_file *m, void *v)
{
	static_key_check(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(static_key_view_check);

#ifdef CONFIG_MODULES
/*
 * A module is on the list after jump_label_module_notify() has sorted its table
 * and patched its sites, and off it before that forgets the module and no longer
 * patches them.  The notifiers of a chain are always called in the same order,
 * so this takes two.
 */
static int static_key_view_module_coming(struct notifier_block *nb,
					 unsigned long val, void *data)
{
	struct module *mod = data;
	struct view_module *view;

	if (val != MODULE_STATE_COMING || !mod->num_jump_entries)
		return NOTIFY_DONE;
	view = kmalloc(sizeof(*view), GFP_KERNEL);
	if (!view)
		return notifier_from_errno(-ENOMEM);
	view->mod = mod;
	jump_label_lock();
	list_add_tail(&view->list, &view_modules);
	jump_label_unlock();
	return NOTIFY_OK;
}

static int static_key_view_module_going(struct notifier_block *nb,
					unsigned long val, void *data)
{
	struct view_module *view, *next;

	if (val != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	/* If loading has failed half-way, it may not be on the list. */
	jump_label_lock();
	list_for_each_entry_safe(view, next, &view_modules, list) {
		if (view->mod == data) {
			list_del(&view->list);
			kfree(view);
		}
	}
	jump_label_unlock();
	return NOTIFY_OK;
}

static struct notifier_block view_coming_nb = {
	.notifier_call = static_key_view_module_coming,
	.priority = 0, /* lower than jump_label's */
};

static struct notifier_block view_going_nb = {
	.notifier_call = static_key_view_module_going,
	.priority = 2, /* higher than jump_label's */
};

static __init int static_key_view_init_modules(void)
{
	int ret = register_module_notifier(&view_going_nb);

	return ret ?: register_module_notifier(&view_coming_nb);
}
early_initcall(static_key_view_init_modules);
#endif /* CONFIG_MODULES */

static __init int static_key_view_init(void)
{
	struct dentry *dir = debugfs_create_dir("static_keys", NULL);

	static_key_view_note_tracepoints();
	debugfs_create_file("keys", 0400, dir, NULL, &view_fops);
	debugfs_create_file("sites", 0400, dir, (void *)true, &view_fops);
	debugfs_create_file("check", 0400, dir, NULL,
			    &static_key_view_check_fops);
	return 0;
}
late_initcall(static_key_view_init);

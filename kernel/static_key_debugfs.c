// SPDX-License-Identifier: GPL-2.0
/*
 * A view of all static keys and their sites, in static_keys/ of debugfs:
 *
 *  keys	one line for each key
 *  sites	the same lines, each followed by those of the key's sites
 *  check	reading it compares all sites with the state of their keys
 *
 * See Documentation/trace/static-key-debugfs.rst for the format.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * The only state of the view is the list of modules with sites. Everything it
 * shows comes from the jump tables, that of the kernel and one per module,
 * which are sorted by key and then by the address of the site. A walk visits
 * all tables in this order, with one binary search per table and step, and
 * finds each key once and each site once, wherever they are defined, sealed or
 * not. A step needs only the addresses that the last step has reached, which
 * are compared but never dereferenced; so the walk can stop anywhere and
 * continue later, whatever modules were loaded or removed in between.
 *
 * jump_label_mutex protects the list of modules and their tables: modules are
 * added and removed under it, sites are patched under it, and the memory of a
 * module is freed after its removal from the list. A key lives as long as any
 * module with sites on it, which is either its own module or one that depends
 * on that.
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
#include <linux/static_key_debugfs.h>
#include <linux/string_choices.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include <asm/sections.h>

/* Number of sites that are checked before the locks are released for others. */
#define SKD_CHECK_BATCH 256

/* Position of a walk: the next entry is the first that is not before it. */
struct skd_pos {
	unsigned long key;
	unsigned long code;
	unsigned long entry;
};

/* Valid until jump_label_mutex is released. */
struct skd_site {
	const struct jump_entry *entry;
	struct module *mod;
};

struct skd_iter {
	struct skd_site site;
	struct skd_pos pos;
	/* The key of the previous site. */
	unsigned long key_before;
	/* The index of @pos in seq_file. */
	loff_t index;
	bool sites;
};

/* A module with a jump table. */
struct skd_module {
	struct list_head list;
	struct module *mod;
};

/* Protected by jump_label_mutex. */
static LIST_HEAD(skd_modules);

static int skd_compare(const struct jump_entry *entry,
		       const struct skd_pos *pos)
{
	unsigned long key = (unsigned long)jump_entry_key(entry);
	unsigned long code = jump_entry_code(entry);

	if (key != pos->key)
		return key < pos->key ? -1 : 1;
	if (code != pos->code)
		return code < pos->code ? -1 : 1;

	/*
	 * Only sites in init code that was freed can have the same address, one
	 * in each of several modules.
	 */
	if ((unsigned long)entry != pos->entry)
		return (unsigned long)entry < pos->entry ? -1 : 1;
	return 0;
}

/* Returns the first entry that is not before @pos, or @stop. */
static const struct jump_entry *skd_table_find(const struct jump_entry *start,
					       const struct jump_entry *stop,
					       const struct skd_pos *pos)
{
	size_t low = 0, high = stop - start;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (skd_compare(start + middle, pos) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return start + low;
}

static const struct jump_entry *skd_module_find(const struct module *mod,
						const struct skd_pos *pos)
{
#ifdef CONFIG_MODULES
	return skd_table_find(mod->jump_entries,
			      mod->jump_entries + mod->num_jump_entries, pos);
#else
	return NULL;
#endif
}

static bool skd_module_has(const struct module *mod,
			   const struct jump_entry *entry)
{
#ifdef CONFIG_MODULES
	return entry < mod->jump_entries + mod->num_jump_entries;
#else
	return false;
#endif
}

/* Finds the first site in all tables that is not before @pos. */
static bool skd_find(const struct skd_pos *pos, struct skd_site *site)
{
	const struct jump_entry *entry;
	struct skd_module *view;

	entry = skd_table_find(__start___jump_table, __stop___jump_table, pos);
	site->entry = entry < __stop___jump_table ? entry : NULL;
	site->mod = NULL;

	list_for_each_entry(view, &skd_modules, list) {
		struct skd_pos best;

		entry = skd_module_find(view->mod, pos);
		if (!skd_module_has(view->mod, entry))
			continue;

		if (site->entry) {
			best.key = (unsigned long)jump_entry_key(site->entry);
			best.code = jump_entry_code(site->entry);
			best.entry = (unsigned long)site->entry;
			if (skd_compare(entry, &best) > 0)
				continue;
		}

		site->entry = entry;
		site->mod = view->mod;
	}
	return site->entry;
}

static void skd_pos_at_key(struct skd_pos *pos, unsigned long key)
{
	*pos = (struct skd_pos){ .key = key };
}

static void skd_pos_after_site(struct skd_pos *pos, const struct skd_site *site)
{
	pos->key = (unsigned long)jump_entry_key(site->entry);
	pos->code = jump_entry_code(site->entry);
	pos->entry = (unsigned long)site->entry + 1;
}

static unsigned long skd_count_sites(const struct static_key *key)
{
	struct skd_pos first, last;
	struct skd_module *view;
	unsigned long count;

	skd_pos_at_key(&first, (unsigned long)key);
	skd_pos_at_key(&last, (unsigned long)key + 1);

	count = skd_table_find(__start___jump_table, __stop___jump_table,
			       &last) -
		skd_table_find(__start___jump_table, __stop___jump_table,
			       &first);
	list_for_each_entry(view, &skd_modules, list)
		count += skd_module_find(view->mod, &last) -
			skd_module_find(view->mod, &first);
	return count;
}

/* Returns the module that @addr is in, or NULL. */
static struct module *skd_module_at(unsigned long addr)
{
	struct module *mod;

	preempt_disable();
	mod = __module_address(addr);
	preempt_enable();
	return mod;
}

/* True if the memory of a key is not init data, which may have been freed. */
static bool skd_key_readable(const struct static_key *key,
			     const struct module *mod)
{
	unsigned long addr = (unsigned long)key;

	if (mod)
		return within_module_core(addr, mod);
	return __is_kernel(addr) &&
	       !init_section_contains((void *)addr, sizeof(*key));
}

/**
 * arch_jump_label_read() - read whether a site is a NOP or a jump
 * @entry: a site whose code has not been freed, see jump_entry_is_init()
 *
 * Without an implementation by the architecture, sites are shown as unknown,
 * and are not checked.
 *
 * Context: Process context, jump_label_mutex is held.
 * Return: JUMP_LABEL_NOP, JUMP_LABEL_JMP, or -EILSEQ if the code is neither the
 *	NOP nor the jump to the target of @entry, -EFAULT if it cannot be read,
 *	-EOPNOTSUPP if the architecture does not implement this.
 */
int __weak arch_jump_label_read(const struct jump_entry *entry)
{
	return -EOPNOTSUPP;
}

/**
 * jump_label_compare() - compare the code of a site with instructions
 * @addr: address of the code
 * @nop: the bytes of the NOP, as they are in memory
 * @jump: the bytes of the jump
 * @size: size of each in bytes, at most 8
 *
 * A helper for implementations of arch_jump_label_read().
 *
 * Context: Process context, jump_label_mutex is held.
 * Return: as arch_jump_label_read().
 */
int jump_label_compare(const void *addr, const void *nop, const void *jump,
		       size_t size)
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

/* arch_jump_label_read(), or -ENOENT for code that is or will be freed. */
static int skd_site_read(const struct skd_site *site)
{
	/*
	 * jump_entry_is_init() remains true after the init code was freed, and
	 * nothing tells when that happens. kernel_text_address() is false for
	 * built-in exit code that was discarded.
	 */
	if (jump_entry_is_init(site->entry) ||
	    !kernel_text_address(jump_entry_code(site->entry)))
		return -ENOENT;
	return arch_jump_label_read(site->entry);
}

#ifdef CONFIG_TRACEPOINTS
/* Addresses of the first and the last tracepoint of the kernel, set once. */
static unsigned long skd_first_tracepoint = ULONG_MAX, skd_last_tracepoint;

static void __init skd_note_tracepoint(struct tracepoint *tp, void *priv)
{
	unsigned long addr = (unsigned long)tp;

	skd_first_tracepoint = min(skd_first_tracepoint, addr);
	skd_last_tracepoint = max(skd_last_tracepoint, addr);
}

struct skd_query {
	struct tracepoint *wanted;
	bool found;
};

static void skd_match_tracepoint(struct tracepoint *tp, void *priv)
{
	struct skd_query *query = priv;

	query->found |= tp == query->wanted;
}

/* Returns the tracepoint that a key is part of, or NULL. */
static struct tracepoint *skd_key_tracepoint(const struct static_key *key,
					     const struct module *mod)
{
	struct tracepoint *tp = container_of(key, struct tracepoint, key.key);
	struct skd_query query = { .wanted = tp };
	unsigned int i __maybe_unused;

	if (!mod) {
		if ((unsigned long)tp >= skd_first_tracepoint &&
		    (unsigned long)tp <= skd_last_tracepoint)
			for_each_kernel_tracepoint(skd_match_tracepoint,
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

static void __init skd_note_tracepoints(void)
{
	for_each_kernel_tracepoint(skd_note_tracepoint, NULL);
}

static bool skd_show_tracepoint_key(struct seq_file *m,
				    const struct static_key *key,
				    const struct module *mod)
{
	const struct tracepoint *tp = skd_key_tracepoint(key, mod);

	if (tp)
		seq_printf(m, "__tracepoint_%s", tp->name);
	return tp;
}
#else
static inline void skd_note_tracepoints(void) { }

static bool skd_show_tracepoint_key(struct seq_file *m,
				    const struct static_key *key,
				    const struct module *mod)
{
	return false;
}
#endif

#ifdef CONFIG_DYNAMIC_DEBUG_CORE
/*
 * Shows the dynamic debug message that a key is part of. False if it is not
 * part of one.
 */
static bool skd_show_ddebug_key(struct seq_file *m,
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

	/*
	 * In a build outside of the source tree, __FILE__ and start->filename
	 * begin with the same path; leave it out.
	 */
	name = start->filename;
	if (!strncmp(name, __FILE__, prefix))
		name += prefix;
	seq_printf(m, "dyndbg:%s:%u", name, start->lineno);
	return true;
}
#else
static bool skd_show_ddebug_key(struct seq_file *m,
				const struct static_key *key,
				const struct module *mod)
{
	return false;
}
#endif

#if defined(CONFIG_MODULES) && defined(CONFIG_KALLSYMS)
/*
 * Shows the symbol of a module's variable. kallsyms_lookup() uses addresses
 * only: it may find a symbol that marks the end of a section where a variable
 * starts, and without CONFIG_KALLSYMS_ALL the last function before all data.
 */
static bool skd_show_module_variable(struct seq_file *m, unsigned long addr,
				     const struct module *mod)
{
	const struct mod_kallsyms *symbols;
	bool found = false;
	unsigned int i;

	/* Replaced by a table without init symbols when the module is live. */
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
static bool skd_show_module_variable(struct seq_file *m, unsigned long addr,
				     const struct module *mod)
{
	return false;
}
#endif

/*
 * Shows an address without a symbol as an offset in a section, so that it can
 * be resolved only if the address of the section is known.
 */
static void skd_show_offset(struct seq_file *m, unsigned long addr,
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
	/*
	 * Freed init code or data of a module whose name is not known any more.
	 */
	seq_putc(m, '?');
}

/*
 * Returns the function that @addr is in, looked up into @name, with the offset
 * from its start; or NULL. Freed init code of a module may have been replaced
 * by other code.
 */
static const char *skd_function_at(unsigned long addr, const struct module *mod,
				   char *name, unsigned long *offset)
{
	unsigned long size;
	char *modname;

	if (mod && !within_module(addr, mod))
		return NULL;
	return kallsyms_lookup(addr, &size, offset, &modname, name);
}

static void skd_show_module(struct seq_file *m, const struct module *mod)
{
	if (mod)
		seq_printf(m, " [%s]", module_name((struct module *)mod));
}

static void skd_show_key_name(struct seq_file *m, const struct static_key *key,
			      const struct module *mod)
{
	unsigned long addr = (unsigned long)key;
	char name[KSYM_NAME_LEN];
	unsigned long size, offset;
	char *modname;

	if (skd_show_tracepoint_key(m, key, mod) ||
	    skd_show_ddebug_key(m, key, mod) ||
	    (mod && skd_show_module_variable(m, addr, mod))) {
		skd_show_module(m, mod);
	} else if (!mod &&
		   kallsyms_lookup(addr, &size, &offset, &modname, name)) {
		seq_puts(m, name);
		if (offset)
			seq_printf(m, "+0x%lx", offset);
	} else {
		skd_show_offset(m, addr, mod);
		skd_show_module(m, mod);
	}
}

static void skd_show_function(struct seq_file *m, const struct skd_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (skd_function_at(addr, site->mod, name, &offset))
		seq_printf(m, "%s+0x%lx", name, offset);
	else
		skd_show_offset(m, addr, site->mod);
	skd_show_module(m, site->mod);
}

/*
 * Returns the language of the function of a site, guessed from its name: "rust"
 * for a mangled name of Rust; "c" for a name with a dot, which GCC and clang
 * give to parts and clones of functions, and for a function known to ftrace;
 * "-" for others, which may be assembly.
 */
static const char *skd_site_language(const struct skd_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);
	char name[KSYM_NAME_LEN];
	unsigned long offset;

	if (!skd_function_at(addr, site->mod, name, &offset))
		return "-";
	if (str_has_prefix(name, "_R"))
		return "rust";
	if (strchr(name, '.') || ftrace_location(addr - offset))
		return "c";
	return "-";
}

/* Shows 0 if kptr_restrict hides addresses from the opener of the file. */
static void skd_show_address(struct seq_file *m, unsigned long addr)
{
	if (!kallsyms_show_value(m->file->f_cred))
		addr = 0;
	seq_printf(m, "%0*lx ", BITS_PER_LONG / 4, addr);
}

static void skd_show_key(struct seq_file *m, struct static_key *key)
{
	struct module *mod = skd_module_at((unsigned long)key);

	skd_show_address(m, (unsigned long)key);
	if (skd_key_readable(key, mod)) {
		int count = static_key_count(key);

		seq_printf(m, "%s %d %s",
			   str_on_off(count), count, str_on_off(key->type & JUMP_TYPE_TRUE));
	} else {
		seq_puts(m, "init - -");
	}

	seq_printf(m, " %lu ", skd_count_sites(key));
	skd_show_key_name(m, key, mod);
	seq_putc(m, '\n');
}

static const char *skd_read_name(int read)
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

static void skd_show_site(struct seq_file *m, const struct skd_site *site)
{
	unsigned long addr = jump_entry_code(site->entry);
	int read = skd_site_read(site);

	skd_show_address(m, addr);
	seq_printf(m, "%s %s ", skd_read_name(read), skd_site_language(site));
	skd_show_function(m, site);
	seq_putc(m, '\n');
}

/**
 * static_key_show_sites() - show the sites of a key
 * @m: the open file to write to
 * @key: the key, which must not be freed while this runs
 *
 * The lines are those of the file in debugfs, each with the word "site" before
 * it.
 *
 * Context: Process context. May sleep. Takes and releases jump_label_mutex.
 */
void static_key_show_sites(struct seq_file *m, struct static_key *key)
{
	struct skd_site site;
	struct skd_pos pos;

	skd_pos_at_key(&pos, (unsigned long)key);
	jump_label_lock();
	while (skd_find(&pos, &site) && jump_entry_key(site.entry) == key) {
		seq_puts(m, "\tsite ");
		skd_show_site(m, &site);
		skd_pos_after_site(&pos, &site);
	}
	jump_label_unlock();
}

static void skd_show_mismatch(struct seq_file *m, const struct skd_site *site,
			      int read, enum jump_label_type wanted)
{
	struct static_key *key = jump_entry_key(site->entry);
	unsigned long addr = jump_entry_code(site->entry);
	struct module *mod;
	u8 code[4];

	if (!m)
		return;

	skd_show_function(m, site);
	seq_printf(m, ": found %s", skd_read_name(read));
	if (read == -EILSEQ &&
	    !copy_from_kernel_nofault(code, (void *)addr, sizeof(code)))
		seq_printf(m, " (%*ph)", (int)sizeof(code), code);
	seq_printf(m, ", expected %s for key ", skd_read_name(wanted));

	mod = skd_module_at((unsigned long)key);
	skd_show_key_name(m, key, mod);
	seq_printf(m, " which is %s\n", str_on_off(static_key_enabled(key)));
}

/**
 * static_key_check() - compare the code of all sites with their keys
 * @m: the file to write mismatches and a summary to, or NULL
 *
 * A mismatch is a site that is a NOP where the state of its key requires a
 * jump, a jump where it requires a NOP, or neither. Sites in init code, and all
 * sites of architectures without arch_jump_label_read(), are not counted. Keys
 * may be changed and modules may be loaded and removed concurrently.
 *
 * Context: Process context. May sleep. Takes and releases jump_label_mutex.
 * Return: the number of mismatches.
 */
int static_key_check(struct seq_file *m)
{
	unsigned long keys = 0, sites = 0, unread = 0;
	unsigned long last_key = 0;
	struct skd_pos pos = { };
	struct skd_site site;
	int mismatches = 0;

	jump_label_lock();
	while (skd_find(&pos, &site)) {
		struct static_key *key = jump_entry_key(site.entry);
		enum jump_label_type wanted;
		struct module *mod;
		int read;

		if ((unsigned long)key != last_key)
			keys++;
		last_key = (unsigned long)key;
		sites++;

		read = skd_site_read(&site);
		mod = skd_module_at((unsigned long)key);
		if (read == -ENOENT || read == -EOPNOTSUPP ||
		    !skd_key_readable(key, mod)) {
			unread++;
		} else {
			/* See the table in linux/jump_label.h. */
			wanted = static_key_enabled(key) ^
				 jump_entry_is_branch(site.entry);
			if (read != (int)wanted) {
				mismatches++;
				skd_show_mismatch(m, &site, read, wanted);
			}
		}

		skd_pos_after_site(&pos, &site);
		if (sites % SKD_CHECK_BATCH == 0) {
			jump_label_unlock();
			cond_resched();
			jump_label_lock();
		}
	}
	jump_label_unlock();

	if (m) {
		if (unread)
			seq_printf(m, "%lu sites not read\n", unread);
		seq_printf(m, "%lu keys, %lu sites, %d mismatches\n", keys,
			   sites, mismatches);
	}
	return mismatches;
}
EXPORT_SYMBOL_GPL(static_key_check);

static void *skd_iter_find(struct skd_iter *iter)
{
	return skd_find(&iter->pos, &iter->site) ? iter : NULL;
}

/* Set iter->pos to the position after iter->site. */
static void skd_iter_advance(struct skd_iter *iter)
{
	iter->key_before = (unsigned long)jump_entry_key(iter->site.entry);
	if (iter->sites)
		skd_pos_after_site(&iter->pos, &iter->site);
	else
		skd_pos_at_key(&iter->pos, iter->key_before + 1);
}

static void *skd_start(struct seq_file *m, loff_t *index)
{
	struct skd_iter *iter = m->private;

	jump_label_lock();
	if (*index == 0 || *index != iter->index) {
		iter->index = 0;
		iter->key_before = 0;
		skd_pos_at_key(&iter->pos, 0);
	}
	if (*index == 0)
		return SEQ_START_TOKEN;

	/* Needed after a seek only; otherwise iter->index == *index. */
	for (; iter->index < *index; iter->index++) {
		if (iter->index == 0)
			continue;
		if (!skd_iter_find(iter))
			return NULL;
		skd_iter_advance(iter);
	}
	return skd_iter_find(iter);
}

static void *skd_next(struct seq_file *m, void *v, loff_t *index)
{
	struct skd_iter *iter = m->private;

	if (v != SEQ_START_TOKEN)
		skd_iter_advance(iter);
	iter->index = ++*index;
	return skd_iter_find(iter);
}

static void skd_stop(struct seq_file *m, void *v)
{
	jump_label_unlock();
}

static int skd_show(struct seq_file *m, void *v)
{
	struct skd_iter *iter = m->private;
	struct static_key *key;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m,
			 "# address state count initially sites key [module]\n");
		if (iter->sites)
			seq_puts(m,
				 "#\taddress code language function+offset [module]\n");
		return 0;
	}

	key = jump_entry_key(iter->site.entry);
	if ((unsigned long)key != iter->key_before)
		skd_show_key(m, key);

	if (iter->sites) {
		seq_putc(m, '\t');
		skd_show_site(m, &iter->site);
	}
	return 0;
}

static const struct seq_operations skd_seq_ops = {
	.start	= skd_start,
	.next	= skd_next,
	.stop	= skd_stop,
	.show	= skd_show,
};

/* The files "keys" and "sites"; i_private is set for the latter. */
static int skd_open(struct inode *inode, struct file *file)
{
	struct skd_iter *iter;

	iter = __seq_open_private(file, &skd_seq_ops, sizeof(*iter));
	if (!iter)
		return -ENOMEM;
	iter->sites = inode->i_private;
	return 0;
}

static const struct file_operations skd_fops = {
	.owner		= THIS_MODULE,
	.open		= skd_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static int skd_check_show(struct seq_file *m, void *v)
{
	static_key_check(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(skd_check);

#ifdef CONFIG_MODULES
/*
 * A module is added to the list after jump_label_module_notify() has sorted its
 * table and patched its sites, and removed before that function removes its
 * sites. As the notifiers of a chain are always called in the same order, this
 * takes two of them.
 */
static int skd_module_coming(struct notifier_block *nb, unsigned long val,
			     void *data)
{
	struct module *mod = data;
	struct skd_module *view;

	if (val != MODULE_STATE_COMING || !mod->num_jump_entries)
		return NOTIFY_DONE;

	view = kmalloc_obj(*view);
	if (!view)
		return notifier_from_errno(-ENOMEM);

	view->mod = mod;
	jump_label_lock();
	list_add_tail(&view->list, &skd_modules);
	jump_label_unlock();
	return NOTIFY_OK;
}

static int skd_module_going(struct notifier_block *nb, unsigned long val,
			    void *data)
{
	struct skd_module *view, *next;

	if (val != MODULE_STATE_GOING)
		return NOTIFY_DONE;

	/* If loading has failed, the module may not be on the list. */
	jump_label_lock();
	list_for_each_entry_safe(view, next, &skd_modules, list) {
		if (view->mod == data) {
			list_del(&view->list);
			kfree(view);
		}
	}
	jump_label_unlock();
	return NOTIFY_OK;
}

static struct notifier_block skd_coming_nb = {
	.notifier_call = skd_module_coming,
	.priority = 0, /* lower than jump_label's */
};

static struct notifier_block skd_going_nb = {
	.notifier_call = skd_module_going,
	.priority = 2, /* higher than jump_label's */
};

static __init int skd_init_modules(void)
{
	int ret = register_module_notifier(&skd_going_nb);

	return ret ?: register_module_notifier(&skd_coming_nb);
}
early_initcall(skd_init_modules);
#endif /* CONFIG_MODULES */

static __init int skd_init(void)
{
	struct dentry *dir = debugfs_create_dir("static_keys", NULL);

	skd_note_tracepoints();
	debugfs_create_file("keys", 0400, dir, NULL, &skd_fops);
	debugfs_create_file("sites", 0400, dir, (void *)true, &skd_fops);
	debugfs_create_file("check", 0400, dir, NULL, &skd_check_fops);
	return 0;
}
late_initcall(skd_init);

// SPDX-License-Identifier: GPL-2.0
/*
 * The file "tracepoints" of debugfs: all tracepoints, with their probes and
 * sites. Not of tracefs, whose files programs rely on: a tracepoint without an
 * event is there for the kernel alone, and may go or change with any release.
 *
 * See Documentation/trace/static-key-debugfs.rst for the format.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * Tracepoints are shown in the order of their addresses. The next one is the
 * first after the last that was shown, so modules may come and go between two
 * reads. Each step looks at all tracepoints, of which there are a few thousand
 * at most.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/static_key_debugfs.h>
#include <linux/string_choices.h>
#include <linux/tracepoint.h>

struct tracepoints_iter {
	/*
	 * Address of the tracepoint to show; only compared, never dereferenced.
	 */
	unsigned long tp;
	/* The index of @tp in seq_file. */
	loff_t index;
};

/* A search over all tracepoints. */
struct tracepoints_query {
	struct seq_file *m;
	unsigned long after;
	unsigned long found;
};

static void tracepoints_compare(struct tracepoint *tp, void *priv)
{
	struct tracepoints_query *query = priv;
	unsigned long addr = (unsigned long)tp;

	if (addr > query->after && (!query->found || addr < query->found))
		query->found = addr;
}

static void tracepoints_compare_module(struct tracepoint *tp,
				       struct module *mod, void *priv)
{
	tracepoints_compare(tp, priv);
}

/* Returns the address of the first tracepoint after @after, or 0. */
static unsigned long tracepoints_first_after(unsigned long after)
{
	struct tracepoints_query query = { .after = after };

	for_each_kernel_tracepoint(tracepoints_compare, &query);
	for_each_module_tracepoint(tracepoints_compare_module, &query);
	return query.found;
}

static void tracepoints_show_probe(struct seq_file *m,
				   const struct tracepoint_func *probe)
{
	char name[KSYM_NAME_LEN];
	unsigned long size, offset;
	char *modname;

	seq_printf(m, "\tprobe %d ", probe->prio);

	/* Must not print an address that kptr_restrict hides, as %ps may. */
	if (!kallsyms_lookup((unsigned long)READ_ONCE(probe->func), &size,
			     &offset, &modname, name))
		seq_puts(m, "?");
	else if (modname)
		seq_printf(m, "%s [%s]", name, modname);
	else
		seq_puts(m, name);
	seq_putc(m, '\n');
}

static void tracepoints_show_one(struct seq_file *m, struct tracepoint *tp,
				 struct module *mod)
{
	const struct tracepoint_func *probes, *probe;

	seq_printf(m, "%s %s", str_on_off(static_key_enabled(&tp->key)),
		   tp->name);
	if (mod)
		seq_printf(m, " [%s]", module_name(mod));
	seq_putc(m, '\n');

	/*
	 * Arrays of probes are replaced as a whole, and freed after a grace
	 * period: of tracepoint_srcu, or of RCU tasks trace if
	 * tracepoint_is_faultable(). The removal of a module that has a probe
	 * waits for both.
	 */
	scoped_guard(rcu_tasks_trace) {
		guard(srcu_fast_notrace)(&tracepoint_srcu);
		probes = rcu_dereference_raw(tp->funcs);
		for (probe = probes; probe && READ_ONCE(probe->func); probe++)
			tracepoints_show_probe(m, probe);
	}

	if (IS_ENABLED(CONFIG_STATIC_KEY_DEBUGFS))
		static_key_show_sites(m, &tp->key.key);
}

static void tracepoints_show_kernel(struct tracepoint *tp, void *priv)
{
	struct tracepoints_query *query = priv;

	if ((unsigned long)tp == query->found)
		tracepoints_show_one(query->m, tp, NULL);
}

static void tracepoints_show_module(struct tracepoint *tp, struct module *mod,
				    void *priv)
{
	struct tracepoints_query *query = priv;

	/*
	 * for_each_module_tracepoint() holds the mutex of the list of modules.
	 */
	if ((unsigned long)tp == query->found)
		tracepoints_show_one(query->m, tp, mod);
}

static void *tracepoints_find(struct tracepoints_iter *iter,
			      unsigned long after)
{
	unsigned long tp = tracepoints_first_after(after);

	if (!tp)
		return NULL;
	iter->tp = tp;
	return iter;
}

static void *tracepoints_start(struct seq_file *m, loff_t *index)
{
	struct tracepoints_iter *iter = m->private;

	if (*index == 0 || *index != iter->index) {
		iter->index = 0;
		iter->tp = 0;
	}
	if (*index == 0)
		return SEQ_START_TOKEN;

	/* Needed after a seek only; otherwise iter->index == *index. */
	for (; iter->index < *index; iter->index++) {
		if (!tracepoints_find(iter, iter->tp))
			return NULL;
	}

	/*
	 * If the module of iter->tp was removed, this finds the next
	 * tracepoint.
	 */
	return tracepoints_find(iter, iter->tp - 1);
}

static void *tracepoints_next(struct seq_file *m, void *v, loff_t *index)
{
	struct tracepoints_iter *iter = m->private;

	iter->index = ++*index;
	if (tracepoints_find(iter, iter->tp))
		return iter;
	/* The next read must not show the last tracepoint again. */
	iter->tp++;
	return NULL;
}

static void tracepoints_stop(struct seq_file *m, void *v)
{
}

static int tracepoints_show(struct seq_file *m, void *v)
{
	struct tracepoints_iter *iter = m->private;
	struct tracepoints_query query = { .m = m };

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# state tracepoint [module]\n"
			    "#\tprobe priority function [module]\n");
		if (IS_ENABLED(CONFIG_STATIC_KEY_DEBUGFS))
			seq_puts(m,
				 "#\tsite address code language function+offset [module]\n");
		return 0;
	}

	query.found = iter->tp;
	for_each_kernel_tracepoint(tracepoints_show_kernel, &query);
	for_each_module_tracepoint(tracepoints_show_module, &query);
	return 0;
}

static const struct seq_operations tracepoints_ops = {
	.start	= tracepoints_start,
	.next	= tracepoints_next,
	.stop	= tracepoints_stop,
	.show	= tracepoints_show,
};

static int tracepoints_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &tracepoints_ops,
				sizeof(struct tracepoints_iter));
}

static const struct file_operations tracepoints_fops = {
	.owner		= THIS_MODULE,
	.open		= tracepoints_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static __init int tracepoints_init(void)
{
	debugfs_create_file("tracepoints", 0400, NULL, NULL, &tracepoints_fops);
	return 0;
}
fs_initcall(tracepoints_init);

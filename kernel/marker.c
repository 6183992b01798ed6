// SPDX-License-Identifier: GPL-2.0
/*
 * Markers: which probes are connected to which places.
 *
 * The struct markers that MARK() leaves in a section are those of the kernel and those of
 * each module. Nothing else is kept of a marker that has no probes. For each name that
 * has some, there is a struct marker_name, whether a marker has the name or not; it has
 * the array that all markers of the name share.
 *
 * Whoever hits a marker runs at the same time as all of this, in any context, on any CPU,
 * with preemption disabled; which is what an array that is not used any more waits for.
 * The array is there before the key is on and goes after the key is off, but as a CPU may
 * have passed the site before, it may find no array.
 *
 * marker_mutex protects everything else. The code is patched under it: it comes before
 * cpu_hotplug_lock and jump_label_mutex.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) "marker: " fmt

#include <linux/context_tracking.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/static_batch.h>
#include <linux/string.h>

extern struct marker __start___markers[], __stop___markers[];

/* A probe that is registered. */
struct marker_user {
	struct list_head		node;
	const struct marker_probe	*probe;
	void				*data;
};

/* What the markers of a name call, with one that has no function at the end. */
struct marker_calls {
	struct rcu_head			rcu;
	struct marker_probe_call	calls[];
};

/* A name that has probes. */
struct marker_name {
	struct list_head		node;
	/* In the order in which they were registered. */
	struct list_head		users;
	/* Those whose format is that of the markers; NULL if there are none. */
	struct marker_calls		*calls;
	char				name[];
};

/* A module that has markers. */
struct marker_module {
	struct list_head	node;
	struct module		*mod;
};

static DEFINE_MUTEX(marker_mutex);
static LIST_HEAD(marker_names);
static LIST_HEAD(marker_modules);

/* As rcu_is_watching(), which is a function with calls of its own. */
static __always_inline bool marker_rcu_is_watching(void)
{
#ifdef CONFIG_TREE_RCU
	return rcu_is_watching_curr_cpu();
#else
	return true;
#endif
}

/**
 * __mark_hit - call the probes of a marker
 * @marker: the marker
 *
 * What comes after @marker are the arguments of the marker. MARK() has checked them.
 *
 * Context: any, NMI included.
 */
void notrace __mark_hit(struct marker *marker, ...)
{
	const struct marker_probe_call *probe;
	struct marker_call call __uninitialized;

	call.marker = marker;
	call.ip = _RET_IP_;
	call.frame = __builtin_frame_address(0);
	preempt_disable_notrace();
	/* The grace period would not wait for this CPU. */
	if (unlikely(!marker_rcu_is_watching() ||
		     !cpu_online(raw_smp_processor_id())))
		goto out;
	probe = rcu_dereference_raw(marker->probes);
	for (; probe && probe->func; probe++) {
		va_start(call.args, marker);
		probe->func(probe->data, &call);
		va_end(call.args);
	}
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL(__mark_hit);

/* --- all markers ---------------------------------------------------------- */

static int marker_walk_range(struct marker *begin, struct marker *end,
			     struct module *mod, marker_fn fn, void *arg)
{
	int ret = 0;

	for (; begin < end && !ret; begin++)
		/* One that was refused has no name. */
		if (begin->name)
			ret = fn(begin, mod, arg);
	return ret;
}

#ifdef CONFIG_MODULES
static int marker_walk_module(struct module *mod, marker_fn fn, void *arg)
{
	return marker_walk_range(mod->markers, mod->markers + mod->num_markers,
				 mod, fn, arg);
}
#else
static int marker_walk_module(struct module *mod, marker_fn fn, void *arg)
{
	return 0;
}
#endif

static int marker_walk_all(marker_fn fn, void *arg)
{
	struct marker_module *pos;
	int ret;

	ret = marker_walk_range(__start___markers, __stop___markers, NULL,
				fn, arg);
	list_for_each_entry(pos, &marker_modules, node) {
		if (ret)
			break;
		ret = marker_walk_module(pos->mod, fn, arg);
	}
	return ret;
}

/**
 * marker_lock - keep markers, and the modules that have them, as they are
 *
 * Context: may sleep. Probes may not be registered or unregistered before
 *	marker_unlock().
 */
void marker_lock(void)
{
	mutex_lock(&marker_mutex);
}

/**
 * marker_unlock - the contrary of marker_lock()
 */
void marker_unlock(void)
{
	mutex_unlock(&marker_mutex);
}

/**
 * marker_for_each - look at all markers
 * @fn: called with each marker, its module or NULL, and @arg; a value other than 0
 *	ends it
 * @arg: for @fn
 *
 * Context: any that may sleep, between marker_lock() and marker_unlock().
 * Return: what @fn returned, or 0.
 */
int marker_for_each(marker_fn fn, void *arg)
{
	lockdep_assert_held(&marker_mutex);
	return marker_walk_all(fn, arg);
}

static int marker_find(struct marker *marker, struct module *mod, void *arg)
{
	struct marker **wanted = arg;

	if (strcmp(marker->name, (*wanted)->name))
		return 0;
	*wanted = marker;
	return 1;
}

/* All of a name have the same format. */
static const char *marker_format_of(const char *name)
{
	struct marker like = { .name = name }, *found = &like;

	return marker_walk_all(marker_find, &found) ? found->format : NULL;
}

/**
 * marker_get_format - the format of a marker
 * @name: of the marker
 *
 * Context: may sleep.
 * Return: a copy for the caller to free, NULL if there is no marker of this name, or
 *	ERR_PTR(-ENOMEM).
 */
char *marker_get_format(const char *name)
{
	const char *format;
	char *copy;

	guard(mutex)(&marker_mutex);
	format = marker_format_of(name);
	if (!format)
		return NULL;
	copy = kstrdup(format, GFP_KERNEL);
	return copy ?: ERR_PTR(-ENOMEM);
}

/**
 * marker_has_format - whether there is a marker of this name and format
 * @name: of the marker
 * @format: of the marker
 *
 * Context: may sleep.
 * Return: whether there is.
 */
bool marker_has_format(const char *name, const char *format)
{
	const char *found;

	guard(mutex)(&marker_mutex);
	found = marker_format_of(name);
	return found && !strcmp(found, format);
}

#ifdef CONFIG_JUMP_LABEL

static unsigned int marker_count_sites(const struct marker *marker,
				       struct jump_entry *entry,
				       struct jump_entry *end, bool started)
{
	unsigned int nr = 0;

	/* What code only has for its start is there no longer after it. */
	for (; entry < end; entry++)
		if (jump_entry_key(entry) == &marker->key.key &&
		    !(started && jump_entry_is_init(entry)))
			nr++;
	return nr;
}

#ifdef CONFIG_MODULES
static unsigned int marker_count_sites_in_module(const struct marker *marker,
						 struct module *mod)
{
	return marker_count_sites(marker, mod->jump_entries,
				  mod->jump_entries + mod->num_jump_entries,
				  mod->state == MODULE_STATE_LIVE);
}
#else
static unsigned int marker_count_sites_in_module(const struct marker *marker,
						 struct module *mod)
{
	return 0;
}
#endif

/**
 * marker_nr_sites - how often the compiler has placed a marker
 * @marker: the marker
 * @mod: its module, NULL if it is the kernel's
 *
 * Context: any, between marker_lock() and marker_unlock().
 * Return: the number of sites. Without CONFIG_JUMP_LABEL, where nothing is recorded of
 *	a site, it is 1.
 */
unsigned int marker_nr_sites(const struct marker *marker, struct module *mod)
{
	if (mod)
		return marker_count_sites_in_module(marker, mod);
	return marker_count_sites(marker, __start___jump_table,
				  __stop___jump_table,
				  system_state >= SYSTEM_FREEING_INITMEM);
}

#else

unsigned int marker_nr_sites(const struct marker *marker, struct module *mod)
{
	return 1;
}

#endif

/* --- probes --------------------------------------------------------------- */

static struct marker_name *marker_find_name(const char *name)
{
	struct marker_name *pos;

	list_for_each_entry(pos, &marker_names, node)
		if (!strcmp(pos->name, name))
			return pos;
	return NULL;
}

static struct marker_name *marker_get_name(const char *name)
{
	struct marker_name *found = marker_find_name(name);
	size_t size = strlen(name) + 1;

	if (found)
		return found;
	found = kzalloc(struct_size(found, name, size), GFP_KERNEL);
	if (!found)
		return NULL;
	memcpy(found->name, name, size);
	INIT_LIST_HEAD(&found->users);
	list_add(&found->node, &marker_names);
	return found;
}

static void marker_put_name(struct marker_name *name)
{
	if (!list_empty(&name->users))
		return;
	list_del(&name->node);
	kfree(name);
}

static bool marker_user_fits(const struct marker_user *user, const char *format)
{
	return !user->probe->format || !strcmp(user->probe->format, format);
}

/* Returns NULL if nothing is to be called. */
static struct marker_calls *marker_make_calls(struct marker_name *name,
					      gfp_t gfp)
{
	const char *format = marker_format_of(name->name);
	struct marker_probe_call *to;
	struct marker_calls *calls;
	struct marker_user *user;
	unsigned int nr = 0;

	if (!format)
		return NULL;
	list_for_each_entry(user, &name->users, node)
		nr += marker_user_fits(user, format);
	if (!nr)
		return NULL;
	calls = kzalloc(struct_size(calls, calls, nr + 1), gfp);
	if (!calls)
		return ERR_PTR(-ENOMEM);
	to = calls->calls;
	list_for_each_entry(user, &name->users, node)
		if (marker_user_fits(user, format))
			*to++ = (struct marker_probe_call) {
				.func = user->probe->func, .data = user->data,
			};
	return calls;
}

static int marker_set_calls(struct marker *marker, struct module *mod,
			    void *arg)
{
	struct marker_name *name = arg;

	if (strcmp(marker->name, name->name))
		return 0;
	if (!name->calls)
		static_branch_disable(&marker->key);
	/* Pairs with the dependency in __mark_hit(). */
	rcu_assign_pointer(marker->probes, name->calls ? name->calls->calls : NULL);
	if (name->calls)
		static_branch_enable(&marker->key);
	return 0;
}

/*
 * After the probes of a name or the markers that have it have changed. The old array is
 * freed after a grace period. Returns 0 or -ENOMEM, when all is as it was.
 */
static int marker_update(struct marker_name *name, gfp_t gfp)
{
	struct marker_calls *old = name->calls;
	struct marker_calls *new = marker_make_calls(name, gfp);
	struct static_batch batch;

	if (IS_ERR(new))
		return PTR_ERR(new);
	name->calls = new;
	static_batch_begin(&batch);
	marker_walk_all(marker_set_calls, name);
	static_batch_end(&batch);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

static struct marker_user *
marker_find_user(struct marker_name *name, const struct marker_probe *probe,
		 void *data)
{
	struct marker_user *user;

	list_for_each_entry(user, &name->users, node)
		if (user->probe == probe && user->data == data)
			return user;
	return NULL;
}

static int marker_add_user(struct marker_name *name,
			   const struct marker_probe *probe, void *data)
{
	struct marker_user *user;
	int ret;

	if (marker_find_user(name, probe, data))
		return -EEXIST;
	user = kzalloc(sizeof(*user), GFP_KERNEL);
	if (!user)
		return -ENOMEM;
	user->probe = probe;
	user->data = data;
	list_add_tail(&user->node, &name->users);
	ret = marker_update(name, GFP_KERNEL);
	if (ret) {
		list_del(&user->node);
		kfree(user);
	}
	return ret;
}

/**
 * marker_probe_register - connect a probe to all markers of a name
 * @name: of the markers; there may be none yet, or there may be more later
 * @probe: the probe; it must stay until it is unregistered
 * @data: for the probe. A probe may be registered several times with different data.
 *
 * If a marker that comes with a module later has another format than @probe wants, it does
 * not call the probe.
 *
 * Context: may sleep; takes locks that are taken to patch code. Not for probes.
 * Return: 0, -EINVAL if @name is too long or empty, or if markers have another format than
 *	@probe, -EEXIST if it is registered with this @data already, or -ENOMEM.
 */
int marker_probe_register(const char *name, const struct marker_probe *probe, void *data)
{
	struct marker_name *entry;
	const char *format;
	int ret;

	if (!*name || strlen(name) >= MARKER_MAX_NAME)
		return -EINVAL;
	guard(mutex)(&marker_mutex);
	format = marker_format_of(name);
	if (format && probe->format && strcmp(format, probe->format))
		return -EINVAL;
	entry = marker_get_name(name);
	if (!entry)
		return -ENOMEM;
	ret = marker_add_user(entry, probe, data);
	if (ret)
		marker_put_name(entry);
	return ret;
}
EXPORT_SYMBOL_GPL(marker_probe_register);

/**
 * marker_probe_unregister_nosync - as marker_probe_unregister(), but do not wait
 * @name: as it was given to marker_probe_register()
 * @probe: as well
 * @data: as well
 *
 * The probe may still be running. For those who unregister many, and wait once.
 *
 * Context: may sleep; takes locks that are taken to patch code. Not for probes.
 * Return: 0, or -ENOENT if it is not registered.
 */
int marker_probe_unregister_nosync(const char *name, const struct marker_probe *probe,
				   void *data)
{
	struct marker_name *entry;
	struct marker_user *user;

	guard(mutex)(&marker_mutex);
	entry = marker_find_name(name);
	user = entry ? marker_find_user(entry, probe, data) : NULL;
	if (!user)
		return -ENOENT;
	list_del(&user->node);
	kfree(user);
	/* There is no way back from here, and it is but a few words. */
	marker_update(entry, GFP_KERNEL | __GFP_NOFAIL);
	marker_put_name(entry);
	return 0;
}

/**
 * marker_probe_unregister - the contrary of marker_probe_register()
 * @name: as it was given to marker_probe_register()
 * @probe: as well
 * @data: as well
 *
 * No CPU is in the probe, with this data, when this returns.
 *
 * Context: may sleep; takes locks that are taken to patch code. Not for probes.
 * Return: 0, or -ENOENT if it is not registered.
 */
int marker_probe_unregister(const char *name, const struct marker_probe *probe, void *data)
{
	int ret = marker_probe_unregister_nosync(name, probe, data);

	if (!ret)
		synchronize_rcu();
	return ret;
}
EXPORT_SYMBOL_GPL(marker_probe_unregister);

/* --- the kernel's and the modules' ---------------------------------------- */

/* Whether there is a marker of this name with another format before this one. */
static int marker_check_format(struct marker *marker, struct module *mod,
			       void *arg)
{
	struct marker *wanted = arg;

	if (marker == wanted)
		return 1;
	if (strcmp(marker->name, wanted->name) || !strcmp(marker->format, wanted->format))
		return 0;
	pr_err("%s: \"%s\" is another format than \"%s\"\n", wanted->name, wanted->format,
	       marker->format);
	return -EINVAL;
}

/*
 * What no build has found, because it is in several files. Before anybody can have
 * registered a probe.
 */
static int __init marker_check_all(void)
{
	struct marker *marker;

	guard(mutex)(&marker_mutex);
	for (marker = __start___markers; marker < __stop___markers; marker++)
		if (marker_walk_all(marker_check_format, marker) < 0)
			marker->name = NULL;
	return 0;
}
early_initcall(marker_check_all);

#ifdef CONFIG_MODULES

static int marker_check_module_marker(struct marker *marker, struct module *mod,
				      void *arg)
{
	int ret = marker_walk_all(marker_check_format, marker);

	return ret < 0 ? ret : 0;
}

static int marker_has_name(struct marker *marker, struct module *mod, void *arg)
{
	return !strcmp(marker->name, arg);
}

static void marker_warn_of_formats(struct marker_name *name)
{
	const char *format = marker_format_of(name->name);
	struct marker_user *user;

	list_for_each_entry(user, &name->users, node)
		if (!marker_user_fits(user, format))
			pr_warn("%s: format is \"%s\", not \"%s\" as of a probe\n", name->name,
				format, user->probe->format);
}

static int marker_module_comes(struct module *mod)
{
	struct marker_module *entry;
	struct marker_name *name;
	int ret;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->mod = mod;
	list_add_tail(&entry->node, &marker_modules);
	ret = marker_walk_module(mod, marker_check_module_marker, NULL);
	list_for_each_entry(name, &marker_names, node) {
		if (ret)
			break;
		if (!marker_walk_module(mod, marker_has_name, name->name))
			continue;
		marker_warn_of_formats(name);
		ret = marker_update(name, GFP_KERNEL);
	}
	if (ret) {
		pr_err("module %s is refused\n", mod->name);
		list_del(&entry->node);
		kfree(entry);
	}
	return ret;
}

static void marker_module_goes(struct module *mod)
{
	struct marker_module *pos, *next;

	list_for_each_entry_safe(pos, next, &marker_modules, node) {
		if (pos->mod != mod)
			continue;
		/* Its keys go with it; arrays stay for when it comes back. */
		list_del(&pos->node);
		kfree(pos);
	}
}

static int marker_module_notify(struct notifier_block *nb, unsigned long state,
				void *data)
{
	struct module *mod = data;
	int ret = 0;

	if (!mod->num_markers)
		return NOTIFY_OK;
	mutex_lock(&marker_mutex);
	if (state == MODULE_STATE_COMING)
		ret = marker_module_comes(mod);
	else if (state == MODULE_STATE_GOING)
		marker_module_goes(mod);
	mutex_unlock(&marker_mutex);
	return notifier_from_errno(ret);
}

/* After that of static keys, which has priority 1, and before that of marker events. */
static struct notifier_block module_nb = {
	.notifier_call = marker_module_notify,
};

static int __init marker_watch_modules(void)
{
	return register_module_notifier(&module_nb);
}
early_initcall(marker_watch_modules);

#endif

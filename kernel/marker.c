// SPDX-License-Identifier: GPL-2.0
/*
 * Markers: the registry of markers and of the probes that are registered for
 * them.
 *
 * Each MARK() leaves a struct marker in the section __markers of the kernel or
 * of its module. Nothing else is stored for a marker without probes. Each name
 * that has registered probes has a struct marker_name, whether or not a marker
 * of that name exists; it owns the probe array that all markers of the name
 * share.
 *
 * Markers are hit concurrently with all of this, in any context, on any CPU,
 * with preemption disabled. A probe array that has been replaced is therefore
 * freed after a grace period. marker->probes is set before the key is enabled
 * and cleared before the key is disabled, so a CPU that has passed the site may
 * find it NULL.
 *
 * Code is patched for each change of a probe array, or by marker_batch_end() for
 * all changes that a task has made since marker_batch_begin().
 *
 * marker_mutex protects everything else. Code is patched under it: it comes
 * before cpu_hotplug_lock and jump_label_mutex in the lock order.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) "marker: " fmt

#include <linux/context_tracking.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

extern struct marker __start___markers[], __stop___markers[];

/* A registered probe and its data. */
struct marker_registered_probe {
	struct list_head		node;
	const struct marker_probe	*probe;
	void				*data;
};

/*
 * The probes that the markers of a name call, terminated by one without func.
 */
struct marker_probe_array {
	struct rcu_head			rcu;
	struct marker_probe_call	probes[];
};

/* A marker name with registered probes. */
struct marker_name {
	struct list_head		node;
	/* Of struct marker_registered_probe, in the order of registration. */
	struct list_head		probes;
	/* The probes whose format matches; NULL if there are none. */
	struct marker_probe_array	*array;
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
/* The markers of the kernel image, by name. */
static struct marker **marker_sorted;
static unsigned int marker_nr_sorted;
/* The task between marker_batch_begin() and marker_batch_end(), or NULL. */
static struct task_struct *marker_batch_task;
static bool marker_batch_pending;

/* rcu_is_watching(), inlined. */
static __always_inline bool marker_rcu_is_watching(void)
{
#ifdef CONFIG_TREE_RCU
	return rcu_is_watching_curr_cpu();
#else
	return true;
#endif
}

/**
 * __mark_hit() - call the probes of a marker
 * @marker: the marker
 *
 * The variable arguments are those of the marker; MARK() has checked their
 * types.
 *
 * Context: Any context, NMI included.
 */
void notrace __mark_hit(struct marker *marker, ...)
{
	const struct marker_probe_call *probe;
	struct marker_call call __uninitialized;

	call.marker = marker;
	call.ip = _RET_IP_;
	call.frame = __builtin_frame_address(0);
	preempt_disable_notrace();

	/*
	 * RCU does not wait for this CPU: the probes may be freed while they
	 * run.
	 */
	if (unlikely(!marker_rcu_is_watching() ||
		     !cpu_online(raw_smp_processor_id())))
		goto out;

	/*
	 * Here the compiler knows where they are. Those that the marker does not have
	 * are what is in their registers.
	 */
	if (IS_ENABLED(CONFIG_64BIT)) {
		va_start(call.args, marker);
		for (int i = 0; i < MARKER_NR_FIRST; i++)
			call.first[i] = va_arg(call.args, unsigned long);
		va_end(call.args);
	}

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

struct marker_name_walk {
	const char	*name;
	marker_fn	fn;
	void		*arg;
};

static int marker_call_if_named(struct marker *marker, struct module *mod,
				void *arg)
{
	struct marker_name_walk *walk = arg;

	return strcmp(marker->name, walk->name) ? 0 :
		walk->fn(marker, mod, walk->arg);
}

#ifdef CONFIG_MODULES
static int marker_walk_module(struct module *mod, marker_fn fn, void *arg)
{
	int ret = 0;

	for (unsigned int i = 0; i < mod->num_markers && !ret; i++)
		/* marker_check() clears the name of a marker that clashes. */
		if (mod->markers[i].name)
			ret = fn(&mod->markers[i], mod, arg);
	return ret;
}
#else
static int marker_walk_module(struct module *mod, marker_fn fn, void *arg)
{
	return 0;
}
#endif

/* The markers of a module that have this name. */
static int marker_walk_module_name(struct module *mod, const char *name,
				   marker_fn fn, void *arg)
{
	struct marker_name_walk walk = { .name = name, .fn = fn, .arg = arg };

	return marker_walk_module(mod, marker_call_if_named, &walk);
}

static int marker_walk_all(marker_fn fn, void *arg)
{
	struct marker_module *pos;
	int ret = 0;

	for (unsigned int i = 0; i < marker_nr_sorted && !ret; i++)
		ret = fn(marker_sorted[i], NULL, arg);
	list_for_each_entry(pos, &marker_modules, node) {
		if (ret)
			break;
		ret = marker_walk_module(pos->mod, fn, arg);
	}
	return ret;
}

/* As marker_walk_all(), for the markers of a name. */
static int marker_walk_name(const char *name, marker_fn fn, void *arg)
{
	unsigned int begin = 0, end = marker_nr_sorted;
	struct marker_module *pos;
	struct marker *marker;
	int ret = 0;

	while (begin < end) {
		unsigned int middle = begin + (end - begin) / 2;

		if (strcmp(marker_sorted[middle]->name, name) < 0)
			begin = middle + 1;
		else
			end = middle;
	}

	for (; begin < marker_nr_sorted && !ret; begin++) {
		marker = marker_sorted[begin];
		if (strcmp(marker->name, name))
			break;
		ret = fn(marker, NULL, arg);
	}

	list_for_each_entry(pos, &marker_modules, node) {
		if (ret)
			break;
		ret = marker_walk_module_name(pos->mod, name, fn, arg);
	}

	return ret;
}

/**
 * marker_lock() - lock the list of markers
 *
 * Markers and their modules stay until marker_unlock().
 *
 * Context: Process context. May sleep. Probes must not be registered or
 *	unregistered before marker_unlock().
 */
void marker_lock(void)
{
	mutex_lock(&marker_mutex);
}

/**
 * marker_unlock() - unlock the list of markers
 */
void marker_unlock(void)
{
	mutex_unlock(&marker_mutex);
}

/**
 * marker_for_each() - call a function for all markers
 * @fn: called with each marker, its module or NULL, and @arg; a value other
 *	than 0 ends the iteration
 * @arg: passed to @fn
 *
 * Those of the kernel come first, in the order of their names.
 *
 * Context: Process context, between marker_lock() and marker_unlock().
 * Return: the value of @fn that ended the iteration, or 0.
 */
int marker_for_each(marker_fn fn, void *arg)
{
	lockdep_assert_held(&marker_mutex);
	return marker_walk_all(fn, arg);
}

static int marker_get_first(struct marker *marker, struct module *mod,
			    void *arg)
{
	*(struct marker **)arg = marker;
	return 1;
}

/**
 * marker_is_first() - check whether a marker is the first of its name
 * @marker: the marker
 * @mod: its module, NULL if it is in the kernel image
 *
 * Context: Process context, between marker_lock() and marker_unlock().
 * Return: true if it is the first in the kernel image or in its module.
 */
bool marker_is_first(struct marker *marker, struct module *mod)
{
	struct marker *first = NULL;

	if (mod)
		marker_walk_module_name(mod, marker->name, marker_get_first, &first);
	else
		marker_walk_name(marker->name, marker_get_first, &first);
	return first == marker;
}

/* All markers of a name have the same format. */
static const char *marker_find_format(const char *name)
{
	struct marker *first = NULL;

	marker_walk_name(name, marker_get_first, &first);
	return first ? first->format : NULL;
}

/**
 * marker_get_format() - copy the format of a marker
 * @name: of the marker
 *
 * Context: Process context. May sleep.
 * Return: a copy that the caller frees, NULL if there is no marker of this
 *	name, or ERR_PTR(-ENOMEM).
 */
char *marker_get_format(const char *name)
{
	const char *format;
	char *copy;

	guard(mutex)(&marker_mutex);
	format = marker_find_format(name);
	if (!format)
		return NULL;
	copy = kstrdup(format, GFP_KERNEL);
	return copy ?: ERR_PTR(-ENOMEM);
}

/**
 * marker_has_format() - check that a marker of this name and format exists
 * @name: of the marker
 * @format: of the marker
 *
 * Context: Process context. May sleep.
 * Return: true if there is such a marker, false otherwise.
 */
bool marker_has_format(const char *name, const char *format)
{
	const char *found;

	guard(mutex)(&marker_mutex);
	found = marker_find_format(name);
	return found && !strcmp(found, format);
}

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
	INIT_LIST_HEAD(&found->probes);
	list_add(&found->node, &marker_names);
	return found;
}

static void marker_put_name(struct marker_name *name)
{
	if (!list_empty(&name->probes))
		return;
	list_del(&name->node);
	kfree(name);
}

static bool marker_probe_fits(const struct marker_registered_probe *reg,
			      const char *format)
{
	return !reg->probe->format || !strcmp(reg->probe->format, format);
}

/* Returns NULL if no registered probe matches. */
static struct marker_probe_array *
marker_make_probe_array(struct marker_name *name, gfp_t gfp)
{
	const char *format = marker_find_format(name->name);
	struct marker_probe_call *to;
	struct marker_probe_array *array;
	struct marker_registered_probe *reg;
	unsigned int nr = 0;

	if (!format)
		return NULL;

	list_for_each_entry(reg, &name->probes, node)
		nr += marker_probe_fits(reg, format);
	if (!nr)
		return NULL;

	array = kzalloc(struct_size(array, probes, nr + 1), gfp);
	if (!array)
		return ERR_PTR(-ENOMEM);

	to = array->probes;
	list_for_each_entry(reg, &name->probes, node)
		if (marker_probe_fits(reg, format))
			*to++ = (struct marker_probe_call) {
				.func = reg->probe->func, .data = reg->data,
			};

	return array;
}

static int marker_set_probe_array(struct marker *marker, struct module *mod,
				  void *arg)
{
	struct marker_name *name = arg;

	/* Pairs with the dependency in __mark_hit(). */
	rcu_assign_pointer(marker->probes,
			   name->array ? name->array->probes : NULL);
	return 0;
}

/* The caller holds cpus_read_lock() and jump_label_lock(). */
static int marker_queue_key(struct marker *marker, struct module *mod,
			    void *arg)
{
	static_key_queue(&marker->key.key, rcu_access_pointer(marker->probes));
	return 0;
}

/* Patch the sites of the markers of a name or, if it is NULL, of all. */
static void marker_patch(const char *name)
{
	cpus_read_lock();
	jump_label_lock();
	if (name)
		marker_walk_name(name, marker_queue_key, NULL);
	else
		marker_walk_all(marker_queue_key, NULL);
	jump_label_apply();
	jump_label_unlock();
	cpus_read_unlock();
}

/*
 * Called after the probes of @name, or the markers of that name, have changed.
 * The old array is freed after a grace period. Returns 0, or -ENOMEM with
 * nothing changed.
 */
static int marker_update(struct marker_name *name, gfp_t gfp)
{
	struct marker_probe_array *old = name->array;
	struct marker_probe_array *new = marker_make_probe_array(name, gfp);

	if (IS_ERR(new))
		return PTR_ERR(new);

	name->array = new;
	marker_walk_name(name->name, marker_set_probe_array, name);

	if (marker_batch_task == current)
		marker_batch_pending = true;
	else
		marker_patch(name->name);

	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/**
 * marker_batch_begin() - have the sites of many markers patched together
 *
 * Sites are patched by marker_batch_end() for probes that the calling task
 * registers and unregisters until then. Until they are, a marker that gets its
 * first probe is not hit; one that has lost its last calls none.
 *
 * Context: Process context, event_mutex is held until after marker_batch_end().
 *	May sleep.
 */
void marker_batch_begin(void)
{
	guard(mutex)(&marker_mutex);
	WARN_ON_ONCE(marker_batch_task);
	marker_batch_task = current;
}

/**
 * marker_batch_end() - patch the sites of the batch
 *
 * Context: Process context. May sleep. Takes locks that are taken to patch
 *	code.
 */
void marker_batch_end(void)
{
	guard(mutex)(&marker_mutex);
	marker_batch_task = NULL;
	if (marker_batch_pending)
		marker_patch(NULL);
	marker_batch_pending = false;
}

static struct marker_registered_probe *
marker_find_probe(struct marker_name *name, const struct marker_probe *probe,
		  void *data)
{
	struct marker_registered_probe *reg;

	list_for_each_entry(reg, &name->probes, node)
		if (reg->probe == probe && reg->data == data)
			return reg;
	return NULL;
}

static int marker_add_probe(struct marker_name *name,
			    const struct marker_probe *probe, void *data)
{
	struct marker_registered_probe *reg;
	int ret;

	if (marker_find_probe(name, probe, data))
		return -EEXIST;

	reg = kzalloc_obj(*reg);
	if (!reg)
		return -ENOMEM;

	reg->probe = probe;
	reg->data = data;
	list_add_tail(&reg->node, &name->probes);

	ret = marker_update(name, GFP_KERNEL);
	if (ret) {
		list_del(&reg->node);
		kfree(reg);
	}
	return ret;
}

/**
 * marker_probe_register() - register a probe for all markers of a name
 * @name: of the markers; modules with such markers may be loaded later
 * @probe: the probe; it must stay until it is unregistered
 * @data: passed to the probe. A probe may be registered more than once with
 *	different data.
 *
 * A marker of a module that is loaded later and has another format than @probe
 * does not call the probe. If @probe, its function or @data are in a module,
 * and are still registered when the module is removed, or when its init
 * function has failed, the log says so, and the probe is unregistered.
 *
 * Context: Process context. May sleep. Takes locks that are taken to patch
 *	code. Not for probes.
 * Return: 0 on success, -EINVAL if @name is too long or empty or if the markers
 *	have another format than @probe, -EEXIST if @probe is registered with
 *	this @data already, -ENOMEM otherwise.
 */
int marker_probe_register(const char *name, const struct marker_probe *probe,
			  void *data)
{
	struct marker_name *entry;
	const char *format;
	int ret;

	if (!*name || strlen(name) >= MARKER_MAX_NAME)
		return -EINVAL;

	guard(mutex)(&marker_mutex);
	format = marker_find_format(name);
	if (format && probe->format && strcmp(format, probe->format))
		return -EINVAL;

	entry = marker_get_name(name);
	if (!entry)
		return -ENOMEM;

	ret = marker_add_probe(entry, probe, data);
	if (ret)
		marker_put_name(entry);
	return ret;
}
EXPORT_SYMBOL_GPL(marker_probe_register);

/**
 * marker_probe_unregister_nosync() - unregister a probe without waiting
 * @name: as it was given to marker_probe_register()
 * @probe: as well
 * @data: as well
 *
 * The probe may still be running on return: callers that unregister many probes
 * wait once, for a grace period of RCU.
 *
 * Context: Process context. May sleep. Takes locks that are taken to patch
 *	code. Not for probes.
 * Return: 0 on success, -ENOENT if the probe is not registered.
 */
int marker_probe_unregister_nosync(const char *name,
				   const struct marker_probe *probe, void *data)
{
	struct marker_name *entry;
	struct marker_registered_probe *reg;

	guard(mutex)(&marker_mutex);
	entry = marker_find_name(name);
	reg = entry ? marker_find_probe(entry, probe, data) : NULL;
	if (!reg)
		return -ENOENT;

	list_del(&reg->node);
	kfree(reg);
	/*
	 * Unregistering must not fail; the array is small enough for
	 * __GFP_NOFAIL.
	 */
	marker_update(entry, GFP_KERNEL | __GFP_NOFAIL);
	marker_put_name(entry);
	return 0;
}

/**
 * marker_probe_unregister() - unregister a probe
 * @name: as it was given to marker_probe_register()
 * @probe: as well
 * @data: as well
 *
 * On return, no CPU runs the probe with this data any more.
 *
 * Context: Process context. May sleep. Takes locks that are taken to patch
 *	code. Not for probes.
 * Return: 0 on success, -ENOENT if the probe is not registered.
 */
int marker_probe_unregister(const char *name, const struct marker_probe *probe,
			    void *data)
{
	int ret = marker_probe_unregister_nosync(name, probe, data);

	if (!ret)
		synchronize_rcu();
	return ret;
}
EXPORT_SYMBOL_GPL(marker_probe_unregister);

/*
 * marker_walk_name() callback. -EINVAL if a marker before @arg has the name of
 * @arg and another format, 1 when @arg itself is reached.
 */
static int marker_check_format(struct marker *marker, struct module *mod,
			       void *arg)
{
	struct marker *wanted = arg;

	if (marker == wanted)
		return 1;
	if (!strcmp(marker->format, wanted->format))
		return 0;
	pr_warn("%s: \"%s\" is another format than \"%s\"; a marker is left out\n",
		wanted->name, wanted->format, marker->format);
	return -EINVAL;
}

/*
 * All markers of a name have the format of the first. Take the name away from
 * one that has another format, so that it is never enabled; a debugging aid is
 * no reason to refuse a driver.
 */
static int marker_check(struct marker *marker, struct module *mod, void *arg)
{
	if (marker_walk_name(marker->name, marker_check_format, marker) < 0)
		marker->name = NULL;
	return 0;
}

/*
 * Sort by name, and markers of one name by address, which is the order of the
 * section.
 */
static int __init marker_compare(const void *a, const void *b)
{
	const struct marker *x = *(const struct marker **)a,
			    *y = *(const struct marker **)b;

	return strcmp(x->name, y->name) ?: cmp_int(x, y);
}

/*
 * The assembler compares formats within a file only, so compare them across
 * files. Runs before any probe can be registered.
 */
static int __init marker_check_all(void)
{
	unsigned int nr = __stop___markers - __start___markers;
	struct marker **sorted =
		kvmalloc_array(nr, sizeof(*sorted), GFP_KERNEL | __GFP_NOFAIL);

	guard(mutex)(&marker_mutex);
	for (unsigned int i = 0; i < nr; i++)
		sorted[i] = __start___markers + i;
	sort(sorted, nr, sizeof(*sorted), marker_compare, NULL);
	marker_sorted = sorted;

	/*
	 * marker_check() compares with the markers before sorted[i], which are
	 * in marker_sorted.
	 */
	for (unsigned int i = 0; i < nr; i++) {
		marker_check(sorted[i], NULL, NULL);
		if (sorted[i]->name)
			marker_sorted[marker_nr_sorted++] = sorted[i];
	}

	return 0;
}
early_initcall(marker_check_all);

#ifdef CONFIG_MODULES

static int marker_stop(struct marker *marker, struct module *mod, void *arg)
{
	return 1;
}

static bool marker_module_has_name(struct module *mod, const char *name)
{
	return marker_walk_module_name(mod, name, marker_stop, NULL);
}

static void marker_warn_mismatch(struct marker_name *name)
{
	const char *format = marker_find_format(name->name);
	struct marker_registered_probe *reg;

	list_for_each_entry(reg, &name->probes, node)
		if (!marker_probe_fits(reg, format))
			pr_warn("%s: format is \"%s\", not \"%s\" as of a probe\n",
				name->name, format, reg->probe->format);
}

static int marker_module_coming(struct module *mod)
{
	struct marker_module *entry;
	struct marker_name *name;
	int ret = 0;

	entry = kzalloc_obj(*entry);
	if (!entry)
		return -ENOMEM;

	entry->mod = mod;
	list_add_tail(&entry->node, &marker_modules);
	marker_walk_module(mod, marker_check, NULL);

	list_for_each_entry(name, &marker_names, node) {
		if (ret)
			break;
		if (marker_module_has_name(mod, name->name))
			ret = marker_update(name, GFP_KERNEL);
	}

	if (ret) {
		pr_err("module %s is refused\n", mod->name);
		list_del(&entry->node);
		kfree(entry);
	}
	return ret;
}

static int marker_clear_probes(struct marker *marker, struct module *mod,
			       void *arg)
{
	RCU_INIT_POINTER(marker->probes, NULL);
	return 0;
}

static void marker_module_going(struct module *mod)
{
	struct marker_module *pos, *next;

	list_for_each_entry_safe(pos, next, &marker_modules, node) {
		if (pos->mod != mod)
			continue;

		/*
		 * The keys of the module go with it. Probe arrays stay for when
		 * it is loaded again, but are not updated here any more, and
		 * async_schedule() may have the module run a little longer.
		 */
		marker_walk_module(mod, marker_clear_probes, NULL);
		list_del(&pos->node);
		kfree(pos);
	}
}

/* True if calling the probe would need the memory of @mod. */
static bool marker_probe_is_in(const struct marker_registered_probe *reg,
			       const struct module *mod)
{
	return within_module((unsigned long)reg->probe, mod) ||
	       within_module((unsigned long)reg->probe->func, mod) ||
	       within_module((unsigned long)reg->data, mod);
}

/* Unregister the probes of a name that are in @mod; true if there were any. */
static bool marker_drop_module_probes(struct marker_name *name,
				      struct module *mod)
{
	struct marker_registered_probe *reg, *next;
	bool dropped = false;

	list_for_each_entry_safe(reg, next, &name->probes, node) {
		if (!marker_probe_is_in(reg, mod))
			continue;

		pr_warn("module %s goes with a probe for %s still registered\n",
			mod->name, name->name);
		list_del(&reg->node);
		kfree(reg);
		dropped = true;
	}

	if (dropped) {
		/* As in marker_probe_unregister_nosync(). */
		marker_update(name, GFP_KERNEL | __GFP_NOFAIL);
		marker_put_name(name);
	}
	return dropped;
}

/*
 * Unregister what a module should have unregistered in its exit function, or
 * when its init function failed.
 */
static void marker_drop_probes(struct module *mod)
{
	struct marker_name *name, *next;
	bool dropped = false;

	list_for_each_entry_safe(name, next, &marker_names, node)
		dropped |= marker_drop_module_probes(name, mod);
	/* A CPU may still run one of them. */
	if (dropped)
		synchronize_rcu();
}

/* Not if the module was forced in: its struct marker may be another one. */
static bool marker_has_markers(const struct module *mod)
{
	return mod->num_markers && !test_bit(TAINT_FORCED_MODULE, &mod->taints);
}

static int marker_module_notify(struct notifier_block *nb, unsigned long state,
				void *data)
{
	struct module *mod = data;
	int ret = 0;

	/* A module without markers may have probes. */
	if (!marker_has_markers(mod) && state != MODULE_STATE_GOING)
		return NOTIFY_OK;

	mutex_lock(&marker_mutex);
	if (state == MODULE_STATE_COMING) {
		ret = marker_module_coming(mod);
	} else if (state == MODULE_STATE_GOING) {
		/*
		 * First, while marker_update() still finds the markers of the
		 * module.
		 */
		marker_drop_probes(mod);
		marker_module_going(mod);
	}
	mutex_unlock(&marker_mutex);
	return notifier_from_errno(ret);
}

/*
 * Priority 0: after the notifier of jump_label.c, which has priority 1, and
 * before that of trace_marker_event.c, which has -1.
 */
static struct notifier_block marker_module_nb = {
	.notifier_call = marker_module_notify,
};

static int marker_module_warn(struct notifier_block *nb, unsigned long state,
			      void *data)
{
	struct module *mod = data;
	struct marker_name *name;

	if (state != MODULE_STATE_COMING || !marker_has_markers(mod))
		return NOTIFY_OK;
	guard(mutex)(&marker_mutex);
	list_for_each_entry(name, &marker_names, node)
		if (marker_module_has_name(mod, name->name))
			marker_warn_mismatch(name);
	return NOTIFY_OK;
}

/*
 * Priority -2: after trace_marker_event.c, whose events may use other markers
 * now.
 */
static struct notifier_block marker_warn_nb = {
	.notifier_call = marker_module_warn,
	.priority = -2,
};

static int __init marker_watch_modules(void)
{
	return register_module_notifier(&marker_module_nb) ?:
	       register_module_notifier(&marker_warn_nb);
}
early_initcall(marker_watch_modules);

#endif

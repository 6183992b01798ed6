// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the events of modules, and of others that come while the kernel runs.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) "trace events: " fmt

#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "trace.h"

/**
 * trace_event_exists() - whether there is an event
 * @system: its system
 * @name: its name
 *
 * Context: Any. The caller holds event_mutex, which keeps the list of events as it is.
 * Return: whether there is.
 */
bool trace_event_exists(const char *system, const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);

	list_for_each_entry(call, &ftrace_events, list) {
		if (call->class && !strcmp(call->class->system, system) &&
		    !strcmp(trace_event_name(call), name))
			return true;
	}
	return false;
}

#ifdef CONFIG_MODULES

/**
 * trace_module_check_events() - refuse a module whose events exist already
 * @mod: the module, which is being loaded and has not registered its events
 *
 * In the kernel and within a module, the linker finds two events of one name.
 * Here nobody else would: they would share a directory in tracefs, where some
 * files would belong to the one and some to the other.
 *
 * Context: May sleep. The caller holds event_mutex, which keeps the list of
 *	events as it is until those of the module are in it.
 * Return: 0, or -EBUSY if another module, the kernel or a dynamic event has an
 *	event of that name in that system; this is logged. (-EEXIST would tell
 *	modprobe that the module is loaded already, which it takes for success.)
 */
int trace_module_check_events(struct module *mod)
{
	unsigned int i;

	lockdep_assert_held(&event_mutex);

	/* Such a module gets no events. */
	if (trace_module_has_bad_taint(mod))
		return 0;

	for (i = 0; i < mod->num_trace_events; i++) {
		struct trace_event_call *call = mod->trace_events[i];

		if (trace_event_exists(call->class->system, trace_event_name(call))) {
			pr_err("%s: event %s:%s exists already\n", mod->name,
			       call->class->system, trace_event_name(call));
			return -EBUSY;
		}
	}
	return 0;
}

#endif

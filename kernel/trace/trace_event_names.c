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
 * trace_module_check_events() - warn of a module whose events exist already
 * @mod: the module, which is being loaded and has not registered its events
 *
 * In the kernel and within a module, the linker finds two events of one name.
 * Here nobody else would: they get two directories of one name in tracefs, and what
 * is written to one of them may reach the other event. The module is loaded all the
 * same: i915 and xe have the events of their displays in common.
 *
 * Context: May sleep. The caller holds event_mutex, which keeps the list of
 *	events as it is until those of the module are in it.
 */
void trace_module_check_events(struct module *mod)
{
	unsigned int i;

	lockdep_assert_held(&event_mutex);

	/* Such a module gets no events. */
	if (trace_module_has_bad_taint(mod))
		return;

	for (i = 0; i < mod->num_trace_events; i++) {
		struct trace_event_call *call = mod->trace_events[i];

		if (trace_event_exists(call->class->system, trace_event_name(call)))
			pr_warn("%s: event %s:%s exists already\n", mod->name,
				call->class->system, trace_event_name(call));
	}
}

#endif

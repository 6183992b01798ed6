// SPDX-License-Identifier: GPL-2.0
/*
 * Checks for duplicate names of trace events.
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
 * trace_event_exists() - check whether an event exists
 * @system: its system
 * @name: its name
 *
 * Context: Any. The caller holds event_mutex, which protects the list of
 *	events.
 * Return: true if the event exists, false otherwise.
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
 * trace_module_check_events() - warn if events of a module exist already
 * @mod: the module, which is being loaded and has not registered its events
 *
 * Within the kernel image or a module, the linker reports two events of one
 * name. Across modules nothing else does: such events get two directories of
 * one name in tracefs, and a write to one of them may reach the other event.
 * The module is loaded anyway: i915 and xe share the events of their display
 * code.
 *
 * Context: May sleep. The caller holds event_mutex until the events of the
 *	module are on the list.
 */
void trace_module_check_events(struct module *mod)
{
	unsigned int i;

	lockdep_assert_held(&event_mutex);

	/* The events of such a module are not registered. */
	if (trace_module_has_bad_taint(mod))
		return;

	for (i = 0; i < mod->num_trace_events; i++) {
		struct trace_event_call *call = mod->trace_events[i];

		if (trace_event_exists(call->class->system,
				       trace_event_name(call)))
			pr_warn("%s: event %s:%s exists already\n", mod->name,
				call->class->system, trace_event_name(call));
	}
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A module with probes for the markers of marker_example: the second of the two that came
 * with the markers of 2006, in today's form. It may be loaded before or after the other.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker_probe.h>
#include <linux/module.h>
#include <linux/printk.h>

static const char greeting[] = "value is";

/* Gets its argument as a function does: the format says that it is an int. */
DEFINE_MARKER_PROBE1(mark1_probe, "%d", int, value)
{
	pr_info("%s %d\n", (const char *)data, value);
}

/* Works for any marker: the format says what the arguments are. */
static void print_any(void *data, struct marker_call *call)
{
	struct va_format vaf = { .fmt = call->marker->format, .va = &call->args };

	pr_info("%s: %pV\n", call->marker->name, &vaf);
}

static const struct marker_probe any_probe = {
	.func = print_any,
};

static int __init marker_probe_example_init(void)
{
	int ret;

	ret = marker_probe_register("subsys_mark1", &mark1_probe, (void *)greeting);
	if (ret)
		return ret;
	ret = marker_probe_register("subsys_mark2", &any_probe, NULL);
	if (ret)
		marker_probe_unregister("subsys_mark1", &mark1_probe, (void *)greeting);
	return ret;
}

static void __exit marker_probe_example_exit(void)
{
	marker_probe_unregister("subsys_mark2", &any_probe, NULL);
	marker_probe_unregister("subsys_mark1", &mark1_probe, (void *)greeting);
}

module_init(marker_probe_example_init);
module_exit(marker_probe_example_exit);
MODULE_DESCRIPTION("Probes for markers, an example");
MODULE_LICENSE("GPL");

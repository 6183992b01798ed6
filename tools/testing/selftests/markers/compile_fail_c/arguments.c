// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments that do not fit the format.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker_probe.h>
#include <linux/module.h>

void arguments(int nr, const char *name);
void arguments(int nr, const char *name)
{
	MARK(arguments_type, "name %s", nr); /* ERROR: expects argument of type */
	MARK(arguments_few, "nr %d name %s", nr); /* ERROR: expects a matching */
	MARK(arguments_many, "nr %d", nr, name); /* ERROR: too many arguments for format */
}

DEFINE_MARKER_PROBE1(arguments_probe, "nr %d", long, nr) /* ERROR: expects argument of type */
{
}

const struct marker_probe *arguments_get(void);
const struct marker_probe *arguments_get(void)
{
	return &arguments_probe;
}

MODULE_LICENSE("GPL");

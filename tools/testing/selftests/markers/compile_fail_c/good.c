// SPDX-License-Identifier: GPL-2.0
/*
 * What must compile: sites of one name, a format of several literals, all integers.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker_probe.h>
#include <linux/module.h>

#define NAME	"name %s"

static noinline __used void good(int nr, const char *name, u8 small, size_t size)
{
	MARK(good_marker, "nr %d name %s", nr, name);
	MARK(good_marker, "nr %d " NAME, nr + 1, name);
	MARK(good_other, "small %hhu size %zu pointer %p symbol %pS", small, size, name, good);
	MARK(good_none, "nothing");
}

DEFINE_MARKER_PROBE2(good_probe, "nr %d name %s", int, nr, const char *, name)
{
}

static __used int good_register(void)
{
	return marker_probe_register("good_marker", &good_probe, NULL);
}

MODULE_LICENSE("GPL");

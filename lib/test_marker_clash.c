// SPDX-License-Identifier: GPL-2.0
/*
 * A marker with the name of a marker in test_marker, and another format: only
 * that of the module which was loaded first can be used.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>

static int __init test_marker_clash_init(void)
{
	MARK(test_marker_int, "other %s", "format");
	return 0;
}

static void __exit test_marker_clash_exit(void)
{
}

module_init(test_marker_clash_init);
module_exit(test_marker_clash_exit);
MODULE_DESCRIPTION("A marker with another format");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * The marker that a definition falls back to when test_marker is not loaded.
 * Writing the parameter "fire" hits it.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static int fire(const char *val, const struct kernel_param *kp)
{
	MARK(test_marker_fallback, "file %d nr %d", 4, 5);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire,
};
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "hits the marker when it is written");

static int __init test_marker_fallback_init(void)
{
	return 0;
}

static void __exit test_marker_fallback_exit(void)
{
}

module_init(test_marker_fallback_init);
module_exit(test_marker_fallback_exit);
MODULE_DESCRIPTION("A marker to fall back to");
MODULE_LICENSE("GPL");

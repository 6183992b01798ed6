// SPDX-License-Identifier: GPL-2.0
/*
 * Markers of test_marker as another version of that module might have them:
 * with arguments in another order, of other types, and without some. Writing
 * the parameter "fire" hits them.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static int fire(const char *val, const struct kernel_param *kp)
{
	static const char text[] = { 'f', 'o', 'u', 'r' };
	static const u8 mac[] = { 2, 0, 0, 0, 0, 9 };

	MARK(test_marker_changing,
	     "mac %pM more '%s' size %llx flags %u new %s name '%.*s' nr %hd",
	     mac, "longer", 5000000000ULL, 31U, "not seen", (int)sizeof(text),
	     text, (short)7);
	MARK(test_marker_shrinking, "left %d", 8);
	MARK(test_marker_replaced, "after %d", 9);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire,
};
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "hits the markers when it is written");

static int __init test_marker_changed_init(void)
{
	return 0;
}

static void __exit test_marker_changed_exit(void)
{
}

module_init(test_marker_changed_init);
module_exit(test_marker_changed_exit);
MODULE_DESCRIPTION("Markers with other formats than in test_marker");
MODULE_LICENSE("GPL");

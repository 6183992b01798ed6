// SPDX-License-Identifier: GPL-2.0
/*
 * A module with markers: the first of the two that came with the markers of 2006, in
 * today's form. Its three markers are hit when /proc/marker_example is opened:
 *
 *	modprobe marker_example
 *	cd /sys/kernel/tracing
 *	grep subsys_mark available_markers
 *	echo subsys_mark2 > marker_events
 *	echo 1 > events/markers/subsys_mark2/enable
 *	cat /proc/marker_example
 *	cat trace
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>
#include <linux/proc_fs.h>

static int x = 7;

static int marker_example_open(struct inode *inode, struct file *file)
{
	MARK(subsys_mark1, "%d", 1);
	MARK(subsys_mark2, "number %d text %s", 2, "blah2");
	MARK(subsys_mark3, "number %d text %s", x, "blah3");
	/* There is nothing to read. */
	return -EPERM;
}

static const struct proc_ops marker_example_ops = {
	.proc_open = marker_example_open,
};

static int __init marker_example_init(void)
{
	return proc_create("marker_example", 0444, NULL, &marker_example_ops) ? 0 : -ENOMEM;
}

static void __exit marker_example_exit(void)
{
	remove_proc_entry("marker_example", NULL);
}

module_init(marker_example_init);
module_exit(marker_example_exit);
MODULE_DESCRIPTION("Markers, an example");
MODULE_LICENSE("GPL");

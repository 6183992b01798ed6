// SPDX-License-Identifier: GPL-2.0
/*
 * Probes for the markers of test_marker, which may be loaded before or after
 * it: one typed, one that reads a va_list, and one that requires another
 * format. The parameters show how often each was called with the expected
 * arguments. With the parameter "leave", the module goes without unregistering
 * them; with "fail", its init function fails after it has registered them.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/atomic.h>
#include <linux/marker_probe.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static atomic_t nr_typed, nr_plain, nr_wrong;

static bool leave;
module_param(leave, bool, 0400);
MODULE_PARM_DESC(leave, "leave the probes registered");
static bool fail;
module_param(fail, bool, 0400);
MODULE_PARM_DESC(fail, "fail after registering the probes");

static int get_count(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(kp->arg));
}

static const struct kernel_param_ops count_ops = {
	.get = get_count,
};

module_param_cb(typed, &count_ops, &nr_typed, 0400);
MODULE_PARM_DESC(typed, "calls of the typed probe");
module_param_cb(plain, &count_ops, &nr_plain, 0400);
MODULE_PARM_DESC(plain, "calls of the probe with a va_list");
module_param_cb(wrong, &count_ops, &nr_wrong, 0400);
MODULE_PARM_DESC(wrong, "calls with what was not expected");

DEFINE_MARKER_PROBE5(typed_probe, "hhd=%hhd hhu=%hhu hd=%hd hu=%hu hx=%#hx",
		     signed char, hhd, unsigned char, hhu, short, hd,
		     unsigned short, hu, unsigned short, hx)
{
	bool right = data == &nr_typed && hhd == -3 && hhu == 253 &&
		     hd == -300 && hu == 65000 && hx == 0xfedc;

	atomic_inc(right ? data : &nr_wrong);
}

/*
 * Reads the arguments by the format of the marker, as tools for all markers do.
 */
static void plain_func(void *data, struct marker_call *call)
{
	long long sum = 0;

	if (strcmp(call->marker->name, "test_marker_long_long")) {
		atomic_inc(&nr_wrong);
		return;
	}
	for (const char *c = call->marker->format; *c; c++) {
		if (*c != '%')
			continue;

		sum += c[1] == 'l' ? va_arg(call->args, long long) :
				     va_arg(call->args, int);
	}

	/* One of the arguments is unsigned and above LLONG_MAX. */
	atomic_inc(sum == -6000000000LL + 1 + -446744073709551616LL + 2 +
		   0x123456789abcdefLL ? data : &nr_wrong);
}

static const struct marker_probe plain_probe = {
	.func = plain_func,
};

/* Parameters may have the names of what the macro needs. */
DEFINE_MARKER_PROBE1(other_probe, "hhd=%d", int, call)
{
	atomic_inc(&nr_wrong);
}

static void unregister_all(void)
{
	if (leave)
		return;
	marker_probe_unregister("test_marker_narrow", &other_probe, NULL);
	marker_probe_unregister("test_marker_long_long", &plain_probe,
				&nr_plain);
	marker_probe_unregister("test_marker_narrow", &typed_probe, &nr_typed);
}

static int __init test_marker_probe_init(void)
{
	int ret;

	ret = marker_probe_register("test_marker_narrow", &typed_probe,
				    &nr_typed);
	if (ret)
		return ret;

	ret = marker_probe_register("test_marker_long_long", &plain_probe,
				    &nr_plain);
	if (!ret)
		ret = marker_probe_register("test_marker_narrow", &other_probe,
					    NULL);

	/*
	 * -EINVAL if the marker is loaded; otherwise it is not called when the
	 * marker is loaded later.
	 */
	if (ret == -EINVAL)
		ret = 0;
	if (!ret && fail)
		ret = -ENODEV;

	if (ret)
		unregister_all();
	return ret;
}

static void __exit test_marker_probe_exit(void)
{
	unregister_all();
}

module_init(test_marker_probe_init);
module_exit(test_marker_probe_exit);
MODULE_DESCRIPTION("Probes for the test of markers");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Sample: a static branch in assembly.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * The function in static_branch_asm_sites.S has a slow path, which a static
 * key turns on. To watch it:
 *
 *  # modprobe static_branch_asm_sample
 *  # cd /sys/module/static_branch_asm_sample/parameters
 *  # cat path
 *  fast
 *  # echo 1 > slow
 *  # cat path
 *  slow
 *
 * This is for a function that is in assembly anyway, such as a system call
 * entry or an exception handler. C has static_branch_unlikely().
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/stddef.h>
#include <linux/sysfs.h>

#include "static_branch_asm.h"

DEFINE_STATIC_KEY_FALSE(sample_slow_key);

static unsigned int slow_calls;
module_param(slow_calls, uint, 0444);
MODULE_PARM_DESC(slow_calls, "how often the slow path was taken (read-only)");

asmlinkage unsigned int sample_work_slow(void)
{
	slow_calls++;
	return 1;
}

/*
 * When the module is loaded with slow=1 this runs before sample_init(). That is
 * fine: the sites of a module are known before its parameters are parsed.
 */
static int sample_slow_set(const char *val, const struct kernel_param *kp)
{
	bool slow;
	int ret;

	ret = kstrtobool(val, &slow);
	if (ret)
		return ret;
	if (slow)
		static_branch_enable(&sample_slow_key);
	else
		static_branch_disable(&sample_slow_key);
	return 0;
}

static int sample_slow_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", static_key_enabled(&sample_slow_key));
}

static const struct kernel_param_ops sample_slow_ops = {
	.set = sample_slow_set,
	.get = sample_slow_get,
};
module_param_cb(slow, &sample_slow_ops, NULL, 0644);
MODULE_PARM_DESC(slow, "1 to take the slow path, 0 for the fast one (default)");

static int sample_path_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", sample_work() ? "slow" : "fast");
}

/* What "path=" on the module's command line would end up in. */
static int sample_path_set(const char *val, const struct kernel_param *kp)
{
	return -EPERM;
}

static const struct kernel_param_ops sample_path_ops = {
	.set = sample_path_set,
	.get = sample_path_get,
};
module_param_cb(path, &sample_path_ops, NULL, 0444);
MODULE_PARM_DESC(path, "calls the function and shows the path it took (read-only)");

static int __init sample_init(void)
{
	/* Assembly without jump labels relies on it. */
	BUILD_BUG_ON(offsetof(struct static_key, enabled));

	pr_info("%s path\n", sample_work() ? "slow" : "fast");
	return 0;
}
module_init(sample_init);

static void __exit sample_exit(void)
{
}
module_exit(sample_exit);

MODULE_AUTHOR("The static-key tracepoints developers");
MODULE_DESCRIPTION("Sample of a static branch in assembly");
MODULE_LICENSE("GPL");

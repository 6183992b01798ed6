// SPDX-License-Identifier: GPL-2.0
/*
 * Static keys and sites for tools/testing/selftests/static_key_debugfs.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/static_key_debugfs.h>
#include <linux/tracepoint-defs.h>

/* Defined in the kernel, with a site here. */
DECLARE_TRACEPOINT(kmalloc);

static DEFINE_STATIC_KEY_FALSE(skv_test_off);
static DEFINE_STATIC_KEY_TRUE(skv_test_on);
static DEFINE_STATIC_KEY_ARRAY_FALSE(skv_test_array, 3);

/* Protects what follows, and the keys. */
static DEFINE_MUTEX(skv_test_mutex);
static int skv_test_users;
static bool skv_test_broken;

/*
 * Returns a bit mask of the keys that their sites treat as enabled, one site
 * per key.
 */
static noinline int skv_test_sites(void)
{
	int path = 0;

	if (static_branch_unlikely(&skv_test_off))
		path += 1;
	if (static_branch_likely(&skv_test_on))
		path += 2;
	if (static_branch_unlikely(&skv_test_array[2]))
		path += 4;
	if (tracepoint_enabled(kmalloc))
		path += 8;
	return path;
}

/* A site in init code, which is freed when the module has been loaded. */
static noinline int __init skv_test_init_site(void)
{
	return static_branch_likely(&skv_test_on);
}

/*
 * Sets the number of users of skv_test_off; each is a reference, taken one by
 * one.
 */
static int skv_test_set_users(const char *val, const struct kernel_param *kp)
{
	int users, ret;

	ret = kstrtoint(val, 0, &users);
	if (ret)
		return ret;

	if (users < 0 || users > 100)
		return -ERANGE;

	guard(mutex)(&skv_test_mutex);
	if (skv_test_broken)
		return -EBUSY;

	for (; skv_test_users < users; skv_test_users++)
		static_branch_inc(&skv_test_off);
	for (; skv_test_users > users; skv_test_users--)
		static_branch_dec(&skv_test_off);
	return 0;
}

static const struct kernel_param_ops skv_test_users_ops = {
	.set = skv_test_set_users,
	.get = param_get_int,
};
module_param_cb(users, &skv_test_users_ops, &skv_test_users, 0600);
MODULE_PARM_DESC(users, "references to the key skv_test_off");

/*
 * While this is true, skv_test_array[2] is enabled, but its site has not been
 * patched.
 */
static int skv_test_set_broken(const char *val, const struct kernel_param *kp)
{
	bool broken;
	int ret;

	ret = kstrtobool(val, &broken);
	if (ret)
		return ret;
	guard(mutex)(&skv_test_mutex);
	skv_test_broken = broken;
	atomic_set(&skv_test_array[2].key.enabled, broken);
	return 0;
}

static const struct kernel_param_ops skv_test_broken_ops = {
	.set = skv_test_set_broken,
	.get = param_get_bool,
};
module_param_cb(broken, &skv_test_broken_ops, &skv_test_broken, 0600);
MODULE_PARM_DESC(broken, "count a user of a key without patching its site");

/* As the file "check" in debugfs, but returns the number only. */
static int skv_test_get_mismatches(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", static_key_check(NULL));
}

static const struct kernel_param_ops skv_test_mismatches_ops = {
	.get = skv_test_get_mismatches,
};
module_param_cb(mismatches, &skv_test_mismatches_ops, NULL, 0400);
MODULE_PARM_DESC(mismatches, "what static_key_check() returns (read-only)");

static int skv_test_get_path(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", skv_test_sites());
}

static const struct kernel_param_ops skv_test_path_ops = {
	.get = skv_test_get_path,
};
module_param_cb(path, &skv_test_path_ops, NULL, 0400);
MODULE_PARM_DESC(path,
		 "which keys the sites take to be on, as bits (read-only)");

static int __init skv_test_init(void)
{
	return skv_test_init_site() ? 0 : -EINVAL;
}
module_init(skv_test_init);

static void __exit skv_test_exit(void)
{
}
module_exit(skv_test_exit);

MODULE_AUTHOR("The static-key tracepoints developers");
MODULE_DESCRIPTION("Static keys for the test of their view");
MODULE_LICENSE("GPL");

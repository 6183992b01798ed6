// SPDX-License-Identifier: GPL-2.0
/*
 * Test of static branches in assembly: in all states of a key, the sites in
 * assembly branch as those in C, on every CPU.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/smp.h>

#include "test_static_branch_asm.h"

DEFINE_STATIC_KEY_FALSE(sba_test_off);
DEFINE_STATIC_KEY_TRUE(sba_test_on);

static unsigned int rounds = 50;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "how often to go through all states of the keys");

/* For a built-in test, which cannot fail to load. */
static int errors = -1;
module_param(errors, int, 0444);
MODULE_PARM_DESC(errors,
		 "how many checks failed, -1 until the test has run (read-only)");

/*
 * Set when one round of checks has passed, in all states of the keys. Functions
 * that branch backwards are not called before: if the macro captured local
 * labels they would loop forever, while those that branch forwards just fail.
 */
static bool forward_passed;

struct sba_state {
	const char *after;
	unsigned int off;
	unsigned int on;
	atomic_t errors;
};

static void sba_check_one(struct sba_state *state, const char *what,
			  unsigned int got, unsigned int want)
{
	if (got == want)
		return;
	pr_err("%s is %u, expected %u, after %s, on CPU %d\n",
	       what, got, want, state->after, raw_smp_processor_id());
	atomic_inc(&state->errors);
}

#define CHECK(got, want) sba_check_one(state, #got, got, want)

static void sba_check(void *info)
{
	struct sba_state *state = info;
	unsigned int off = state->off;
	unsigned int on = state->on;

	CHECK(static_key_enabled(&sba_test_off), off);
	CHECK(static_key_enabled(&sba_test_on), on);
	CHECK(static_branch_unlikely(&sba_test_off), off);
	CHECK(static_branch_likely(&sba_test_off), off);
	CHECK(static_branch_unlikely(&sba_test_on), on);
	CHECK(static_branch_likely(&sba_test_on), on);

	CHECK(sba_test_nop(), off);
	CHECK(sba_test_nop_inverted(), !on);
	CHECK(sba_test_jump(), on);
	CHECK(sba_test_jump_inverted(), !off);
	CHECK(sba_test_pair(), off + 2 * on);
	CHECK(sba_test_pair_inverted(), !off + 2 * !on);
	CHECK(sba_test_far(), off ? 2 : on);

	if (forward_passed) {
		CHECK(sba_test_again_off(), off);
		CHECK(sba_test_again_on(), on);
	}
}

static int sba_check_all(const char *after, bool off, bool on)
{
	struct sba_state state = { .after = after, .off = off, .on = on };

	on_each_cpu(sba_check, &state, true);
	errors += atomic_read(&state.errors);
	return errors;
}

#define STEP(call, off, on) ({ call; sba_check_all(#call, off, on); })

static int sba_round(void)
{
	/* Stop at the first step that fails, the others will fail as well. */
	return STEP(static_branch_enable(&sba_test_off), true, true) ||
	       STEP(static_branch_disable(&sba_test_on), true, false) ||
	       STEP(static_branch_disable(&sba_test_off), false, false) ||
	       STEP(static_branch_enable(&sba_test_on), false, true) ||
	       STEP(static_branch_inc(&sba_test_off), true, true) ||
	       STEP(static_branch_inc(&sba_test_off), true, true) ||
	       STEP(static_branch_dec(&sba_test_on), true, false) ||
	       STEP(static_branch_dec(&sba_test_off), true, false) ||
	       STEP(static_branch_dec(&sba_test_off), false, false) ||
	       STEP(static_branch_inc(&sba_test_on), false, true);
}

static int __init sba_test_init(void)
{
	unsigned int round;

	errors = 0;
	if (sba_check_all("loading", false, true))
		return -EINVAL;

	for (round = 0; round < rounds; round++) {
		if (sba_round())
			return -EINVAL;
		forward_passed = true;
	}

	pr_info("passed, %u rounds\n", rounds);
	return 0;
}
module_init(sba_test_init);

static void __exit sba_test_exit(void)
{
}
module_exit(sba_test_exit);

MODULE_AUTHOR("The static-key tracepoints developers");
MODULE_DESCRIPTION("Test of static branches in assembly");
MODULE_LICENSE("GPL");

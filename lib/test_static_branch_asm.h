/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the C and assembly parts of the test of static branches in
 * assembly.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _TEST_STATIC_BRANCH_ASM_H
#define _TEST_STATIC_BRANCH_ASM_H

#include <linux/jump_label.h>
#include <linux/linkage.h>

/* Named after their initial state. */
DECLARE_STATIC_KEY_FALSE(sba_test_off);
DECLARE_STATIC_KEY_TRUE(sba_test_on);

/* One site each; return 1 if it branched, else 0. */
asmlinkage unsigned int sba_test_nop(void);
asmlinkage unsigned int sba_test_nop_inverted(void);
asmlinkage unsigned int sba_test_jump(void);
asmlinkage unsigned int sba_test_jump_inverted(void);

/* Both keys: 1 for a branch on sba_test_off plus 2 for one on sba_test_on. */
asmlinkage unsigned int sba_test_pair(void);
asmlinkage unsigned int sba_test_pair_inverted(void);

/* One key, several sites: its state, or more than 1 if they disagree. */
asmlinkage unsigned int sba_test_again_off(void);
asmlinkage unsigned int sba_test_again_on(void);

/*
 * Many sites: 2 for the branch on sba_test_off, else the state of sba_test_on.
 */
asmlinkage unsigned int sba_test_far(void);

#endif /* _TEST_STATIC_BRANCH_ASM_H */

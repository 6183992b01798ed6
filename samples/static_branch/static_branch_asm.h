/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the C file and the assembly file of the sample share.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _SAMPLES_STATIC_BRANCH_ASM_H
#define _SAMPLES_STATIC_BRANCH_ASM_H

#include <linux/jump_label.h>
#include <linux/linkage.h>

/* Assembly finds the key by its symbol: it cannot be static. */
DECLARE_STATIC_KEY_FALSE(sample_slow_key);

/* In assembly, called from C. */
asmlinkage unsigned int sample_work(void);

/* In C, called from assembly. */
asmlinkage unsigned int sample_work_slow(void);

#endif /* _SAMPLES_STATIC_BRANCH_ASM_H */

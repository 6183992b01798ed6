// SPDX-License-Identifier: GPL-2.0
/*
 * A site in the notation of Rust's asm!, for harness/branchcheck.py to expand.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/jump_label.h>

// Cut here.
ARCH_STATIC_BRANCH_ASM("{symb} + {off} + {branch}", "{l_yes}")

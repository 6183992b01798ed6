// SPDX-License-Identifier: GPL-2.0
/*
 * The source of include/generated/static_branch_asm.h: static branches for
 * assembly files.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * This file is preprocessed but never compiled. Each architecture defines its
 * sites once, as C string literals. The C preprocessor expands them here, and
 * scripts/static_branch_asm.sed converts the output below the mark to assembler
 * text. See Documentation/staging/static-keys.rst for the two macros.
 */
#include <linux/jump_label.h>

const char static_branch_asm[] =
// Cut here.
"	.macro STATIC_BRANCH key:req, label:req, branch=0\n"
ARCH_STATIC_BRANCH_ASM("\\key + \\branch", "\\label") "\n"
"	.endm\n"
"	.macro STATIC_BRANCH_JUMP key:req, label:req, branch=0\n"
ARCH_STATIC_BRANCH_JUMP_ASM("\\key + \\branch", "\\label") "\n"
"	.endm\n"
;

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every asm/jump_label.h ends with: the parts of a static branch that are
 * the same for all architectures.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * The functions and the table entries are those of the asm/jump_label.h of all
 * architectures, some of which have notices:
 *
 * Copyright (C) 2013 Huawei Ltd. (arm64)
 * Copyright (C) 2023 Loongson Technology Corporation Limited (loongarch)
 * Copyright (c) 2010 Cavium Networks, Inc. (mips)
 * Copyright (C) 2025 Chen Miao (openrisc)
 * Copyright 2010 Michael Ellerman, IBM Corp. (powerpc)
 * Copyright (C) 2020 Emil Renner Berthing (riscv)
 * Copyright (C) 2018 Cadence Design Systems Inc. (xtensa)
 *
 * The architecture has defined two texts, each a site and its table entry:
 *
 *  ARCH_STATIC_BRANCH_ASM(key, label)		a no-op
 *  ARCH_STATIC_BRANCH_JUMP_ASM(key, label)	a jump to label
 *
 * Both arguments are strings, the operands as whoever expands the text writes
 * them: the functions below, Rust's asm!, or kernel/static_branch_asm.c for
 * assembly.  Each of the three reads %, { and } in its own way, so the text has
 * none.  (An argument used twice is declared with ... after it, as checkpatch
 * cannot know that a string has no side effects.)
 */
#ifndef _ASM_GENERIC_JUMP_LABEL_H
#define _ASM_GENERIC_JUMP_LABEL_H

#include <linux/types.h>

/*
 * The label of a site.  In the middle of an assembly function, 1: would capture
 * a 1b or 1f from outside, and rustc rejects labels of the digits 0 and 1 only.
 * An architecture that needs a second label appends a digit.
 */
#define JUMP_SITE "7274"

/*
 * JUMP_TABLE_ENTRY() writes a struct jump_entry.  GCC decides what to inline by
 * the number of lines in an asm statement: breaking one costs code elsewhere.
 */
#ifdef CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE

#ifdef CONFIG_64BIT
#define JUMP_TABLE_PTR ".quad "
#define JUMP_TABLE_ALIGN_PTR ".balign 8\n\t"
#else
#define JUMP_TABLE_PTR ".long "
#define JUMP_TABLE_ALIGN_PTR ".balign 4\n\t"
#endif
#ifndef JUMP_TABLE_ALIGN
#define JUMP_TABLE_ALIGN JUMP_TABLE_ALIGN_PTR
#endif
/* What a tool of the architecture wants to find at each entry. */
#ifndef JUMP_TABLE_ANNOTATE
#define JUMP_TABLE_ANNOTATE
#endif
#define JUMP_TABLE_ENTRY(key, label)			\
	".pushsection __jump_table, \"aw\"\n\t"		\
	JUMP_TABLE_ALIGN				\
	JUMP_TABLE_ANNOTATE				\
	".long " JUMP_SITE "b - ., " label " - .\n\t"	\
	JUMP_TABLE_PTR key " - .\n\t"			\
	".popsection\n\t"

#else /* !CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE */

#ifndef JUMP_TABLE_PTR
#define JUMP_TABLE_PTR ".word "
#define jump_label_t u32
#endif
#ifndef JUMP_TABLE_ALIGN
#define JUMP_TABLE_ALIGN
#endif
#define JUMP_TABLE_ENTRY(key, label)				\
	".pushsection __jump_table, \"aw\"\n\t"			\
	JUMP_TABLE_ALIGN					\
	JUMP_TABLE_PTR JUMP_SITE "b, " label ", " key "\n\t"	\
	".popsection\n\t"

#ifndef __ASSEMBLER__
struct jump_entry {
	jump_label_t code;
	jump_label_t target;
	jump_label_t key;
};
#endif

#endif /* CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE */

#ifndef __ASSEMBLER__

/* How the compiler prints key + branch, and the constraint for key. */
#ifndef ARCH_STATIC_BRANCH_KEY
#define ARCH_STATIC_BRANCH_KEY "%c0 + %c1"
#endif
#ifndef ARCH_STATIC_BRANCH_CONSTRAINT
#define ARCH_STATIC_BRANCH_CONSTRAINT "i"
#endif

/**
 * arch_static_branch() - place a branch that starts out as a no-op
 * @key: a key with an address that the linker knows
 * @branch: the state of the key for which the site is a no-op, at first too
 *
 * Context: Any context. The site may be patched while it runs.
 * Return: Whether the key is in the state other than @branch.
 */
static __always_inline bool
arch_static_branch(struct static_key * const key, const bool branch)
{
	asm goto(ARCH_STATIC_BRANCH_ASM(ARCH_STATIC_BRANCH_KEY, "%l[l_yes]")
		 : : ARCH_STATIC_BRANCH_CONSTRAINT(key), "i"(branch) : : l_yes);
	return false;
l_yes:
	return true;
}

/**
 * arch_static_branch_jump() - place a branch that starts out as a jump
 * @key: a key with an address that the linker knows
 * @branch: the state of the key for which the site is a no-op, not at first
 *
 * Context: Any context. The site may be patched while it runs.
 * Return: Whether the key is in the state other than @branch.
 */
static __always_inline bool
arch_static_branch_jump(struct static_key * const key, const bool branch)
{
	asm goto(ARCH_STATIC_BRANCH_JUMP_ASM(ARCH_STATIC_BRANCH_KEY, "%l[l_yes]")
		 : : ARCH_STATIC_BRANCH_CONSTRAINT(key), "i"(branch) : : l_yes);
	return false;
l_yes:
	return true;
}

#endif /* __ASSEMBLER__ */
#endif /* _ASM_GENERIC_JUMP_LABEL_H */

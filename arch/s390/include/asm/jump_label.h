/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_S390_JUMP_LABEL_H
#define _ASM_S390_JUMP_LABEL_H

#ifndef __ASSEMBLER__
#include <linux/stringify.h>
#endif

#define HAVE_JUMP_LABEL_BATCH

#define JUMP_LABEL_NOP_SIZE 6

/* jdd is for symbols, in position-independent code too; others take X or i. */
#ifdef CONFIG_CC_IS_CLANG
#define ARCH_STATIC_BRANCH_CONSTRAINT "i"
#elif __GNUC__ < 9
#define ARCH_STATIC_BRANCH_CONSTRAINT "X"
#else
#define ARCH_STATIC_BRANCH_CONSTRAINT "jdd"
#endif
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

/*
 * We use a brcl 0,<offset> instruction for jump labels so it
 * can be easily distinguished from a hotpatch generated instruction.
 */
#define ARCH_STATIC_BRANCH_ASM(key, label...)	\
	JUMP_SITE ": brcl 0," label "\n\t"	\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ": brcl 15," label "\n\t"		\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_S390_JUMP_LABEL_H */

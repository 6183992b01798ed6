/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2018 Cadence Design Systems Inc. */

#ifndef _ASM_XTENSA_JUMP_LABEL_H
#define _ASM_XTENSA_JUMP_LABEL_H

#define JUMP_LABEL_NOP_SIZE 3

#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	"_nop\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

/*
 * Xtensa assembler will mark certain points in the code
 * as unreachable, so that later assembler or linker relaxation
 * passes could use them. A spot right after the J instruction
 * is one such point. Assembler and/or linker may insert padding
 * or literals here, breaking code flow in case the J instruction
 * is later replaced with NOP. Put a label right after the J to
 * make it reachable and wrap both into a no-transform block
 * to avoid any assembler interference with this.
 */
#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	".begin no-transform\n\t"			\
	"_j " label "\n"				\
	JUMP_SITE "0:\n\t"				\
	".end no-transform\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_XTENSA_JUMP_LABEL_H */

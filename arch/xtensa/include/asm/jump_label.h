/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_XTENSA_JUMP_LABEL_H
#define _ASM_XTENSA_JUMP_LABEL_H

#define JUMP_LABEL_NOP_SIZE 3

/*
 * What follows a J counts as unreachable, and the assembler or the linker may
 * put literals or padding there, into which the code would run once the J is
 * replaced with a no-op.  A label there makes it reachable, and no-transform
 * keeps the assembler from changing either.
 */
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	"_nop\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	".begin no-transform\n\t"			\
	"_j " label "\n"				\
	JUMP_SITE "0:\n\t"				\
	".end no-transform\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_XTENSA_JUMP_LABEL_H */

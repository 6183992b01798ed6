/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_SPARC_JUMP_LABEL_H
#define _ASM_SPARC_JUMP_LABEL_H

#define JUMP_LABEL_NOP_SIZE 4
#define JUMP_TABLE_ALIGN ".align 4\n\t"

/* The second nop is the delay slot, for when the first becomes a branch. */
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	"nop\n\t"				\
	"nop\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	"b " label "\n\t"				\
	"nop\n\t"					\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_SPARC_JUMP_LABEL_H */

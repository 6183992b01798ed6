/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_PARISC_JUMP_LABEL_H
#define _ASM_PARISC_JUMP_LABEL_H

#ifndef __ASSEMBLER__
#include <linux/stringify.h>
#include <asm/assembly.h>
#endif

#define JUMP_LABEL_NOP_SIZE 4

/* b,n: the instruction after the site is no delay slot, whichever it holds. */
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	"nop\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	"b,n " label "\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_PARISC_JUMP_LABEL_H */

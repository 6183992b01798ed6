/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_ARC_JUMP_LABEL_H
#define _ASM_ARC_JUMP_LABEL_H

#define JUMP_LABEL_NOP_SIZE 4

/*
 * The instruction is replaced with a single store, which other cores see as a
 * whole only if it lies within one L1 cache line and one fetch block.  Since
 * 16-bit instructions may precede it, it gets aligned to its own size.  That
 * asks for more than needed and costs a NOP_S now and then; keeping it from
 * crossing a line with .bundle_align_mode would be enough, once the assembler
 * for this architecture knows that directive.
 */
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	".balign 4\n"				\
	JUMP_SITE ":\n\t"			\
	"nop\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	".balign 4\n"					\
	JUMP_SITE ":\n\t"				\
	"b " label "\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_ARC_JUMP_LABEL_H */

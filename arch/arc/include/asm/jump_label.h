/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_ARC_JUMP_LABEL_H
#define _ASM_ARC_JUMP_LABEL_H

#ifndef __ASSEMBLER__
#include <linux/stringify.h>
#endif

#define JUMP_LABEL_NOP_SIZE 4

/*
 * NOTE about '.balign 4':
 *
 * To make atomic update of patched instruction available we need to guarantee
 * that this instruction doesn't cross L1 cache line boundary.
 *
 * As of today we simply align instruction which can be patched by 4 byte using
 * ".balign 4" directive. In that case patched instruction is aligned with one
 * 16-bit NOP_S if this is required.
 * However 'align by 4' directive is much stricter than it actually required.
 * It's enough that our 32-bit instruction don't cross L1 cache line boundary /
 * L1 I$ fetch block boundary which can be achieved by using
 * ".bundle_align_mode" assembler directive. That will save us from adding
 * useless NOP_S padding in most of the cases.
 *
 * TODO: switch to ".bundle_align_mode" directive using whin it will be
 * supported by ARC toolchain.
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

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_ARM_JUMP_LABEL_H
#define _ASM_ARM_JUMP_LABEL_H

#include <asm/unified.h>

#define JUMP_LABEL_NOP_SIZE 4

#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	WASM(nop) "\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	WASM(b) " " label "\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_ARM_JUMP_LABEL_H */

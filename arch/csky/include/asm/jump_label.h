/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef __ASM_CSKY_JUMP_LABEL_H
#define __ASM_CSKY_JUMP_LABEL_H

#define JUMP_LABEL_NOP_SIZE 4
#define JUMP_TABLE_ALIGN ".align 2\n\t"
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

/* The 32-bit forms, so that either fits in the place of the other. */
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ": nop32\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ": bsr32 " label "\n\t"		\
	JUMP_TABLE_ENTRY(key, label)

#ifndef __ASSEMBLER__
enum jump_label_type;
struct jump_entry;
void arch_jump_label_transform_static(struct jump_entry *entry,
				      enum jump_label_type type);
#define arch_jump_label_transform_static arch_jump_label_transform_static
#endif

#include <asm-generic/jump_label.h>

#endif /* __ASM_CSKY_JUMP_LABEL_H */

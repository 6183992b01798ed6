/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright (C) 2020 Emil Renner Berthing
 *
 * Based on arch/arm64/include/asm/jump_label.h
 */
#ifndef __ASM_JUMP_LABEL_H
#define __ASM_JUMP_LABEL_H

#ifndef __ASSEMBLER__
#include <asm/asm.h>
#endif

#define HAVE_JUMP_LABEL_BATCH

#define JUMP_LABEL_NOP_SIZE 4
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

/*
 * The instruction has to stay what is written here: four bytes, where the
 * assembler could choose a compressed form (norvc), at an address and with a
 * length that the linker does not change afterwards (norelax).  The alignment
 * makes replacing it one store; after a compressed instruction it need not
 * have any.
 */
#define __JUMP_SITE(insn, key, label)	\
	".align 2\n\t"			\
	".option push\n\t"		\
	".option norelax\n\t"		\
	".option norvc\n\t"		\
	JUMP_SITE ": " insn "\n\t"	\
	".option pop\n\t"		\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_ASM(key, label) \
	__JUMP_SITE("nop", key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...) \
	__JUMP_SITE("j " label, key, label)

#include <asm-generic/jump_label.h>

#endif /* __ASM_JUMP_LABEL_H */

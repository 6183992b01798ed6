/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright (C) 2025 Chen Miao
 *
 * Based on arch/arm/include/asm/jump_label.h
 */
#ifndef __ASM_OPENRISC_JUMP_LABEL_H
#define __ASM_OPENRISC_JUMP_LABEL_H

#include <asm/insn-def.h>

#define HAVE_JUMP_LABEL_BATCH

#define JUMP_LABEL_NOP_SIZE OPENRISC_INSN_SIZE
#define JUMP_TABLE_ALIGN ".align 4\n\t"
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

/* The no-op behind the site fills the delay slot that a jump there has. */
#define __JUMP_SITE(insn, key, label)	\
	".align 4\n\t"			\
	JUMP_SITE ": " insn "\n\t"	\
	"l.nop\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_ASM(key, label) \
	__JUMP_SITE("l.nop", key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...) \
	__JUMP_SITE("l.j " label, key, label)

#include <asm-generic/jump_label.h>

#endif /* __ASM_OPENRISC_JUMP_LABEL_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright (C) 2023 Loongson Technology Corporation Limited
 *
 * Based on arch/arm64/include/asm/jump_label.h
 */
#ifndef __ASM_JUMP_LABEL_H
#define __ASM_JUMP_LABEL_H

#ifndef __ASSEMBLER__
#include <linux/stringify.h>
#include <asm/asm.h>
#endif

#define HAVE_JUMP_LABEL_BATCH

#define JUMP_LABEL_NOP_SIZE 4
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ": nop\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ": b " label "\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* __ASM_JUMP_LABEL_H */

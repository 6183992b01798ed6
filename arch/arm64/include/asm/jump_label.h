/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copyright (C) 2013 Huawei Ltd.
 * Author: Jiang Liu <liuj97@gmail.com>
 *
 * Based on arch/arm/include/asm/jump_label.h
 */
#ifndef __ASM_JUMP_LABEL_H
#define __ASM_JUMP_LABEL_H

#include <asm/insn.h>

#define HAVE_JUMP_LABEL_BATCH
#define JUMP_LABEL_NOP_SIZE AARCH64_INSN_SIZE

#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ": nop\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ": b " label "\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* __ASM_JUMP_LABEL_H */

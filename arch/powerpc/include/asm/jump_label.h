/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_POWERPC_JUMP_LABEL_H
#define _ASM_POWERPC_JUMP_LABEL_H

/*
 * Copyright 2010 Michael Ellerman, IBM Corp.
 */

#ifndef __ASSEMBLER__
#include <asm/feature-fixups.h>
#include <asm/asm-const.h>
#endif

#define JUMP_LABEL_NOP_SIZE 4

/* The table is aligned where it starts, and an entry's size keeps it so. */
#define JUMP_TABLE_ALIGN

#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":	nop\n\t"		\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	"b " label "\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#include <asm-generic/jump_label.h>

#endif /* _ASM_POWERPC_JUMP_LABEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * This file is subject to the terms and conditions of the GNU General Public
 * License.  See the file "COPYING" in the main directory of this archive
 * for more details.
 *
 * Copyright (c) 2010 Cavium Networks, Inc.
 */
#ifndef _ASM_MIPS_JUMP_LABEL_H
#define _ASM_MIPS_JUMP_LABEL_H

#include <asm/isa-rev.h>

#define arch_jump_label_transform_static arch_jump_label_transform

#define JUMP_LABEL_NOP_SIZE 4
#define ARCH_STATIC_BRANCH_KEY "%0 + %1"

#ifdef CONFIG_64BIT
#define JUMP_TABLE_PTR ".dword "
#define jump_label_t u64
#endif

#ifdef CONFIG_CPU_MICROMIPS
#define JUMP_SITE_B "b32 "
#define JUMP_SITE_J "j32 "
#elif MIPS_ISA_REV >= 6
#define JUMP_SITE_B "bc "
#define JUMP_SITE_J "bc "
#else
#define JUMP_SITE_B "b "
#define JUMP_SITE_J "j "
#endif

/*
 * The no-op is at first a branch to what follows it, so that the assembler sees
 * to the delay slot as the jump will need it; jump_label_apply_nops() replaces
 * it.  .insn makes the second label one of code although a directive follows,
 * without which microMIPS would take it for data and lose the ISA bit.
 */
#define ARCH_STATIC_BRANCH_ASM(key, label)		\
	JUMP_SITE ":\t" JUMP_SITE_B JUMP_SITE "0f\n"	\
	JUMP_SITE "0:\t.insn\n\t"			\
	JUMP_TABLE_ENTRY(key, label)

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\t" JUMP_SITE_J label "\n\t"	\
	JUMP_TABLE_ENTRY(key, label)

#ifndef __ASSEMBLER__
struct module;
void jump_label_apply_nops(struct module *mod);
#endif

#include <asm-generic/jump_label.h>

#endif /* _ASM_MIPS_JUMP_LABEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_JUMP_LABEL_H
#define _ASM_X86_JUMP_LABEL_H

#define HAVE_JUMP_LABEL_BATCH

#include <asm/asm.h>
#include <asm/nops.h>
#include <linux/annotate.h>
#include <linux/stringify.h>

/* objtool copies the entries of what a livepatch module is made of. */
#define JUMP_TABLE_ANNOTATE ANNOTATE_DATA_SPECIAL "\n\t"

#ifdef CONFIG_HAVE_JUMP_LABEL_HACK
/*
 * Only the assembler knows whether the jump takes two bytes or five.  So it
 * makes a jump, and objtool a no-op of that size: key + 2 asks for this.
 */
#define ARCH_STATIC_BRANCH_ASM(key, label...)	\
	JUMP_SITE ":\n\t"			\
	"jmp " label "\n\t"			\
	JUMP_TABLE_ENTRY(key " + 2", label)
#else
#define ARCH_STATIC_BRANCH_ASM(key, label)	\
	JUMP_SITE ":\n\t"			\
	".byte " __stringify(BYTES_NOP5) "\n\t"	\
	JUMP_TABLE_ENTRY(key, label)
#endif

#define ARCH_STATIC_BRANCH_JUMP_ASM(key, label...)	\
	JUMP_SITE ":\n\t"				\
	"jmp " label "\n\t"				\
	JUMP_TABLE_ENTRY(key, label)

#ifndef __ASSEMBLER__
struct jump_entry;
int arch_jump_entry_size(struct jump_entry *entry);
#endif

#include <asm-generic/jump_label.h>

#endif /* _ASM_X86_JUMP_LABEL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with one site each, for the self-test of harness/sitecheck.py: one
 * as a C compiler makes it in a kernel with ftrace, its pair as Rust would, and
 * pairs that are wrong in one respect.  Nothing here ever runs.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/jump_label.h>

struct point {
	const char *name;
	struct static_key key;
	struct static_key other;
};

extern struct point __tracepoint_c, __tracepoint_rust;

void hit(void);

/* What makes a function of the C file traceable, and one of Rust not. */
#ifdef CONFIG_X86
#define TRACED /* by -mfentry */
#define UNTRACED __attribute__((no_instrument_function))
#define JUMP "jmp"
#else
#define TRACED __attribute__((patchable_function_entry(4)))
#define UNTRACED
#ifdef CONFIG_RISCV
#define JUMP "j"
#else
#define JUMP "b"
#endif
#endif

TRACED void pair_c(void)
{
	if (arch_static_branch(&__tracepoint_c.key, false))
		hit();
}

UNTRACED void pair_good(void)
{
	if (arch_static_branch(&__tracepoint_rust.key, false))
		hit();
}

UNTRACED void pair_longer(void)
{
	if (arch_static_branch(&__tracepoint_rust.key, false))
		hit();
	asm volatile("nop");
}

/* Longer by a jump, which does not end the path. */
UNTRACED void pair_detour(void)
{
	asm goto(JUMP " %l0" : : : : out);
out:
	if (arch_static_branch(&__tracepoint_rust.key, false))
		hit();
}

UNTRACED void pair_jump(void)
{
	if (arch_static_branch_jump(&__tracepoint_rust.key, false))
		hit();
}

UNTRACED void pair_inverted(void)
{
	if (arch_static_branch(&__tracepoint_rust.key, true))
		hit();
}

UNTRACED void pair_other_key(void)
{
	if (arch_static_branch(&__tracepoint_rust.other, false))
		hit();
}

UNTRACED void pair_without(void)
{
	hit();
}

UNTRACED void pair_with_two(void)
{
	if (arch_static_branch(&__tracepoint_rust.key, false))
		hit();
	if (arch_static_branch(&__tracepoint_rust.key, false))
		hit();
}

/* From here on the fields of an entry come in another order. */
#undef JUMP_TABLE_ENTRY
#define JUMP_TABLE_ENTRY(key, label)		\
	".pushsection __jump_table, \"aw\"\n\t"	\
	".balign 8\n\t"				\
	".long " JUMP_SITE "b - .\n\t"		\
	".quad " key " - .\n\t"			\
	".long " label " - .\n\t"		\
	".popsection\n\t"

UNTRACED void pair_swapped(void)
{
	asm goto(ARCH_STATIC_BRANCH_ASM(ARCH_STATIC_BRANCH_KEY, "%l[l_yes]")
		 : : "i"(&__tracepoint_rust.key), "i"(0) : : l_yes);
	return;
l_yes:
	hit();
}

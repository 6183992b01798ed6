/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions that test_static_branch_asm_main.c calls; what each returns is
 * described in test_static_branch_asm.h.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * Targets are local labels wherever possible, with more sites and more labels
 * of the same name in between: the macros must leave 1b and 1f alone.
 *
 * A new architecture needs one macro, which returns a constant to C.
 */
#include <linux/jump_label.h>
#include <linux/linkage.h>

#if defined(CONFIG_X86)
.macro RETURN_CONST value:req
	movl	$\value, %eax
	RET
.endm
#elif defined(CONFIG_ARM64)
.macro RETURN_CONST value:req
	mov	w0, #\value
	ret
.endm
#elif defined(CONFIG_RISCV)
.macro RETURN_CONST value:req
	li	a0, \value
	ret
.endm
#elif defined(CONFIG_ARM)
#include <asm/assembler.h>
.macro RETURN_CONST value:req
	mov	r0, #\value
	ret	lr
.endm
#elif defined(CONFIG_S390)
#include <asm/nospec-insn.h>
	GEN_BR_THUNK %r14
.macro RETURN_CONST value:req
	lghi	%r2, \value
	BR_EX	%r14
.endm
#elif defined(CONFIG_LOONGARCH)
#include <asm/regdef.h>
.macro RETURN_CONST value:req
	li.w	a0, \value
	jr	ra
.endm
#else
#error "no RETURN_CONST for this architecture"
#endif

	.text

SYM_FUNC_START(sba_test_nop)
	STATIC_BRANCH sba_test_off, 1f
	RETURN_CONST 0
1:	RETURN_CONST 1
SYM_FUNC_END(sba_test_nop)

SYM_FUNC_START(sba_test_nop_inverted)
	STATIC_BRANCH sba_test_on, 1f, branch=1
	RETURN_CONST 0
1:	RETURN_CONST 1
SYM_FUNC_END(sba_test_nop_inverted)

SYM_FUNC_START(sba_test_jump)
	STATIC_BRANCH_JUMP sba_test_on, 1f
	RETURN_CONST 0
1:	RETURN_CONST 1
SYM_FUNC_END(sba_test_jump)

SYM_FUNC_START(sba_test_jump_inverted)
	STATIC_BRANCH_JUMP sba_test_off, 1f, branch=1
	RETURN_CONST 0
1:	RETURN_CONST 1
SYM_FUNC_END(sba_test_jump_inverted)

SYM_FUNC_START(sba_test_pair)
	STATIC_BRANCH sba_test_off, 1f
	STATIC_BRANCH_JUMP sba_test_on, 2f
	RETURN_CONST 0
1:	STATIC_BRANCH_JUMP sba_test_on, 1f
	RETURN_CONST 1
2:	RETURN_CONST 2
1:	RETURN_CONST 3
SYM_FUNC_END(sba_test_pair)

SYM_FUNC_START(sba_test_pair_inverted)
	STATIC_BRANCH_JUMP sba_test_off, 1f, branch=1
	STATIC_BRANCH sba_test_on, 2f, branch=1
	RETURN_CONST 0
1:	STATIC_BRANCH sba_test_on, 1f, branch=1
	RETURN_CONST 1
2:	RETURN_CONST 2
1:	RETURN_CONST 3
SYM_FUNC_END(sba_test_pair_inverted)

SYM_FUNC_START(sba_test_again_off)
	STATIC_BRANCH sba_test_off, 2f
	STATIC_BRANCH_JUMP sba_test_off, 1f, branch=1
	RETURN_CONST 2
1:	RETURN_CONST 0
1:	RETURN_CONST 1
2:	STATIC_BRANCH sba_test_off, 1b
	RETURN_CONST 3
SYM_FUNC_END(sba_test_again_off)

SYM_FUNC_START(sba_test_again_on)
	STATIC_BRANCH_JUMP sba_test_on, 2f
	STATIC_BRANCH sba_test_on, 1f, branch=1
	RETURN_CONST 2
1:	RETURN_CONST 0
1:	RETURN_CONST 1
2:	STATIC_BRANCH_JUMP sba_test_on, 1b
	RETURN_CONST 3
SYM_FUNC_END(sba_test_again_on)

/* Far enough for x86 to need the long form of a jump. */
SYM_FUNC_START(sba_test_far)
	STATIC_BRANCH sba_test_off, 2f
	.rept	32
	STATIC_BRANCH_JUMP sba_test_on, 1f
	RETURN_CONST 0
1:
	.endr
	RETURN_CONST 1
2:	RETURN_CONST 2
SYM_FUNC_END(sba_test_far)

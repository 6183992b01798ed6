/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function in assembly with a path that is rarely wanted.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * While the key is disabled, which is what it was defined as, STATIC_BRANCH is
 * a no-op: the fast path neither loads nor tests anything, and needs no spare
 * register or flags for it. While the key is enabled it is a jump to the label.
 *
 * Without CONFIG_JUMP_LABEL there is no STATIC_BRANCH; a key is then just its
 * counter, which is the first member of struct static_key in any case.
 */
#include <linux/jump_label.h>
#include <linux/linkage.h>
#if defined(CONFIG_X86)
#include <asm/asm.h>
#elif defined(CONFIG_ARM64)
#include <asm/assembler.h>
#endif

	.text

SYM_FUNC_START(sample_work)

#if defined(CONFIG_X86)

#ifdef CONFIG_JUMP_LABEL
	STATIC_BRANCH sample_slow_key, .Lslow
#else
	cmpl	$0, _ASM_RIP(sample_slow_key)
	jne	.Lslow
#endif
	xorl	%eax, %eax
	RET
.Lslow:
	jmp	sample_work_slow

#elif defined(CONFIG_ARM64)

#ifdef CONFIG_JUMP_LABEL
	STATIC_BRANCH sample_slow_key, .Lslow
#else
	ldr_l	w9, sample_slow_key, x9
	cbnz	w9, .Lslow
#endif
	mov	w0, wzr
	ret
.Lslow:
	b	sample_work_slow

#elif defined(CONFIG_RISCV)

#ifdef CONFIG_JUMP_LABEL
	STATIC_BRANCH sample_slow_key, .Lslow
#else
	lw	t0, sample_slow_key
	bnez	t0, .Lslow
#endif
	li	a0, 0
	ret
.Lslow:
	tail	sample_work_slow

#endif

SYM_FUNC_END(sample_work)

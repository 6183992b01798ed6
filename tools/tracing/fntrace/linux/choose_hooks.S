/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that are left out without a look at more than a few words (x86_64).
 *
 * A function that no option names, as choose_plain knows, is left out
 *
 *	- while nothing is recorded (fntrace_waits),
 *	- if this thread has no frame, and only some functions are wanted (fntrace_only),
 *	- if its innermost frame is that of a hidden call, and alive: it is further up.
 *
 * Everything else is decided in C: fntrace_mcount_chosen and fntrace_fentry_chosen go on as if
 * they had been jumped to at once. The frame is that of this thread, so nobody changes it
 * meanwhile but a handler of signals, which leaves it as it was.
 */

#ifdef __x86_64__

#include "../backend/internal.h"
#include "choose.h"

#define FRAME	(CHOOSE_FRAME_SIZE)

/*
 * The return address, which is in the function, is behind the three words that are saved. A
 * hidden frame must be more than a word above @low, the lowest place that the frame of this
 * function may have.
 */
.macro HOOK name, chosen, low
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	.cfi_adjust_cfa_offset 24
	movq	24(%rsp), %rax
	movl	%eax, %ecx
	shrl	$4, %ecx
	movzwl	%cx, %ecx
	leaq	choose_plain(%rip), %rdx
	cmpq	%rax, (%rdx,%rcx,8)
	jne	2f
	cmpb	$0, fntrace_waits(%rip)
	jne	1f
	movq	fntrace_self@gottpoff(%rip), %rcx
	movq	%fs:(%rcx), %rcx
	cmpq	$4096, %rcx		/* it is no thread */
	jb	2f
	movq	CHOOSE_STACK_DEPTH(%rcx), %rax
	testq	%rax, %rax
	jz	3f
	leaq	(%rax,%rax,2), %rax
	movq	CHOOSE_STACK_FRAMES(%rcx), %rcx
	movq	CHOOSE_FRAME_LOC - FRAME(%rcx,%rax,8), %rdx
	testb	$FRAME_LOST, %dl
	jz	2f
	cmpq	$0, CHOOSE_FRAME_RET - FRAME(%rcx,%rax,8)
	je	2f
	leaq	\low, %rax
	subq	$FRAME_BITS + 8, %rdx
	cmpq	%rax, %rdx
	jle	2f
1:	popq	%rdx
	popq	%rcx
	popq	%rax
	.cfi_adjust_cfa_offset -24
	ret
	.cfi_adjust_cfa_offset 24
3:	cmpb	$0, fntrace_only(%rip)
	jne	1b
2:	popq	%rdx
	popq	%rcx
	popq	%rax
	.cfi_adjust_cfa_offset -24
	jmp	\chosen
	.cfi_endproc
	.size	\name, . - \name
.endm

	.text
	HOOK choose_mcount, fntrace_mcount_chosen, 8(%rbp)
	HOOK choose_fentry, fntrace_fentry_chosen, 32(%rsp)

#endif

	.section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls that are left out without a look at more than a few words (x86_64).
 *
 * A function that no option names, as choose_plain knows, is left out
 *
 *	- while nothing is recorded (fntrace_waits), or not of this thread (@unwanted),
 *	- if this thread has no frame, and only some functions are wanted (fntrace_only),
 *	- if its innermost frame is that of a hidden call, and alive: it is further up.
 *
 * If only threads are chosen, all functions of others are left out, and in those that are
 * recorded nothing else is different.
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
 * function may have. What it has in FRAME_BITS, less FRAME_LOST, is 0 or FRAME_NO_SLOT then;
 * FRAME_GONE is no place.
 */
.macro HOOK name, chosen, low
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	PUSH	%rax
	PUSH	%rcx
	PUSH	%rdx
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
	cmpb	$CHOOSE_UNWANTED, CHOOSE_STACK_UNWANTED(%rcx)
	je	1f
	movq	CHOOSE_STACK_DEPTH(%rcx), %rax
	testq	%rax, %rax
	jz	3f
	leaq	(%rax,%rax,2), %rax
	movq	CHOOSE_STACK_FRAMES(%rcx), %rcx
	movq	CHOOSE_FRAME_LOC - FRAME(%rcx,%rax,8), %rdx
	subq	$FRAME_LOST, %rdx
	testb	$FRAME_BITS - FRAME_NO_SLOT, %dl
	jnz	2f
	leaq	\low, %rax
	cmpq	%rax, %rdx
	jle	2f
1:	.cfi_remember_state
	POP	%rdx
	POP	%rcx
	POP	%rax
	ret
	.cfi_restore_state
3:	cmpb	$0, fntrace_only(%rip)
	jne	1b
2:	POP	%rdx
	POP	%rcx
	POP	%rax
	jmp	\chosen
	.cfi_endproc
	.size	\name, . - \name
.endm

.macro THREAD_HOOK name, on, chosen
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	movq	fntrace_self@gottpoff(%rip), %rax
	movq	%fs:(%rax), %rax
	cmpq	$4096, %rax		/* it is no thread */
	jb	2f
	cmpb	$CHOOSE_UNWANTED, CHOOSE_STACK_UNWANTED(%rax)
	jae	1f
	popq	%rax
	.cfi_adjust_cfa_offset -8
	jmp	\on
	.cfi_adjust_cfa_offset 8
1:	jne	2f
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
2:	popq	%rax
	.cfi_adjust_cfa_offset -8
	jmp	\chosen
	.cfi_endproc
	.size	\name, . - \name
.endm

	.text
	THREAD_HOOK choose_thread_mcount, fntrace_mcount_on, fntrace_mcount_chosen
	THREAD_HOOK choose_thread_fentry, fntrace_fentry_on, fntrace_fentry_chosen
	HOOK choose_mcount, fntrace_mcount_chosen, (8 + FRAME_NO_SLOT + 8)(%rbp)
	HOOK choose_fentry, fntrace_fentry_chosen, (32 + FRAME_NO_SLOT + 8)(%rsp)

#endif

	.section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hooks for x86_64 (System V ABI).
 *
 * mcount is called behind the prologue: the frame pointer leads to the return
 * address. __fentry__ is called first of all: the return address is the next word
 * on the stack. Either may be called before the function saved its arguments, so
 * every register that a call may change is preserved, but vector registers and
 * flags: the C code does not use the ones, and no ABI passes anything in the others.
 *
 * Being off costs one jump.
 */

#include "internal.h"

#define SAVE_SIZE	72

/*
 * Who builds this may know more. With FNTRACE_LLVM_MCOUNT, all calls of mcount were made by
 * LLVM (clang -pg, rustc -Z instrument-mcount), for which they are calls like any other: it
 * has saved what it needs. With FNTRACE_C_RESULTS, functions return values where those of C
 * do, and nowhere else.
 */
#ifdef FNTRACE_LLVM_MCOUNT
#define MCOUNT_SIZE	0
#else
#define MCOUNT_SIZE	SAVE_SIZE
#endif
#ifdef FNTRACE_C_RESULTS
#define RESULTS_SIZE	16
#else
#define RESULTS_SIZE	SAVE_SIZE
#endif

.macro SAVE
	PUSH	%rax
	PUSH	%rcx
	PUSH	%rdx
	PUSH	%rsi
	PUSH	%rdi
	PUSH	%r8
	PUSH	%r9
	PUSH	%r10
	PUSH	%r11
.endm

.macro RESTORE
	POP	%r11
	POP	%r10
	POP	%r9
	POP	%r8
	POP	%rdi
	POP	%rsi
	POP	%rdx
	POP	%rcx
	POP	%rax
.endm

.macro SAVE_MCOUNT
#ifndef FNTRACE_LLVM_MCOUNT
	SAVE
#endif
.endm

.macro RESTORE_MCOUNT
#ifndef FNTRACE_LLVM_MCOUNT
	RESTORE
#endif
.endm

.macro SAVE_RESULTS
#ifdef FNTRACE_C_RESULTS
	PUSH	%rax
	PUSH	%rdx
#else
	SAVE
#endif
.endm

.macro RESTORE_RESULTS
#ifdef FNTRACE_C_RESULTS
	POP	%rdx
	POP	%rax
#else
	RESTORE
#endif
.endm

/*
 * The stack is as the function left it; C wants it aligned. What was there is
 * relative to the frame pointer now: SAVED(size, 0) is the word above what was saved.
 */
.macro ALIGN_STACK
	.cfi_remember_state
	PUSH	%rbp
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	andq	$-16, %rsp
.endm

.macro LEAVE_STACK
	leave
	.cfi_restore_state
.endm
#define SAVED(size, n)	(8 + (size) + 8 * (n))(%rbp)

/*
 * Where values are recorded as well, the hooks are those whose names end in _values. They
 * save everything, and their C function has two arguments more: what SAVE saved, and the lower
 * halves of the vector registers, in which floating point is passed and returned.
 */
.macro SAVE_FLOATING
	subq	$64, %rsp
	movsd	%xmm0, (%rsp)
	movsd	%xmm1, 8(%rsp)
	movsd	%xmm2, 16(%rsp)
	movsd	%xmm3, 24(%rsp)
	movsd	%xmm4, 32(%rsp)
	movsd	%xmm5, 40(%rsp)
	movsd	%xmm6, 48(%rsp)
	movsd	%xmm7, 56(%rsp)
.endm

.macro GIVE_REGISTERS general, floating
	leaq	8(%rbp), \general
	movq	%rsp, \floating
.endm

	.text

	.globl	mcount
	.type	mcount, @function
	.p2align 4
mcount:
	.cfi_startproc
	jmp	*fntrace_mcount_hook(%rip)
	.cfi_endproc
	.size	mcount, . - mcount

	.globl	__fentry__, fntrace_fentry
	.hidden	fntrace_fentry
	.type	__fentry__, @function
	.type	fntrace_fentry, @function
	.p2align 4
__fentry__:
fntrace_fentry:
	.cfi_startproc
	jmp	*fntrace_fentry_hook(%rip)
	.cfi_endproc
	.size	__fentry__, . - __fentry__
	.size	fntrace_fentry, . - fntrace_fentry

	.globl	fntrace_off, fntrace_fentry_off
	.hidden	fntrace_off, fntrace_fentry_off
	.type	fntrace_off, @function
	.type	fntrace_fentry_off, @function
fntrace_off:
fntrace_fentry_off:
	.cfi_startproc
	ret
	.cfi_endproc
	.size	fntrace_off, . - fntrace_off

.macro MCOUNT_HOOK name, enter, save, restore, size, values=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	\save
	/*
	 * A naked function has no frame of its own: then the frame pointer is the
	 * caller's, or something else altogether. A frame that begins more than this
	 * above the stack pointer, or below, is taken for such a case, and the
	 * function is not traced.
	 */
	leaq	\size(%rsp), %rax
	movq	%rbp, %rcx
	subq	%rax, %rcx
	cmpq	$0x1000000, %rcx
	jae	1f
	testb	$7, %bpl
	jnz	1f
	ALIGN_STACK
	.if \values
	SAVE_FLOATING
	.endif
	call	fntrace_current
	movq	%rax, %rdi
	movq	(%rbp), %rsi		/* the frame pointer of the function */
	addq	$8, %rsi
	movq	SAVED(\size, 0), %rdx
	.if \values
	GIVE_REGISTERS %rcx, %r8
	.endif
	call	\enter
	LEAVE_STACK
1:	\restore
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	MCOUNT_HOOK fntrace_mcount_on, fntrace_enter_slot, SAVE_MCOUNT, RESTORE_MCOUNT, MCOUNT_SIZE
	MCOUNT_HOOK fntrace_mcount_chosen, fntrace_enter_slot_chosen, SAVE_MCOUNT, \
		    RESTORE_MCOUNT, MCOUNT_SIZE
	MCOUNT_HOOK fntrace_mcount_values, fntrace_enter_mcount_values, SAVE, RESTORE, SAVE_SIZE, 1

.macro FENTRY_HOOK name, enter, values=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	SAVE
	ALIGN_STACK
	.if \values
	SAVE_FLOATING
	.endif
	call	fntrace_current
	movq	%rax, %rdi
	leaq	SAVED(SAVE_SIZE, 1), %rsi
	movq	SAVED(SAVE_SIZE, 0), %rdx
	.if \values
	GIVE_REGISTERS %rcx, %r8
	.endif
	/*
	 * GCC keeps the static chain of a nested function on the stack: the hook is
	 * called between pushq and popq of r10, and the return address is one word up.
	 */
	cmpw	$0x5a41, (%rdx)		/* popq %r10 */
	je	2f
1:	call	\enter
	LEAVE_STACK
	RESTORE
	ret
2:	addq	$8, %rsi
	jmp	1b
	.cfi_endproc
	.size	\name, . - \name
.endm

	FENTRY_HOOK fntrace_fentry_on, fntrace_enter_slot
	FENTRY_HOOK fntrace_fentry_chosen, fntrace_enter_slot_chosen
	FENTRY_HOOK fntrace_fentry_values, fntrace_enter_slot_values, 1

/*
 * Where traced functions return to. All that a function may return something in
 * is preserved, not only what C does: Rust has its own mind.
 *
 * The word below the stack pointer held the address of this. It is free, and gets
 * the address to return to. A jump goes there, not a return: the CPU's stack of
 * return addresses has one less than the real one has, and would be wrong for every
 * caller from here on. An interrupt on this stack may write over that word, though,
 * so r11, which no function returns anything in, takes it along.
 *
 * To an unwinder that word is the return address of this function, and fntrace_detach() has
 * made it the one of the function that has returned.
 */
.macro RETURN_HOOK name, leave, save, restore, size, values=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
	nop
\name:
	.cfi_startproc
	.cfi_def_cfa_offset 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	\save
	ALIGN_STACK
	.if \values
	SAVE_FLOATING
	.endif
	call	fntrace_current
	movq	%rax, %rdi
	leaq	SAVED(\size, 1), %rsi
	.if \values
	GIVE_REGISTERS %rcx, %r8
	.endif
	call	\leave
	movq	%rax, SAVED(\size, 0)
	LEAVE_STACK
	\restore
	POP	%r11
	jmp	*%r11
	.cfi_endproc
	.size	\name, . - \name
.endm

	RETURN_HOOK fntrace_return, fntrace_leave, SAVE_RESULTS, RESTORE_RESULTS, RESULTS_SIZE
	RETURN_HOOK fntrace_return_values, fntrace_leave_values, SAVE, RESTORE, SAVE_SIZE, 1

	.section .note.GNU-stack, "", @progbits

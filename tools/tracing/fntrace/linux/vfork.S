/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vfork(): the child runs on the stack of its parent, which waits, and may write over all
 * that is below the frame of the caller. So nothing may be kept there, and the address to
 * return to is in a register while both are on their way.
 *
 * fntrace_after_vfork() is called in both; its argument is the result of the system call.
 */

	.text
	.globl	vfork
	.type	vfork, %function
	.p2align 4
vfork:
	.cfi_startproc
#if defined(__x86_64__)
	popq	%rdi
	.cfi_def_cfa_offset 0
	.cfi_register %rip, %rdi
	movl	$58, %eax		/* vfork */
	syscall
	pushq	%rdi
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	subq	$8, %rsp
	.cfi_def_cfa_offset 16
	movq	%rax, %rdi
	call	fntrace_after_vfork
	addq	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
#elif defined(__aarch64__)
	mov	x0, #0x4111		/* CLONE_VFORK | CLONE_VM | SIGCHLD */
	mov	x1, #0
	mov	x2, #0
	mov	x3, #0
	mov	x4, #0
	mov	x8, #220		/* clone */
	svc	#0
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	bl	fntrace_after_vfork
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	ret
#elif defined(__riscv)
	li	a0, 0x4111		/* CLONE_VFORK | CLONE_VM | SIGCHLD */
	li	a1, 0
	li	a2, 0
	li	a3, 0
	li	a4, 0
	li	a7, 220			/* clone */
	ecall
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	call	fntrace_after_vfork
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	ret
#endif
	.cfi_endproc
	.size	vfork, . - vfork

	.section .note.GNU-stack, "", %progbits

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * syscall(), in front of that of libc, as libraries call seccomp(2) by it. It must have no
 * frame of its own: what it calls may return on another stack. The CFI is for the program's
 * own profiler: signals that the tracer has blocked arrive when its last system call returns.
 */

	.text
	.globl	syscall
	.type	syscall, %function
	.p2align 4
syscall:
	.cfi_startproc
#if defined(__x86_64__)
	cmpl	$317, %edi		/* seccomp */
	je	1f
0:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
1:	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	call	fntrace_before_seccomp
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	0b
2:	movq	%rax, %rdi
	jmp	fntrace_syscall_error
#elif defined(__aarch64__)
	cmp	w0, #277		/* seccomp */
	b.eq	1f
0:	uxtw	x8, w0
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	mov	x3, x4
	mov	x4, x5
	mov	x5, x6
	svc	#0
	cmn	x0, #4095
	b.cs	2f
	ret
1:	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	mov	x0, x1
	mov	x1, x2
	mov	x2, x3
	bl	fntrace_before_seccomp
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x29, x30, [sp], #48
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	b	0b
2:	b	fntrace_syscall_error
#elif defined(__riscv)
	li	t0, 277			/* seccomp */
	beq	a0, t0, 1f
0:	mv	a7, a0
	mv	a0, a1
	mv	a1, a2
	mv	a2, a3
	mv	a3, a4
	mv	a4, a5
	mv	a5, a6
	ecall
	li	t0, -4096
	bltu	t0, a0, 2f
	ret
1:	addi	sp, sp, -48
	.cfi_def_cfa_offset 48
	sd	ra, 0(sp)
	.cfi_offset ra, -48
	sd	a0, 8(sp)
	sd	a1, 16(sp)
	sd	a2, 24(sp)
	sd	a3, 32(sp)
	mv	a0, a1
	mv	a1, a2
	mv	a2, a3
	call	fntrace_before_seccomp
	ld	ra, 0(sp)
	.cfi_restore ra
	ld	a0, 8(sp)
	ld	a1, 16(sp)
	ld	a2, 24(sp)
	ld	a3, 32(sp)
	addi	sp, sp, 48
	.cfi_def_cfa_offset 0
	j	0b
2:	tail	fntrace_syscall_error
#endif
	.cfi_endproc
	.size	syscall, . - syscall

	.section .note.GNU-stack, "", %progbits

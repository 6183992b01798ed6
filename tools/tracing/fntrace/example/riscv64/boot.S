/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How both CPUs begin, and how interrupts get to C.
 *
 * Nothing here is instrumented: assembly has no hooks. A stub that was traced would have its
 * hook called before the registers of the interrupted code are saved.
 */
#include "../kernel.h"

.macro INIT_CPU stack
	csrw	sie, zero
	la	t0, trapped
	csrw	stvec, t0
	la	sp, \stack
	li	s0, 0
	/* The other CPU may have changed code. */
	fence.i
.endm

	.text
	.globl	start
	.type	start, @function
start:	/* supervisor mode without paging; a0 is the number of the CPU, a1 the device tree */
	/*
	 * The second CPU may come here as well. sbi_hsm_hart_start() of OpenSBI before 1.3 marks
	 * it as to be started before it notes where: one that is still on its way through the
	 * firmware finds the mark, and the address at which the first one started.
	 */
	la	t0, started
	li	t1, 1
	amoswap.w t1, t1, (t0)
	bnez	t1, second_cpu_start
	INIT_CPU stacks + STACK_SIZE
	la	t0, boot_hart
	sd	a0, (t0)
	mv	a0, a1
	call	boot_cpu
	.size	start, . - start

	.globl	second_cpu_start
	.type	second_cpu_start, @function
second_cpu_start:
	INIT_CPU stacks + 2 * STACK_SIZE
	call	second_cpu
	.size	second_cpu_start, . - second_cpu_start

	/*
	 * On the stack of the interrupted code, which the shadow stack follows: what the
	 * handler does is nested in the function it interrupted.
	 */
	.balign	4
	.type	trapped, @function
trapped:
	addi	sp, sp, -REGISTERS_SIZE
	sd	x1, 0(sp)
	sd	x3, 16(sp)
	sd	x4, 24(sp)
	sd	x5, 32(sp)
	sd	x6, 40(sp)
	sd	x7, 48(sp)
	sd	x8, 56(sp)
	sd	x9, 64(sp)
	sd	x10, 72(sp)
	sd	x11, 80(sp)
	sd	x12, 88(sp)
	sd	x13, 96(sp)
	sd	x14, 104(sp)
	sd	x15, 112(sp)
	sd	x16, 120(sp)
	sd	x17, 128(sp)
	sd	x18, 136(sp)
	sd	x19, 144(sp)
	sd	x20, 152(sp)
	sd	x21, 160(sp)
	sd	x22, 168(sp)
	sd	x23, 176(sp)
	sd	x24, 184(sp)
	sd	x25, 192(sp)
	sd	x26, 200(sp)
	sd	x27, 208(sp)
	sd	x28, 216(sp)
	sd	x29, 224(sp)
	sd	x30, 232(sp)
	sd	x31, 240(sp)
	addi	t0, sp, REGISTERS_SIZE
	csrr	t1, sstatus
	csrr	t2, sepc
	csrr	t3, scause
	sd	t0, 8(sp)
	sd	t1, 248(sp)
	sd	t2, 256(sp)
	sd	t3, 264(sp)
	mv	a0, sp
	bltz	t3, 1f
	call	exception
1:	call	interrupt
	ld	t1, 248(sp)
	ld	t2, 256(sp)
	csrw	sstatus, t1
	csrw	sepc, t2
	ld	x1, 0(sp)
	ld	x5, 32(sp)
	ld	x6, 40(sp)
	ld	x7, 48(sp)
	ld	x8, 56(sp)
	ld	x9, 64(sp)
	ld	x10, 72(sp)
	ld	x11, 80(sp)
	ld	x12, 88(sp)
	ld	x13, 96(sp)
	ld	x14, 104(sp)
	ld	x15, 112(sp)
	ld	x16, 120(sp)
	ld	x17, 128(sp)
	ld	x18, 136(sp)
	ld	x19, 144(sp)
	ld	x20, 152(sp)
	ld	x21, 160(sp)
	ld	x22, 168(sp)
	ld	x23, 176(sp)
	ld	x24, 184(sp)
	ld	x25, 192(sp)
	ld	x26, 200(sp)
	ld	x27, 208(sp)
	ld	x28, 216(sp)
	ld	x29, 224(sp)
	ld	x30, 232(sp)
	ld	x31, 240(sp)
	addi	sp, sp, REGISTERS_SIZE
	sret
	.size	trapped, . - trapped

	/*
	 * setjmp() and longjmp() under other names: without hooks the return address
	 * that jump_set() finds is its own.
	 */
	.globl	jump_set
	.type	jump_set, @function
jump_set:
	sd	s0, 0(a0)
	sd	s1, 8(a0)
	sd	s2, 16(a0)
	sd	s3, 24(a0)
	sd	s4, 32(a0)
	sd	s5, 40(a0)
	sd	s6, 48(a0)
	sd	s7, 56(a0)
	sd	s8, 64(a0)
	sd	s9, 72(a0)
	sd	s10, 80(a0)
	sd	s11, 88(a0)
	sd	ra, 96(a0)
	sd	sp, 104(a0)
	li	a0, 0
	ret
	.size	jump_set, . - jump_set

	.globl	jump_to
	.type	jump_to, @function
jump_to:
	ld	s0, 0(a0)
	ld	s1, 8(a0)
	ld	s2, 16(a0)
	ld	s3, 24(a0)
	ld	s4, 32(a0)
	ld	s5, 40(a0)
	ld	s6, 48(a0)
	ld	s7, 56(a0)
	ld	s8, 64(a0)
	ld	s9, 72(a0)
	ld	s10, 80(a0)
	ld	s11, 88(a0)
	ld	ra, 96(a0)
	ld	sp, 104(a0)
	li	a0, 1
	ret
	.size	jump_to, . - jump_to

	/* What a debugger looks for: these three, of 4 bytes each and on one page. */
	.balign	16
	.globl	debugger
	.type	debugger, @function
debugger:
	.option	push
	.option	norvc
	slli	zero, zero, 0x1f
	ebreak
	srai	zero, zero, 7
	.option	pop
	ret
	.size	debugger, . - debugger

	.data
	.balign	8
	.globl	boot_hart
boot_hart:
	.quad	0
started:
	.word	0

	.section .note.GNU-stack, "", @progbits

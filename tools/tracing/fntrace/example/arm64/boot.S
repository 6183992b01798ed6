/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How both CPUs begin, and how interrupts get to C.
 *
 * Nothing here is instrumented: assembly has no hooks. A stub that was traced would have its
 * hook called before the registers of the interrupted code are saved.
 */
#include "../kernel.h"

#define MAIR_VALUE	0xff00		/* 0: device; 1: normal memory, write-back */
#define TCR_VALUE	0x803519	/* TTBR0 alone, 39 bits, tables in normal memory */
#define SCTLR_SET	0x1005		/* MMU and caches on */

/* Blocks of 1 GiB that were accessed; devices are not executed. */
#define BLOCK_DEVICE	0x0060000000000401
#define BLOCK_NORMAL	0x705

/* QEMU starts a kernel at EL1, with all off. */
.macro INIT_CPU
	ldr	x0, =MAIR_VALUE
	msr	mair_el1, x0
	ldr	x0, =TCR_VALUE
	msr	tcr_el1, x0
	adrp	x0, page_map
	msr	ttbr0_el1, x0
	tlbi	vmalle1
	dsb	nsh
	isb
	mrs	x0, sctlr_el1
	ldr	x1, =SCTLR_SET
	orr	x0, x0, x1
	msr	sctlr_el1, x0
	isb
	adrp	x0, vectors
	add	x0, x0, #:lo12:vectors
	msr	vbar_el1, x0
	isb
.endm

	.text
	.globl	start
	.type	start, %function
start:
	INIT_CPU
	ldr	x0, =stacks + STACK_SIZE
	mov	sp, x0
	mov	x29, #0
	mov	x30, #0
	ldr	x0, =DEVICE_TREE
	b	boot_cpu
	.size	start, . - start

	.globl	second_cpu_start
	.type	second_cpu_start, %function
second_cpu_start:
	INIT_CPU
	ldr	x0, =stacks + 2 * STACK_SIZE
	mov	sp, x0
	mov	x29, #0
	mov	x30, #0
	b	second_cpu
	.size	second_cpu_start, . - second_cpu_start

	/*
	 * On the stack of the interrupted code, which the shadow stack follows: what the
	 * handler does is nested in the function it interrupted. That function may have no
	 * frame record yet, or none any more. The handler needs one of its caller, by which
	 * it is known.
	 */
.macro ENTER handler
	sub	sp, sp, #REGISTERS_SIZE
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	stp	x18, x19, [sp, #144]
	stp	x20, x21, [sp, #160]
	stp	x22, x23, [sp, #176]
	stp	x24, x25, [sp, #192]
	stp	x26, x27, [sp, #208]
	stp	x28, x29, [sp, #224]
	mrs	x0, spsr_el1
	mrs	x1, elr_el1
	stp	x30, x0, [sp, #240]
	str	x1, [sp, #256]
	stp	x29, x1, [sp, #272]
	add	x29, sp, #272
	mov	x0, sp
	bl	\handler
.endm

	.type	interrupted, %function
interrupted:
	ENTER	interrupt
	ldr	x1, [sp, #256]
	ldp	x30, x0, [sp, #240]
	msr	elr_el1, x1
	msr	spsr_el1, x0
	ldp	x28, x29, [sp, #224]
	ldp	x26, x27, [sp, #208]
	ldp	x24, x25, [sp, #192]
	ldp	x22, x23, [sp, #176]
	ldp	x20, x21, [sp, #160]
	ldp	x18, x19, [sp, #144]
	ldp	x16, x17, [sp, #128]
	ldp	x14, x15, [sp, #112]
	ldp	x12, x13, [sp, #96]
	ldp	x10, x11, [sp, #80]
	ldp	x8, x9, [sp, #64]
	ldp	x6, x7, [sp, #48]
	ldp	x4, x5, [sp, #32]
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp]
	add	sp, sp, #REGISTERS_SIZE
	eret
	.size	interrupted, . - interrupted

	.type	trapped, %function
trapped:
	ENTER	exception
	.size	trapped, . - trapped

	/* The sixth is for interrupts while the stack pointer is that of EL1. */
	.balign	2048
vectors:
	.set	vector, 0
	.rept	16
	.balign	128
	.if	vector == 5
	b	interrupted
	.else
	b	trapped
	.endif
	.set	vector, vector + 1
	.endr

	/*
	 * setjmp() and longjmp() under other names: without hooks the return address
	 * that jump_set() finds is its own.
	 */
	.balign	16
	.globl	jump_set
	.type	jump_set, %function
jump_set:
	stp	x19, x20, [x0]
	stp	x21, x22, [x0, #16]
	stp	x23, x24, [x0, #32]
	stp	x25, x26, [x0, #48]
	stp	x27, x28, [x0, #64]
	stp	x29, x30, [x0, #80]
	mov	x1, sp
	str	x1, [x0, #96]
	mov	x0, #0
	ret
	.size	jump_set, . - jump_set

	.globl	jump_to
	.type	jump_to, %function
jump_to:
	ldp	x19, x20, [x0]
	ldp	x21, x22, [x0, #16]
	ldp	x23, x24, [x0, #32]
	ldp	x25, x26, [x0, #48]
	ldp	x27, x28, [x0, #64]
	ldp	x29, x30, [x0, #80]
	ldr	x1, [x0, #96]
	mov	sp, x1
	mov	x0, #1
	ret
	.size	jump_to, . - jump_to

	/* What a debugger looks for. */
	.globl	debugger
	.type	debugger, %function
debugger:
	hlt	#0xf000
	ret
	.size	debugger, . - debugger

	/* The first GiB has the devices, the others memory. */
	.data
	.balign	4096
page_map:
	.quad	BLOCK_DEVICE
	.quad	BLOCK_NORMAL + 0x40000000
	.quad	BLOCK_NORMAL + 0x80000000
	.quad	BLOCK_NORMAL + 0xc0000000
	.fill	508, 8, 0

	.section .note.GNU-stack, "", %progbits

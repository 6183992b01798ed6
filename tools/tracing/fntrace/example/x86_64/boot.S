/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How both CPUs get to long mode, and how interrupts get to C.
 *
 * Nothing here is instrumented: assembly has no hooks. A stub that was traced
 * would have its hook called before the registers of the interrupted code are
 * saved.
 */
#include "../kernel.h"

#define CR0_VALUE	0x80010033	/* PG, WP, NE, ET, MP, PE; caches on */
#define CR4_VALUE	0x20		/* PAE */
#define MSR_EFER	0xc0000080
#define EFER_VALUE	0x100		/* LME */

#define PVH_ENTRY	18		/* XEN_ELFNOTE_PHYS32_ENTRY */

/* The exceptions for which the CPU pushes an error code: 8, 10-14, 17, 21, 29, 30. */
#define HAVE_ERROR	0x60227d00

/* From protected or real mode to 64 bits; the GDT is loaded. Changes eax, ecx, edx. */
.macro LONG_MODE target
	movl	$CR4_VALUE, %eax
	movl	%eax, %cr4
	movl	$page_map, %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	movl	$EFER_VALUE, %eax
	xorl	%edx, %edx
	wrmsr
	movl	$CR0_VALUE, %eax
	movl	%eax, %cr0
	ljmpl	$KERNEL_CODE, $\target
.endm

.macro LOAD_SEGMENTS
	movl	$KERNEL_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs
	lidt	idt_pointer(%rip)
.endm

	/* This note is what makes a PVH kernel, which QEMU boots with -kernel. */
	.section .note.pvh, "a", @note
	.balign	4
	.long	4
	.long	8
	.long	PVH_ENTRY
	.asciz	"Xen"
	.quad	start

	.text
	.code32
	.globl	start
	.type	start, @function
start:	/* 32-bit protected mode without paging; ebx leads to the command line */
	cli
	cld
	lgdt	gdt_pointer
	LONG_MODE boot_cpu_64
	.size	start, . - start

	/*
	 * Real mode. It is copied, so what it accesses here is relative to its
	 * segment. A CPU may go from real mode to long mode at once.
	 */
	.code16
	.globl	trampoline, trampoline_end
trampoline:
	cli
	cld
	movw	%cs, %ax
	movw	%ax, %ds
	lgdtl	trampoline_gdt - trampoline
	LONG_MODE second_cpu_64
	.balign	4
trampoline_gdt:
	.word	gdt_end - gdt - 1
	.long	gdt
trampoline_end:

	.code64
boot_cpu_64:
	LOAD_SEGMENTS
	movl	$stacks + STACK_SIZE, %esp
	movl	%ebx, %edi
	call	boot_cpu

second_cpu_64:
	LOAD_SEGMENTS
	/* All CPUs hear the call, the first one to come is the second CPU. */
	movl	$1, %eax
	lock xaddl %eax, started(%rip)
	testl	%eax, %eax
	jnz	1f
	movl	$stacks + 2 * STACK_SIZE, %esp
	call	second_cpu
1:	hlt
	jmp	1b

	.balign	STUB_SIZE
	.globl	stubs
stubs:
	.set	vector, 0
	.rept	NR_VECTORS
	.balign	STUB_SIZE
	.if	!((HAVE_ERROR >> vector) & 1)
	pushq	$0
	.endif
	pushq	$vector
	jmp	interrupted
	.set	vector, vector + 1
	.endr

	/*
	 * On the stack of the interrupted code, which the shadow stack follows: what
	 * the handler does is nested in the function it interrupted.
	 */
	.type	interrupted, @function
interrupted:
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rbx
	pushq	%rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cld
	movq	%rsp, %rdi
	cmpl	$NR_EXCEPTIONS, 15 * 8(%rsp)
	jae	1f
	call	exception
1:	call	interrupt
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	popq	%rbx
	popq	%rdx
	popq	%rcx
	popq	%rax
	addq	$16, %rsp
	iretq
	.size	interrupted, . - interrupted

	/*
	 * setjmp() and longjmp() under other names: without hooks the return address
	 * that jump_set() finds is its own.
	 */
	.globl	jump_set
	.type	jump_set, @function
jump_set:
	movq	%rbx, 0(%rdi)
	movq	%rbp, 8(%rdi)
	movq	%r12, 16(%rdi)
	movq	%r13, 24(%rdi)
	movq	%r14, 32(%rdi)
	movq	%r15, 40(%rdi)
	leaq	8(%rsp), %rax
	movq	%rax, 48(%rdi)
	movq	(%rsp), %rax
	movq	%rax, 56(%rdi)
	xorl	%eax, %eax
	ret
	.size	jump_set, . - jump_set

	.globl	jump_to
	.type	jump_to, @function
jump_to:
	movq	0(%rdi), %rbx
	movq	8(%rdi), %rbp
	movq	16(%rdi), %r12
	movq	24(%rdi), %r13
	movq	32(%rdi), %r14
	movq	40(%rdi), %r15
	movq	48(%rdi), %rsp
	movl	$1, %eax
	jmp	*56(%rdi)
	.size	jump_to, . - jump_to

	/* The CPU sets bits in all of these. */
	.data
	.balign	8
gdt:
	.quad	0
	.quad	0x00af9b000000ffff	/* KERNEL_CODE */
	.quad	0x00cf93000000ffff	/* KERNEL_DATA */
gdt_end:
gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	gdt

	.balign	8
idt_pointer:
	.word	NR_VECTORS * 16 - 1
	.quad	idt

	/* The first 4 GiB, the local APIC among them, in pages of 2 MiB. */
	.balign	4096
page_map:
	.quad	page_pointers + 0x3
	.fill	511, 8, 0
page_pointers:
	.quad	page_directories + 0x0003
	.quad	page_directories + 0x1003
	.quad	page_directories + 0x2003
	.quad	page_directories + 0x3003
	.fill	508, 8, 0
page_directories:
	.set	page, 0
	.rept	2048
	.quad	(page << 21) + 0x83
	.set	page, page + 1
	.endr

	.bss
	.balign	16
	.globl	idt
idt:
	.fill	NR_VECTORS * 16, 1, 0
started:
	.long	0

	.section .note.GNU-stack, "", @progbits

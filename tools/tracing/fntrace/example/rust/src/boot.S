/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From where QEMU loads the kernel to kernel_main(), at another address, and from
 * interrupts to Rust. Assembly has no hooks, so nothing here is traced.
 *
 * The kernel is compiled for the target of the host, whose core library uses vector
 * registers and writes below the stack pointer. So an interrupt saves the one and runs on a
 * stack of its own because of the other.
 */

	.set	LINKED, 0x100000	/* kernel.lds */
	.set	LOWEST, 0x2000000	/* it is moved to here, or up to */
	.set	PLACES, 32		/* times */
	.set	PLACE_SHIFT, 21		/* 2 MiB above */

	.set	KERNEL_CODE, 0x08
	.set	KERNEL_DATA, 0x10

	.set	CR0_VALUE, 0x80010033	/* PG, WP, NE, ET, MP, PE */
	.set	CR4_VALUE, 0x620		/* OSXMMEXCPT, OSFXSR, PAE */
	.set	MSR_EFER, 0xc0000080
	.set	EFER_VALUE, 0x100		/* LME */

	.set	R_X86_64_RELATIVE, 8

	/*
	 * Until it is moved, the kernel is where it was linked. Differences to "boot" need no
	 * relocation, which 32-bit code of a position-independent kernel could not have.
	 */
	.section .boot, "awx", @progbits
	.code32
boot:
	.globl	start
	.type	start, @function
start:	/* 32-bit protected mode without paging; ebx leads to the command line */
	cli
	cld
	lgdt	LINKED + gdt_pointer - boot
	movl	$CR4_VALUE, %eax
	movl	%eax, %cr4
	movl	$(LINKED + page_map - boot), %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	movl	$EFER_VALUE, %eax
	xorl	%edx, %edx
	wrmsr
	movl	$CR0_VALUE, %eax
	movl	%eax, %cr0
	ljmpl	$KERNEL_CODE, $(LINKED + move - boot)
	.size	start, . - start

	.code64
move:
	movl	$KERNEL_DATA, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	xorl	%eax, %eax
	movl	%eax, %fs
	movl	%eax, %gs

	/* Nobody knows the address before: that is what the recording has to say. */
	rdtsc
	andl	$(PLACES - 1), %eax
	shll	$PLACE_SHIFT, %eax
	addl	$LOWEST, %eax
	movl	%eax, %edi
	leaq	-LINKED(%rax), %r14
	leaq	image_start(%rip), %rsi
	leaq	image_end(%rip), %rcx
	subq	%rsi, %rcx
	rep	movsb
	leaq	bss_end(%rip), %rcx
	leaq	image_end(%rip), %rax
	subq	%rax, %rcx
	xorl	%eax, %eax
	rep	stosb

	/* Addresses in the data of the copy. The linker makes no other kind. */
	leaq	relocations(%rip), %rsi
	leaq	relocations_end(%rip), %rdi
1:	cmpq	%rdi, %rsi
	jae	2f
	cmpq	$R_X86_64_RELATIVE, 8(%rsi)
	jne	3f
	movq	(%rsi), %rax
	movq	16(%rsi), %rcx
	addq	%r14, %rcx
	movq	%rcx, (%rax, %r14)
	addq	$24, %rsi
	jmp	1b
2:	leaq	moved(%rip), %rax
	addq	%r14, %rax
	jmp	*%rax
3:	hlt
	jmp	3b

moved:
	leaq	boot_stack + STACK_SIZE(%rip), %rsp
	movq	%r14, %rdi
	movl	%ebx, %esi
	call	kernel_main
	jmp	3b

	.balign	8
	.globl	gdt
gdt:
	.quad	0
	.quad	0x00af9b000000ffff	/* KERNEL_CODE */
	.quad	0x00cf93000000ffff	/* KERNEL_DATA */
	.quad	0, 0			/* the task state, by machine.rs */
gdt_end:
gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	LINKED + gdt - boot

	/* The first GiB in pages of 2 MiB. */
	.balign	4096
page_map:
	.quad	LINKED + page_pointers - boot + 3
	.fill	511, 8, 0
page_pointers:
	.quad	LINKED + page_directory - boot + 3
	.fill	511, 8, 0
page_directory:
	.set	page, 0
	.rept	512
	.quad	(page << 21) + 0x83
	.set	page, page + 1
	.endr

	.text
	/* Each pushes its number, and a word in the place of an error code if there is none. */
	.balign	16
	.globl	stubs
stubs:
	.set	vector, 0
	.rept	NR_VECTORS
	.balign	16
	.if	!((0x60227d00 >> vector) & 1) || vector > 31
	pushq	$0
	.endif
	pushq	$vector
	jmp	interrupted
	.set	vector, vector + 1
	.endr

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
	movq	%rsp, %rbx
	subq	$512, %rsp
	andq	$-16, %rsp
	fxsave64 (%rsp)
	cld
	movq	11 * 8(%rbx), %rdi	/* the number */
	movq	13 * 8(%rbx), %rsi	/* the address that was interrupted */
	call	interrupt
	fxrstor64 (%rsp)
	movq	%rbx, %rsp
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

	/* The compiler calls these. */
	.globl	memcpy, memmove, memset, memcmp, bcmp
	.type	memcpy, @function
memcpy:
	movq	%rdi, %rax
	movq	%rdx, %rcx
	rep	movsb
	ret
	.size	memcpy, . - memcpy

	.type	memmove, @function
memmove:
	movq	%rdi, %rax
	subq	%rsi, %rax
	cmpq	%rdx, %rax
	jae	memcpy
	movq	%rdi, %rax
	movq	%rdx, %rcx
	leaq	-1(%rdi, %rdx), %rdi
	leaq	-1(%rsi, %rdx), %rsi
	std
	rep	movsb
	cld
	ret
	.size	memmove, . - memmove

	.type	memset, @function
memset:
	movq	%rdi, %r8
	movl	%esi, %eax
	movq	%rdx, %rcx
	rep	stosb
	movq	%r8, %rax
	ret
	.size	memset, . - memset

	.type	memcmp, @function
memcmp:
bcmp:
	xorl	%eax, %eax
	movq	%rdx, %rcx
	cmpq	%rcx, %rcx
	repe	cmpsb
	je	1f
	movzbl	-1(%rdi), %eax
	movzbl	-1(%rsi), %ecx
	subl	%ecx, %eax
1:	ret
	.size	memcmp, . - memcmp

	.bss
	.balign	16
	.globl	boot_stack, interrupt_stack
boot_stack:
	.fill	STACK_SIZE, 1, 0
interrupt_stack:
	.fill	STACK_SIZE, 1, 0

	.section .note.GNU-stack, "", @progbits

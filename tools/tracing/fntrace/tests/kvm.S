/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Firmware for a guest of KVM, a PC: it sends a buffer of the tracer to QEMU's debug console.
 * The records, which two files describe, have the time stamp counter when they are sent. The CPU
 * stays in the 16-bit mode in which it begins, as KVM on a virtual machine may run no other.
 */

	.set	CONSOLE, 0xe9
	.set	QUIT, 0xf4		/* isa-debug-exit */
	.set	STACK, 0x7000

	.code16
	.globl	_start
_start:
header:
	.incbin	"header"
header_end:
/* The second word of each record. */
whats:
	.incbin	"whats"
whats_end:

start:
	cli
	cld
	xorw	%ax, %ax
	movw	%ax, %ss
	movw	$STACK, %sp
	movw	$0xf000, %ax
	movw	%ax, %ds
	movw	$CONSOLE, %dx
	movw	$header, %si
	movw	$(header_end - header), %cx
	rep	outsb
record:
	rdtsc
	movl	%edx, %ebx
	movw	$CONSOLE, %dx
	call	send
	movl	%ebx, %eax
	call	send
	movw	$8, %cx
	rep	outsb
	cmpw	$whats_end, %si
	jne	record
	movw	$QUIT, %dx
	outb	%al, %dx
1:	hlt
	jmp	1b

/* eax, the lowest byte first. */
send:
	movw	$4, %cx
1:	outb	%al, %dx
	shrl	$8, %eax
	loop	1b
	ret

	/* Where the CPU begins. */
	.org	0xfff0
	ljmp	$0xf000, $start
	.org	0x10000

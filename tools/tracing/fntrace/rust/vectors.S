/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Save and restore the vector registers, or those for floating point. They have live values
 * when a hook is called, and glue.c, which is compiled without them, calls Rust, which is not.
 *
 * The first argument is where they are kept. glue.c says how much room there is.
 */

#if defined(__x86_64__)

#define CPUID_OSXSAVE	(1 << 27)
/* Of x87, SSE, AVX and AVX-512: no more than 2688 bytes. */
#define XSAVE_WANTED	0xe7

.macro VECTORS name, extended, old
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	pushq	%rbx
	movl	$1, %eax
	xorl	%ecx, %ecx
	cpuid
	popq	%rbx
	testl	$CPUID_OSXSAVE, %ecx
	jz	1f
	movl	$XSAVE_WANTED, %eax
	xorl	%edx, %edx
	\extended (%rdi)
	ret
1:	\old	(%rdi)
	ret
	.size	\name, . - \name
.endm

	.text
	VECTORS fntrace_rust_save_vectors, xsave64, fxsave64
	VECTORS fntrace_rust_restore_vectors, xrstor64, fxrstor64

	.section .note.GNU-stack, "", @progbits

#elif defined(__aarch64__)

.macro VECTORS name, access
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	hint	#34			/* bti c */
	\access	q0, q1, [x0]
	\access	q2, q3, [x0, #32]
	\access	q4, q5, [x0, #64]
	\access	q6, q7, [x0, #96]
	\access	q8, q9, [x0, #128]
	\access	q10, q11, [x0, #160]
	\access	q12, q13, [x0, #192]
	\access	q14, q15, [x0, #224]
	\access	q16, q17, [x0, #256]
	\access	q18, q19, [x0, #288]
	\access	q20, q21, [x0, #320]
	\access	q22, q23, [x0, #352]
	\access	q24, q25, [x0, #384]
	\access	q26, q27, [x0, #416]
	\access	q28, q29, [x0, #448]
	\access	q30, q31, [x0, #480]
	ret
	.size	\name, . - \name
.endm

	.text
	VECTORS fntrace_rust_save_vectors, stp
	VECTORS fntrace_rust_restore_vectors, ldp

	.section .note.GNU-stack, "", %progbits

#else

/* Those that a function need not preserve; without floating point there is nothing to do. */
.macro VECTORS name, access
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 2
\name:
#if defined(__riscv_flen) && __riscv_flen >= 64
	\access	ft0, 0(a0)
	\access	ft1, 8(a0)
	\access	ft2, 16(a0)
	\access	ft3, 24(a0)
	\access	ft4, 32(a0)
	\access	ft5, 40(a0)
	\access	ft6, 48(a0)
	\access	ft7, 56(a0)
	\access	ft8, 64(a0)
	\access	ft9, 72(a0)
	\access	ft10, 80(a0)
	\access	ft11, 88(a0)
	\access	fa0, 96(a0)
	\access	fa1, 104(a0)
	\access	fa2, 112(a0)
	\access	fa3, 120(a0)
	\access	fa4, 128(a0)
	\access	fa5, 136(a0)
	\access	fa6, 144(a0)
	\access	fa7, 152(a0)
#endif
	ret
	.size	\name, . - \name
.endm

	.text
	VECTORS fntrace_rust_save_vectors, fsd
	VECTORS fntrace_rust_restore_vectors, fld

	.section .note.GNU-stack, "", @progbits

#endif

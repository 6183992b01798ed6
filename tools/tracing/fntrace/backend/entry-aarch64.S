/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hooks for arm64 (AAPCS64).
 *
 * _mcount is called behind the prologue: x29 leads to the frame record, whose
 * second word is the return address. A patched function calls first of all, with
 * its own return address in x9 (mov x9, x30; bl), as the kernel does it.
 *
 * Return addresses must be plain: compile with -mbranch-protection=none or bti.
 */

#include "internal.h"

#define SAVE_SIZE	(12 * 16)

/*
 * Arguments, results, the indirect result, the static chain. The CFI holds at each
 * instruction, see internal.h; of x30 only the hook knows whether it leads anywhere.
 */
.macro SAVE
	sub	sp, sp, #SAVE_SIZE
	.cfi_def_cfa_offset SAVE_SIZE
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x17, [sp, #128]
	str	x18, [sp, #144]
	stp	x29, x30, [sp, #160]
	.cfi_offset x29, 160 - SAVE_SIZE
	add	x29, sp, #160
	.cfi_def_cfa x29, SAVE_SIZE - 160
.endm

/* x30 is the address to return to, and will be changed. */
.macro SAVED_RETURN
	.cfi_offset x30, 168 - SAVE_SIZE
.endm

.macro RESTORE
	ldp	x0, x1, [sp]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x17, [sp, #128]
	ldr	x18, [sp, #144]
	ldp	x29, x30, [sp, #160]
	.cfi_def_cfa sp, SAVE_SIZE
	.cfi_restore x29
	add	sp, sp, #SAVE_SIZE
	.cfi_def_cfa_offset 0
.endm

/*
 * For the hooks whose names end in _values, whose C function has two arguments more: what
 * SAVE saved, and the lower halves of the vector registers, in which floating point is
 * passed and returned. There is none for _mcount, which is called when arguments are gone.
 */
.macro SAVE_FLOATING
	sub	sp, sp, #64
	stp	d0, d1, [sp]
	stp	d2, d3, [sp, #16]
	stp	d4, d5, [sp, #32]
	stp	d6, d7, [sp, #48]
.endm

.macro GIVE_REGISTERS general, floating
	sub	\general, x29, #160
	mov	\floating, sp
.endm

.macro DROP_FLOATING
	add	sp, sp, #64
.endm

.macro HOOK pointer
	hint	#34			/* bti c */
	adrp	x16, \pointer
	ldr	x16, [x16, #:lo12:\pointer]
	br	x16
.endm

	.text

	.globl	_mcount
	.type	_mcount, %function
	.p2align 4
_mcount:
	.cfi_startproc
	HOOK	fntrace_mcount_hook
	.cfi_endproc
	.size	_mcount, . - _mcount

/*
 * x9 has the return address of the function, x30 that into the function: being
 * off means to exchange them back.
 */
	.globl	fntrace_fentry
	.hidden	fntrace_fentry
	.type	fntrace_fentry, %function
	.p2align 4
fntrace_fentry:
	.cfi_startproc
	.cfi_register x30, x9
	hint	#34			/* bti c */
	adrp	x16, fntrace_fentry_hook
	ldr	x16, [x16, #:lo12:fntrace_fentry_hook]
	mov	x17, x30
	mov	x30, x9
	.cfi_restore x30
	mov	x9, x17
	br	x16
	.cfi_endproc
	.size	fntrace_fentry, . - fntrace_fentry

/* Reached from both: a patched function is gone back to through x9. */
	.globl	fntrace_off
	.hidden	fntrace_off
	.type	fntrace_off, %function
fntrace_off:
	.cfi_startproc
	hint	#36			/* bti j */
	ret
	.cfi_endproc
	.size	fntrace_off, . - fntrace_off

	.globl	fntrace_fentry_off
	.hidden	fntrace_fentry_off
	.type	fntrace_fentry_off, %function
fntrace_fentry_off:
	.cfi_startproc
	hint	#36			/* bti j */
	br	x9
	.cfi_endproc
	.size	fntrace_fentry_off, . - fntrace_fentry_off

.macro MCOUNT_HOOK name, enter
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#36			/* bti j */
	SAVE
	SAVED_RETURN
	/* Is it a frame of this function? See the comment for x86_64. */
	ldr	x9, [sp, #160]
	add	x10, sp, #SAVE_SIZE
	sub	x10, x9, x10
	cmp	x10, #0xfff, lsl #12
	b.hs	1f
	tst	x9, #7
	b.ne	1f
	bl	fntrace_current
	ldr	x1, [sp, #160]
	add	x1, x1, #8
	ldr	x2, [sp, #168]
	bl	\enter
1:	RESTORE
	.cfi_restore x30
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	MCOUNT_HOOK fntrace_mcount_on, fntrace_enter_slot
	MCOUNT_HOOK fntrace_mcount_chosen, fntrace_enter_slot_chosen

.macro FENTRY_HOOK name, enter, values=0
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
\name:
	.cfi_startproc
	hint	#36			/* bti j */
	SAVE
	SAVED_RETURN
	.if \values
	SAVE_FLOATING
	.endif
	bl	fntrace_current
	ldr	x1, [x29, #8]
	ldr	x2, [x29, #-88]
	add	x3, x29, #(SAVE_SIZE - 160)
	.if \values
	GIVE_REGISTERS x4, x5
	.endif
	bl	\enter
	.if \values
	DROP_FLOATING
	.endif
	str	x0, [sp, #168]
	RESTORE
	.cfi_restore x30
	br	x9
	.cfi_endproc
	.size	\name, . - \name
.endm

	FENTRY_HOOK fntrace_fentry_on, fntrace_enter_register
	FENTRY_HOOK fntrace_fentry_chosen, fntrace_enter_register_chosen
	FENTRY_HOOK fntrace_fentry_values, fntrace_enter_register_values, 1

.macro RETURN_HOOK name, leave, values=0
	.globl	\name
	.hidden	\name
	.type	\name, %function
	.p2align 4
	nop
\name:
	.cfi_startproc
	.cfi_undefined x30
	hint	#36			/* bti j */
	SAVE
	.if \values
	SAVE_FLOATING
	.endif
	bl	fntrace_current
	add	x1, x29, #(SAVE_SIZE - 160)
	ldr	x2, [x29]
	.if \values
	GIVE_REGISTERS x3, x4
	.endif
	bl	\leave
	.if \values
	DROP_FLOATING
	.endif
	str	x0, [sp, #168]
	RESTORE
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	RETURN_HOOK fntrace_return, fntrace_leave
	RETURN_HOOK fntrace_return_values, fntrace_leave_values, 1

	.section .note.GNU-stack, "", %progbits

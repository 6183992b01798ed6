/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hooks for riscv64 (LP64 and LP64D).
 *
 * _mcount is called behind the prologue: s0 is the frame pointer and the word
 * below it the return address, so compile with -fno-omit-frame-pointer. A patched
 * function calls first of all, with t0 as link register: ra is its own.
 */

#include "internal.h"

#define SAVE_SIZE	(18 * 8)

/*
 * Arguments, results, the static chain, both link registers. The CFI holds at each
 * instruction, see internal.h; of ra only the hook knows whether it leads anywhere.
 */
.macro SAVE
	addi	sp, sp, -SAVE_SIZE
	.cfi_def_cfa_offset SAVE_SIZE
	sd	ra, 0(sp)
	sd	a0, 8(sp)
	sd	a1, 16(sp)
	sd	a2, 24(sp)
	sd	a3, 32(sp)
	sd	a4, 40(sp)
	sd	a5, 48(sp)
	sd	a6, 56(sp)
	sd	a7, 64(sp)
	sd	t0, 72(sp)
	sd	t1, 80(sp)
	sd	t2, 88(sp)
	sd	t3, 96(sp)
	sd	t4, 104(sp)
	sd	t5, 112(sp)
	sd	t6, 120(sp)
.endm

.macro RESTORE
	ld	ra, 0(sp)
	ld	a0, 8(sp)
	ld	a1, 16(sp)
	ld	a2, 24(sp)
	ld	a3, 32(sp)
	ld	a4, 40(sp)
	ld	a5, 48(sp)
	ld	a6, 56(sp)
	ld	a7, 64(sp)
	ld	t0, 72(sp)
	ld	t1, 80(sp)
	ld	t2, 88(sp)
	ld	t3, 96(sp)
	ld	t4, 104(sp)
	ld	t5, 112(sp)
	ld	t6, 120(sp)
	addi	sp, sp, SAVE_SIZE
	.cfi_def_cfa_offset 0
.endm

/* ra is the address to return to, and will be changed. */
.macro SAVED_RETURN
	.cfi_offset ra, -SAVE_SIZE
.endm

/*
 * For the hooks whose names end in _values, whose C function has two arguments more: what
 * SAVE saved, and the registers in which floating point is passed and returned. There is
 * none for _mcount, which is called when arguments are gone.
 */
#define FLOATING_SIZE	64

.macro SAVE_FLOATING
	addi	sp, sp, -FLOATING_SIZE
	.cfi_def_cfa_offset SAVE_SIZE + FLOATING_SIZE
#if defined(__riscv_flen) && __riscv_flen >= 64
	fsd	fa0, 0(sp)
	fsd	fa1, 8(sp)
	fsd	fa2, 16(sp)
	fsd	fa3, 24(sp)
	fsd	fa4, 32(sp)
	fsd	fa5, 40(sp)
	fsd	fa6, 48(sp)
	fsd	fa7, 56(sp)
#endif
.endm

.macro GIVE_REGISTERS general, floating
	addi	\general, sp, FLOATING_SIZE
	mv	\floating, sp
.endm

.macro DROP_FLOATING
	addi	sp, sp, FLOATING_SIZE
	.cfi_def_cfa_offset SAVE_SIZE
.endm

	.text

	.globl	_mcount
	.type	_mcount, @function
	.p2align 2
_mcount:
	.cfi_startproc
	ld	t1, fntrace_mcount_hook
	jr	t1
	.cfi_endproc
	.size	_mcount, . - _mcount

	.globl	fntrace_fentry
	.hidden	fntrace_fentry
	.type	fntrace_fentry, @function
	.p2align 2
fntrace_fentry:
	.cfi_startproc
	ld	t1, fntrace_fentry_hook
	jr	t1
	.cfi_endproc
	.size	fntrace_fentry, . - fntrace_fentry

	.globl	fntrace_off
	.hidden	fntrace_off
	.type	fntrace_off, @function
fntrace_off:
	.cfi_startproc
	ret
	.cfi_endproc
	.size	fntrace_off, . - fntrace_off

	.globl	fntrace_fentry_off
	.hidden	fntrace_fentry_off
	.type	fntrace_fentry_off, @function
fntrace_fentry_off:
	.cfi_startproc
	jr	t0
	.cfi_endproc
	.size	fntrace_fentry_off, . - fntrace_fentry_off

.macro MCOUNT_HOOK name, enter
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 2
\name:
	.cfi_startproc
	SAVE
	SAVED_RETURN
	/* Is it a frame of this function? See the comment for x86_64. */
	addi	t1, sp, SAVE_SIZE
	sub	t2, s0, t1
	li	t3, 0x1000000
	bgeu	t2, t3, 1f
	beqz	t2, 1f
	andi	t2, s0, 7
	bnez	t2, 1f
	call	fntrace_current
	addi	a1, s0, -8
	ld	a2, 0(sp)
	call	\enter
1:	RESTORE
	.cfi_restore ra
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	MCOUNT_HOOK fntrace_mcount_on, fntrace_enter_slot
	MCOUNT_HOOK fntrace_mcount_chosen, fntrace_enter_slot_chosen

.macro FENTRY_HOOK name, enter, values=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 2
\name:
	.cfi_startproc
	SAVE
	SAVED_RETURN
	.if \values
	SAVE_FLOATING
	.endif
	call	fntrace_current
	.if \values
	GIVE_REGISTERS a4, a5
	ld	a1, 0(a4)
	ld	a2, 72(a4)
	addi	a3, a4, SAVE_SIZE
	.else
	ld	a1, 0(sp)
	ld	a2, 72(sp)
	addi	a3, sp, SAVE_SIZE
	.endif
	call	\enter
	.if \values
	DROP_FLOATING
	.endif
	sd	a0, 0(sp)
	RESTORE
	.cfi_restore ra
	jr	t0
	.cfi_endproc
	.size	\name, . - \name
.endm

	FENTRY_HOOK fntrace_fentry_on, fntrace_enter_register
	FENTRY_HOOK fntrace_fentry_chosen, fntrace_enter_register_chosen
	FENTRY_HOOK fntrace_fentry_values, fntrace_enter_register_values, 1

.macro RETURN_HOOK name, leave, values=0
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 2
	nop
\name:
	.cfi_startproc
	.cfi_undefined ra
	SAVE
	.if \values
	SAVE_FLOATING
	.endif
	call	fntrace_current
	.if \values
	GIVE_REGISTERS a3, a4
	addi	a1, a3, SAVE_SIZE
	.else
	addi	a1, sp, SAVE_SIZE
	.endif
	call	\leave
	.if \values
	DROP_FLOATING
	.endif
	sd	a0, 0(sp)
	RESTORE
	ret
	.cfi_endproc
	.size	\name, . - \name
.endm

	RETURN_HOOK fntrace_return, fntrace_leave
	RETURN_HOOK fntrace_return_values, fntrace_leave_values, 1

	.section .note.GNU-stack, "", @progbits

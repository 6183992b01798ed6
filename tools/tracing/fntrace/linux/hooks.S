/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the hooks jump to: in a page of their own, in whose place a file is mapped (see
 * fntrace_control.h). Nothing else is in it.
 */

#include <fntrace_control.h>

	.section .fntrace_control, "aw", @progbits
	.globl	fntrace_control, fntrace_mcount_hook, fntrace_fentry_hook
	.hidden	fntrace_control, fntrace_mcount_hook, fntrace_fentry_hook
	.type	fntrace_control, @object
	.balign	FNTRACE_CONTROL_SIZE
fntrace_control:
fntrace_mcount_hook:
	.quad	fntrace_off
fntrace_fentry_hook:
	.quad	fntrace_fentry_off
	.zero	FNTRACE_CONTROL_SIZE - 16
	.size	fntrace_control, FNTRACE_CONTROL_SIZE

	.section .note.GNU-stack, "", @progbits

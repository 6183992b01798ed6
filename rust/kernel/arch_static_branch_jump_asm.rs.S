/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The text of a static branch that starts out as a jump, for asm!.
 * See "Text from C headers" in Documentation/rust/static-keys.rst.
 */
#include <linux/jump_label.h>

// Cut here.
::kernel::concat_literals!(ARCH_STATIC_BRANCH_JUMP_ASM("{symb} + {off} + {branch}", "{l_yes}"))

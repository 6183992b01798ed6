/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linked where it is loaded, and every address is mapped to itself, so that the
 * addresses in a trace are those of the symbols.
 */
#include "kernel.h"

ENTRY(start)

PHDRS
{
	text PT_LOAD FLAGS(5);
	data PT_LOAD FLAGS(6);
#ifdef __x86_64__
	note PT_NOTE FLAGS(4);
#endif
}

SECTIONS
{
	. = LOAD_ADDRESS;
#ifdef __x86_64__
	.note.pvh : { KEEP(*(.note.pvh)) } :text :note
#endif
	.text : { *(.text .text.*) } :text
	.rodata : { *(.rodata .rodata.* .srodata .srodata.*) } :text
	. = ALIGN(4096);
	.data : { *(.data .data.* .sdata .sdata.* .got .got.*) } :data
	.patchable : {
		patchable_start = .;
		KEEP(*(__patchable_function_entries))
		patchable_end = .;
	} :data
	.bss : { *(.sbss .sbss.* .bss .bss.* COMMON) } :data
	/DISCARD/ : { *(.note.gnu* .comment .eh_frame) }
}

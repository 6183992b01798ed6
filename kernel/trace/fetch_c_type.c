// SPDX-License-Identifier: GPL-2.0
/*
 * The types that fields of function events and marker events may have besides
 * those of probe events.
 *
 * Also compiled in user space, with the parser of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>

#include "fetch_type.h"

const struct fetch_type fetch_string_type = FETCH_STRING_TYPE("string", STRING);
const struct fetch_type fetch_pointer_type =
	FETCH_TYPEDEF(void *, unsigned long, POINTER);
const struct fetch_type fetch_void_type = FETCH_TYPE("void", NULL, 0, VOID);

static const struct fetch_type fetch_types[] = {
	FETCH_TYPEDEF(bool, bool, BOOL),
	FETCH_TYPEDEF(char, char, CHAR),
	FETCH_TYPEDEF(signed char, signed char, SIGNED),
	FETCH_TYPEDEF(unsigned char, unsigned char, UNSIGNED),
	FETCH_TYPEDEF(short, short, SIGNED),
	FETCH_TYPEDEF(unsigned short, unsigned short, UNSIGNED),
	FETCH_TYPEDEF(int, int, SIGNED),
	FETCH_TYPEDEF(unsigned int, unsigned int, UNSIGNED),
	FETCH_TYPEDEF(long, long, SIGNED),
	FETCH_TYPEDEF(unsigned long, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(long long, long long, SIGNED),
	FETCH_TYPEDEF(unsigned long long, unsigned long long, UNSIGNED),
	FETCH_TYPE("symbol", "unsigned long", sizeof(long), SYMBOL),
	FETCH_TYPEDEF(i8, s8, SIGNED),
	FETCH_TYPEDEF(i16, s16, SIGNED),
	FETCH_TYPEDEF(i32, s32, SIGNED),
	FETCH_TYPEDEF(i64, s64, SIGNED),
	FETCH_TYPEDEF(isize, long, SIGNED),
	FETCH_TYPEDEF(usize, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(__u8, u8, UNSIGNED),
	FETCH_TYPEDEF(__u16, u16, UNSIGNED),
	FETCH_TYPEDEF(__u32, u32, UNSIGNED),
	FETCH_TYPEDEF(__u64, u64, UNSIGNED),
	FETCH_TYPEDEF(__s8, s8, SIGNED),
	FETCH_TYPEDEF(__s16, s16, SIGNED),
	FETCH_TYPEDEF(__s32, s32, SIGNED),
	FETCH_TYPEDEF(__s64, s64, SIGNED),
	FETCH_TYPEDEF(uint8_t, u8, UNSIGNED),
	FETCH_TYPEDEF(uint16_t, u16, UNSIGNED),
	FETCH_TYPEDEF(uint32_t, u32, UNSIGNED),
	FETCH_TYPEDEF(uint64_t, u64, UNSIGNED),
	FETCH_TYPEDEF(int8_t, s8, SIGNED),
	FETCH_TYPEDEF(int16_t, s16, SIGNED),
	FETCH_TYPEDEF(int32_t, s32, SIGNED),
	FETCH_TYPEDEF(int64_t, s64, SIGNED),
	FETCH_TYPEDEF(uint, unsigned int, UNSIGNED),
	FETCH_TYPEDEF(ulong, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(size_t, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(ssize_t, long, SIGNED),
	FETCH_TYPEDEF(uintptr_t, unsigned long, HEX),
	FETCH_TYPEDEF(loff_t, s64, SIGNED),
	FETCH_TYPEDEF(off_t, long, SIGNED),
	FETCH_TYPEDEF(pid_t, int, SIGNED),
	FETCH_TYPEDEF(uid_t, unsigned int, UNSIGNED),
	FETCH_TYPEDEF(gid_t, unsigned int, UNSIGNED),
	FETCH_TYPEDEF(qid_t, unsigned int, UNSIGNED),
	FETCH_TYPEDEF(ino_t, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(dev_t, u32, HEX),
	FETCH_TYPEDEF(mode_t, unsigned int, HEX),
	FETCH_TYPEDEF(umode_t, unsigned short, HEX),
	FETCH_TYPEDEF(fmode_t, unsigned int, HEX),
	FETCH_TYPEDEF(gfp_t, unsigned int, HEX),
	FETCH_TYPEDEF(slab_flags_t, unsigned int, HEX),
	FETCH_TYPEDEF(vm_flags_t, unsigned long, HEX),
	FETCH_TYPEDEF(vm_fault_t, unsigned int, HEX),
	FETCH_TYPEDEF(blk_opf_t, u32, HEX),
	FETCH_TYPEDEF(sector_t, u64, UNSIGNED),
	FETCH_TYPEDEF(blkcnt_t, u64, UNSIGNED),
	FETCH_TYPEDEF(pgoff_t, unsigned long, UNSIGNED),
	FETCH_TYPEDEF(phys_addr_t, phys_addr_t, HEX),
	FETCH_TYPEDEF(dma_addr_t, dma_addr_t, HEX),
	FETCH_TYPEDEF(resource_size_t, phys_addr_t, HEX),
	FETCH_TYPEDEF(ktime_t, s64, SIGNED),
	FETCH_TYPEDEF(time64_t, s64, SIGNED),
	FETCH_TYPEDEF(clockid_t, int, SIGNED),
	FETCH_TYPEDEF(timer_t, int, SIGNED),
	FETCH_TYPEDEF(key_serial_t, int, SIGNED),
	FETCH_TYPEDEF(irqreturn_t, int, SIGNED),
};

/**
 * fetch_find_type() - find a type of function and marker events by its name
 * @name: the name, if it is a single word
 * @len: its length, in characters
 *
 * Context: Any context.
 * Return: the type, or NULL if there is none.
 */
const struct fetch_type *fetch_find_type(const char *name, size_t len)
{
	const struct fetch_type *type =
		fetch_find(fetch_types, ARRAY_SIZE(fetch_types), name, len);

	if (type)
		return type;
	type = fetch_find_probe_type(name, len);
	return type && type->format == FETCH_SYMSTR ? NULL : type;
}

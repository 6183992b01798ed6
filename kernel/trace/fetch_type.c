// SPDX-License-Identifier: GPL-2.0
/*
 * The types that fields of function events and of marker events can have.
 *
 * This is compiled in user space, too, with the parser of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "fetch_type.h"

#define TYPE(_name, _ctype, _size, _format) \
	{ .name = _name, .ctype = _ctype, .size = _size, .format = FETCH_##_format }
#define TYPEDEF(_name, _c, _format) \
	{ .name = #_name, .ctype = #_c, .size = sizeof(_c), .format = FETCH_##_format }

const struct fetch_type fetch_string_type = TYPE("string", NULL, sizeof(long), STRING);
const struct fetch_type fetch_pointer_type = TYPEDEF(void *, unsigned long, POINTER);
const struct fetch_type fetch_void_type = TYPE("void", NULL, 0, VOID);

/* The first of a size and a format is what fetch_integer() returns. */
static const struct fetch_type types[] = {
	TYPEDEF(u8, u8, UNSIGNED),
	TYPEDEF(u16, u16, UNSIGNED),
	TYPEDEF(u32, u32, UNSIGNED),
	TYPEDEF(u64, u64, UNSIGNED),
	TYPEDEF(s8, s8, SIGNED),
	TYPEDEF(s16, s16, SIGNED),
	TYPEDEF(s32, s32, SIGNED),
	TYPEDEF(s64, s64, SIGNED),
	TYPEDEF(x8, u8, HEX),
	TYPEDEF(x16, u16, HEX),
	TYPEDEF(x32, u32, HEX),
	TYPEDEF(x64, u64, HEX),
	TYPEDEF(bool, bool, BOOL),
	TYPEDEF(char, char, CHAR),
	TYPEDEF(signed char, signed char, SIGNED),
	TYPEDEF(unsigned char, unsigned char, UNSIGNED),
	TYPEDEF(short, short, SIGNED),
	TYPEDEF(unsigned short, unsigned short, UNSIGNED),
	TYPEDEF(int, int, SIGNED),
	TYPEDEF(unsigned int, unsigned int, UNSIGNED),
	TYPEDEF(long, long, SIGNED),
	TYPEDEF(unsigned long, unsigned long, UNSIGNED),
	TYPEDEF(long long, long long, SIGNED),
	TYPEDEF(unsigned long long, unsigned long long, UNSIGNED),
	TYPE("string", NULL, sizeof(long), STRING),
	TYPE("ustring", NULL, sizeof(long), USTRING),
	TYPE("symbol", "unsigned long", sizeof(long), SYMBOL),
	TYPEDEF(__u8, u8, UNSIGNED),
	TYPEDEF(__u16, u16, UNSIGNED),
	TYPEDEF(__u32, u32, UNSIGNED),
	TYPEDEF(__u64, u64, UNSIGNED),
	TYPEDEF(__s8, s8, SIGNED),
	TYPEDEF(__s16, s16, SIGNED),
	TYPEDEF(__s32, s32, SIGNED),
	TYPEDEF(__s64, s64, SIGNED),
	TYPEDEF(uint8_t, u8, UNSIGNED),
	TYPEDEF(uint16_t, u16, UNSIGNED),
	TYPEDEF(uint32_t, u32, UNSIGNED),
	TYPEDEF(uint64_t, u64, UNSIGNED),
	TYPEDEF(int8_t, s8, SIGNED),
	TYPEDEF(int16_t, s16, SIGNED),
	TYPEDEF(int32_t, s32, SIGNED),
	TYPEDEF(int64_t, s64, SIGNED),
	TYPEDEF(uint, unsigned int, UNSIGNED),
	TYPEDEF(ulong, unsigned long, UNSIGNED),
	TYPEDEF(size_t, unsigned long, UNSIGNED),
	TYPEDEF(ssize_t, long, SIGNED),
	TYPEDEF(uintptr_t, unsigned long, HEX),
	TYPEDEF(loff_t, s64, SIGNED),
	TYPEDEF(off_t, long, SIGNED),
	TYPEDEF(pid_t, int, SIGNED),
	TYPEDEF(uid_t, unsigned int, UNSIGNED),
	TYPEDEF(gid_t, unsigned int, UNSIGNED),
	TYPEDEF(qid_t, unsigned int, UNSIGNED),
	TYPEDEF(ino_t, unsigned long, UNSIGNED),
	TYPEDEF(dev_t, u32, HEX),
	TYPEDEF(mode_t, unsigned int, HEX),
	TYPEDEF(umode_t, unsigned short, HEX),
	TYPEDEF(fmode_t, unsigned int, HEX),
	TYPEDEF(gfp_t, unsigned int, HEX),
	TYPEDEF(slab_flags_t, unsigned int, HEX),
	TYPEDEF(vm_flags_t, unsigned long, HEX),
	TYPEDEF(vm_fault_t, unsigned int, HEX),
	TYPEDEF(blk_opf_t, u32, HEX),
	TYPEDEF(sector_t, u64, UNSIGNED),
	TYPEDEF(blkcnt_t, u64, UNSIGNED),
	TYPEDEF(pgoff_t, unsigned long, UNSIGNED),
	TYPEDEF(phys_addr_t, phys_addr_t, HEX),
	TYPEDEF(dma_addr_t, dma_addr_t, HEX),
	TYPEDEF(resource_size_t, phys_addr_t, HEX),
	TYPEDEF(ktime_t, s64, SIGNED),
	TYPEDEF(time64_t, s64, SIGNED),
	TYPEDEF(clockid_t, int, SIGNED),
	TYPEDEF(timer_t, int, SIGNED),
	TYPEDEF(key_serial_t, int, SIGNED),
	TYPEDEF(irqreturn_t, int, SIGNED),
};

/**
 * fetch_integer - find a type by its size and format
 * @size: in bytes: 1, 2, 4 or 8
 * @format: FETCH_SIGNED, FETCH_UNSIGNED or FETCH_HEX
 *
 * Context: any.
 * Return: the type, or NULL if there is none.
 */
const struct fetch_type *fetch_integer(unsigned int size, enum fetch_format format)
{
	for (int i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].size == size && types[i].format == format)
			return &types[i];
	return NULL;
}

/**
 * fetch_find_type - find a type by its name
 * @name: the name, if it is a single word
 * @len: its length, in characters
 *
 * Context: any.
 * Return: the type, or NULL if there is none.
 */
const struct fetch_type *fetch_find_type(const char *name, size_t len)
{
	for (int i = 0; i < ARRAY_SIZE(types); i++)
		if (strlen(types[i].name) == len && !memcmp(types[i].name, name, len))
			return &types[i];
	return NULL;
}

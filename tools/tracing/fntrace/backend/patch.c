// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Turn the no-ops of -fpatchable-function-entry into calls of the hook.
 *
 * The compilers list the places in a section, but write no-ops as they please:
 * gcc one byte each on x86, clang as long ones; compressed ones on RISC-V. What
 * is not one of these is not touched.
 */

#include "internal.h"

static const uint8_t *as_bytes(const void *data)
{
	return data;
}

static bool same(const void *a, const void *b, size_t len)
{
	const uint8_t *p = as_bytes(a), *q = as_bytes(b);

	while (len && *p == *q)
		p++, q++, len--;
	return !len;
}

#if defined(__x86_64__)

/* endbr64 is in front of the no-ops, or not in the list at all. */
static bool is_room(const uint8_t *site)
{
	static const uint8_t nops[][5] = {
		{ 0x90, 0x90, 0x90, 0x90, 0x90 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x08 },
	};
	size_t i;

	for (i = 0; i < sizeof(nops) / sizeof(nops[0]); i++)
		if (same(site, nops[i], sizeof(nops[i])))
			return true;
	return false;
}

/* call rel32 */
static size_t make_call(uint8_t *code, unsigned long site, unsigned long target)
{
	long distance = target - (site + 5);
	size_t i;

	if (distance != (int32_t)distance)
		return 0;
	code[0] = 0xe8;
	for (i = 0; i < 4; i++)
		code[1 + i] = distance >> (8 * i);
	return 5;
}

/* jmp *0(%rip), and the address */
static size_t make_thunk(uint8_t *code, unsigned long target)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0x02, 0x00, 0x00, 0x00, 0xcc, 0xcc };
	size_t i;

	for (i = 0; i < sizeof(jump); i++)
		code[i] = jump[i];
	for (i = 0; i < 8; i++)
		code[8 + i] = target >> (8 * i);
	return 16;
}

#else

static void put32(uint8_t *code, uint32_t word)
{
	size_t i;

	for (i = 0; i < 4; i++)
		code[i] = word >> (8 * i);
}

#if defined(__aarch64__)

static bool is_room(const uint8_t *site)
{
	static const uint8_t nops[] = { 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5 };

	return same(site, nops, sizeof(nops));
}

/* mov x9, x30; bl target */
static size_t make_call(uint8_t *code, unsigned long site, unsigned long target)
{
	long distance = target - (site + 4);

	if (distance < -(1l << 27) || distance >= 1l << 27)
		return 0;
	put32(code, 0xaa1e03e9);
	put32(code + 4, 0x94000000 | ((distance >> 2) & 0x03ffffff));
	return 8;
}

/* ldr x16, .+8; br x16; the address */
static size_t make_thunk(uint8_t *code, unsigned long target)
{
	put32(code, 0x58000050);
	put32(code + 4, 0xd61f0200);
	put32(code + 8, target);
	put32(code + 12, target >> 32);
	return 16;
}

#elif defined(__riscv)

static bool is_room(const uint8_t *site)
{
	static const uint8_t nops[][8] = {
		{ 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00 },
		{ 0x13, 0x00, 0x00, 0x00, 0x13, 0x00, 0x00, 0x00 },
	};

	return same(site, nops[0], 8) || same(site, nops[1], 8);
}

/* auipc t0, high; jalr t0, low(t0) */
static size_t make_call(uint8_t *code, unsigned long site, unsigned long target)
{
	long distance = target - site;
	long high = (distance + 0x800) >> 12;

	if (high < -(1l << 19) || high >= 1l << 19)
		return 0;
	put32(code, 0x00000297 | (uint32_t)high << 12);
	put32(code + 4, 0x000282e7 | (uint32_t)(distance & 0xfff) << 20);
	return 8;
}

/* auipc t1, 0; ld t1, 16(t1); jr t1; nop; the address */
static size_t make_thunk(uint8_t *code, unsigned long target)
{
	put32(code, 0x00000317);
	put32(code + 4, 0x01033303);
	put32(code + 8, 0x00030067);
	put32(code + 12, 0x00000013);
	put32(code + 16, target);
	put32(code + 20, target >> 32);
	return 24;
}

#endif
#endif

long fntrace_patch(const unsigned long *start, const unsigned long *end, void *thunk,
		   int (*write)(void *addr, const void *code, size_t len))
{
	unsigned long target = (unsigned long)fntrace_fentry;
	uint8_t code[FNTRACE_THUNK_SIZE];
	long traced = 0;
	size_t len;
	int error;

	if (thunk) {
		len = make_thunk(code, target);
		error = write(thunk, code, len);
		if (error)
			return error;
		target = (unsigned long)thunk;
	}
	for (; start < end; start++) {
		if (!is_room(as_bytes((void *)*start)))
			continue;
		len = make_call(code, *start, target);
		if (!len)
			continue;
		error = write((void *)*start, code, len);
		if (error)
			return error;
		traced++;
	}
	return traced;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where arguments and results are, on each architecture. What is expected is what GCC 12
 * makes of such functions.
 *
 * A function is written as "RESULT ARGUMENT...": c, i and l are integers of 1, 4 and 8 bytes,
 * q one of 16, f, d and w floating point of 4, 8 and 16 bytes, x that of the x87, {...} a
 * structure, !{...} one that is passed by its address, and v is no result. What is expected
 * has the place of each: registers g0 and f0, the stack s0, parts with a + between them, *
 * in front of an address, - if it cannot be read, and ? where nothing is known any more.
 */
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "unit_test.h"

static const struct {
	enum fntrace_arch	arch;
	const char		*function;
	const char		*places;
} cases[] = {
#define X86	FNTRACE_ARCH_X86_64
	{ X86, "i", "g0" },
	{ X86, "v i d l f c", "g0 f0 g1 f1 g2" },
	{ X86, "d l l l l l l l i", "f0 g0 g1 g2 g3 g4 g5 s0 s8" },
	{ X86, "v d d d d d d d d d f i", "f0 f1 f2 f3 f4 f5 f6 f7 s0 s8 g0" },
	{ X86, "v {ll} {dd} {ld} {ff}", "g0+g1 f0+f1 g2+f2 f3" },
	/* What does not fit as a whole leaves the registers for what follows. */
	{ X86, "v l l l l l {ll} l", "g0 g1 g2 g3 g4 s0 g5" },
	{ X86, "v {lll} l", "s0 g0" },
	{ X86, "{lll} l", "*g0 g1" },
	{ X86, "{ld} {lll}", "g0+f0 s0" },
	{ X86, "{if} i", "g0 g0" },
	{ X86, "v !{i} i", "*g0 g1" },
	{ X86, "!{i} i", "*g0 g1" },
	{ X86, "q q l l l q l", "g0+g1 g0+g1 g2 g3 g4 s0 g5" },
	{ X86, "v l l l l l l l q", "g0 g1 g2 g3 g4 g5 s0 s16" },
	{ X86, "x x w d", "- s0 - f1" },
	{ X86, "v {x} {w} i", "s0 ?" },
	{ X86, "v {} i", "?" },
#define ARM	FNTRACE_ARCH_ARM64
	{ ARM, "i", "g0" },
	{ ARM, "v i d l f c", "g0 f0 g1 f1 g2" },
	{ ARM, "v l l l l l l l l i c", "g0 g1 g2 g3 g4 g5 g6 g7 s0 s8" },
	{ ARM, "v d d d d d d d d d f i", "f0 f1 f2 f3 f4 f5 f6 f7 s0 s8 g0" },
	{ ARM, "v {ll} {dd} {ld} {ff}", "g0+g1 f0+f1 g2+g3 f2+f3" },
	{ ARM, "{dddd} {ffff} {ffff}", "f0+f1+f2+f3 f0+f1+f2+f3 f4+f5+f6+f7" },
	/* After the first one on the stack no register is used. */
	{ ARM, "v l l l l l l l {ll} l", "g0 g1 g2 g3 g4 g5 g6 s0 s16" },
	{ ARM, "v d d d d d {dddd} d", "f0 f1 f2 f3 f4 s0 s32" },
	{ ARM, "v {lll} l", "*g0 g1" },
	{ ARM, "{lll} l", "- g0" },
	{ ARM, "v i q l", "g0 g2+g3 g4" },
	{ ARM, "v !{i} i", "*g0 g1" },
	{ ARM, "w w d", "- - f1" },
#define RISCV	FNTRACE_ARCH_RISCV64
	{ RISCV, "i", "g0" },
	{ RISCV, "v i d l f c", "g0 f0 g1 f1 g2" },
	{ RISCV, "v l l l l l l l l i c", "g0 g1 g2 g3 g4 g5 g6 g7 s0 s8" },
	/* The ninth of floating point is in a general register. */
	{ RISCV, "v d d d d d d d d d f i", "f0 f1 f2 f3 f4 f5 f6 f7 g0 g1 g2" },
	{ RISCV, "v {ll} {dd} {ld} {ff}", "g0+g1 f0+f1 g2+f2 f3+f4" },
	{ RISCV, "{fl} {f} {fff}", "f0+g0 f0 g0+g1" },
	{ RISCV, "v l l l l l l l {ll} l", "g0 g1 g2 g3 g4 g5 g6 g7+s0 s8" },
	{ RISCV, "v {lll} l", "*g0 g1" },
	{ RISCV, "{lll} l", "- g1" },
	{ RISCV, "v i q l", "g0 g1+g2 g3" },
	{ RISCV, "v !{i} i", "*g0 g1" },
	{ RISCV, "w w d", "g0+g1 g0+g1 f0" },
};

static void add_field(struct abi_type *type, char letter)
{
	static const char letters[] = "cilqfdwx";
	static const unsigned int sizes[] = { 1, 4, 8, 16, 4, 8, 16, 16 };
	unsigned int which = strchr(letters, letter) - letters, size = sizes[which];

	type->size = (type->size + size - 1) & ~(uint64_t)(size - 1);
	type->fields[type->nr_fields].offset = type->size;
	type->fields[type->nr_fields].size = size;
	type->fields[type->nr_fields++].class = which < 4 ? ABI_INTEGER : which < 6 ? ABI_FLOAT :
						which == 6 ? ABI_WIDE : ABI_X87;
	type->size += size;
	if (size > type->align)
		type->align = size;
}

static const char *parse(const char *from, struct abi_type *type)
{
	memset(type, 0, sizeof(*type));
	type->align = 1;
	if (*from == '!') {
		type->reference = true;
		from++;
	}
	if (*from != '{') {
		add_field(type, *from);
	} else {
		type->aggregate = true;
		while (*++from != '}')
			add_field(type, *from);
		type->size = (type->size + type->align - 1) & ~(uint64_t)(type->align - 1);
	}
	return from + 1;
}

static void put_place(char *to, const struct abi_place *place)
{
	unsigned int i;

	to += strlen(to);
	if (place->indirect)
		to += sprintf(to, "*");
	if (!place->nr_pieces)
		to += sprintf(to, "-");
	for (i = 0; i < place->nr_pieces; i++)
		to += sprintf(to, "%s%c%u", i ? "+" : "", "gfs"[place->pieces[i].where],
			      place->pieces[i].number);
}

static void places_of(enum fntrace_arch arch, const char *function, char *to)
{
	struct abi_call call = { .arch = arch };
	struct abi_place place;
	struct abi_type type;
	bool known = true;

	*to = 0;
	if (*function == 'v') {
		known = abi_return(&call, NULL, &place);
		function++;
	} else {
		function = parse(function, &type);
		known = abi_return(&call, &type, &place);
		put_place(to, &place);
	}
	while (known && *function++ == ' ') {
		function = parse(function, &type);
		known = abi_argument(&call, &type, &place);
		if (*to)
			strcat(to, " ");
		if (known)
			put_place(to, &place);
	}
	if (!known)
		strcat(to, "?");
}

/* The parts of a value are in their order, inside of it, and do not overlap. */
static void check_parts(enum fntrace_arch arch, const char *text)
{
	struct abi_call call = { .arch = arch };
	struct abi_place place;
	struct abi_type type;
	unsigned int i, at = 0;

	parse(text, &type);
	check(abi_argument(&call, &type, &place), "%s", text);
	for (i = 0; i < place.nr_pieces; i++) {
		check(place.pieces[i].at >= at, "%s: part %u at %u", text, i,
		      place.pieces[i].at);
		at = place.pieces[i].at + place.pieces[i].size;
	}
	check(at <= type.size, "%s: %u bytes of %u", text, at, (unsigned int)type.size);
}

int main(void)
{
	static const char *const types[] = {
		"c", "q", "{ccc}", "{il}", "{ci}", "{fl}", "{lf}", "{fff}", "{ffff}", "{dd}",
		"{lc}", "{iii}",
	};
	char places[256];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		places_of(cases[i].arch, cases[i].function, places);
		check(!strcmp(places, cases[i].places), "arch %d, \"%s\": %s, not %s",
		      cases[i].arch, cases[i].function, places, cases[i].places);
	}
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		check_parts(X86, types[i]);
		check_parts(ARM, types[i]);
		check_parts(RISCV, types[i]);
	}
	return unit_test_end();
}

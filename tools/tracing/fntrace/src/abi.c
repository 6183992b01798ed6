// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where functions find their arguments, and callers what is returned; see abi.h.
 */
#include <stddef.h>
#include <string.h>

#include "abi.h"

#define FLOATING_MAX	8

static unsigned int general_max(const struct abi_call *call)
{
	return call->arch == FNTRACE_ARCH_X86_64 ? 6 : 8;
}

static void add_piece(struct abi_place *place, enum abi_where where, unsigned int number,
		      unsigned int at, unsigned int size)
{
	place->pieces[place->nr_pieces].where = where;
	place->pieces[place->nr_pieces].number = number;
	place->pieces[place->nr_pieces].at = at;
	place->pieces[place->nr_pieces++].size = size;
}

static void on_stack(struct abi_call *call, const struct abi_type *type,
		     struct abi_place *place)
{
	unsigned int align = type->align > 8 ? type->align : 8;

	call->stack = (call->stack + align - 1) & ~(align - 1);
	add_piece(place, ABI_STACK, call->stack, 0, type->size);
	call->stack += (type->size + 7) & ~7u;
}

/* A part of a value is in the next general register. */
static void in_general(struct abi_call *call, const struct abi_type *type,
		       struct abi_place *place, unsigned int at)
{
	unsigned int size = type->size - at;

	add_piece(place, ABI_GENERAL, call->general++, at, size < 8 ? size : 8);
}

static void in_floating(struct abi_call *call, struct abi_place *place, unsigned int at,
			unsigned int size)
{
	add_piece(place, ABI_FLOATING, call->floating++, at, size);
}

/*
 * The next vector register, which floating point is in as well. Only the first 8 bytes of
 * it are saved, so a vector has no place there.
 */
static void in_vector(struct abi_call *call, const struct abi_type *type,
		      struct abi_place *place)
{
	if (call->floating == FLOATING_MAX)
		on_stack(call, type, place);
	else if (type->fields[0].class == ABI_WIDE)
		call->floating++;
	else
		in_floating(call, place, 0, type->size);
}

/* The address of the value is passed as a pointer would be. */
static bool indirect(struct abi_call *call, struct abi_place *place)
{
	static const struct abi_type pointer = {
		.size = 8,
		.align = 8,
		.nr_fields = 1,
		.fields = { { .size = 8 } },
	};

	if (!abi_argument(call, &pointer, place))
		return false;
	place->indirect = true;
	return true;
}

/* All or nothing: what does not fit into the registers that are left is on the stack. */
static void words(struct abi_call *call, const struct abi_type *type, struct abi_place *place)
{
	unsigned int nr = (type->size + 7) / 8, i;

	if (call->general + nr > general_max(call)) {
		on_stack(call, type, place);
		return;
	}
	for (i = 0; i < nr; i++)
		in_general(call, type, place, 8 * i);
}

/*
 * System V, "Parameter Passing": each 8 bytes have a class. Returns false for what has none,
 * and for vectors. @in_memory: the whole is.
 */
static bool x86_64_classes(const struct abi_type *type, enum abi_class classes[2],
			   bool *in_memory)
{
	bool known[2] = { false, false };
	unsigned int i, eight;

	*in_memory = true;
	if (type->size > 16)
		return true;
	for (i = 0; i < type->nr_fields; i++) {
		if (type->fields[i].class == ABI_X87 ||
		    type->fields[i].offset % type->fields[i].size)
			return true;
		if (type->fields[i].class == ABI_WIDE)
			return false;
	}
	*in_memory = false;
	for (i = 0; i < type->nr_fields; i++) {
		for (eight = type->fields[i].offset / 8;
		     eight <= (type->fields[i].offset + type->fields[i].size - 1) / 8; eight++) {
			if (!known[eight] || type->fields[i].class == ABI_INTEGER)
				classes[eight] = type->fields[i].class;
			known[eight] = true;
		}
	}
	return known[0] && (type->size <= 8 || known[1]);
}

static bool x86_64_aggregate(struct abi_call *call, const struct abi_type *type,
			     struct abi_place *place)
{
	unsigned int nr = (type->size + 7) / 8, floating = 0, i;
	enum abi_class classes[2] = { };
	bool in_memory;

	if (!x86_64_classes(type, classes, &in_memory))
		return false;
	if (in_memory) {
		on_stack(call, type, place);
		return true;
	}
	for (i = 0; i < nr; i++)
		floating += classes[i] == ABI_FLOAT;
	if (call->floating + floating > FLOATING_MAX ||
	    call->general + nr - floating > general_max(call)) {
		on_stack(call, type, place);
		return true;
	}
	for (i = 0; i < nr; i++) {
		unsigned int left = type->size - 8 * i;

		if (classes[i] == ABI_FLOAT)
			in_floating(call, place, 8 * i, left < 8 ? left : 8);
		else
			in_general(call, type, place, 8 * i);
	}
	return true;
}

static bool x86_64_argument(struct abi_call *call, const struct abi_type *type,
			    struct abi_place *place)
{
	if (type->aggregate)
		return x86_64_aggregate(call, type, place);
	switch (type->fields[0].class) {
	case ABI_INTEGER:
		words(call, type, place);
		break;
	case ABI_FLOAT:
	case ABI_WIDE:
		in_vector(call, type, place);
		break;
	case ABI_X87:
		on_stack(call, type, place);
		break;
	}
	return true;
}

/* AAPCS64, "Homogeneous Aggregates": up to four members of one type of floating point */
static bool arm64_is_homogeneous(const struct abi_type *type)
{
	unsigned int i;

	if (!type->nr_fields || type->nr_fields > 4 ||
	    type->size != (uint64_t)type->nr_fields * type->fields[0].size)
		return false;
	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].class != ABI_FLOAT ||
		    type->fields[i].size != type->fields[0].size ||
		    type->fields[i].offset != (uint64_t)i * type->fields[0].size)
			return false;
	return true;
}

/* What is aligned to 16 bytes begins in an even register; behind the stack, none is used. */
static void arm64_words(struct abi_call *call, const struct abi_type *type,
			struct abi_place *place)
{
	if (type->align > 8)
		call->general += call->general & 1;
	words(call, type, place);
	if (place->pieces[0].where == ABI_STACK)
		call->general = general_max(call);
}

static bool arm64_aggregate(struct abi_call *call, const struct abi_type *type,
			    struct abi_place *place)
{
	unsigned int i;

	if (arm64_is_homogeneous(type)) {
		if (call->floating + type->nr_fields > FLOATING_MAX) {
			call->floating = FLOATING_MAX;
			on_stack(call, type, place);
			return true;
		}
		for (i = 0; i < type->nr_fields; i++)
			in_floating(call, place, type->fields[i].offset, type->fields[i].size);
		return true;
	}
	/* Four members of 16 bytes would be in registers as well. */
	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].class == ABI_WIDE)
			return false;
	if (type->size > 16)
		return indirect(call, place);
	arm64_words(call, type, place);
	return true;
}

static bool arm64_argument(struct abi_call *call, const struct abi_type *type,
			   struct abi_place *place)
{
	if (type->aggregate)
		return arm64_aggregate(call, type, place);
	switch (type->fields[0].class) {
	case ABI_INTEGER:
		arm64_words(call, type, place);
		break;
	case ABI_FLOAT:
	case ABI_WIDE:
		in_vector(call, type, place);
		break;
	case ABI_X87:
		return false;
	}
	return true;
}

/* What needs two registers, but one is left, has its second half on the stack. */
static void riscv_words(struct abi_call *call, const struct abi_type *type,
			struct abi_place *place)
{
	if (type->size > 8 && call->general + 1 == general_max(call)) {
		in_general(call, type, place, 0);
		add_piece(place, ABI_STACK, call->stack, 8, type->size - 8);
		call->stack += 8;
		return;
	}
	words(call, type, place);
}

/*
 * psABI, "Hardware Floating-point Calling Convention": one or two members, at least one of
 * them of floating point, have a register each. Returns false if it is not such a case.
 */
static bool riscv_members(struct abi_call *call, const struct abi_type *type,
			  struct abi_place *place)
{
	unsigned int general = 0, floating = 0, i;

	if (!type->nr_fields || type->nr_fields > 2)
		return false;
	for (i = 0; i < type->nr_fields; i++) {
		if (type->fields[i].class == ABI_FLOAT)
			floating++;
		else if (type->fields[i].class == ABI_INTEGER && type->fields[i].size <= 8)
			general++;
		else
			return false;
	}
	if (!floating || call->floating + floating > FLOATING_MAX ||
	    call->general + general > general_max(call))
		return false;
	for (i = 0; i < type->nr_fields; i++) {
		if (type->fields[i].class == ABI_FLOAT)
			in_floating(call, place, type->fields[i].offset, type->fields[i].size);
		else
			add_piece(place, ABI_GENERAL, call->general++, type->fields[i].offset,
				  type->fields[i].size);
	}
	return true;
}

static bool riscv_argument(struct abi_call *call, const struct abi_type *type,
			   struct abi_place *place)
{
	if (riscv_members(call, type, place))
		return true;
	if (type->size > 16)
		return indirect(call, place);
	riscv_words(call, type, place);
	return true;
}

bool abi_argument(struct abi_call *call, const struct abi_type *type, struct abi_place *place)
{
	memset(place, 0, sizeof(*place));
	/* C++ and C differ about what has no members. */
	if (!type->size || !type->nr_fields)
		return false;
	if (type->reference)
		return indirect(call, place);
	switch (call->arch) {
	case FNTRACE_ARCH_X86_64:
		return x86_64_argument(call, type, place);
	case FNTRACE_ARCH_ARM64:
		return arm64_argument(call, type, place);
	case FNTRACE_ARCH_RISCV64:
		return riscv_argument(call, type, place);
	}
	return false;
}

/* It is in memory that the caller provides, to which rax points at the end. */
static bool x86_64_returns_memory(struct abi_call *call, struct abi_place *place)
{
	call->general = 1;
	place->nr_pieces = 0;
	add_piece(place, ABI_GENERAL, 0, 0, 8);
	place->indirect = true;
	return true;
}

static bool x86_64_return(struct abi_call *call, const struct abi_type *type,
			  struct abi_place *place)
{
	struct abi_call fresh = { .arch = call->arch };
	enum abi_class classes[2] = { };
	bool in_memory = type->reference;

	if (!type->aggregate && (type->fields[0].class == ABI_X87 ||
				 type->fields[0].class == ABI_WIDE))
		return true;
	if (type->aggregate && !in_memory && !x86_64_classes(type, classes, &in_memory))
		return false;
	if (in_memory)
		return x86_64_returns_memory(call, place);
	return abi_argument(&fresh, type, place);
}

bool abi_return(struct abi_call *call, const struct abi_type *type, struct abi_place *place)
{
	struct abi_call fresh = { .arch = call->arch };

	*call = fresh;
	memset(place, 0, sizeof(*place));
	if (!type)
		return true;
	if (!type->size || !type->nr_fields)
		return false;
	if (call->arch == FNTRACE_ARCH_X86_64)
		return x86_64_return(call, type, place);
	if (!abi_argument(&fresh, type, place))
		return false;
	if (!place->indirect)
		return true;
	/*
	 * In memory of the caller, whose address the function need not return. On arm64 it is
	 * in x8, which has no argument.
	 */
	memset(place, 0, sizeof(*place));
	if (call->arch == FNTRACE_ARCH_RISCV64)
		call->general = 1;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions find their arguments, and callers what is returned.
 *
 * The rules are those of the System V ABI for x86_64, of AAPCS64, and of the psABI of RISC-V
 * for LP64D. They are about functions of C, and of C++ with trivial types.
 */
#ifndef FNTRACE_ABI_H
#define FNTRACE_ABI_H

#include <stdbool.h>
#include <stdint.h>

#include <fntrace_format.h>

/* More members than any type has that is passed in registers. */
#define ABI_FIELDS_MAX	16

/*
 * enum abi_class - what a member is, or a type that is not a structure
 * @ABI_INTEGER: integers and pointers of up to 16 bytes
 * @ABI_FLOAT: floating point of 4 or 8 bytes
 * @ABI_WIDE: of 16 bytes, but not that of the x87
 * @ABI_X87: long double of x86_64
 */
enum abi_class {
	ABI_INTEGER,
	ABI_FLOAT,
	ABI_WIDE,
	ABI_X87,
};

/*
 * struct abi_type - what is to be known about a type
 * @size: in bytes
 * @align: in bytes
 * @aggregate: it is a structure, a union or an array
 * @reference: the caller passes its address (C++: it has a copy constructor or destructor)
 * @nr_fields: members that are no structures, in the order of their offsets. A type that is
 *	not an aggregate has one. If there are more than ABI_FIELDS_MAX, these are the first.
 */
struct abi_type {
	uint64_t	size;
	unsigned int	align;
	bool		aggregate;
	bool		reference;
	unsigned int	nr_fields;
	struct {
		uint64_t	offset;
		unsigned int	size;
		enum abi_class	class;
	} fields[ABI_FIELDS_MAX];
};

/* enum abi_where - what a part of a value is in; numbers begin at 0 for the first argument */
enum abi_where {
	ABI_GENERAL,
	ABI_FLOATING,
	ABI_STACK,
};

#define ABI_PIECES_MAX	4

/*
 * struct abi_place - where a value is
 * @nr_pieces: its parts; 0: in a place that cannot be read
 * @at: offset of a part in the value
 * @size: of a part
 * @number: of a register; or offset on the stack, from the first argument on it
 * @indirect: the only part is the address of the value
 */
struct abi_place {
	unsigned int	nr_pieces;
	struct {
		enum abi_where	where;
		unsigned int	at;
		unsigned int	size;
		unsigned int	number;
	} pieces[ABI_PIECES_MAX];
	bool		indirect;
};

/*
 * struct abi_call - how far the arguments of a call are done
 * @arch: of the program
 * @general: registers that are taken
 * @floating: as well
 * @stack: bytes that are taken
 */
struct abi_call {
	enum fntrace_arch	arch;
	unsigned int		general;
	unsigned int		floating;
	unsigned int		stack;
};

/*
 * abi_return() - what a function returns; called before abi_argument()
 * @call: of which only @arch is set; an argument that is the address of the result is taken
 * @type: NULL: nothing
 *
 * Return: false if that is not known, and so neither are the arguments.
 */
bool abi_return(struct abi_call *call, const struct abi_type *type, struct abi_place *place);

/*
 * abi_argument() - the next argument
 *
 * Return: false if that is not known, and so neither are those that follow.
 */
bool abi_argument(struct abi_call *call, const struct abi_type *type, struct abi_place *place);

#endif /* FNTRACE_ABI_H */

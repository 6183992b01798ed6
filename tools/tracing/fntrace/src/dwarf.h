/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types and functions in debug information (DWARF); of fntrace-dwarf.so.
 */
#ifndef FNTRACE_DWARF_H
#define FNTRACE_DWARF_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>

#include <fntrace.h>

#include "abi.h"
#include "describe.h"

/* Bytes of a structure that is passed as it is, if it is shown. */
#define DWARF_DIRECT_MAX	64

/* enum dwarf_language - with rules of their own */
enum dwarf_language {
	DWARF_C,
	DWARF_CXX,
	DWARF_RUST,
	DWARF_OTHER,
};

/*
 * struct dwarf_unit - what the functions of a compilation unit have in common
 * @arch: of the program
 * @language: of the source
 * @gcc: it was compiled by GCC
 * @version: of DWARF
 */
struct dwarf_unit {
	enum fntrace_arch	arch;
	enum dwarf_language	language;
	bool			gcc;
	unsigned int		version;
};

/*
 * struct dwarf_enumerations - those that were written
 * @out: file
 * @next: ID of the next one
 * @list: where each is in the debug information
 * @nr: how many
 */
struct dwarf_enumerations {
	FILE		*out;
	unsigned int	next;
	struct {
		const void	*addr;
		unsigned int	id;
	} *list;
	size_t		nr;
};

/*
 * struct dwarf_steps - what is stored of a call, as text; see describe.h
 * @unit: of the function
 * @enumerations: those that were written
 * @direct: steps that store registers and parts of the stack
 * @memory: steps behind these
 * @strings: the last steps
 * @used: bytes that the steps but @strings store
 * @string_bytes: bytes that @strings store, at most
 * @nr_strings: how many
 */
struct dwarf_steps {
	const struct dwarf_unit		*unit;
	struct dwarf_enumerations	*enumerations;
	FILE				*direct;
	FILE				*memory;
	FILE				*strings;
	unsigned int			used;
	unsigned int			string_bytes;
	unsigned int			nr_strings;
};

/*
 * dwarf_type() - the type of a variable, parameter or function, without typedefs and
 * qualifiers
 *
 * Return: false if it has none
 */
bool dwarf_type(Dwarf_Die *die, Dwarf_Die *type);

/*
 * dwarf_name() - the name of something, "" if it has none; not for what is written
 */
const char *dwarf_name(Dwarf_Die *die);

/*
 * dwarf_put_name() - write a name as a word: debug information may have anything in it
 */
void dwarf_put_name(FILE *out, const char *name);

/*
 * dwarf_abi_type() - what the ABI has to know about a type
 *
 * Return: false if it is not known how such a type is passed
 */
bool dwarf_abi_type(const struct dwarf_unit *unit, Dwarf_Die *type, struct abi_type *abi);

/*
 * dwarf_is_pair() - is it a pointer and a length, which Rust passes as two arguments?
 */
bool dwarf_is_pair(const struct dwarf_unit *unit, Dwarf_Die *type);

/*
 * dwarf_is_empty() - is it a type of Rust that is not passed at all?
 */
bool dwarf_is_empty(const struct dwarf_unit *unit, Dwarf_Die *type);

/*
 * dwarf_has_no_place() - is there no register and no part of the stack for such an argument?
 *
 * So it is with those that are empty, and on x86_64 with classes of C++ without members.
 */
bool dwarf_has_no_place(const struct dwarf_unit *unit, Dwarf_Die *type);

/*
 * dwarf_put_value() - write the format of a value
 * @at: offset of the value; all steps of steps->direct are known
 */
void dwarf_put_value(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type, unsigned int at);

/*
 * dwarf_put_indirect() - the same; at the offset is its address
 */
void dwarf_put_indirect(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			unsigned int at);

#endif /* FNTRACE_DWARF_H */

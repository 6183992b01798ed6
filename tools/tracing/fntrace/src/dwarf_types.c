// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types in debug information: how they are passed, and how values of them are shown.
 *
 * The tags and attributes are those of DWARF 5 (dwarfstd.org). Debug information may be
 * damaged, so nothing is taken for granted, and types inside of types have a limit.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "trace.h"

/* Bytes of a string, and of a structure that a pointer leads to. */
/* One more than is shown tells whether it ends there. */
#define STRING_MAX	(DESCRIBE_STRING_SHOWN + 1)
#define MEMORY_MAX	160
/* What is shown of a structure. */
#define MEMBERS_MAX	16
#define LEVELS_MAX	3
/* Structures inside of structures, of any kind. */
#define NESTED_MAX	16

bool dwarf_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, type) && !dwarf_peel_type(type, type);
}

const char *dwarf_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? name : "";
}

void dwarf_put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		putc((unsigned char)*name <= ' ' || *name == '%' || *name == 0x7f ? '_' : *name,
		     out);
}

static bool number(Dwarf_Die *die, unsigned int which, uint64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Word word;

	if (!dwarf_attr_integrate(die, which, &attribute) ||
	    dwarf_formudata(&attribute, &word))
		return false;
	*value = word;
	return true;
}

static bool flag(Dwarf_Die *die, unsigned int which)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_attr_integrate(die, which, &attribute) &&
	       !dwarf_formflag(&attribute, &value) && value;
}

static uint64_t size_of(Dwarf_Die *type)
{
	uint64_t size;

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return 8;
	default:
		return number(type, DW_AT_byte_size, &size) ? size : 0;
	}
}

static bool is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
}

/* A character, not only a byte: what text is made of. */
static bool is_char(Dwarf_Die *type)
{
	const char *name = dwarf_name(type);

	return dwarf_tag(type) == DW_TAG_base_type && size_of(type) == 1 &&
	       (!strcmp(name, "char") || !strcmp(name, "char8_t"));
}

/* Elements of an array; 0 if that is not known. */
static uint64_t array_length(Dwarf_Die *type)
{
	uint64_t length = 1, value;
	Dwarf_Die child;
	bool any = false;

	if (dwarf_child(type, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (number(&child, DW_AT_upper_bound, &value))
			value++;
		else if (!number(&child, DW_AT_count, &value))
			return 0;
		if (value > 1 << 20 || length > 1 << 20)
			return 0;
		length *= value;
		any = true;
	} while (!dwarf_siblingof(&child, &child));
	return any ? length : 0;
}

/* A member, or a base class; not what is static, nor a base class that is virtual. */
static bool is_member(Dwarf_Die *die, uint64_t *offset)
{
	int tag = dwarf_tag(die);

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration))
		return false;
	*offset = 0;
	if (number(die, DW_AT_data_bit_offset, offset)) {
		*offset /= 8;
		return true;
	}
	return !dwarf_hasattr(die, DW_AT_data_member_location) ||
	       number(die, DW_AT_data_member_location, offset);
}

/* ABI */

/* Has it one parameter besides the object, and is that a reference to another object? */
static bool is_copy(Dwarf_Die *constructor, Dwarf_Die *class)
{
	Dwarf_Die child, type, target;
	unsigned int nr = 0;
	bool same = false;

	if (dwarf_child(constructor, &child))
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || ++nr != 2)
			continue;
		same = dwarf_type(&child, &type) && dwarf_type(&type, &target) &&
		       dwarf_tag(&type) != DW_TAG_pointer_type && target.addr == class->addr;
	} while (!dwarf_siblingof(&child, &child));
	return nr >= 2 && same;
}

/*
 * May a member function make that objects are passed by their address? That is so if a
 * constructor which copies, or the destructor, was written by somebody. @sure: it does.
 */
static bool is_special(const struct dwarf_unit *unit, Dwarf_Die *function, Dwarf_Die *class,
		       bool *sure)
{
	const char *name = dwarf_name(function), *own = dwarf_name(class);
	uint64_t defaulted = 0;

	if (*name != '~' && (strncmp(name, own, strcspn(own, "<")) || !is_copy(function, class)))
		return false;
	if (flag(function, DW_AT_artificial))
		return false;
	if (number(function, DW_AT_defaulted, &defaulted) && defaulted == DW_DEFAULTED_in_class)
		return false;
	/* Before version 5, it is not told who wrote it. */
	*sure |= unit->version >= 5 && !flag(function, DW_AT_deleted);
	return true;
}

/*
 * Are objects of it passed as structures of C are, or (@reference) by their address? Returns
 * false if that is not known. LLVM tells it; GCC 12 does not.
 */
static bool is_trivial(const struct dwarf_unit *unit, Dwarf_Die *type, bool *reference)
{
	uint64_t convention;
	bool known = true;
	Dwarf_Die child;

	*reference = false;
	if (unit->language != DWARF_CXX)
		return true;
	if (number(type, DW_AT_calling_convention, &convention)) {
		*reference = convention == DW_CC_pass_by_reference;
		return *reference || convention == DW_CC_pass_by_value;
	}
	if (dwarf_child(type, &child))
		return true;
	do {
		if (dwarf_tag(&child) == DW_TAG_inheritance &&
		    dwarf_hasattr(&child, DW_AT_virtuality))
			known = false;
		if (dwarf_tag(&child) != DW_TAG_subprogram)
			continue;
		if (dwarf_hasattr(&child, DW_AT_virtuality) ||
		    is_special(unit, &child, type, reference))
			known = false;
	} while (!dwarf_siblingof(&child, &child));
	return known || *reference;
}

static void add_field(struct abi_type *abi, uint64_t offset, unsigned int size,
		      enum abi_class class)
{
	if (abi->nr_fields == ABI_FIELDS_MAX)
		return;
	abi->fields[abi->nr_fields].offset = offset;
	abi->fields[abi->nr_fields].size = size;
	abi->fields[abi->nr_fields++].class = class;
	if (size > abi->align)
		abi->align = size;
}

static bool base_class(const struct dwarf_unit *unit, Dwarf_Die *type, uint64_t size,
		       enum abi_class *class)
{
	uint64_t encoding;

	if (!number(type, DW_AT_encoding, &encoding))
		return false;
	switch (encoding) {
	case DW_ATE_float:
		*class = ABI_FLOAT;
		if (size == 16)
			*class = unit->arch != FNTRACE_ARCH_X86_64 ||
				 strstr(dwarf_name(type), "128") ? ABI_WIDE : ABI_X87;
		return size == 4 || size == 8 || size == 16;
	case DW_ATE_boolean:
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		*class = ABI_INTEGER;
		/* Rust has changed its mind about 16 bytes. */
		return size == 1 || size == 2 || size == 4 || size == 8 ||
		       (size == 16 && unit->language != DWARF_RUST);
	default:
		return false;
	}
}

static bool add_fields(const struct dwarf_unit *unit, Dwarf_Die *type, uint64_t offset,
		       struct abi_type *abi, unsigned int nested);

static bool add_members(const struct dwarf_unit *unit, Dwarf_Die *type, uint64_t offset,
			struct abi_type *abi, unsigned int nested)
{
	Dwarf_Die child, member;
	uint64_t align, at;
	bool reference;

	if (!is_trivial(unit, type, &reference) || dwarf_hasattr(type, DW_AT_declaration))
		return false;
	abi->reference |= reference;
	if (number(type, DW_AT_alignment, &align) && align > abi->align)
		abi->align = align;
	if (dwarf_child(type, &child))
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variant_part)
			return false;
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (dwarf_hasattr(&child, DW_AT_external))
			continue;
		if (dwarf_hasattr(&child, DW_AT_bit_size) || !is_member(&child, &at) ||
		    !dwarf_type(&child, &member) ||
		    !add_fields(unit, &member, offset + at, abi, nested + 1))
			return false;
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

static bool add_fields(const struct dwarf_unit *unit, Dwarf_Die *type, uint64_t offset,
		       struct abi_type *abi, unsigned int nested)
{
	uint64_t size = size_of(type), length, i;
	enum abi_class class = ABI_INTEGER;
	Dwarf_Die element;

	/* What is damaged may have members behind its end. */
	if (nested > NESTED_MAX || offset > abi->size || size > abi->size - offset)
		return false;
	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		if (!base_class(unit, type, size, &class))
			return false;
		add_field(abi, offset, size, class);
		return true;
	case DW_TAG_enumeration_type:
		if (size != 1 && size != 2 && size != 4 && size != 8)
			return false;
		add_field(abi, offset, size, class);
		return true;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		if (abi->size - offset < 8)
			return false;
		add_field(abi, offset, 8, class);
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return add_members(unit, type, offset, abi, nested);
	case DW_TAG_array_type:
		length = array_length(type);
		if (!length || dwarf_hasattr(type, DW_AT_GNU_vector) ||
		    !dwarf_type(type, &element))
			return false;
		size = size_of(&element);
		for (i = 0; i < length && abi->nr_fields < ABI_FIELDS_MAX; i++)
			if (!add_fields(unit, &element, offset + i * size, abi, nested + 1))
				return false;
		return true;
	default:
		return false;
	}
}

bool dwarf_abi_type(const struct dwarf_unit *unit, Dwarf_Die *type, struct abi_type *abi)
{
	memset(abi, 0, sizeof(*abi));
	abi->align = 1;
	abi->size = size_of(type);
	abi->aggregate = is_structure(type);
	/* No language here passes an array as it is. */
	if (!abi->size || dwarf_tag(type) == DW_TAG_array_type ||
	    !add_fields(unit, type, 0, abi, 0))
		return false;
	if (unit->language != DWARF_RUST || !abi->aggregate)
		return true;
	/* Rust has no rules for structures, but passes one of a single value as that value. */
	abi->aggregate = false;
	return abi->nr_fields == 1 && abi->fields[0].size == abi->size;
}

bool dwarf_is_pair(const struct dwarf_unit *unit, Dwarf_Die *type)
{
	return unit->language == DWARF_RUST && is_structure(type) && size_of(type) == 16 &&
	       (!strncmp(dwarf_name(type), "&str", 4) || !strncmp(dwarf_name(type), "&[", 2) ||
		!strncmp(dwarf_name(type), "&mut str", 8) ||
		!strncmp(dwarf_name(type), "&mut [", 6));
}

/* On x86_64, what has no members has no place in C++ either, though its size is 1. */
static bool is_empty_class(const struct dwarf_unit *unit, Dwarf_Die *type)
{
	struct abi_type abi;

	return unit->language == DWARF_CXX && unit->arch == FNTRACE_ARCH_X86_64 &&
	       is_structure(type) && size_of(type) == 1 && dwarf_abi_type(unit, type, &abi) &&
	       !abi.nr_fields && !abi.reference;
}

bool dwarf_is_empty(const struct dwarf_unit *unit, Dwarf_Die *type)
{
	uint64_t size;

	return unit->language == DWARF_RUST && number(type, DW_AT_byte_size, &size) && !size;
}

bool dwarf_has_no_place(const struct dwarf_unit *unit, Dwarf_Die *type)
{
	return dwarf_is_empty(unit, type) || is_empty_class(unit, type);
}

/* Formats */

/*
 * The value of an enumerator. GCC writes one that is not negative in as few bytes as it takes
 * without a sign: 200 in one, which libdw's dwarf_formsdata() takes for -56.
 */
static bool enumerator_value(Dwarf_Attribute *attribute, Dwarf_Sword *value)
{
	switch (dwarf_whatform(attribute)) {
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
		return !dwarf_formsdata(attribute, value);
	default:
		return !dwarf_formudata(attribute, (Dwarf_Word *)value);
	}
}

static unsigned int enumeration_id(struct dwarf_steps *steps, Dwarf_Die *type)
{
	struct dwarf_enumerations *all = steps->enumerations;
	Dwarf_Die child;
	size_t i;

	for (i = 0; i < all->nr; i++)
		if (all->list[i].addr == type->addr)
			return all->list[i].id;
	all->list = xrealloc(all->list, (all->nr + 1) * sizeof(*all->list));
	all->list[all->nr].addr = type->addr;
	all->list[all->nr++].id = all->next;
	fprintf(all->out, "enum %u\n", all->next);
	if (!dwarf_child(type, &child)) {
		do {
			Dwarf_Attribute attribute;
			Dwarf_Sword value;

			if (dwarf_tag(&child) != DW_TAG_enumerator ||
			    !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
			    !enumerator_value(&attribute, &value))
				continue;
			fprintf(all->out, "is %lld ", (long long)value);
			dwarf_put_name(all->out, dwarf_name(&child));
			putc('\n', all->out);
		} while (!dwarf_siblingof(&child, &child));
	}
	return all->next++;
}

/* Is there room for so much more? */
static bool fits(const struct dwarf_steps *steps, unsigned int bytes)
{
	return steps->used + steps->string_bytes + bytes <= FNTRACE_VALUES_MAX;
}

static void put_string(struct dwarf_steps *steps, FILE *out, unsigned int at, int length_at)
{
	if (!fits(steps, STRING_MAX + 4)) {
		fprintf(out, "%%x%u.8", at);
		return;
	}
	steps->string_bytes += STRING_MAX + 2;
	if (length_at < 0)
		fprintf(steps->strings, " n%u.%u", at, STRING_MAX);
	else
		fprintf(steps->strings, " t%u.%u.%u", at, length_at, STRING_MAX);
	fprintf(out, "%%s%u.%u", steps->nr_strings++, at);
}

static void put_base(FILE *out, Dwarf_Die *type, unsigned int at)
{
	uint64_t size = size_of(type), encoding = 0;
	char kind;

	number(type, DW_AT_encoding, &encoding);
	switch (encoding) {
	case DW_ATE_boolean:
		kind = 'b';
		break;
	case DW_ATE_float:
		kind = size == 4 || size == 8 ? 'f' : 0;
		break;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		kind = is_char(type) ? 'c' : encoding == DW_ATE_signed_char ? 'd' : 'u';
		break;
	case DW_ATE_UTF:
		kind = 'c';
		break;
	case DW_ATE_signed:
		kind = 'd';
		break;
	case DW_ATE_unsigned:
		kind = 'u';
		break;
	default:
		kind = 0;
	}
	if (!kind || !size || size > 8)
		putc('?', out);
	else
		fprintf(out, "%%%c%u.%u", kind, at, (unsigned int)size);
}

/*
 * What is shown where: values in memory are shown up to @end only, what is recorded of it;
 * @level counts structures around them, @memory that pointers lead to.
 */
struct place {
	unsigned int	at;
	unsigned int	end;
	unsigned int	level;
	bool		memory;
};

static void put_value(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
		      struct place place);

/* The memory that a pointer leads to; only the pointer if that is too much. */
static void put_memory(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type, unsigned int at)
{
	uint64_t size = size_of(type);
	struct place place;

	if (!size || dwarf_hasattr(type, DW_AT_declaration)) {
		fprintf(out, "%%x%u.8", at);
		return;
	}
	if (size > MEMORY_MAX)
		size = MEMORY_MAX;
	if (!fits(steps, size + 3)) {
		fprintf(out, "%%x%u.8", at);
		return;
	}
	fprintf(steps->memory, " m%u.%u", at, (unsigned int)size);
	fprintf(out, "%%[%u.%u ", steps->used, at);
	place = (struct place){
		.at = steps->used + 1,
		.end = steps->used + 1 + size,
		.memory = true,
	};
	steps->used += 1 + size;
	put_value(steps, out, type, place);
	fputs("%]", out);
}

static void put_pointer(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			struct place place)
{
	bool reference = dwarf_tag(type) != DW_TAG_pointer_type;
	const char *name = dwarf_name(type);
	Dwarf_Die target;
	int tag;

	if (!dwarf_type(type, &target)) {
		fprintf(out, "%%x%u.8", place.at);
		return;
	}
	/* Those of Rust lead to something, as references of C++ do; a raw pointer may not. */
	if (steps->unit->language == DWARF_RUST)
		reference = *name && *name != '*';
	tag = dwarf_tag(&target);
	if (!reference && is_char(&target) && steps->unit->language != DWARF_RUST)
		put_string(steps, out, place.at, -1);
	else if (!place.memory &&
		 (is_structure(&target) ||
		  (reference && (tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type ||
				 tag == DW_TAG_pointer_type))))
		put_memory(steps, out, &target, place.at);
	else
		fprintf(out, "%%x%u.8", place.at);
}

/*
 * Offset in a structure of a member with this name, in whichever structure inside of it. It is
 * a word, or begins with one: the types of a library's members are not always known.
 */
static bool find_member(Dwarf_Die *type, const char *name, uint64_t *offset,
			unsigned int nested)
{
	Dwarf_Die child, member;
	uint64_t at, inside;

	if (nested > NESTED_MAX || !is_structure(type) || dwarf_child(type, &child))
		return false;
	do {
		if (!is_member(&child, &at) || !dwarf_type(&child, &member))
			continue;
		if (!strcmp(dwarf_name(&child), name) &&
		    (size_of(&member) == 8 || dwarf_hasattr(&member, DW_AT_declaration))) {
			*offset = at;
			return true;
		}
		if (find_member(&member, name, &inside, nested + 1)) {
			*offset = at + inside;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/*
 * Strings of C++ and Rust have a pointer and a length somewhere; the names are those of
 * libstdc++, libc++ and Rust's library. Returns false if it is none.
 */
static bool put_text_object(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			    struct place place)
{
	static const struct {
		enum dwarf_language	language;
		const char		*name;
		const char		*pointer;
		const char		*length;
	} kinds[] = {
		{ DWARF_CXX, "basic_string<char,", "_M_dataplus", "_M_string_length" },
		{ DWARF_CXX, "basic_string_view<char,", "_M_str", "_M_len" },
		{ DWARF_CXX, "basic_string_view<char,", "__data_", "__size_" },
		{ DWARF_RUST, "&str", "data_ptr", "length" },
		{ DWARF_RUST, "&mut str", "data_ptr", "length" },
		{ DWARF_RUST, "String", "pointer", "len" },
	};
	uint64_t pointer, length;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t len = strlen(kinds[i].name);

		if (kinds[i].language != steps->unit->language ||
		    strncmp(dwarf_name(type), kinds[i].name, len) ||
		    (kinds[i].name[len - 1] != ',' && dwarf_name(type)[len]) ||
		    !find_member(type, kinds[i].pointer, &pointer, 0) ||
		    !find_member(type, kinds[i].length, &length, 0) ||
		    place.at + pointer + 8 > place.end || place.at + length + 8 > place.end)
			continue;
		put_string(steps, out, place.at + pointer, place.at + length);
		return true;
	}
	return false;
}

/* Some bits of an integer, which are in at most 8 bytes. */
static void put_bits(FILE *out, Dwarf_Die *member, Dwarf_Die *type, struct place place,
		     uint64_t start, uint64_t bits)
{
	uint64_t byte = start / 8, shift = start % 8, encoding = 0;
	unsigned int size = (shift + bits + 7) / 8;

	number(type, DW_AT_encoding, &encoding);
	if (!dwarf_hasattr(member, DW_AT_data_bit_offset) || !bits || size > 8 ||
	    place.at + byte + size > place.end)
		putc('?', out);
	else
		fprintf(out, "%%%c%u.%u.%u.%u", encoding == DW_ATE_signed ? 'D' : 'U',
			(unsigned int)(place.at + byte), size, (unsigned int)shift,
			(unsigned int)bits);
}

static void put_members(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			struct place place, unsigned int *nr)
{
	uint64_t offset, bits, start;
	Dwarf_Die child, member;
	struct place inside;

	if (dwarf_child(type, &child))
		return;
	do {
		/* Which of its variants a value of Rust has, only Rust knows. */
		if (dwarf_tag(&child) == DW_TAG_variant_part) {
			fprintf(out, "%s...", (*nr)++ ? ", " : "");
			return;
		}
		if (!is_member(&child, &offset) || !dwarf_type(&child, &member) ||
		    flag(&child, DW_AT_artificial))
			continue;
		inside = place;
		inside.at += offset;
		if (dwarf_tag(&child) == DW_TAG_inheritance) {
			if (++inside.level < LEVELS_MAX)
				put_members(steps, out, &member, inside, nr);
			continue;
		}
		if (dwarf_is_empty(steps->unit, &member))
			continue;
		if (*nr == MEMBERS_MAX ||
		    (!dwarf_hasattr(&child, DW_AT_bit_size) &&
		     inside.at + size_of(&member) > place.end &&
		     !is_structure(&member))) {
			fprintf(out, "%s...", *nr ? ", " : "");
			*nr = MEMBERS_MAX;
			return;
		}
		fprintf(out, "%s", (*nr)++ ? ", " : "");
		if (*dwarf_name(&child)) {
			dwarf_put_name(out, dwarf_name(&child));
			putc('=', out);
		}
		if (number(&child, DW_AT_bit_size, &bits)) {
			start = 0;
			number(&child, DW_AT_data_bit_offset, &start);
			put_bits(out, &child, &member, place, start, bits);
		} else {
			inside.level++;
			put_value(steps, out, &member, inside);
		}
	} while (!dwarf_siblingof(&child, &child) && *nr <= MEMBERS_MAX);
}

static void put_structure(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			  struct place place)
{
	unsigned int nr = 0;

	if (put_text_object(steps, out, type, place))
		return;
	if (place.level >= LEVELS_MAX) {
		fputs("{...}", out);
		return;
	}
	putc('{', out);
	put_members(steps, out, type, place, &nr);
	putc('}', out);
}

static void put_array(FILE *out, Dwarf_Die *type, struct place place)
{
	uint64_t length = array_length(type);
	Dwarf_Die element;

	if (length && length <= MEMORY_MAX && dwarf_type(type, &element) && is_char(&element) &&
	    place.at + length <= place.end)
		fprintf(out, "%%a%u.%u", place.at, (unsigned int)length);
	else
		fputs("[...]", out);
}

static void put_value(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
		      struct place place)
{
	int tag = dwarf_tag(type);

	if (tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
	    place.at + size_of(type) > place.end) {
		fputs("...", out);
		return;
	}
	switch (tag) {
	case DW_TAG_base_type:
		put_base(out, type, place.at);
		break;
	case DW_TAG_enumeration_type:
		fprintf(out, "%%e%u.%u.%u", place.at, (unsigned int)size_of(type),
			enumeration_id(steps, type));
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		put_pointer(steps, out, type, place);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		put_structure(steps, out, type, place);
		break;
	case DW_TAG_array_type:
		put_array(out, type, place);
		break;
	case DW_TAG_union_type:
		fputs("{...}", out);
		break;
	default:
		putc('?', out);
	}
}

void dwarf_put_value(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type, unsigned int at)
{
	put_value(steps, out, type, (struct place){ .at = at, .end = at + size_of(type) });
}

void dwarf_put_indirect(struct dwarf_steps *steps, FILE *out, Dwarf_Die *type,
			unsigned int at)
{
	put_memory(steps, out, type, at);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Describe functions by their debug information; the plugin fntrace-dwarf.so.
 *
 * Where the arguments are at the entry of a function follows from their types (abi.h). What
 * DW_AT_location says is of no use for that: it is true behind the prologue, or from the
 * first breakpoint on.
 */
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"
#include "trace.h"

#define ARGUMENTS_MAX	24
/* Types and functions inside of each other. */
#define NESTED_MAX	64

/*
 * What hooks need at the beginning of a function has up to this many bytes. On arm64 and
 * riscv64, GCC 12 says that a function begins behind it.
 */
#define ROOM_MAX	16

/* Of the psABI of RISC-V: the ABI for floating point in the flags of a file. */
#define RISCV_FLOAT_ABI		0x6
#define RISCV_FLOAT_ABI_DOUBLE	0x4

/*
 * struct argument - one argument, or the result
 * @die: of the parameter
 * @type: of it, without typedefs and qualifiers
 * @place: where it is
 * @at: offset of what is stored of it
 * @known: there is a place
 * @empty: it is a type without a value, and has no place
 */
struct argument {
	Dwarf_Die		die;
	Dwarf_Die		type;
	struct abi_place	place;
	unsigned int		at;
	bool			known;
	bool			empty;
};

/*
 * struct walk - through all functions of a file
 * @object: what is wanted
 * @unit: of the function
 * @enumerations: that were written
 * @out: for what is written
 * @next_function: ID
 * @error: the debug information is damaged
 */
struct walk {
	const struct describe_object	*object;
	struct dwarf_unit		unit;
	struct dwarf_enumerations	enumerations;
	FILE				*out;
	unsigned int			next_function;
	bool				error;
};

static void put_problem(struct walk *walk, const struct describe_function *function,
			const char *text)
{
	fprintf(walk->out, "problem %" PRIx64 " %s\n", function->addr, text);
}

/* A file in memory, as text to be taken out again. */
struct text {
	FILE	*file;
	char	*text;
	size_t	size;
};

static void text_open(struct text *text)
{
	text->file = open_memstream(&text->text, &text->size);
	if (!text->file)
		die("out of memory");
}

static char *text_close(struct text *text)
{
	if (fclose(text->file))
		die("out of memory");
	return text->text;
}

/* Two registers, or the last register and the stack. */
static bool pair_argument(struct abi_call *call, struct abi_place *place)
{
	static const struct abi_type word = {
		.size = 8,
		.align = 8,
		.nr_fields = 1,
		.fields = { { .size = 8 } },
	};
	struct abi_place second;

	if (!abi_argument(call, &word, place) || !abi_argument(call, &word, &second))
		return false;
	second.pieces[0].at = 8;
	place->pieces[place->nr_pieces++] = second.pieces[0];
	return true;
}

/*
 * LLVM looks at all calls of a function that is not external. Where all of them pass the same
 * constant, or the function uses nothing of an argument, they pass anything; where all know
 * what it returns, it returns anything.
 */
static bool is_passed(const struct dwarf_unit *unit, Dwarf_Die *parameter)
{
	return !dwarf_hasattr(parameter, DW_AT_const_value) &&
	       (unit->gcc || dwarf_hasattr(parameter, DW_AT_location));
}

static bool is_optimized(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Block block;
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return true;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		/* If it is not, each has one place in memory. */
		return !dwarf_attr(&child, DW_AT_location, &attribute) ||
		       dwarf_formblock(&attribute, &block) || !block.length ||
		       !(block.data[0] == DW_OP_fbreg ||
			 (block.data[0] >= DW_OP_breg0 && block.data[0] <= DW_OP_breg31));
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

/*
 * Where a function begins. One of which a part is elsewhere, as what GCC considers unlikely,
 * has ranges, the first of which has the beginning.
 */
static bool begin_of(Dwarf_Die *function, Dwarf_Addr *begin)
{
	Dwarf_Addr base, end;

	return !dwarf_lowpc(function, begin) ||
	       dwarf_ranges(function, 0, &base, begin, &end) > 0;
}

/*
 * The same for the parts of a structure: one that is not used has no place when the function
 * begins, and its part of DW_AT_location is empty.
 */
static bool are_parts_passed(const struct dwarf_unit *unit, Dwarf_Die *parameter,
			     Dwarf_Die *function, const struct abi_place *place)
{
	Dwarf_Addr begin, base, from, to;
	Dwarf_Attribute attribute;
	Dwarf_Word bytes = 0;
	bool any = false;
	Dwarf_Op *ops;
	size_t nr, i;

	if (unit->gcc || place->nr_pieces < 2)
		return true;
	/* The first of its places; what is in front of it is a call of the hook. */
	if (!begin_of(function, &begin) ||
	    !dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocations(&attribute, 0, &base, &from, &to, &ops, &nr) <= 0 ||
	    (from > begin && from - begin > ROOM_MAX))
		return false;
	for (i = 0; i < nr; i++) {
		if (ops[i].atom != DW_OP_piece)
			continue;
		if (!i || ops[i - 1].atom == DW_OP_piece)
			return false;
		bytes += ops[i].number;
		any = true;
	}
	/* There may be some that belong to no member. */
	return !any || bytes > place->pieces[place->nr_pieces - 1].at;
}

static bool is_returned(const struct dwarf_unit *unit, Dwarf_Die *function)
{
	return unit->gcc || dwarf_hasattr_integrate(function, DW_AT_external) ||
	       !is_optimized(function);
}

static bool find_argument(const struct dwarf_unit *unit, struct abi_call *call,
			  struct argument *argument)
{
	struct abi_type abi;

	if (!dwarf_type(&argument->die, &argument->type))
		return false;
	argument->empty = dwarf_has_no_place(unit, &argument->type);
	if (argument->empty)
		return true;
	if (dwarf_is_pair(unit, &argument->type))
		return pair_argument(call, &argument->place);
	return dwarf_abi_type(unit, &argument->type, &abi) &&
	       abi_argument(call, &abi, &argument->place);
}

/* The result comes first: its address may be an argument. */
static bool find_result(const struct dwarf_unit *unit, Dwarf_Die *function,
			struct abi_call *call, struct argument *result)
{
	struct abi_call pair = { .arch = call->arch };
	struct abi_type abi;

	result->die = *function;
	*call = pair;
	if (!dwarf_type(function, &result->type)) {
		result->empty = true;
		return abi_return(call, NULL, &result->place);
	}
	result->empty = dwarf_has_no_place(unit, &result->type);
	if (result->empty)
		return abi_return(call, NULL, &result->place);
	if (dwarf_is_pair(unit, &result->type))
		return pair_argument(&pair, &result->place);
	return dwarf_abi_type(unit, &result->type, &abi) &&
	       abi_return(call, &abi, &result->place);
}

/* Steps that store the parts of a value, one behind the other as they are in the value. */
static void put_steps(struct dwarf_steps *steps, struct argument *argument)
{
	const struct abi_place *place = &argument->place;
	unsigned int i, size, total = 0;

	for (i = 0; i < place->nr_pieces; i++)
		if (total < place->pieces[i].at + place->pieces[i].size)
			total = place->pieces[i].at + place->pieces[i].size;
	if (!place->nr_pieces || total > DWARF_DIRECT_MAX)
		return;
	argument->known = true;
	argument->at = steps->used;
	for (i = 0; i < place->nr_pieces; i++) {
		size = place->pieces[i].size;
		/* What is between two members is of no interest, but takes its place. */
		if (i + 1 < place->nr_pieces)
			size = place->pieces[i + 1].at - place->pieces[i].at;
		fprintf(steps->direct, " %c%u.%u", "gfs"[place->pieces[i].where],
			place->pieces[i].number, size);
		steps->used += size;
	}
}

static void put_format(struct dwarf_steps *steps, FILE *out, struct argument *argument)
{
	if (argument->empty)
		fputs(steps->unit->language == DWARF_RUST ? "()" : "{}", out);
	else if (!argument->known)
		putc('?', out);
	else if (argument->place.indirect)
		dwarf_put_indirect(steps, out, &argument->type, argument->at);
	else
		dwarf_put_value(steps, out, &argument->type, argument->at);
}

/* The object of a method may not have a value yet, and others have shown it. */
static bool is_this(const struct walk *walk, struct argument *argument)
{
	return walk->unit.language == DWARF_CXX &&
	       dwarf_hasattr_integrate(&argument->die, DW_AT_artificial);
}

/* Everything that is stored and shown at the entry, or (@result) at the exit. */
static void put_moment(struct walk *walk, FILE *out, struct argument *arguments, size_t nr,
		       bool result, bool more)
{
	struct dwarf_steps steps = {
		.unit = &walk->unit,
		.enumerations = &walk->enumerations,
		.used = sizeof(uint32_t),
	};
	struct text direct, memory, strings, formats;
	char *texts[4];
	size_t i;

	text_open(&direct);
	text_open(&memory);
	text_open(&strings);
	text_open(&formats);
	steps.direct = direct.file;
	steps.memory = memory.file;
	steps.strings = strings.file;
	for (i = 0; i < nr; i++)
		put_steps(&steps, &arguments[i]);
	for (i = 0; i < nr; i++) {
		const char *name = dwarf_name(&arguments[i].die);

		if (result) {
			fputs("return ", formats.file);
		} else {
			fputs("arg ", formats.file);
			if (*name)
				dwarf_put_name(formats.file, name);
			else
				fprintf(formats.file, "arg%zu", i + 1);
			putc(' ', formats.file);
		}
		if (!result && arguments[i].known && is_this(walk, &arguments[i]))
			fprintf(formats.file, "%%x%u.8", arguments[i].at);
		else
			put_format(&steps, formats.file, &arguments[i]);
		putc('\n', formats.file);
	}
	if (more)
		fputs("arg ... ?\n", formats.file);
	texts[0] = text_close(&direct);
	texts[1] = text_close(&memory);
	texts[2] = text_close(&strings);
	texts[3] = text_close(&formats);
	/* Each step has a space in front of it; there is always one, so that there are values. */
	fprintf(out, "%s%s%s%s\n%s", result ? "leave" : "enter", texts[0], texts[1], texts[2],
		texts[3]);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
}

/* Those behind the first @nr; GCC puts the ones of a parameter pack of C++ into an entry. */
static size_t count_parameters(Dwarf_Die *function, struct argument *arguments, size_t nr)
{
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return nr;
	do {
		if (dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack &&
		    dwarf_tag(function) == DW_TAG_subprogram)
			nr = count_parameters(&child, arguments, nr);
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (arguments && nr < ARGUMENTS_MAX) {
			arguments[nr] = (struct argument){ };
			arguments[nr].die = child;
		}
		nr++;
	} while (!dwarf_siblingof(&child, &child));
	return nr;
}

/* Has it all the parameters that its source has? */
static bool same_parameters(Dwarf_Die *function, size_t nr)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	if (!dwarf_attr(function, DW_AT_abstract_origin, &attribute))
		return true;
	return dwarf_formref_die(&attribute, &origin) &&
	       count_parameters(&origin, NULL, 0) == nr;
}

/*
 * Compilers name so what they made of a function: f.isra.0, f.constprop.0. Those of Rust's older
 * names have dots of their own, in front of a hash of 16 digits: _ZN...17h0123456789abcdefE.
 */
static bool is_variant(const char *linkage)
{
	const char *hash = strncmp(linkage, "_ZN", 3) ? NULL : strstr(linkage, "17h");

	while (hash && (strspn(hash + 3, "0123456789abcdef") != 16 || hash[19] != 'E'))
		hash = strstr(hash + 1, "17h");
	return strchr(hash ? hash : linkage, '.');
}

/* Why nothing about a function can be known; NULL: it can. */
static const char *find_problem(const struct walk *walk, Dwarf_Die *die,
				const struct describe_function *function, size_t nr)
{
	Dwarf_Attribute attribute;
	Dwarf_Word convention;

	if (walk->unit.language == DWARF_OTHER)
		return "it is not in C, C++ or Rust";
	if (is_variant(function->linkage))
		return "it is a variant that the compiler made of a function";
	if (dwarf_attr_integrate(die, DW_AT_calling_convention, &attribute) &&
	    !dwarf_formudata(&attribute, &convention) && convention != DW_CC_normal)
		return "the compiler changed how it is called";
	/* LLVM calls functions that only it knows in a way of its own there. */
	if (!walk->unit.gcc && walk->unit.arch == FNTRACE_ARCH_RISCV64 &&
	    !dwarf_hasattr_integrate(die, DW_AT_external))
		return "it is local, and was not compiled by GCC";
	if (nr > ARGUMENTS_MAX)
		return "it has too many arguments";
	if (!same_parameters(die, nr))
		return "the compiler changed its arguments";
	if (nr && walk->unit.language == DWARF_C &&
	    !dwarf_hasattr_integrate(die, DW_AT_prototyped))
		return "it has no prototype";
	return NULL;
}

#define ENTRY_PROBLEM(hook)						\
	("its arguments are gone when " hook " is called; compile it with " \
	 "-fpatchable-function-entry, or with -pg -mfentry")

/* Why its arguments are not known at the hook; NULL: they are. */
static const char *find_entry_problem(const struct walk *walk, bool after_prologue)
{
	unsigned int hooks = walk->object->hooks;

	if (hooks & (IMAGE_FENTRY | IMAGE_PATCHABLE) ||
	    (hooks & IMAGE_MCOUNT && after_prologue))
		return NULL;
	return hooks & IMAGE_MCOUNT ? ENTRY_PROBLEM("mcount()") : ENTRY_PROBLEM("the hook");
}

/*
 * Behind the prologue nobody knows where the stack was: a function may align its own (GCC
 * then begins with lea 8(%rsp), %r10). So there arguments on the stack are not recorded, and
 * where all functions should have hooks in front of the prologue, those are not that have
 * such arguments and have none. Returns false in the latter case.
 */
static bool take_stack(const struct walk *walk, struct argument *arguments, size_t nr)
{
	bool in_front = walk->object->hooks & (IMAGE_FENTRY | IMAGE_PATCHABLE), any = false;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		struct abi_place *place = &arguments[i].place;

		for (j = 0; j < place->nr_pieces && place->pieces[j].where != ABI_STACK; j++)
			;
		if (j == place->nr_pieces)
			continue;
		any = true;
		if (!in_front)
			place->nr_pieces = 0;
	}
	return !in_front || !any;
}

static void describe_function(struct walk *walk, Dwarf_Die *die,
			      const struct describe_function *function)
{
	bool after_prologue = walk->unit.arch == FNTRACE_ARCH_X86_64 && walk->unit.gcc;
	struct argument arguments[ARGUMENTS_MAX], result = { };
	size_t nr = count_parameters(die, arguments, 0), known = 0;
	const char *problem = find_problem(walk, die, function, nr);
	struct abi_call call = { .arch = walk->unit.arch };
	size_t i;
	bool arguments_wanted = function->arguments, result_known, any = false;

	if (!problem && walk->object->hooks == IMAGE_REPORTS)
		problem = find_entry_problem(walk, false);
	if (problem) {
		put_problem(walk, function, problem);
		return;
	}
	problem = arguments_wanted ? find_entry_problem(walk, after_prologue) : NULL;
	if (problem) {
		put_problem(walk, function, problem);
		arguments_wanted = false;
	}
	result_known = find_result(&walk->unit, die, &call, &result);
	for (; result_known && known < nr; known++) {
		if (!find_argument(&walk->unit, &call, &arguments[known]))
			break;
		if (!is_passed(&walk->unit, &arguments[known].die) ||
		    !are_parts_passed(&walk->unit, &arguments[known].die, die,
				      &arguments[known].place))
			arguments[known].place.nr_pieces = 0;
	}
	after_prologue &= take_stack(walk, arguments, known);
	for (i = 0; i < known; i++)
		any |= arguments[i].empty || arguments[i].place.nr_pieces;
	if (arguments_wanted && nr && !any) {
		put_problem(walk, function, "it is not known where its arguments are");
		arguments_wanted = false;
	}
	if (function->result && result.empty && !arguments_wanted)
		put_problem(walk, function, DESCRIBE_NOTHING);
	result_known &= result.place.nr_pieces && is_returned(&walk->unit, die);
	if (function->result && !result.empty && !result_known)
		put_problem(walk, function, "it is not known how its result is returned");
	result_known &= function->result && !result.empty;
	if (!arguments_wanted && !result_known)
		return;

	fprintf(walk->out, "function %u %" PRIx64 " %" PRIx64 " %d ", walk->next_function++,
		function->addr, function->addr + function->size, after_prologue);
	dwarf_put_name(walk->out, function->name);
	putc('\n', walk->out);
	if (arguments_wanted)
		put_moment(walk, walk->out, arguments, known, false, known < nr);
	if (result_known)
		put_moment(walk, walk->out, &result, 1, true, false);
}

/* The function that begins at an address; its symbol may be in front of it. */
static struct describe_function *find_function(const struct describe_object *object,
					       uint64_t addr)
{
	size_t low = 0, high = object->nr_functions;
	struct describe_function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->functions[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &object->functions[low - 1];
	return addr - function->addr < function->size && addr - function->addr <= ROOM_MAX ?
	       function : NULL;
}

static bool has_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

static void walk_tree(struct walk *walk, Dwarf_Die *parent, unsigned int nested)
{
	struct describe_function *function;
	Dwarf_Die child;
	Dwarf_Addr low;
	int end;

	if (nested > NESTED_MAX) {
		walk->error = true;
		return;
	}
	end = dwarf_child(parent, &child);
	while (!end && !walk->error) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_invalid) {
			walk->error = true;
			return;
		}
		if (tag == DW_TAG_subprogram && begin_of(&child, &low)) {
			function = find_function(walk->object, low);
			if (function && !function->described) {
				function->described = true;
				describe_function(walk, &child, function);
			}
		}
		if (has_functions(tag))
			walk_tree(walk, &child, nested + 1);
		end = dwarf_siblingof(&child, &child);
	}
	walk->error |= end < 0;
}

static enum dwarf_language language_of(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return DWARF_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return DWARF_CXX;
	case DW_LANG_Rust:
		return DWARF_RUST;
	case 0x002b:	/* DW_LANG_C_plus_plus_17, of DWARF 6 */
	case 0x002c:	/* DW_LANG_C17 */
		return dwarf_srclang(unit) == 0x002c ? DWARF_C : DWARF_CXX;
	case 0x003a:	/* DW_LANG_C_plus_plus_20 */
		return DWARF_CXX;
	case 0x003e:	/* DW_LANG_C23 */
		return DWARF_C;
	default:
		return DWARF_OTHER;
	}
}

/* The functions of a unit whose debug information should be in another file (-gsplit-dwarf). */
static void miss_split(struct walk *walk, Dwarf_Die *skeleton)
{
	Dwarf_Attribute attribute;
	const char *file = NULL;
	size_t i;

	if (dwarf_attr(skeleton, DW_AT_dwo_name, &attribute) ||
	    dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attribute))
		file = dwarf_formstring(&attribute);
	for (i = 0; i < walk->object->nr_functions; i++) {
		struct describe_function *function = &walk->object->functions[i];

		/* The unit may begin behind the symbol, see ROOM_MAX. */
		if (function->described ||
		    dwarf_haspc(skeleton, function->addr + function->size - 1) <= 0)
			continue;
		function->described = true;
		fprintf(walk->out, "problem %" PRIx64 " its debug information should be in ",
			function->addr);
		dwarf_put_name(walk->out, file ? file : "?");
		fputc('\n', walk->out);
	}
}

static void walk_units(struct walk *walk, Dwarf *dwarf)
{
	Dwarf_Attribute attribute;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die, split;
	Dwarf_Half version;
	uint8_t type;
	int end;

	while (!(end = dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split)) &&
	       !walk->error) {
		const char *producer;

		if (type == DW_UT_type || type == DW_UT_split_type)
			continue;
		if (type == DW_UT_skeleton) {
			if (dwarf_tag(&split) == DW_TAG_invalid) {
				miss_split(walk, &die);
				continue;
			}
			die = split;
		}
		if (dwarf_tag(&die) != DW_TAG_compile_unit) {
			walk->error |= dwarf_tag(&die) == DW_TAG_invalid;
			continue;
		}
		producer = dwarf_attr(&die, DW_AT_producer, &attribute) ?
			   dwarf_formstring(&attribute) : NULL;
		walk->unit.gcc = producer && !strncmp(producer, "GNU ", 4);
		walk->unit.language = language_of(&die);
		walk->unit.version = version;
		walk_tree(walk, &die, 0);
	}
	walk->error |= end < 0;
}

static const char *find_arch(Dwfl_Module *module, enum fntrace_arch *arch)
{
	GElf_Ehdr header;
	GElf_Addr bias;

	if (!gelf_getehdr(dwfl_module_getelf(module, &bias), &header))
		return "not an ELF file";
	if (header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64)
		*arch = FNTRACE_ARCH_X86_64;
	else if (header.e_machine == EM_AARCH64 && header.e_ident[EI_CLASS] == ELFCLASS64)
		*arch = FNTRACE_ARCH_ARM64;
	else if (header.e_machine == EM_RISCV && header.e_ident[EI_CLASS] == ELFCLASS64 &&
		 (header.e_flags & RISCV_FLOAT_ABI) == RISCV_FLOAT_ABI_DOUBLE)
		*arch = FNTRACE_ARCH_RISCV64;
	else
		return "it is not of x86_64, arm64 or riscv64 with double precision";
	return NULL;
}

static const char *describe_module(struct walk *walk, Dwfl_Module *module)
{
	const char *problem = find_arch(module, &walk->unit.arch);
	Dwarf_Addr bias;
	Dwarf *dwarf;
	size_t i;

	if (problem)
		return problem;
	dwarf = dwfl_module_getdwarf(module, &bias);
	if (!dwarf) {
		int error = dwfl_errno();

		/* The library has a number for this, but does not tell which. */
		if (error && !strcmp(dwfl_errmsg(error), "No DWARF information found"))
			return "it has no debug information; compile it with -g";
		return "its debug information is damaged";
	}
	walk_units(walk, dwarf);
	if (walk->error)
		return "its debug information is damaged";
	for (i = 0; i < walk->object->nr_functions; i++)
		if (!walk->object->functions[i].described)
			put_problem(walk, &walk->object->functions[i],
				    DESCRIBE_NO_SOURCE);
	return NULL;
}

static const char *dwarf_describe(const struct describe_object *object, FILE *out)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct walk walk = {
		.object = object,
		.enumerations = { .out = out, .next = object->next_enumeration },
		.out = out,
		.next_function = object->next_function,
	};
	const char *problem = "not an ELF file";
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *module;

	if (!dwfl)
		die("out of memory");
	module = dwfl_report_offline(dwfl, object->path, object->path, -1);
	if (module && !dwfl_report_end(dwfl, NULL, NULL))
		problem = describe_module(&walk, module);
	free(walk.enumerations.list);
	dwfl_end(dwfl);
	return problem;
}

const struct describe_plugin describe_plugin = {
	.version = VERSION,
	.describe = dwarf_describe,
};

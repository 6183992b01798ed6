// SPDX-License-Identifier: GPL-2.0
/*
 * BTF types of the arguments and return values of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "func_event.h"
#include "trace_btf.h"

struct func_event_btf {
	struct btf			*btf;
	const struct btf_type		*proto;
	const struct btf_param		*params;
	s32				nr_params;
};

/**
 * func_event_btf_get() - find the prototype of a function
 * @mod: the module that has the function; NULL if it is in the kernel image.
 *	Only the pointer value is used.
 * @function: its name
 * @result: set to a handle for func_event_btf_put()
 *
 * Context: Process context. May sleep.
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_btf_get(const struct module *mod,
				       const char *function,
				       struct func_event_btf **result)
{
	struct func_event_btf *btf __free(kfree) =
		kzalloc_obj(*btf);

	if (!btf)
		return FUNC_EVENT_ERR_NO_MEMORY;

	btf->proto = btf_find_module_func_proto(mod, function, &btf->btf);
	if (!btf->proto)
		return FUNC_EVENT_ERR_NO_BTF_FUNCTION;

	btf->params = btf_get_func_param(btf->proto, &btf->nr_params);
	/* The parameter for "..." has no type, and is not an argument. */
	if (btf->nr_params && !btf->params[btf->nr_params - 1].type)
		btf->nr_params--;

	*result = no_free_ptr(btf);
	return FUNC_EVENT_ERR_OK;
}

/**
 * func_event_btf_put() - release a prototype
 * @btf: the handle of func_event_btf_get(), or NULL
 */
void func_event_btf_put(struct func_event_btf *btf)
{
	if (btf)
		btf_put(btf->btf);
	kfree(btf);
}

/**
 * func_event_btf_nr_args() - number of arguments of a function
 * @btf: its prototype
 *
 * Return: the number of arguments.
 */
int func_event_btf_nr_args(struct func_event_btf *btf)
{
	return btf->nr_params;
}

/*
 * Modifiers that do not affect the layout of a value. A typedef is not one of
 * them: its name may matter.
 */
static bool func_event_btf_is_modifier(const struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

/*
 * A pointer to char or to const char is a string. A pointer to a typedef, such
 * as u8, points to bytes; so does a pointer to non-const char in an argument,
 * which is more often than not a buffer. So does unsigned char, except that
 * const unsigned char in a structure is text: it is the file name in struct
 * qstr.
 */
static bool func_event_btf_is_string(const struct btf *btf,
				     const struct btf_type *pointer,
				     bool buffers)
{
	const struct btf_type *t = btf_type_by_id(btf, pointer->type);
	bool constant = false;
	const char *name;

	while (t && func_event_btf_is_modifier(t)) {
		constant |= BTF_INFO_KIND(t->info) == BTF_KIND_CONST;
		t = btf_type_by_id(btf, t->type);
	}

	if (!t || !btf_type_is_int(t) || t->size != 1)
		return false;

	name = btf_name_by_offset(btf, t->name_off);
	if (!strcmp(name, "char"))
		return constant || !buffers;
	return constant && !buffers && !strcmp(name, "unsigned char");
}

static enum func_event_err func_event_btf_set_integer(struct fetch_field *field,
						      u32 size, bool is_signed)
{
	field->type = fetch_integer(size, is_signed ? FETCH_SIGNED :
				    FETCH_UNSIGNED);
	return field->type ? FUNC_EVENT_ERR_OK : FUNC_EVENT_ERR_NOT_A_VALUE;
}

/* Set type and count of @field from a BTF type. */
static enum func_event_err func_event_btf_set_type(const struct btf *btf,
						   u32 id, bool buffers,
						   struct fetch_field *field)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	const struct btf_array *array;
	enum func_event_err err;
	u8 encoding;

	if (!t)
		return FUNC_EVENT_ERR_NOT_A_VALUE;

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT:
		encoding = BTF_INT_ENCODING(*(u32 *)(t + 1));
		if (encoding & BTF_INT_BOOL) {
			field->type = fetch_find_type("bool", 4);
			return t->size == 1 ? FUNC_EVENT_ERR_OK :
					      FUNC_EVENT_ERR_NOT_A_VALUE;
		}
		return func_event_btf_set_integer(field, t->size,
						  encoding & BTF_INT_SIGNED);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		/* kflag is set if one of the values is negative. */
		return func_event_btf_set_integer(field, t->size,
						  btf_type_kflag(t));
	case BTF_KIND_PTR:
		field->type = func_event_btf_is_string(btf, t, buffers) ?
			&fetch_string_type : &fetch_pointer_type;
		return FUNC_EVENT_ERR_OK;
	case BTF_KIND_ARRAY:
		array = (const struct btf_array *)(t + 1);
		if (field->count || !array->nelems ||
		    array->nelems > FUNC_EVENT_MAX_ELEMENTS)
			return FUNC_EVENT_ERR_NOT_A_VALUE;

		t = btf_type_by_id(btf, array->type);
		while (t && func_event_btf_is_modifier(t))
			t = btf_type_by_id(btf, t->type);

		/* An array of char is text, one of u8 is not. */
		if (t && btf_type_is_int(t) &&
		    !strcmp(btf_name_by_offset(btf, t->name_off), "char")) {
			field->type = fetch_find_type("char", 4);
			err = FUNC_EVENT_ERR_OK;
		} else {
			err = func_event_btf_set_type(btf, array->type, true,
						      field);
			if (!err &&
			    (field->count || fetch_is_string(field->type)))
				err = FUNC_EVENT_ERR_NOT_A_VALUE;
		}

		field->count = array->nelems;
		return err;
	default:
		return FUNC_EVENT_ERR_NOT_A_VALUE;
	}
}

/*
 * True if the first argument register has the address for a returned structure:
 * on most architectures if the structure does not fit into two registers, on
 * s390 and the first powerpc ABI always. arm64 has a separate register for it.
 */
static bool func_event_btf_hides_argument(struct func_event_btf *btf)
{
	bool always = IS_ENABLED(CONFIG_S390) ||
		      IS_ENABLED(CONFIG_PPC64_ELF_ABI_V1);
	const struct btf_type *t =
		btf_type_skip_modifiers(btf->btf, btf->proto->type, NULL);

	return !IS_ENABLED(CONFIG_ARM64) && t && btf_type_is_struct(t) &&
		(always || t->size > 2 * sizeof(long));
}

/*
 * True if all that is in a structure at @at bits are integers and pointers at
 * multiples of their size. Others are passed in other registers, or on the
 * stack.
 */
static bool func_event_btf_has_integers(const struct btf *btf,
					const struct btf_type *t, u32 at,
					unsigned int depth)
{
	const struct btf_member *member;
	const struct btf_type *type;
	u32 i, offset, size;

	for_each_member(i, t, member) {
		offset = at + __btf_member_bit_offset(t, member);
		type = btf_type_skip_modifiers(btf, member->type, NULL);
		while (type && btf_type_is_array(type))
			type = btf_type_skip_modifiers(btf,
						       btf_array(type)->type,
						       NULL);
		if (!type)
			return false;

		if (btf_type_is_struct(type)) {
			if (!depth ||
			    !func_event_btf_has_integers(btf, type, offset,
							 depth - 1))
				return false;
			continue;
		}

		if (!btf_type_is_int(type) && !btf_type_is_ptr(type) &&
		    !btf_is_any_enum(type))
			return false;

		size = btf_type_is_ptr(type) ? sizeof(long) : type->size;
		if (size > sizeof(long))
			return false;
		if (!__btf_member_bitfield_size(t, member) &&
		    offset % (size * BITS_PER_BYTE))
			return false;
	}
	return true;
}

/*
 * Number of registers that a structure takes if it is passed by value and there
 * are enough registers left; 0 if that is not known.
 */
static unsigned int func_event_btf_struct_words(const struct btf *btf,
						const struct btf_type *t)
{
	unsigned int words = DIV_ROUND_UP(t->size, sizeof(long));

	/*
	 * Structures that the kernel passes by value are not nested deeper than
	 * four levels.
	 */
	if (!func_event_btf_has_integers(btf, t, 0, 4))
		return 0;

	if (words <= 2 && !IS_ENABLED(CONFIG_S390))
		return words;

	/* x86 passes larger structures on the stack; they take no register. */
	if (IS_ENABLED(CONFIG_X86))
		return 0;
	if (IS_ENABLED(CONFIG_PPC))
		return words;

	/*
	 * The address of a copy is passed; on s390, unless the size is that of
	 * a number.
	 */
	return !!words;
}

/* As func_event_btf_struct_words(), for any type. */
static unsigned int func_event_btf_words(const struct btf *btf,
					 const struct btf_type *t)
{
	u32 size;

	if (btf_type_is_struct(t))
		return func_event_btf_struct_words(btf, t);
	return !IS_ERR(btf_resolve_size(btf, t, &size)) &&
	       size <= sizeof(long);
}

/*
 * True if the members of a structure that is passed by value are in one or two registers
 * as they are in memory.
 */
static bool func_event_btf_in_registers(const struct btf *btf, const struct btf_type *t)
{
	return !IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) && t->size <= 2 * sizeof(long) &&
	       func_event_btf_struct_words(btf, t);
}

/*
 * The position of an argument if each long is counted that the arguments before
 * it take. Negative if that is not known.
 */
static int func_event_btf_position(struct func_event_btf *btf, int nr)
{
	const struct btf_type *t;
	unsigned int words;
	int at = 0;

	if (func_event_btf_hides_argument(btf))
		return -1;

	for (int i = 0; i <= nr; i++) {
		t = btf_type_skip_modifiers(btf->btf, btf->params[i].type,
					    NULL);
		if (!t)
			return -1;

		words = func_event_btf_words(btf->btf, t);
		/*
		 * If there are not enough registers left for a structure, it
		 * depends on the architecture what of it is on the stack, and
		 * which registers the next argument may have.
		 */
		if (!words || (btf_type_is_struct(t) &&
			       (at + words > func_event_nr_args(false) ||
				func_event_stack_offset(false, at + words - 1) >= 0)))
			return -1;

		if (i < nr)
			at += words;
	}
	return at;
}

/**
 * func_event_btf_arg() - set the name and type of a field from an argument
 * @btf: the prototype
 * @nr: position of the argument
 * @field: the field to set
 *
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
				       struct fetch_field *field)
{
	const char *name =
		btf_name_by_offset(btf->btf, btf->params[nr].name_off);
	int at = func_event_btf_position(btf, nr);
	enum func_event_err err;

	field->arg = at;
	if (name && *name && !field->name) {
		field->name = kstrdup(name, GFP_KERNEL);
		if (!field->name)
			return FUNC_EVENT_ERR_NO_MEMORY;
	}

	err = func_event_btf_set_type(btf->btf, btf->params[nr].type, true,
				      field);
	if (!err && at < 0)
		err = FUNC_EVENT_ERR_UNKNOWN_REGISTER;
	return err;
}

/**
 * func_event_btf_return() - set the type of a field from the return value
 * @btf: the prototype
 * @field: the field to set; its type stays NULL if the function returns void
 *
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_btf_return(struct func_event_btf *btf,
					  struct fetch_field *field)
{
	field->arg = -1;
	if (btf_type_is_void(btf_type_skip_modifiers(btf->btf, btf->proto->type,
						     NULL)))
		return FUNC_EVENT_ERR_OK;
	return func_event_btf_set_type(btf->btf, btf->proto->type, false,
				       field);
}

/*
 * Consumes the word at *@path and the separator after it. Returns the
 * separator: '.', '-' for "->", or 0.
 */
static char func_event_btf_next_word(const char **path, char *word, size_t size)
{
	const char *s = *path;
	size_t len = 0;
	char then;

	while (isspace(*s))
		s++;
	for (; isalnum(*s) || *s == '_'; s++)
		if (len < size - 1)
			word[len++] = *s;
	word[len] = '\0';

	while (isspace(*s))
		s++;
	then = *s;
	if (then)
		s += then == '-' ? 2 : 1;
	while (isspace(*s))
		s++;

	*path = s;
	return then;
}

/*
 * A bit field is read and shifted as a word of the type of its field. Use the
 * aligned word if the bit field is within one, as it is unless the structure is
 * packed: what follows the structure may not be mapped. In a packed structure,
 * or if the type is larger than that of the member, the word may reach beyond
 * the structure. False if the type is too small.
 */
static bool func_event_btf_fit_bits(struct fetch_field *field)
{
	u32 size = field->type->size, before;
	s32 *at;

	if (!field->nr_derefs)
		return field->bit_offset + field->bits <= size * 8;

	at = &field->derefs[field->nr_derefs - 1];
	before = *at & (size - 1);
	if (before * 8 + field->bit_offset + field->bits <= size * 8) {
		*at -= before;
		field->bit_offset += before * 8;
	}
	return field->bit_offset + field->bits <= size * 8;
}

/*
 * Follow the members of @path, and set the source of @field. Sets @result to the type of
 * the last one, and @pos to the position of an error in @path.
 */
static enum func_event_err func_event_btf_walk(struct func_event_btf *btf, const char *path,
					       struct fetch_field *field, u16 *pos,
					       u32 *result)
{
	u32 id, bits, bit_size, in_words = 0;
	const struct btf_member *member;
	const char *start = path;
	const struct btf_type *t;
	char word[128];
	char then;
	int nr;

	*pos = 0;
	then = func_event_btf_next_word(&path, word, sizeof(word));
	for (nr = 0; nr < btf->nr_params; nr++)
		if (!strcmp(btf_name_by_offset(btf->btf,
					       btf->params[nr].name_off),
			    word))
			break;
	if (nr == btf->nr_params)
		return FUNC_EVENT_ERR_UNKNOWN_ARGUMENT;

	field->arg = func_event_btf_position(btf, nr);
	if (field->arg < 0)
		return FUNC_EVENT_ERR_UNKNOWN_REGISTER;
	id = btf->params[nr].type;

	while (then) {
		u16 at = path - start;

		t = btf_type_skip_modifiers(btf->btf, id, &id);
		*pos = at;
		if (then == '-') {
			if (!t || !btf_type_is_ptr(t))
				return FUNC_EVENT_ERR_NOT_A_POINTER;
			if (field->nr_derefs == FETCH_MAX_DEREFS)
				return FUNC_EVENT_ERR_TOO_DEEP;
			if (!field->nr_derefs++)
				field->arg += in_words / BITS_PER_LONG;
			t = btf_type_skip_modifiers(btf->btf, t->type, &id);
		} else if (t && btf_type_is_ptr(t)) {
			return FUNC_EVENT_ERR_IS_A_POINTER;
		}

		if (!t || !btf_type_is_struct(t) ||
		    (!field->nr_derefs && !func_event_btf_in_registers(btf->btf, t)))
			return FUNC_EVENT_ERR_NOT_A_STRUCT;

		then = func_event_btf_next_word(&path, word, sizeof(word));
		member = btf_find_struct_member(btf->btf, t, word, &bits,
						&bit_size);
		if (IS_ERR(member))
			return FUNC_EVENT_ERR_NO_MEMORY;
		if (!member)
			return FUNC_EVENT_ERR_UNKNOWN_MEMBER;

		if (field->nr_derefs)
			field->derefs[field->nr_derefs - 1] += bits / 8;
		else
			in_words += bits;
		field->bits = bit_size;
		field->bit_offset = bits % 8;
		id = member->type;
	}

	/* In a register, each word is an argument of its own. */
	if (!field->nr_derefs) {
		field->arg += in_words / BITS_PER_LONG;
		field->skip = in_words % BITS_PER_LONG / BITS_PER_BYTE;
	}
	*result = id;
	return FUNC_EVENT_ERR_OK;
}

/**
 * func_event_btf_path() - set a field from an argument's name and members
 * @btf: the prototype
 * @path: the path as written, such as skb->dev->name
 * @field: the field to set; its type is set unless it has one
 * @pos: set to the position of the error in @path
 *
 * Context: Process context. May sleep.
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_btf_path(struct func_event_btf *btf,
					const char *path,
					struct fetch_field *field, u16 *pos)
{
	const struct btf_type *t;
	enum func_event_err err;
	bool follow;
	u32 id;

	err = func_event_btf_walk(btf, path, field, pos, &id);
	if (err)
		return err;

	if (field->type) {
		/*
		 * Strings and arrays are at the member if that is an array,
		 * otherwise at the address in the member.
		 */
		t = btf_type_skip_modifiers(btf->btf, id, NULL);
		if (field->bits &&
		    (fetch_is_string(field->type) || field->count))
			return FUNC_EVENT_ERR_NOT_A_VALUE;
		follow = (fetch_is_string(field->type) || field->count) &&
			t && !btf_type_is_array(t);
	} else {
		err = func_event_btf_set_type(btf->btf, id, !field->nr_derefs,
					      field);
		if (err)
			return err;
		follow = fetch_is_string(field->type);
	}

	/* There is no larger type. */
	if (field->bits && field->bit_offset + field->bits > 64)
		return FUNC_EVENT_ERR_NOT_A_VALUE;
	if (field->bits && !func_event_btf_fit_bits(field))
		return FUNC_EVENT_ERR_NO_ROOM_FOR_BITS;

	/* In a register, an array of bytes is not at an address. */
	if (!field->nr_derefs && !follow &&
	    (field->count || field->skip + field->type->size > sizeof(long)))
		return FUNC_EVENT_ERR_NOT_A_VALUE;

	if (follow) {
		if (field->nr_derefs == FETCH_MAX_DEREFS)
			return FUNC_EVENT_ERR_TOO_DEEP;
		field->derefs[field->nr_derefs++] = 0;
	}

	field->read = field->nr_derefs;
	return FUNC_EVENT_ERR_OK;
}

/*
 * Write a declaration as C has it, but for const, which matters only where it makes a
 * string. A pointer to an array or to a function is one to void.
 */
static void func_event_btf_show_decl(struct seq_file *m, const struct btf *btf, u32 id,
				     const char *before, const char *name)
{
	const struct btf_type *t = btf_type_by_id(btf, id);
	unsigned int stars = 0, nr_dims = 0;
	const char *word, *base = NULL;
	u32 dims[4];
	bool constant = false;

	for (;; t = btf_type_by_id(btf, id)) {
		switch (BTF_INFO_KIND(t->info)) {
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			constant |= BTF_INFO_KIND(t->info) == BTF_KIND_CONST;
			id = t->type;
			continue;
		case BTF_KIND_PTR:
			stars++;
			constant = false;
			id = t->type;
			continue;
		case BTF_KIND_ARRAY:
			if (stars || nr_dims == ARRAY_SIZE(dims))
				base = "void";
			else
				dims[nr_dims++] = btf_array(t)->nelems;
			id = btf_array(t)->type;
			if (!base)
				continue;
			break;
		case BTF_KIND_FUNC_PROTO:
		case BTF_KIND_UNKN:
			base = "void";
			break;
		}
		break;
	}

	if (!base)
		base = btf_name_by_offset(btf, t->name_off);
	if (!*base)
		base = "{...}";
	word = btf_type_is_fwd(t) ? (btf_type_kflag(t) ? "union " : "struct ") :
	       BTF_INFO_KIND(t->info) == BTF_KIND_STRUCT ? "struct " :
	       BTF_INFO_KIND(t->info) == BTF_KIND_UNION ? "union " :
	       btf_is_any_enum(t) ? "enum " : "";
	seq_printf(m, "%s%s%s %.*s%s%s", constant && stars ? "const " : "", word, base,
		   (int)min(stars, 4U), "****", before, name);
	for (int i = 0; i < nr_dims; i++)
		seq_printf(m, "[%u]", dims[i]);
}

/**
 * func_event_btf_show() - write the prototype of a function
 * @btf: the prototype
 * @function: name of the function
 * @m: where to
 */
void func_event_btf_show(struct func_event_btf *btf, const char *function,
			 struct seq_file *m)
{
	func_event_btf_show_decl(m, btf->btf, btf->proto->type, "", function);
	seq_puts(m, "(");
	for (int i = 0; i < btf->nr_params; i++) {
		seq_puts(m, i ? ", " : "");
		func_event_btf_show_decl(m, btf->btf, btf->params[i].type, "",
					 btf_name_by_offset(btf->btf,
							    btf->params[i].name_off));
	}
	seq_puts(m, btf->nr_params ? ")\n" : "void)\n");
}

/* Members of structures without a name are written as those of @t. */
static void func_event_btf_show_struct(struct seq_file *m, const struct btf *btf,
				       const struct btf_type *t, const char *path)
{
	const struct btf_member *member;
	u32 i, size;

	for_each_member(i, t, member) {
		const char *name = btf_name_by_offset(btf, member->name_off);
		const struct btf_type *type =
			btf_type_skip_modifiers(btf, member->type, NULL);

		if (!*name && type && btf_type_is_struct(type)) {
			func_event_btf_show_struct(m, btf, type, path);
			continue;
		}
		func_event_btf_show_decl(m, btf, member->type, path, name);
		size = __btf_member_bitfield_size(t, member);
		if (size)
			seq_printf(m, " : %u", size);
		seq_putc(m, '\n');
	}
}

/**
 * func_event_btf_show_members() - write the members that a path may go on with
 * @btf: the prototype
 * @path: an argument, perhaps with members
 * @m: where to
 * @pos: set to the position of the error in @path
 *
 * Context: Process context. May sleep.
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_btf_show_members(struct func_event_btf *btf, const char *path,
						struct seq_file *m, u16 *pos)
{
	struct fetch_field field = {};
	const struct btf_type *t;
	enum func_event_err err;
	char *from;
	u32 id;

	err = func_event_btf_walk(btf, path, &field, pos, &id);
	if (err)
		return err;

	t = btf_type_skip_modifiers(btf->btf, id, NULL);
	from = kasprintf(GFP_KERNEL, "%s%s", path, t && btf_type_is_ptr(t) ? "->" : ".");
	if (!from)
		return FUNC_EVENT_ERR_NO_MEMORY;
	if (t && btf_type_is_ptr(t))
		t = btf_type_skip_modifiers(btf->btf, t->type, NULL);
	if (t && btf_type_is_struct(t))
		func_event_btf_show_struct(m, btf->btf, t, from);
	else
		err = FUNC_EVENT_ERR_NOT_A_STRUCT;
	kfree(from);
	return err;
}

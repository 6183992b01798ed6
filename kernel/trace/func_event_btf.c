// SPDX-License-Identifier: GPL-2.0
/*
 * What BTF knows of the arguments of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/ctype.h>
#include <linux/slab.h>

#include "func_event.h"
#include "trace_btf.h"

struct func_event_btf {
	struct btf			*btf;
	const struct btf_type		*proto;
	const struct btf_param		*params;
	s32				nr_params;
};

/*
 * The prototype of a function of the kernel or of a module, of its own types only: those of
 * a module come after all types of the kernel, which has functions of the same names.
 */
static const struct btf_type *func_event_btf_find(const struct btf *btf, bool module,
						  const char *function)
{
	u32 id = module ? btf_nr_types(bpf_get_btf_vmlinux()) : 1;
	const struct btf_type *t;

	for (; id < btf_nr_types(btf); id++) {
		t = btf_type_by_id(btf, id);
		if (!btf_type_is_func(t) || strcmp(btf_name_by_offset(btf, t->name_off), function))
			continue;
		t = btf_type_by_id(btf, t->type);
		return t && btf_type_is_func_proto(t) ? t : NULL;
	}
	return NULL;
}

/**
 * func_event_btf_get - find the prototype of a function
 * @mod: the module that has the function; NULL if the kernel has it. Nothing but the address
 *	is used of it.
 * @function: its name
 * @result: set to a handle for func_event_btf_put()
 *
 * Context: may sleep.
 * Return: FUNC_EVENT_ERR_OK, or what is wrong.
 */
enum func_event_err func_event_btf_get(const struct module *mod, const char *function,
				       struct func_event_btf **result)
{
	struct func_event_btf *btf __free(kfree) = kzalloc(sizeof(*btf), GFP_KERNEL);

	if (!btf)
		return FUNC_EVENT_ERR_NO_MEMORY;
	btf->btf = btf_get_module_btf(mod);
	if (IS_ERR_OR_NULL(btf->btf))
		return FUNC_EVENT_ERR_NO_BTF_FUNCTION;
	btf->proto = func_event_btf_find(btf->btf, mod, function);
	if (!btf->proto) {
		btf_put(btf->btf);
		return FUNC_EVENT_ERR_NO_BTF_FUNCTION;
	}
	btf->params = btf_get_func_param(btf->proto, &btf->nr_params);
	/* What stands for "..." has no type, and is no argument. */
	if (btf->nr_params && !btf->params[btf->nr_params - 1].type)
		btf->nr_params--;
	*result = no_free_ptr(btf);
	return FUNC_EVENT_ERR_OK;
}

/**
 * func_event_btf_put - forget a prototype
 * @btf: what func_event_btf_get() returned
 */
void func_event_btf_put(struct func_event_btf *btf)
{
	if (btf)
		btf_put(btf->btf);
	kfree(btf);
}

/**
 * func_event_btf_nr_args - how many arguments a function has
 * @btf: its prototype
 *
 * Return: their number.
 */
int func_event_btf_nr_args(struct func_event_btf *btf)
{
	return btf->nr_params;
}

/* What says nothing about how a value is laid out. A typedef is a name that may matter. */
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
 * Strings are what is declared as a pointer to char or as one to constant char. A
 * typedef, as that of u8, means bytes; so does a pointer that may be written to if it is an
 * argument, which is more often than not a buffer. So does unsigned char, but constant
 * unsigned char in a structure is text: it is the name of a file in struct qstr.
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

/* Sets type and count of @field, unless its definition says them. */
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
			field->type = fetch_integer(1, FETCH_BOOL);
			return t->size == 1 ? FUNC_EVENT_ERR_OK : FUNC_EVENT_ERR_NOT_A_VALUE;
		}
		return func_event_btf_set_integer(field, t->size,
						  encoding & BTF_INT_SIGNED);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		/* The flag says whether one of the values is negative. */
		return func_event_btf_set_integer(field, t->size, btf_type_kflag(t));
	case BTF_KIND_PTR:
		field->type = func_event_btf_is_string(btf, t, buffers) ?
			&fetch_string_type : &fetch_pointer_type;
		return FUNC_EVENT_ERR_OK;
	case BTF_KIND_ARRAY:
		array = (const struct btf_array *)(t + 1);
		if (field->count || !array->nelems || array->nelems > FUNC_EVENT_MAX_ELEMENTS)
			return FUNC_EVENT_ERR_NOT_A_VALUE;
		t = btf_type_by_id(btf, array->type);
		while (t && func_event_btf_is_modifier(t))
			t = btf_type_by_id(btf, t->type);
		/* An array of char is text, and one of u8 is not. */
		if (t && btf_type_is_int(t) &&
		    !strcmp(btf_name_by_offset(btf, t->name_off), "char")) {
			field->type = fetch_integer(1, FETCH_CHAR);
			err = FUNC_EVENT_ERR_OK;
		} else {
			err = func_event_btf_set_type(btf, array->type, true,
						      field);
			if (!err && (field->count || fetch_is_string(field->type)))
				err = FUNC_EVENT_ERR_NOT_A_VALUE;
		}
		field->count = array->nelems;
		return err;
	default:
		return FUNC_EVENT_ERR_NOT_A_VALUE;
	}
}

/*
 * Whether the first register says where to put a structure that is returned, as what does
 * not fit into two registers is, and on s390 and for the first ABI of powerpc anything. arm64
 * has a register for it that no argument is in.
 */
static bool func_event_btf_hides_argument(struct func_event_btf *btf)
{
	bool always = IS_ENABLED(CONFIG_S390) || IS_ENABLED(CONFIG_PPC64_ELF_ABI_V1);
	const struct btf_type *t = btf_type_skip_modifiers(btf->btf, btf->proto->type, NULL);

	return !IS_ENABLED(CONFIG_ARM64) && t && btf_type_is_struct(t) &&
		(always || t->size > 2 * sizeof(long));
}

/*
 * Whether the position of an argument says in which register it is: so it does unless
 * one before it takes several or none, or it is itself such a one.
 */
static bool func_event_btf_is_in_register(struct func_event_btf *btf, int nr)
{
	const struct btf_type *t;
	u32 size;

	if (func_event_btf_hides_argument(btf))
		return false;
	for (int i = 0; i <= nr; i++) {
		t = btf_type_skip_modifiers(btf->btf, btf->params[i].type, NULL);
		if (!t || btf_type_is_struct(t) ||
		    IS_ERR(btf_resolve_size(btf->btf, t, &size)) || size > sizeof(long))
			return false;
	}
	return true;
}

/**
 * func_event_btf_arg - set the name and type of a field from an argument
 * @btf: the prototype
 * @nr: position of the argument
 * @field: the field to set
 *
 * Return: FUNC_EVENT_ERR_OK, or what is wrong.
 */
enum func_event_err func_event_btf_arg(struct func_event_btf *btf, int nr,
				       struct fetch_field *field)
{
	const char *name = btf_name_by_offset(btf->btf, btf->params[nr].name_off);
	enum func_event_err err;

	field->arg = nr;
	if (name && *name && !field->name) {
		field->name = kstrdup(name, GFP_KERNEL);
		if (!field->name)
			return FUNC_EVENT_ERR_NO_MEMORY;
	}
	err = func_event_btf_set_type(btf->btf, btf->params[nr].type, true,
				      field);
	if (!err && !func_event_btf_is_in_register(btf, nr))
		err = FUNC_EVENT_ERR_UNKNOWN_REGISTER;
	return err;
}

/**
 * func_event_btf_return - set the type of a field that shows what a function returns
 * @btf: the prototype
 * @field: the field to set; its type is NULL if nothing is returned
 *
 * Return: FUNC_EVENT_ERR_OK, or what is wrong.
 */
enum func_event_err func_event_btf_return(struct func_event_btf *btf,
					  struct fetch_field *field)
{
	field->arg = -1;
	if (btf_type_is_void(btf_type_skip_modifiers(btf->btf, btf->proto->type, NULL)))
		return FUNC_EVENT_ERR_OK;
	return func_event_btf_set_type(btf->btf, btf->proto->type, false,
				       field);
}

/* Takes the word at *@path, and what leads to the next one: '.', '-' for "->", or 0. */
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

/**
 * func_event_btf_path - set a field from an argument's name and members
 * @btf: the prototype
 * @path: as it is written, like skb->dev->name
 * @field: the field to set; its name is set, and its type unless it has one
 * @pos: on error, where in @path it is
 *
 * Context: may sleep.
 * Return: FUNC_EVENT_ERR_OK, or what is wrong.
 */
enum func_event_err func_event_btf_path(struct func_event_btf *btf, const char *path,
					struct fetch_field *field, u16 *pos)
{
	const struct btf_member *member;
	const struct btf_type *t, *owner;
	const char *start = path;
	u32 id, bits, anon;
	char word[128];
	bool follow;
	char then;
	int nr;

	*pos = 0;
	then = func_event_btf_next_word(&path, word, sizeof(word));
	for (nr = 0; nr < btf->nr_params; nr++)
		if (!strcmp(btf_name_by_offset(btf->btf, btf->params[nr].name_off), word))
			break;
	if (nr == btf->nr_params)
		return FUNC_EVENT_ERR_UNKNOWN_ARGUMENT;
	if (!func_event_btf_is_in_register(btf, nr))
		return FUNC_EVENT_ERR_UNKNOWN_REGISTER;
	field->arg = nr;
	id = btf->params[nr].type;

	while (then) {
		u16 at = path - start;

		t = btf_type_skip_modifiers(btf->btf, id, &id);
		*pos = at;
		if (then == '-') {
			if (!t || !btf_type_is_ptr(t))
				return FUNC_EVENT_ERR_NOT_A_POINTER;
			if (field->nr_hops == FETCH_MAX_HOPS)
				return FUNC_EVENT_ERR_TOO_DEEP;
			field->nr_hops++;
			t = btf_type_skip_modifiers(btf->btf, t->type, &id);
		} else if (t && btf_type_is_ptr(t)) {
			return FUNC_EVENT_ERR_IS_A_POINTER;
		}
		/* A structure that is passed by value is in no register by itself. */
		if (!t || !btf_type_is_struct(t) || !field->nr_hops)
			return FUNC_EVENT_ERR_NOT_A_STRUCT;
		then = func_event_btf_next_word(&path, word, sizeof(word));
		anon = 0;
		member = btf_find_struct_member(btf->btf, t, word, &anon, &owner);
		if (IS_ERR(member))
			return FUNC_EVENT_ERR_NO_MEMORY;
		if (!member)
			return FUNC_EVENT_ERR_UNKNOWN_MEMBER;
		bits = anon + __btf_member_bit_offset(owner, member);
		field->hops[field->nr_hops - 1] += bits / 8;
		field->bits = __btf_member_bitfield_size(owner, member);
		field->bit_offset = bits % 8;
		id = member->type;
	}
	if (field->type) {
		/* Text and arrays are at the member if it is an array, else it points there. */
		t = btf_type_skip_modifiers(btf->btf, id, NULL);
		if (field->bits && (fetch_is_string(field->type) || field->count))
			return FUNC_EVENT_ERR_NOT_A_VALUE;
		follow = (fetch_is_string(field->type) || field->count) &&
			t && !btf_type_is_array(t);
	} else {
		enum func_event_err err;

		err = func_event_btf_set_type(btf->btf, id, !field->nr_hops,
					      field);
		if (err)
			return err;
		follow = fetch_is_string(field->type);
	}
	/* They are put into a word before they are shifted. */
	if (field->bits && (field->bit_offset + field->bits > 64 ||
			    field->bits > field->type->size * 8))
		return FUNC_EVENT_ERR_NOT_A_VALUE;
	if (follow) {
		if (field->nr_hops == FETCH_MAX_HOPS)
			return FUNC_EVENT_ERR_TOO_DEEP;
		field->hops[field->nr_hops++] = 0;
	}
	field->read = field->nr_hops;
	return FUNC_EVENT_ERR_OK;
}

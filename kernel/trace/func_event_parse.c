// SPDX-License-Identifier: GPL-2.0
/*
 * The parser of definitions of function events.
 *
 * Documentation/trace/function-events.rst has the grammar; the functions below
 * are named after its rules. They scan the text once, allocate nothing and do
 * not look up functions, symbols or BTF, so that all of it can be compiled and
 * fuzzed in user space, see tools/testing/selftests/function_events/fuzz.
 *
 * The first version of this language was part of the function based events
 * proposed in 2018 (https://lwn.net/Articles/747256/): C types, x32 for
 * hexadecimal, name[n] and name+off[n], and type[n] for arrays.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/rust_demangle.h>
#include <linux/string.h>

#include "event_text.h"
#include "func_event_parse.h"

static bool func_event_parse_word(struct text_parser *p, struct text_span *word)
{
	size_t len = text_word_len(p->at);

	if (!len)
		return false;
	*word = text_span(p, p->at, len);
	p->at += len;
	parser_skip_space(p);
	return true;
}

/* Consumes @word if it is the next word. */
static bool func_event_parse_keyword(struct text_parser *p, const char *word)
{
	size_t len = strlen(word);

	if (text_word_len(p->at) != len || memcmp(p->at, word, len))
		return false;
	p->at += len;
	parser_skip_space(p);
	return true;
}

/* A decimal number, or a hexadecimal one after 0x. */
static bool func_event_parse_number(struct text_parser *p, u64 max, u64 *value)
{
	const char *start = p->at;
	unsigned int base = 10;

	if (p->at[0] == '0' && tolower(p->at[1]) == 'x') {
		base = 16;
		p->at += 2;
	}

	if (!isxdigit(*p->at) || (base == 10 && !isdigit(*p->at)))
		return parser_fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER, start);

	*value = 0;
	for (; isxdigit(*p->at); p->at++) {
		unsigned int digit = isdigit(*p->at) ?
			*p->at - '0' : tolower(*p->at) - 'a' + 10;

		if (digit >= base || *value > (max - digit) / base)
			return parser_fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER,
					      start);
		*value = *value * base + digit;
	}

	if (text_is_word(*p->at))
		return parser_fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER, start);
	parser_skip_space(p);
	return true;
}

/* Qualifiers, which are ignored anywhere in a type. */
static const char * const func_event_parse_qual_words[] = {
	"const", "volatile", "restrict", "__restrict", "__user", "__kernel",
	"__force", "__rcu", "__iomem", "__percpu",
};

/* Words other than type names that a type can start with. */
static const char * const func_event_parse_type_words[] = {
	"void", "signed", "unsigned", "struct", "union", "enum",
};

static bool func_event_parse_one_of(const char *word, size_t len,
				    const char * const *words, int nr)
{
	for (int i = 0; i < nr; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return false;
}

static bool func_event_parse_is_qualifier(const char *word, size_t len)
{
	return func_event_parse_one_of(word, len, func_event_parse_qual_words,
				       ARRAY_SIZE(func_event_parse_qual_words));
}

static bool func_event_parse_starts_type(const char *word, size_t len)
{
	return func_event_parse_is_qualifier(word, len) ||
	       fetch_find_type(word, len) ||
	       func_event_parse_one_of(word, len,
				       func_event_parse_type_words,
				       ARRAY_SIZE(func_event_parse_type_words));
}

static void func_event_parse_qualifiers(struct text_parser *p)
{
	struct text_span word;

	while (func_event_parse_is_qualifier(p->at, text_word_len(p->at)))
		func_event_parse_word(p, &word);
}

/*
 * The C integer types of several words, in any order. Returns NULL without an
 * error if none of these words is next.
 */
static const struct fetch_type *
func_event_parse_c_integer(struct text_parser *p)
{
	bool is_signed = false, is_unsigned = false, is_char = false,
	     is_short = false;
	const char *start = p->at, *name;
	int longs = 0;

	for (;; func_event_parse_qualifiers(p)) {
		if (func_event_parse_keyword(p, "signed"))
			is_signed = true;
		else if (func_event_parse_keyword(p, "unsigned"))
			is_unsigned = true;
		else if (func_event_parse_keyword(p, "char"))
			is_char = true;
		else if (func_event_parse_keyword(p, "short"))
			is_short = true;
		else if (func_event_parse_keyword(p, "long"))
			longs++;
		else if (!func_event_parse_keyword(p, "int"))
			break;
	}

	if (p->at == start)
		return NULL;
	if ((is_signed && is_unsigned) || is_char + is_short + !!longs > 1 ||
	    longs > 2) {
		parser_fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, start);
		return NULL;
	}

	if (is_char)
		name = is_unsigned ? "unsigned char" :
			is_signed ? "signed char" : "char";
	else if (is_short)
		name = is_unsigned ? "unsigned short" : "short";
	else if (longs == 2)
		name = is_unsigned ? "unsigned long long" : "long long";
	else if (longs == 1)
		name = is_unsigned ? "unsigned long" : "long";
	else
		name = is_unsigned ? "unsigned int" : "int";

	return fetch_find_type(name, strlen(name));
}

/*
 * True if the next token is a word that is not a type: then it is the name of
 * an argument, perhaps followed by members.
 */
static bool func_event_parse_is_path(struct text_parser *p)
{
	size_t len = text_word_len(p->at);
	const char *next = p->at + len;

	if (!len || func_event_parse_starts_type(p->at, len))
		return false;
	while (isspace(*next))
		next++;
	return !*next || strchr(",|).;", *next) ||
	       (next[0] == '-' && next[1] == '>');
}

/* The same without members: the name of what is returned. */
static bool func_event_parse_is_name(struct text_parser *p)
{
	const char *next = p->at + text_word_len(p->at);

	while (isspace(*next))
		next++;
	return func_event_parse_is_path(p) && *next != '-' && *next != '.';
}

/* True if const is among the words between @word and the current position. */
static bool func_event_parse_has_const(struct text_parser *p, const char *word)
{
	for (; word < p->at; word += text_word_len(word) ?: 1)
		if (text_word_len(word) == strlen("const") &&
		    !memcmp(word, "const", strlen("const")))
			return true;
	return false;
}

/*
 * The type of a pointer to @type, which is NULL for a structure. It is the one
 * that func_event_btf_set_type() finds for the same prototype.
 */
static const struct fetch_type *
func_event_parse_pointer_to(const struct fetch_type *type, bool is_const,
			    bool returned)
{
	if (type && ((!strcmp(type->name, "char") && (is_const || returned)) ||
		     (!strcmp(type->name, "unsigned char") && is_const &&
		      returned)))
		return &fetch_string_type;
	return &fetch_pointer_type;
}

/* True if a pointer to a function is next, as in "int (*name)(void)". */
static bool func_event_parse_is_function(const struct text_parser *p)
{
	const char *next = p->at;

	if (*next++ != '(')
		return false;
	while (isspace(*next))
		next++;
	return *next == '*';
}

/* The rest of a pointer to a function, behind the type that it returns. */
static bool func_event_parse_function_pointer(struct text_parser *p,
					      struct func_event_field_def *field)
{
	int depth = 0;

	parser_consume(p, "(");
	while (parser_consume(p, "*"))
		func_event_parse_qualifiers(p);
	func_event_parse_word(p, &field->name);
	if (!parser_consume(p, ")"))
		return parser_fail(p, FUNC_EVENT_ERR_NO_PAREN);
	if (*p->at != '(')
		return parser_fail(p, FUNC_EVENT_ERR_NO_FUNCTION_ARGS);

	/* What it is called with does not matter for its address. */
	do {
		if (!*p->at)
			return parser_fail(p, FUNC_EVENT_ERR_NO_PAREN);
		depth += (*p->at == '(') - (*p->at == ')');
		p->at++;
	} while (depth);
	parser_skip_space(p);
	return true;
}

static bool func_event_parse_type(struct text_parser *p,
				  struct func_event_field_def *field)
{
	const char *begin = p->at;
	const char *start;
	struct text_span word;
	bool composite = false;
	u64 count;

	func_event_parse_qualifiers(p);
	start = p->at;
	field->type = func_event_parse_c_integer(p);
	if (p->err)
		return false;

	if (!field->type) {
		composite = func_event_parse_keyword(p, "struct") ||
			func_event_parse_keyword(p, "union");
		if (!composite && func_event_parse_keyword(p, "enum"))
			field->type = fetch_find_type("int", strlen("int"));
		if (!func_event_parse_word(p, &word))
			return parser_fail(p, FUNC_EVENT_ERR_NO_TYPE);
		if (!composite && !field->type)
			field->type = text_is(p, word, "void") ?
				&fetch_void_type :
				fetch_find_type(p->text + word.start, word.len);
	}

	func_event_parse_qualifiers(p);
	if (*p->at == '*') {
		if (field->type && fetch_is_string(field->type))
			return parser_fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE,
					      start);
		field->type =
			func_event_parse_pointer_to(field->type,
						    func_event_parse_has_const(p, begin),
						    field->source ==
						    FUNC_EVENT_RETURN);
		parser_consume(p, "*");
		func_event_parse_qualifiers(p);
		while (parser_consume(p, "*")) {
			field->type = &fetch_pointer_type;
			func_event_parse_qualifiers(p);
		}
	}
	if (func_event_parse_is_function(p)) {
		field->type = &fetch_pointer_type;
		return true;
	}
	if (!field->type && composite)
		return parser_fail_at(p, FUNC_EVENT_ERR_NO_VALUE, start);
	if (!field->type)
		return parser_fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, start);
	if (*p->at != '[')
		return true;

	start = p->at;
	parser_consume(p, "[");
	if (*p->at == ']')
		return parser_fail(p, FUNC_EVENT_ERR_NO_BOUND);
	if (fetch_is_string(field->type) || field->type == &fetch_void_type)
		return parser_fail_at(p, FUNC_EVENT_ERR_STRING_ARRAY, start);

	start = p->at;
	if (!func_event_parse_number(p, FUNC_EVENT_MAX_ELEMENTS, &count) ||
	    !count) {
		p->err = FUNC_EVENT_ERR_OK;
		return parser_fail_at(p, FUNC_EVENT_ERR_BAD_BOUND, start);
	}

	field->count = count;
	return parser_consume(p, "]") ||
	       parser_fail(p, FUNC_EVENT_ERR_NO_BRACKET);
}

static bool
func_event_parse_offset_and_index(struct text_parser *p,
				  struct func_event_field_def *field)
{
	bool positional = !field->late && (field->source == FUNC_EVENT_ARGUMENT ||
					   field->source == FUNC_EVENT_RETURN);
	bool offset = false, negative = false;
	const char *start = p->at;
	u64 value;

	if (*p->at == '+' || (p->at[0] == '-' && p->at[1] != '>')) {
		negative = *p->at == '-';
		p->at++;
		parser_skip_space(p);
		if (!func_event_parse_number(p, S32_MAX, &value))
			return false;
		field->offset = negative ? -(s32)value : value;
		offset = true;
	}

	if (*p->at == '[') {
		const char *bracket = p->at;

		parser_consume(p, "[");
		negative = parser_consume(p, "-");
		if (!func_event_parse_number(p, S32_MAX, &value))
			return false;

		/*
		 * "int x[4]" looks like an array in a prototype, not like the
		 * element at index 4. Refuse it.
		 */
		if (positional && !offset && !negative && value)
			return parser_fail_at(p, FUNC_EVENT_ERR_IS_AN_ARRAY,
					      bracket);

		field->index = negative ? -(s32)value : value;
		field->has_index = true;
		if (!parser_consume(p, "]"))
			return parser_fail(p, FUNC_EVENT_ERR_NO_BRACKET);
	}

	/*
	 * Strings, arrays and absolute addresses are always read; a number is
	 * read only if an index is given.
	 */
	if (offset && !field->has_index && !field->count &&
	    !fetch_is_string(field->type) && positional)
		return parser_fail_at(p, FUNC_EVENT_ERR_NO_INDEX, start);
	return true;
}

/* An argument name and members. */
static bool func_event_parse_path(struct text_parser *p,
				  struct func_event_field_def *field)
{
	struct text_span word;
	const char *start = p->at;
	const char *end;

	field->source = FUNC_EVENT_MEMBER;
	do {
		if (!func_event_parse_word(p, &word))
			return parser_fail(p, FUNC_EVENT_ERR_UNKNOWN_MEMBER);
		end = p->text + word.start + word.len;
	} while (parser_consume(p, "->") || parser_consume(p, "."));

	field->from = (struct text_span){ .start = start - p->text,
					  .len = end - start };
	return true;
}

static bool func_event_parse_has_members(const struct text_parser *p,
					 struct text_span path)
{
	return memchr(p->text + path.start, '>', path.len) ||
	       memchr(p->text + path.start, '.', path.len);
}

/*
 * Behind the arrow, a name that an argument has in the definition is the memory that this
 * points to, not a symbol.
 */
static void func_event_parse_named_argument(struct text_parser *p,
					    struct func_event_field_def *field)
{
	const struct func_event_def *def = p->def;

	for (int i = 0; i < def->nr_entry; i++) {
		const struct func_event_field_def *other = &def->fields[i];

		if (other->source != FUNC_EVENT_ARGUMENT ||
		    !text_same(p, other->name, field->from))
			continue;
		field->source = FUNC_EVENT_ARGUMENT;
		field->arg = other->arg;
		field->from.len = 0;
		field->late = true;
	}
}

static bool func_event_parse_source(struct text_parser *p, int arg,
				    struct func_event_field_def *field)
{
	if (isdigit(*p->at)) {
		field->source = FUNC_EVENT_ADDRESS;
		return func_event_parse_number(p, U64_MAX, &field->address) &&
			func_event_parse_offset_and_index(p, field);
	}

	if (!text_word_len(p->at))
		return parser_fail(p, FUNC_EVENT_ERR_NO_SOURCE);
	if (!func_event_parse_path(p, field))
		return false;

	if (func_event_parse_has_members(p, field->from)) {
		field->late = arg < 0;
		return true;
	}

	field->source = FUNC_EVENT_SYMBOL_ADDRESS;
	if (arg < 0)
		func_event_parse_named_argument(p, field);
	return func_event_parse_offset_and_index(p, field);
}

static bool func_event_parse_check_name(struct text_parser *p,
					struct func_event_field_def *field)
{
	const char *name = p->text + field->name.start;
	struct func_event_field_def *other;
	struct func_event_def *def = p->def;

	if (text_is_reserved(name) ||
	    (def->at_return && text_is(p, field->name, "duration")))
		return parser_fail_at(p, FUNC_EVENT_ERR_BAD_NAME, name);

	for (other = def->fields; other < field; other++)
		if (other->name.len && text_same(p, other->name, field->name))
			return parser_fail_at(p, FUNC_EVENT_ERR_DUPLICATE_NAME,
					      name);

	return true;
}

static struct func_event_field_def *
func_event_parse_new_field(struct text_parser *p)
{
	struct func_event_def *def = p->def;
	struct func_event_field_def *field;

	if (def->nr_fields == FETCH_MAX_FIELDS) {
		parser_fail(p, FUNC_EVENT_ERR_TOO_MANY_FIELDS);
		return NULL;
	}
	field = &def->fields[def->nr_fields++];
	memset(field, 0, sizeof(*field));
	field->at = p->at - p->text;
	return field;
}

/*
 * True for a function of Rust whose name is mangled, and which is therefore taken
 * for one with the ABI of Rust. rustc passes an integer, a bool, or a pointer to
 * something of known size in the same register as C. For all else it is free to
 * choose, and the kernel does not know what it chose.
 */
static bool func_event_parse_is_rust(struct text_parser *p)
{
	const struct func_event_def *def = p->def;
	const char *name = p->text + def->base.name.start;

	return def->base.name.len > 2 && is_rust_mangled(name);
}

static bool func_event_parse_field_type(struct text_parser *p,
					struct func_event_field_def *field)
{
	if (func_event_parse_type(p, field))
		return true;
	if (func_event_parse_is_rust(p) &&
	    (p->err == FUNC_EVENT_ERR_NO_TYPE ||
	     p->err == FUNC_EVENT_ERR_UNKNOWN_TYPE))
		p->err = FUNC_EVENT_ERR_RUST_TYPE;
	return false;
}

/*
 * A field of the argument at @arg or, if @arg is negative, of the return value.
 * Sets @positional unless the field names its own source.
 */
static bool func_event_parse_field(struct text_parser *p, int arg,
				   bool *positional)
{
	struct func_event_field_def *field = func_event_parse_new_field(p);

	if (!field)
		return false;
	if (func_event_parse_is_path(p)) {
		if (!func_event_parse_path(p, field))
			return false;
		field->late = arg < 0;
		return arg >= 0 || func_event_parse_has_members(p, field->from) ||
		       parser_fail_at(p, FUNC_EVENT_ERR_ARG_AT_RETURN,
				      p->text + field->at);
	}
	field->source = arg < 0 ? FUNC_EVENT_RETURN : FUNC_EVENT_ARGUMENT;
	if (!func_event_parse_field_type(p, field))
		return false;
	if (field->type == &fetch_void_type)
		return parser_fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE,
				      p->text + field->at);

	if (!field->count && func_event_parse_is_function(p)) {
		*positional = true;
		field->arg = max(arg, 0);
		return func_event_parse_function_pointer(p, field) &&
		       (!field->name.len || func_event_parse_check_name(p, field));
	}
	if (text_word_len(p->at))
		func_event_parse_word(p, &field->name);
	else if (*p->at && !strchr(",|);", *p->at))
		return parser_fail(p, FUNC_EVENT_ERR_NO_NAME);
	if (field->name.len) {
		if (!func_event_parse_check_name(p, field))
			return false;
		if (parser_consume(p, "="))
			return func_event_parse_source(p, arg, field);
	}

	*positional = true;
	if (field->source == FUNC_EVENT_ARGUMENT)
		field->arg = arg;
	if (!func_event_parse_offset_and_index(p, field))
		return false;
	/* A str, or the bytes of a String, are followed by something else. */
	return !func_event_parse_is_rust(p) || field->has_index ||
	       !fetch_is_string(field->type) ||
	       parser_fail_at(p, FUNC_EVENT_ERR_RUST_STRING,
			      p->text + field->at);
}

static bool func_event_parse_argument(struct text_parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	bool positional = false;

	if (!func_event_parse_keyword(p, "NULL") &&
	    !func_event_parse_keyword(p, "_")) {
		do {
			if (!func_event_parse_field(p, def->nr_args,
						    &positional))
				return false;
		} while (parser_consume(p, "|"));
		if (!positional)
			return true;
	}

	if (def->nr_args == FUNC_EVENT_MAX_ARGS)
		return parser_fail_at(p, FUNC_EVENT_ERR_TOO_MANY_ARGS, start);
	def->arg_at[def->nr_args++] = start - p->text;
	return true;
}

static bool func_event_parse_arguments(struct text_parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	bool more;

	def->has_args = true;
	if (parser_consume(p, ")"))
		return true;

	if (func_event_parse_keyword(p, "void")) {
		if (parser_consume(p, ")"))
			return true;
		p->at = start;
	}

	do {
		if (!func_event_parse_argument(p))
			return false;
		/* What is passed in the place of "..." is not known. */
		more = parser_consume(p, ",");
	} while (more && !parser_consume(p, "..."));
	return parser_consume(p, ")") ||
	       parser_fail(p, FUNC_EVENT_ERR_NO_PAREN);
}

/*
 * The type of a return value of which only the name is given, if at all: the one
 * that the definition has in front of the function. Where this is not a type that
 * the language knows, it is left to BTF.
 */
static void func_event_parse_declared(struct text_parser *p,
				      struct func_event_field_def *field)
{
	const struct func_event_def *def = p->def;
	struct text_parser declared = {
		.text = p->text, .at = p->text + def->declared.start, .def = p->def,
	};

	if (!def->declared.len || func_event_parse_type(&declared, field))
		return;
	field->type = NULL;
}

static bool func_event_parse_returned(struct text_parser *p)
{
	struct func_event_field_def *field_def;
	struct func_event_def *def = p->def;
	const char *start;
	bool positional;

	def->at_return = true;
	/* Names that only return events reserve are reserved from here on. */
	for (int i = 0; i < def->nr_fields; i++)
		if (def->fields[i].name.len &&
		    !func_event_parse_check_name(p, &def->fields[i]))
			return false;

	start = p->at;
	if (func_event_parse_keyword(p, "void")) {
		if (*p->at != '*' && !func_event_parse_is_function(p))
			return true;
		p->at = start;
	}

	if (!*p->at || *p->at == ';' || func_event_parse_is_name(p)) {
		field_def = func_event_parse_new_field(p);
		if (!field_def)
			return false;
		field_def->source = FUNC_EVENT_RETURN;
		func_event_parse_declared(p, field_def);
		if (func_event_parse_is_rust(p) && field_def->type &&
		    fetch_is_string(field_def->type))
			return parser_fail_at(p, FUNC_EVENT_ERR_RUST_STRING,
					      p->text + def->declared.start);
		if (field_def->type == &fetch_void_type) {
			def->nr_fields--;
			return true;
		}
		func_event_parse_word(p, &field_def->name);
		if (field_def->name.len && !func_event_parse_check_name(p, field_def))
			return false;
		if (!parser_consume(p, "|"))
			return true;
	}

	do {
		if (!func_event_parse_field(p, -1, &positional))
			return false;
	} while (parser_consume(p, "|"));
	return true;
}

/* The compiler gives clones of functions names with dots. */
static bool func_event_parse_function(struct text_parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	size_t len = 0;

	if (text_is_word_start(*start) || text_is_wild(*start))
		while (text_is_word(start[len]) || start[len] == '.' ||
		       text_is_wild(start[len]))
			def->base.is_pattern |= text_is_wild(start[len++]);
	if (!len)
		return parser_fail(p, FUNC_EVENT_ERR_NO_FUNCTION);

	def->base.name = text_span(p, start, len);
	p->at += len;
	return true;
}

/*
 * True if a word is next that has another one behind it, perhaps with stars between
 * them: then it is no name of a function, but of what C has in front of one. A star that
 * belongs to a type has a space before or behind it, one of a pattern has none.
 */
static bool func_event_parse_is_specifier(const struct text_parser *p)
{
	const char *end = p->at + text_word_len(p->at), *next = end;

	while (*next == '*')
		next++;
	if (end == p->at || !isspace(*next))
		return false;
	while (isspace(*next))
		next++;
	return text_is_word_start(*next) || (*next == '*' && isspace(*end));
}

/* Words that are no part of the type of a function. */
static const char * const func_event_parse_storage_words[] = {
	"static", "extern", "inline", "__inline", "__always_inline", "noinline",
	"asmlinkage", "notrace", "__init",
};

/*
 * The letter of a probe event, and how many returns it may wait for, as in r8: see
 * kprobetrace.rst. Longer numbers are of names of drivers.
 */
static size_t func_event_probe_prefix_len(const char *text)
{
	size_t len = 1;

	if (!*text || !strchr("prfte", *text))
		return 0;
	while (*text == 'r' && len < 4 && isdigit(text[len]))
		len++;
	return len;
}

/* What C has in front of the name of a function. */
static bool func_event_parse_declaration(struct text_parser *p)
{
	struct func_event_def *def = p->def;
	const char *type = NULL;
	struct text_span word;

	if (func_event_parse_is_specifier(p) &&
	    func_event_probe_prefix_len(p->at) == text_word_len(p->at))
		return parser_fail(p, FUNC_EVENT_ERR_PROBE_SYNTAX);

	while (func_event_parse_is_specifier(p)) {
		if (!type &&
		    !func_event_parse_one_of(p->at, text_word_len(p->at),
					     func_event_parse_storage_words,
					     ARRAY_SIZE(func_event_parse_storage_words)))
			type = p->at;
		func_event_parse_word(p, &word);
		while (parser_consume(p, "*"))
			;
	}
	if (type)
		def->declared = text_span(p, type, p->at - type);
	return true;
}

static bool func_event_parse_line(struct text_parser *p)
{
	struct func_event_def *def = p->def;

	if (!parser_consume_prefix(p, FUNC_EVENT_PREFIX, &def->base,
				   FUNC_EVENT_ERR_BAD_GROUP,
				   FUNC_EVENT_ERR_BAD_EVENT))
		return false;

	if (!func_event_parse_declaration(p) || !func_event_parse_function(p))
		return false;

	if (p->at[0] == ':' && p->at[1] != ':') {
		def->base.module = def->base.name;
		if (def->base.is_pattern ||
		    memchr(p->text + def->base.module.start, '.', def->base.module.len))
			return parser_fail_at(p, FUNC_EVENT_ERR_UNKNOWN_MODULE,
					      p->text + def->base.module.start);
		p->at++;
		if (!func_event_parse_function(p))
			return false;
	}

	if (def->base.is_pattern && def->base.event.len)
		return parser_fail_at(p, FUNC_EVENT_ERR_PATTERN_NAME,
				      p->text + def->base.event.start);

	parser_skip_space(p);
	if (parser_consume(p, "(") && !func_event_parse_arguments(p))
		return false;

	def->nr_entry = def->nr_fields;
	if (parser_consume(p, "->") && !func_event_parse_returned(p))
		return false;
	parser_consume(p, ";");
	return !*p->at || parser_fail(p, FUNC_EVENT_ERR_TRAILING);
}

/*
 * True if a line that cannot be understood is one of a probe event: the parser has
 * stopped at one of their variables, or behind a function at what they have there.
 */
static bool func_event_parse_is_probe(const struct text_parser *p)
{
	const struct func_event_def *def = p->def;
	const char *at = p->text + p->err_pos;

	if (*at && strchr("$%@", *at))
		return true;
	if (p->err != FUNC_EVENT_ERR_TRAILING || def->has_args)
		return false;
	/* "f:name" looks like the function of a module. */
	return (*at && strchr("=+", *at)) ||
	       (def->base.module.len && def->base.module.len ==
		func_event_probe_prefix_len(p->text + def->base.module.start));
}

/**
 * func_event_parse() - parse a definition
 * @text: the definition, terminated by a null byte
 * @def: filled in; refers to @text
 * @pos: set to the position of the error in @text
 *
 * Context: Any context. Allocates nothing.
 * Return: FUNC_EVENT_ERR_OK on success, another error code otherwise.
 */
enum func_event_err func_event_parse(const char *text,
				     struct func_event_def *def, u16 *pos)
{
	struct text_parser parser = { .text = text, .at = text, .def = def };

	memset(def, 0, offsetof(struct func_event_def, fields));
	if (strnlen(text, FUNC_EVENT_MAX_TEXT + 1) > FUNC_EVENT_MAX_TEXT)
		parser_fail_at(&parser, FUNC_EVENT_ERR_TOO_LONG,
			       text + FUNC_EVENT_MAX_TEXT);
	else if (!func_event_parse_line(&parser) &&
		 func_event_parse_is_probe(&parser))
		parser.err = FUNC_EVENT_ERR_PROBE_SYNTAX;
	*pos = parser.err_pos;
	return parser.err;
}

/**
 * func_event_parse_c_type() - find the type of a value by its name in C
 * @text: the type, terminated by a null byte, as in "const char *"
 *
 * Context: Any context. Allocates nothing.
 * Return: the type that an argument declared so has, or NULL if there is none.
 */
const struct fetch_type *func_event_parse_c_type(const char *text)
{
	struct text_parser parser = { .text = text, .at = text }, *p = &parser;
	struct func_event_field_def field = { .source = FUNC_EVENT_ARGUMENT };

	parser_skip_space(p);
	if (!func_event_parse_type(p, &field) || *p->at || field.count ||
	    field.type == &fetch_void_type)
		return NULL;
	return field.type;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The language of function events: what a line of text says.
 *
 * Documentation/trace/function-events.rst has the grammar; the functions below
 * are named after its rules. They go through the text once, allocate nothing and
 * know nothing of functions, symbols and BTF, so that all of it can be compiled and
 * fuzzed in user space, see tools/testing/selftests/function_events/fuzz.
 *
 * The first line of this language was seen in function based events as they were
 * proposed in 2018 (https://lwn.net/Articles/747256/): C types, x32 for hexadecimal,
 * name[n] and name+off[n], and type[n] for arrays.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>

#include "func_event_parse.h"

struct parser {
	const char		*text;
	const char		*at;
	struct func_event_def	*def;
	enum func_event_err	err;
	u16			err_pos;
};

/* Returns false, as everything below that has failed does. The first error counts. */
static bool fail_at(struct parser *p, enum func_event_err err, const char *at)
{
	if (!p->err) {
		p->err = err;
		p->err_pos = at - p->text;
	}
	return false;
}

static bool fail(struct parser *p, enum func_event_err err)
{
	return fail_at(p, err, p->at);
}

/* --- tokens --------------------------------------------------------------- */

static void skip_space(struct parser *p)
{
	while (isspace(*p->at))
		p->at++;
}

/* Takes @token if it comes next, and what space follows. */
static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(p->at, token, len))
		return false;
	p->at += len;
	skip_space(p);
	return true;
}

/* Letters are those of C: isalpha() takes those of Latin 1, too. */
static bool is_word_start(char c)
{
	return (isascii(c) && isalpha(c)) || c == '_';
}

static bool is_word(char c)
{
	return is_word_start(c) || isdigit(c);
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	if (is_word_start(*s))
		while (is_word(s[len]))
			len++;
	return len;
}

static bool take_word(struct parser *p, struct text_span *word)
{
	size_t len = word_len(p->at);

	if (!len)
		return false;
	*word = (struct text_span){ .start = p->at - p->text, .len = len };
	p->at += len;
	skip_space(p);
	return true;
}

static bool span_is(struct parser *p, struct text_span span, const char *word)
{
	return strlen(word) == span.len && !memcmp(p->text + span.start, word, span.len);
}

static bool same_span(struct parser *p, struct text_span a, struct text_span b)
{
	return a.len == b.len && !memcmp(p->text + a.start, p->text + b.start, a.len);
}

/* Takes @word if it comes next as a word of its own. */
static bool take_keyword(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if (word_len(p->at) != len || memcmp(p->at, word, len))
		return false;
	p->at += len;
	skip_space(p);
	return true;
}

/* A decimal number, or a hexadecimal one after 0x. */
static bool number(struct parser *p, u64 max, u64 *value)
{
	const char *start = p->at;
	unsigned int base = 10;

	if (p->at[0] == '0' && tolower(p->at[1]) == 'x') {
		base = 16;
		p->at += 2;
	}
	if (!isxdigit(*p->at) || (base == 10 && !isdigit(*p->at)))
		return fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER, start);
	*value = 0;
	for (; isxdigit(*p->at); p->at++) {
		unsigned int digit = isdigit(*p->at) ? *p->at - '0' : tolower(*p->at) - 'a' + 10;

		if (digit >= base || *value > (max - digit) / base)
			return fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER, start);
		*value = *value * base + digit;
	}
	if (is_word(*p->at))
		return fail_at(p, FUNC_EVENT_ERR_BAD_NUMBER, start);
	skip_space(p);
	return true;
}

/* --- types ---------------------------------------------------------------- */

/* These say nothing here, wherever they are in a type. */
static const char * const qualifier_words[] = {
	"const", "volatile", "restrict", "__restrict", "__user", "__kernel", "__force",
	"__rcu", "__iomem", "__percpu",
};

/* With what else a type can start that is not the name of one. */
static const char * const type_words[] = {
	"void", "signed", "unsigned", "struct", "union", "enum",
};

static bool is_one_of(const char *word, size_t len, const char * const *words, int nr)
{
	for (int i = 0; i < nr; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], word, len))
			return true;
	return false;
}

static bool is_qualifier(const char *word, size_t len)
{
	return is_one_of(word, len, qualifier_words, ARRAY_SIZE(qualifier_words));
}

static bool starts_type(const char *word, size_t len)
{
	return is_qualifier(word, len) || fetch_find_type(word, len) ||
		is_one_of(word, len, type_words, ARRAY_SIZE(type_words));
}

static void qualifiers(struct parser *p)
{
	struct text_span word;

	while (is_qualifier(p->at, word_len(p->at)))
		take_word(p, &word);
}

/*
 * The types of C that can be made of several words, in any order. Returns NULL,
 * without an error, if none of these words comes next.
 */
static const struct fetch_type *c_integer(struct parser *p)
{
	bool is_signed = false, is_unsigned = false, is_char = false, is_short = false;
	const char *start = p->at, *name;
	int longs = 0;

	for (;; qualifiers(p)) {
		if (take_keyword(p, "signed"))
			is_signed = true;
		else if (take_keyword(p, "unsigned"))
			is_unsigned = true;
		else if (take_keyword(p, "char"))
			is_char = true;
		else if (take_keyword(p, "short"))
			is_short = true;
		else if (take_keyword(p, "long"))
			longs++;
		else if (!take_keyword(p, "int"))
			break;
	}
	if (p->at == start)
		return NULL;
	if ((is_signed && is_unsigned) || is_char + is_short + !!longs > 1 || longs > 2) {
		fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, start);
		return NULL;
	}
	if (is_char)
		name = is_unsigned ? "unsigned char" : is_signed ? "signed char" : "char";
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
 * Whether what comes next is one word that is not a type: it has to be the name of an
 * argument, perhaps with members.
 */
static bool is_path(struct parser *p)
{
	size_t len = word_len(p->at);
	const char *next = p->at + len;

	if (!len || starts_type(p->at, len))
		return false;
	while (isspace(*next))
		next++;
	return !*next || strchr(",|).", *next) || (next[0] == '-' && next[1] == '>');
}

static bool type(struct parser *p, struct func_event_field_def *field)
{
	const char *start;
	struct text_span word;
	bool composite = false;
	u64 count;

	qualifiers(p);
	start = p->at;
	field->type = c_integer(p);
	if (p->err)
		return false;
	if (!field->type) {
		composite = take_keyword(p, "struct") || take_keyword(p, "union");
		if (!composite && take_keyword(p, "enum"))
			field->type = fetch_find_type("int", strlen("int"));
		if (!take_word(p, &word))
			return fail(p, FUNC_EVENT_ERR_NO_TYPE);
		if (!composite && !field->type)
			field->type = span_is(p, word, "void") ? &fetch_void_type :
				fetch_find_type(p->text + word.start, word.len);
	}
	qualifiers(p);
	if (*p->at == '*') {
		if (field->type && fetch_is_string(field->type))
			return fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, start);
		field->type = &fetch_pointer_type;
		while (take(p, "*"))
			qualifiers(p);
	} else if (composite) {
		return fail_at(p, FUNC_EVENT_ERR_NO_VALUE, start);
	} else if (!field->type) {
		return fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, start);
	}
	if (*p->at != '[')
		return true;

	start = p->at;
	take(p, "[");
	if (*p->at == ']')
		return fail(p, FUNC_EVENT_ERR_NO_BOUND);
	if (fetch_is_string(field->type) || field->type == &fetch_void_type)
		return fail_at(p, FUNC_EVENT_ERR_STRING_ARRAY, start);
	start = p->at;
	if (!number(p, FUNC_EVENT_MAX_ELEMENTS, &count) || !count) {
		p->err = FUNC_EVENT_ERR_OK;
		return fail_at(p, FUNC_EVENT_ERR_BAD_BOUND, start);
	}
	field->count = count;
	return take(p, "]") || fail(p, FUNC_EVENT_ERR_NO_BRACKET);
}

/* --- fields --------------------------------------------------------------- */

static bool offset_and_index(struct parser *p, struct func_event_field_def *field)
{
	const char *start = p->at;
	bool offset = false, negative = false;
	u64 value;

	if (*p->at == '+' || (p->at[0] == '-' && p->at[1] != '>')) {
		negative = *p->at == '-';
		p->at++;
		skip_space(p);
		if (!number(p, S32_MAX, &value))
			return false;
		field->offset = negative ? -(s32)value : value;
		offset = true;
	}
	if (take(p, "[")) {
		negative = take(p, "-");
		if (!number(p, S32_MAX, &value))
			return false;
		field->index = negative ? -(s32)value : value;
		field->has_index = true;
		if (!take(p, "]"))
			return fail(p, FUNC_EVENT_ERR_NO_BRACKET);
	}
	/*
	 * A string is where its address says, an array is always read, and so is
	 * what is at a given address; of a number it has to be said.
	 */
	if (offset && !field->has_index && !field->count && !fetch_is_string(field->type) &&
	    (field->source == FUNC_EVENT_ARGUMENT || field->source == FUNC_EVENT_RETURN))
		return fail_at(p, FUNC_EVENT_ERR_NO_INDEX, start);
	return true;
}

/* An argument by its name, and members of what it points to. */
static bool path(struct parser *p, struct func_event_field_def *field)
{
	struct text_span word;
	const char *start = p->at;
	const char *end;

	field->source = FUNC_EVENT_MEMBER;
	do {
		if (!take_word(p, &word))
			return fail(p, FUNC_EVENT_ERR_UNKNOWN_MEMBER);
		end = p->text + word.start + word.len;
	} while (take(p, "->") || take(p, "."));
	field->from = (struct text_span){ .start = start - p->text, .len = end - start };
	return true;
}

static bool source(struct parser *p, int arg, struct func_event_field_def *field)
{
	const char *start = p->at;

	if (isdigit(*p->at)) {
		field->source = FUNC_EVENT_ADDRESS;
		return number(p, U64_MAX, &field->address) && offset_and_index(p, field);
	}
	if (!word_len(p->at))
		return fail(p, FUNC_EVENT_ERR_NO_SOURCE);
	if (!path(p, field))
		return false;
	if (memchr(p->text + field->from.start, '>', field->from.len) ||
	    memchr(p->text + field->from.start, '.', field->from.len))
		return arg >= 0 || fail_at(p, FUNC_EVENT_ERR_ARG_AT_RETURN, start);
	field->source = FUNC_EVENT_SYMBOL_ADDRESS;
	return offset_and_index(p, field);
}

static bool check_name(struct parser *p, struct func_event_field_def *field)
{
	const char *name = p->text + field->name.start;
	struct func_event_field_def *other;

	if (!strncmp(name, "common_", 7) || !strncmp(name, "__", 2) ||
	    (p->def->returns && span_is(p, field->name, "duration")))
		return fail_at(p, FUNC_EVENT_ERR_BAD_NAME, name);
	for (other = p->def->fields; other < field; other++)
		if (other->name.len && same_span(p, other->name, field->name))
			return fail_at(p, FUNC_EVENT_ERR_DUPLICATE_NAME, name);
	return true;
}

static struct func_event_field_def *new_field(struct parser *p)
{
	struct func_event_field_def *field;

	if (p->def->nr_fields == FETCH_MAX_FIELDS) {
		fail(p, FUNC_EVENT_ERR_TOO_MANY_FIELDS);
		return NULL;
	}
	field = &p->def->fields[p->def->nr_fields++];
	memset(field, 0, sizeof(*field));
	field->at = p->at - p->text;
	return field;
}

/*
 * One field, of the argument at @arg or, if that is negative, of what the function returns. Sets
 * @positional unless the field says by itself where it comes from.
 */
static bool field(struct parser *p, int arg, bool *positional)
{
	struct func_event_field_def *field = new_field(p);

	if (!field)
		return false;
	if (is_path(p))
		return arg < 0 ? fail(p, FUNC_EVENT_ERR_ARG_AT_RETURN) : path(p, field);
	field->source = arg < 0 ? FUNC_EVENT_RETURN : FUNC_EVENT_ARGUMENT;
	if (!type(p, field))
		return false;
	if (field->type == &fetch_void_type)
		return fail_at(p, FUNC_EVENT_ERR_UNKNOWN_TYPE, p->text + field->at);
	if (!word_len(p->at)) {
		if (*p->at && !strchr(",|)", *p->at))
			return fail(p, FUNC_EVENT_ERR_NO_NAME);
	} else {
		take_word(p, &field->name);
		if (!check_name(p, field))
			return false;
		if (take(p, "="))
			return source(p, arg, field);
	}
	*positional = true;
	if (field->source == FUNC_EVENT_ARGUMENT)
		field->arg = arg;
	return offset_and_index(p, field);
}

static bool argument(struct parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	bool positional = false;

	if (!take_keyword(p, "NULL") && !take_keyword(p, "_")) {
		do {
			if (!field(p, def->nr_args, &positional))
				return false;
		} while (take(p, "|"));
		if (!positional)
			return true;
	}
	if (def->nr_args == FUNC_EVENT_MAX_ARGS)
		return fail_at(p, FUNC_EVENT_ERR_TOO_MANY_ARGS, start);
	def->arg_at[def->nr_args++] = start - p->text;
	return true;
}

static bool arguments(struct parser *p)
{
	const char *start = p->at;

	p->def->has_args = true;
	if (take(p, ")"))
		return true;
	if (take_keyword(p, "void")) {
		if (take(p, ")"))
			return true;
		p->at = start;
	}
	do {
		if (!argument(p))
			return false;
	} while (take(p, ","));
	return take(p, ")") || fail(p, FUNC_EVENT_ERR_NO_PAREN);
}

static bool returned(struct parser *p)
{
	struct func_event_field_def *field_def;
	const char *start;
	bool positional;

	p->def->returns = true;
	/* Names that are reserved for return events are now. */
	for (int i = 0; i < p->def->nr_fields; i++)
		if (p->def->fields[i].name.len && !check_name(p, &p->def->fields[i]))
			return false;
	start = p->at;
	if (take_keyword(p, "void")) {
		if (*p->at != '*')
			return true;
		p->at = start;
	}
	if (!*p->at || is_path(p)) {
		/* No type: BTF knows it. */
		field_def = new_field(p);
		if (!field_def)
			return false;
		field_def->source = FUNC_EVENT_RETURN;
		take_word(p, &field_def->name);
		return !field_def->name.len || check_name(p, field_def);
	}
	do {
		if (!field(p, -1, &positional))
			return false;
	} while (take(p, "|"));
	return true;
}

/* --- a line --------------------------------------------------------------- */

/* A group may have hyphens in its name, as that of a tracing system may. */
static bool group_and_event(struct parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	size_t len = 0;

	while (is_word(start[len]) || start[len] == '-')
		len++;
	if (start[len] == '/') {
		if (!is_word_start(*start))
			return fail(p, FUNC_EVENT_ERR_BAD_GROUP);
		def->group = (struct text_span){ .start = start - p->text, .len = len };
		p->at += len + 1;
	}
	len = word_len(p->at);
	if (len) {
		def->event = (struct text_span){ .start = p->at - p->text, .len = len };
		p->at += len;
	}
	return !*p->at || isspace(*p->at) || fail(p, FUNC_EVENT_ERR_BAD_EVENT);
}

/* Compilers give clones of functions names with dots. */
static bool function(struct parser *p)
{
	struct func_event_def *def = p->def;
	const char *start = p->at;
	size_t len = 0;

	if (is_word_start(*start))
		while (is_word(start[len]) || start[len] == '.')
			len++;
	if (!len)
		return fail(p, FUNC_EVENT_ERR_NO_FUNCTION);
	def->function = (struct text_span){ .start = start - p->text, .len = len };
	p->at += len;
	return true;
}

/**
 * func_event_has_prefix - whether a line has group and event before the prototype
 * @text: the line
 *
 * dynamic_events knows function events by it. That of a function which is itself called
 * FUNC_EVENT_PREFIX has to have it.
 *
 * Return: whether it has.
 */
bool func_event_has_prefix(const char *text)
{
	return text[0] == FUNC_EVENT_PREFIX && (text[1] == ':' || isspace(text[1]));
}

static bool line(struct parser *p)
{
	struct func_event_def *def = p->def;

	skip_space(p);
	if (func_event_has_prefix(p->at)) {
		p->at++;
		if (*p->at == ':') {
			p->at++;
			if (!group_and_event(p))
				return false;
		}
		skip_space(p);
	}
	def->prototype = p->at - p->text;
	if (!function(p))
		return false;
	if (p->at[0] == ':' && p->at[1] != ':') {
		def->module = def->function;
		if (memchr(p->text + def->module.start, '.', def->module.len))
			return fail_at(p, FUNC_EVENT_ERR_UNKNOWN_MODULE,
				       p->text + def->module.start);
		p->at++;
		if (!function(p))
			return false;
	}
	skip_space(p);
	if (take(p, "(") && !arguments(p))
		return false;
	def->nr_entry = def->nr_fields;
	if (take(p, "->") && !returned(p))
		return false;
	return !*p->at || fail(p, FUNC_EVENT_ERR_TRAILING);
}

/**
 * func_event_parse - find out what a definition says
 * @text: the definition, terminated by a null byte
 * @def: filled in; it refers to @text
 * @pos: on error, where in @text it is
 *
 * Context: any; it does not sleep and allocates nothing.
 * Return: FUNC_EVENT_ERR_OK, or what is wrong.
 */
enum func_event_err func_event_parse(const char *text, struct func_event_def *def, u16 *pos)
{
	struct parser parser = { .text = text, .at = text, .def = def };

	memset(def, 0, offsetof(struct func_event_def, fields));
	if (strnlen(text, FUNC_EVENT_MAX_TEXT + 1) > FUNC_EVENT_MAX_TEXT)
		fail_at(&parser, FUNC_EVENT_ERR_TOO_LONG, text + FUNC_EVENT_MAX_TEXT);
	else
		line(&parser);
	*pos = parser.err_pos;
	return parser.err;
}

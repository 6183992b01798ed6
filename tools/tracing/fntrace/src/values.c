// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of arguments in a recording, as they were stored, and as they are shown; see values.h
 * and describe.h.
 *
 * Both the file and what was stored may be damaged: what a format refers to need not be there,
 * and is shown as "?" then.
 */
#include <inttypes.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fntrace_format.h>

#include "describe.h"
#include "values.h"

/* Groups of a format inside of each other. */
#define NESTED_MAX	8
/* Numbers in the file; no program has so many functions. */
#define ID_MAX		(1u << 24)

struct constant {
	int64_t		value;
	const char	*name;
};

struct enumeration {
	struct constant	*list;
	size_t		nr;
};

/* struct shown - an argument; or the result, which has no name */
struct shown {
	const char	*name;
	const char	*format;
};

/*
 * struct function - one of a description
 * @arguments: of it
 * @nr: how many
 * @result: its format; NULL if it is not recorded
 * @strings: offset of the first string, at an entry and at an exit
 */
struct function {
	struct shown	*arguments;
	size_t		nr;
	const char	*result;
	size_t		strings[2];
};

/*
 * struct description - a file
 * @path: of it
 * @problem: why it is not used; NULL: it is
 * @told: that it is not, or that it lacks something
 * @text: that of the file; names and formats are in it
 * @functions: by their ID
 * @enumerations: as well
 */
struct description {
	char			*path;
	const char		*problem;
	bool			told;
	char			*text;
	struct function		*functions;
	size_t			nr_functions;
	struct enumeration	*enumerations;
	size_t			nr_enumerations;
	struct description	*next;
};

/* Room for one more behind @nr elements; a power of two fills the array. */
static void *add_element(void *list, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return list;
	return xrealloc(list, size * (nr ? 2 * nr : 1));
}

/* Room for number @id in an array of *@nr elements; returns NULL if that is none. */
static void *make_room(void *list, size_t *nr, unsigned long id, size_t size)
{
	size_t had = *nr;

	if (id >= ID_MAX)
		return NULL;
	if (id < had)
		return list;
	*nr = id + 1;
	list = xrealloc(list, *nr * size);
	memset((char *)list + had * size, 0, (*nr - had) * size);
	return list;
}

/* Bytes that are stored by the steps in front of those for strings, and by the ID. */
static size_t find_strings(const char *steps)
{
	size_t size, bytes = sizeof(uint32_t);
	char kind;

	for (; sscanf(steps, "%c%*u.%zu", &kind, &size) == 2 && kind != 'n' && kind != 't';
	     steps += strspn(steps, " ")) {
		bytes += size + (kind == 'm');
		steps += strcspn(steps, " ");
	}
	return bytes;
}

/* Returns false if it is damaged. */
static bool read_line(struct description *description, char *line,
		      struct function **function, struct enumeration **enumeration)
{
	char *word = strsep(&line, " "), *end;
	struct constant *constant;
	struct shown *shown;
	unsigned long id;
	void *list;

	if (!line)
		return !strcmp(word, "enter") || !strcmp(word, "leave");
	if (!strcmp(word, "function")) {
		id = strtoul(line, NULL, 10);
		list = make_room(description->functions, &description->nr_functions, id,
				 sizeof(**function));
		if (!list)
			return false;
		description->functions = list;
		*function = &description->functions[id];
	} else if (!strcmp(word, "enum")) {
		id = strtoul(line, NULL, 10);
		list = make_room(description->enumerations, &description->nr_enumerations, id,
				 sizeof(**enumeration));
		if (!list)
			return false;
		description->enumerations = list;
		*enumeration = &description->enumerations[id];
	} else if (!strcmp(word, "is") && *enumeration) {
		(*enumeration)->list = add_element((*enumeration)->list, (*enumeration)->nr,
						   sizeof(*constant));
		constant = &(*enumeration)->list[(*enumeration)->nr++];
		constant->value = strtoll(line, &end, 10);
		constant->name = *end ? end + 1 : end;
	} else if (!strcmp(word, "arg") && *function) {
		(*function)->arguments = add_element((*function)->arguments, (*function)->nr,
						     sizeof(*shown));
		shown = &(*function)->arguments[(*function)->nr++];
		shown->name = strsep(&line, " ");
		shown->format = line ? line : "?";
	} else if (!strcmp(word, "return") && *function) {
		(*function)->result = line;
	} else if (!strcmp(word, "enter") && *function) {
		(*function)->strings[false] = find_strings(line);
	} else if (!strcmp(word, "leave") && *function) {
		(*function)->strings[true] = find_strings(line);
	} else {
		return !strcmp(word, "object");
	}
	return true;
}

struct description *values_open(struct trace *trace, const char *path)
{
	struct description *description = xalloc(sizeof(*description));
	struct enumeration *enumeration = NULL;
	struct function *function = NULL;
	char *line, *rest;
	bool whole = false;

	description->path = xstrdup(path);
	description->next = trace->descriptions;
	trace->descriptions = description;
	description->text = read_file(path, NULL);
	if (!description->text) {
		description->problem = strerror(errno);
		return description;
	}
	rest = description->text;
	while (!whole && (line = strsep(&rest, "\n"))) {
		whole = !strcmp(line, "end");
		if (!whole && !read_line(description, line, &function, &enumeration))
			break;
	}
	if (!whole)
		description->problem = "it is damaged";
	return description;
}

void values_close(struct trace *trace)
{
	struct description *description;
	size_t i;

	while ((description = trace->descriptions)) {
		trace->descriptions = description->next;
		for (i = 0; i < description->nr_functions; i++)
			free(description->functions[i].arguments);
		for (i = 0; i < description->nr_enumerations; i++)
			free(description->enumerations[i].list);
		free(description->functions);
		free(description->enumerations);
		free(description->text);
		free(description->path);
		free(description);
	}
}

/* Text that grows. */
struct text {
	char	*text;
	size_t	len;
	size_t	room;
};

static char *text_room(struct text *text, size_t size)
{
	if (text->len + size + 1 > text->room) {
		text->room = 2 * (text->len + size + 1);
		text->text = xrealloc(text->text, text->room);
	}
	return text->text + text->len;
}

static void put_bytes(struct text *text, const char *from, size_t len)
{
	put_text(text_room(text, len), from, len)[0] = 0;
	text->len += len;
}

static void put(struct text *text, const char *from)
{
	put_bytes(text, from, strlen(from));
}

/* Characters of a string in the source of a program, between @quotes if there are any. */
static void put_quoted(struct text *text, const char *from, size_t len, char quote)
{
	char escaped[8];
	size_t i;

	for (i = 0; i < len; i++) {
		if (from[i] == quote || from[i] == '\\') {
			put_bytes(text, "\\", 1);
			put_bytes(text, &from[i], 1);
		} else if (from[i] == '\n') {
			put(text, "\\n");
		} else if (from[i] == '\t') {
			put(text, "\\t");
		} else if ((unsigned char)from[i] < ' ' || from[i] == 0x7f) {
			snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)from[i]);
			put(text, escaped);
		} else {
			put_bytes(text, &from[i], 1);
		}
	}
}

/*
 * struct shower - on the way through a format
 * @description: which it is of
 * @data: what was stored
 * @size: in bytes
 * @strings: offset of the first string
 * @value: gets its kind if the format is only one conversion
 */
struct shower {
	const struct description	*description;
	const uint8_t			*data;
	size_t				size;
	size_t				strings;
	struct value			*value;
};

/* The numbers of a conversion; those that are not there are 0. Returns what is behind them. */
static const char *get_numbers(const char *from, unsigned long numbers[4])
{
	unsigned int i;
	char *end;

	memset(numbers, 0, 4 * sizeof(*numbers));
	for (i = 0; i < 4; i++) {
		numbers[i] = strtoul(from, &end, 10);
		from = end;
		if (*from != '.')
			break;
		from++;
	}
	return from;
}

static bool get_integer(const struct shower *shower, unsigned long at, unsigned long size,
			uint64_t *value)
{
	*value = 0;
	if (!size || size > 8 || at > shower->size || size > shower->size - at)
		return false;
	while (size--)
		*value = *value << 8 | shower->data[at + size];
	return true;
}

static int64_t extend(uint64_t value, unsigned int bits)
{
	return bits && bits < 64 ? (int64_t)(value << (64 - bits)) >> (64 - bits) : (int64_t)value;
}

static void put_signed(struct shower *shower, struct text *text, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	put(text, digits);
	shower->value->kind = VALUE_SIGNED;
	shower->value->integer = value;
}

static void put_unsigned(struct shower *shower, struct text *text, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	put(text, digits);
	shower->value->kind = VALUE_UNSIGNED;
	shower->value->integer = value;
}

static void put_pointer(struct text *text, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "0x%" PRIx64, value);
	put(text, value ? digits : "NULL");
}

/* As few digits as tell the value from all others of its type. */
static void put_float(struct shower *shower, struct text *text, uint64_t bits,
		      unsigned long size)
{
	uint32_t half = bits;
	char digits[40];
	int precision;
	double value;
	float small;

	memcpy(&small, &half, sizeof(small));
	memcpy(&value, &bits, sizeof(value));
	if (size == 4)
		value = small;
	for (precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof(digits), "%.*g", precision, value);
		if (size == 4 ? strtof(digits, NULL) == small : strtod(digits, NULL) == value)
			break;
	}
	put(text, digits);
	if (!isfinite(value))
		return;
	shower->value->kind = VALUE_FLOAT;
	shower->value->number = size == 4 ? strtod(digits, NULL) : value;
}

/* A character of up to 4 bytes; one of Rust and C++ is a number of Unicode. */
static void put_character(struct text *text, uint64_t value, unsigned long size)
{
	char bytes[8], *to = bytes;

	if (size == 1 || value < 0x80) {
		*to++ = value;
	} else if (value < 0x800) {
		*to++ = 0xc0 | value >> 6;
		*to++ = 0x80 | (value & 0x3f);
	} else if (value < 0x10000) {
		*to++ = 0xe0 | value >> 12;
		*to++ = 0x80 | (value >> 6 & 0x3f);
		*to++ = 0x80 | (value & 0x3f);
	} else {
		*to++ = 0xf0 | (value >> 18 & 7);
		*to++ = 0x80 | (value >> 12 & 0x3f);
		*to++ = 0x80 | (value >> 6 & 0x3f);
		*to++ = 0x80 | (value & 0x3f);
	}
	put(text, "'");
	put_quoted(text, bytes, to - bytes, '\'');
	put(text, "'");
}

static void put_constant(struct shower *shower, struct text *text, uint64_t value,
			 unsigned long size, unsigned long id)
{
	const struct enumeration *enumeration = NULL;
	char name[32];
	size_t i;

	if (id < shower->description->nr_enumerations)
		enumeration = &shower->description->enumerations[id];
	for (i = 0; enumeration && i < enumeration->nr; i++) {
		/* Whether it has a sign depends on the compiler. */
		if (extend(enumeration->list[i].value, 8 * size) != extend(value, 8 * size))
			continue;
		put(text, enumeration->list[i].name);
		return;
	}
	snprintf(name, sizeof(name), "%" PRId64, extend(value, 8 * size));
	put(text, name);
}

static void put_array(struct shower *shower, struct text *text, unsigned long at,
		      unsigned long size)
{
	const char *from = (const char *)shower->data + at;

	if (at > shower->size || size > shower->size - at) {
		put(text, "?");
		return;
	}
	put(text, "\"");
	put_quoted(text, from, strnlen(from, size), '"');
	put(text, "\"");
}

/* Where the string with a number is: behind everything that has a fixed place. */
static bool find_string(const struct shower *shower, unsigned long which, size_t *at,
			size_t *len, unsigned int *state)
{
	uint64_t head;

	for (*at = shower->strings; get_integer(shower, *at, 2, &head); *at += 2 + *len) {
		*len = head & 0xfff;
		*state = head >> 12;
		if (*len > shower->size - *at - 2)
			return false;
		if (!which--) {
			*at += 2;
			return true;
		}
	}
	return false;
}

static void put_string(struct shower *shower, struct text *text, unsigned long which,
		       unsigned long pointer_at)
{
	struct text plain = { };
	unsigned int state;
	uint64_t pointer;
	size_t at, len;

	if (!find_string(shower, which, &at, &len, &state)) {
		put(text, "?");
		return;
	}
	if (state > FNTRACE_VALUE_CUT) {
		if (state == FNTRACE_VALUE_UNREADABLE &&
		    get_integer(shower, pointer_at, 8, &pointer))
			put_pointer(text, pointer);
		else
			put(text, "NULL");
		return;
	}
	if (len > DESCRIBE_STRING_SHOWN) {
		len = DESCRIBE_STRING_SHOWN;
		state = FNTRACE_VALUE_CUT;
	}
	put(text, "\"");
	put_quoted(text, (const char *)shower->data + at, len, '"');
	put(text, state == FNTRACE_VALUE_CUT ? "\"..." : "\"");
	/* What is behind a NUL, which strings of Rust may have, is only in the other text. */
	put_bytes(&plain, (const char *)shower->data + at,
		  strnlen((const char *)shower->data + at, len));
	put(&plain, state == FNTRACE_VALUE_CUT ? "..." : "");
	free(shower->value->string);
	shower->value->string = plain.text;
	shower->value->kind = VALUE_STRING;
}

/* The end of a group, behind "%["; the end of the format if it has none. */
static const char *skip_group(const char *from)
{
	unsigned int nested = 1;

	while (*from && nested) {
		if (*from++ != '%' || !*from)
			continue;
		if (*from == '[')
			nested++;
		else if (*from == ']')
			nested--;
		from++;
	}
	return from;
}

/* @from is behind the "%". Returns what is behind the conversion. */
static const char *put_conversion(struct shower *shower, struct text *text, const char *from,
				  unsigned int *nested)
{
	char kind = *from++;
	unsigned long has[4];
	uint64_t value;

	if (kind == '%') {
		put(text, "%");
		return from;
	}
	if (kind == ']')
		return from;
	from = get_numbers(from, has);
	if (kind == 's') {
		put_string(shower, text, has[0], has[1]);
		return from;
	}
	if (kind == 'a') {
		put_array(shower, text, has[0], has[1]);
		return from;
	}
	if (kind == '[') {
		from += *from == ' ';
		if (!get_integer(shower, has[0], 1, &value)) {
			put(text, "?");
			return skip_group(from);
		}
		if (value == FNTRACE_VALUE_THERE && ++*nested < NESTED_MAX)
			return from;
		get_integer(shower, has[1], 8, &value);
		put_pointer(text, value);
		return skip_group(from);
	}
	if (!get_integer(shower, has[0], has[1], &value)) {
		put(text, "?");
		return from;
	}
	switch (kind) {
	case 'd':
		put_signed(shower, text, extend(value, 8 * has[1]));
		break;
	case 'u':
		put_unsigned(shower, text, value);
		break;
	case 'D':
		put_signed(shower, text, extend(value >> (has[2] & 63), has[3]));
		break;
	case 'U':
		value >>= has[2] & 63;
		put_unsigned(shower, text, has[3] < 64 ? value & ((UINT64_C(1) << has[3]) - 1) :
							value);
		break;
	case 'x':
		put_pointer(text, value);
		break;
	case 'f':
		put_float(shower, text, value, has[1]);
		break;
	case 'b':
		put(text, value == 1 ? "true" : value ? "?" : "false");
		break;
	case 'c':
		put_character(text, value, has[1]);
		break;
	case 'e':
		put_constant(shower, text, value, has[1], has[2]);
		break;
	default:
		put(text, "?");
	}
	return from;
}

static void show(struct shower *shower, const char *format, struct value *value)
{
	unsigned int nested = 0, conversions = 0;
	struct text text = { };
	bool literal = false;

	shower->value = value;
	put(&text, "");
	while (*format) {
		if (*format == '%' && format[1]) {
			/* A reference is what it leads to. */
			conversions += format[1] != '[' && format[1] != ']';
			format = put_conversion(shower, &text, format + 1, &nested);
		} else {
			literal = true;
			put_bytes(&text, format++, 1);
		}
	}
	value->text = text.text;
	if (conversions > 1 || literal)
		value->kind = VALUE_TEXT;
}

/* Once for each recording. */
static void tell(struct description *description, const char *problem)
{
	if (!description->told)
		warn("%s: %s; not all values of arguments are shown", description->path, problem);
	description->told = true;
}

struct values *values_decode(struct description *description, const uint8_t *data,
			     size_t size, bool exit)
{
	struct shower shower = { .description = description, .data = data, .size = size };
	const struct function *function = NULL;
	struct values *values;
	uint64_t id;
	size_t i;

	if (description->problem) {
		tell(description, description->problem);
		return NULL;
	}
	if (get_integer(&shower, 0, 4, &id) && !(id & FNTRACE_DATA_EXIT) == !exit) {
		id &= ~(uint64_t)FNTRACE_DATA_EXIT;
		if (id < description->nr_functions)
			function = &description->functions[id];
	}
	if (!function || (exit && !function->result)) {
		tell(description, "it does not have a function that was recorded");
		return NULL;
	}
	shower.strings = function->strings[exit];
	values = xalloc(sizeof(*values));
	values->nr = exit ? 1 : function->nr;
	values->list = xalloc(values->nr * sizeof(*values->list));
	for (i = 0; i < values->nr; i++) {
		if (!exit)
			values->list[i].name = xstrdup(function->arguments[i].name);
		show(&shower, exit ? function->result : function->arguments[i].format,
		     &values->list[i]);
	}
	return values;
}

struct values *values_copy(const struct values *values)
{
	struct values *copy;
	size_t i;

	if (!values)
		return NULL;
	copy = xalloc(sizeof(*copy));
	copy->nr = values->nr;
	copy->list = xalloc(values->nr * sizeof(*values->list));
	for (i = 0; i < values->nr; i++) {
		copy->list[i] = values->list[i];
		copy->list[i].text = xstrdup(values->list[i].text);
		if (values->list[i].name)
			copy->list[i].name = xstrdup(values->list[i].name);
		if (values->list[i].string)
			copy->list[i].string = xstrdup(values->list[i].string);
	}
	return copy;
}

void values_free(struct values *values)
{
	size_t i;

	if (!values)
		return;
	for (i = 0; i < values->nr; i++) {
		free(values->list[i].name);
		free(values->list[i].text);
		free(values->list[i].string);
	}
	free(values->list);
	free(values);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers shared by the parsers of function events and marker events.
 *
 * Also compiled in user space, with the parser of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_TEXT_H
#define _EVENT_TEXT_H

#include <linux/ctype.h>
#include <linux/string.h>

#include "fetch_type.h"

/**
 * struct event_def - what definitions of function and marker events have in common
 * @group: of the event; empty if the definition has none
 * @event: name of the event; empty if the definition has none
 * @module: of the function or marker; empty if the definition has none
 * @name: of the function or of the first marker, or a pattern
 * @is_pattern: an event for each function or marker whose name matches
 * @definition: where the text after group and event name starts
 */
struct event_def {
	struct text_span	group;
	struct text_span	event;
	struct text_span	module;
	struct text_span	name;
	bool			is_pattern;
	u16			definition;
};

/**
 * struct text_parser - state of a parser
 * @text: the text
 * @at: the current position
 * @def: the definition to fill in, of a type of the parser
 * @err: the first error, of an enumeration of the parser; 0 if there is none
 * @err_pos: position of the error in @text
 */
struct text_parser {
	const char	*text;
	const char	*at;
	void		*def;
	int		err;
	u16		err_pos;
};

/*
 * Returns false, as all parser functions do on error. Only the first error is
 * recorded.
 */
static inline bool parser_fail_at(struct text_parser *p, int err,
				  const char *at)
{
	if (!p->err) {
		p->err = err;
		p->err_pos = at - p->text;
	}
	return false;
}

static inline bool parser_fail(struct text_parser *p, int err)
{
	return parser_fail_at(p, err, p->at);
}

static inline void parser_skip_space(struct text_parser *p)
{
	while (isspace(*p->at))
		p->at++;
}

/* Consumes @token and the white space after it, if it is next. */
static inline bool parser_consume(struct text_parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(p->at, token, len))
		return false;
	p->at += len;
	parser_skip_space(p);
	return true;
}

/* ASCII letters only, as in C: isalpha() accepts Latin-1 letters as well. */
static inline bool text_is_word_start(char c)
{
	return (isascii(c) && isalpha(c)) || c == '_';
}

static inline bool text_is_word(char c)
{
	return text_is_word_start(c) || isdigit(c);
}

static inline size_t text_word_len(const char *s)
{
	size_t len = 0;

	if (text_is_word_start(*s))
		while (text_is_word(s[len]))
			len++;
	return len;
}

static inline struct text_span text_span(struct text_parser *p,
					 const char *start, size_t len)
{
	return (struct text_span){ .start = start - p->text, .len = len };
}

static inline bool text_is(struct text_parser *p, struct text_span span,
			   const char *word)
{
	return strlen(word) == span.len &&
	       !memcmp(p->text + span.start, word, span.len);
}

static inline bool text_same(struct text_parser *p, struct text_span a,
			     struct text_span b)
{
	return a.len == b.len &&
	       !memcmp(p->text + a.start, p->text + b.start, a.len);
}

/* Characters of a pattern, see lib/glob.c. */
static inline bool text_is_wild(char c)
{
	return c == '*' || c == '?';
}

/* Names of the common fields, and of fields that are not shown. */
static inline bool text_is_reserved(const char *name)
{
	return !strncmp(name, "common_", 7) || !strncmp(name, "__", 2);
}

/*
 * True if a line starts with the letter of its kind of event, as all lines in
 * dynamic_events do.
 */
static inline bool text_has_prefix(const char *text, char letter)
{
	return text[0] == letter && (text[1] == ':' || isspace(text[1]));
}

/*
 * Consumes the letter, the group and the event name, all of which are optional.
 * A group name may have hyphens, as that of a tracing system.
 */
static inline bool parser_consume_prefix(struct text_parser *p, char letter,
					 struct event_def *def, int bad_group,
					 int bad_event)
{
	const char *start;
	size_t len = 0;

	parser_skip_space(p);
	def->definition = p->at - p->text;
	if (!text_has_prefix(p->at, letter))
		return true;

	p->at++;
	if (*p->at == ':') {
		start = ++p->at;
		while (text_is_word(start[len]) || start[len] == '-')
			len++;
		if (start[len] == '/') {
			if (!text_is_word_start(*start))
				return parser_fail(p, bad_group);
			def->group = text_span(p, start, len);
			p->at += len + 1;
		}

		len = text_word_len(p->at);
		def->event = text_span(p, p->at, len);
		p->at += len;
		if (*p->at && !isspace(*p->at))
			return parser_fail(p, bad_event);
	}
	parser_skip_space(p);
	def->definition = p->at - p->text;
	return true;
}

#endif

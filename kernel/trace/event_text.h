/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parsers of function events and of marker events have in common.
 *
 * It is compiled in user space, too, with the parser of function events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _EVENT_TEXT_H
#define _EVENT_TEXT_H

#include <linux/ctype.h>
#include <linux/string.h>

#include "fetch_type.h"

/**
 * struct text_parser - goes through a text once
 * @text: the text
 * @at: what comes next
 * @def: what is filled in, of a type of the parser's own
 * @err: what is wrong, of an enumeration of its own; 0 if nothing is
 * @err_pos: where in @text
 */
struct text_parser {
	const char	*text;
	const char	*at;
	void		*def;
	int		err;
	u16		err_pos;
};

/* Returns false, as all parts of a parser that have failed do. The first error counts. */
static inline bool text_fail_at(struct text_parser *p, int err, const char *at)
{
	if (!p->err) {
		p->err = err;
		p->err_pos = at - p->text;
	}
	return false;
}

static inline bool text_fail(struct text_parser *p, int err)
{
	return text_fail_at(p, err, p->at);
}

static inline void text_skip_space(struct text_parser *p)
{
	while (isspace(*p->at))
		p->at++;
}

/* Takes @token if it comes next, and what space follows. */
static inline bool text_take(struct text_parser *p, const char *token)
{
	size_t len = strlen(token);

	if (strncmp(p->at, token, len))
		return false;
	p->at += len;
	text_skip_space(p);
	return true;
}

/* Letters are those of C: isalpha() takes those of Latin 1, too. */
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

static inline struct text_span text_span(struct text_parser *p, const char *start, size_t len)
{
	return (struct text_span){ .start = start - p->text, .len = len };
}

static inline bool text_is(struct text_parser *p, struct text_span span, const char *word)
{
	return strlen(word) == span.len && !memcmp(p->text + span.start, word, span.len);
}

static inline bool text_same(struct text_parser *p, struct text_span a, struct text_span b)
{
	return a.len == b.len && !memcmp(p->text + a.start, p->text + b.start, a.len);
}

/* Fields that each event has, or that are not shown. */
static inline bool text_is_reserved(const char *name)
{
	return !strncmp(name, "common_", 7) || !strncmp(name, "__", 2);
}

/* Whether a line has group and event in front, as in dynamic_events all have. */
static inline bool text_has_prefix(const char *text, char letter)
{
	return text[0] == letter && (text[1] == ':' || isspace(text[1]));
}

/*
 * The letter, the group and the event, all of which a line may do without. A group may
 * have hyphens in its name, as that of a tracing system may.
 */
static inline bool text_take_prefix(struct text_parser *p, char letter, struct text_span *group,
				    struct text_span *event, int bad_group, int bad_event)
{
	const char *start;
	size_t len = 0;

	text_skip_space(p);
	if (!text_has_prefix(p->at, letter))
		return true;
	p->at++;
	if (*p->at == ':') {
		start = ++p->at;
		while (text_is_word(start[len]) || start[len] == '-')
			len++;
		if (start[len] == '/') {
			if (!text_is_word_start(*start))
				return text_fail(p, bad_group);
			*group = text_span(p, start, len);
			p->at += len + 1;
		}
		len = text_word_len(p->at);
		*event = text_span(p, p->at, len);
		p->at += len;
		if (*p->at && !isspace(*p->at))
			return text_fail(p, bad_event);
	}
	text_skip_space(p);
	return true;
}

#endif

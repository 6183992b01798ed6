/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the checks of parsed event definitions have in common. To be included behind the
 * header of the parser.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _PARSE_FUZZ_H
#define _PARSE_FUZZ_H

#include <linux/string.h>
#include <stdio.h>
#include <stdlib.h>

/* In a function with the text that was parsed. */
#define CHECK(condition)						\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s\n%s\n", #condition, text);	\
			abort();					\
		}							\
	} while (0)

static inline void check_span(const char *text, struct text_span span)
{
	CHECK((size_t)span.start + span.len <= strlen(text));
}

static inline bool same_span(const char *a_text, struct text_span a,
			     const char *b_text, struct text_span b)
{
	return a.len == b.len && !memcmp(a_text + a.start, b_text + b.start, a.len);
}

#endif

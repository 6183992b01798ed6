/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns for names of functions, threads, processes and files.
 */
#ifndef FNTRACE_PATTERN_H
#define FNTRACE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * struct patterns - what an option gave, as often as it was there
 * @list: each with whether anything matched it
 * @nr: how many; 0: the option was not there
 */
struct patterns {
	struct {
		const char	*text;
		bool		used;
	} *list;
	size_t	nr;
};

/*
 * pattern_matches() - is it the name, or a wildcard pattern (glob(7)) of it?
 */
bool pattern_matches(const char *pattern, const char *name);

/*
 * pattern_parameters() - where the parameters of a function of C++ begin in its name
 *
 * Return: offset of the parenthesis; the length of @name if it has none
 */
size_t pattern_parameters(const char *name);

/*
 * pattern_matches_function() - the same; the name may have parameters that the pattern lacks
 *
 * "std::map<*>::find" matches "std::map<int, char>::find(int const&) const".
 */
bool pattern_matches_function(const char *pattern, const char *name);

/*
 * patterns_add() - one more; @text must stay
 */
void patterns_add(struct patterns *patterns, const char *text);

/*
 * patterns_match() - does any of them match?
 * @matches: one of the above
 */
bool patterns_match(struct patterns *patterns, const char *name,
		    bool (*matches)(const char *pattern, const char *name));

/*
 * patterns_tell() - say which of them matched nothing
 * @what: they are for
 */
void patterns_tell(const struct patterns *patterns, const char *what);

/*
 * patterns_copy() - the same patterns, to be matched with the names of another trace
 */
void patterns_copy(struct patterns *to, const struct patterns *from);
void patterns_free(struct patterns *patterns);

#endif /* FNTRACE_PATTERN_H */

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wildcard patterns, for code that runs in the middle of any function of the program.
 */
#include <stddef.h>

#include "glob.h"

/* A character of a set; sets @pattern behind it. */
static unsigned char glob_next(const char **pattern)
{
	if (**pattern == '\\' && (*pattern)[1])
		(*pattern)++;
	return *(*pattern)++;
}

/*
 * Is @character in the set that begins behind the bracket at @pattern? Returns where the set
 * ends, or NULL if it has no end: then the bracket is a character like others.
 */
static const char *glob_set(const char *pattern, unsigned char character, bool *found)
{
	bool inverted = *pattern == '!' || *pattern == '^';
	const char *first = pattern + inverted;
	unsigned char low, high;

	*found = false;
	/* A bracket that is the first one in it does not end it. */
	for (pattern = first; *pattern != ']' || pattern == first; ) {
		if (!*pattern)
			return NULL;
		low = glob_next(&pattern);
		high = low;
		if (*pattern == '-' && pattern[1] != ']') {
			/* A range without an end matches nothing. */
			if (!*++pattern) {
				*found = false;
				return pattern;
			}
			high = glob_next(&pattern);
		}
		if (character >= low && character <= high)
			*found = true;
	}
	*found ^= inverted;
	return pattern + 1;
}

/* Does the first part of @pattern, not a star, match one character? Sets @pattern behind it. */
static bool glob_one(const char **pattern, unsigned char character)
{
	const char *end;
	bool found;

	if (**pattern == '[') {
		end = glob_set(*pattern + 1, character, &found);
		if (end) {
			*pattern = end;
			return found;
		}
	} else if (**pattern == '?') {
		(*pattern)++;
		return true;
	} else if (**pattern == '\\' && !(*pattern)[1]) {
		return false;
	}
	return glob_next(pattern) == character;
}

bool glob_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name || *pattern) {
		if (*pattern == '*') {
			/* What the last star stands for is what may have to be longer. */
			star = ++pattern;
			from = name;
		} else if (*name && *pattern && glob_one(&pattern, *name)) {
			name++;
		} else if (star && *from) {
			pattern = star;
			name = ++from;
		} else {
			return false;
		}
	}
	return true;
}

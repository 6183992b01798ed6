// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The patterns of libfntrace.so match what those of the readers match, which use fnmatch().
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "../linux/glob.h"
#include "unit_test.h"

/* What patterns and names are made of. */
static const char pattern_characters[] = "ab*?[]!^-\\", name_characters[] = "abc]-[\\";

#define PATTERN_MAX	6
#define NAME_MAX	4

/* The text that is number @nr of all that are made of @characters. */
static void write_text(char *text, unsigned long nr, const char *characters, size_t size)
{
	for (; nr; nr = (nr - 1) / size)
		*text++ = characters[(nr - 1) % size];
	*text = 0;
}

static unsigned long count_texts(size_t size, unsigned int length)
{
	unsigned long nr = 0;

	while (length--)
		nr = (nr + 1) * size;
	return nr + 1;
}

int main(void)
{
	size_t patterns = sizeof(pattern_characters) - 1, names = sizeof(name_characters) - 1;
	unsigned long i, nr_names = count_texts(names, NAME_MAX);
	char pattern[PATTERN_MAX + 1], name[NAME_MAX + 1];
	bool ours, theirs;

	for (i = 0; i < count_texts(patterns, PATTERN_MAX); i++) {
		write_text(pattern, i, pattern_characters, patterns);
		/* Not all names with each pattern, but each with many. */
		write_text(name, i * 7919 % nr_names, name_characters, names);
		ours = glob_matches(pattern, name);
		theirs = !fnmatch(pattern, name, 0);
		check(ours == theirs, "\"%s\" and \"%s\": %d, not %d", pattern, name, ours, theirs);
	}
	return unit_test_end();
}

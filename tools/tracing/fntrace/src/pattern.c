// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patterns for names of functions, threads, processes and files.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "pattern.h"
#include "trace.h"

bool pattern_matches(const char *pattern, const char *name)
{
	/* A name may have characters that mean something in a pattern: "f(char*)". */
	return !strcmp(pattern, name) || !fnmatch(pattern, name, 0);
}

/* May this follow the parameters of a function of C++? */
static bool is_behind_parameters(const char *text)
{
	static const char *const begins[] = { " const", " volatile", " &", " [", "[" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	return !*text;
}

size_t pattern_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	size_t depth = 0, i;

	if (!end)
		return strlen(name);
	for (i = end - name + 1; i-- > 0; ) {
		if (name[i] == ')')
			depth++;
		else if (name[i] == '(' && !--depth)
			break;
	}
	/* "(anonymous namespace)::function" and "<fn(u8) as Trait>::run" have no parameters. */
	if (depth || !i || !is_behind_parameters(end + 1))
		return strlen(name);
	return i;
}

bool pattern_matches_function(const char *pattern, const char *name)
{
	size_t len = pattern_parameters(name);
	char *without;
	bool found;

	if (pattern_matches(pattern, name))
		return true;
	if (!name[len])
		return false;
	without = xasprintf("%.*s", (int)len, name);
	found = pattern_matches(pattern, without);
	free(without);
	return found;
}

void patterns_add(struct patterns *patterns, const char *text)
{
	patterns->list = xrealloc(patterns->list, (patterns->nr + 1) * sizeof(*patterns->list));
	patterns->list[patterns->nr].text = text;
	patterns->list[patterns->nr++].used = false;
}

bool patterns_match(struct patterns *patterns, const char *name,
		    bool (*matches)(const char *pattern, const char *name))
{
	bool found = false;
	size_t i;

	for (i = 0; i < patterns->nr; i++) {
		if (!matches(patterns->list[i].text, name))
			continue;
		patterns->list[i].used = true;
		found = true;
	}
	return found;
}

void patterns_tell(const struct patterns *patterns, const char *what)
{
	size_t i;

	for (i = 0; i < patterns->nr; i++)
		if (!patterns->list[i].used)
			warn("no %s matches \"%s\"", what, patterns->list[i].text);
}

void patterns_copy(struct patterns *to, const struct patterns *from)
{
	size_t i;

	*to = (struct patterns){ };
	for (i = 0; i < from->nr; i++)
		patterns_add(to, from->list[i].text);
}

void patterns_free(struct patterns *patterns)
{
	free(patterns->list);
	patterns->list = NULL;
	patterns->nr = 0;
}

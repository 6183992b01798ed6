// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions and threads "fntrace record" records; see choose.h.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <fntrace.h>

#include "choose.h"
#include "image.h"
#include "trace.h"

/*
 * struct choose_work - for objects_walk()
 * @choose: the patterns
 * @program: path of the program
 * @out: lines of the file
 * @untraced: a program or object in which no function calls a hook
 */
struct choose_work {
	struct choose	*choose;
	const char	*program;
	FILE		*out;
	char		*untraced;
};

bool choose_has_functions(const struct choose *choose)
{
	return choose->only.nr || choose->without.nr || choose->start_at.nr ||
	       choose->stop_at.nr;
}

bool choose_is_set(const struct choose *choose)
{
	return choose_has_functions(choose) || choose->threads.nr;
}

/* All are looked at, so that each pattern is known to match something. */
static unsigned int get_verdict(struct choose *choose, const char *name)
{
	unsigned int verdict = 0;

	if (patterns_match(&choose->only, name, pattern_matches_function))
		verdict |= FNTRACE_ONLY;
	if (patterns_match(&choose->without, name, pattern_matches_function))
		verdict |= FNTRACE_WITHOUT;
	if (patterns_match(&choose->start_at, name, pattern_matches_function))
		verdict |= FNTRACE_START_AT;
	if (patterns_match(&choose->stop_at, name, pattern_matches_function))
		verdict |= FNTRACE_STOP_AT;
	return verdict;
}

/* Where a function ends, as the readers have it. */
static uint64_t find_end(const struct image *image, size_t number)
{
	const struct symbol *symbol = &image->symbols[number];
	uint64_t next = number + 1 < image->nr_symbols ? symbol[1].addr : UINT64_MAX;

	return symbol->size && next - symbol->addr > symbol->size ?
	       symbol->addr + symbol->size : next;
}

static void choose_functions(struct choose_work *work, const struct image *image)
{
	size_t i;

	for (i = 0; i < image->nr_symbols; i++) {
		const struct symbol *symbol = &image->symbols[i];
		char *plain = symbol_demangle(symbol->name);
		const char *name = plain ? plain : symbol->name;
		unsigned int verdict = get_verdict(work->choose, name);

		if (verdict)
			fprintf(work->out, "function %u %" PRIx64 " %" PRIx64 " %s\n", verdict,
				symbol->addr, find_end(image, i), name);
		free(plain);
	}
}

/* Are the calls of this file into libraries recorded? linux/calls.c decides the same. */
static bool is_caller(const struct choose_work *work, const char *path, const char *name)
{
	static const char *const unwinders[] = {
		"libgcc_s.so", "libstdc++.so", "libc++abi.so", "libunwind.so",
	};
	const char *at = work->choose->calls, *end, *base = strrchr(name, '/');
	bool found = false;
	char *pattern;
	size_t i;

	base = base ? base + 1 : name;
	for (i = 0; i < ARRAY_SIZE(unwinders); i++)
		if (!strncmp(base, unwinders[i], strlen(unwinders[i])))
			return false;
	for (; at && !found && (end = strchr(at, '/')); at = end + 1) {
		if (end == at) {
			found = !strcmp(path, work->program);
			continue;
		}
		pattern = xasprintf("%.*s", (int)(end - at), at);
		found = !fnmatch(pattern, base, 0);
		free(pattern);
	}
	return found;
}

static void choose_import(void *data, const char *linkage)
{
	struct choose_work *work = data;
	char *plain = symbol_demangle(linkage);
	unsigned int verdict = get_verdict(work->choose, plain ? plain : linkage);

	if (verdict)
		fprintf(work->out, "import %u %s\n", verdict, linkage);
	free(plain);
}

static void choose_object(void *data, const char *path, const char *name, bool named)
{
	struct trace *trace = xalloc(sizeof(*trace));
	struct image *image = image_new(trace, path, NULL);
	const char *error = image_read(image, path);
	struct choose_work *work = data;

	if (error && named)
		warn("%s: %s", path, error);
	if (!error && is_caller(work, path, name))
		image_imports(path, choose_import, work);
	if (!error && image->hooks && objects_put(work->out, path))
		choose_functions(work, image);
	else if (!error && named && !work->untraced && !is_caller(work, path, name))
		work->untraced = xstrdup(path);
	trace_close(trace);
	free(trace);
}

/* Returns false if one of the patterns matches nothing. */
static bool tell_unused(const struct patterns *patterns, const char *option)
{
	bool good = true;
	size_t i;

	for (i = 0; i < patterns->nr; i++) {
		if (patterns->list[i].used)
			continue;
		warn("%s: no traced function matches \"%s\" in the program and its libraries",
		     option, patterns->list[i].text);
		good = false;
	}
	return good;
}

char *choose_program(struct choose *choose, const char *program, const struct objects *objects)
{
	struct choose_work work = { .choose = choose, .program = program };
	char *text = NULL;
	size_t size, i;
	bool good = true;

	work.out = open_memstream(&text, &size);
	if (!work.out)
		die("out of memory");
	fprintf(work.out, "verdicts %u\n",
		(choose->only.nr ? FNTRACE_ONLY : 0) |
		(choose->without.nr ? FNTRACE_WITHOUT : 0) |
		(choose->start_at.nr ? FNTRACE_START_AT : 0) |
		(choose->stop_at.nr ? FNTRACE_STOP_AT : 0));
	for (i = 0; i < choose->threads.nr; i++)
		fprintf(work.out, "thread %s\n", choose->threads.list[i].text);
	if (choose_has_functions(choose))
		good = objects_walk(program, objects, choose_object, &work);
	if (fclose(work.out))
		die("out of memory");
	good &= tell_unused(&choose->only, "--function");
	good &= tell_unused(&choose->without, "--no-function");
	good &= tell_unused(&choose->start_at, "--start-at");
	good &= tell_unused(&choose->stop_at, "--stop-at");
	if (!good && work.untraced)
		warn("%s: no function is traced in it; was it compiled for this (-pg)?",
		     work.untraced);
	free(work.untraced);
	if (good)
		return text;
	free(text);
	return NULL;
}

void choose_free(struct choose *choose)
{
	patterns_free(&choose->only);
	patterns_free(&choose->without);
	patterns_free(&choose->start_at);
	patterns_free(&choose->stop_at);
	patterns_free(&choose->threads);
}

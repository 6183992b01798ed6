// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions are wanted, and where their descriptions come from; see describe.h.
 *
 * Debug information is read in a process of its own, one for each file: what is damaged may
 * make a library crash, and that must not end more than the description.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "describe.h"
#include "image.h"
#include "library.h"
#include "objects.h"
#include "trace.h"

/* Seconds; the debug information of a browser takes one minute. */
#define DESCRIBE_TIME	300

#define DESCRIBE_DAMAGED	"its debug information is damaged"

/*
 * struct wish - the patterns of an option
 * @option: its name
 * @what: of a function it is about
 * @wanted: as they were given; used are those that match a function
 * @described: a copy; used are those that match one which is described
 * @problems: for each, why some function that it matches is not described; or NULL
 */
struct wish {
	const char	*option;
	const char	*what;
	struct patterns	*wanted;
	struct patterns	described;
	char		**problems;
};

/*
 * struct work - on a description
 * @plugin: reads the debug information
 * @out: lines of the file
 * @arguments: those that are wanted
 * @results: as well
 * @next_function: ID
 * @next_enumeration: ID
 * @left_out: functions that were wanted and are not described
 * @problem: of one of them
 * @untraced: a program or object in which no function calls a hook
 * @failed: a message was printed
 */
struct work {
	const struct describe_plugin	*plugin;
	FILE				*out;
	struct wish			arguments;
	struct wish			results;
	unsigned int			next_function;
	unsigned int			next_enumeration;
	unsigned int			left_out;
	char				*problem;
	char				*untraced;
	bool				failed;
};

struct described {
	const struct describe_plugin	*plugin;
	const struct describe_object	*object;
};

static void describe_in_child(const void *data)
{
	const struct described *described = data;
	const char *problem;

	alarm(DESCRIBE_TIME);
	problem = described->plugin->describe(described->object, stdout);
	if (problem)
		printf("object-problem %s\n", problem);
}

static int compare_functions(const void *a, const void *b)
{
	const struct describe_function *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The functions of a file that are wanted. */
static void choose_functions(struct work *work, const struct image *image,
			     struct describe_object *object)
{
	size_t i;

	object->functions = xalloc((image->nr_symbols + 1) * sizeof(*object->functions));
	for (i = 0; i < image->nr_symbols; i++) {
		const struct symbol *symbol = &image->symbols[i];
		struct describe_function *function = &object->functions[object->nr_functions];
		char *plain = symbol_demangle(symbol->name);

		*function = (struct describe_function){
			.addr = symbol->addr,
			.size = symbol->size,
			.name = plain ? plain : xstrdup(symbol->name),
			.linkage = symbol->name,
		};
		function->arguments = symbol->size &&
			patterns_match(work->arguments.wanted, function->name,
				       pattern_matches_function);
		function->result = symbol->size &&
			patterns_match(work->results.wanted, function->name,
				       pattern_matches_function);
		if (function->arguments || function->result)
			object->nr_functions++;
		else
			free((char *)function->name);
	}
	qsort(object->functions, object->nr_functions, sizeof(*object->functions),
	      compare_functions);
}

static struct describe_function *find_function(const struct describe_object *object,
					       uint64_t addr)
{
	struct describe_function key = { .addr = addr };

	return object->nr_functions ?
	       bsearch(&key, object->functions, object->nr_functions, sizeof(key),
		       compare_functions) : NULL;
}

/* A line of the child. Those that are not for the file are dealt with here. */
static void take_line(struct work *work, const struct describe_object *object,
		      struct describe_function **function, const char *line)
{
	struct describe_function *other;
	unsigned int id;
	uint64_t addr;
	int at = 0;

	if (sscanf(line, "problem %" SCNx64 " %n", &addr, &at) == 1 && at) {
		other = find_function(object, addr);
		if (other && !other->problem)
			other->problem = xstrdup(line + at);
		return;
	}
	if (sscanf(line, "function %u %" SCNx64, &id, &addr) == 2) {
		*function = find_function(object, addr);
		work->next_function = id + 1;
	} else if (sscanf(line, "enum %u", &id) == 1) {
		work->next_enumeration = id + 1;
	} else if (*function && !strncmp(line, "enter", 5)) {
		patterns_match(&work->arguments.described, (*function)->name,
			       pattern_matches_function);
	} else if (*function && !strncmp(line, "leave", 5)) {
		patterns_match(&work->results.described, (*function)->name,
			       pattern_matches_function);
	}
	fprintf(work->out, "%s\n", line);
}

static void take_description(struct work *work, const struct describe_object *object,
			     char *text)
{
	static const char whole[] = "object-problem ";
	struct describe_function *function = NULL;
	char *line, *rest = text;
	size_t i;

	if (!objects_put(work->out, object->path))
		return;
	while ((line = strsep(&rest, "\n")) && rest) {
		if (strncmp(line, whole, strlen(whole))) {
			take_line(work, object, &function, line);
			continue;
		}
		for (i = 0; i < object->nr_functions; i++)
			if (!object->functions[i].problem)
				object->functions[i].problem =
					xasprintf("%s: %s", object->path, line + strlen(whole));
		if (!strcmp(line + strlen(whole), DESCRIBE_DAMAGED)) {
			warn("%s: %s", object->path, DESCRIBE_DAMAGED);
			work->failed = true;
		}
	}
}

/* If other functions match the pattern as well, that is no error, but told. */
static void take_problems(struct work *work, const struct describe_object *object)
{
	size_t i;

	for (i = 0; i < object->nr_functions; i++) {
		const struct describe_function *function = &object->functions[i];

		if (!function->problem || !strcmp(function->problem, DESCRIBE_NOTHING) ||
		    !strcmp(function->problem, DESCRIBE_NO_SOURCE))
			continue;
		work->left_out++;
		if (!work->problem)
			work->problem = xasprintf("%s: %s", function->name, function->problem);
	}
}

/* For each pattern, why a function that it matches is not described. */
static void keep_problems(const struct wish *wish, const struct describe_object *object)
{
	size_t i, k;

	for (i = 0; i < wish->wanted->nr; i++) {
		for (k = 0; k < object->nr_functions && !wish->problems[i]; k++) {
			const struct describe_function *function = &object->functions[k];

			if (function->problem &&
			    pattern_matches_function(wish->wanted->list[i].text, function->name))
				wish->problems[i] = xasprintf("%s: %s", function->name,
							      function->problem);
		}
	}
}

/* If a process that described a file did not succeed. Those that exit have said why. */
static void tell_failure(const char *path, int status)
{
	if (!WIFSIGNALED(status))
		return;
	switch (WTERMSIG(status)) {
	case SIGALRM:
		warn("%s: its debug information cannot be read within %u seconds", path,
		     DESCRIBE_TIME);
		break;
	case SIGABRT:
	case SIGBUS:
	case SIGFPE:
	case SIGSEGV:
		warn("%s: %s (%s)", path, DESCRIBE_DAMAGED, strsignal(WTERMSIG(status)));
		break;
	default:
		warn("%s: the process that reads its debug information ended: %s", path,
		     strsignal(WTERMSIG(status)));
	}
}

/* For objects_walk(). */
static void describe_object(void *data, const char *path, const char *name, bool named)
{
	struct work *work = data;
	struct trace *trace = xalloc(sizeof(*trace));
	struct image *image = image_new(trace, path, NULL);
	struct describe_object object = {
		.path = path,
		.next_function = work->next_function,
		.next_enumeration = work->next_enumeration,
	};
	struct described described = { work->plugin, &object };
	const char *error = image_read(image, path);
	int status;
	char *text;
	size_t i;

	if (error && named)
		warn("%s: %s", path, error);
	object.hooks = image->hooks;
	if (!error && image->hooks)
		choose_functions(work, image, &object);
	else if (!error && named && !work->untraced)
		work->untraced = xstrdup(path);
	if (object.nr_functions) {
		text = objects_output(describe_in_child, &described, &status);
		take_description(work, &object, text);
		free(text);
		if (status) {
			tell_failure(path, status);
			work->failed = true;
		}
		take_problems(work, &object);
		keep_problems(&work->arguments, &object);
		keep_problems(&work->results, &object);
	}
	for (i = 0; i < object.nr_functions; i++) {
		free((char *)object.functions[i].name);
		free(object.functions[i].problem);
	}
	free(object.functions);
	trace_close(trace);
	free(trace);
}

static void begin_wish(struct wish *wish, struct patterns *wanted, const char *option,
		       const char *what)
{
	wish->option = option;
	wish->what = what;
	wish->wanted = wanted;
	patterns_copy(&wish->described, wanted);
	wish->problems = xalloc((wanted->nr + 1) * sizeof(*wish->problems));
}

/*
 * Returns false if a pattern matches no function. @any: set if values of a function are
 * recorded.
 */
static bool end_wish(struct wish *wish, bool *any)
{
	bool good = true;
	size_t i;

	for (i = 0; i < wish->wanted->nr; i++) {
		if (!wish->wanted->list[i].used)
			warn("%s: no function matches \"%s\" in the program and its libraries",
			     wish->option, wish->wanted->list[i].text);
		else if (!wish->described.list[i].used)
			warn("%s: the %s of %s", wish->option, wish->what,
			     wish->problems[i] ? wish->problems[i] : "no function are known");
		good &= wish->wanted->list[i].used;
		*any |= wish->described.list[i].used;
		free(wish->problems[i]);
	}
	free(wish->problems);
	patterns_free(&wish->described);
	return good;
}

char *describe_program(struct describe *describe, const char *program,
		       const struct objects *objects)
{
	struct work work = {
		.next_function = 1,
		.next_enumeration = 1,
	};
	char *text = NULL;
	bool any = false;
	size_t size;

	work.plugin = library_load(DESCRIBE_PLUGIN_FILE, DESCRIBE_PLUGIN_SYMBOL,
				   "values of arguments");
	if (!work.plugin)
		return NULL;
	work.out = open_memstream(&text, &size);
	if (!work.out)
		die("out of memory");
	begin_wish(&work.arguments, &describe->arguments, "--args", "arguments");
	begin_wish(&work.results, &describe->results, "--return", "result");
	work.failed = !objects_walk(program, objects, describe_object, &work);
	work.failed |= !end_wish(&work.arguments, &any);
	work.failed |= !end_wish(&work.results, &any);
	work.failed |= !any;
	if (work.failed && work.untraced)
		warn("%s: no function is traced in it; was it compiled for this (-pg)?",
		     work.untraced);
	if (!work.failed && work.left_out)
		warn("values of %u functions are not recorded, such as %s", work.left_out,
		     work.problem);
	fputs("end\n", work.out);
	if (fclose(work.out))
		die("out of memory");
	free(work.problem);
	free(work.untraced);
	if (!work.failed)
		return text;
	free(text);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions are wanted, and where their descriptions come from; see describe.h.
 *
 * Debug information is read in a process of its own, one for each file: what is damaged may
 * make a library crash, and that must not end more than the description.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "describe.h"
#include "image.h"
#include "library.h"
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
 * @linker: the dynamic linker of the program, also for libraries that the user names
 * @seen: files that are done
 * @nr_seen: how many
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
	char				*linker;
	char				**seen;
	size_t				nr_seen;
	unsigned int			left_out;
	char				*problem;
	char				*untraced;
	bool				failed;
};

/* The standard output of a function that runs in a child, as text. @status is of waitpid(). */
static char *output_of(void (*function)(const void *data), const void *data, int *status)
{
	size_t have = 0, room = 65536;
	char *text = xalloc(room);
	int fds[2];
	pid_t child;
	ssize_t got;

	if (pipe2(fds, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	*status = 0;
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!child) {
		dup2(fds[1], STDOUT_FILENO);
		function(data);
		if (fflush(stdout))
			die("cannot write to a pipe: %s", strerror(errno));
		_exit(0);
	}
	close(fds[1]);
	while ((got = read(fds[0], text + have, room - 1 - have)) > 0 ||
	       (got < 0 && errno == EINTR)) {
		have += got > 0 ? got : 0;
		if (have == room - 1) {
			room *= 2;
			text = xrealloc(text, room);
		}
	}
	close(fds[0]);
	text[have] = 0;
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		;
	return text;
}

/* The dynamic linker that a program asks for; allocated, or NULL. */
static char *find_linker(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *linker = NULL;
	GElf_Phdr header;
	size_t i, count;
	Elf *elf;

	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_getphdrnum(elf, &count))
		count = 0;
	for (i = 0; i < count && !linker; i++) {
		if (!gelf_getphdr(elf, i, &header) || header.p_type != PT_INTERP ||
		    header.p_filesz > PATH_MAX)
			continue;
		linker = xalloc(header.p_filesz + 1);
		if (pread(fd, linker, header.p_filesz, header.p_offset) < 0)
			*linker = 0;
	}
	elf_end(elf);
	close(fd);
	return linker;
}

/* What a dynamic linker has to list the libraries of. */
struct linked {
	const char	*linker;
	const char	*path;
};

/*
 * Both glibc's (ld.so(8)) and musl's know --list, which runs nothing. LD_TRACE_LOADED_OBJECTS,
 * for which the program would have to be executed, is not known to musl's: it would run.
 */
static void list_libraries(const void *data)
{
	const struct linked *linked = data;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(null, STDIN_FILENO);
	dup2(null, STDERR_FILENO);
	execl(linked->linker, linked->linker, "--list", linked->path, NULL);
	_exit(127);
}

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
	struct stat status;
	size_t i;

	if (stat(object->path, &status))
		return;
	fprintf(work->out, "object %llu %llu %llu %llu %llu %s\n",
		(unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
		(unsigned long long)status.st_size, (unsigned long long)status.st_mtim.tv_sec,
		(unsigned long long)status.st_mtim.tv_nsec, object->path);
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

/* @named: the user gave it, or it is the program. */
static void describe_object(struct work *work, const char *path, bool named)
{
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
		text = output_of(describe_in_child, &described, &status);
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

static bool is_seen(const struct work *work, const char *path)
{
	size_t i;

	for (i = 0; i < work->nr_seen; i++)
		if (!strcmp(work->seen[i], path))
			return true;
	return false;
}

/* Each file once, and the libraries that it is linked with. */
static void describe_file(struct work *work, const char *name, bool named)
{
	char *path = realpath(name, NULL), *linker, *text, *line, *rest;
	struct linked linked = { .path = path };
	int status;

	if (!path || is_seen(work, path)) {
		free(path);
		return;
	}
	work->seen = xrealloc(work->seen, (work->nr_seen + 1) * sizeof(*work->seen));
	work->seen[work->nr_seen++] = path;
	describe_object(work, path, named);
	if (!named)
		return;
	linker = find_linker(path);
	if (linker && !work->linker)
		work->linker = xstrdup(linker);
	linked.linker = linker ? linker : work->linker;
	/* Neither a static program nor what it loads, if anything, has one. */
	if (!linked.linker)
		return;
	text = output_of(list_libraries, &linked, &status);
	/* "	libm.so.6 => /lib/libm.so.6 (0x00007f0000000000)", or without an arrow */
	for (rest = text; (line = strsep(&rest, "\n")); ) {
		char *file = strchr(line, '/'), *arrow = strstr(line, "=> "), *end;

		if (arrow)
			file = arrow[3] == '/' ? arrow + 3 : NULL;
		end = file ? strstr(file, " (0x") : NULL;
		if (!end)
			continue;
		*end = 0;
		describe_file(work, file, false);
	}
	free(text);
	free(linker);
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

/* Returns false if there is nothing to be recorded for one of the patterns. */
static bool end_wish(struct wish *wish)
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
		good &= wish->described.list[i].used;
		free(wish->problems[i]);
	}
	free(wish->problems);
	patterns_free(&wish->described);
	return good;
}

char *describe_program(struct describe *describe, const char *program)
{
	struct work work = {
		.next_function = 1,
		.next_enumeration = 1,
	};
	char *text = NULL;
	size_t size, i;

	work.plugin = library_load(DESCRIBE_PLUGIN_FILE, DESCRIBE_PLUGIN_SYMBOL,
				   "values of arguments");
	if (!work.plugin)
		return NULL;
	work.out = open_memstream(&text, &size);
	if (!work.out)
		die("out of memory");
	begin_wish(&work.arguments, &describe->arguments, "--args", "arguments");
	begin_wish(&work.results, &describe->results, "--return", "result");
	describe_file(&work, program, true);
	for (i = 0; i < describe->nr_objects; i++) {
		if (access(describe->objects[i], R_OK)) {
			warn("cannot read %s: %s", describe->objects[i], strerror(errno));
			work.failed = true;
		}
		describe_file(&work, describe->objects[i], true);
	}
	work.failed |= !end_wish(&work.arguments);
	work.failed |= !end_wish(&work.results);
	if (work.failed && work.untraced)
		warn("%s: no function is traced in it; was it compiled for this (-pg)?",
		     work.untraced);
	if (!work.failed && work.left_out)
		warn("values of %u functions are not recorded, such as %s", work.left_out,
		     work.problem);
	fputs("end\n", work.out);
	if (fclose(work.out))
		die("out of memory");
	for (i = 0; i < work.nr_seen; i++)
		free(work.seen[i]);
	free(work.seen);
	free(work.linker);
	free(work.problem);
	free(work.untraced);
	if (!work.failed)
		return text;
	free(text);
	return NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the commands that read a trace have in common: inputs, and what becomes of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fntrace_format.h>

#include "align.h"
#include "clock.h"
#include "command.h"
#include "directory.h"
#include "input.h"
#include "kernel.h"
#include "separate.h"

/* Events between two progress lines. */
#define PROGRESS_EVENTS	(UINT64_C(1) << 18)

/* Options without a letter. */
enum {
	OPTION_TSC_OFFSET = 256,
	OPTION_TSC_RATIO,
	OPTION_PROGRESS,
	OPTION_SYMBOLS,
};

static const struct argp_option options[] = {
	{ "machine", 'm', "NAME", 0,
	  "The inputs that follow are of this machine; the first one has the clock", 0 },
	{ "image", 'i', "FILE", 0, "ELF file of the kernel whose buffers follow", 0 },
	{ "load-offset", 'l', "OFFSET", 0,
	  "Where that kernel ran minus where FILE has it, if the recording does not say it", 0 },
	{ "symbols", OPTION_SYMBOLS, "PATH", 0,
	  "A file with the symbols of a stripped one that was recorded, or a directory with such files",
	  0 },
	{ "tsc-offset", OPTION_TSC_OFFSET, "OFFSET", 0,
	  "Counter of this machine minus that of the first one: a number, a file like tsc-offset of KVM, or a trace.dat with kvm_write_tsc_offset",
	  0 },
	{ "tsc-ratio", OPTION_TSC_RATIO, "RATIO", 0,
	  "How much faster than that it counts: NUMBER:BITS (NUMBER / 2^BITS), or a file like tsc-scaling-ratio of KVM",
	  0 },
	{ "progress", OPTION_PROGRESS, NULL, 0,
	  "Show progress even if standard error is no terminal", 0 },
	{ }
};

/* Files and directories that are read; none of them may be written. */
static struct {
	dev_t	dev;
	ino_t	ino;
} *inputs;
static size_t nr_inputs;

bool input_is(const char *path)
{
	struct stat status;
	size_t i;

	if (stat(path, &status))
		return false;
	for (i = 0; i < nr_inputs; i++)
		if (inputs[i].dev == status.st_dev && inputs[i].ino == status.st_ino)
			return true;
	return false;
}

static bool open_directory(struct input *input, const char *path);

/* What is known of the counter of a machine that sent its part of a recording. */
static void open_offset(struct input *input, struct machine *host, const char *path)
{
	char *offset = xasprintf("%s/" DIRECTORY_TSC_OFFSET, path);
	char *ratio = xasprintf("%s/" DIRECTORY_TSC_RATIO, path);
	/* The path is RECORDING/machines/NAME. */
	const char *behind = strrchr(path, '/') - strlen("/" DIRECTORY_MACHINES);
	char *recording = xasprintf("%.*s", (int)(behind - path), path);
	struct machine *machine = input->machine;

	if (machine->arch && host->arch && machine->arch != host->arch) {
		warn("%s: left out: the counter is not that of %s", offset, host->name);
	} else if (!align_recorded(machine->clock, host->clock, recording, offset, ratio)) {
		warn("%s: left out: damaged", offset);
		input->trace->nr_unread++;
	}
	free(offset);
	free(ratio);
	free(recording);
}

/*
 * The name of a machine in a trace: if that of the host was chosen, or is there for another
 * recording, it is in front. It may come from a recording that somebody else made.
 */
static char *machine_name(const struct trace *trace, const char *host, const char *name)
{
	char *whole = *host ? xasprintf("%s/%s", host, name) : xstrdup(name), *c;
	const struct machine *machine;

	for (c = whole; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	for (machine = trace->machines; machine; machine = machine->next) {
		if (strcmp(machine->name, whole))
			continue;
		c = xasprintf("%s'", whole);
		free(whole);
		whole = c;
		machine = trace->machines;
	}
	return whole;
}

static bool is_trace(const char *path)
{
	return directory_has_records(path) || directory_has_kernel(path) ||
	       directory_has_uftrace(path) || directory_has_machines(path);
}

static bool has_offset(const char *path)
{
	char *offset = xasprintf("%s/" DIRECTORY_TSC_OFFSET, path);
	bool has = !access(offset, F_OK);

	free(offset);
	return has;
}

/*
 * Open what one machine sent. Returns false if there is nothing.
 *
 * @chosen: name of the host that the user has chosen, or ""
 * @alone: it has the clock: there is nothing of its host
 */
static bool open_machine(struct input *input, const char *chosen, const char *path,
			 bool alone)
{
	const char *name = strrchr(path, '/') + 1;
	struct machine *host = input->machine;
	struct input other = *input;
	char *whole;

	if (!is_trace(path)) {
		warn("%s: no trace in it", path);
		input->trace->nr_unread++;
		return false;
	}
	whole = machine_name(input->trace, chosen, name);
	if (alone && !*host->name) {
		free(host->name);
		host->name = xstrdup(whole);
	}
	other.machine = alone ? host : trace_machine(input->trace, whole);
	free(whole);
	if (!open_directory(&other, path))
		return false;
	/* It is about this host, not about another machine that was given before it. */
	if (!alone && host == input->trace->machines && has_offset(path))
		open_offset(&other, host, path);
	return true;
}

/*
 * What other machines sent while this was recorded ("record --machine").
 *
 * @opened: there is something of this machine
 */
static bool open_machines(struct input *input, const char *path, bool opened)
{
	struct machine *host = input->machine;
	char *chosen = xstrdup(host->name), **paths;
	int i, nr = directory_machines(path, &paths);
	bool needed = opened;

	/* Offsets are from the host's counter. */
	for (i = 0; i < nr; i++)
		needed = needed || has_offset(paths[i]);
	if (nr && needed && !*host->name) {
		free(host->name);
		host->name = xstrdup(DIRECTORY_HOST);
	}
	if (nr && needed && !opened)
		raw_open_clock(host, path);
	for (i = 0; i < nr; i++) {
		if (open_machine(input, chosen, paths[i], !needed)) {
			opened = true;
			needed = true;
		}
		free(paths[i]);
	}
	if (nr)
		free(paths);
	free(chosen);
	return opened;
}

/* What was recorded on the machine itself. */
static bool open_recording(struct input *input, const char *path)
{
	struct trace *trace = input->trace;
	struct machine *machine = input->machine;
	bool opened = false;

	if (!directory_has_records(path) && !directory_has_kernel(path))
		return directory_has_uftrace(path) && uftrace_open(trace, machine, path);
	if (raw_open_dir(trace, machine, path, input->image,
			 input->moved ? &input->offset : NULL))
		opened = true;
	if (directory_has_kernel(path)) {
		if (!kernel_open_dir(trace, machine, path, &machine->clock->map))
			opened = true;
		else
			trace->nr_unread++;
	}
	return opened;
}

static bool open_directory(struct input *input, const char *path)
{
	return open_machines(input, path, open_recording(input, path));
}

static bool open_file(struct input *input, const char *path)
{
	/* trace-cmd.dat(5) */
	static const char dat_magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	char magic[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, magic, sizeof(magic)) < 0)
		die("cannot read %s: %s", path, strerror(errno));
	close(fd);
	if (!memcmp(magic, dat_magic, sizeof(dat_magic)))
		return !kernel_open_dat(input->trace, input->machine, path,
					&input->machine->clock->map);
	if (!memcmp(magic, FNTRACE_MAGIC, sizeof(FNTRACE_MAGIC)))
		return raw_open_dump(input->trace, input->machine, path, input->image,
				     input->moved ? &input->offset : NULL);
	warn("%s: neither buffers of fntrace nor a trace.dat", path);
	return false;
}

void input_open(struct input *input, const char *path)
{
	struct stat status;

	if (!input->trace)
		input->trace = xalloc(sizeof(*input->trace));
	if (!input->machine)
		input->machine = trace_machine(input->trace, "");
	if (stat(path, &status))
		die("cannot read %s: %s", path, strerror(errno));
	inputs = xrealloc(inputs, (nr_inputs + 1) * sizeof(*inputs));
	inputs[nr_inputs].dev = status.st_dev;
	inputs[nr_inputs++].ino = status.st_ino;
	if (S_ISDIR(status.st_mode)) {
		if (!open_directory(input, path))
			die("%s: no trace in it", path);
	} else if (!open_file(input, path)) {
		exit(1);
	}
}

/* Without an argument, the input is what "record" left here. */
static void open_default(struct input *input, struct argp_state *state)
{
	if (access(DEFAULT_DIRECTORY, F_OK))
		argp_error(state, "no input is given, and there is no %s here",
			   DEFAULT_DIRECTORY);
	input_open(input, DEFAULT_DIRECTORY);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct input *input = state->input;
	char *end;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &input->filter;
		input->trace = xalloc(sizeof(*input->trace));
		break;
	case 'm':
		input->machine = trace_machine(input->trace, argument);
		break;
	case 'i':
		input->image = argument;
		input->moved = false;
		break;
	case 'l':
		errno = 0;
		input->offset = strtoull(argument, &end, 0);
		if (end == argument || *end || errno)
			argp_error(state, "-l %s is not a number", argument);
		if (!input->image)
			argp_error(state, "-l %s needs -i before it", argument);
		input->moved = true;
		break;
	case OPTION_TSC_OFFSET:
		if (!input->machine || !input->machine->index)
			argp_error(state, "--tsc-offset %s needs another -m before it",
				   argument);
		align_offset(input->machine->clock, input->trace->machines->clock, argument);
		break;
	case OPTION_TSC_RATIO:
		if (!input->machine || input->machine->clock->method != ALIGN_COUNTER)
			argp_error(state, "--tsc-ratio %s needs --tsc-offset before it",
				   argument);
		if (!align_ratio(input->machine->clock, argument))
			argp_error(state, "--tsc-ratio %s is neither NUMBER:BITS nor a file",
				   argument);
		break;
	case OPTION_SYMBOLS:
		if (access(argument, R_OK))
			argp_error(state, "--symbols %s: %s", argument, strerror(errno));
		separate_add(argument);
		break;
	case OPTION_PROGRESS:
		input->progress = true;
		break;
	case ARGP_KEY_ARG:
		input_open(input, argument);
		break;
	case ARGP_KEY_NO_ARGS:
		open_default(input, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ &filter_argp, 0, NULL, 0 },
	{ }
};

const struct argp input_argp = {
	.options = options,
	.parser = parse,
	.children = children,
};

static void show_progress(const struct trace *trace, const struct timespec *since, bool last)
{
	uint64_t total = 0, done = 0;
	struct timespec now;
	double seconds;
	size_t i;

	for (i = 0; i < trace->nr_sources; i++) {
		total += trace->sources[i]->total;
		done += trace->sources[i]->done;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	seconds = now.tv_sec - since->tv_sec;
	seconds += (now.tv_nsec - since->tv_nsec) / 1e9;
	fprintf(stderr, "\rfntrace: %3.0f %% of %.1f MB, %.1f s, %.0f MB/s%s",
		total ? (last ? 100.0 : 100.0 * done / total) : 0.0, total / 1e6, seconds,
		seconds > 0 ? done / 1e6 / seconds : 0.0, last ? "\n" : "");
}

static void say_count(uint64_t count, const char *what)
{
	if (count)
		warn("%" PRIu64 " %s", count, what);
}

/* What was lost by a buffer that grows was too deep, or else its file could not grow. */
static void say_lost(const struct trace *trace)
{
	uint64_t deep = trace->nr_too_deep < trace->nr_lost ? trace->nr_too_deep : trace->nr_lost;
	uint64_t growing = trace->nr_lost_growing, full = trace->nr_lost - growing;
	uint64_t deep_growing = deep < growing ? deep : growing;

	growing -= deep_growing;
	full -= deep - deep_growing;
	say_count(full, "calls were lost: the buffer was full");
	say_count(growing,
		  "calls were lost: a file could not grow, or handlers of signals came while it did");
	say_count(deep, "calls were lost: they were deeper than the shadow stack");
}

/* Calls that have not ended end with their tasks, if the writer wants that. */
static uint64_t end_calls(struct trace *trace, const struct writer *writer)
{
	struct event event;
	struct task *task;
	uint64_t open = 0;

	for (task = trace->tasks; task; task = task->next) {
		open += task->depth;
		while (writer->ends && trace_end_call(task, &event))
			writer->event(&event);
	}
	return open;
}

/* Returns how many calls had not ended. */
static uint64_t write_events(struct input *input, const struct writer *writer, bool progress)
{
	struct filter *filter = filter_is_set(&input->filter) ? &input->filter : NULL;
	struct trace *trace = input->trace;
	struct timespec since;
	struct event event;
	uint64_t events = 0, open = 0;
	bool more = true;

	clock_gettime(CLOCK_MONOTONIC, &since);
	if (filter)
		filter_begin(filter, writer);
	while (more && trace_next(trace, &event)) {
		if (!events)
			trace->first_ns = event.ns;
		if (filter)
			more = filter_event(filter, trace, &event);
		else
			writer->event(&event);
		if (!(++events % PROGRESS_EVENTS) && progress)
			show_progress(trace, &since, false);
	}
	if (filter)
		filter_end(filter, trace);
	else
		open = end_calls(trace, writer);
	/* Before the end: a table may follow on the same terminal. */
	if (progress)
		show_progress(trace, &since, true);
	return open;
}

int input_write(struct input *input, const struct writer *writer, const char *path)
{
	/* Not between the lines of a listing. */
	bool quiet = !strcmp(path, "-") && isatty(STDOUT_FILENO) && !writer->summary;
	struct trace *trace = input->trace;
	uint64_t open;
	int status;

	if (!trace->nr_sources)
		die("there is nothing to read");
	separate_tell();
	align_clocks(trace);
	writer->begin(trace, path);
	open = write_events(input, writer, input->progress || (isatty(STDERR_FILENO) && !quiet));
	status = writer->end(trace);
	say_lost(trace);
	say_count(trace->nr_orphans,
		  "ends were left out: their calls began before the trace, or in another coroutine");
	say_count(trace->nr_repaired, "ends were missing and were put in");
	say_count(trace->nr_backwards, "times went backwards and were corrected");
	say_count(trace->nr_bad, "records were damaged and left out");
	say_count(open, "calls had not ended at the end of the trace");
	if (trace->nr_unread) {
		warn("not all of the input could be read");
		status = 1;
	}
	trace_close(trace);
	free(trace);
	return status ? 1 : 0;
}

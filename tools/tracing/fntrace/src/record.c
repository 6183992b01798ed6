// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace record: run a program with libfntrace.so, and the kernel's tracer.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "choose.h"
#include "clock.h"
#include "command.h"
#include "describe.h"
#include "duration.h"
#include "directory.h"
#include "image.h"
#include "kernel_plugin.h"
#include "launch.h"
#include "names.h"
#include "peers.h"
#include "send.h"
#include "trace.h"
#include "trim.h"

/*
 * struct record - what the command line says
 * @directory: to record to; NULL: the default
 * @has_last: the last recording made room for it in @directory
 * @to: address to which the recording is sent, or NULL
 * @peers: machines that send their parts of it
 * @launch: of the program
 * @min_ns: calls that are shorter are not recorded
 * @choose: which functions and threads are recorded
 * @describe: of which functions values are recorded
 * @objects: in which both are looked for, besides the program
 * @kernel: of the kernel's trace
 * @functions: of @kernel
 * @nr_functions: how many
 * @events: of @kernel
 * @nr_events: how many
 * @offsets_of_kvm: one of them is for --tsc-offset=kvm
 * @arguments: of fntrace itself; they end at @program
 * @program: and its arguments
 * @path: where it is; NULL if it was not found
 */
struct record {
	const char		*directory;
	bool			has_last;
	const char		*to;
	struct peers		peers;
	struct launch		launch;
	uint64_t		min_ns;
	struct choose		choose;
	struct describe		describe;
	struct objects		objects;
	struct kernel_options	kernel;
	const char		**functions;
	unsigned int		nr_functions;
	const char		**events;
	unsigned int		nr_events;
	bool			offsets_of_kvm;
	char			**arguments;
	char			**program;
	char			*path;
};

#define KERNEL_DEPTH_MAX	1000
/* If one of so many calls is lost, the recording has failed. */
#define LOSS_PART		4

/* Options without a letter. */
enum {
	OPTION_STOP = 256,
	OPTION_OVERWRITE,
	OPTION_ENTRIES,
	OPTION_PAUSED,
	OPTION_OBJECT,
	OPTION_START_AT,
	OPTION_STOP_AT,
	OPTION_TO,
	OPTION_TSC_OFFSET,
	OPTION_THREAD,
	OPTION_LIBRARY_POINTERS,
};

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Record to DIR; the default is " DEFAULT_DIRECTORY, 0 },
	{ "to", OPTION_TO, "ADDRESS", 0,
	  "Send it to \"fntrace receive\": unix:PATH, tcp:[HOST:]PORT, vsock:[CID:]PORT, FILE",
	  0 },
	{ "machine", 'm', "NAME=ADDRESS", 0,
	  "Receive at ADDRESS what another machine sends, as \"fntrace receive\" does; it belongs to the recording. Several are possible",
	  0 },
	{ "tsc-offset", OPTION_TSC_OFFSET, "OFFSET", 0,
	  "Counter of that machine minus that of this one: a number, or a file like tsc-offset of KVM, whose name may have wildcards; kvm: the kernel tells, if the program starts the guest",
	  0 },
	{ "size", 's', "SIZE", 0,
	  "Bytes of a thread's buffer, which goes to its file when it is full; the default is 1M",
	  0 },
	{ "stop", OPTION_STOP, NULL, 0, "Stop when the buffer is full", 0 },
	{ "overwrite", OPTION_OVERWRITE, NULL, 0,
	  "Overwrite the oldest records when the buffer is full", 0 },
	{ "depth", 'D', "DEPTH", 0, "Record no calls that are deeper than this", 0 },
	{ "min-time", 't', "TIME", 0, "Record no calls that are shorter than this: 10us, 2ms", 0 },
	{ "entries", OPTION_ENTRIES, NULL, 0,
	  "Record only that functions were called, not when they returned", 0 },
	{ "thread", OPTION_THREAD, "NAME", 0,
	  "Record only threads of this name or number; wildcards, and several are possible", 0 },
	{ "library-calls", 'L', "OBJECT", OPTION_ARG_OPTIONAL,
	  "Record the program's calls into libraries, or those of OBJECT, a file's name",
	  0 },
	{ "library-pointers", OPTION_LIBRARY_POINTERS, NULL, 0,
	  "With -L: also calls of functions to which the caller has pointers, which differ from others' then",
	  0 },
	{ "paused", OPTION_PAUSED, NULL, 0, "Begin when the program calls fntrace_start()", 0 },
	{ NULL, 0, NULL, 0, "Functions, by name or wildcards; each several times if need be:", 0 },
	{ "function", 'F', "NAME", 0, "Record only this function and what it calls", 0 },
	{ "no-function", 'N', "NAME", 0, "Record neither this function nor what it calls", 0 },
	{ "start-at", OPTION_START_AT, "NAME", 0, "Begin when this function is called", 0 },
	{ "stop-at", OPTION_STOP_AT, "NAME", 0,
	  "Record no calls from a call of this function on, until it begins again", 0 },
	{ "object", OPTION_OBJECT, "FILE", 0,
	  "Look for functions in this file as well, and its libraries", 0 },
	{ NULL, 0, NULL, 0, "Values, which need debug information (-g), in the same way:", 0 },
	{ "args", 'A', "NAME", 0, "Record the arguments of this function", 0 },
	{ "return", 'R', "NAME", 0, "Record what it returns", 0 },
	{ NULL, 0, NULL, 0, "The kernel, as root:", 0 },
	{ "kernel", 'k', NULL, 0, "Its functions too, for this program (function_graph)", 0 },
	{ "kernel-function", 'g', "FUNCTION", 0,
	  "Only what this function of the kernel does; several are possible", 0 },
	{ "kernel-depth", 'K', "DEPTH", 0, "No deeper than this", 0 },
	{ "event", 'e', "EVENT", 0,
	  "A trace event, function event or marker, as SYSTEM:EVENT; several are possible", 0 },
	{ }
};

static char *parse_size(const char *text, struct argp_state *state)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (*end == 'k' || *end == 'K')
		value <<= 10, end++;
	else if (*end == 'm' || *end == 'M')
		value <<= 20, end++;
	else if (*end == 'g' || *end == 'G')
		value <<= 30, end++;
	/* The unit must not have shifted anything out. */
	if (errno || end == text || *end || !value || value > UINT64_C(1) << 36 ||
	    strtoull(text, NULL, 0) > value)
		argp_error(state, "\"%s\" is not a size", text);
	return xasprintf("%llu", value);
}

static unsigned int parse_depth(const char *text, unsigned int max, struct argp_state *state)
{
	unsigned long depth;
	char *end;

	depth = strtoul(text, &end, 0);
	if (*end || end == text || !depth || depth > max)
		argp_error(state, "\"%s\" is not a depth", text);
	return depth;
}

static void add_word(const char ***list, unsigned int *nr, const char *word)
{
	*list = xrealloc(*list, (*nr + 2) * sizeof(**list));
	(*list)[(*nr)++] = word;
	(*list)[*nr] = NULL;
}

/* Each has a slash behind it; the program has no other name. */
static void add_calls(struct launch *launch, const char *pattern, struct argp_state *state)
{
	char *calls;

	if (!pattern)
		pattern = "";
	else if (!*pattern || strchr(pattern, '/') || strstr(pattern, "[:") ||
		 strstr(pattern, "[=") || strstr(pattern, "[."))
		argp_error(state, "\"%s\" is no pattern for names of files", pattern);
	calls = xasprintf("%s%s/", launch->calls ? launch->calls : "", pattern);
	free(launch->calls);
	launch->calls = calls;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct record *record = state->input;
	struct peers *peers = &record->peers;
	const char *wrong;

	switch (key) {
	case 'o':
		record->directory = argument;
		break;
	case OPTION_TO:
		record->to = argument;
		break;
	case 'm':
		wrong = peers_add(peers, argument);
		if (wrong)
			argp_error(state, "-m %s: %s", argument, wrong);
		break;
	case OPTION_TSC_OFFSET:
		if (!peers->nr)
			argp_error(state, "--tsc-offset %s needs -m before it", argument);
		peers->list[peers->nr - 1].tsc_offset = argument;
		if (strcmp(argument, DIRECTORY_TSC_KVM))
			break;
		/* The event does not say of which guest it is. */
		if (record->offsets_of_kvm)
			argp_error(state, "--tsc-offset kvm is for one machine only");
		record->offsets_of_kvm = true;
		add_word(&record->events, &record->nr_events, "kvm:kvm_write_tsc_offset");
		break;
	case 's':
		record->launch.size = parse_size(argument, state);
		break;
	case OPTION_STOP:
		record->launch.full = "stop";
		break;
	case OPTION_OVERWRITE:
		record->launch.full = "overwrite";
		break;
	case 'D':
		record->launch.depth = parse_depth(argument, UINT32_MAX, state);
		break;
	case 't':
		if (!parse_duration(argument, &record->min_ns))
			argp_error(state, "-t %s is not a time with a unit, such as 10us",
				   argument);
		break;
	case OPTION_ENTRIES:
		record->launch.entries = true;
		break;
	case 'L':
		add_calls(&record->launch, argument, state);
		break;
	case OPTION_LIBRARY_POINTERS:
		record->launch.pointers = true;
		break;
	case OPTION_PAUSED:
		record->launch.paused = true;
		break;
	case 'F':
		patterns_add(&record->choose.only, argument);
		break;
	case 'N':
		patterns_add(&record->choose.without, argument);
		break;
	case OPTION_START_AT:
		patterns_add(&record->choose.start_at, argument);
		break;
	case OPTION_STOP_AT:
		patterns_add(&record->choose.stop_at, argument);
		break;
	case OPTION_THREAD:
		if (strchr(argument, '\n') || strstr(argument, "[:") || strstr(argument, "[=") ||
		    strstr(argument, "[."))
			argp_error(state, "\"%s\" is no pattern for names of threads", argument);
		patterns_add(&record->choose.threads, argument);
		break;
	case 'A':
		patterns_add(&record->describe.arguments, argument);
		break;
	case 'R':
		patterns_add(&record->describe.results, argument);
		break;
	case OPTION_OBJECT:
		add_word(&record->objects.list, &record->objects.nr, argument);
		break;
	case 'k':
		record->kernel.graph = true;
		break;
	case 'g':
		record->kernel.graph = true;
		add_word(&record->functions, &record->nr_functions, argument);
		break;
	case 'K':
		record->kernel.max_depth = parse_depth(argument, KERNEL_DEPTH_MAX, state);
		break;
	case 'e':
		add_word(&record->events, &record->nr_events, argument);
		break;
	case ARGP_KEY_ARG:
		/* What follows is the program's. */
		record->program = &state->argv[state->next - 1];
		state->next = state->argc;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program?");
		break;
	case ARGP_KEY_END:
		if (record->to && peers->nr)
			argp_error(state, "what others send cannot be sent on: either -m or --to");
		if (record->launch.entries && (record->launch.depth || record->min_ns))
			argp_error(state, "--entries records neither depths nor durations");
		if (record->launch.entries &&
		    (record->describe.arguments.nr || record->describe.results.nr))
			argp_error(state, "--entries records no values");
		if (record->objects.nr && !choose_has_functions(&record->choose) &&
		    !record->describe.arguments.nr && !record->describe.results.nr)
			argp_error(state, "--object needs the name of a function");
		if (record->launch.pointers && !record->launch.calls)
			argp_error(state, "--library-pointers needs --library-calls");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static FILE *open_clock(const char *directory)
{
	char *path = xasprintf("%s/" DIRECTORY_CLOCK, directory);
	FILE *file = fopen(path, "we");

	if (!file)
		die("cannot write %s: %s", path, strerror(errno));
	free(path);
	return file;
}

/* So that a trace has nanoseconds even if its program cannot read the clock any more. */
static void save_clock(FILE *file)
{
	struct fntrace_clock clock = clock_now();

	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", clock.counter, clock.ns);
	fflush(file);
}

/*
 * struct progress - what is done while the program runs
 * @clock: file for save_clock()
 * @sender: NULL: the recording is not sent
 * @directory: of the recording
 * @trimmer: unless it is sent
 */
struct progress {
	FILE		*clock;
	struct sender	*sender;
	struct trimmer	trimmer;
	const char	*directory;
};

static void make_progress(void *data)
{
	struct progress *progress = data;

	save_clock(progress->clock);
	if (progress->sender)
		sender_update(progress->sender, progress->directory);
	else
		trim_update(&progress->trimmer, progress->directory);
}

/*
 * How many units of the counter are as long as @ns? Two readings of the clock that are
 * some ms apart tell it to 0.1 %.
 */
static uint64_t count_ticks(uint64_t ns)
{
	const struct timespec apart = { .tv_nsec = 20000000 };
	struct fntrace_clock first = clock_now(), last;
	double ticks;

	nanosleep(&apart, NULL);
	last = clock_now();
	ticks = (double)(last.counter - first.counter) / (last.ns - first.ns) * ns;
	/* More than a counter has is longer than any call. */
	return ticks < 0x1p63 ? ticks : INT64_MAX;
}

/* Returns NULL if the kernel cannot be recorded; a message was printed. */
static struct kernel_live *start_kernel(struct record *record)
{
	const struct kernel_plugin *plugin = kernel_plugin_load();

	if (!plugin)
		return NULL;
	record->kernel.dir = record->directory;
	record->kernel.pid = record->launch.pid;
	record->kernel.functions = record->functions;
	record->kernel.events = record->events;
	/* Every function is a lot; what is not read in time is lost. */
	record->kernel.buffer_kb = 8192;
	/*
	 * The counter of the hooks, if the kernel has it: then nothing is between
	 * the two sides, whatever the clock of the machine is worth.
	 */
#ifdef __x86_64__
	record->kernel.clock = "x86-tsc";
#endif
	return plugin->live_start(&record->kernel);
}

static int stop_kernel(struct kernel_live *live)
{
	return kernel_plugin_load()->live_stop(live, NULL);
}

/* Why is there nothing of the program? Returns false if it was to be recorded. */
static bool explain(const struct record *record)
{
	const char *directory = record->directory;

	if (access(directory, F_OK))
		warn("%s is not there any more", directory);
	else if (directory_has_machines(directory) && !choose_is_set(&record->choose) &&
		 !record->launch.calls && !record->launch.values)
		/* A hypervisor, say, that nobody compiled for it. */
		return true;
	else if (directory_has_maps(directory) && record->choose.threads.nr)
		warn("no function was traced in a thread that was to be recorded");
	else if (directory_has_maps(directory))
		warn("no function was traced; compiled for this (-pg)? Or --library-calls");
	else
		warn("libfntrace.so was not loaded: %s", launch_obstacle(record->path));
	return false;
}

/*
 * There is nothing in the recording: unless somebody still writes to it, the last one gets its
 * name back.
 */
static void take_back(struct record *record, bool running)
{
	if (!record->has_last || running || access(record->directory, F_OK))
		return;
	directory_undo(record->directory);
	record->has_last = false;
	warn("%s is the recording that was there before", record->directory);
}

/* Where all is lost for the same reason, which one? */
static const char *loss_reason(const struct raw_summary *summary)
{
	return summary->too_deep == summary->lost ?
	       ": they were deeper than the shadow stack" : "";
}

/*
 * Save the names of what was recorded, and tell what is missing. Returns false if the
 * recording has nothing in it, or its names could not be written.
 */
static bool finish(struct record *record, bool running)
{
	const char *directory = record->directory;
	const struct choose *choose = &record->choose;
	const struct raw_summary summary = raw_summarise(directory, 0);
	uint64_t calls = summary.lost + summary.records / (summary.entries_only ? 1 : 2);
	/* --stop is to lose them. */
	bool lossy = strcmp(record->launch.full, "stop") && summary.lost > calls / LOSS_PART;
	bool empty = choose_is_set(choose) && !summary.records && !summary.lost &&
		     !directory_has_kernel(directory);
	uint64_t missing = directory_missing(directory);

	if (missing)
		warn("%" PRIu64 " threads or processes are not in the recording: no file in %s",
		     missing, directory);
	if (!directory_has_records(directory) && !directory_has_kernel(directory) &&
	    !explain(record)) {
		take_back(record, running);
		return false;
	}
	if (empty)
		warn("none of the functions that were to be recorded was called");
	if (summary.lost)
		warn("%" PRIu64 " calls could not be recorded%s", summary.lost,
		     loss_reason(&summary));
	if (running)
		warn("processes that it started still run, and go on recording to %s", directory);
	else
		directory_remove_controls(directory);
	if (empty)
		take_back(record, running);
	return !names_save(directory) && !empty && !missing && !lossy;
}

/*
 * Look for the functions that are named. Returns false if that cannot be done; nothing else
 * was done then.
 *
 * @choice: set to the text of CHOOSE_FILE, or NULL
 * @values: set to that of DESCRIBE_FILE, or NULL
 */
static bool find_functions(struct record *record, const char *program, char **choice,
			   char **values)
{
	struct describe *describe = &record->describe;
	bool describes = describe->arguments.nr || describe->results.nr;

	*choice = NULL;
	*values = NULL;
	if (!describes && !choose_is_set(&record->choose))
		return true;
	if (!program) {
		warn("cannot run %s: %s", record->program[0], strerror(errno));
		return false;
	}
	if (choose_is_set(&record->choose)) {
		record->choose.calls = record->launch.calls;
		*choice = choose_program(&record->choose, program, &record->objects);
		if (!*choice)
			return false;
	}
	if (describes) {
		*values = describe_program(describe, program, &record->objects);
		if (!*values)
			return false;
	}
	return true;
}

/*
 * Connect to who receives the recording, if somebody does, and make its directory. Returns
 * false if nobody answers; nothing was changed then.
 */
static bool begin_recording(struct record *record, struct sender **sender)
{
	const char *place = getenv("TMPDIR");

	*sender = NULL;
	if (record->to) {
		*sender = sender_open(record->to);
		if (!*sender)
			return false;
	}
	if (record->directory || !record->to) {
		if (!record->directory)
			record->directory = DEFAULT_DIRECTORY;
		record->has_last = directory_begin(record->directory);
		return true;
	}
	record->directory = mkdtemp(xasprintf("%s/fntrace-XXXXXX",
					      place && *place ? place : P_tmpdir));
	if (!record->directory)
		die("cannot make a directory for what was not sent yet: %s", strerror(errno));
	return true;
}

/* Nothing was recorded. */
static void give_up(struct record *record, struct sender *sender)
{
	peers_cancel(&record->peers);
	if (record->has_last)
		directory_undo(record->directory);
	else
		directory_remove(record->directory);
	if (sender)
		sender_close(sender, record->directory, false);
}

/* Send what was not sent yet. Returns false if not all of the recording arrived. */
static bool finish_sending(struct record *record, struct sender *sender, bool running)
{
	if (!sender_close(sender, record->directory, true)) {
		warn("what was not sent is in %s", record->directory);
		return false;
	}
	if (running)
		warn("what they record from now on is not sent");
	else
		directory_remove(record->directory);
	return true;
}

static int record_program(struct record *record)
{
	struct launch *launch = &record->launch;
	struct kernel_live *live = NULL;
	char *library = launch_library(), *absolute, *choice, *values;
	struct progress progress = { };
	bool running, received, whole;
	int status, error;

	/* If it is ignored, the status of a child is lost. */
	signal(SIGCHLD, SIG_DFL);
	record->path = launch_find(record->program[0]);
	if (!find_functions(record, record->path, &choice, &values) ||
	    !begin_recording(record, &progress.sender)) {
		free(choice);
		free(values);
		free(library);
		return 1;
	}
	progress.directory = record->directory;
	if (choice)
		directory_save(record->directory, CHOOSE_FILE, choice);
	if (values)
		directory_save(record->directory, DESCRIBE_FILE, values);
	launch->chosen = choice;
	launch->values = values;
	free(choice);
	free(values);
	/* The program may go elsewhere before it starts others. */
	absolute = realpath(record->directory, NULL);
	if (!absolute)
		die("cannot find the directory %s: %s", record->directory, strerror(errno));
	if (record->path && !launch->entries && image_signs_addresses(record->path))
		warn("%s signs return addresses before it calls mcount() and may be killed; %s",
		     record->path, "-fpatchable-function-entry=2 or --entries helps");
	if (record->min_ns)
		launch->least = count_ticks(record->min_ns);
	about_begin(record->directory, record->path, record->arguments, record->program);
	progress.clock = open_clock(record->directory);
	save_clock(progress.clock);
	launch->directory = absolute;
	if (!peers_start(&record->peers, record->directory)) {
		give_up(record, progress.sender);
		fclose(progress.clock);
		free(library);
		free(absolute);
		return 1;
	}
	launch_prepare(launch, library, record->program);
	if (record->kernel.graph || record->events) {
		live = start_kernel(record);
		if (!live) {
			launch_cancel(launch);
			give_up(record, progress.sender);
			return 1;
		}
	}
	error = launch_start(launch);
	if (error) {
		warn("cannot run %s: %s", record->program[0], strerror(error));
		if (live)
			stop_kernel(live);
		give_up(record, progress.sender);
		return 127;
	}
	/* So that who receives knows of it, and waits for the rest (peers_finish()). */
	make_progress(&progress);
	status = launch_wait(launch, make_progress, &progress, &running);
	fclose(progress.clock);
	if (!progress.sender)
		trim_end(&progress.trimmer, record->directory, !running);
	if (live && stop_kernel(live))
		warn("the kernel's side of the trace may be incomplete");
	free(library);
	free(absolute);
	about_end(record->directory, status, launch->killed);
	received = peers_finish(&record->peers, record->directory, &launch->signals,
				launch->stopped);
	whole = finish(record, running);
	if (progress.sender && !finish_sending(record, progress.sender, running))
		whole = false;
	if (record->has_last)
		directory_keep(record->directory);
	launch_end(launch);
	if ((!whole || !received) && !status)
		status = 1;
	return status;
}

int command_record(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "PROGRAM [ARGUMENT...]",
		.doc = "Run a program, and record its function calls.",
	};
	struct record record = {
		.launch.full = "grow",
		.arguments = argv + 1,
	};
	int status;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &record);
	/* Values and commands are not for others; the program gets its own mask back. */
	record.launch.mask = umask(077);
	status = record_program(&record);
	choose_free(&record.choose);
	patterns_free(&record.describe.arguments);
	patterns_free(&record.describe.results);
	free(record.objects.list);
	free(record.functions);
	free(record.events);
	free((char *)record.launch.size);
	free(record.launch.calls);
	free(record.path);
	peers_free(&record.peers);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace: record, merge and convert traces of function calls.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <fntrace_format.h>

#include "clock.h"
#include "directory.h"
#include "kernel.h"
#include "main.h"
#include "trace.h"
#include "uftrace.h"

static const struct writer *const writers[] = {
	&uftrace_writer, &chrome_writer, &perfetto_writer, &flame_writer, &list_writer,
};

bool restore_file_limit;

static const char usage[] =
"usage: fntrace record [options] PROGRAM [ARGUMENT...]\n"
"       fntrace convert -f FORM [-o FILE] INPUT...\n"
"       fntrace replay INPUT...\n"
"\n"
"record: run a program and trace it\n"
"  -o DIR         directory to record to (fntrace.data)\n"
"  -k             the kernel's functions too, for this program (function_graph)\n"
"  -g FUNCTION    of the kernel, only what this function does; several are possible\n"
"  -d DEPTH       of the kernel, no deeper than this\n"
"  -e SYS:EVENT   a trace event, function event or marker; several are possible\n"
"  -s SIZE        bytes of a thread's buffer, 1M; it goes to the file when it is full\n"
"  --stop         stop when it is full\n"
"  --overwrite    overwrite the oldest records when it is full\n"
"  --paused       begin when the program calls fntrace_start()\n"
"  --raw          leave the records as they are: for merging with other machines\n"
"\n"
"convert, replay: any number of inputs become one trace\n"
"  INPUT          directory of \"fntrace record\" or of uftrace, trace.dat of trace-cmd,\n"
"                 or buffers that a kernel sent\n"
"  -f FORM        uftrace, chrome, perfetto, flame or list\n"
"  -o FILE        where to; \"-\" is standard output\n"
"  -m NAME        the inputs that follow are of this machine; the first one has the clock\n"
"  -i FILE        ELF file of the kernel whose buffers follow\n"
"  -l OFFSET      of the kernel that -i names: where it ran minus where FILE has it\n"
"  -t OFFSET      counter of this machine minus that of the first one: a number, a file\n"
"                 like tsc-offset of KVM, or a trace.dat with kvm_write_tsc_offset\n"
"  --progress     show progress even if nobody seems to look\n";

void usage_error(const char *format, const char *what)
{
	if (format)
		warn(format, what);
	fputs(usage, format ? stderr : stdout);
	exit(format ? 2 : 0);
}

static const struct writer *find_writer(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(writers); i++)
		if (!strcmp(writers[i]->name, name))
			return writers[i];
	usage_error("there is no form \"%s\"", name);
	return NULL;
}

/* Is there a file of this kind in a directory? */
static bool has_file(const char *path, const char *suffix)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		found = dot && !strcmp(dot, suffix);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Files and directories that are read; none of them may be written. */
static struct {
	dev_t	dev;
	ino_t	ino;
} *inputs;
static size_t nr_inputs;

static bool is_input(const char *path)
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

static void open_input(struct trace *trace, struct machine *machine, const char *path,
		       const char *image, uint64_t offset)
{
	/* trace-cmd.dat(5) */
	static const char dat_magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	char magic[16] = "";
	struct stat status;
	bool opened = false;
	int fd;

	if (stat(path, &status))
		die("cannot read %s: %s", path, strerror(errno));
	inputs = xrealloc(inputs, (nr_inputs + 1) * sizeof(*inputs));
	inputs[nr_inputs].dev = status.st_dev;
	inputs[nr_inputs++].ino = status.st_ino;
	if (S_ISDIR(status.st_mode)) {
		/* The records first: they say more than what was made of them. */
		if (has_file(path, ".fntrace") || directory_has_kernel(path)) {
			opened = raw_open_dir(trace, machine, path);
			if (!kernel_open_dir(trace, machine, path, &machine->clock->map))
				opened = true;
		} else if (has_file(path, ".dat")) {
			opened = uftrace_open(trace, machine, path);
		}
		if (!opened)
			die("%s: no trace in it", path);
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, magic, sizeof(magic)) < 0)
		die("cannot read %s: %s", path, strerror(errno));
	close(fd);
	if (!memcmp(magic, dat_magic, sizeof(dat_magic)))
		opened = !kernel_open_dat(trace, machine, path, &machine->clock->map);
	else if (!memcmp(magic, FNTRACE_MAGIC, sizeof(FNTRACE_MAGIC)))
		opened = raw_open_dump(trace, machine, path, image, offset);
	else
		warn("%s: neither buffers of fntrace nor a trace.dat", path);
	if (!opened)
		exit(1);
}

/* "-t": a number, a file with one, or a trace with the event. */
static uint64_t read_offset(const char *text)
{
	unsigned int others = 0;
	uint64_t offset;
	char *end, *file;

	errno = 0;
	offset = strtoull(text, &end, 0);
	if (end != text && !*end && !errno)
		return offset;
	file = read_file(text, NULL);
	if (!file)
		die("%s is neither a number nor a file that can be read: %s", text,
		    strerror(errno));
	offset = strtoull(file, &end, 0);
	if (end != file && (!*end || *end == '\n')) {
		free(file);
		return offset;
	}
	free(file);
	if (!kernel_tsc_offset(text, &offset, &others))
		die("%s: no number, and no kvm_write_tsc_offset event", text);
	if (others)
		warn("%s: %u CPUs of the guest have another offset", text, others);
	return offset;
}

/* Bring the clocks of all machines to that of the first one. */
static void align(struct trace *trace)
{
	struct machine *first = trace->machines, *machine;
	struct clock_mark *theirs = NULL, *mine;
	size_t nr_theirs = 0, nr_mine;

	for (machine = first; machine; machine = machine->next) {
		/* A guest that shares the counter shares its rate. */
		if (machine != first && !machine->clock->hz && machine->clock->map.nr < 2 &&
		    first->clock->map.nr > 1)
			machine->clock->hz = clock_hz(first->clock);
		if (!clock_finish(machine->clock) && raw_has_counter(trace, machine))
			warn("%s%stimes are ticks of the counter: nothing says how fast it is",
			     machine->name, *machine->name ? ": " : "");
		if (machine->clock->nr_wrong)
			warn("%s%s%zu readings of the clocks contradict others and were left out",
			     machine->name, *machine->name ? ": " : "",
			     machine->clock->nr_wrong);
	}
	if (first->next)
		nr_theirs = raw_marks(trace, first, &theirs);
	for (machine = first->next; machine; machine = machine->next) {
		struct clock *clock = machine->clock;

		if (clock->method == ALIGN_COUNTER) {
			warn("%s: aligned with %s by the offset of the counters, error at most %"
			     PRIu64 " ns", machine->name, first->name, clock->error_ns);
			continue;
		}
		nr_mine = raw_marks(trace, machine, &mine);
		if (clock_align_marks(clock, mine, nr_mine, theirs, nr_theirs))
			warn("%s: aligned with %s by %zu marks of messages, error at most %"
			     PRIu64 " ns", machine->name, first->name, nr_mine,
			     clock->error_ns);
		else
			warn("%s: not aligned with %s: no messages in both directions, and no -t",
			     machine->name, first->name);
		free(mine);
	}
	free(theirs);
}

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

int convert(struct trace *trace, const struct writer *writer, const struct options *options)
{
	const struct task *task;
	struct timespec since;
	struct event event;
	uint64_t open = 0, events = 0;
	int error;

	if (!trace->nr_sources)
		die("nothing to read");
	align(trace);
	clock_gettime(CLOCK_MONOTONIC, &since);
	writer->begin(trace, options);
	while (trace_next(trace, &event)) {
		writer->event(&event);
		if (options->progress && !(++events & 0x3ffff))
			show_progress(trace, &since, false);
	}
	for (task = trace->tasks; task; task = task->next)
		open += task->depth;
	error = writer->end(trace);
	if (options->progress)
		show_progress(trace, &since, true);

	say_count(trace->nr_lost, "calls were lost: the buffer was full");
	say_count(trace->nr_orphans, "ends of calls that began before the trace were left out");
	say_count(trace->nr_repaired, "ends were missing and were put in");
	say_count(trace->nr_backwards, "times went backwards and were corrected");
	say_count(trace->nr_bad, "records were damaged and left out");
	say_count(open, "calls had not ended at the end of the trace");
	return error;
}

static int do_convert(int argc, char **argv, const struct writer *writer)
{
	static const struct option longs[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "machine", required_argument, NULL, 'm' },
		{ "image", required_argument, NULL, 'i' },
		{ "load-offset", required_argument, NULL, 'l' },
		{ "tsc-offset", required_argument, NULL, 't' },
		{ "progress", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct options options = { .path = NULL, .progress = isatty(STDERR_FILENO) };
	struct trace *trace = xalloc(sizeof(*trace));
	struct machine *machine = NULL;
	const char *image = NULL;
	uint64_t offset = 0;
	int option, error;
	char *end;

	while ((option = getopt_long(argc, argv, "-f:o:m:i:l:t:h", longs, NULL)) != -1) {
		switch (option) {
		case 'f':
			writer = find_writer(optarg);
			break;
		case 'o':
			options.path = optarg;
			break;
		case 'm':
			machine = trace_machine(trace, optarg);
			break;
		case 'i':
			image = optarg;
			offset = 0;
			break;
		case 'l':
			errno = 0;
			offset = strtoull(optarg, &end, 0);
			if (end == optarg || *end || errno)
				usage_error("-l %s: no number", optarg);
			if (!image)
				usage_error("-l %s: of which -i?", optarg);
			break;
		case 't':
			if (!machine || !machine->index)
				usage_error("-t %s: of which machine but the first one?", optarg);
			clock_align_counter(machine->clock, trace->machines->clock,
					    read_offset(optarg));
			break;
		case 'P':
			options.progress = true;
			break;
		case 1:
			if (!machine)
				machine = trace_machine(trace, "");
			open_input(trace, machine, optarg, image, offset);
			break;
		case 'h':
			usage_error(NULL, NULL);
			break;
		default:
			usage_error("%s", "see the usage");
		}
	}
	for (; optind < argc; optind++) {
		if (!machine)
			machine = trace_machine(trace, "");
		open_input(trace, machine, argv[optind], image, offset);
	}
	if (!writer)
		usage_error("which form? %s", "-f is missing");
	if (!trace->nr_sources)
		usage_error("%s", "no input");
	if (!options.path) {
		if (writer == &uftrace_writer)
			usage_error("%s", "-o is missing: uftrace's form is a directory");
		options.path = "-";
	}
	if (is_input(options.path))
		die("%s is read; not writing to it", options.path);
	error = convert(trace, writer, &options);
	trace_close(trace);
	free(trace);
	return error ? 1 : 0;
}

int main(int argc, char **argv)
{
	/* A file that gets too large (ulimit -f) is an error of write(). */
	restore_file_limit = signal(SIGXFSZ, SIG_IGN) == SIG_DFL;
	if (argc < 2)
		usage_error("%s", "what to do?");
	if (!strcmp(argv[1], "record"))
		return do_record(argc - 1, argv + 1);
	if (!strcmp(argv[1], "convert"))
		return do_convert(argc - 1, argv + 1, NULL);
	if (!strcmp(argv[1], "replay"))
		return do_convert(argc - 1, argv + 1, &list_writer);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		usage_error(NULL, NULL);
	usage_error("there is no command \"%s\"", argv[1]);
	return 2;
}

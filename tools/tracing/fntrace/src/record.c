// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace record: run a program with libfntrace.so, and the kernel's tracer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fntrace.h>

#include "clock.h"
#include "directory.h"
#include "kernel.h"
#include "kernel_protocol.h"
#include "main.h"
#include "trace.h"

/* Beside this program, or where "make install" puts it. */
static char *find_library(void)
{
	static const char *const places[] = { "", "/../lib/fntrace" };
	char exe[PATH_MAX], *library;
	ssize_t len;
	size_t i;

	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len < 0)
		die("cannot find out where this program is: %s", strerror(errno));
	exe[len] = 0;
	dirname(exe);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		char *path = xasprintf("%s%s/libfntrace.so", exe, places[i]);

		library = realpath(path, NULL);
		free(path);
		if (library)
			return library;
	}
	die("libfntrace.so is not beside this program, nor in ../lib/fntrace");
}

/*
 * Make the directory to record to. A recording that is there gets the name DIR.old, whose
 * own recording makes room.
 */
static void make_directory(const char *path)
{
	size_t len = strlen(path);
	char *old;

	if (!mkdir(path, 0755))
		return;
	if (errno != EEXIST)
		die("cannot make the directory %s: %s", path, strerror(errno));
	while (len > 1 && path[len - 1] == '/')
		len--;
	old = xasprintf("%.*s.old", (int)len, path);
	if (directory_is_recording(path)) {
		if (directory_is_recording(old))
			directory_remove(old);
		/* Only an empty directory is replaced. */
		if (rename(path, old))
			die("%s: cannot rename the recording in it to %s: %s", path, old,
			    strerror(errno));
	} else if (rmdir(path)) {
		die("%s has other files in it; not touching them", path);
	}
	if (mkdir(path, 0755))
		die("cannot make the directory %s: %s", path, strerror(errno));
	free(old);
}

/* The best of several: something may come between the two readings. */
static void save_clock(FILE *file)
{
	uint64_t before, after, best = UINT64_MAX, counter = 0, ns = 0;
	struct timespec now;
	int i;

	for (i = 0; i < 5; i++) {
		before = fntrace_counter();
		clock_gettime(CLOCK_MONOTONIC, &now);
		after = fntrace_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		counter = before + best / 2;
		ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	}
	fprintf(file, "%" PRIu64 " %" PRIu64 "\n", counter, ns);
	fflush(file);
}

/*
 * What LD_PRELOAD can name: spaces and colons separate its parts. A library whose path has
 * one is named by a descriptor of this process, which outlives those that it records.
 */
static char *preload_path(void)
{
	char *library = find_library(), *path;
	int fd;

	if (!library[strcspn(library, " :")])
		return library;
	fd = open(library, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open %s: %s", library, strerror(errno));
	free(library);
	path = xasprintf("/proc/%d/fd/%d", getpid(), fd);
	return path;
}

/* @library is freed. */
static void set_environment(char *library, const char *directory, const char *size,
			    const char *full, bool paused)
{
	const char *preload = getenv("LD_PRELOAD");
	char *value = preload && *preload ? xasprintf("%s:%s", library, preload) :
					    xstrdup(library);

	setenv("LD_PRELOAD", value, 1);
	setenv("FNTRACE_DIR", directory, 1);
	if (size)
		setenv("FNTRACE_SIZE", size, 1);
	else
		unsetenv("FNTRACE_SIZE");
	setenv("FNTRACE_FULL", full, 1);
	setenv("FNTRACE_START", paused ? "0" : "1", 1);
	free(value);
	free(library);
}

static uint64_t parse_size(const char *text)
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
		usage_error("\"%s\" is no size", text);
	return value;
}

static void add_word(const char ***list, unsigned int *nr, const char *word)
{
	*list = xrealloc(*list, (*nr + 2) * sizeof(**list));
	(*list)[(*nr)++] = word;
	(*list)[*nr] = NULL;
}

/*
 * Wait for the program and for all that it started, which are children of this process
 * once their parents are gone (PR_SET_CHILD_SUBREAPER). The process that kernel_live_start()
 * makes is none that waitpid() finds. Once a second the clocks are
 * compared, so that a trace has nanoseconds even if its program cannot do that any more.
 *
 * @running: set if a signal ended the wait for processes that go on
 */
static int wait_for(pid_t child, FILE *clock, const sigset_t *signals, bool *running)
{
	const struct timespec second = { .tv_sec = 1 };
	int status = 0, signal, one;
	bool done = false, said = false, stop = false;
	pid_t ended;

	*running = false;
	for (;;) {
		ended = waitpid(-1, &one, WNOHANG);
		if (ended == child) {
			status = one;
			done = true;
		}
		if (ended > 0)
			continue;
		if (ended < 0)
			break;
		if (done && stop) {
			*running = true;
			break;
		}
		signal = sigtimedwait(signals, NULL, &second);
		if (signal == SIGTERM || signal == SIGHUP || (signal == SIGINT && done))
			stop = true;
		/* From a terminal, the program has SIGINT as well. */
		if (!done && (signal == SIGTERM || signal == SIGHUP))
			kill(child, signal);
		save_clock(clock);
		if (done && !said && signal < 0) {
			warn("waiting for the processes that it started; SIGINT ends the wait");
			said = true;
		}
	}
	save_clock(clock);
	if (!done)
		die("cannot wait for the program: %s", strerror(errno));
	if (WIFSIGNALED(status)) {
		warn("the program was killed by signal %d (%s); the trace ends there",
		     WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}

/*
 * Convert what was recorded, and remove it if nothing in it is missing in what was made of
 * it: it is all that there is of the run. Returns 0 if that is so, or an errno.
 *
 * @kernel: the kernel was recorded
 * @running: processes of the program still write to their files
 */
static int finish(const char *directory, bool kernel, bool running)
{
	struct options options = {
		.path = directory,
		.progress = isatty(STDERR_FILENO),
		.prepared = true,
	};
	struct trace *trace = xalloc(sizeof(*trace));
	struct machine *machine = trace_machine(trace, "");
	int error;

	raw_open_dir(trace, machine, directory);
	error = kernel_open_dir(trace, machine, directory, &machine->clock->map);
	if (error && (kernel || error != -ENOENT))
		trace->nr_unread++;
	if (!trace->nr_sources) {
		if (directory_has_maps(directory))
			warn("no function was traced; was the program compiled for this (-pg)?");
		else
			warn("libfntrace.so was not loaded; is the program static, or setuid?");
		error = ENODATA;
	} else {
		error = convert(trace, &uftrace_writer, &options);
		/* Of processes that still run they are kept anyway. */
		if (!error && trace->nr_unread && !running) {
			warn("not all of it could be converted; %s keeps the records", directory);
			error = EIO;
		}
	}
	trace_close(trace);
	free(trace);
	if (error)
		return error;
	if (running)
		warn("processes that it started still run; %s keeps the records as well",
		     directory);
	else if (uftrace_left_out())
		warn("%s keeps the records as well; \"fntrace convert\" reads those", directory);
	if (!running && !uftrace_left_out()) {
		directory_clean(directory, directory_is_raw_name);
		directory_remove_kernel(directory);
	}
	return 0;
}

int do_record(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "stop", no_argument, NULL, 'S' },
		{ "overwrite", no_argument, NULL, 'O' },
		{ "paused", no_argument, NULL, 'p' },
		{ "raw", no_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *directory = "fntrace.data", *full = "grow";
	const char **functions = NULL, **events = NULL;
	unsigned int nr_functions = 0, nr_events = 0;
	struct kernel_options kernel = { };
	struct kernel_live *live = NULL;
	bool paused = false, raw = false, running;
	char *size = NULL, *path, *end, *library, *absolute, byte;
	int option, go[2], bad[2], status, code;
	sigset_t signals, old;
	pid_t child;
	FILE *clock;

	while ((option = getopt_long(argc, argv, "+o:kg:d:e:s:h", longs, NULL)) != -1) {
		switch (option) {
		case 'o':
			directory = optarg;
			break;
		case 'k':
			kernel.graph = true;
			break;
		case 'g':
			kernel.graph = true;
			add_word(&functions, &nr_functions, optarg);
			break;
		case 'd':
			kernel.max_depth = strtoul(optarg, &end, 0);
			if (*end || end == optarg || !kernel.max_depth ||
			    kernel.max_depth > 1000)
				usage_error("\"%s\" is no depth", optarg);
			break;
		case 'e':
			add_word(&events, &nr_events, optarg);
			break;
		case 's':
			size = xasprintf("%" PRIu64, parse_size(optarg));
			break;
		case 'S':
			full = "stop";
			break;
		case 'O':
			full = "overwrite";
			break;
		case 'p':
			paused = true;
			break;
		case 'r':
			raw = true;
			break;
		case 'h':
			usage_error(NULL, NULL);
			break;
		default:
			usage_error("%s", "see the usage");
		}
	}
	if (optind == argc)
		usage_error("%s", "which program?");

	library = preload_path();
	make_directory(directory);
	/* The program may go elsewhere before it starts others. */
	absolute = realpath(directory, NULL);
	if (!absolute)
		die("cannot find the directory %s: %s", directory, strerror(errno));
	path = xasprintf("%s/clock", directory);
	clock = fopen(path, "we");
	if (!clock)
		die("cannot write %s: %s", path, strerror(errno));
	save_clock(clock);
	free(path);

	/* The program waits until the kernel traces it; then it says if it cannot run. */
	if (pipe2(go, O_CLOEXEC) || pipe2(bad, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	/* If it is ignored, nobody hears of the end of a child. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &old);
	child = fork();
	if (child < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!child) {
		set_environment(library, absolute, size, full, paused);
		close(go[1]);
		if (read(go[0], &byte, 1) != 1)
			_exit(1);
		sigprocmask(SIG_SETMASK, &old, NULL);
		if (restore_file_limit)
			signal(SIGXFSZ, SIG_DFL);
		execvp(argv[optind], argv + optind);
		code = errno;
		if (write(bad[1], &code, sizeof(code)) < 0)
			_exit(126);
		_exit(127);
	}
	close(go[0]);
	close(bad[1]);
	if (kernel.graph || events) {
		kernel.dir = directory;
		kernel.pid = child;
		kernel.functions = functions;
		kernel.events = events;
		/* Every function is a lot; what is not read in time is lost. */
		kernel.buffer_kb = 8192;
		/*
		 * The counter of the hooks, if the kernel has it: then nothing is between
		 * the two sides, whatever the clock of the machine is worth.
		 */
#ifdef __x86_64__
		kernel.clock = "x86-tsc";
#endif
		live = kernel_live_start(&kernel);
		if (!live) {
			close(go[1]);
			waitpid(child, NULL, 0);
			directory_remove(directory);
			return 1;
		}
	}
	free(library);
	free(absolute);
	/* What the program leaves behind when it ends becomes a child of this process. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		warn("cannot wait for what the program starts: %s", strerror(errno));
	if (write(go[1], "", 1) != 1)
		die("cannot start the program: %s", strerror(errno));
	if (read(bad[0], &code, sizeof(code)) == sizeof(code)) {
		warn("cannot run %s: %s", argv[optind], strerror(code));
		waitpid(child, NULL, 0);
		if (live)
			kernel_live_stop(live, NULL);
		directory_remove(directory);
		return 127;
	}
	status = wait_for(child, clock, &signals, &running);
	fclose(clock);
	if (live && kernel_live_stop(live, NULL))
		warn("the kernel's side of the trace may be incomplete");
	sigprocmask(SIG_SETMASK, &old, NULL);
	free(functions);
	free(events);
	free(size);
	if (!raw && finish(directory, kernel.dir, running) && !status)
		status = 1;
	return status;
}

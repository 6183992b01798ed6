// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record the kernel's trace: libtracefs sets up an instance, a thread per CPU
 * copies what is in the buffer to a file, as it is.
 *
 * What is needed to understand the files is copied from tracefs, with the names
 * that it has there:
 *
 *	kernel/info			byte order and clock
 *	kernel/cpuN.raw			pages of the ring buffer
 *	kernel/events/header_page	what a page looks like
 *	kernel/events/SYSTEM/EVENT/format
 *	kernel/kallsyms			functions only
 *	kernel/saved_cmdlines, kernel/saved_tgids, kernel/printk_formats
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <event-parse.h>
#include <tracefs.h>

#include "kernel.h"
#include "kernel_protocol.h"

/**
 * struct drain - what takes the trace of a CPU
 * @live: whose it is
 * @thread: that runs drain_main()
 * @tcpu: where it comes from
 * @in: that, for poll()
 * @out: where it goes
 * @path: of @out
 * @page: room for a page of the ring buffer
 * @page_size: how large that is
 * @bytes: written
 * @error: the first errno
 * @tid: of the thread, once it runs
 */
struct drain {
	struct kernel_live	*live;
	pthread_t		thread;
	struct tracefs_cpu	*tcpu;
	int			in;
	int			out;
	char			*path;
	char			*page;
	int			page_size;
	uint64_t		bytes;
	int			error;
	pid_t			tid;
};

/**
 * struct kernel_live - a recording
 * @instance: in tracefs
 * @dir: where it goes
 * @drains: one per CPU
 * @nr_drains: how many
 * @nr_threads: of how many, the first ones, the thread runs
 * @stop: a pipe; it is closed to end the threads
 * @running: a thread says here that it runs
 * @guard: a pipe to the process that ends the recording if this one cannot
 * @guard_pid: its number
 * @graph_function: set_graph_function is ours, to be emptied
 * @graph_depth: max_graph_depth is ours, to be set to 0
 */
struct kernel_live {
	struct tracefs_instance	*instance;
	char			*dir;
	struct drain		*drains;
	size_t			nr_drains;
	size_t			nr_threads;
	int			stop[2];
	int			running[2];
	int			guard;
	pid_t			guard_pid;
	bool			graph_function;
	bool			graph_depth;
};

/* Files of tracefs */

/* Returns 0 or an errno. @flags may be O_TRUNC. */
static int put(struct tracefs_instance *instance, const char *name, const char *text, int flags)
{
	int fd = tracefs_instance_file_open(instance, name, O_WRONLY | O_CLOEXEC | flags);
	int error = 0;

	if (fd < 0)
		return errno;
	if (*text && write(fd, text, strlen(text)) < 0)
		error = errno;
	/* Filters of functions are applied then. */
	if (close(fd) && !error)
		error = errno;
	return error;
}

/* Directories up to the last slash of @path, which are all inside ours. */
static void make_directories(char *path, size_t ours)
{
	char *slash;

	for (slash = strchr(path + ours, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
}

/* Returns 0 or an errno; a message was printed. */
static int save(const struct kernel_live *live, const char *name, const char *text, size_t size)
{
	char *path = xasprintf("%s/%s", live->dir, name);
	FILE *file;
	int error = 0;

	make_directories(path, strlen(live->dir) + 1);
	file = fopen(path, "we");
	if (!file || fwrite(text, 1, size, file) != size)
		error = errno;
	if (file && fclose(file) && !error)
		error = errno;
	if (error)
		warn("%s: %s", path, strerror(error));
	free(path);
	return error;
}

/* The same; it is no error if there is none in tracefs. */
static int copy(const struct kernel_live *live, struct tracefs_instance *instance,
		const char *name)
{
	int size = 0, error;
	char *text = tracefs_instance_file_read(instance, name, &size);

	if (!text)
		return 0;
	error = save(live, name, text, size);
	free(text);
	return error;
}

/* Of the kernel's symbols, those of functions: the others are most. */
static int copy_kallsyms(const struct kernel_live *live)
{
	char *path = xasprintf("%s/kallsyms", live->dir), *line = NULL;
	FILE *from = fopen("/proc/kallsyms", "re"), *to = fopen(path, "we");
	size_t room = 0;
	int error = 0;

	if (!to)
		error = errno;
	/* Where the kernel has none, functions have no names: that is no error here. */
	while (from && to && getline(&line, &room, from) > 0) {
		const char *type = strchr(line, ' ');

		if (type && strchr("tTwW", type[1]) && fputs(line, to) < 0)
			break;
	}
	if (to && ferror(to))
		error = errno;
	if (to && fclose(to) && !error)
		error = errno;
	if (from)
		fclose(from);
	if (error)
		warn("%s: %s", path, strerror(error));
	free(line);
	free(path);
	return error;
}

/* What gives names to numbers; at the end, when the kernel knows most. */
static int save_names(const struct kernel_live *live)
{
	static const char * const names[] = {
		"saved_cmdlines", "saved_tgids", "printk_formats",
	};
	int error = copy_kallsyms(live), failed;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		failed = copy(live, NULL, names[i]);
		error = error ? error : failed;
	}
	return error;
}

/* Undoing */

/*
 * Nothing of the recording is left in tracefs after this. As long as a drain has
 * its file open, the kernel neither changes the tracer nor removes the instance;
 * the files of a process that died are closed soon.
 */
static int undo(struct kernel_live *live)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	int tries = 250, error = 0;

	put(live->instance, "tracing_on", "0", 0);
	/* First this: without its list, it would trace every function. */
	while (put(live->instance, "current_tracer", "nop", 0) == EBUSY && tries--)
		nanosleep(&pause, NULL);
	if (live->graph_function)
		error = put(NULL, "set_graph_function", "", O_TRUNC);
	if (live->graph_depth && !error)
		error = put(NULL, "max_graph_depth", "0", 0);
	while (tracefs_instance_destroy(live->instance)) {
		if (errno != EBUSY || tries-- <= 0)
			return errno ? errno : EIO;
		nanosleep(&pause, NULL);
	}
	return error;
}

static void guard_main(struct kernel_live *live, int fd)
{
	int null = open("/dev/null", O_RDWR);
	sigset_t all;
	char done;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	/* Who waits for the end of our output waits for the other one only. */
	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	dup2(fd, STDERR_FILENO + 1);
	/* Nor may it keep pipes open of which somebody waits for the end. */
	closefrom(STDERR_FILENO + 2);
	if (read(STDERR_FILENO + 1, &done, 1) != 1) {
		save_names(live);
		undo(live);
	}
}

/*
 * Start the process that undoes everything if this one dies. As a child of a child that
 * ends, it would become one of ours again where this process is the first of a container,
 * or waits for all descendants.
 */
static int start_guard(struct kernel_live *live)
{
	int ends[2], error;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	pid = fork_unwaited();
	error = pid < 0 ? errno : 0;
	if (!pid) {
		close(ends[1]);
		guard_main(live, ends[0]);
		_exit(0);
	}
	close(ends[0]);
	if (error) {
		close(ends[1]);
		return error;
	}
	live->guard = ends[1];
	live->guard_pid = pid;
	return 0;
}

/* Draining */

static void drain_page(struct drain *drain, int size)
{
	int done = 0;

	/* Go on after an error: the kernel's buffer must not stay full. */
	while (!drain->error && done < size) {
		ssize_t now = write(drain->out, drain->page + done, size - done);

		if (now > 0)
			done += now;
		else if (now == 0 || errno != EINTR)
			drain->error = now ? errno : ENOSPC;
	}
	drain->bytes += done;
}

static void *drain_main(void *arg)
{
	struct drain *drain = arg;
	struct pollfd fds[] = {
		{ .fd = drain->in, .events = POLLIN },
		{ .fd = drain->live->stop[0], .events = POLLIN },
	};

	drain->tid = syscall(SYS_gettid);
	if (write(drain->live->running[1], "", 1) != 1)
		drain->error = errno;
	for (;;) {
		bool last;
		int size;

		/* Until the buffer is as full as buffer_percent says. */
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno != EINTR) {
			drain->error = errno;
			break;
		}
		last = fds[1].revents;
		for (;;) {
			size = tracefs_cpu_read(drain->tcpu, drain->page, true);
			if (size <= 0)
				break;
			/* Whole pages, also where the kernel leaves out what is empty. */
			memset(drain->page + size, 0, drain->page_size - size);
			drain_page(drain, drain->page_size);
		}
		if (size < 0 && errno != EINTR && errno != EAGAIN && !drain->error)
			drain->error = errno;
		if (last || size < 0)
			break;
	}
	return NULL;
}

static int add_drain(struct kernel_live *live, unsigned int cpu, int page_size)
{
	struct drain *drain;
	char name[64];

	live->drains = xrealloc(live->drains, (live->nr_drains + 1) * sizeof(*drain));
	drain = &live->drains[live->nr_drains++];
	memset(drain, 0, sizeof(*drain));
	drain->live = live;
	drain->path = xasprintf("%s/cpu%u.raw", live->dir, cpu);
	drain->page = xalloc(page_size);
	drain->page_size = page_size;
	snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	drain->in = tracefs_instance_file_open(live->instance, name,
					       O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	drain->out = open(drain->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (drain->in < 0 || drain->out < 0) {
		warn("%s: %s", drain->in < 0 ? name : drain->path, strerror(errno));
		return -1;
	}
	drain->tcpu = tracefs_cpu_alloc_fd(drain->in, page_size, true);
	if (!drain->tcpu) {
		warn("%s: %s", name, strerror(errno));
		return -1;
	}
	return 0;
}

static int add_drains(struct kernel_live *live, int page_size)
{
	char *path = tracefs_instance_get_file(live->instance, "per_cpu");
	DIR *dir = path ? opendir(path) : NULL;
	struct dirent *entry;
	int error = 0;

	if (!dir) {
		warn("%s: %s", path ? path : "tracefs", strerror(errno));
		error = -1;
	}
	while (!error && (entry = readdir(dir))) {
		unsigned int cpu;

		if (sscanf(entry->d_name, "cpu%u", &cpu) == 1)
			error = add_drain(live, cpu, page_size);
	}
	if (dir)
		closedir(dir);
	tracefs_put_tracing_file(path);
	return error;
}

static int start_threads(struct kernel_live *live)
{
	sigset_t all, before;
	int error = 0;
	char ignored;

	if (pipe2(live->stop, O_CLOEXEC) || pipe2(live->running, O_CLOEXEC)) {
		warn("pipe: %s", strerror(errno));
		return -1;
	}
	/* Signals are for the thread of the caller. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (!error && live->nr_threads < live->nr_drains) {
		struct drain *drain = &live->drains[live->nr_threads];

		error = pthread_create(&drain->thread, NULL, drain_main, drain);
		if (error)
			warn("a thread: %s", strerror(error));
		else
			live->nr_threads++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!error) {
		size_t i;

		for (i = 0; i < live->nr_threads; i++)
			while (read(live->running[0], &ignored, 1) < 0 && errno == EINTR)
				;
	}
	return error ? -1 : 0;
}

static void join_threads(struct kernel_live *live)
{
	if (live->stop[1] >= 0)
		close(live->stop[1]);
	for (; live->nr_threads; live->nr_threads--)
		pthread_join(live->drains[live->nr_threads - 1].thread, NULL);
}

/* What the kernel says about its buffers, once they are empty. */
static void count_events(struct kernel_live *live, struct kernel_stats *stats)
{
	size_t i;

	for (i = 0; i < live->nr_drains; i++) {
		static const struct {
			const char *name;
			bool lost;
		} lines[] = {
			{ "\noverrun: ", true },
			{ "\ndropped events: ", true },
			{ "\nread events: ", false },
		};
		const char *base = strrchr(live->drains[i].path, '/');
		char name[64], *text;
		unsigned int cpu;
		size_t line;

		if (sscanf(base, "/cpu%u", &cpu) != 1)
			continue;
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
		text = tracefs_instance_file_read(live->instance, name, NULL);
		for (line = 0; text && line < ARRAY_SIZE(lines); line++) {
			const char *at = strstr(text, lines[line].name);
			uint64_t number;

			if (!at)
				continue;
			number = strtoull(at + strlen(lines[line].name), NULL, 10);
			*(lines[line].lost ? &stats->lost : &stats->events) += number;
		}
		free(text);
	}
}

/* Returns 0 or the first errno of the drains. */
static int free_drains(struct kernel_live *live, struct kernel_stats *stats)
{
	int error = 0;
	size_t i;

	for (i = 0; i < live->nr_drains; i++) {
		struct drain *drain = &live->drains[i];

		if (drain->tcpu)
			tracefs_cpu_free_fd(drain->tcpu);
		if (drain->in >= 0)
			close(drain->in);
		if (drain->out >= 0 && close(drain->out) && !drain->error)
			drain->error = errno;
		if (drain->error) {
			warn("%s: %s", drain->path, strerror(drain->error));
			error = error ? error : drain->error;
		}
		/* Most often, most CPUs had nothing to do with it. */
		if (!drain->bytes)
			unlink(drain->path);
		stats->bytes += drain->bytes;
		free(drain->page);
		free(drain->path);
	}
	free(live->drains);
	live->drains = NULL;
	live->nr_drains = 0;
	return error;
}

/* Setting up; these print a message and return -1 if it cannot be done. */

static int set_clock(struct kernel_live *live, const char *clock)
{
	int error = put(live->instance, "trace_clock", clock, 0);

	if (!error)
		return 0;
	if (error == EINVAL)
		warn("this kernel has no trace clock \"%s\"", clock);
	else
		warn("trace_clock: %s", strerror(error));
	return -1;
}

static int set_file(struct kernel_live *live, const char *name, const char *text)
{
	int error = put(live->instance, name, text, 0);

	if (!error)
		return 0;
	warn("instances/%s/%s: %s", tracefs_instance_get_name(live->instance), name,
	     strerror(error));
	return -1;
}

/*
 * A process and what it forks. What is for functions is there only in a kernel that can
 * trace them, and only function_graph needs it.
 */
static int set_pid(struct kernel_live *live, const struct kernel_options *options)
{
	char text[32];

	snprintf(text, sizeof(text), "%d\n", options->pid);
	if (set_file(live, "options/event-fork", "1") || set_file(live, "set_event_pid", text))
		return -1;
	if (options->graph && (set_file(live, "options/function-fork", "1") ||
			       set_file(live, "set_ftrace_pid", text)))
		return -1;
	return 0;
}

/*
 * All processes but this one: what it writes would make new events without end.
 * Kernels before 5.7 have no such files, and such events.
 */
static void leave_out_ourselves(struct kernel_live *live)
{
	char text[32];
	size_t i;

	for (i = 0; i <= live->nr_threads; i++) {
		pid_t tid = i < live->nr_threads ? live->drains[i].tid : getpid();

		snprintf(text, sizeof(text), "%d\n", tid);
		put(live->instance, "set_event_notrace_pid", text, 0);
		put(live->instance, "set_ftrace_notrace_pid", text, 0);
	}
}

/* Returns 0 or an errno: ENOENT if nothing matches. */
static int enable_matching(struct kernel_live *live, const char *system, const char *event)
{
	char **systems = tracefs_event_systems(tracefs_tracing_dir()), **events;
	int error = ENOENT, failed, i, j;

	for (i = 0; systems && systems[i]; i++) {
		if (fnmatch(system, systems[i], 0))
			continue;
		events = tracefs_system_events(tracefs_tracing_dir(), systems[i]);
		for (j = 0; events && events[j]; j++) {
			char *name;

			if (fnmatch(event, events[j], 0))
				continue;
			name = xasprintf("%s:%s", systems[i], events[j]);
			failed = put(live->instance, "set_event", name, 0);
			free(name);
			/* Those of ftrace itself are listed, but cannot be enabled. */
			if (failed != EINVAL && error == ENOENT)
				error = 0;
			if (failed && failed != EINVAL)
				error = failed;
		}
		tracefs_list_free(events);
	}
	tracefs_list_free(systems);
	return error;
}

/* The kernel knows no patterns but "SYSTEM:*", which takes one write. */
static int enable_event(struct kernel_live *live, const char *pattern)
{
	char *system = xstrdup(pattern), *event = strchr(system, ':');
	int error;

	/* To the kernel, an exclamation mark is to disable. */
	if (!event || event == system || !event[1] || *system == '!' ||
	    pattern[strcspn(pattern, " \t\n")]) {
		warn("\"%s\" is no event; it should be SYSTEM:EVENT", pattern);
		free(system);
		return -1;
	}
	*event++ = '\0';
	if (strpbrk(system, "*?[") || (strpbrk(event, "*?[") && strcmp(event, "*")))
		error = enable_matching(live, system, event);
	else
		error = put(live->instance, "set_event", pattern, 0);
	if (error == EINVAL || error == ENOENT)
		warn("there is no event \"%s\"", pattern);
	else if (error)
		warn("event \"%s\": %s", pattern, strerror(error));
	free(system);
	return error ? -1 : 0;
}

/*
 * The kernel notes which threads belong together only while there is an event
 * of an instance with that option. So turn on one whose filter no event
 * passes, unless the user wants it.
 */
static void record_tgids(struct kernel_live *live)
{
	struct tracefs_instance *instance = live->instance;

	put(instance, "options/record-tgid", "1", 0);
	if (tracefs_event_is_enabled(instance, "task", "task_newtask") != TRACEFS_ALL_DISABLED)
		return;
	if (!put(instance, "events/task/task_newtask/filter", "pid == 0", 0))
		put(instance, "events/task/task_newtask/enable", "1", 0);
}

/* These two lists are the kernel's, for all instances: look whether they are free. */
static int check_graph(struct kernel_live *live, const struct kernel_options *options)
{
	bool functions = options->functions && *options->functions, empty;
	char *text;

	if (!tracefs_tracer_available(tracefs_tracing_dir(), "function_graph")) {
		warn("this kernel has no function_graph tracer (CONFIG_FUNCTION_GRAPH_TRACER)");
		return -1;
	}
	if (functions) {
		text = tracefs_instance_file_read(NULL, "set_graph_function", NULL);
		if (!text) {
			warn("set_graph_function: %s", strerror(errno));
			return -1;
		}
		/* A comment says that it is empty. */
		empty = *text == '#' || !*text;
		free(text);
		if (!empty) {
			warn("set_graph_function is in use by somebody else");
			return -1;
		}
	}
	if (options->max_depth) {
		long long depth;

		if (tracefs_instance_file_read_number(NULL, "max_graph_depth", &depth)) {
			warn("max_graph_depth: %s", strerror(errno));
			return -1;
		}
		if (depth) {
			warn("max_graph_depth is in use by somebody else");
			return -1;
		}
	}
	/* From here on they are ours. */
	live->graph_function = functions;
	live->graph_depth = options->max_depth;
	return 0;
}

static int set_graph(struct kernel_live *live, const struct kernel_options *options)
{
	const char *const *function = options->functions;
	int error;

	for (; function && *function; function++) {
		/* Without the end of a line, the kernel does not look at it yet. */
		char *line = xasprintf("%s\n", *function);

		error = put(NULL, "set_graph_function", line, 0);
		free(line);
		if (error == EINVAL)
			warn("there is no function \"%s\" that can be traced", *function);
		else if (error)
			warn("function \"%s\": %s", *function, strerror(error));
		if (error)
			return -1;
	}
	if (options->max_depth) {
		char text[32];

		snprintf(text, sizeof(text), "%u\n", options->max_depth);
		error = put(NULL, "max_graph_depth", text, 0);
		if (error) {
			warn("max_graph_depth: %s", strerror(error));
			return -1;
		}
	}
	error = put(live->instance, "current_tracer", "function_graph", 0);
	if (error == EINVAL)
		warn("this kernel has no function_graph tracer in instances; 6.11 and later have");
	else if (error)
		warn("function_graph: %s", strerror(error));
	return error ? -1 : 0;
}

/* The formats of what may be in the trace. */
static int save_formats(struct kernel_live *live)
{
	char *enabled = tracefs_instance_file_read(live->instance, "set_event", NULL);
	char *line, *rest = enabled, **names, name[512];
	int error = 0, i;

	while (!error && (line = rest ? strsep(&rest, "\n") : NULL)) {
		char *event = strchr(line, ':');

		if (!event)
			continue;
		*event++ = '\0';
		/* Newer kernels say more behind it. */
		event[strcspn(event, " \t:")] = '\0';
		snprintf(name, sizeof(name), "events/%s/%s/format", line, event);
		error = copy(live, live->instance, name);
	}
	free(enabled);
	/* What tracers make, and what is written to trace_marker, cannot be enabled. */
	names = tracefs_system_events(tracefs_tracing_dir(), "ftrace");
	for (i = 0; !error && names && names[i]; i++) {
		snprintf(name, sizeof(name), "events/ftrace/%s/format", names[i]);
		error = copy(live, NULL, name);
	}
	tracefs_list_free(names);
	return error ? -1 : 0;
}

/* Returns the size of a page of the ring buffer. */
static int save_description(struct kernel_live *live, const char *clock)
{
	struct tep_handle *tep = tep_alloc();
	int size = 0, page_size = -1;
	char *header, *info;

	info = xasprintf("version 1\nbyte_order %s\nclock %s\n",
			 tep_is_bigendian() ? "big" : "little", clock);
	header = tracefs_instance_file_read(live->instance, "events/header_page", &size);
	if (!header || !tep || tep_parse_header_page(tep, header, size, sizeof(long)))
		warn("events/header_page is missing, or not understood");
	else if (!save(live, "events/header_page", header, size) &&
		 !save(live, KERNEL_INFO, info, strlen(info)))
		page_size = tep_get_sub_buffer_size(tep);
	if (tep)
		tep_free(tep);
	free(header);
	free(info);
	return page_size;
}

static int set_up(struct kernel_live *live, const struct kernel_options *options)
{
	const char *clock = options->clock ? options->clock : "mono";
	const char *const *event;
	int page_size;
	char text[32];

	snprintf(text, sizeof(text), "%u\n", options->buffer_kb);
	if (set_clock(live, clock) ||
	    (options->buffer_kb && set_file(live, "buffer_size_kb", text)))
		return -1;
	page_size = save_description(live, clock);
	if (page_size <= 0 || (options->pid && set_pid(live, options)))
		return -1;
	for (event = options->events; event && *event; event++)
		if (enable_event(live, *event))
			return -1;
	record_tgids(live);
	/* The kernel does not change the tracer any more once the drains are there. */
	if ((options->graph && set_graph(live, options)) || save_formats(live) ||
	    add_drains(live, page_size) || start_threads(live))
		return -1;
	if (!options->pid)
		leave_out_ourselves(live);
	return set_file(live, "tracing_on", "1");
}

static struct tracefs_instance *make_instance(void)
{
	struct tracefs_instance *instance;
	const char *dir;
	char name[64];

	if (tracefs_tracing_dir_is_mounted(false, &dir) != 1) {
		warn("tracefs is not mounted; try: mount -t tracefs none /sys/kernel/tracing");
		return NULL;
	}
	if (access(dir, R_OK | X_OK)) {
		warn("%s: %s; who traces the kernel has to be root", dir, strerror(errno));
		return NULL;
	}
	snprintf(name, sizeof(name), "fntrace-%d", getpid());
	instance = tracefs_instance_create(name);
	if (!instance) {
		if (errno == EACCES || errno == EPERM)
			warn("%s/instances: %s; who traces the kernel has to be root", dir,
			     strerror(errno));
		else
			warn("%s/instances/%s: %s", dir, name, strerror(errno));
		return NULL;
	}
	return instance;
}

/* Formats of an earlier recording must not be mixed with ours, so it has to go. */
static int make_directory(const char *dir)
{
	char *info = xasprintf("%s/" KERNEL_INFO, dir);
	int error = mkdir(dir, 0777);

	if (error && errno == EEXIST && !access(info, F_OK)) {
		remove_tree(dir);
		error = mkdir(dir, 0777);
	}
	if (error)
		warn("%s: %s", dir, strerror(errno));
	free(info);
	return error;
}

static void free_live(struct kernel_live *live)
{
	size_t i;

	for (i = 0; i < 2; i++)
		if (live->running[i] >= 0)
			close(live->running[i]);
	if (live->stop[0] >= 0)
		close(live->stop[0]);
	if (live->guard >= 0) {
		sighandler_t before = signal(SIGPIPE, SIG_IGN);

		/* There is nothing left to be undone. If it has gone, all the less. */
		if (write(live->guard, "", 1) != 1)
			warn("the process that watches: %s", strerror(errno));
		signal(SIGPIPE, before);
		close(live->guard);
		while (waitpid(live->guard_pid, NULL, __WCLONE) < 0 && errno == EINTR)
			;
	}
	tracefs_instance_free(live->instance);
	free(live->dir);
	free(live);
}

/* Nothing is left of a recording that could not be started. */
static void abandon(struct kernel_live *live)
{
	struct kernel_stats ignored;

	join_threads(live);
	free_drains(live, &ignored);
	if (live->instance)
		undo(live);
	remove_tree(live->dir);
	free_live(live);
}

struct kernel_live *kernel_live_start(const struct kernel_options *options)
{
	struct kernel_live *live = xalloc(sizeof(*live));
	int error;

	live->guard = -1;
	live->stop[0] = -1;
	live->stop[1] = -1;
	live->running[0] = -1;
	live->running[1] = -1;
	/* What is wrong is told in our words. */
	tracefs_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	live->dir = xasprintf("%s/" KERNEL_DIR, options->dir);
	if (make_directory(live->dir)) {
		free_live(live);
		return NULL;
	}
	live->instance = make_instance();
	if (!live->instance)
		goto fail;
	put(live->instance, "tracing_on", "0", 0);
	/* This says what there is to undo, so before the guard starts. */
	if (options->graph && check_graph(live, options))
		goto fail;
	error = start_guard(live);
	if (error) {
		warn("fork: %s", strerror(error));
		goto fail;
	}
	if (set_up(live, options))
		goto fail;
	return live;
fail:
	abandon(live);
	return NULL;
}

int kernel_live_stop(struct kernel_live *live, struct kernel_stats *stats)
{
	struct kernel_stats ignored;
	int error, failed;

	if (!stats)
		stats = &ignored;
	memset(stats, 0, sizeof(*stats));
	put(live->instance, "tracing_on", "0", 0);
	join_threads(live);
	count_events(live, stats);
	error = free_drains(live, stats);
	failed = save_names(live);
	error = error ? error : failed;
	failed = undo(live);
	if (failed) {
		warn("instances/%s: %s", tracefs_instance_get_name(live->instance),
		     strerror(failed));
		error = error ? error : failed;
	}
	free_live(live);
	return -error;
}

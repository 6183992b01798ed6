// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel's trace as a source of events.
 *
 * libtracecmd and libtraceevent believe what they read: a damaged file can end
 * the process that reads it. So a child reads and sends what it finds through a
 * pipe; see kernel_protocol.h. That also puts the printing of fields, which takes
 * most of the time, on another CPU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "kernel.h"
#include "kernel_plugin.h"

/**
 * struct child - a process that reads a trace
 * @pipe: from which its messages are read
 * @path: what it reads, as the user knows it
 * @pid: its number
 * @unread: it did not reach the end of what it reads
 * @text: of the message received last
 * @room: for @text
 */
struct child {
	FILE	*pipe;
	char	*path;
	pid_t	pid;
	bool	unread;
	char	*text;
	size_t	room;
};

struct kernel_source {
	struct source	source;
	struct trace	*trace;
	struct child	*child;
	const struct clock_map *clock;
	bool		warned;
	struct symbol	**symbols;
	uint32_t	nr_symbols;
	struct task	**tasks;
	uint32_t	nr_tasks;
	/* An event that has to wait until the loss before it was reported. */
	uint64_t	lost;
	struct message	held;
	bool		has_held;
};

static void child_main(const struct kernel_plugin *plugin, const struct kernel_input *input,
		       int fd)
{
	static const struct rlimit no_core;
	int null = open("/dev/null", O_WRONLY);

	/* A library that complains there must not do it in the user's output. */
	if (null >= 0)
		dup2(null, STDOUT_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(SIGPIPE, SIG_DFL);
	plugin->decode(input, fd);
	_exit(0);
}

static struct child *child_start(const struct kernel_input *input, const char *path)
{
	const struct kernel_plugin *plugin = kernel_plugin_load();
	struct child *child;
	int ends[2];
	pid_t pid;

	if (!plugin)
		return NULL;
	if (pipe2(ends, O_CLOEXEC)) {
		warn("%s: pipe: %s", path, strerror(errno));
		return NULL;
	}
	pid = fork();
	if (pid < 0) {
		warn("%s: fork: %s", path, strerror(errno));
		close(ends[0]);
		close(ends[1]);
		return NULL;
	}
	if (!pid) {
		close(ends[0]);
		child_main(plugin, input, ends[1]);
	}
	close(ends[1]);
	child = xalloc(sizeof(*child));
	child->pid = pid;
	child->path = xstrdup(path);
	child->pipe = fdopen(ends[0], "r");
	if (!child->pipe)
		die("%s: %s", path, strerror(errno));
	return child;
}

static void child_wait(struct child *child, int *status)
{
	*status = 0;
	fclose(child->pipe);
	while (waitpid(child->pid, status, 0) < 0 && errno == EINTR)
		;
}

static void child_end(struct child *child)
{
	int status;

	if (!child)
		return;
	/* If it is not at its end yet, it now gets SIGPIPE. */
	if (child->pipe)
		child_wait(child, &status);
	free(child->path);
	free(child->text);
	free(child);
}

/* The child ended without saying so: report how. */
static void child_died(struct child *child)
{
	int status;

	child_wait(child, &status);
	child->pipe = NULL;
	child->unread = true;
	if (WIFSIGNALED(status))
		warn("%s: damaged: the library that reads it failed (%s); what follows is lost",
		     child->path, strsignal(WTERMSIG(status)));
	else
		warn("%s: damaged: the library that reads it gave up; what follows is lost",
		     child->path);
}

/* Returns false at the end; child_died() if it should not be there. */
static bool child_read(struct child *child, struct message *message)
{
	if (!child->pipe)
		return false;
	for (;;) {
		if (fread(message, sizeof(*message), 1, child->pipe) != 1 ||
		    message->size > MESSAGE_TEXT_MAX)
			goto died;
		if (message->size) {
			if (message->size > child->room) {
				child->text = xrealloc(child->text, message->size);
				child->room = message->size;
			}
			if (fread(child->text, message->size, 1, child->pipe) != 1)
				goto died;
			child->text[message->size - 1] = '\0';
		}
		if (message->type == MESSAGE_UNREAD)
			child->unread = true;
		else if (message->type != MESSAGE_WARN)
			return message->type != MESSAGE_END;
		if (message->size)
			warn("%s: %s", child->path, child->text);
	}
died:
	child_died(child);
	return false;
}

static bool source_symbol(struct kernel_source *source, const struct message *message)
{
	if (!message->size)
		return false;
	/* Grown in powers of two. */
	if (!(source->nr_symbols & (source->nr_symbols - 1)))
		source->symbols = xrealloc(source->symbols, (source->nr_symbols * 2 + 1) *
					   sizeof(*source->symbols));
	source->symbols[source->nr_symbols++] = event_symbol(source->trace,
							     source->child->text);
	return true;
}

/* A process is only made for a task that nobody knows. */
static struct task *find_task(struct kernel_source *source, uint32_t tid)
{
	struct task *task;

	for (task = source->trace->tasks; task; task = task->next)
		if (task->tid == tid && task->process->machine == source->source.machine)
			return task;
	return NULL;
}

static bool source_task(struct kernel_source *source, const struct message *message)
{
	const char *name = source->child->text, *exe;
	struct process *process;
	struct task *task;

	if (!message->size || strlen(name) + 1 >= message->size)
		return false;
	exe = name + strlen(name) + 1;
	task = find_task(source, message->task);
	if (!task) {
		process = trace_process(source->trace, source->source.machine, message->symbol,
					*exe ? exe : NULL);
		task = trace_task(source->trace, process, message->task, *name ? name : NULL);
	}
	if (!(source->nr_tasks & (source->nr_tasks - 1)))
		source->tasks = xrealloc(source->tasks, (source->nr_tasks * 2 + 1) *
					 sizeof(*source->tasks));
	source->tasks[source->nr_tasks++] = task;
	return true;
}

/* Whether the counter's rate is known; if not, its ticks are taken for nanoseconds. */
static bool counter_known(const struct kernel_source *source)
{
	const struct clock *clock = source->source.machine->clock;

	if (!source->clock)
		return false;
	return source->clock->nr > 1 || (source->clock == &clock->map && clock->hz);
}

static uint64_t trace_time(struct kernel_source *source, const struct message *message)
{
	const struct clock *clock = source->source.machine->clock;

	if (!message->counter)
		return clock_of_ns(clock, message->time);
	if (!counter_known(source)) {
		if (!source->warned)
			warn("%s: times are ticks of the counter: nothing says how fast it is",
			     source->child->path);
		source->warned = true;
		return clock_of_ns(clock, message->time);
	}
	/* Machines that are aligned by their counters are so best. */
	if (source->clock == &clock->map)
		return clock_of_counter(clock, message->time);
	return clock_of_ns(clock, clock_to_ns(source->clock, message->time));
}

static bool source_event(struct kernel_source *source, const struct message *message,
			 struct event *event)
{
	if (message->task >= source->nr_tasks || message->symbol >= source->nr_symbols ||
	    message->event > EVENT_POINT)
		return false;
	memset(event, 0, sizeof(*event));
	event->ns = trace_time(source, message);
	event->task = source->tasks[message->task];
	event->level = LEVEL_KERNEL;
	if (source->lost) {
		event->type = EVENT_LOST;
		event->count = source->lost;
		source->lost = 0;
		source->held = *message;
		source->has_held = true;
		return true;
	}
	event->type = message->event;
	event->symbol = source->symbols[message->symbol];
	event->depth = message->depth;
	if (message->size)
		event->text = source->child->text;
	if (message->value <= source->source.total)
		source->source.done = message->value;
	return true;
}

static bool source_next(struct source *base, struct event *event)
{
	struct kernel_source *source = (struct kernel_source *)base;
	struct message message;

	if (source->has_held) {
		source->has_held = false;
		return source_event(source, &source->held, event);
	}
	while (child_read(source->child, &message)) {
		bool good = true;

		switch (message.type) {
		case MESSAGE_SYMBOL:
			good = source_symbol(source, &message);
			break;
		case MESSAGE_TASK:
			good = source_task(source, &message);
			break;
		case MESSAGE_EVENT:
			good = source_event(source, &message, event);
			if (good)
				return true;
			break;
		case MESSAGE_LOST:
			source->lost += message.value;
			break;
		case MESSAGE_BAD:
			source->trace->nr_bad += message.value;
			break;
		default:
			good = false;
		}
		if (!good) {
			child_died(source->child);
			break;
		}
	}
	base->done = base->total;
	source->trace->nr_unread += source->child->unread;
	return false;
}

static void source_close(struct source *base)
{
	struct kernel_source *source = (struct kernel_source *)base;

	child_end(source->child);
	free(source->symbols);
	free(source->tasks);
	free(source);
}

/* Returns a child that is ready, or NULL and a negative errno. */
static struct child *open_child(const struct kernel_input *input, const char *path,
				struct message *ready, int *error)
{
	struct child *child = child_start(input, path);

	*error = -EIO;
	if (!child)
		return NULL;
	if (child_read(child, ready)) {
		if (ready->type == MESSAGE_READY)
			return child;
		if (ready->type == MESSAGE_FAILED && ready->size) {
			if (ready->value)
				*error = -(int)ready->value;
			if (*error != -ENOENT || !input->live)
				warn("%s: %s", path, child->text);
		}
	}
	child_end(child);
	return NULL;
}

static int open_input(struct trace *trace, struct machine *machine,
		      const struct clock_map *clock, const struct kernel_input *input,
		      const char *path)
{
	struct kernel_source *source;
	struct child *child;
	struct message ready;
	int error;

	child = open_child(input, path, &ready, &error);
	if (!child)
		return error;
	source = xalloc(sizeof(*source));
	source->source.next = source_next;
	source->source.close = source_close;
	source->source.machine = machine;
	source->source.total = ready.value;
	source->trace = trace;
	source->child = child;
	source->clock = clock;
	trace_add_source(trace, &source->source);
	return 0;
}

int kernel_open_dat(struct trace *trace, struct machine *machine, const char *path,
		    const struct clock_map *clock)
{
	struct kernel_input input = { .path = path };

	return open_input(trace, machine, clock, &input, path);
}

int kernel_open_dir(struct trace *trace, struct machine *machine, const char *dir,
		    const struct clock_map *clock)
{
	char *path = xasprintf("%s/" KERNEL_DIR, dir);
	struct kernel_input input = { .path = path, .live = true };
	int error = open_input(trace, machine, clock, &input, path);

	free(path);
	return error;
}

/*
 * struct offsets - of a guest's counter
 * @shifts: as they were written; those that change nothing are left out
 * @nr: how many
 * @cpus: the last one of each virtual CPU
 * @nr_cpus: how many
 */
struct offsets {
	struct clock_shift	*shifts;
	size_t			nr;
	struct {
		uint32_t	id;
		uint64_t	offset;
	}			*cpus;
	size_t			nr_cpus;
};

static void add_offset(struct offsets *offsets, const struct message *message)
{
	size_t i;

	for (i = 0; i < offsets->nr_cpus && offsets->cpus[i].id != message->task; i++)
		;
	if (i == offsets->nr_cpus)
		offsets->cpus = xrealloc(offsets->cpus,
					 ++offsets->nr_cpus * sizeof(offsets->cpus[0]));
	offsets->cpus[i].id = message->task;
	offsets->cpus[i].offset = message->value;

	/* All virtual CPUs get the same, one after the other. */
	if (offsets->nr && offsets->shifts[offsets->nr - 1].offset == message->value)
		return;
	if (message->depth)
		offsets->nr = 0;
	offsets->shifts = xrealloc(offsets->shifts,
				   (offsets->nr + 1) * sizeof(offsets->shifts[0]));
	offsets->shifts[offsets->nr++] = (struct clock_shift){
		.from = message->time, .is_ns = !message->counter, .offset = message->value,
	};
}

size_t kernel_tsc_offsets(const char *path, struct clock_shift **shifts, unsigned int *others)
{
	struct kernel_input input = { .path = path, .offset = true };
	struct offsets offsets = { };
	struct child *child;
	char *inside = NULL;
	struct message message;
	struct stat stat_buf;
	int error;
	size_t i;

	*others = 0;
	if (!stat(path, &stat_buf) && S_ISDIR(stat_buf.st_mode)) {
		inside = xasprintf("%s/" KERNEL_DIR, path);
		input.path = inside;
		input.live = true;
	}
	child = open_child(&input, path, &message, &error);
	if (child) {
		while (child_read(child, &message))
			if (message.type == MESSAGE_OFFSET)
				add_offset(&offsets, &message);
		child_end(child);
	} else if (input.live && error == -ENOENT) {
		/* Else there was a message. */
		warn("%s: there is no kernel's trace", path);
	}
	free(inside);
	for (i = 0; i < offsets.nr_cpus; i++)
		*others += offsets.cpus[i].offset != offsets.shifts[offsets.nr - 1].offset;
	free(offsets.cpus);
	*shifts = offsets.shifts;
	return offsets.nr;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace control: start and stop tracing in programs that run, and copy what they have
 * recorded. fntrace_control.h says how they are reached.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fntrace_control.h>

#include "command.h"
#include "directory.h"
#include "snapshot.h"
#include "trace.h"

#define DEFAULT_DUMP	"fntrace.dump"

/*
 * struct control - what the command line says
 * @directory: that the programs record to
 * @output: of a dump
 * @pid: the process that is meant; 0: all
 * @action: what to do
 */
struct control {
	const char		*directory;
	const char		*output;
	pid_t			pid;
	const struct action	*action;
};

/*
 * struct action - something that can be done
 * @name: of it
 * @each: does it for a process, whose file is mapped at @page; returns the exit status
 * @all: does it for all of them
 */
struct action {
	const char	*name;
	int		(*each)(const struct control *control, struct fntrace_control *page);
	int		(*all)(const struct control *control);
};

/*
 * The pointers are changed one by one, as fntrace_start() does. A function that is in a
 * hook meanwhile is traced or not.
 */
static int start(const struct control *control, struct fntrace_control *page)
{
	__atomic_store_n(&page->fentry_hook, page->on[1], __ATOMIC_RELEASE);
	__atomic_store_n(&page->mcount_hook, page->on[0], __ATOMIC_RELEASE);
	return 0;
}

static int stop(const struct control *control, struct fntrace_control *page)
{
	__atomic_store_n(&page->mcount_hook, page->off[0], __ATOMIC_RELEASE);
	__atomic_store_n(&page->fentry_hook, page->off[1], __ATOMIC_RELEASE);
	return 0;
}

static char *process_name(pid_t pid)
{
	char *path = xasprintf("/proc/%d/comm", pid), *text = read_file(path, NULL);

	free(path);
	if (!text)
		return xstrdup("?");
	text[strcspn(text, "\n")] = 0;
	return text;
}

static int status(const struct control *control, struct fntrace_control *page)
{
	struct raw_summary summary = raw_summarise(control->directory, page->pid);
	bool on = __atomic_load_n(&page->mcount_hook, __ATOMIC_RELAXED) != page->off[0];
	char *name = process_name(page->pid);
	struct out *out = out_open("-");

	out_printf(out, "%u %s, %" PRIu64 " threads, %" PRIu64 " records, %" PRIu64
		   " calls lost, ", page->pid, on ? "on" : "off", summary.threads,
		   summary.records, summary.lost);
	out_clean(out, name);
	out_printf(out, "\n");
	free(name);
	return out_close(out) ? 1 : 0;
}

/*
 * Is it this process that has the file mapped, or another one that got its number? If its
 * mappings cannot be read, it is believed: opening the file says whether it may be changed.
 */
static bool is_mapped(pid_t pid, const char *name)
{
	char *path = xasprintf("/proc/%d/maps", pid), *wanted = xasprintf("/%s", name);
	char *text = read_file(path, NULL);
	bool mapped = text ? !!strstr(text, wanted) : errno != ENOENT && errno != ESRCH;

	free(text);
	free(wanted);
	free(path);
	return mapped;
}

/*
 * The process whose control file has this name: 0 if it is no such file, the process has
 * ended, or @wanted, unless 0, is another.
 */
static pid_t controlled(const char *name, pid_t wanted)
{
	pid_t pid = strtoul(name, NULL, 10);

	if (!directory_is_control_name(name) || (wanted && wanted != pid) ||
	    !is_mapped(pid, name))
		return 0;
	return pid;
}

/* Does a process that is meant still record to @directory? */
static bool is_recording(const char *directory, pid_t wanted)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = controlled(entry->d_name, wanted);
	if (dir)
		closedir(dir);
	return found;
}

/* Nobody needs to be asked for this, and it is possible when all processes have ended. */
static int dump(const struct control *control)
{
	char *from = realpath(control->directory, NULL), *to;
	uint64_t records = 0;
	bool has_last;
	int error;

	if (!from || !directory_has_records(from)) {
		warn("nothing was recorded to %s yet", control->directory);
		free(from);
		return 1;
	}
	to = realpath(control->output, NULL);
	if (to && !strcmp(from, to))
		die("%s is what is copied; not writing to it", control->output);
	free(to);
	umask(077);
	has_last = directory_begin(control->output);
	error = snapshot(from, control->output, control->pid,
			 is_recording(from, control->pid), &records);
	free(from);
	if (!error && !records) {
		if (control->pid)
			warn("process %d has recorded nothing", control->pid);
		else
			warn("no function was traced yet");
		error = ENODATA;
	}
	if (error && has_last)
		directory_undo(control->output);
	else if (error)
		directory_remove(control->output);
	else
		directory_keep(control->output);
	return error ? 1 : 0;
}

static const struct action actions[] = {
	{ "start", .each = start },
	{ "stop", .each = stop },
	{ "status", .each = status },
	{ "dump", .all = dump },
};

/* Returns NULL with errno. */
static struct fntrace_control *map_control(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct fntrace_control *page = NULL;
	struct stat status;
	void *map;

	if (fd < 0)
		return NULL;
	errno = EINVAL;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) &&
	    status.st_size >= FNTRACE_CONTROL_SIZE) {
		map = mmap(NULL, FNTRACE_CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		page = map != MAP_FAILED ? map : NULL;
	}
	close(fd);
	if (page && memcmp(page->magic, FNTRACE_CONTROL_MAGIC, sizeof(page->magic))) {
		munmap(page, FNTRACE_CONTROL_SIZE);
		page = NULL;
		errno = EINVAL;
	}
	return page;
}

static void refuse(pid_t pid, const char *path, int error)
{
	struct stat status;

	if (error == EINVAL)
		warn("%s is damaged; process %d is left as it is", path, pid);
	else if ((error == EACCES || error == EPERM) && !stat(path, &status) &&
		 status.st_uid != geteuid())
		warn("process %d belongs to another user (%u); it is left as it is", pid,
		     status.st_uid);
	else
		warn("cannot control process %d: %s: %s", pid, path, strerror(error));
}

static int act_on(const struct control *control, const char *name, pid_t pid)
{
	char *path = xasprintf("%s/%s", control->directory, name);
	struct fntrace_control *page = map_control(path);
	int result = 1;

	if (page) {
		result = control->action->each(control, page);
		munmap(page, FNTRACE_CONTROL_SIZE);
	} else if (errno == ENOENT) {
		/* It has just ended. */
		result = 0;
	} else {
		refuse(pid, path, errno);
	}
	free(path);
	return result;
}

static int act_on_all(const struct control *control)
{
	struct dirent **entries;
	int i, count, result = 0;
	bool found = false;
	pid_t pid;

	count = scandir(control->directory, &entries, NULL, versionsort);
	if (count < 0)
		die("cannot read %s: %s", control->directory, strerror(errno));
	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		pid = controlled(name, control->pid);
		if (pid) {
			found = true;
			result |= act_on(control, name, pid);
		}
		free(entries[i]);
	}
	free(entries);
	if (found)
		return result;
	if (control->pid)
		warn("process %d does not record to %s", control->pid, control->directory);
	else
		warn("no process records to %s", control->directory);
	return 1;
}

static const struct argp_option options[] = {
	{ "directory", 'd', "DIR", 0,
	  "The programs record to DIR; the default is " DEFAULT_DIRECTORY, 0 },
	{ "process", 'p', "PID", 0, "Only this process", 0 },
	{ "output", 'o', "DIR", 0, "Dump to DIR; the default is " DEFAULT_DUMP, 0 },
	{ }
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct control *control = state->input;
	unsigned long pid;
	char *end;
	size_t i;

	switch (key) {
	case 'd':
		control->directory = argument;
		break;
	case 'o':
		control->output = argument;
		break;
	case 'p':
		pid = strtoul(argument, &end, 10);
		if (*end || end == argument || !pid || pid > INT32_MAX)
			argp_error(state, "\"%s\" is not a process number", argument);
		control->pid = pid;
		break;
	case ARGP_KEY_ARG:
		if (control->action)
			argp_error(state, "one command at a time");
		for (i = 0; i < ARRAY_SIZE(actions); i++)
			if (!strcmp(actions[i].name, argument))
				control->action = &actions[i];
		if (!control->action)
			argp_error(state, "\"%s\" is not start, stop, status or dump", argument);
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "start, stop, status or dump?");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int command_control(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "start|stop|status|dump",
		.doc = "Start or stop tracing of programs that run, or copy what they recorded.",
	};
	struct control control = {
		.directory = DEFAULT_DIRECTORY,
		.output = DEFAULT_DUMP,
	};

	argp_parse(&argp, argc, argv, 0, NULL, &control);
	if (control.action->all)
		return control.action->all(&control);
	return act_on_all(&control);
}

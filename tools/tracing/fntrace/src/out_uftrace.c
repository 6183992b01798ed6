// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write a directory that uftrace reads.
 *
 * Each process has a session of its own, with its own addresses. What has a name
 * but no address (functions of a kernel, events) is in an image that is made up,
 * far from where programs are.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directory.h"
#include "trace.h"
#include "uftrace.h"

#define NAMES_BASE	UINT64_C(0x100000000000)
#define NAMES_STEP	16
/* Above are kernels. */
#define USER_END	(UINT64_C(1) << 47)

/* From when on a task was in a process. */
struct turn {
	const struct process	*process;
	uint64_t		ns;
};

/* What of a task is not in its file yet, and all its processes. */
struct pending {
	struct uftrace_record	records[512];
	unsigned int		nr;
	unsigned int		nr_turns;
	struct turn		*turns;
	bool			written;
};

static struct trace *current;
static char *directory;
static uint64_t first_ns, too_deep;
static bool begun, has_events;
static int failed;

static uint64_t out_tid(const struct task *task)
{
	return out_id(task->process->machine, task->tid);
}

static uint64_t out_pid(const struct process *process)
{
	/* A kernel is no process, but needs the number of one. */
	return out_id(process->machine, process->pid ? process->pid : 1);
}

static void fail(const char *path)
{
	if (!failed)
		warn("cannot write %s: %s; it ends where the error was", path, strerror(errno));
	failed = errno ? errno : EIO;
}

static void flush_task(const struct task *task)
{
	struct pending *pending = task->out;
	size_t size = pending->nr * sizeof(pending->records[0]), done = 0;
	char *path;
	int fd;

	/* What cannot be written goes: records[] is needed for what comes. */
	if (failed)
		pending->nr = 0;
	if (!pending->nr)
		return;
	path = xasprintf("%s/%" PRIu64 ".dat", directory, out_tid(task));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (pending->written ? O_APPEND : O_TRUNC),
		  0644);
	while (fd >= 0 && done < size) {
		ssize_t got = write(fd, (char *)pending->records + done, size - done);

		if (got < 0 && errno != EINTR)
			break;
		done += got > 0 ? got : 0;
	}
	if (fd < 0 || done < size)
		fail(path);
	if (fd >= 0 && close(fd))
		fail(path);
	free(path);
	pending->nr = 0;
	pending->written = true;
}

static void put_record(struct task *task, uint64_t ns, unsigned int type, unsigned int depth,
		       uint64_t addr)
{
	struct pending *pending = task->out;

	if (!pending) {
		pending = xalloc(sizeof(*pending));
		task->out = pending;
	}
	if (!pending->nr_turns || pending->turns[pending->nr_turns - 1].process != task->process) {
		pending->turns = xrealloc(pending->turns,
					  (pending->nr_turns + 1) * sizeof(*pending->turns));
		pending->turns[pending->nr_turns].process = task->process;
		pending->turns[pending->nr_turns++].ns = ns;
	}
	if (pending->nr == ARRAY_SIZE(pending->records))
		flush_task(task);
	pending->records[pending->nr].time = ns;
	pending->records[pending->nr++].what =
		addr << 16 | depth << 6 | UFTRACE_RECORD_MAGIC | type;
}

/*
 * A directory that is there already has to be empty, or one that was written here before:
 * files of other tasks would be taken for those of this trace.
 */
static void take_directory(void)
{
	if (!mkdir(directory, 0755))
		return;
	if (errno != EEXIST)
		die("cannot make the directory %s: %s", directory, strerror(errno));
	if (directory_is_converted(directory))
		directory_clean(directory);
	if (!directory_is_empty(directory))
		die("%s has other files in it; not touching them", directory);
}

static struct out *open_file(const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	struct out *out = out_open(path);

	free(path);
	return out;
}

static void close_file(struct out *out)
{
	int error = out_close(out);

	if (error)
		failed = error;
}

static void uftrace_begin(struct trace *trace, const char *path)
{
	struct out *out;

	current = trace;
	directory = xstrdup(path);
	first_ns = 0;
	too_deep = 0;
	begun = false;
	has_events = false;
	failed = 0;
	take_directory();
	/* From here on it can be told from others, even if the trace is not finished. */
	out = open_file(DIRECTORY_MARK);
	out_printf(out, DIRECTORY_MARK_TEXT);
	close_file(out);
}

static uint64_t address(const struct event *event)
{
	if (event->addr && event->addr < USER_END)
		return event->addr;
	event->symbol->used = true;
	return NAMES_BASE + (uint64_t)event->symbol->id * NAMES_STEP;
}

static void uftrace_event(const struct event *event)
{
	struct process *process = event->process ? event->process : event->task->process;

	if (!begun) {
		first_ns = event->ns;
		begun = true;
	}
	if (!process->out)
		process->out = xalloc(1);
	switch (event->type) {
	case EVENT_ENTRY:
	case EVENT_EXIT:
		if (event->depth > UFTRACE_DEPTH_MAX) {
			too_deep += event->type == EVENT_ENTRY;
			return;
		}
		put_record(event->task, event->ns,
			   event->type == EVENT_ENTRY ? UFTRACE_TYPE_ENTRY : UFTRACE_TYPE_EXIT,
			   event->depth, address(event));
		break;
	case EVENT_LOST:
		put_record(event->task, event->ns, UFTRACE_TYPE_LOST, 0, event->count);
		break;
	case EVENT_POINT:
		has_events = true;
		event->symbol->used = true;
		put_record(event->task, event->ns, UFTRACE_TYPE_EVENT,
			   event->depth < UFTRACE_DEPTH_MAX ? event->depth : UFTRACE_DEPTH_MAX,
			   UFTRACE_EVENT_USER + event->symbol->id);
		break;
	}
}

/*
 * Where an image is relative to: a library to where it begins, a program that is
 * not relocatable to the address it is made for.
 */
static uint64_t image_base(const struct image *image)
{
	const struct process *process;
	size_t i;

	for (process = current->processes; process; process = process->next)
		for (i = 0; i < process->nr_maps; i++)
			if (process->maps[i].image == image && !process->maps[i].bias)
				return process->maps[i].start;
	return 0;
}

static bool image_seen(const struct image *image)
{
	size_t i;

	for (i = 0; i < image->nr_symbols; i++)
		if (image->symbols[i].id)
			return true;
	return false;
}

/* uftrace goes by the last part of the path, so that must not be there twice. */
static char *image_name(const struct image *image)
{
	const char *slash = strrchr(image->path, '/'), *base = slash ? slash + 1 : image->path;
	const struct image *other;
	unsigned int same = 0;

	for (other = image->next; other; other = other->next) {
		slash = strrchr(other->path, '/');
		same += !strcmp(slash ? slash + 1 : other->path, base);
	}
	return same ? xasprintf("%s.%u", base, same) : xstrdup(base);
}

/*
 * uftrace demangles C++ and the older scheme of Rust (both begin with "_Z"), and its filters
 * know the names that it makes. The newer scheme of Rust ("_R") it does not know.
 */
static const char *symbol_name(const struct symbol *symbol)
{
	return symbol->linkage && symbol->linkage[1] == 'Z' ? symbol->linkage : symbol->name;
}

static void write_symbols(const struct image *image)
{
	char *name = image_name(image), *file = xasprintf("%s.sym", name);
	uint64_t base = image_base(image);
	struct out *out = open_file(file);
	const struct symbol *last;
	size_t i;

	out_printf(out, "# symbols: %zu\n# path name: %s\n", image->nr_symbols, image->path);
	for (i = 0; i < image->nr_symbols; i++)
		out_printf(out, "%016" PRIx64 " T %s\n", image->symbols[i].addr - base,
			   symbol_name(&image->symbols[i]));
	last = &image->symbols[image->nr_symbols - 1];
	out_printf(out, "%016" PRIx64 " ? __sym_end\n", last->addr - base + last->size);
	close_file(out);
	free(file);
	free(name);
}

/* Symbols of the made-up image, and events, by their number. */
static int compare_ids(const void *a, const void *b)
{
	const struct symbol *x = *(struct symbol * const *)a, *y = *(struct symbol * const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static struct symbol **used_symbols(size_t *nr)
{
	struct symbol **used = xalloc((current->nr_symbols + 1) * sizeof(*used));
	const struct image *image;
	size_t i;

	*nr = symbol_names(current, used);
	for (image = current->images; image; image = image->next)
		for (i = 0; i < image->nr_symbols; i++)
			if (image->symbols[i].used)
				used[(*nr)++] = &image->symbols[i];
	qsort(used, *nr, sizeof(*used), compare_ids);
	return used;
}

static void write_names(void)
{
	struct symbol **used;
	struct out *out;
	size_t i, nr;

	used = used_symbols(&nr);
	out = open_file(DIRECTORY_MARK);
	out_printf(out, "# symbols: %zu\n" DIRECTORY_MARK_TEXT, nr);
	for (i = 0; i < nr; i++)
		out_printf(out, "%016" PRIx64 " T %s\n", (uint64_t)used[i]->id * NAMES_STEP,
			   symbol_name(used[i]));
	out_printf(out, "%016" PRIx64 " ? __sym_end\n",
		   (uint64_t)(current->nr_symbols + 1) * NAMES_STEP);
	close_file(out);
	if (has_events) {
		out = open_file("events.txt");
		for (i = 0; i < nr; i++)
			if (strchr(used[i]->name, ':'))
				out_printf(out, "EVENT: %u %s\n",
					   UFTRACE_EVENT_USER + used[i]->id, used[i]->name);
		close_file(out);
	}
	free(used);
}

static void write_session(const struct process *process, unsigned int number)
{
	char *file = xasprintf("sid-%016x.map", number);
	struct out *out = open_file(file);
	size_t i, j;

	for (i = 0; i < process->nr_maps; i++) {
		const struct mapping *map = &process->maps[i];
		uint64_t start = map->bias ? map->bias : map->start, end = map->end;
		char *name;

		/* Of what shares its place with others, calls are written by name. */
		if (!image_seen(map->image) || map->shared)
			continue;
		/* One line for an image, however many parts of it there are. */
		for (j = 0; j < process->nr_maps; j++) {
			const struct mapping *other = &process->maps[j];

			if (other->image != map->image || other->bias != map->bias)
				continue;
			if (j < i)
				break;
			if (other->end > end)
				end = other->end;
		}
		if (j < process->nr_maps || start >= USER_END)
			continue;
		name = image_name(map->image);
		out_printf(out, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 %.*s%s\n",
			   start, end < USER_END ? end : USER_END,
			   (int)(strrchr(map->image->path, '/') ?
				 strrchr(map->image->path, '/') + 1 - map->image->path : 0),
			   map->image->path, name);
		free(name);
	}
	out_printf(out, "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:00 0 /other\n", NAMES_BASE,
		   NAMES_BASE + (uint64_t)(current->nr_symbols + 1) * NAMES_STEP);
	/* By this line uftrace tells the kernel's addresses from a program's. */
	out_printf(out, "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0 [stack]\n");
	close_file(out);
	free(file);
}

static void put_time(struct out *out, const char *what, uint64_t ns)
{
	out_printf(out, "%s timestamp=%" PRIu64 ".%09" PRIu64 " ", what, ns / NSEC_PER_SEC,
		   ns % NSEC_PER_SEC);
}

/* Only those in which something happened: uftrace takes one that begins at a call's time. */
static bool has_session(const struct process *process)
{
	return process->out;
}

/* The first of a process begins with the trace, as its parent may be in it from then on. */
static uint64_t session_begin(const struct process *process)
{
	const struct process *other;

	for (other = current->processes; other; other = other->next)
		if (has_session(other) && other->machine == process->machine &&
		    other->pid == process->pid && other->session < process->session)
			return process->first_ns;
	return first_ns;
}

/* uftrace has no place for what threads are called; read_names() reads this. */
static void write_names_of_threads(void)
{
	struct out *out = open_file(DIRECTORY_THREADS);
	const struct task *task;
	const char *p;

	for (task = current->tasks; task; task = task->next) {
		if (!task->out || !*task->name)
			continue;
		out_printf(out, "%" PRIu64 " ", out_tid(task));
		for (p = task->name; *p; p++)
			out_write(out, *p == '\n' ? "?" : p, 1);
		out_write(out, "\n", 1);
	}
	close_file(out);
}

static void write_tasks(void)
{
	const struct process *process;
	struct out *out = open_file("task.txt");
	const struct task *task;
	unsigned int number = 0, i;

	for (process = current->processes; process; process = process->next) {
		if (!has_session(process))
			continue;
		number++;
		write_session(process, number);
		put_time(out, "SESS", session_begin(process));
		out_printf(out, "pid=%" PRIu64 " sid=%016x exename=\"%s\"\n", out_pid(process),
			   number, process->exe ? process->exe : "?");
	}
	for (task = current->tasks; task; task = task->next) {
		const struct pending *pending = task->out;

		/* One for each session, also of the same process: uftrace takes it from there. */
		for (i = 0; pending && i < pending->nr_turns; i++) {
			put_time(out, "TASK", pending->turns[i].ns);
			out_printf(out, "tid=%" PRIu64 " pid=%" PRIu64 "\n", out_tid(task),
				   out_pid(pending->turns[i].process));
		}
	}
	close_file(out);
}

static void write_info(void)
{
	struct uftrace_file header = {
		.magic = UFTRACE_MAGIC,
		.version = UFTRACE_VERSION,
		.header_size = sizeof(header),
		.byte_order = UFTRACE_BYTE_ORDER,
		.elf_class = 2,
		.features = UFTRACE_TASK_SESSION | UFTRACE_SYM_REL_ADDR | UFTRACE_MAX_STACK |
			    (has_events ? UFTRACE_EVENT : 0),
		.info = UFTRACE_EXE_NAME | UFTRACE_CMDLINE | UFTRACE_TASKINFO,
		.max_stack = UFTRACE_DEPTH_MAX + 1,
	};
	const struct process *process = current->processes;
	struct out *out = open_file("info");
	const struct task *task;
	unsigned int nr = 0;
	const char *exe;

	while (process && !has_session(process))
		process = process->next;
	exe = process && process->exe ? process->exe : "?";

	out_write(out, &header, sizeof(header));
	for (task = current->tasks; task; task = task->next)
		nr += !!task->out;
	out_printf(out, "exename:%s\ncmdline:%s\ntaskinfo:lines=2\ntaskinfo:nr_tid=%u\n", exe,
		   exe, nr);
	out_printf(out, "taskinfo:tids=");
	for (task = current->tasks; task; task = task->next)
		if (task->out)
			out_printf(out, "%" PRIu64 "%s", out_tid(task), --nr ? "," : "");
	out_printf(out, "\n");
	close_file(out);
}

static int uftrace_end(struct trace *trace)
{
	const struct image *image;
	const struct task *task;

	for (task = trace->tasks; task; task = task->next)
		if (task->out)
			flush_task(task);
	for (image = trace->images; image; image = image->next)
		if (image_seen(image))
			write_symbols(image);
	write_names();
	write_tasks();
	write_names_of_threads();
	write_info();
	for (task = trace->tasks; task; task = task->next)
		if (task->out)
			free(((struct pending *)task->out)->turns);
	if (too_deep)
		warn("%" PRIu64 " calls deeper than %u are left out: uftrace has no room for them",
		     too_deep, UFTRACE_DEPTH_MAX);
	free(directory);
	return failed;
}

const struct writer uftrace_writer = {
	.name = "uftrace",
	.begin = uftrace_begin,
	.event = uftrace_event,
	.end = uftrace_end,
};

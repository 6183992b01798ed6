// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libfntrace.so: the backend for programs of Linux, to be preloaded or linked.
 *
 * Each thread has a file in the directory FNTRACE_DIR, which it maps. What was
 * written to it is there whatever becomes of the program, as it is the kernel
 * that has it. Room is reserved before it is mapped, so a full disk or a limit of
 * file sizes ends the recording and not the program.
 *
 * A thread is met when it first calls an instrumented function, in the middle of
 * whatever it does. What runs then uses no vector registers, allocates nothing
 * and takes no lock: system calls through syscall(), errno put back. While it
 * runs, self is BUSY, so that a signal in between is not traced.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <fntrace.h>
#include <fntrace_control.h>

#include "../backend/internal.h"
#include "calls.h"
#include "choose.h"
#include "nops.h"
#include "seccomp.h"
#include "values.h"

#define WINDOW_DEFAULT	(1ul << 20)
/* Of a thread that may make no system calls any more: it cannot get more room. */
#define WINDOW_SILENT	(16ul << 20)
#define PAGE		65536ul		/* the largest there is */
/* No function needs less stack than this: a return address, and alignment. */
#define FRAME_MIN	16
#define FRAMES_MAX	(64ul << 20)

/*
 * struct kept_file - a descriptor that the program may close, and use for its own files
 * @fd: the descriptor; -1 if the file could not be kept open
 * @dev: device of the file
 * @ino: its inode number
 */
struct kept_file {
	int	fd;
	dev_t	dev;
	ino_t	ino;
};

/*
 * struct thread - a thread, and the shadow stack behind it
 * @stack: of the thread; the first, for linux/choose_hooks.S
 * @buffer: that of its context
 * @size: bytes of the mapping, from the context to the last frame
 * @window: bytes mapped for records
 * @tid: number in the name of its file
 * @which: second number in it
 * @file: the file; without a descriptor it is opened when it is needed
 * @next: in the list of all threads
 * @process: that of a child of vfork(), else NULL
 * @silent: the program has forbidden it system calls that the tracer needs
 * @handle: for who gives it a name
 *
 * In front of it is a page (of PAGE bytes) for its context alone. A child that the kernel
 * makes with a copy of the memory finds that page empty (MADV_WIPEONFORK), however it was
 * made: fork(), _Fork(), clone(). That tells it to use files of its own.
 */
struct thread {
	struct fntrace_stack	stack;
	struct fntrace_header	*buffer;
	size_t			size;
	size_t			window;
	unsigned long		tid;
	unsigned int		which;
	struct kept_file	file;
	struct thread		*next;
	struct process		*process;
	bool			silent;
	pthread_t		handle;
};

/* No thread, in the order of what may still become of it. */
#define NEW	((struct thread *)0)
#define BUSY	((struct thread *)1)
#define OVER	((struct thread *)2)

/* linux/choose_hooks.S looks at it. */
__thread struct thread *self __asm__("fntrace_self")
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * A program that has forbidden itself system calls (seccomp) must not be killed for those of
 * the tracer. @silent_some: a thread has; so what it starts may not make any either, and
 * what is not traced yet is not traced at all. @silent_all: each thread has.
 */
static bool silent_some, silent_all;

bool seccomp_may_call(void)
{
	struct thread *thread = self;

	if (__builtin_expect(!silent_some, 1))
		return true;
	return !silent_all && thread > OVER && !thread->silent;
}

static long may_not_call(void)
{
	errno = EPERM;
	return -1;
}

/* All of the tracer's own; (syscall)() is that of the program. */
#define syscall(...)	(seccomp_may_call() ? (syscall)(__VA_ARGS__) : may_not_call())

/*
 * struct process - this process, in a page that a child finds empty as well
 * @pid: 0 until save_maps() made the file
 * @session: number in the name of that
 * @objects: how often something was loaded or unloaded, when it was written last
 * @maps_hash: of the lines that were written last
 * @lock: somebody writes it
 * @list: somebody uses the list of threads
 * @controlled: fntrace_control is the file of this process
 * @control: number in the name of that file
 * @maps: /proc/self/maps of this process; @maps.fd is 0 until it was opened
 */
static struct process {
	unsigned long		pid;
	unsigned int		session;
	unsigned long long	objects;
	uint64_t		maps_hash;
	int			lock;
	int			list;
	bool			controlled;
	unsigned int		control;
	struct kept_file	maps;
} *process;

/* What FNTRACE_DIR names, with a slash at the end. Empty: nothing is recorded. */
static char directory[4096];
/*
 * The same, opened before the program can do anything: after chroot(), or when its user
 * has changed, the path may lead nowhere.
 */
static struct kept_file directory_file = { .fd = -1 };
/* Path of the program, for children that have no /proc. */
static char program[4096];
/* Of the process that made this one: its number and session, and its @maps. */
static unsigned long parent_pid;
static unsigned int parent_session;
static struct kept_file parent_maps;
static size_t window_size = WINDOW_DEFAULT;
static enum fntrace_mode mode = FNTRACE_GROW;
/* Calls that are deeper are not wanted; 0: all are. */
static unsigned long depth_limit;
static bool entries_only;
static pthread_key_t at_thread_end;
/*
 * struct calls_line - a line for /proc/self/maps: where stubs of linux/calls.c are
 * @next: those that were made before
 */
struct calls_line {
	struct calls_line	*next;
	char			text[128];
};

/* Added to while calls_begin() and calls_again() run; read by anyone. */
static struct calls_line *calls_lines;
/* Held by who runs these, with signals blocked, and by who calls fork(): for its child. */
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static bool calls_recorded;
/* A library may have been loaded that the last copy of the mappings does not have. */
static int unsaved;
static int complained;

static void lock_calls(void)
{
	pthread_mutex_lock(&calls_lock);
}

static void unlock_calls(void)
{
	pthread_mutex_unlock(&calls_lock);
}

/*
 * All threads, and those that have ended but in which coroutines were entered that may go on
 * in another one. process->list is held by who changes it, or looks at another thread: with
 * signals blocked, and without waiting for anything. A child has those of its parent.
 */
static struct thread *threads;

static struct fntrace_context *context_of(struct thread *thread)
{
	return (struct fntrace_context *)((char *)thread - PAGE);
}

/* Text without stdio, which may use vector registers and takes locks. */

static char *put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

static char *put_decimal(char *to, unsigned long value)
{
	char digits[24], *p = digits + sizeof(digits);

	*--p = 0;
	do {
		*--p = '0' + value % 10;
		value /= 10;
	} while (value);
	return put(to, p);
}

/*
 * No signals while the tracer deals with files: a handler could be left by longjmp(),
 * and system calls return early.
 */
static uint64_t block_signals(void)
{
	uint64_t all = UINT64_MAX, old = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, sizeof(old));
	return old;
}

static void restore_signals(uint64_t old)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof(old));
}

/*
 * Some errors of write() are not only that: of a file that would get larger than
 * RLIMIT_FSIZE (EFBIG) the kernel sends SIGXFSZ, and SIGPIPE if nobody reads a pipe (EPIPE),
 * as standard error may be one. Either would kill the program for what it did not do. So
 * signals are blocked around what may fail, and then the signal is taken back, unless it is
 * the program's own and was pending before.
 *
 * Returns which of them are the program's own.
 */
static uint64_t own_signals(void)
{
	uint64_t pending = 0;

	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	return pending;
}

/* After an error of write(); errno says what it was. */
static void take_signal(uint64_t own)
{
	uint64_t sent = 1ull << ((errno == EPIPE ? SIGPIPE : SIGXFSZ) - 1);
	struct timespec now = { };
	int error = errno;

	if ((error == EPIPE || error == EFBIG) && !(own & sent))
		syscall(SYS_rt_sigtimedwait, &sent, NULL, &now, sizeof(sent));
	errno = error;
}

/* What opening, writing and mapping files says; strerror() may allocate. */
static const struct {
	int		error;
	const char	*text;
} reasons[] = {
	{ ENOSPC, "no space left; recording ends" },
	{ EFBIG, "larger than the limit of file sizes; recording ends" },
	{ EACCES, "permission denied" },
	{ EPERM, "not permitted" },
	{ ENOENT, "no such file or directory" },
	{ ENOMEM, "out of memory" },
	{ EMFILE, "too many open files" },
	{ ENFILE, "too many open files in the system" },
	{ EROFS, "read-only file system" },
	{ EDQUOT, "disk quota exceeded" },
	{ EIO, "input/output error" },
	{ ENOTDIR, "not a directory" },
};

static char *put_reason(char *to, int error)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].error == error)
			return put(put(to, ": "), reasons[i].text);
	return put_decimal(put(to, ": error "), error);
}

static void complain(const char *what, const char *which, long error)
{
	char text[512], *end = text;
	uint64_t signals, own;
	size_t len;

	/* One line; which thread it was first does not matter. */
	if (__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED))
		return;
	end = put(end, "fntrace: ");
	end = put(end, what);
	for (len = 0; which[len] && len < 400; len++)
		*end++ = which[len];
	if (error)
		end = put_reason(end, error);
	end = put(end, "\n");
	signals = block_signals();
	own = own_signals();
	if (syscall(SYS_write, 2, text, end - text) < 0)
		take_signal(own);
	restore_signals(signals);
}

/* Text that a line has room for. */
static char *put_some(char *to, const char *text)
{
	size_t i;

	for (i = 0; text && text[i] && i < 200; i++)
		*to++ = text[i];
	*to = 0;
	return to;
}

/* The program ends here. What is known of where, and what to do about it. */
void fntrace_fault(const char *why)
{
	const struct fntrace_frame *top = NULL;
	struct thread *thread = self;
	char text[1024], *end;
	Dl_info where = { };

	if (thread > OVER && thread->stack.depth)
		top = &thread->stack.frames[thread->stack.depth - 1];
	self = OVER;
	end = put(put(put(text, "fntrace: "), why), " (process ");
	end = put_decimal(end, syscall(SYS_getpid));
	end = put_decimal(put(end, ", thread "), syscall(SYS_gettid));
	if (top && dladdr((void *)top->func, &where)) {
		end = put_some(put(end, "; the last call that has not ended is of "),
			       where.dli_sname ? where.dli_sname : "a function");
		end = put_some(put(end, " in "), where.dli_fname);
	}
	end = put(end, "). Something moves stacks or return addresses: ");
	end = put(end, "try \"fntrace record --entries\", or ");
	end = put(end, "compile with -finstrument-functions\n");
	syscall(SYS_write, 2, text, end - text);
	abort();
}

/* The best of several: something may come between the two readings. */
static struct fntrace_clock read_clock(void)
{
	struct fntrace_clock clock = { };
	uint64_t before, after, best = UINT64_MAX;
	struct timespec now;
	int i;

	for (i = 0; i < 3; i++) {
		before = fntrace_counter();
		if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now))
			break;
		after = fntrace_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		clock.counter = before + best / 2;
		clock.ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	}
	return clock;
}

#define PATH_SIZE	(sizeof(directory) + 64)
/* Two numbers and a suffix. */
#define NAME_SIZE	64

/* "<number>-<n><suffix>" */
static void put_name(char *name, unsigned long number, unsigned int n, const char *suffix)
{
	put(put_decimal(put(put_decimal(name, number), "-"), n), suffix);
}

/* Does the descriptor still stand for the file? A program may close all there are. */
static bool is_kept(const struct kept_file *file)
{
	struct stat status;

	return file->fd >= 0 && !syscall(SYS_fstat, file->fd, &status) &&
	       status.st_dev == file->dev && status.st_ino == file->ino;
}

/*
 * Where the program does not expect one: what it closes and opens is its own. That is from
 * 512 on, or in the upper half of what it may have open if that is less than 1024: threads,
 * however many, leave it what is below. If there is no room, the file is closed, and opened
 * when it is needed.
 */
static int move_up(int fd)
{
	struct rlimit limit = { .rlim_cur = 1024 };
	long high;

	syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
	high = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC,
		       limit.rlim_cur < 1024 ? limit.rlim_cur / 2 : 512);
	syscall(SYS_close, fd);
	return high < 0 ? -1 : high;
}

/* Keep @fd open for later. Returns false if the kernel does not say which file it is. */
static bool keep_file(struct kept_file *file, int fd)
{
	struct stat status;

	if (syscall(SYS_fstat, fd, &status))
		return false;
	file->dev = status.st_dev;
	file->ino = status.st_ino;
	file->fd = move_up(fd);
	return true;
}

/*
 * How often to try to open a file when there are too many: threads that begin have one each
 * for a moment, and all of them may do so at the same time.
 */
#define OPEN_TRIES	20000

static int open_at(int at, const char *name, int flags, int permissions)
{
	int fd, i;

	for (i = 0; i < OPEN_TRIES; i++) {
		fd = syscall(SYS_openat, at, name, flags | O_CLOEXEC, permissions);
		if (fd >= 0 || errno != EMFILE)
			break;
		syscall(SYS_sched_yield);
		errno = EMFILE;
	}
	return fd;
}

/* The directory of the recording, or -1 with errno. put_directory() follows. */
static int get_directory(void)
{
	if (is_kept(&directory_file))
		return directory_file.fd;
	return open_at(AT_FDCWD, directory, O_PATH | O_DIRECTORY, 0);
}

static void put_directory(int fd)
{
	int error = errno;

	if (fd >= 0 && fd != directory_file.fd)
		syscall(SYS_close, fd);
	errno = error;
}

/* A file of the recording; returns -1 with errno if it cannot be opened. */
static int open_name(const char *name, int flags, int permissions)
{
	int at = get_directory(), fd;

	if (at < 0)
		return -1;
	fd = open_at(at, name, flags, permissions);
	put_directory(at);
	return fd;
}

static void remove_name(const char *name)
{
	int at = get_directory();

	if (at >= 0)
		syscall(SYS_unlinkat, at, name, 0);
	put_directory(at);
}

static __attribute__((noinline, cold)) void complain_name(const char *what, const char *name,
							  long error)
{
	char path[PATH_SIZE];

	put(put(path, directory), name);
	complain(what, path, error);
}

/* The first of these that there is not yet. */
static int create(char *name, unsigned long number, const char *suffix, int permissions,
		  unsigned int *which)
{
	unsigned int n;
	int fd;

	for (n = 0; n < 1000000; n++) {
		put_name(name, number, n, suffix);
		fd = open_name(name, O_RDWR | O_CREAT | O_EXCL, permissions);
		if (fd >= 0) {
			*which = n;
			return fd;
		}
		if (errno != EEXIST)
			break;
	}
	complain_name("no file ", name, errno);
	return -1;
}

static int open_again(const struct thread *thread)
{
	struct kept_file file = thread->file;
	char name[NAME_SIZE];

	put_name(name, thread->tid, thread->which, ".fntrace");
	file.fd = open_name(name, O_RDWR, 0);
	if (file.fd < 0 || is_kept(&file))
		return file.fd;
	syscall(SYS_close, file.fd);
	errno = ENOENT;
	return -1;
}

/* The file of a thread; returns -1 if it cannot be opened again. put_file() follows. */
static int get_file(struct thread *thread)
{
	if (is_kept(&thread->file))
		return thread->file.fd;
	thread->file.fd = -1;
	return open_again(thread);
}

static void put_file(const struct thread *thread, int fd)
{
	if (fd >= 0 && fd != thread->file.fd)
		syscall(SYS_close, fd);
}

/* Room for bytes @from to @to of a file. Signals are blocked. */
static bool reserve(int fd, unsigned long from, unsigned long to)
{
	static const char zero[4096];
	uint64_t own = own_signals();

	if (!syscall(SYS_fallocate, fd, 0, from, to - from))
		return true;
	if (errno == EOPNOTSUPP) {
		while (from < to && syscall(SYS_pwrite64, fd, zero, sizeof(zero), from) ==
				    sizeof(zero))
			from += sizeof(zero);
		if (from >= to)
			return true;
	}
	take_signal(own);
	return false;
}

/* The two numbers in front of a line of /proc/self/maps. */
static bool line_bounds(const char *line, unsigned long *low, unsigned long *high)
{
	unsigned long value[2] = { 0, 0 };
	int i;

	for (i = 0; i < 2; i++) {
		for (; *line && *line != '-' && *line != ' '; line++)
			value[i] = value[i] << 4 | (*line <= '9' ? *line - '0' : *line - 'a' + 10);
		if (!*line++)
			return false;
	}
	*low = value[0];
	*high = value[1];
	return true;
}

/*
 * The mappings of this process, or -1. They are kept open for the time when there is no
 * /proc any more, or it is not for the user that the process has by then. put_maps()
 * follows.
 */
static int get_maps(void)
{
	int fd = open_at(AT_FDCWD, "/proc/self/maps", O_RDONLY, 0);

	/* First, as what emulates Linux may not tell news of what was opened before. */
	if (fd < 0 && process->maps.fd && is_kept(&process->maps))
		return process->maps.fd;
	/* A child that has no /proc: its parent has the same, but perhaps for the stack. */
	if (fd < 0 && parent_maps.fd && is_kept(&parent_maps))
		return parent_maps.fd;
	return fd;
}

static void put_maps(int fd)
{
	if (fd >= 0 && fd != process->maps.fd && fd != parent_maps.fd)
		syscall(SYS_close, fd);
}

/* In a process that begins: the mappings that are kept open are those of its parent. */
static void keep_maps(void)
{
	struct kept_file file = { };
	int fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (is_kept(&parent_maps) && parent_maps.fd)
		syscall(SYS_close, parent_maps.fd);
	if (!keep_file(&file, fd))
		syscall(SYS_close, fd);
	/* A child of this one does not find it in the page of its own @process. */
	process->maps = file;
	parent_maps = file;
}

/* A line of /proc/self/maps is that of the stack on which the program began. */
static bool is_first_stack(const char *line, const char *end)
{
	static const char name[] = "[stack]";
	size_t len = sizeof(name) - 1;

	if ((size_t)(end - line) < len)
		return false;
	return !memcmp(end - len, name, len);
}

/*
 * struct stack_search - which mapping is the stack of this thread?
 * @here: an address on the stack that is in use
 * @self: libc puts what it knows of a thread at the high end of its stack, except for that of
 *	the first thread
 * @first: this is the first thread
 */
struct stack_search {
	unsigned long	here;
	unsigned long	self;
	bool		first;
};

/*
 * Returns true if that is certain. If not, the thread is met on a stack that is not its own:
 * a coroutine's, or that of a handler of signals.
 */
static bool take_stack(struct fntrace_stack *stack, const struct stack_search *search,
		       unsigned long low, unsigned long high, bool grows)
{
	bool mine = grows || (search->self >= low && search->self < high);
	struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
	bool certain = mine && search->here >= low && search->here < high;

	if (!certain && (!mine || grows != search->first))
		return false;
	/* That of the first thread grows, down to its limit. */
	syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
	if (grows && limit.rlim_cur < high)
		low = high - limit.rlim_cur;
	else if (grows)
		low = high - FRAMES_MAX * FRAME_MIN;
	stack->low = low;
	/* Mappings side by side may be one to the kernel; a thread's stack ends here. */
	stack->high = !grows && search->self < high ? search->self : high;
	return certain;
}

/*
 * Of a thread that pthread_create() has made: the stack that it was given, which may be a part
 * of a mapping with others. What other stacks are below, the mappings do not tell.
 */
static __thread struct {
	unsigned long	low;
	unsigned long	high;
} own_stack __attribute__((tls_model("initial-exec")));

/* The bounds of the stack of this thread, as far as the mappings tell. */
static void find_stack(struct fntrace_stack *stack)
{
	const struct stack_search search = {
		.here = (unsigned long)__builtin_frame_address(0),
		.self = pthread_self(),
		.first = syscall(SYS_gettid) == syscall(SYS_getpid),
	};
	char buffer[512];
	size_t have = 0, at = 0;
	unsigned long low, high;
	long fd, got;

	if (own_stack.high) {
		stack->low = own_stack.low;
		stack->high = own_stack.high;
		return;
	}
	fd = get_maps();
	if (fd < 0)
		return;
	while ((got = syscall(SYS_pread64, fd, buffer + have, sizeof(buffer) - 1 - have,
			      at)) > 0 || have) {
		char *line = buffer, *next;

		have += got > 0 ? got : 0;
		at += got > 0 ? got : 0;
		buffer[have] = 0;
		for (;;) {
			next = line;
			while (*next && *next != '\n')
				next++;
			if (!*next)
				break;
			if (line_bounds(line, &low, &high) &&
			    take_stack(stack, &search, low, high, is_first_stack(line, next)))
				goto out;
			line = next + 1;
		}
		/* A line longer than the buffer: what is left of it is skipped. */
		if (line == buffer && have == sizeof(buffer) - 1)
			line = buffer + have;
		have = buffer + have - line;
		for (next = buffer; next < buffer + have; )
			*next++ = *line++;
		if (got <= 0)
			break;
	}
out:
	put_maps(fd);
}

/*
 * For struct fntrace_stack: a system call that reads a word of the caller fails where a
 * load would raise SIGSEGV. There is no such @how, so this one changes nothing.
 */
static bool is_readable(const void *addr)
{
	int error = errno;
	bool readable = seccomp_may_call() &&
			(!syscall(SYS_rt_sigprocmask, -1, addr, NULL, sizeof(uint64_t)) ||
			 errno != EFAULT);

	errno = error;
	return readable;
}

/* Signals are blocked, so who has it gets on. */
static void lock_threads(void)
{
	while (__atomic_exchange_n(&process->list, 1, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
}

static void unlock_threads(void)
{
	__atomic_store_n(&process->list, 0, __ATOMIC_RELEASE);
}

/* When was the function at @depth entered, as far as that is still in the buffer? Else 0. */
static uint64_t entry_time(const struct thread *thread, const struct fntrace_frame *frame,
			   unsigned long depth)
{
	const struct fntrace_header *buffer = thread->buffer;
	const struct fntrace_record *record, *first;
	uint64_t what = frame->func << FNTRACE_ADDR_SHIFT | (uint16_t)(depth << 2) |
			FNTRACE_ENTRY;

	/* After fork() it is that of a thread of the parent, who may cut its file off. */
	if (!thread->window || buffer->pid != process->pid)
		return 0;
	first = (const struct fntrace_record *)buffer->base;
	record = (const struct fntrace_record *)READ(buffer->next);
	if ((uint64_t)record > buffer->end)
		record = (const struct fntrace_record *)buffer->end;
	while (record-- > first)
		if (record->what == what)
			return record->time;
	return 0;
}

/*
 * For struct fntrace_stack. Usually one other thread has the frame. If a stack was used for
 * one coroutine after another, and the first of them was given up before it returned, several
 * have, and it is the one that was entered last.
 */
static bool elsewhere(unsigned long sp, unsigned long fp, unsigned long *ret)
{
	struct fntrace_frame frame, best;
	struct thread *thread, *owner;
	uint64_t signals = block_signals(), time, latest;
	unsigned long depth;
	int error = errno;

	lock_threads();
	do {
		owner = NULL;
		latest = 0;
		for (thread = threads; thread; thread = thread->next) {
			if (thread == self || !fntrace_take(&thread->stack, sp, fp, &frame, &depth))
				continue;
			time = entry_time(thread, &frame, depth);
			if (owner && time <= latest)
				continue;
			owner = thread;
			latest = time;
			best = frame;
		}
		if (!owner)
			break;
		fntrace_drop(&owner->stack, sp, fp);
	} while (fntrace_returns_here(best.ret));
	unlock_threads();
	restore_signals(signals);
	errno = error;
	if (owner)
		*ret = best.ret;
	return owner;
}

/* Stacks of coroutines are not larger than that of a thread usually is. */
#define COROUTINE_MAX	(8ul << 20)

/*
 * For struct fntrace_stack: who unwinds a coroutine that was in other threads before must
 * find the return addresses of the functions that were entered there. Where its stack ends
 * is not known, so those of other coroutines may be among them; they return unseen.
 */
static void uncover(unsigned long sp)
{
	struct fntrace_stack *own = &self->stack;
	struct thread *thread;
	uint64_t signals;

	if (sp >= own->low && sp < own->high)
		return;
	signals = block_signals();
	lock_threads();
	for (thread = threads; thread; thread = thread->next)
		if (thread != self)
			fntrace_uncover(&thread->stack, sp, sp + COROUTINE_MAX);
	unlock_threads();
	restore_signals(signals);
}

static void add_thread(struct thread *thread)
{
	lock_threads();
	thread->next = threads;
	WRITE(threads, thread);
	unlock_threads();
}

/*
 * A thread ends. If functions of coroutines were entered in it that have not returned, its
 * shadow stack stays, but what was on its own stack is over. Returns false if there are
 * none, and the memory is not needed any more.
 */
static bool keep_frames(struct thread *thread)
{
	struct fntrace_stack *stack = &thread->stack;
	struct thread **link;
	bool keep = false;
	unsigned long i, at;

	lock_threads();
	for (i = 0; i < stack->depth; i++) {
		at = (unsigned long)stack->frames[i].loc & ~FRAME_BITS;
		if (at && (at < stack->low || at >= stack->high) && stack->high &&
		    !((unsigned long)stack->frames[i].loc & FRAME_REPORTS))
			keep = true;
		else
			stack->frames[i].loc = NULL;
	}
	if (!keep) {
		for (link = &threads; *link != thread; link = &(*link)->next)
			;
		WRITE(*link, thread->next);
	}
	unlock_threads();
	return keep;
}

/* A file and a mapping for the records of a thread. Signals are blocked. */
static bool open_buffer(struct thread *thread, size_t window, enum fntrace_mode full)
{
	const struct process *owner = thread->process ? thread->process : process;
	unsigned long tid = syscall(SYS_gettid);
	struct fntrace_header *buffer;
	char name[NAME_SIZE];
	void *records;
	int fd;

	fd = create(name, tid, ".fntrace", 0600, &thread->which);
	if (fd < 0)
		return false;
	if (!reserve(fd, 0, PAGE + window)) {
		complain("cannot write to ", directory, errno);
		goto out_close;
	}
	buffer = (void *)syscall(SYS_mmap, 0, FNTRACE_HEADER_SIZE, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
	if (buffer == MAP_FAILED)
		goto out_close;
	records = (void *)syscall(SYS_mmap, 0, window, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, PAGE);
	if (records == MAP_FAILED)
		goto out_unmap;

	fntrace_buffer_init(buffer, records, window, full);
	buffer->header_size = PAGE;
	/* That of the file with the names. */
	buffer->pid = owner->pid;
	buffer->tid = tid;
	buffer->session = owner->session;
	syscall(SYS_prctl, PR_GET_NAME, buffer->name, 0, 0, 0);
	buffer->start = read_clock();
	if (!keep_file(&thread->file, fd))
		goto out_unmap_records;
	thread->buffer = buffer;
	thread->window = window;
	thread->tid = tid;
	return true;

out_unmap_records:
	syscall(SYS_munmap, records, window);
out_unmap:
	syscall(SYS_munmap, buffer, FNTRACE_HEADER_SIZE);
out_close:
	syscall(SYS_close, fd);
	remove_name(name);
	return false;
}

/*
 * The buffer of a child that could not get its own, and of a thread that is not recorded. It
 * has no room, so that each record is lost.
 */
static struct fntrace_header no_buffer;

/* The thread has no file then, and must not find that of its parent. */
static void close_buffer(struct thread *thread)
{
	struct fntrace_header *buffer = thread->buffer;

	if (thread->window)
		syscall(SYS_munmap, buffer->base, thread->window);
	if (buffer != &no_buffer)
		syscall(SYS_munmap, buffer, FNTRACE_HEADER_SIZE);
	if (is_kept(&thread->file))
		syscall(SYS_close, thread->file.fd);
	thread->buffer = &no_buffer;
	thread->window = 0;
	thread->file = (struct kept_file){ .fd = -1 };
}

/* With this, a context is one that is traced to. */
static void set_context(struct thread *thread)
{
	struct fntrace_context *context = context_of(thread);

	context->buffer = thread->buffer;
	context->stack = &thread->stack;
}

/*
 * Whether this thread is recorded depends on its name. Others may give it a new one at any
 * time, and then tell it with the same lock. When it is recorded for the first time, it gets
 * its file. If it may make no system calls, all stays as it is.
 */
static __attribute__((noinline, cold)) void decide(struct thread *thread)
{
	struct fntrace_context *context = context_of(thread);
	char name[16] = "";
	uint64_t signals;
	int error = errno;

	if (!seccomp_may_call())
		return;
	signals = block_signals();
	lock_threads();
	syscall(SYS_prctl, PR_GET_NAME, name, 0, 0, 0);
	WRITE(thread->stack.unwanted, choose_thread(name, syscall(SYS_gettid)) ?
				      CHOOSE_WANTED : CHOOSE_UNWANTED);
	unlock_threads();
	/* A child that has not begun gets its file when it does. */
	if (!thread->stack.unwanted && !thread->window && context->stack) {
		if (open_buffer(thread, window_size, mode))
			set_context(thread);
		else
			WRITE(thread->stack.unwanted, CHOOSE_UNWANTED);
	}
	restore_signals(signals);
	errno = error;
}

__attribute__((visibility("hidden"))) void choose_asked(void)
{
	struct thread *thread = self;

	if (thread > OVER && READ(thread->stack.unwanted) == CHOOSE_RENAMED)
		decide(thread);
}

/* The page of linux/hooks.S. */
extern struct fntrace_control fntrace_control __attribute__((visibility("hidden")));

/*
 * No file can be made, as the process has become another user, say. The file that is mapped
 * here was made before, and there it is counted, for who records.
 */
static void count_missing(void)
{
	__atomic_fetch_add(&fntrace_control.missing, 1, __ATOMIC_RELAXED);
}

/*
 * Map the file with which "fntrace control" reaches this process in the place of the
 * pointers that the hooks go through. A child comes here with the page of its parent, and
 * must not keep it. @name is room for that of the file. Signals are blocked.
 */
static void share_hooks(char *name)
{
	struct fntrace_control control = {
		.mcount_hook = (uint64_t)READ(fntrace_mcount_hook),
		.fentry_hook = (uint64_t)READ(fntrace_fentry_hook),
		.magic = FNTRACE_CONTROL_MAGIC,
		.pid = process->pid,
		.session = process->session,
		.on = { (uint64_t)fntrace_mcount_started(), (uint64_t)fntrace_fentry_started() },
		.off = { (uint64_t)fntrace_off, (uint64_t)fntrace_fentry_off },
	};
	void *page = MAP_FAILED;
	int fd;

	/* Who may write to it may have the process execute anything. */
	fd = create(name, process->pid, FNTRACE_CONTROL_SUFFIX, 0600, &process->control);
	if (fd >= 0) {
		if (reserve(fd, 0, FNTRACE_CONTROL_SIZE) &&
		    syscall(SYS_pwrite64, fd, &control, sizeof(control), 0) == sizeof(control))
			page = (void *)syscall(SYS_mmap, &fntrace_control, FNTRACE_CONTROL_SIZE,
					       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
					       fd, 0);
		syscall(SYS_close, fd);
	}
	if (page != MAP_FAILED) {
		process->controlled = true;
		return;
	}
	if (fd >= 0)
		remove_name(name);
	/* What is mapped yet is the file of the parent. */
	count_missing();
	/* It cannot be controlled then, but neither does it control its parent. */
	page = (void *)syscall(SYS_mmap, &fntrace_control, FNTRACE_CONTROL_SIZE,
			       PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (page != MAP_FAILED)
		fntrace_control = control;
}

/* Returns false if a text could not be written; that is told. */
static bool write_text(int to, const char *text, size_t len)
{
	uint64_t own = own_signals();

	errno = ENOSPC;
	if (syscall(SYS_write, to, text, len) == (long)len)
		return true;
	take_signal(own);
	complain("cannot write names to ", directory, errno);
	return false;
}

/* Write what @from has from @at on. @text is room for a part of it. */
static void copy_text(int to, int from, size_t at, char *text, size_t size)
{
	long len;

	while ((len = syscall(SYS_pread64, from, text, size, at)) > 0 &&
	       write_text(to, text, len))
		at += len;
}

/*
 * Take the lines of @from that say where code is ("r-xp"), which is all that is read of them: a
 * program may have 20,000 others. @room has @size bytes at @text and as many behind them.
 *
 * Returns bytes that are in @text then, and sets @had to whether there were any lines. What has
 * no room for all of them is written to @to, and @had is 0 if that did not help.
 */
static size_t take_code(int from, int to, char *text, size_t size, bool *had)
{
	char *read = text + size, *line, *next;
	size_t have = 0, at = 0, used = 0;
	long got;

	*had = false;
	while ((got = syscall(SYS_pread64, from, read + have, size - have, at)) > 0) {
		*had = true;
		at += got;
		have += got;
		for (line = read; (next = memchr(line, '\n', read + have - line)); line = next) {
			size_t len = ++next - line;
			const char *space = memchr(line, ' ', len);

			if (!space || next - space < 6 || space[3] != 'x')
				continue;
			if (used + len > size && write_text(to, text, used))
				used = 0;
			if (used + len > size)
				return 0;
			memcpy(text + used, line, len);
			used += len;
		}
		have = read + have - line;
		memmove(read, line, have);
	}
	return used;
}

static uint64_t hash_of(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325;

	while (len--)
		hash = (hash ^ (unsigned char)*text++) * 0x100000001b3;
	return hash;
}

/* Where stubs are, as lines behind those of the mappings; what has no room is written. */
static size_t put_calls(int file, char *text, size_t size, size_t used)
{
	const struct calls_line *line;

	for (line = READ(calls_lines); line; line = line->next) {
		if (size - used < sizeof(line->text) && write_text(file, text, used))
			used = 0;
		if (size - used >= sizeof(line->text))
			used = put(text + used, line->text) - text;
	}
	return used;
}

/*
 * Which files are mapped where, for maps_read() of the tool, which says what is in the
 * file. A copy is made when the process begins, before and after a library is unmapped,
 * and at the end: what is called was mapped in the copy that comes next, or was just
 * unmapped. Without vector registers and locks of the library, and with little stack: the
 * caller may be a handler of signals, or the hook.
 *
 * @which: the process; that of a child of vfork() has no more in it than the name of the file
 * @changed: something else is mapped than the last time
 */
#define MAPS_ROOM	(512ul << 10)

static void save_maps(struct process *which, bool changed)
{
	struct maps_scratch {
		char	name[NAME_SIZE];
		char	head[8192];
		char	text[2 * MAPS_ROOM];
	} *scratch;
	int file = -1, fd = -1, error = errno;
	uint64_t signals = block_signals(), hash;
	bool begin, had = false;
	size_t head = 0, used;
	char *end;

	scratch = (void *)syscall(SYS_mmap, 0, sizeof(*scratch), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (scratch == MAP_FAILED) {
		complain("no memory to save the mappings", "", errno);
		goto out_signals;
	}
	/* Signals are blocked, so who has it gets on. */
	while (__atomic_exchange_n(&process->lock, 1, __ATOMIC_ACQUIRE))
		syscall(SYS_sched_yield);
	end = scratch->head;
	begin = !which->pid;
	if (begin) {
		which->pid = syscall(SYS_getpid);
		if (which == process)
			keep_maps();
		file = create(scratch->name, which->pid, ".maps", 0600, &which->session);
		end = put(put(end, program), "\n");
		head = end - scratch->head;
	} else {
		/* Not kept open: the program may close it and use its number. */
		put_name(scratch->name, which->pid, which->session, ".maps");
		file = open_name(scratch->name, O_WRONLY | O_APPEND, 0);
	}
	if (file < 0)
		goto out_unlock;
	end = put(put_decimal(put(end, "at "), fntrace_counter()), "\n");
	if (!write_text(file, scratch->head, end - scratch->head))
		goto out_file;
	if (changed) {
		fd = get_maps();
		used = take_code(fd, file, scratch->text, MAPS_ROOM, &had);
		used = put_calls(file, scratch->text, MAPS_ROOM, used);
		hash = hash_of(scratch->text, used);
		/* Nothing behind the time says that all is as it was. */
		if (used && hash != which->maps_hash)
			write_text(file, scratch->text, used);
		which->maps_hash = hash;
	}
	if (!had && begin && parent_pid) {
		/* Nothing says what is mapped here but what the parent wrote. */
		put_name(scratch->name, parent_pid, parent_session, ".maps");
		put_maps(fd);
		fd = open_name(scratch->name, O_RDONLY, 0);
		copy_text(file, fd, head, scratch->text, MAPS_ROOM);
	}
	put_maps(fd);
out_file:
	syscall(SYS_close, file);
	if (which == process) {
		parent_pid = which->pid;
		parent_session = which->session;
	}
out_unlock:
	if (begin && which == process)
		share_hooks(scratch->name);
	__atomic_store_n(&process->lock, 0, __ATOMIC_RELEASE);
	syscall(SYS_munmap, scratch, sizeof(*scratch));
out_signals:
	restore_signals(signals);
	errno = error;
}

/* How much a shadow stack has room for, and what asks this library about others. */
static void size_stack(struct fntrace_stack *stack)
{
	stack->readable = is_readable;
	stack->elsewhere = elsewhere;
	stack->uncover = uncover;
	stack->max = (stack->high - stack->low) / FRAME_MIN;
	if (!stack->max || stack->max > FRAMES_MAX)
		stack->max = FRAMES_MAX;
	if (entries_only) {
		stack->max = 0;
	} else if (depth_limit && depth_limit < stack->max) {
		stack->room = stack->max;
		stack->max = depth_limit;
	}
}

static size_t frames_of(const struct fntrace_stack *stack)
{
	return stack->room ? stack->room : stack->max;
}

/*
 * struct vfork_child - a child of vfork(), in the memory of its parent
 * @tid: number of the child
 * @process: of the child: the file with its mappings
 * @parent: what self was in the parent
 * @outer: that of the parent, if it is such a child as well
 */
struct vfork_child {
	unsigned long		tid;
	struct process		process;
	struct thread		*parent;
	struct vfork_child	*outer;
};

/* The one that runs in the place of this thread, or NULL. */
static __thread struct vfork_child *vfork_child __attribute__((tls_model("initial-exec")));

static __attribute__((noinline, cold)) struct fntrace_context *begin_thread(void)
{
	struct fntrace_stack stack = { };
	uint64_t signals = block_signals();
	struct thread *thread;
	int error = errno;
	size_t size;
	char *room;

	self = BUSY;
	if (!process->pid)
		save_maps(process, true);
	find_stack(&stack);
	size_stack(&stack);
	size = PAGE + sizeof(*thread) + frames_of(&stack) * sizeof(struct fntrace_frame);
	room = (void *)syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED) {
		complain("no memory for a shadow stack", "", errno);
		goto out_over;
	}
	/* A kernel before 4.14 cannot do that: then only children of fork() are noticed. */
	syscall(SYS_madvise, room, PAGE, MADV_WIPEONFORK);
	thread = (struct thread *)(room + PAGE);
	thread->size = size;
	thread->stack = stack;
	thread->stack.frames = (struct fntrace_frame *)(thread + 1);
	if (vfork_child) {
		thread->process = &vfork_child->process;
		save_maps(thread->process, true);
	}
	thread->buffer = &no_buffer;
	thread->file.fd = -1;
	thread->handle = pthread_self();
	if (choose_threads()) {
		thread->stack.unwanted = CHOOSE_UNWANTED;
	} else if (!open_buffer(thread, window_size, mode)) {
		count_missing();
		syscall(SYS_munmap, room, size);
		goto out_over;
	}
	set_context(thread);
	if (!vfork_child) {
		add_thread(thread);
		pthread_setspecific(at_thread_end, thread);
	}
	self = thread;
	/* Now who gives it another name finds it. */
	if (choose_threads())
		decide(thread);
	restore_signals(signals);
	errno = error;
	return context_of(thread);

out_over:
	self = OVER;
	restore_signals(signals);
	errno = error;
	return NULL;
}

/*
 * The child has the frames of the thread that made it, and a mapping that is its parent's
 * file.
 */
static __attribute__((noinline, cold)) struct fntrace_context *
begin_child(struct thread *thread)
{
	uint64_t signals = block_signals();
	int error = errno;

	self = BUSY;
	if (!process->pid)
		save_maps(process, true);
	close_buffer(thread);
	/* Return addresses lead here, so there must be a buffer: no_buffer, if not a new one. */
	if (!thread->stack.unwanted)
		open_buffer(thread, window_size, mode);
	set_context(thread);
	self = thread;
	restore_signals(signals);
	errno = error;
	return context_of(thread);
}

struct fntrace_context *fntrace_current(void)
{
	struct thread *thread = self;

	if (__builtin_expect(thread > OVER, 1)) {
		struct fntrace_context *context = context_of(thread);

		if (__builtin_expect(!!context->stack, 1))
			return context;
		return begin_child(thread);
	}
	if (thread != NEW || !directory[0])
		return NULL;
	return begin_thread();
}

/*
 * The records go behind the mapping in the file, and the mapping is used again: its
 * pages are there and in the cache, and to copy them costs less than new ones would.
 */
bool fntrace_grow(struct fntrace_header *buffer)
{
	struct thread *thread = self;
	unsigned long done = 0, to = PAGE + thread->window + buffer->older;
	uint64_t signals = block_signals(), own = own_signals();
	int error = errno, fd;
	long written;

	fd = get_file(thread);
	if (fd < 0) {
		complain("a thread's recording ends: its file cannot be opened again", "",
			 errno);
		goto out_stop;
	}
	if (__atomic_exchange_n(&unsaved, 0, __ATOMIC_RELAXED))
		save_maps(process, true);
	while (done < thread->window) {
		written = syscall(SYS_pwrite64, fd, buffer->base + done, thread->window - done,
				  to + done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			take_signal(own);
			complain("cannot write to ", directory, errno);
			goto out_stop;
		}
		done += written;
	}
	put_file(thread, fd);
	buffer->latest = read_clock();
	buffer->older += thread->window;
	__atomic_store_n(&buffer->next, buffer->base, __ATOMIC_RELEASE);
	restore_signals(signals);
	errno = error;
	return true;

out_stop:
	put_file(thread, fd);
	/* The answer would be the same for every record. */
	buffer->mode = FNTRACE_STOP;
	restore_signals(signals);
	errno = error;
	return false;
}

/* The name as it is by now. */
static void finish_buffer(struct thread *thread)
{
	struct fntrace_header *buffer = thread->buffer;

	syscall(SYS_prctl, PR_GET_NAME, buffer->name, 0, 0, 0);
	buffer->latest = read_clock();
}

/* The last record is written: what is behind it in the file is not needed. */
static void end_buffer(struct thread *thread)
{
	struct fntrace_header *buffer = thread->buffer;
	unsigned long used = buffer->next < buffer->end ? buffer->next : buffer->end;
	int fd;

	if (!thread->window || buffer->wraps || buffer->older)
		return;
	fd = get_file(thread);
	if (fd >= 0)
		syscall(SYS_ftruncate, fd, PAGE + (used - buffer->base));
	put_file(thread, fd);
}

static void end_thread(void *data)
{
	struct thread *thread = data;
	uint64_t signals;

	/*
	 * Of other destructors, whatever they are, nothing is traced. Nor is a handler of
	 * signals from here on, so that buffer->next does not move on after it was read.
	 */
	self = OVER;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	finish_buffer(thread);
	/* Not at the end of the program, when others may go on. */
	end_buffer(thread);
	signals = block_signals();
	lock_threads();
	close_buffer(thread);
	unlock_threads();
	if (!keep_frames(thread))
		syscall(SYS_munmap, context_of(thread), thread->size);
	restore_signals(signals);
}

static void child_of_fork(void)
{
	struct thread *thread = self;

	vfork_child = NULL;
	unlock_calls();
	/* Unless the kernel has done it. */
	if (process->pid && process->pid != (unsigned long)syscall(SYS_getpid)) {
		memset(process, 0, sizeof(*process));
		if (thread > OVER)
			memset(context_of(thread), 0, sizeof(struct fntrace_context));
	}
	/* In a child that began already both are there. */
	if (!process->pid)
		save_maps(process, true);
	if (thread > OVER && !context_of(thread)->stack)
		begin_child(thread);
}

/*
 * A child of vfork(), in the memory of its parent, which waits, and with its self. When it
 * first calls a traced function, it gets a shadow stack and files of its own. What is on the
 * shadow stack of the parent stays as it is: the child may not return from the function that
 * called vfork().
 */
static void begin_vfork_child(void)
{
	struct vfork_child *child;

	child = (void *)syscall(SYS_mmap, 0, sizeof(*child), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Without memory the file of the parent has to do. */
	if (child == MAP_FAILED)
		return;
	child->tid = syscall(SYS_gettid);
	child->parent = self;
	child->outer = vfork_child;
	vfork_child = child;
	self = NEW;
}

/* The child has become another program, or has ended: its memory is not needed any more. */
static void end_vfork_child(void)
{
	uint64_t signals = block_signals();
	unsigned long tid = syscall(SYS_gettid);
	struct vfork_child *child;
	struct thread *thread;
	int error = errno;

	/* If it was killed, it may have left a child of its own here. */
	while ((child = vfork_child) && child->tid != tid) {
		thread = self;
		self = BUSY;
		if (thread > OVER) {
			end_buffer(thread);
			close_buffer(thread);
			syscall(SYS_munmap, context_of(thread), thread->size);
		}
		vfork_child = child->outer;
		self = child->parent;
		syscall(SYS_munmap, child, sizeof(*child));
	}
	restore_signals(signals);
	errno = error;
}

/* Called by linux/vfork.S, with what the system call returned in parent and child. */
__attribute__((visibility("hidden"))) long fntrace_after_vfork(long result)
{
	struct thread *thread = self;

	if (result < 0 && result >= -4095) {
		errno = -result;
		return -1;
	}
	if (!directory[0])
		return result;
	if (result)
		end_vfork_child();
	else if (thread == NEW || (thread > OVER && context_of(thread)->stack))
		begin_vfork_child();
	return result;
}

static void complain_of_code(const char *path, int error)
{
	complain("cannot change the code of ", path, error);
}

/* Returns false with errno if the names could not be written. */
static bool save_calls(const struct calls *calls)
{
	unsigned long pid = syscall(SYS_getpid);
	char text[128], name[NAME_SIZE], *end;
	struct calls_line *line;
	unsigned int which;
	bool done;
	int fd;

	line = malloc(sizeof(*line));
	if (!line)
		return false;
	fd = create(name, pid, ".names", 0600, &which);
	if (fd < 0)
		goto out;
	/* A path that no file has: it is what both files call the stubs. */
	put_name(put(name, "/library-calls/"), pid, which, "\n");
	end = put(put(text, "path "), name);
	done = syscall(SYS_write, fd, text, end - text) == end - text &&
	       syscall(SYS_write, fd, calls->names, calls->len) == (long)calls->len;
	syscall(SYS_close, fd);
	if (!done)
		goto out;
	snprintf(line->text, sizeof(line->text), "%lx-%lx r-xp 00000000 00:00 0 %s",
		 calls->start, calls->end, name);
	line->next = calls_lines;
	__atomic_store_n(&calls_lines, line, __ATOMIC_RELEASE);
	return true;
out:
	free(line);
	return false;
}

/* Before something is looked for in the mappings, and before the no-ops are changed. */
static void record_calls(const char *which, bool pointers)
{
	const struct calls_wanted wanted = {
		.which = which,
		.program = program,
		.pointers = pointers,
		.save = save_calls,
	};

	calls_recorded = calls_begin(&wanted);
	if (!calls_recorded)
		complain("calls into libraries are missing", "", errno);
}

/* A library was loaded. Returns true if there are new stubs. */
static bool record_more_calls(void *library)
{
	const struct calls_line *before;
	int error = errno;
	uint64_t signals;
	bool stubs;

	if (!library || !calls_recorded || !seccomp_may_call())
		return false;
	signals = block_signals();
	lock_calls();
	before = calls_lines;
	if (!calls_again(library))
		complain("calls of a library that was loaded are missing", "", errno);
	stubs = calls_lines != before;
	unlock_calls();
	restore_signals(signals);
	errno = error;
	return stubs;
}

/*
 * What looks at return addresses must see the true ones. Each of these stands in
 * front of that of another library.
 */

static void detach(void)
{
	struct thread *thread = self;

	if (thread > OVER)
		fntrace_detach(&thread->stack);
}

static void attach(void)
{
	struct thread *thread = self;

	if (thread > OVER)
		fntrace_attach(fntrace_current());
}

/*
 * What these stand in front of. It is looked up at the beginning: an exception should not
 * cost that, and a handler of signals or a child of vfork() may call neither dlsym() nor what
 * takes its locks. What a program brings later with a plugin is looked up then.
 */
enum next {
	NEXT__Unwind_RaiseException,
	NEXT__Unwind_Resume_or_Rethrow,
	NEXT__Unwind_Resume,
	NEXT__Unwind_Backtrace,
	NEXT__Unwind_ForcedUnwind,
	NEXT___cxa_begin_catch,
	NEXT_backtrace,
	NEXT_pthread_exit,
	NEXT_pthread_create,
	NEXT_pthread_setname_np,
	NEXT_clone,
	NEXT_dlopen,
	NEXT_dlclose,
	NEXT__exit,
	NEXT__dl_find_object,
	NEXT_execve,
	NEXT_execvpe,
	NEXT_fexecve,
	NEXT_posix_spawn,
	NEXT_posix_spawnp,
	NEXT_NR
};

static const char *const next_names[] = {
	[NEXT__Unwind_RaiseException] = "_Unwind_RaiseException",
	[NEXT__Unwind_Resume_or_Rethrow] = "_Unwind_Resume_or_Rethrow",
	[NEXT__Unwind_Resume] = "_Unwind_Resume",
	[NEXT__Unwind_Backtrace] = "_Unwind_Backtrace",
	[NEXT__Unwind_ForcedUnwind] = "_Unwind_ForcedUnwind",
	[NEXT___cxa_begin_catch] = "__cxa_begin_catch",
	[NEXT_backtrace] = "backtrace",
	[NEXT_pthread_exit] = "pthread_exit",
	[NEXT_pthread_create] = "pthread_create",
	[NEXT_pthread_setname_np] = "pthread_setname_np",
	[NEXT_clone] = "clone",
	[NEXT_dlopen] = "dlopen",
	[NEXT_dlclose] = "dlclose",
	[NEXT__exit] = "_exit",
	[NEXT__dl_find_object] = "_dl_find_object",
	[NEXT_execve] = "execve",
	[NEXT_execvpe] = "execvpe",
	[NEXT_fexecve] = "fexecve",
	[NEXT_posix_spawn] = "posix_spawn",
	[NEXT_posix_spawnp] = "posix_spawnp",
};

static void *next_functions[NEXT_NR];

/* The function @name of the library behind this one. */
#define NEXT(name)	((__typeof__(name) *)real(NEXT_ ## name))

static void look_up(void)
{
	int i;

	for (i = 0; i < NEXT_NR; i++)
		next_functions[i] = dlsym(RTLD_NEXT, next_names[i]);
}

static __attribute__((noinline, cold)) void *look_up_late(enum next which)
{
	void *symbol = dlsym(RTLD_NEXT, next_names[which]), *library;
	__typeof__(dlopen) *open_library = (__typeof__(dlopen) *)next_functions[NEXT_dlopen];

	if (!open_library)
		open_library = (__typeof__(dlopen) *)dlsym(RTLD_NEXT, "dlopen");
	/* A plugin may have brought a library that only it sees; it stays, as it is opened here. */
	if (!symbol && open_library) {
		library = open_library("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
		symbol = library ? dlsym(library, next_names[which]) : NULL;
	}
	if (!symbol)
		fntrace_fault("a function of the C++ or unwinding library is missing");
	WRITE(next_functions[which], symbol);
	return symbol;
}

static void *real(enum next which)
{
	void *symbol = READ(next_functions[which]);

	return symbol ? symbol : look_up_late(which);
}

_Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_RaiseException) *next = NEXT(_Unwind_RaiseException);

	detach();
	return next(exception);
}

_Unwind_Reason_Code _Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_Resume_or_Rethrow) *next = NEXT(_Unwind_Resume_or_Rethrow);

	detach();
	return next(exception);
}

void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_Resume) *next = NEXT(_Unwind_Resume);

	detach();
	next(exception);
	__builtin_unreachable();
}

/* What this thread gave _Unwind_ForcedUnwind(), whose frame is gone when it is needed. */
static __thread struct {
	_Unwind_Stop_Fn	function;
	void		*data;
} forced __attribute__((tls_model("initial-exec")));

/* The program's function is called for each frame, and may be traced. */
static _Unwind_Reason_Code stop_forced(int version, _Unwind_Action actions,
				       _Unwind_Exception_Class class,
				       struct _Unwind_Exception *exception,
				       struct _Unwind_Context *context, void *data)
{
	_Unwind_Reason_Code code = forced.function(version, actions, class, exception, context,
						   forced.data);

	detach();
	return code;
}

_Unwind_Reason_Code _Unwind_ForcedUnwind(struct _Unwind_Exception *exception,
					 _Unwind_Stop_Fn stop, void *data)
{
	__typeof__(_Unwind_ForcedUnwind) *next = NEXT(_Unwind_ForcedUnwind);

	forced.function = stop;
	forced.data = data;
	detach();
	return next(exception, stop_forced, NULL);
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/*
 * libc unwinds a thread that is cancelled without a call of any of these. But for each
 * function on the way the unwinder asks this one, and first of all for its own.
 */
int _dl_find_object(void *addr, struct dl_find_object *result)
{
	__typeof__(_dl_find_object) *next = READ(next_functions[NEXT__dl_find_object]);
	struct thread *thread = self;

	if (thread > OVER && !thread->stack.detached)
		fntrace_detach(&thread->stack);
	return next ? next(addr, result) : -1;
}
#endif

_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn function, void *data)
{
	__typeof__(_Unwind_Backtrace) *next = NEXT(_Unwind_Backtrace);
	_Unwind_Reason_Code code;

	detach();
	code = next(function, data);
	attach();
	return code;
}

void *__cxa_begin_catch(void *exception)
{
	__typeof__(__cxa_begin_catch) *next = NEXT(__cxa_begin_catch);
	void *object = next(exception);
	struct thread *thread = self;

	/* A destructor may have been traced on the way here. */
	if (thread > OVER)
		fntrace_caught(fntrace_current(), (unsigned long)__builtin_dwarf_cfa());
	return object;
}

int backtrace(void **addresses, int size)
{
	__typeof__(backtrace) *next = NEXT(backtrace);
	int found;

	detach();
	found = next(addresses, size);
	attach();
	return found;
}

void pthread_exit(void *value)
{
	__typeof__(pthread_exit) *next = NEXT(pthread_exit);

	detach();
	next(value);
	__builtin_unreachable();
}

/*
 * struct thread_start - what a thread is to do
 */
struct thread_start {
	void	*(*function)(void *data);
	void	*data;
};

static void *run_thread(void *data)
{
	const struct thread_start start = *(struct thread_start *)data;
	pthread_attr_t attributes;
	size_t size;
	void *low;

	free(data);
	if (!pthread_getattr_np(pthread_self(), &attributes)) {
		if (!pthread_attr_getstack(&attributes, &low, &size)) {
			own_stack.low = (unsigned long)low;
			own_stack.high = own_stack.low + size;
		}
		pthread_attr_destroy(&attributes);
	}
	return start.function(start.data);
}

int pthread_create(pthread_t *handle, const pthread_attr_t *attributes,
		   void *(*function)(void *data), void *data)
{
	__typeof__(pthread_create) *next = NEXT(pthread_create);
	struct thread_start *start;
	int error;

	start = directory[0] ? malloc(sizeof(*start)) : NULL;
	if (!start)
		return next(handle, attributes, function, data);
	start->function = function;
	start->data = data;
	error = next(handle, attributes, run_thread, start);
	if (error)
		free(start);
	return error;
}

/*
 * struct clone_start - what a child that clone() makes is to do
 */
struct clone_start {
	int	(*function)(void *data);
	void	*data;
};

static int run_clone(void *data)
{
	const struct clone_start *start = data;

	fntrace_after_vfork(0);
	return start->function(start->data);
}

/*
 * A child in the same memory, on a stack of its own. If its parent waits, it is as after
 * vfork(). If not, both have the same self, as they have the same thread-local variables,
 * and cannot be told apart. Then neither is traced: this thread has its return addresses
 * back, and so has what it called.
 */
int clone(int (*function)(void *data), void *stack, int flags, void *data, ...)
{
	struct clone_start start = { function, data };
	__typeof__(clone) *next_clone;
	struct thread *thread = self;
	pid_t *parent_tid, *child_tid;
	bool waits = flags & CLONE_VFORK;
	va_list args;
	void *tls;
	int result;

	va_start(args, data);
	parent_tid = va_arg(args, pid_t *);
	tls = va_arg(args, void *);
	child_tid = va_arg(args, pid_t *);
	va_end(args);
	next_clone = NEXT(clone);
	if (!directory[0] || !(flags & CLONE_VM) || flags & CLONE_SETTLS)
		return next_clone(function, stack, flags, data, parent_tid, tls, child_tid);
	if (!waits && thread != BUSY && thread != OVER) {
		complain("a child shares all that is a thread's own; it is not traced any more",
			 "", 0);
		if (thread > OVER)
			fntrace_detach(&thread->stack);
		self = OVER;
	}
	result = next_clone(waits ? run_clone : function, stack, flags, waits ? &start : data,
			    parent_tid, tls, child_tid);
	if (waits && result > 0)
		end_vfork_child();
	return result;
}

/*
 * A program may give what it starts an environment of its own. Then what "fntrace record" put
 * into this one is added to it, unless it has a FNTRACE_DIR: who sets that knows what he does.
 * @variables: "NAME=value", as they were at the beginning; those for LD_PRELOAD first
 * @nr: how many
 */
static struct {
	char	*variables[16];
	size_t	nr;
} own_environment;

static const char preload_name[] = "LD_PRELOAD=";
static const char own_prefix[] = "FNTRACE_";

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* In the constructor of the library. Without LD_PRELOAD the program is linked with it. */
static void keep_environment(char **environment)
{
	const size_t most = sizeof(own_environment.variables) / sizeof(char *);
	char **from, *copy;
	size_t nr = 0;

	for (from = environment; from && *from; from++)
		if (begins(*from, preload_name))
			own_environment.variables[nr++] = strdup(*from);
	if (nr != 1 || !own_environment.variables[0])
		return;
	for (from = environment; *from && nr < most; from++) {
		if (!begins(*from, own_prefix) && !begins(*from, "LD_BIND_NOW="))
			continue;
		copy = begins(*from, "FNTRACE_DIR=") ? NULL : strdup(*from);
		if (copy)
			own_environment.variables[nr++] = copy;
	}
	own_environment.nr = nr;
}

/* Bytes that a value of LD_PRELOAD may take, and words that a longer environment may. */
#define PRELOAD_SIZE	8192
#define MORE_WORDS	(sizeof(own_environment.variables) / sizeof(char *) + 2)

/*
 * struct environment - room for one with what is missing, on the stack of the caller, as it
 *	may be a child of vfork()
 */
struct environment {
	char	preload[PRELOAD_SIZE];
	char	where[sizeof(directory) + 16];
};

static size_t words_of(char *const *environment)
{
	size_t nr = 0;

	while (environment && environment[nr])
		nr++;
	return nr;
}

/* Is there something to be added? */
static bool is_missing(char *const *environment)
{
	if (!directory[0] || !own_environment.nr)
		return false;
	for (; environment && *environment; environment++)
		if (begins(*environment, "FNTRACE_DIR="))
			return false;
	return true;
}

/* @to has room for all words of @from, and MORE_WORDS. */
static char **add_environment(char **to, struct environment *room, char *const *from)
{
	const char *own = own_environment.variables[0] + strlen(preload_name);
	char **end = to, *preload = own_environment.variables[0];
	size_t i;

	for (; from && *from; from++) {
		if (!begins(*from, preload_name)) {
			*end++ = *from;
			continue;
		}
		/* Which may be that of the program's parent already, or a longer one. */
		preload = *from;
		if (!strstr(*from, own) && strlen(own) + strlen(*from) + 2 < PRELOAD_SIZE) {
			preload = room->preload;
			put(put(put(put(preload, preload_name), own), ":"),
			    *from + strlen(preload_name));
		}
	}
	*end++ = preload;
	put(put(room->where, "FNTRACE_DIR="), directory);
	*end++ = room->where;
	for (i = 1; i < own_environment.nr; i++)
		*end++ = own_environment.variables[i];
	*end = NULL;
	return to;
}

/* The size of an array for environment_for(), on the stack for as long as the function runs. */
static size_t words_for(char *const *from)
{
	return is_missing(from) ? words_of(from) + MORE_WORDS : 1;
}

/* The environment @from, or one that has what is missing, in @words and @room. */
static char *const *environment_for(char **words, struct environment *room, char *const *from)
{
	return is_missing(from) ? add_environment(words, room, from) : from;
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	char *words[words_for(envp)];
	struct environment room;

	return NEXT(execve)(path, argv, environment_for(words, &room, envp));
}

int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char *words[words_for(envp)];
	struct environment room;

	return NEXT(execvpe)(file, argv, environment_for(words, &room, envp));
}

int fexecve(int fd, char *const argv[], char *const envp[])
{
	char *words[words_for(envp)];
	struct environment room;

	return NEXT(fexecve)(fd, argv, environment_for(words, &room, envp));
}

/* The program may have cleared or replaced its own. */

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *words[words_for(envp)];
	struct environment room;

	return NEXT(posix_spawn)(pid, path, actions, attributes, argv,
				 environment_for(words, &room, envp));
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *words[words_for(envp)];
	struct environment room;

	return NEXT(posix_spawnp)(pid, file, actions, attributes, argv,
				  environment_for(words, &room, envp));
}

/*
 * System calls that the program is about to forbid itself: are any among them that the
 * tracer makes? Then this thread gets a buffer that has to suffice, in a file of its own,
 * and the tracer makes no more of them.
 *
 * @all: they will be forbidden to all threads
 */
static void be_silent(bool all)
{
	uint64_t signals = block_signals();
	struct thread *thread = self;
	int error = errno;

	if (thread == NEW && fntrace_current())
		thread = self;
	/* One that is not recorded stays so. */
	if (thread > OVER && context_of(thread)->stack && !thread->silent &&
	    !(thread->stack.unwanted && !thread->window)) {
		self = BUSY;
		save_maps(process, true);
		end_buffer(thread);
		finish_buffer(thread);
		close_buffer(thread);
		open_buffer(thread, window_size > WINDOW_SILENT ? window_size : WINDOW_SILENT,
			    mode == FNTRACE_GROW ? FNTRACE_STOP : mode);
		set_context(thread);
		self = thread;
	}
	restore_signals(signals);
	errno = error;
	if (thread > OVER)
		thread->silent = true;
	silent_some = true;
	silent_all |= all;
}

/*
 * The CPU is about to raise an exception when this thread reads the counter: as in the
 * strict mode of seccomp on x86. It cannot be traced then, and gets its return addresses back.
 */
static void be_untraced(void)
{
	struct thread *thread = self;

	if (!directory[0])
		return;
	if (thread > OVER) {
		complain("a thread forbids itself to read the counter; its recording ends", "",
			 0);
		fntrace_detach(&thread->stack);
		if (context_of(thread)->stack)
			finish_buffer(thread);
	}
	self = OVER;
}

/* seccomp(2); called by linux/syscall.S, and for prctl(). */
__attribute__((visibility("hidden")))
void fntrace_before_seccomp(unsigned long operation, unsigned long flags, const void *data)
{
	if (!directory[0] || silent_all)
		return;
#ifdef __x86_64__
	if (operation == SECCOMP_SET_MODE_STRICT)
		be_untraced();
#endif
	if (operation == SECCOMP_SET_MODE_STRICT ||
	    (operation == SECCOMP_SET_MODE_FILTER && data &&
	     seccomp_kills(data, values_recorded(), calls_recorded)))
		be_silent(flags & SECCOMP_FILTER_FLAG_TSYNC);
}

/* Called by linux/syscall.S. */
__attribute__((visibility("hidden"))) long fntrace_syscall_error(long result)
{
	errno = -result;
	return -1;
}

/*
 * The program has given a thread a name. Another thread than this one decides when it calls a
 * traced function.
 */
static void rename_thread(pthread_t handle)
{
	struct thread *thread = self;
	uint64_t signals;
	int error = errno;

	if (!directory[0] || !choose_threads())
		return;
	if (pthread_equal(handle, pthread_self())) {
		if (thread > OVER)
			decide(thread);
		return;
	}
	signals = block_signals();
	lock_threads();
	for (thread = threads; thread; thread = thread->next)
		if (pthread_equal(thread->handle, handle) && !thread->silent)
			WRITE(thread->stack.unwanted, CHOOSE_RENAMED);
	unlock_threads();
	restore_signals(signals);
	errno = error;
}

int pthread_setname_np(pthread_t handle, const char *name)
{
	__typeof__(pthread_setname_np) *next = NEXT(pthread_setname_np);
	int error = next(handle, name);

	if (!error)
		rename_thread(handle);
	return error;
}

int prctl(int option, ...)
{
	unsigned long value[4];
	va_list args;
	long result;
	int i;

	va_start(args, option);
	for (i = 0; i < 4; i++)
		value[i] = va_arg(args, unsigned long);
	va_end(args);
	if (option == PR_SET_SECCOMP)
		fntrace_before_seccomp(value[0] == SECCOMP_MODE_STRICT ?
				       SECCOMP_SET_MODE_STRICT : SECCOMP_SET_MODE_FILTER, 0,
				       (const void *)value[1]);
	else if (option == PR_SET_TSC && value[0] == PR_TSC_SIGSEGV)
		be_untraced();
	result = (syscall)(SYS_prctl, option, value[0], value[1], value[2], value[3]);
	if (option == PR_SET_NAME && !result)
		rename_thread(pthread_self());
	return result;
}

/* How often something was loaded or unloaded. */
static int count_objects(struct dl_phdr_info *info, size_t size, void *data)
{
	*(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

/*
 * If something was loaded or unloaded since the last time, or there are new stubs, what is
 * mapped now is saved.
 */
static void save_objects(bool stubs)
{
	unsigned long long objects = 0;

	dl_iterate_phdr(count_objects, &objects);
	if (stubs || objects != process->objects)
		save_maps(process, true);
	process->objects = objects;
}

/*
 * struct path_search - does who calls dlopen() matter to it?
 * @caller: an address in the calling object
 * @found: yes: it has paths of its own in which libraries are looked for
 */
struct path_search {
	unsigned long	caller;
	bool		found;
};

static bool is_in_object(const struct dl_phdr_info *info, unsigned long addr)
{
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    addr - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
		    info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* DT_RPATH also counts for what is loaded by others. */
static int find_paths(struct dl_phdr_info *info, size_t size, void *data)
{
	struct path_search *search = data;
	const Elf64_Dyn *entry;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		entry = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		for (; entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == DT_RPATH ||
			    (entry->d_tag == DT_RUNPATH &&
			     is_in_object(info, search->caller)))
				search->found = true;
	}
	return search->found;
}

/* A path with a slash is that of the file; "$ORIGIN" in it is the place of the caller. */
static bool depends_on_caller(const char *file, unsigned long caller)
{
	struct path_search search = { .caller = caller };

	if (strchr(file, '$'))
		return true;
	if (!strchr(file, '/'))
		dl_iterate_phdr(find_paths, &search);
	return search.found;
}

static void *open_and_save(const char *file, int mode)
{
	void *library = NEXT(dlopen)(file, mode);

	save_objects(record_more_calls(library));
	return library;
}

/*
 * What is loaded is saved at once: the program may be killed before it unloads it. Where
 * the dynamic linker has to know who calls it, it must be called by a jump, which the
 * compiler makes of the last call (-O2), and what it loaded is saved later.
 */
void *dlopen(const char *file, int mode)
{
	__typeof__(dlopen) *next = NEXT(dlopen);

	if (!directory[0] || !process->pid || !file)
		return next(file, mode);
	if (!depends_on_caller(file, (unsigned long)__builtin_return_address(0)))
		return open_and_save(file, mode);
	save_objects(false);
	__atomic_store_n(&unsaved, 1, __ATOMIC_RELAXED);
	return next(file, mode);
}

/*
 * dlclose() is the only one to unmap libraries. What is there before is saved, for the
 * calls up to now; and what is there afterwards, so that nothing which is loaded to the
 * same place later is taken for what was called meanwhile.
 */
int dlclose(void *handle)
{
	__typeof__(dlclose) *next = NEXT(dlclose);
	unsigned long long objects = 0;
	int result;

	if (directory[0] && process->pid) {
		dl_iterate_phdr(count_objects, &objects);
		save_maps(process, objects != process->objects);
		process->objects = objects;
	}
	result = next(handle);
	if (directory[0] && process->pid)
		save_objects(false);
	return result;
}

static void finish(void)
{
	struct thread *thread = self;
	char name[NAME_SIZE];

	/* Not for a parent that is alive, as a child of vfork() ends. */
	if (!directory[0] || process->pid != (unsigned long)syscall(SYS_getpid))
		return;
	save_maps(process, true);
	if (process->controlled && !READ(fntrace_control.missing)) {
		put_name(name, process->pid, process->control, FNTRACE_CONTROL_SUFFIX);
		remove_name(name);
	}
	if (thread > OVER && context_of(thread)->stack)
		finish_buffer(thread);
}

/* These run no destructors. */
void _exit(int status)
{
	void (*next)(int status) = READ(next_functions[NEXT__exit]);

	finish();
	/* Somebody else may wait for it as well. */
	if (next)
		next(status);
	for (;;)
		(syscall)(SYS_exit_group, status);
}

void _Exit(int status)
{
	_exit(status);
}

/* gcc's -pg also asks for the profile of gprof, which nobody wants here. */
void __monstartup(unsigned long low, unsigned long high)
{
}

void _mcleanup(void)
{
}

/* What getenv() finds is not there yet. */
static const char *variable(char **environment, const char *name)
{
	size_t len = strlen(name);

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, len) && (*environment)[len] == '=')
			return *environment + len + 1;
	return NULL;
}

/*
 * The first of all constructors (-z initfirst), so that those of other libraries are
 * traced. That of libc comes later; the dynamic linker hands over the environment.
 */
static __attribute__((constructor)) void begin(int argc, char **argv, char **environment)
{
	const char *where = variable(environment, "FNTRACE_DIR");
	const char *size = variable(environment, "FNTRACE_SIZE");
	const char *full = variable(environment, "FNTRACE_FULL");
	const char *start = variable(environment, "FNTRACE_START");
	const char *depth = variable(environment, "FNTRACE_DEPTH");
	const char *least = variable(environment, "FNTRACE_LEAST");
	const char *entries = variable(environment, "FNTRACE_ENTRIES");
	const char *values = variable(environment, "FNTRACE_VALUES");
	const char *chosen = variable(environment, "FNTRACE_CHOOSE");
	const char *calls = variable(environment, "FNTRACE_CALLS");
	const char *pointers = variable(environment, "FNTRACE_POINTERS");
	char *absolute;
	long len;
	int fd;

	/*
	 * Who runs a program that has more rights than he has (set-uid) must not get what is in
	 * its memory, nor files that it writes. LD_PRELOAD is ignored then, but a program may
	 * be linked with this library.
	 */
	if (!where || getauxval(AT_SECURE) || pthread_key_create(&at_thread_end, end_thread))
		return;
	/* The program may go elsewhere. */
	absolute = realpath(where, NULL);
	if (!absolute || strlen(absolute) + 2 > sizeof(directory)) {
		complain("no such directory: ", where, errno);
		free(absolute);
		return;
	}
	process = (void *)syscall(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (process == MAP_FAILED) {
		complain("no memory", "", errno);
		free(absolute);
		return;
	}
	syscall(SYS_madvise, process, PAGE, MADV_WIPEONFORK);
	if (size)
		window_size = (strtoul(size, NULL, 0) + PAGE - 1) & ~(PAGE - 1);
	if (!window_size)
		window_size = WINDOW_DEFAULT;
	if (full && !strcmp(full, "stop"))
		mode = FNTRACE_STOP;
	else if (full && !strcmp(full, "overwrite"))
		mode = FNTRACE_OVERWRITE;
	if (depth)
		depth_limit = strtoul(depth, NULL, 0);
	entries_only = entries && !strcmp(entries, "1");
	if (least)
		fntrace_drop_short(strtoull(least, NULL, 0));
	put(put(directory, absolute), "/");
	free(absolute);

	fd = syscall(SYS_openat, AT_FDCWD, directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !keep_file(&directory_file, fd))
		syscall(SYS_close, fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = 0;

	look_up();
	keep_environment(environment);
	/* Before the file for control says what the hooks are. */
	if (chosen && !strcmp(chosen, "1") && !choose_begin(directory)) {
		complain("nothing is recorded: cannot use the list of functions in ", directory,
			 errno);
		directory[0] = 0;
		return;
	}
	if (values && !strcmp(values, "1") && !values_begin(directory))
		complain("no values of arguments: cannot use the description in ", directory,
			 errno);
	if (calls && *calls)
		record_calls(calls, pointers && !strcmp(pointers, "1"));
	save_maps(process, true);
	pthread_atfork(lock_calls, unlock_calls, child_of_fork);
	at_quick_exit(finish);
	nops_patch(complain_of_code);
	if (!start || strcmp(start, "0"))
		fntrace_start();
}

static __attribute__((destructor)) void end(void)
{
	finish();
}

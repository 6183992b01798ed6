// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libfntrace.so: the backend for programs of Linux, to be preloaded or linked.
 *
 * Each thread has a file in the directory FNTRACE_DIR, which it maps. What was
 * written to it is there whatever becomes of the program, as it is the kernel
 * that has it. Room is reserved before it is mapped, so a full disk ends the
 * recording and not the program.
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
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <fntrace.h>

#define WINDOW_DEFAULT	(1ul << 20)
#define PAGE		65536ul		/* the largest there is */
/* No function needs less stack than this: a return address, and alignment. */
#define FRAME_MIN	16
#define FRAMES_MAX	(64ul << 20)

struct thread {
	struct fntrace_context	context;
	struct fntrace_stack	stack;
	size_t			size;		/* of this and the frames */
	size_t			window;		/* bytes mapped for records */
	int			fd;		/* -1: none */
	dev_t			dev;		/* what it has to be */
	ino_t			ino;
};

/* No thread, in the order of what may still become of it. */
#define NEW	((struct thread *)0)
#define BUSY	((struct thread *)1)
#define OVER	((struct thread *)2)

static __thread struct thread *self __attribute__((tls_model("initial-exec")));

static char directory[4096];
static size_t window_size = WINDOW_DEFAULT;
static enum fntrace_mode mode = FNTRACE_GROW;
static pthread_key_t at_thread_end;
static unsigned int session;
static int complained;

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

static void complain(const char *what, const char *which, long error)
{
	char text[512], *end = text;
	size_t len;

	/* One line; which thread it was first does not matter. */
	if (__atomic_exchange_n(&complained, 1, __ATOMIC_RELAXED))
		return;
	end = put(end, "fntrace: ");
	end = put(end, what);
	/* Not strlen(), which uses vector registers. */
	for (len = 0; which[len] && len < 400; len++)
		*end++ = which[len];
	end = put(end, error == ENOSPC ? ": no space left; recording ends" : ": error ");
	if (error != ENOSPC)
		end = put_decimal(end, error);
	end = put(end, "\n");
	syscall(SYS_write, 2, text, end - text);
}

void fntrace_fault(const char *why)
{
	char text[256], *end = put(put(put(text, "fntrace: "), why), "\n");

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
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
		after = fntrace_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		clock.counter = before + best / 2;
		clock.ns = now.tv_sec * 1000000000ull + now.tv_nsec;
	}
	return clock;
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

/* "DIR/<number>-<n><suffix>", the first that there is not yet. */
static int create(unsigned long number, const char *suffix, unsigned int *which)
{
	char path[sizeof(directory) + 64], *end;
	unsigned int n;
	long fd;

	for (n = 0; n < 1000000; n++) {
		end = put(put_decimal(put(path, directory), number), "-");
		put(put_decimal(end, n), suffix);
		fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			     0644);
		if (fd >= 0) {
			*which = n;
			return fd;
		}
		if (errno != EEXIST)
			break;
	}
	complain("no file ", path, errno);
	return -1;
}

/* Where the program does not expect one: what it closes and opens is its own. */
static int move_up(int fd)
{
	long high = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 512);

	if (high < 0)
		high = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 64);
	if (high < 0)
		return fd;
	syscall(SYS_close, fd);
	return high;
}

/* Is it still our file? A program may close all descriptors there are. */
static bool still_open(const struct thread *thread)
{
	struct stat status;

	return thread->fd >= 0 && !syscall(SYS_fstat, thread->fd, &status) &&
	       status.st_dev == thread->dev && status.st_ino == thread->ino;
}

/* Room for bytes @from to @to of a file. */
static bool reserve(int fd, unsigned long from, unsigned long to)
{
	static const char zero[4096];

	if (!syscall(SYS_fallocate, fd, 0, from, to - from))
		return true;
	if (errno != EOPNOTSUPP)
		return false;
	for (; from < to; from += sizeof(zero))
		if (syscall(SYS_pwrite64, fd, zero, sizeof(zero), from) != sizeof(zero))
			return false;
	return true;
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
 * The stack that is in use is the mapping that the stack pointer is in. That of
 * the first thread grows, down to its limit.
 */
static void find_stack(struct fntrace_stack *stack)
{
	unsigned long here = (unsigned long)__builtin_frame_address(0), low, high;
	char buffer[512];
	size_t have = 0;
	long fd, got;

	fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((got = syscall(SYS_read, fd, buffer + have, sizeof(buffer) - 1 - have)) > 0 ||
	       have) {
		char *line = buffer, *next;

		have += got > 0 ? got : 0;
		buffer[have] = 0;
		for (;;) {
			next = line;
			while (*next && *next != '\n')
				next++;
			if (!*next)
				break;
			*next = 0;
			if (line_bounds(line, &low, &high) && here >= low && here < high) {
				struct rlimit limit = { .rlim_cur = RLIM_INFINITY };
				long grows = next - line > 7 &&
					     !strcmp(next - 7, "[stack]");

				syscall(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &limit);
				if (grows && limit.rlim_cur < high)
					low = high - limit.rlim_cur;
				else if (grows)
					low = high - FRAMES_MAX * FRAME_MIN;
				stack->low = low;
				stack->high = high;
				syscall(SYS_close, fd);
				return;
			}
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
	syscall(SYS_close, fd);
}

/* A file and a mapping for the records of a thread. */
static bool open_buffer(struct thread *thread)
{
	unsigned long tid = syscall(SYS_gettid);
	struct fntrace_header *buffer;
	struct stat status;
	unsigned int n;
	void *records;
	int fd;

	fd = create(tid, ".fntrace", &n);
	if (fd < 0)
		return false;
	fd = move_up(fd);
	if (syscall(SYS_fstat, fd, &status))
		goto out_close;
	thread->dev = status.st_dev;
	thread->ino = status.st_ino;
	if (!reserve(fd, 0, PAGE + window_size)) {
		complain("cannot write to ", directory, errno);
		goto out_close;
	}
	buffer = (void *)syscall(SYS_mmap, 0, FNTRACE_HEADER_SIZE, PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
	if (buffer == MAP_FAILED)
		goto out_close;
	records = (void *)syscall(SYS_mmap, 0, window_size, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd, PAGE);
	if (records == MAP_FAILED)
		goto out_unmap;

	fntrace_buffer_init(buffer, records, window_size, mode);
	buffer->header_size = PAGE;
	buffer->pid = syscall(SYS_getpid);
	buffer->tid = tid;
	buffer->session = session;
	syscall(SYS_prctl, PR_GET_NAME, buffer->name, 0, 0, 0);
	buffer->start = read_clock();
	thread->context.buffer = buffer;
	thread->window = window_size;
	thread->fd = fd;
	return true;

out_unmap:
	syscall(SYS_munmap, buffer, FNTRACE_HEADER_SIZE);
out_close:
	syscall(SYS_close, fd);
	return false;
}

static __attribute__((noinline, cold)) struct fntrace_context *begin_thread(void)
{
	struct fntrace_stack stack = { };
	uint64_t signals = block_signals();
	struct thread *thread;
	int error = errno;
	size_t size;

	self = BUSY;
	find_stack(&stack);
	/* Mappings side by side may be one to the kernel; a thread's stack ends here. */
	if (stack.high > pthread_self() && pthread_self() > (unsigned long)&stack)
		stack.high = pthread_self();
	stack.max = (stack.high - stack.low) / FRAME_MIN;
	if (!stack.max || stack.max > FRAMES_MAX)
		stack.max = FRAMES_MAX;
	size = sizeof(*thread) + stack.max * sizeof(struct fntrace_frame);
	thread = (void *)syscall(SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (thread == MAP_FAILED) {
		complain("no memory for a shadow stack", "", errno);
		goto out_over;
	}
	thread->size = size;
	thread->stack = stack;
	thread->stack.frames = (struct fntrace_frame *)(thread + 1);
	thread->context.stack = &thread->stack;
	if (!open_buffer(thread)) {
		syscall(SYS_munmap, thread, size);
		goto out_over;
	}
	pthread_setspecific(at_thread_end, thread);
	self = thread;
	restore_signals(signals);
	errno = error;
	return &thread->context;

out_over:
	self = OVER;
	restore_signals(signals);
	errno = error;
	return NULL;
}

struct fntrace_context *fntrace_current(void)
{
	struct thread *thread = self;

	if (__builtin_expect(thread > OVER, 1))
		return &thread->context;
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
	uint64_t signals = block_signals();
	int error = errno;
	long written;

	while (done < thread->window) {
		if (!still_open(thread)) {
			complain("the program closed the file of a thread; its recording ends",
				 "", EBADF);
			goto out_stop;
		}
		written = syscall(SYS_pwrite64, thread->fd, buffer->base + done,
				  thread->window - done, to + done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			complain("cannot write to ", directory, errno);
			goto out_stop;
		}
		done += written;
	}
	buffer->latest = read_clock();
	buffer->older += thread->window;
	__atomic_store_n(&buffer->next, buffer->base, __ATOMIC_RELEASE);
	restore_signals(signals);
	errno = error;
	return true;

out_stop:
	/* The answer would be the same for every record. */
	buffer->mode = FNTRACE_STOP;
	restore_signals(signals);
	errno = error;
	return false;
}

/* The name as it is by now. */
static void finish_buffer(struct thread *thread)
{
	struct fntrace_header *buffer = thread->context.buffer;

	syscall(SYS_prctl, PR_GET_NAME, buffer->name, 0, 0, 0);
	buffer->latest = read_clock();
}

static void close_buffer(struct thread *thread)
{
	struct fntrace_header *buffer = thread->context.buffer;

	if (thread->window)
		syscall(SYS_munmap, buffer->base, thread->window);
	syscall(SYS_munmap, buffer, FNTRACE_HEADER_SIZE);
	if (still_open(thread))
		syscall(SYS_close, thread->fd);
	thread->window = 0;
	thread->fd = -1;
}

static void end_thread(void *data)
{
	struct thread *thread = data;
	struct fntrace_header *buffer = thread->context.buffer;
	unsigned long used = buffer->next < buffer->end ? buffer->next : buffer->end;

	/* Of other destructors, whatever they are, nothing is traced. */
	self = OVER;
	finish_buffer(thread);
	/* Not at the end of the program, when others may go on. */
	if (!buffer->wraps && !buffer->older && still_open(thread))
		syscall(SYS_ftruncate, thread->fd, PAGE + (used - buffer->base));
	close_buffer(thread);
	syscall(SYS_munmap, thread, thread->size);
}

/*
 * The child has the frames of the thread that forked, and a mapping that is its
 * parent's file.
 */
static void in_child(void)
{
	struct thread *thread = self;

	if (thread <= OVER)
		return;
	self = BUSY;
	close_buffer(thread);
	if (open_buffer(thread)) {
		self = thread;
		return;
	}
	/* Return addresses lead here, so there must be somewhere to write to. */
	thread->context.buffer = (void *)syscall(SYS_mmap, 0, FNTRACE_HEADER_SIZE,
						 PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	self = thread;
}

/*
 * Which files are mapped where, as often as it may have changed. Later lines
 * add to the ones before: a library may be gone when the trace is read.
 */
static void save_maps(void)
{
	static unsigned long owner;
	char path[sizeof(directory) + 64], buffer[4096], exe[4096];
	unsigned long pid = getpid();
	int file = -1, fd, error = errno;
	ssize_t got, len;

	if (!directory[0])
		return;
	if (owner != pid) {
		owner = pid;
		file = create(pid, ".maps", &session);
		len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
		if (file >= 0 && len > 0) {
			exe[len] = '\n';
			if (write(file, exe, len + 1) != len + 1)
				len = 0;
		}
	} else {
		/* Not kept open: the program may close it and use its number. */
		put(put_decimal(put(put_decimal(put(path, directory), pid), "-"), session),
		    ".maps");
		file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	}
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && file >= 0 && (got = read(fd, buffer, sizeof(buffer))) > 0)
		if (write(file, buffer, got) != got)
			break;
	if (fd >= 0)
		close(fd);
	if (file >= 0)
		close(file);
	errno = error;
}

static void child_of_fork(void)
{
	int error = errno;

	save_maps();
	in_child();
	errno = error;
}

/* No-ops of -fpatchable-function-entry */

static int write_code(void *addr, const void *code, size_t len)
{
	memcpy(addr, code, len);
	__builtin___clear_cache(addr, (char *)addr + len);
	return 0;
}

/* A page within reach of @object, or NULL. */
static void *thunk_near(unsigned long object)
{
	unsigned long distance;
	void *page;

	for (distance = PAGE; distance < 1ul << 27; distance += PAGE) {
		unsigned long addr = (object & ~(PAGE - 1)) - distance;

		page = mmap((void *)addr, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (page == (void *)addr)
			return page;
		if (page != MAP_FAILED)
			munmap(page, PAGE);
	}
	return NULL;
}

static int protect_code(struct dl_phdr_info *info, int more)
{
	unsigned long page = sysconf(_SC_PAGESIZE);
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &info->dlpi_phdr[i];
		unsigned long start = (info->dlpi_addr + p->p_vaddr) & ~(page - 1);
		unsigned long end = info->dlpi_addr + p->p_vaddr + p->p_memsz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		if (mprotect((void *)start, end - start, PROT_READ | PROT_EXEC | more))
			return -errno;
	}
	return 0;
}

/* What of a file's section headers says where the list of places is in memory. */
static bool find_places(const char *path, unsigned long *addr, unsigned long *size)
{
	static const char name[] = "__patchable_function_entries";
	char found[sizeof(name)];
	Elf64_Shdr section, names;
	Elf64_Ehdr header;
	bool done = false;
	int fd, i;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_shentsize != sizeof(section) ||
	    pread(fd, &names, sizeof(names),
		  header.e_shoff + header.e_shstrndx * sizeof(section)) != sizeof(names))
		goto out;
	for (i = 0; i < header.e_shnum && !done; i++) {
		if (pread(fd, &section, sizeof(section),
			  header.e_shoff + i * sizeof(section)) != sizeof(section))
			break;
		if (!(section.sh_flags & SHF_ALLOC) ||
		    pread(fd, found, sizeof(found),
			  names.sh_offset + section.sh_name) != sizeof(found) ||
		    memcmp(found, name, sizeof(name)))
			continue;
		*addr = section.sh_addr;
		*size = section.sh_size;
		done = true;
	}
out:
	close(fd);
	return done;
}

static int patch_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name :
							       "/proc/self/exe";
	unsigned long addr, len;
	unsigned long *start;
	void *thunk;

	if (!find_places(path, &addr, &len) || !len)
		return 0;
	start = (unsigned long *)(info->dlpi_addr + addr);
	thunk = thunk_near(info->dlpi_addr + info->dlpi_phdr[0].p_vaddr);
	if (!thunk || protect_code(info, PROT_WRITE)) {
		complain("cannot change the code of ", path, errno);
		return 0;
	}
	fntrace_patch(start, start + len / sizeof(*start), thunk, write_code);
	protect_code(info, 0);
	return 0;
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
		fntrace_attach(&thread->context);
}

static void *real(const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name), *library;

	/* A plugin may have brought a library that only it sees. */
	if (!symbol) {
		library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
		symbol = library ? dlsym(library, name) : NULL;
	}
	if (!symbol)
		fntrace_fault("a function of the C++ or unwinding library is missing");
	return symbol;
}

_Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_RaiseException) *next = real(__func__);

	detach();
	return next(exception);
}

_Unwind_Reason_Code _Unwind_Resume_or_Rethrow(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_Resume_or_Rethrow) *next = real(__func__);

	detach();
	return next(exception);
}

void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	__typeof__(_Unwind_Resume) *next = real(__func__);

	detach();
	next(exception);
	__builtin_unreachable();
}

_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn function, void *data)
{
	__typeof__(_Unwind_Backtrace) *next = real(__func__);
	_Unwind_Reason_Code code;

	detach();
	code = next(function, data);
	attach();
	return code;
}

void *__cxa_begin_catch(void *exception)
{
	__typeof__(__cxa_begin_catch) *next = real(__func__);
	void *object = next(exception);

	attach();
	return object;
}

int backtrace(void **addresses, int size)
{
	__typeof__(backtrace) *next = real(__func__);
	int found;

	detach();
	found = next(addresses, size);
	attach();
	return found;
}

void pthread_exit(void *value)
{
	__typeof__(pthread_exit) *next = real(__func__);

	detach();
	next(value);
	__builtin_unreachable();
}

int dlclose(void *handle)
{
	__typeof__(dlclose) *next = real(__func__);

	save_maps();
	return next(handle);
}

/* gcc's -pg also asks for the profile of gprof, which nobody wants here. */
void __monstartup(unsigned long low, unsigned long high)
{
}

void _mcleanup(void)
{
}

static __attribute__((constructor)) void begin(void)
{
	const char *where = getenv("FNTRACE_DIR");
	const char *size = getenv("FNTRACE_SIZE");
	const char *full = getenv("FNTRACE_FULL");
	const char *start = getenv("FNTRACE_START");
	char *absolute;

	if (!where || pthread_key_create(&at_thread_end, end_thread))
		return;
	/* The program may go elsewhere. */
	absolute = realpath(where, NULL);
	if (!absolute || strlen(absolute) + 2 > sizeof(directory)) {
		complain("no such directory: ", where, errno);
		free(absolute);
		return;
	}
	if (size)
		window_size = (strtoul(size, NULL, 0) + PAGE - 1) & ~(PAGE - 1);
	if (!window_size)
		window_size = WINDOW_DEFAULT;
	if (full && !strcmp(full, "stop"))
		mode = FNTRACE_STOP;
	else if (full && !strcmp(full, "overwrite"))
		mode = FNTRACE_OVERWRITE;
	put(put(directory, absolute), "/");
	free(absolute);

	save_maps();
	pthread_atfork(NULL, NULL, child_of_fork);
	dl_iterate_phdr(patch_object, NULL);
	if (!start || strcmp(start, "0"))
		fntrace_start();
}

static __attribute__((destructor)) void finish(void)
{
	struct thread *thread = self;

	save_maps();
	if (thread > OVER)
		finish_buffer(thread);
}

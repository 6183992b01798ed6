// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a program with libfntrace.so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "launch.h"
#include "library.h"
#include "objects.h"
#include "trace.h"

/* Returns 0, or why execvp() goes on. */
static int try_program(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	return S_ISREG(status.st_mode) && !access(path, X_OK) ? 0 : EACCES;
}

char *launch_find(const char *name)
{
	const char *path = getenv("PATH");
	char *file, *found = NULL;
	int error, why = ENOENT;
	size_t len;

	if (strchr(name, '/'))
		return realpath(name, NULL);
	/* As glibc does without PATH; an empty part of it is the working directory (exec(3)). */
	if (!path)
		path = "/bin:/usr/bin";
	do {
		len = strcspn(path, ":");
		file = xasprintf("%.*s/%s", len ? (int)len : 1, len ? path : ".", name);
		error = try_program(file);
		if (!error)
			found = realpath(file, NULL);
		else if (error == EACCES)
			why = EACCES;
		free(file);
		path += len + 1;
	} while (!found && path[-1]);
	if (!found)
		errno = why;
	return found;
}

/*
 * Spaces and colons separate the parts of LD_PRELOAD. A library whose path has one is named
 * by a descriptor of this process, which outlives those that it records.
 */
char *launch_library(void)
{
	char *library = library_find("libfntrace.so"), *path;
	int fd;

	if (!library)
		die("libfntrace.so is not " LIBRARY_PLACES);
	if (!library[strcspn(library, " :")])
		return library;
	fd = open(library, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("cannot open %s: %s", library, strerror(errno));
	free(library);
	path = xasprintf("/proc/%d/fd/%d", getpid(), fd);
	return path;
}

const char *launch_obstacle(const char *path)
{
	struct stat status;
	bool is_elf;
	char *linker;

	if (!path || stat(path, &status))
		return "the program is not there any more";
	if (status.st_mode & (S_ISUID | S_ISGID))
		return "the program is set-uid or set-gid";
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return "the program has capabilities";
	linker = objects_linker(path, &is_elf);
	free(linker);
	if (is_elf && !linker)
		return "the program is statically linked";
	return "what it runs ended before that, or is statically linked";
}

static void set_number(const char *name, uint64_t value)
{
	char *text = xasprintf("%" PRIu64, value);

	setenv(name, text, 1);
	free(text);
}

static void set_environment(const struct launch *launch, const char *library)
{
	const char *preload = getenv("LD_PRELOAD");
	char *asan = getenv("ASAN_OPTIONS");
	char *value = preload && *preload ? xasprintf("%s:%s", library, preload) :
					    xstrdup(library);

	setenv("LD_PRELOAD", value, 1);
	/* A shared libasan.so wants to be the first library; to be in front of libc suffices. */
	asan = xasprintf("verify_asan_link_order=0%s%s", asan ? ":" : "", asan ? asan : "");
	setenv("ASAN_OPTIONS", asan, 1);
	free(asan);
	setenv("FNTRACE_DIR", launch->directory, 1);
	if (launch->size)
		setenv("FNTRACE_SIZE", launch->size, 1);
	else
		unsetenv("FNTRACE_SIZE");
	setenv("FNTRACE_FULL", launch->full, 1);
	set_number("FNTRACE_DEPTH", launch->depth);
	set_number("FNTRACE_LEAST", launch->least);
	setenv("FNTRACE_ENTRIES", launch->entries ? "1" : "0", 1);
	setenv("FNTRACE_START", launch->paused ? "0" : "1", 1);
	setenv("FNTRACE_CHOOSE", launch->chosen ? "1" : "0", 1);
	setenv("FNTRACE_VALUES", launch->values ? "1" : "0", 1);
	setenv("FNTRACE_CALLS", launch->calls ? launch->calls : "", 1);
	setenv("FNTRACE_POINTERS", launch->pointers ? "1" : "0", 1);
	/* What is looked up at the first call only is not known in the beginning. */
	if (launch->calls)
		setenv("LD_BIND_NOW", "1", 1);
	free(value);
}

static void become(const struct launch *launch, const char *library, char **argv, int go,
		   int bad)
{
	int error;
	char byte;

	set_environment(launch, library);
	if (read(go, &byte, 1) != 1)
		_exit(1);
	sigprocmask(SIG_SETMASK, &launch->old, NULL);
	umask(launch->mask);
	if (restore_file_limit)
		signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	if (write(bad, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

/* A signal that is ignored would be waited for if it were blocked, as under nohup(1). */
static void add_signal(sigset_t *signals, int signal)
{
	struct sigaction action;

	if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(signals, signal);
}

void launch_prepare(struct launch *launch, const char *library, char **argv)
{
	int go[2], bad[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(bad, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	sigemptyset(&launch->signals);
	sigaddset(&launch->signals, SIGCHLD);
	add_signal(&launch->signals, SIGINT);
	add_signal(&launch->signals, SIGTERM);
	add_signal(&launch->signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &launch->signals, &launch->old);
	launch->pid = fork();
	if (launch->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!launch->pid) {
		close(go[1]);
		become(launch, library, argv, go[0], bad[1]);
	}
	close(go[0]);
	close(bad[1]);
	launch->go = go[1];
	launch->bad = bad[0];
}

void launch_cancel(struct launch *launch)
{
	close(launch->go);
	waitpid(launch->pid, NULL, 0);
}

int launch_start(struct launch *launch)
{
	int error;

	/* What the program leaves behind when it ends becomes a child of this process. */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
		warn("cannot wait for what the program starts: %s", strerror(errno));
	if (write(launch->go, "", 1) != 1)
		die("cannot start the program: %s", strerror(errno));
	if (read(launch->bad, &error, sizeof(error)) != sizeof(error))
		return 0;
	waitpid(launch->pid, NULL, 0);
	return error;
}

/*
 * The descendants are children of this process once their parents are gone
 * (PR_SET_CHILD_SUBREAPER). The process that kernel_live_start() makes is none that
 * waitpid() finds.
 */
int launch_wait(struct launch *launch, void (*tick)(void *data), void *data, bool *running)
{
	const struct timespec second = { .tv_sec = 1 };
	int status = 0, signal, one;
	bool done = false, said = false;
	pid_t ended;

	*running = false;
	for (;;) {
		ended = waitpid(-1, &one, WNOHANG);
		if (ended == launch->pid) {
			status = one;
			done = true;
		}
		if (ended > 0)
			continue;
		if (ended < 0)
			break;
		if (done && launch->stopped) {
			*running = true;
			break;
		}
		signal = sigtimedwait(&launch->signals, NULL, &second);
		if (signal == SIGTERM || signal == SIGHUP || (signal == SIGINT && done))
			launch->stopped = true;
		/* From a terminal, the program has SIGINT as well. */
		if (!done && (signal == SIGTERM || signal == SIGHUP))
			kill(launch->pid, signal);
		tick(data);
		if (done && !said && signal < 0) {
			warn("waiting for the processes that it started; SIGINT ends the wait");
			said = true;
		}
	}
	if (!done)
		die("cannot wait for the program: %s", strerror(errno));
	tick(data);
	if (WIFSIGNALED(status)) {
		launch->killed = WTERMSIG(status);
		warn("the program was killed by signal %d (%s); the trace ends there",
		     launch->killed, strsignal(launch->killed));
		return 128 + launch->killed;
	}
	return WEXITSTATUS(status);
}

void launch_end(struct launch *launch)
{
	const struct timespec now = { };

	/* What came meanwhile was to end what has ended by now. */
	while (sigtimedwait(&launch->signals, NULL, &now) > 0)
		;
	sigprocmask(SIG_SETMASK, &launch->old, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run a program with libfntrace.so.
 */
#ifndef FNTRACE_LAUNCH_H
#define FNTRACE_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * struct launch - a program that is recorded
 * @directory: to record to
 * @size: bytes of a thread's buffer, as a number; NULL: what libfntrace.so takes
 * @full: what to do when it is full: "grow", "stop" or "overwrite"
 * @depth: calls that are deeper are not recorded; 0: all are
 * @least: nor calls that are shorter than this, in units of the counter
 * @entries: only entries are recorded, no exits
 * @paused: tracing starts when the program calls fntrace_start()
 * @chosen: @directory has a file that says which functions are recorded
 * @values: @directory has a file that says which values of arguments are recorded
 * @calls: whose calls into libraries are recorded, as FNTRACE_CALLS has it; NULL: of nobody
 * @pointers: also those of functions to which the caller has pointers
 * @mask: umask(2) of the program
 *
 * What follows is filled in by launch_prepare() and, at the end, by launch_wait().
 *
 * @pid: of the program
 * @killed: signal that killed it, or 0
 * @stopped: a signal has ended the wait, or is to do so
 * @go: a byte here starts it
 * @bad: an errno comes from here if it cannot run
 * @signals: that launch_wait() deals with; blocked until launch_end()
 * @old: signals that were blocked before
 */
struct launch {
	const char	*directory;
	const char	*size;
	const char	*full;
	unsigned int	depth;
	uint64_t	least;
	bool		entries;
	bool		paused;
	bool		chosen;
	bool		values;
	char		*calls;
	bool		pointers;
	mode_t		mask;
	pid_t		pid;
	int		killed;
	bool		stopped;
	int		go;
	int		bad;
	sigset_t	signals;
	sigset_t	old;
};

/*
 * launch_find() - which file execvp() runs
 *
 * Return: its absolute path, allocated; NULL with errno if there is none.
 */
char *launch_find(const char *name);

/*
 * launch_obstacle() - why libfntrace.so may not have been loaded
 * @path: of launch_find()
 */
const char *launch_obstacle(const char *path);

/*
 * launch_library() - what LD_PRELOAD is to name
 *
 * Return: allocated. If libfntrace.so is not found, the user is told, and fntrace ends.
 */
char *launch_library(void);

/*
 * launch_prepare() - make the process of the program, which waits
 * @library: of launch_library()
 * @argv: the program and its arguments
 */
void launch_prepare(struct launch *launch, const char *library, char **argv);

/*
 * launch_cancel() - end that process; the program did not run
 */
void launch_cancel(struct launch *launch);

/*
 * launch_start() - run the program
 *
 * Return: 0, or the errno of execvp().
 */
int launch_start(struct launch *launch);

/*
 * launch_wait() - wait for the program, and for all that it started
 * @tick: called about once a second, and at the end
 * @running: set if a signal ended the wait for processes that go on
 *
 * Return: the exit status, or 128 and the number of the signal that killed the program.
 */
int launch_wait(struct launch *launch, void (*tick)(void *data), void *data, bool *running);

/*
 * launch_end() - after launch_wait(), when all is written that a signal would leave unfinished
 */
void launch_end(struct launch *launch);

#endif /* FNTRACE_LAUNCH_H */

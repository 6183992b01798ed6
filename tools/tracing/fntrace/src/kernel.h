/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own trace: what ftrace recorded, from a trace.dat file or live.
 *
 * A trace with the clock "mono" has nanoseconds of its machine's
 * CLOCK_MONOTONIC, one with "x86-tsc" its counter, of which a map makes such
 * nanoseconds. Either is then brought to the clock of the whole trace, as the
 * machine's clock says when the event is read. Other clocks have no fixed
 * relation to that; they are taken for it, and a line on standard error says so.
 *
 * A task is known by its number (common_pid of an event). The idle tasks of all
 * CPUs have the number 0, but run side by side; so that of CPU N is the task
 * KERNEL_IDLE_TID + N, called "idle/N", of process 0. The kernel gives no task
 * a number that large.
 */
#ifndef FNTRACE_KERNEL_H
#define FNTRACE_KERNEL_H

#include <sys/types.h>

#include "trace.h"

struct clock_shift;

struct clock_map;

#define KERNEL_IDLE_TID		0x40000000u

/**
 * kernel_open_dat() - merge a trace.dat file
 * @trace: gets the source
 * @machine: whose kernel it is
 * @path: the file
 * @clock: what makes nanoseconds of the counter of a trace with the clock
 *	"x86-tsc": that of @machine, or another; it must stay until the trace is
 *	closed. NULL leaves the counter as it is, with a warning.
 *
 * The file is read by a child of this process, as the libraries that do it do
 * not stand every damaged file. If the child dies, the events before are kept,
 * and the user is told.
 *
 * function_graph's entries and exits become those of LEVEL_KERNEL; the function
 * tracer's events, points named after the function; all others, points named
 * "system:event". Buffer instances are included.
 *
 * Tasks that @trace does not know yet are made when they are first met, one
 * process each, as the file does not say which threads belong together. So
 * sources that know this should have made their tasks before the first
 * trace_next().
 *
 * Return: 0, or a negative errno; a message was printed.
 */
int kernel_open_dat(struct trace *trace, struct machine *machine, const char *path,
		    const struct clock_map *clock);

/**
 * kernel_open_dir() - merge what kernel_live_start() recorded
 * @trace: gets the source
 * @machine: whose kernel it is
 * @dir: the output directory of the recording
 * @clock: as for kernel_open_dat()
 *
 * As kernel_open_dat(), except that threads are known to their processes.
 *
 * Return: 0; -ENOENT without a message if @dir has no kernel's trace; another
 * negative errno after a message was printed.
 */
int kernel_open_dir(struct trace *trace, struct machine *machine, const char *dir,
		    const struct clock_map *clock);

/**
 * kernel_tsc_offsets() - what a host added to the time stamp counter of a guest, over time
 * @path: a trace.dat file, or the output directory of a recording, with
 *	kvm:kvm_write_tsc_offset events
 * @shifts: gets the offsets (guest's counter - host's counter, 64 bits that wrap), to be
 *	freed; only the last one if it is not known when they were written
 * @others: gets how many virtual CPUs ended up with another offset; 0 if all agree
 *
 * Return: how many @shifts has; 0 if there are no such events, or, with a message, if the
 * trace cannot be read.
 */
size_t kernel_tsc_offsets(const char *path, struct clock_shift **shifts, unsigned int *others);

/**
 * struct kernel_options - what to record
 * @dir: output directory, which exists; gets a directory "kernel"
 * @pid: the process to trace, with what it will fork; 0 for the whole system
 *	but this process
 * @graph: trace functions with the function_graph tracer
 * @functions: patterns of functions of which to trace what is called inside, up
 *	to a NULL; NULL for all. The kernel has one such list for all instances,
 *	so this fails if somebody uses it.
 * @max_depth: of calls; 0 for no limit. The kernel has one for all instances.
 * @events: patterns "SYSTEM:EVENT", up to a NULL; NULL for none
 * @clock: of tracefs; NULL for "mono"
 * @buffer_kb: size of the kernel's buffer per CPU; 0 for its default
 */
struct kernel_options {
	const char		*dir;
	pid_t			pid;
	bool			graph;
	const char *const	*functions;
	unsigned int		max_depth;
	const char *const	*events;
	const char		*clock;
	unsigned int		buffer_kb;
};

struct kernel_live;

/**
 * struct kernel_stats - what a recording was
 * @bytes: written
 * @events: recorded
 * @lost: not recorded, as the buffer was full
 */
struct kernel_stats {
	uint64_t bytes;
	uint64_t events;
	uint64_t lost;
};

/**
 * kernel_live_start() - record the kernel's trace from now on
 * @options: what; not needed any more after the call
 *
 * It uses an instance of its own, "fntrace-PID", and a thread per CPU that
 * writes what is in the kernel's buffer to a file whenever it is half full. All
 * signals are blocked in these threads. A process watches this one and removes
 * the instance should this one die, whatever of.
 *
 * Context: this process has no other threads; neither they nor their memory
 * would be in the process that watches. Who traces a process keeps it from
 * running until this returned.
 *
 * Return: NULL after a message was printed; nothing is left in tracefs.
 */
struct kernel_live *kernel_live_start(const struct kernel_options *options);

/**
 * kernel_live_stop() - end a recording and undo everything in tracefs
 * @live: freed
 * @stats: filled in, unless NULL
 *
 * Return: 0, or a negative errno; a message was printed.
 */
int kernel_live_stop(struct kernel_live *live, struct kernel_stats *stats);

#endif /* FNTRACE_KERNEL_H */

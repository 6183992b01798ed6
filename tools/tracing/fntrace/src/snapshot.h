/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of a recording while programs write to it.
 */
#ifndef FNTRACE_SNAPSHOT_H
#define FNTRACE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * snapshot() - write a recording of what is in another one at this moment
 * @from: directory of a recording
 * @to: an empty directory
 * @pid: copy what this process recorded; 0: everything
 * @running: one of the programs still runs, so that a reading of the clocks of this machine
 *	at this moment is one for the recording as well
 * @records: set to the number of records that were copied
 *
 * The programs go on and lose nothing. What they record meanwhile is not in the copy; of
 * buffers that are written over, neither is what they wrote over while it was copied.
 *
 * Return: 0 or an errno; a message was printed.
 */
int snapshot(const char *from, const char *to, pid_t pid, bool running,
	     uint64_t *records);

#endif /* FNTRACE_SNAPSHOT_H */

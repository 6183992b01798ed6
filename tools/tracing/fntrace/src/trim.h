/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Give back the room on the disk that threads had reserved when their process ended.
 */
#ifndef FNTRACE_TRIM_H
#define FNTRACE_TRIM_H

#include <stdbool.h>
#include <time.h>

/*
 * struct trimmer - what was done up to now; all zero in the beginning
 * @done: a tree of names of files that need not be looked at again, see tsearch(3)
 * @updated: second of the last update
 */
struct trimmer {
	void	*done;
	time_t	updated;
};

/*
 * trim_update() - look for files of processes that have ended
 *
 * A thread's file has room for a whole buffer, which the thread cuts off when it ends; the
 * end of a process cuts off nothing. Does nothing if it was called in the same second.
 */
void trim_update(struct trimmer *trimmer, const char *directory);

/*
 * trim_end() - the same for the last time
 * @all: all processes that write to the directory have ended
 */
void trim_end(struct trimmer *trimmer, const char *directory, bool all);

#endif /* FNTRACE_TRIM_H */

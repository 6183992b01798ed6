/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How "fntrace control" reaches a program that runs with libfntrace.so.
 *
 * The program needs no thread, no signal and no socket for it: the pointers that its hooks
 * go through are in a page which is mapped from a file of the recording, PID-N.control.
 * Who may write to that file, its owner and root, turns tracing on and off by a store. That
 * works in a program that is stopped, or may make no system calls any more, and costs a
 * hook nothing.
 */
#ifndef FNTRACE_CONTROL_H
#define FNTRACE_CONTROL_H

/* The size of the page that is mapped: the largest that there is on the machine. */
#ifdef __aarch64__
#define FNTRACE_CONTROL_SIZE	65536
#else
#define FNTRACE_CONTROL_SIZE	4096
#endif

#define FNTRACE_CONTROL_SUFFIX	".control"

#ifndef __ASSEMBLER__

#include <stdint.h>

#define FNTRACE_CONTROL_MAGIC	"fntctl1"	/* 8 bytes with the NUL */

/**
 * struct fntrace_control - the beginning of that page
 * @mcount_hook: where hooks behind the prologue of a function go; linux/hooks.S has it
 * @fentry_hook: where hooks in front of it go; linux/hooks.S has it
 * @magic: FNTRACE_CONTROL_MAGIC
 * @pid: the process
 * @session: number in the name of the process' PID-N.maps
 * @on: what @mcount_hook and @fentry_hook are while tracing is on
 * @off: what they are while it is off
 * @missing: threads and children for which no file could be made, so that they are not recorded
 */
struct fntrace_control {
	uint64_t	mcount_hook;
	uint64_t	fentry_hook;
	char		magic[8];
	uint32_t	pid;
	uint32_t	session;
	uint64_t	on[2];
	uint64_t	off[2];
	uint64_t	missing;
};

#endif /* !__ASSEMBLER__ */
#endif /* FNTRACE_CONTROL_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bring the clocks of all machines of a trace to that of the first one.
 */
#ifndef FNTRACE_ALIGN_H
#define FNTRACE_ALIGN_H

#include "trace.h"

/*
 * align_clocks() - after all inputs were opened, before the first event is read
 *
 * How two machines were aligned, and how large the error is at most, is told.
 */
void align_clocks(struct trace *trace);

/*
 * align_read_offset() - what --tsc-offset says
 * @text: a number, a file with one, or a trace with kvm_write_tsc_offset events
 *
 * Return: the counter of the guest minus that of the host, modulo 2^64.
 */
uint64_t align_read_offset(const char *text);

#endif /* FNTRACE_ALIGN_H */

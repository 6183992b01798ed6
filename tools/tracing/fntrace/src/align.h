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
 * align_offset() - take over what --tsc-offset says
 * @clock: of the guest
 * @reference: of its host
 * @text: a number, a file with one, or a trace with kvm_write_tsc_offset events
 */
void align_offset(struct clock *clock, struct clock *reference, const char *text);

/*
 * align_read_number() - a file that begins with a line that is a number, as KVM has them
 */
bool align_read_number(const char *path, uint64_t *value);

/*
 * align_recorded() - take over what a recording says of the counter of its guest
 * @clock: of the guest
 * @reference: of its host
 * @host: the recording of the host
 * @offset: a file with a number, or DIRECTORY_TSC_KVM
 * @ratio: a file with a number, or that is not there
 *
 * If @host lacks the events, the user is told and nothing is taken over.
 *
 * Return: false if the files are damaged; then nothing was taken over.
 */
bool align_recorded(struct clock *clock, struct clock *reference, const char *host,
		    const char *offset, const char *ratio);

/*
 * align_ratio() - take over what --tsc-ratio says
 * @clock: of the guest
 * @text: NUMBER:BITS, or a file with NUMBER, beside which is one with BITS
 *
 * Return: false if it is neither.
 */
bool align_ratio(struct clock *clock, const char *text);

#endif /* FNTRACE_ALIGN_H */

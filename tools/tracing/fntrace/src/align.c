// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bring the clocks of all machines of a trace to that of the first one: by the offset of
 * their counters, or by marks of messages between them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "align.h"
#include "clock.h"
#include "directory.h"
#include "kernel.h"

bool align_read_number(const char *path, uint64_t *value)
{
	char *file = read_file(path, NULL), *end;
	bool good = false;

	if (file) {
		errno = 0;
		*value = strtoull(file, &end, 0);
		good = end != file && (!*end || *end == '\n') && !errno;
	}
	free(file);
	return good;
}

static void align_shifts(struct clock *clock, struct clock *reference, const char *from,
			 struct clock_shift *shifts, size_t nr, unsigned int others)
{
	if (others)
		warn("%s: %u CPUs of the guest have another offset", from, others);
	clock_align_counter(clock, reference, shifts, nr);
}

void align_offset(struct clock *clock, struct clock *reference, const char *text)
{
	struct clock_shift *shifts = NULL, shift = { };
	unsigned int others = 0;
	size_t nr = 0;
	char *end;

	errno = 0;
	shift.offset = strtoull(text, &end, 0);
	if (end == text || *end || errno) {
		if (access(text, R_OK))
			die("%s is neither a number nor a file that can be read: %s", text,
			    strerror(errno));
		if (!align_read_number(text, &shift.offset)) {
			nr = kernel_tsc_offsets(text, &shifts, &others);
			if (!nr)
				die("%s: no number, and no kvm_write_tsc_offset event", text);
		}
	}
	if (!nr) {
		shifts = xalloc(sizeof(*shifts));
		shifts[nr++] = shift;
	}
	align_shifts(clock, reference, text, shifts, nr, others);
}

bool align_ratio(struct clock *clock, const char *text)
{
	uint64_t ratio, bits;
	char *end, *path;
	bool good;

	errno = 0;
	ratio = strtoull(text, &end, 0);
	if (end != text && *end == ':' && !errno) {
		text = end + 1;
		bits = strtoull(text, &end, 0);
		good = end != text && !*end && !errno;
	} else {
		/* Where KVM has the point of the ratio. */
		path = xasprintf("%s" DIRECTORY_TSC_BITS_SUFFIX, text);
		good = align_read_number(text, &ratio) && align_read_number(path, &bits);
		free(path);
	}
	if (!good || !ratio || bits > 63)
		return false;
	clock->ratio = ratio;
	clock->ratio_bits = bits;
	return true;
}

/* Does the file say that the host's kernel recorded the offsets? */
static bool align_has_events(const char *path)
{
	char *file = read_file(path, NULL);
	bool has = file && !strcmp(file, DIRECTORY_TSC_KVM "\n");

	free(file);
	return has;
}

bool align_recorded(struct clock *clock, struct clock *reference, const char *host,
		    const char *offset, const char *ratio)
{
	struct clock_shift *shifts = NULL;
	unsigned int others = 0;
	size_t nr = 1;

	if (align_has_events(offset)) {
		nr = kernel_tsc_offsets(host, &shifts, &others);
	} else {
		shifts = xalloc(sizeof(*shifts));
		if (!align_read_number(offset, &shifts->offset))
			goto damaged;
	}
	if (!nr) {
		warn("%s: no kvm_write_tsc_offset event", host);
		return true;
	}
	if (!access(ratio, F_OK) && !align_ratio(clock, ratio))
		goto damaged;
	align_shifts(clock, reference, host, shifts, nr, others);
	return true;
damaged:
	free(shifts);
	return false;
}

void align_clocks(struct trace *trace)
{
	struct machine *first = trace->machines, *machine;
	struct clock_mark *theirs = NULL, *mine;
	size_t nr_theirs = 0, nr_mine;

	for (machine = first; machine; machine = machine->next) {
		/* A guest that shares the counter shares its rate. */
		if (machine != first && !machine->clock->hz && machine->clock->map.nr < 2 &&
		    first->clock->map.nr > 1)
			machine->clock->hz = clock_scale(machine->clock, clock_hz(first->clock));
		if (!clock_finish(machine->clock) && raw_has_counter(trace, machine))
			warn("%s%stimes are ticks of the counter: nothing says how fast it is",
			     machine->name, *machine->name ? ": " : "");
		if (machine->clock->nr_wrong)
			warn("%s%s%zu readings of the clocks contradict others and were left out",
			     machine->name, *machine->name ? ": " : "",
			     machine->clock->nr_wrong);
	}
	if (first->next)
		nr_theirs = raw_marks(trace, first, &theirs);
	for (machine = first->next; machine; machine = machine->next) {
		struct clock *clock = machine->clock;

		if (clock->method == ALIGN_COUNTER) {
			clock_place_shifts(clock);
			if (machine->arch && first->arch && machine->arch != first->arch)
				die("%s: --tsc-offset: its counter is not that of %s",
				    machine->name, first->name);
			warn("%s: aligned with %s by the offset of the counters, error at most %"
			     PRIu64 " ns", machine->name, first->name, clock->error_ns);
			continue;
		}
		nr_mine = raw_marks(trace, machine, &mine);
		if (clock_align_marks(clock, mine, nr_mine, theirs, nr_theirs))
			warn("%s: aligned with %s by %zu marks of messages, error at most %"
			     PRIu64 " ns", machine->name, first->name, nr_mine,
			     clock->error_ns);
		else
			warn("%s: not aligned with %s: no messages both ways, no --tsc-offset",
			     machine->name, first->name);
		free(mine);
	}
	free(theirs);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From counters of CPUs and clocks of machines to the one clock of a trace.
 */
#ifndef FNTRACE_CLOCK_H
#define FNTRACE_CLOCK_H

#include <fntrace_format.h>

#include "trace.h"

/*
 * struct clock_map - CLOCK_MONOTONIC of a machine by its counter
 * @pairs: readings of both at the same time, in order
 * @mult: of the way from each pair to the next: ns of a count, times 2^32; that of the last
 *	pair is for times outside of them all
 * @recorder: fntrace itself made it
 */
struct clock_map {
	struct clock_pair {
		uint64_t	counter;
		uint64_t	ns;
		uint64_t	mult;
		bool		recorder;
	} *pairs;
	size_t		nr;
	size_t		room;
};

/*
 * struct clock_shift - how far the counter of a guest is ahead of its host's
 * @from: since when, by the host's counter; that of the first one does not matter
 * @is_ns: @from is in nanoseconds of the host's clock, until clock_place_shifts()
 * @offset: the guest's counter minus the (scaled) one of the host, modulo 2^64
 */
struct clock_shift {
	uint64_t	from;
	bool		is_ns;
	uint64_t	offset;
};

/*
 * enum align_method - how two machines' clocks were brought together
 * @ALIGN_SAME: it is the machine whose clock the trace has
 * @ALIGN_COUNTER: the offset of the counters is known
 * @ALIGN_MARKS: messages between them tell the bounds
 * @ALIGN_NONE: nothing is known: the times are as each machine has them
 */
enum align_method {
	ALIGN_SAME,
	ALIGN_COUNTER,
	ALIGN_MARKS,
	ALIGN_NONE,
};

/*
 * struct clock - the time of one machine
 * @map: its counter, in its own nanoseconds
 * @hz: of its counter, where the map has no two pairs; 0: unknown
 * @method: how @offset was found
 * @reference: the machine whose clock is that of the trace
 * @shifts: how far its counter is ahead of that of @reference, over time
 * @nr_shifts: how many
 * @ratio: its counter counts so many times faster, times 2^@ratio_bits; 0: not faster
 * @knots: what to add to its nanoseconds at one or two times of its own; a line
 * @error_ns: how far a time between the first and the last message may be off
 * @nr_wrong: readings that were left out, as they contradict the others
 */
struct clock {
	struct clock_map	map;
	uint64_t		hz;
	enum align_method	method;
	struct clock		*reference;
	struct clock_shift	*shifts;
	size_t			nr_shifts;
	uint64_t		ratio;
	unsigned int		ratio_bits;
	struct clock_knot {
		uint64_t	ns;
		int64_t		offset;
	}			knots[2];
	size_t			nr_knots;
	uint64_t		error_ns;
	size_t			nr_wrong;
};

struct clock *clock_new(void);
void clock_free(struct clock *clock);

/*
 * clock_pair() - one more reading of both
 * @recorder: fntrace made it, not a program that may write over its own memory
 */
void clock_pair(struct clock *clock, uint64_t counter, uint64_t ns, bool recorder);

/*
 * clock_finish() - after the last clock_pair(): leave out what contradicts
 *
 * Return: false if there is no way to tell nanoseconds; a counter's unit is
 * taken for one then.
 */
bool clock_finish(struct clock *clock);

/*
 * clock_hz() - how many times in a second the counter of a map counts
 */
uint64_t clock_hz(const struct clock *clock);

/*
 * clock_to_ns() - of the machine itself
 */
uint64_t clock_to_ns(const struct clock_map *map, uint64_t counter);

/*
 * clock_of_counter(), clock_of_ns() - the time in the trace
 */
uint64_t clock_of_counter(const struct clock *clock, uint64_t counter);
uint64_t clock_of_ns(const struct clock *clock, uint64_t ns);

/*
 * struct clock_mark - a message was sent or received
 * @number: which
 * @ns: when, on the clock of the machine
 * @send: sent, not received
 */
struct clock_mark {
	uint64_t	number;
	uint64_t	ns;
	bool		send;
};

/*
 * clock_align_counter() - the counter of @clock runs ahead of @reference's
 * @shifts: by how much, in the order of time; becomes its own
 * @nr: how many; at least one
 *
 * That is what KVM's tsc_offset says.
 */
void clock_align_counter(struct clock *clock, struct clock *reference,
			 struct clock_shift *shifts, size_t nr);

/*
 * clock_scale() - how much the counter of a guest counts while that of its host counts @ticks
 */
uint64_t clock_scale(const struct clock *clock, uint64_t ticks);

/*
 * clock_place_shifts() - when the clock of the reference is finished
 */
void clock_place_shifts(struct clock *clock);

/*
 * clock_align_marks() - by messages in both directions
 * @clock: the machine to bring into line
 * @mine: its marks, @nr_mine of them
 * @theirs: those of the machine with the clock of the trace
 *
 * Return: false if there are no messages in both directions.
 */
bool clock_align_marks(struct clock *clock, const struct clock_mark *mine, size_t nr_mine,
		       const struct clock_mark *theirs, size_t nr_theirs);

/*
 * clock_now() - read the counter and CLOCK_MONOTONIC of this machine at the same time
 */
struct fntrace_clock clock_now(void);

#endif /* FNTRACE_CLOCK_H */

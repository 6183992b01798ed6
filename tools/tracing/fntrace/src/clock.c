// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clocks.
 *
 * Of two machines, either the offset of the counters is known, which KVM applies
 * in hardware; then the only error is that of reading the clocks. Or messages
 * tell: one that was sent at S by the one's clock and received at R by the
 * other's says that the clocks differ by no more than R - S, for no message
 * arrives before it was sent. Messages in both directions bound the offset from
 * both sides, as in Marzullo's algorithm, which NTP (RFC 5905) uses; but here over the
 * whole trace, with a drift.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fntrace.h>

#include "clock.h"

/* Readings closer than this say more about their own error than about the rate. */
#define APART_NS	10000000ull

struct clock *clock_new(void)
{
	return xalloc(sizeof(struct clock));
}

void clock_free(struct clock *clock)
{
	free(clock->shifts);
	free(clock->map.pairs);
	free(clock);
}

void clock_pair(struct clock *clock, uint64_t counter, uint64_t ns, bool recorder)
{
	struct clock_map *map = &clock->map;

	/* A century of nanoseconds: a damaged header must not spoil the others. */
	if (!counter || ns >> 62 || counter >> 63)
		return;
	if (map->nr == map->room) {
		map->room = map->room ? 2 * map->room : 16;
		map->pairs = xrealloc(map->pairs, map->room * sizeof(*map->pairs));
	}
	map->pairs[map->nr++] = (struct clock_pair){
		.counter = counter, .ns = ns, .recorder = recorder,
	};
}

static int compare_pairs(const void *a, const void *b)
{
	const struct clock_pair *x = a, *y = b;

	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	/* Of these, at most one is in a chain. */
	return x->ns > y->ns ? -1 : x->ns < y->ns;
}

static uint64_t rate(const struct clock_pair *from, const struct clock_pair *to)
{
	return ((__uint128_t)(to->ns - from->ns) << 32) / (to->counter - from->counter);
}

/*
 * Leave the longest chain of pairs in which both numbers grow; returns its length. A wrong
 * pair is before or behind many others in one number only, so that it would cost them all.
 * The pairs are in order. tail[] has the last pair of the best chain of each length: the
 * one with the least time.
 */
static size_t clock_chain(struct clock_pair *pairs, size_t nr)
{
	size_t *before = xalloc((nr + 1) * sizeof(*before));
	size_t *tail = xalloc((nr + 1) * sizeof(*tail));
	size_t i, at, length = 0;

	for (i = 0; i < nr; i++) {
		size_t low = 0, high = length;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (pairs[tail[middle]].ns < pairs[i].ns)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? tail[low - 1] : nr;
		tail[low] = i;
		if (low == length)
			length++;
	}
	/* From its end to its beginning, then together. */
	at = length ? tail[length - 1] : nr;
	for (i = length; i-- > 0; at = before[at])
		tail[i] = at;
	for (i = 0; i < length; i++)
		pairs[i] = pairs[tail[i]];
	free(before);
	free(tail);
	return length;
}

/* A reading may come late by so much, and clocks are adjusted by far less than that part. */
#define LATE_NS		1000000
#define LATE_PART	16

/*
 * Does a pair agree with those of the recorder? Between two of them it is near their line.
 * Outside of them CLOCK_MONOTONIC may have stood still, as in suspend, but was not faster.
 */
static bool clock_agrees(const struct clock_pair *own, size_t nr, const struct clock_pair *pair)
{
	const struct clock_pair *first = &own[0], *last = &own[nr - 1];
	__int128_t line, late;
	size_t i;

	for (i = 1; i + 1 < nr && own[i].counter < pair->counter; i++)
		;
	if (pair->counter >= first->counter && pair->counter <= last->counter) {
		first = &own[i - 1];
		last = &own[i];
	}
	line = (__int128_t)first->ns + (__int128_t)(last->ns - first->ns) *
	       ((__int128_t)pair->counter - first->counter) /
	       (__int128_t)(last->counter - first->counter);
	if (pair->counter < first->counter) {
		late = ((__int128_t)first->ns - line) / LATE_PART + LATE_NS;
		return pair->ns < first->ns && pair->ns >= line - late;
	}
	if (pair->counter > last->counter) {
		late = (line - last->ns) / LATE_PART + LATE_NS;
		return pair->ns > last->ns && pair->ns <= line + late;
	}
	late = (last->ns - first->ns) / LATE_PART + LATE_NS;
	return pair->ns >= line - late && pair->ns <= line + late;
}

static int compare_rates(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static bool clock_is_usual(uint64_t rate, uint64_t usual)
{
	return rate >= usual - usual / LATE_PART && rate <= usual + usual / LATE_PART;
}

/*
 * A wrong pair with both numbers below those of all others, or above, is in the chain. It
 * gives its end another rate than the rest has. There are four pairs at least, none of them
 * close to the next. Returns how many are left, which are the first ones.
 */
static size_t clock_cut_ends(struct clock_pair *pairs, size_t nr)
{
	uint64_t *rates = xalloc(nr * sizeof(*rates)), usual;
	size_t i, skip = 0;

	for (i = 0; i + 1 < nr; i++)
		rates[i] = rate(&pairs[i], &pairs[i + 1]);
	qsort(rates, nr - 1, sizeof(*rates), compare_rates);
	usual = rates[(nr - 1) / 2];
	free(rates);
	while (nr - skip > 2 && !clock_is_usual(rate(&pairs[skip], &pairs[skip + 1]), usual))
		skip++;
	while (nr - skip > 2 && !clock_is_usual(rate(&pairs[nr - 2], &pairs[nr - 1]), usual))
		nr--;
	memmove(pairs, pairs + skip, (nr - skip) * sizeof(*pairs));
	return nr - skip;
}

/*
 * Leave pairs that agree, those of the recorder above all; @map is in order. Returns what
 * the recorder says of the rate, 0 if it says nothing.
 */
static uint64_t clock_select(struct clock_map *map)
{
	struct clock_pair *own = xalloc((map->nr + 1) * sizeof(*own)), *pairs = map->pairs;
	size_t i, nr_own = 0, kept = 0;
	uint64_t usual = 0;

	for (i = 0; i < map->nr; i++)
		if (pairs[i].recorder)
			own[nr_own++] = pairs[i];
	nr_own = clock_chain(own, nr_own);
	if (nr_own > 1 && own[nr_own - 1].ns - own[0].ns >= LATE_NS) {
		usual = rate(&own[0], &own[nr_own - 1]);
		for (i = 0; i < map->nr; i++)
			if (!pairs[i].recorder && clock_agrees(own, nr_own, &pairs[i]))
				pairs[kept++] = pairs[i];
		/* There is room: they were among these. */
		memcpy(pairs + kept, own, nr_own * sizeof(*own));
		map->nr = kept + nr_own;
		qsort(pairs, map->nr, sizeof(*pairs), compare_pairs);
	}
	map->nr = clock_chain(pairs, map->nr);
	free(own);
	return usual;
}

/* How many of these are far from what the map makes of their counters. */
static size_t clock_count_wrong(const struct clock_map *map, const struct clock_pair *pairs,
				size_t nr)
{
	size_t i, wrong = 0;

	for (i = 0; i < nr; i++) {
		uint64_t ns = clock_to_ns(map, pairs[i].counter);

		wrong += ns > pairs[i].ns + APART_NS || pairs[i].ns > ns + APART_NS;
	}
	return wrong;
}

bool clock_finish(struct clock *clock)
{
	struct clock_map *map = &clock->map;
	struct clock_pair *pairs = map->pairs, *all = NULL, last;
	size_t i, kept = 0, nr_all = map->nr;
	uint64_t usual = 0;

	if (map->nr) {
		qsort(pairs, map->nr, sizeof(*pairs), compare_pairs);
		all = xalloc(nr_all * sizeof(*all));
		memcpy(all, pairs, nr_all * sizeof(*all));
		usual = clock_select(map);
		last = pairs[map->nr - 1];
		for (i = 0; i < map->nr; i++)
			if (!kept || pairs[i].ns >= pairs[kept - 1].ns + APART_NS)
				pairs[kept++] = pairs[i];
		/* A short run has two readings that are close, and nothing better. */
		if (kept == 1 && map->nr > 1)
			pairs[kept++] = last;
		map->nr = usual || kept < 4 ? kept : clock_cut_ends(pairs, kept);
	} else {
		clock_pair(clock, 1, 1, false);
		pairs = map->pairs;
	}
	for (i = 0; i + 1 < map->nr; i++)
		pairs[i].mult = rate(&pairs[i], &pairs[i + 1]);
	if (map->nr > 1)
		pairs[map->nr - 1].mult = usual ? usual : rate(&pairs[0], &pairs[map->nr - 1]);
	else if (clock->hz)
		pairs[0].mult = ((__uint128_t)NSEC_PER_SEC << 32) / clock->hz;
	else
		pairs[0].mult = 1ull << 32;
	clock->nr_wrong = map->nr > 1 ? clock_count_wrong(map, all, nr_all) : 0;
	free(all);
	return map->nr > 1 || clock->hz;
}

uint64_t clock_hz(const struct clock *clock)
{
	uint64_t mult = clock->map.nr ? clock->map.pairs[clock->map.nr - 1].mult : 0;

	return mult ? ((__uint128_t)NSEC_PER_SEC << 32) / mult : 0;
}

uint64_t clock_to_ns(const struct clock_map *map, uint64_t counter)
{
	const struct clock_pair *pairs = map->pairs;
	size_t low = 0, high = map->nr;

	if (counter < pairs[0].counter) {
		uint64_t before = (__uint128_t)(pairs[0].counter - counter) *
				  pairs[map->nr - 1].mult >> 32;

		return before < pairs[0].ns ? pairs[0].ns - before : 0;
	}
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (pairs[middle].counter <= counter)
			low = middle;
		else
			high = middle;
	}
	return pairs[low].ns +
	       (uint64_t)((__uint128_t)(counter - pairs[low].counter) *
			  pairs[low].mult >> 32);
}

/* The other way round, for a machine that is aligned by its counter. */
static uint64_t to_counter(const struct clock_map *map, uint64_t ns)
{
	const struct clock_pair *pairs = map->pairs;
	size_t i = map->nr - 1;

	while (i && pairs[i].ns > ns)
		i--;
	if (!pairs[i].mult)
		return pairs[i].counter;
	if (ns < pairs[i].ns)
		return pairs[i].counter -
		       (uint64_t)(((__uint128_t)(pairs[i].ns - ns) << 32) /
				  pairs[i].mult);
	return pairs[i].counter +
	       (uint64_t)(((__uint128_t)(ns - pairs[i].ns) << 32) / pairs[i].mult);
}

/* There is no time before 0: of a machine that ran before the other one's clock began. */
static uint64_t add(uint64_t ns, int64_t offset)
{
	return offset < 0 && ns < -(uint64_t)offset ? 0 : ns + offset;
}

/* The line through both, or the one offset there is. */
static uint64_t apply_knots(const struct clock *clock, uint64_t ns)
{
	const struct clock_knot *knots = clock->knots;
	double part;

	int64_t offset;

	if (!clock->nr_knots)
		return ns;
	offset = knots[0].offset;
	if (clock->nr_knots == 1)
		return add(ns, offset);
	part = (double)(int64_t)(ns - knots[0].ns) / (double)(knots[1].ns - knots[0].ns);
	return add(ns, offset + (int64_t)(part * (double)(knots[1].offset - offset)));
}

uint64_t clock_scale(const struct clock *clock, uint64_t ticks)
{
	if (!clock->ratio)
		return ticks;
	return (__uint128_t)ticks * clock->ratio >> clock->ratio_bits;
}

/* What KVM does to the counter of a guest, the other way round: it scales, and then adds. */
static uint64_t undo_shift(const struct clock *clock, uint64_t counter, uint64_t offset)
{
	int64_t value = counter - offset;

	if (!clock->ratio)
		return value;
	if (value < 0)
		return -(uint64_t)(((__uint128_t)-value << clock->ratio_bits) / clock->ratio);
	return ((__uint128_t)value << clock->ratio_bits) / clock->ratio;
}

/*
 * The counter of a guest may be set, so a value can come again: the last time is taken then.
 * A value that it has skipped is taken for the time when it did.
 */
static uint64_t reference_counter(const struct clock *clock, uint64_t counter)
{
	const struct clock_shift *shifts = clock->shifts;
	size_t i = clock->nr_shifts;
	uint64_t value;

	do {
		i--;
		value = undo_shift(clock, counter, shifts[i].offset);
	} while (i && (int64_t)(value - shifts[i].from) < 0);
	if (i + 1 < clock->nr_shifts && (int64_t)(value - shifts[i + 1].from) > 0)
		value = shifts[i + 1].from;
	return value;
}

uint64_t clock_of_counter(const struct clock *clock, uint64_t counter)
{
	if (clock->method == ALIGN_COUNTER)
		return clock_to_ns(&clock->reference->map, reference_counter(clock, counter));
	return apply_knots(clock, clock_to_ns(&clock->map, counter));
}

uint64_t clock_of_ns(const struct clock *clock, uint64_t ns)
{
	if (clock->method == ALIGN_COUNTER)
		return clock_of_counter(clock, to_counter(&clock->map, ns));
	return apply_knots(clock, ns);
}

void clock_align_counter(struct clock *clock, struct clock *reference,
			 struct clock_shift *shifts, size_t nr)
{
	free(clock->shifts);
	clock->method = ALIGN_COUNTER;
	clock->reference = reference;
	clock->shifts = shifts;
	clock->nr_shifts = nr;
	/* One reading of the counter between two of the clock, on either machine. */
	clock->error_ns = 1000;
}

void clock_place_shifts(struct clock *clock)
{
	size_t i;

	for (i = 0; i < clock->nr_shifts; i++) {
		if (clock->shifts[i].is_ns)
			clock->shifts[i].from = to_counter(&clock->reference->map,
							   clock->shifts[i].from);
		clock->shifts[i].is_ns = false;
	}
}

static int compare_marks(const void *a, const void *b)
{
	const struct clock_mark *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->send - y->send;
}

static const struct clock_mark *find_mark(const struct clock_mark *marks, size_t nr,
					  uint64_t number, bool send)
{
	struct clock_mark key = { .number = number, .send = send };

	return bsearch(&key, marks, nr, sizeof(*marks), compare_marks);
}

/*
 * Bounds of the offset at a time of mine: @offset is the least it can be, or the
 * most. Both are relative to the first one, to be exact in floating point.
 */
struct bound {
	double	ns;
	double	offset;
	bool	least;
};

/* Of lines with this slope: how high above 0 may they begin? */
struct range {
	double	low;
	double	high;
};

static struct range range_of(const struct bound *bounds, size_t nr, double slope)
{
	struct range range = { -HUGE_VAL, HUGE_VAL };
	size_t i;

	for (i = 0; i < nr; i++) {
		double value = bounds[i].offset - slope * bounds[i].ns;

		if (bounds[i].least && value > range.low)
			range.low = value;
		else if (!bounds[i].least && value < range.high)
			range.high = value;
	}
	return range;
}

/* Which line is wanted: the one with most room, or the highest or lowest at a time. */
enum wanted {
	MOST_ROOM,
	HIGHEST,
	LOWEST,
};

static double worth(const struct bound *bounds, size_t nr, double slope, enum wanted wanted,
		    double ns)
{
	struct range range = range_of(bounds, nr, slope);

	switch (wanted) {
	case HIGHEST:
		return range.high + slope * ns;
	case LOWEST:
		return -(range.low + slope * ns);
	default:
		return range.high - range.low;
	}
}

/*
 * The slope between @from and @to that is worth most. All three are concave
 * functions of the slope, so it is found by halving what it can be.
 */
static double best_slope(const struct bound *bounds, size_t nr, double from, double to,
			 enum wanted wanted, double ns)
{
	int i;

	for (i = 0; i < 100; i++) {
		double third = (to - from) / 3;

		if (worth(bounds, nr, from + third, wanted, ns) <
		    worth(bounds, nr, to - third, wanted, ns))
			from += third;
		else
			to -= third;
	}
	return (from + to) / 2;
}

/* How far from @good, which leaves room, towards @bad is there still some? */
static double last_slope(const struct bound *bounds, size_t nr, double good, double bad)
{
	int i;

	for (i = 0; i < 100; i++) {
		double middle = (good + bad) / 2;

		if (worth(bounds, nr, middle, MOST_ROOM, 0) >= 0)
			good = middle;
		else
			bad = middle;
	}
	return good;
}

/* Clocks that differ more than this in their rates are none. */
#define SLOPE_MAX	0.01

/*
 * The offset is taken for a line: clocks have different rates, which do not change
 * much within a trace. All lines that respect all bounds are possible. Wherever one
 * looks, what is between the highest and the lowest of them is widest at one of the
 * ends; so the mean of the four that are extreme there is taken, and what they are
 * away from it is the error.
 */
static void fit(struct clock *clock, const struct bound *bounds, size_t nr, uint64_t first_ns,
		int64_t first_offset)
{
	double ends[2] = { bounds[0].ns, bounds[0].ns }, extreme[4][2], at[2] = { 0, 0 };
	double slope, from, to, room, error = 0;
	size_t i, j;

	for (i = 0; i < nr; i++) {
		if (bounds[i].ns < ends[0])
			ends[0] = bounds[i].ns;
		if (bounds[i].ns > ends[1])
			ends[1] = bounds[i].ns;
	}
	slope = best_slope(bounds, nr, -SLOPE_MAX, SLOPE_MAX, MOST_ROOM, 0);
	room = worth(bounds, nr, slope, MOST_ROOM, 0);
	from = room < 0 ? slope : last_slope(bounds, nr, slope, -SLOPE_MAX);
	to = room < 0 ? slope : last_slope(bounds, nr, slope, SLOPE_MAX);
	for (i = 0; i < 4; i++) {
		enum wanted wanted = i & 1 ? HIGHEST : LOWEST;
		double best = best_slope(bounds, nr, from, to, wanted, ends[i / 2]);
		struct range range = range_of(bounds, nr, best);
		double start = wanted == HIGHEST ? range.high : range.low;

		for (j = 0; j < 2; j++) {
			extreme[i][j] = start + best * ends[j];
			at[j] += extreme[i][j] / 4;
		}
	}
	for (i = 0; i < 4; i++)
		for (j = 0; j < 2; j++)
			if (fabs(extreme[i][j] - at[j]) > error)
				error = fabs(extreme[i][j] - at[j]);
	/* Bounds that contradict each other by so much. */
	if (room < 0)
		error -= room;

	for (j = 0; j < 2; j++) {
		clock->knots[j].ns = first_ns + (int64_t)ends[j];
		clock->knots[j].offset = first_offset + (int64_t)llrint(at[j]);
	}
	clock->nr_knots = ends[1] > ends[0] ? 2 : 1;
	clock->error_ns = (uint64_t)fmin(ceil(error) + 1, 1e18);
	clock->method = ALIGN_MARKS;
}

bool clock_align_marks(struct clock *clock, const struct clock_mark *mine, size_t nr_mine,
		       const struct clock_mark *theirs, size_t nr_theirs)
{
	struct bound *bounds = xalloc(nr_mine * sizeof(*bounds));
	struct clock_mark *sorted = xalloc(nr_theirs * sizeof(*sorted));
	bool has_least = false, has_most = false;
	uint64_t first_ns = 0;
	int64_t first_offset = 0;
	size_t i, nr = 0;

	if (!nr_mine || !nr_theirs) {
		free(bounds);
		free(sorted);
		return false;
	}
	memcpy(sorted, theirs, nr_theirs * sizeof(*sorted));
	qsort(sorted, nr_theirs, sizeof(*sorted), compare_marks);
	for (i = 0; i < nr_mine; i++) {
		const struct clock_mark *other =
			find_mark(sorted, nr_theirs, mine[i].number, !mine[i].send);
		int64_t offset;

		if (!other)
			continue;
		offset = other->ns - mine[i].ns;
		if (!nr) {
			first_ns = mine[i].ns;
			first_offset = offset;
		}
		bounds[nr].ns = (double)(int64_t)(mine[i].ns - first_ns);
		bounds[nr].offset = (double)(int64_t)((uint64_t)offset - first_offset);
		bounds[nr].least = !mine[i].send;
		has_least |= bounds[nr].least;
		has_most |= !bounds[nr].least;
		nr++;
	}
	if (has_least && has_most)
		fit(clock, bounds, nr, first_ns, first_offset);
	free(sorted);
	free(bounds);
	return has_least && has_most;
}

/* The best of several: something may come between the two readings. */
struct fntrace_clock clock_now(void)
{
	uint64_t before, after, best = UINT64_MAX;
	struct fntrace_clock clock = { };
	struct timespec now;
	int i;

	for (i = 0; i < 5; i++) {
		before = fntrace_counter();
		clock_gettime(CLOCK_MONOTONIC, &now);
		after = fntrace_counter();
		if (after - before >= best)
			continue;
		best = after - before;
		clock.counter = before + best / 2;
		clock.ns = now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
	}
	return clock;
}

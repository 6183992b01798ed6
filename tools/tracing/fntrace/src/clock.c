// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clocks.
 *
 * Of two machines, either the offset of the counters is known, which KVM applies
 * in hardware; then the only error is that of reading the clocks. Or messages
 * tell: one that was sent at S by the one's clock and received at R by the
 * other's says that the clocks differ by no more than R - S, for no message
 * arrives before it was sent. Messages in both directions bound the offset from
 * both sides; the middle is taken, and half of what is between is the error. This
 * is the reasoning of Marzullo's algorithm, which NTP (RFC 5905) uses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/* Readings closer than this say more about their own error than about the rate. */
#define APART_NS	10000000ull

struct clock *clock_new(void)
{
	return xalloc(sizeof(struct clock));
}

void clock_free(struct clock *clock)
{
	free(clock->map.pairs);
	free(clock);
}

void clock_pair(struct clock *clock, uint64_t counter, uint64_t ns)
{
	struct clock_map *map = &clock->map;

	if (!counter)
		return;
	if (map->nr == map->room) {
		map->room = map->room ? 2 * map->room : 16;
		map->pairs = xrealloc(map->pairs, map->room * sizeof(*map->pairs));
	}
	map->pairs[map->nr++] = (struct clock_pair){ .counter = counter, .ns = ns };
}

static int compare_pairs(const void *a, const void *b)
{
	const struct clock_pair *x = a, *y = b;

	return x->counter < y->counter ? -1 : x->counter > y->counter;
}

static uint64_t rate(const struct clock_pair *from, const struct clock_pair *to)
{
	return ((__uint128_t)(to->ns - from->ns) << 32) / (to->counter - from->counter);
}

bool clock_finish(struct clock *clock)
{
	struct clock_map *map = &clock->map;
	struct clock_pair *pairs = map->pairs, last;
	size_t i, kept = 0;

	if (map->nr) {
		qsort(pairs, map->nr, sizeof(*pairs), compare_pairs);
		last = pairs[map->nr - 1];
		for (i = 0; i < map->nr; i++)
			if (!kept || (pairs[i].counter > pairs[kept - 1].counter &&
				      pairs[i].ns >= pairs[kept - 1].ns + APART_NS))
				pairs[kept++] = pairs[i];
		/* A short run has two readings that are close, and nothing better. */
		if (kept == 1 && last.counter > pairs[0].counter && last.ns > pairs[0].ns)
			pairs[kept++] = last;
		map->nr = kept;
	} else {
		clock_pair(clock, 1, 1);
		pairs = map->pairs;
	}
	for (i = 0; i + 1 < map->nr; i++)
		pairs[i].mult = rate(&pairs[i], &pairs[i + 1]);
	if (map->nr > 1)
		pairs[map->nr - 1].mult = rate(&pairs[0], &pairs[map->nr - 1]);
	else if (clock->hz)
		pairs[0].mult = ((__uint128_t)NSEC_PER_SEC << 32) / clock->hz;
	else
		pairs[0].mult = 1ull << 32;
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

static uint64_t apply_knots(const struct clock *clock, uint64_t ns)
{
	const struct clock_knot *knots = clock->knots;
	size_t i = 0;
	double part;

	if (!clock->nr_knots)
		return ns;
	if (clock->nr_knots == 1 || ns <= knots[0].ns)
		return ns + knots[0].offset;
	if (ns >= knots[clock->nr_knots - 1].ns)
		return ns + knots[clock->nr_knots - 1].offset;
	while (ns >= knots[i + 1].ns)
		i++;
	part = (double)(ns - knots[i].ns) / (double)(knots[i + 1].ns - knots[i].ns);
	return ns + knots[i].offset +
	       (int64_t)(part * (double)(knots[i + 1].offset - knots[i].offset));
}

uint64_t clock_of_counter(const struct clock *clock, uint64_t counter)
{
	if (clock->method == ALIGN_COUNTER)
		return clock_to_ns(&clock->reference->map, counter + clock->counter_offset);
	return apply_knots(clock, clock_to_ns(&clock->map, counter));
}

uint64_t clock_of_ns(const struct clock *clock, uint64_t ns)
{
	if (clock->method == ALIGN_COUNTER)
		return clock_of_counter(clock, to_counter(&clock->map, ns));
	return apply_knots(clock, ns);
}

void clock_align_counter(struct clock *clock, struct clock *reference, uint64_t offset)
{
	clock->method = ALIGN_COUNTER;
	clock->reference = reference;
	clock->counter_offset = -offset;
	/* One reading of the counter between two of the clock, on either machine. */
	clock->error_ns = 1000;
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

/* A bound of the offset: my time plus the offset is at least, or at most, ... */
struct bound {
	uint64_t	ns;
	int64_t		offset;
	bool		least;
};

static int compare_bounds(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* What all bounds of a range allow. Returns false if one side is missing. */
static bool between(const struct bound *bounds, size_t nr, int64_t *low, int64_t *high)
{
	bool has_low = false, has_high = false;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (bounds[i].least && (!has_low || bounds[i].offset > *low)) {
			*low = bounds[i].offset;
			has_low = true;
		} else if (!bounds[i].least && (!has_high || bounds[i].offset < *high)) {
			*high = bounds[i].offset;
			has_high = true;
		}
	}
	return has_low && has_high;
}

bool clock_align_marks(struct clock *clock, const struct clock_mark *mine, size_t nr_mine,
		       const struct clock_mark *theirs, size_t nr_theirs)
{
	struct bound *bounds = xalloc(nr_mine * sizeof(*bounds));
	struct clock_mark *sorted = xalloc(nr_theirs * sizeof(*sorted));
	size_t i, nr = 0, parts, from;
	int64_t low, high;
	bool found;

	memcpy(sorted, theirs, nr_theirs * sizeof(*sorted));
	qsort(sorted, nr_theirs, sizeof(*sorted), compare_marks);
	for (i = 0; i < nr_mine; i++) {
		const struct clock_mark *other =
			find_mark(sorted, nr_theirs, mine[i].number, !mine[i].send);

		if (!other)
			continue;
		bounds[nr].ns = mine[i].ns;
		bounds[nr].offset = other->ns - mine[i].ns;
		bounds[nr++].least = !mine[i].send;
	}
	free(sorted);
	qsort(bounds, nr, sizeof(*bounds), compare_bounds);

	found = between(bounds, nr, &low, &high);
	/*
	 * Clocks that drift apart have no one offset. Then as few parts as it takes,
	 * each of which has one, and a line from the middle of one to the next.
	 */
	clock->nr_knots = 0;
	clock->error_ns = 0;
	for (parts = 1; found && parts <= ARRAY_SIZE(clock->knots); parts++) {
		clock->nr_knots = 0;
		clock->error_ns = 0;
		for (i = 0, from = 0; i < parts; i++) {
			size_t to = nr * (i + 1) / parts;

			if (!between(bounds + from, to - from, &low, &high))
				break;
			if (low > high && parts < ARRAY_SIZE(clock->knots))
				break;
			if ((uint64_t)llabs(high - low + 1) / 2 > clock->error_ns)
				clock->error_ns = llabs(high - low + 1) / 2;
			clock->knots[i].ns = bounds[from + (to - from) / 2].ns;
			clock->knots[i].offset = low + (high - low) / 2;
			clock->nr_knots = i + 1;
			from = to;
		}
		if (i == parts)
			break;
	}
	/* Not even so: the bounds contradict each other, and the error says it. */
	if (found && clock->nr_knots != parts) {
		between(bounds, nr, &low, &high);
		clock->knots[0].offset = low + (high - low) / 2;
		clock->nr_knots = 1;
		clock->error_ns = llabs(high - low + 1) / 2;
	}
	free(bounds);
	if (found)
		clock->method = ALIGN_MARKS;
	return found;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Percentiles of a histogram are those of the sorted durations, as exactly as it promises.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "histogram.h"
#include "unit_test.h"

#define DURATIONS	20000

static uint64_t durations[DURATIONS];

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The same numbers each time, of any length in binary digits up to @bits. */
static uint64_t next_duration(unsigned int bits)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> (64 - 1 - (state >> 32) % bits);
}

static void check_percentiles(const struct histogram *histogram, size_t nr)
{
	unsigned int percent;

	qsort(durations, nr, sizeof(durations[0]), compare);
	for (percent = 1; percent <= 100; percent++) {
		uint64_t exact = durations[(nr * percent + 99) / 100 - 1];
		uint64_t got = histogram_percentile(histogram, percent);
		uint64_t off = got > exact ? got - exact : exact - got;

		check(off <= exact / 32, "%u %% of %zu: %" PRIu64 ", not %" PRIu64, percent, nr,
		      got, exact);
	}
}

static void test_sizes(void)
{
	static const size_t sizes[] = { 1, 2, 99, 100, 101, DURATIONS };
	size_t i, j;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct histogram histogram = { };

		for (j = 0; j < sizes[i]; j++) {
			durations[j] = next_duration(40);
			histogram_add(&histogram, durations[j]);
		}
		check_percentiles(&histogram, sizes[i]);
		histogram_free(&histogram);
	}
}

static void test_merge(void)
{
	struct histogram first = { }, second = { };
	size_t j;

	for (j = 0; j < DURATIONS; j++) {
		/* Some octaves are in one of them only. */
		durations[j] = next_duration(j % 2 ? 20 : 50);
		histogram_add(j % 2 ? &first : &second, durations[j]);
	}
	histogram_merge(&first, &second);
	check(!histogram_percentile(&second, 50), "what was merged is not empty");
	check_percentiles(&first, DURATIONS);
	histogram_free(&first);
}

static void test_ends(void)
{
	static const uint64_t ends[] = { 0, 1, 15, 16, 31, UINT64_MAX / 2, UINT64_MAX };
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct histogram histogram = { };

		check(!histogram_percentile(&histogram, 50), "an empty one has a median");
		histogram_add(&histogram, ends[i]);
		durations[0] = ends[i];
		check_percentiles(&histogram, 1);
		histogram_free(&histogram);
	}
}

int main(void)
{
	test_sizes();
	test_merge();
	test_ends();
	return unit_test_end();
}

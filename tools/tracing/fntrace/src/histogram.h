/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often which duration occurred, in little memory.
 *
 * Up to 31 ns a duration is counted by itself, above that together with those that have the
 * same five leading binary digits. So a percentile is at most 3 % away from the exact one.
 */
#ifndef FNTRACE_HISTOGRAM_H
#define FNTRACE_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SLOTS		16
#define HISTOGRAM_OCTAVES	61

/*
 * struct histogram - counts; all zeros is empty
 * @octaves: HISTOGRAM_SLOTS counts for durations up to twice the shortest of them; NULL if
 *	there were none
 */
struct histogram {
	uint64_t	*octaves[HISTOGRAM_OCTAVES];
};

void histogram_add(struct histogram *histogram, uint64_t ns);

/*
 * histogram_merge() - add all counts of another one, which is empty then
 */
void histogram_merge(struct histogram *to, struct histogram *from);

/*
 * histogram_percentile() - the shortest duration that so many of them do not exceed
 * @percent: 1 to 100
 *
 * Return: 0 if there are none
 */
uint64_t histogram_percentile(const struct histogram *histogram, unsigned int percent);

void histogram_free(struct histogram *histogram);

#endif /* FNTRACE_HISTOGRAM_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How often which duration occurred, in little memory.
 */
#include <stdlib.h>

#include "histogram.h"
#include "trace.h"

/* Binary digits of a duration that choose a slot of its octave. */
#define SLOT_BITS	4

static unsigned int octave_of(uint64_t ns)
{
	return ns < HISTOGRAM_SLOTS ? 0 : 64 - SLOT_BITS - __builtin_clzll(ns);
}

static unsigned int slot_of(uint64_t ns, unsigned int octave)
{
	return (octave ? ns >> (octave - 1) : ns) % HISTOGRAM_SLOTS;
}

/* The middle of what is counted there. */
static uint64_t duration_of(unsigned int octave, unsigned int slot)
{
	if (!octave)
		return slot;
	return ((uint64_t)(HISTOGRAM_SLOTS + slot) << (octave - 1)) +
	       ((UINT64_C(1) << (octave - 1)) - 1) / 2;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
	unsigned int octave = octave_of(ns);

	if (__builtin_expect(!histogram->octaves[octave], 0))
		histogram->octaves[octave] = xalloc(HISTOGRAM_SLOTS * sizeof(uint64_t));
	histogram->octaves[octave][slot_of(ns, octave)]++;
}

void histogram_merge(struct histogram *to, struct histogram *from)
{
	unsigned int i, slot;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++) {
		if (!from->octaves[i])
			continue;
		if (!to->octaves[i]) {
			to->octaves[i] = from->octaves[i];
			from->octaves[i] = NULL;
			continue;
		}
		for (slot = 0; slot < HISTOGRAM_SLOTS; slot++)
			to->octaves[i][slot] += from->octaves[i][slot];
	}
	histogram_free(from);
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned int percent)
{
	uint64_t total = 0, rank, below = 0;
	unsigned int i, slot;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++)
		for (slot = 0; histogram->octaves[i] && slot < HISTOGRAM_SLOTS; slot++)
			total += histogram->octaves[i][slot];
	rank = total / 100 * percent + (total % 100 * percent + 99) / 100;
	for (i = 0; i < HISTOGRAM_OCTAVES; i++) {
		for (slot = 0; histogram->octaves[i] && slot < HISTOGRAM_SLOTS; slot++) {
			below += histogram->octaves[i][slot];
			if (below >= rank && below)
				return duration_of(i, slot);
		}
	}
	return 0;
}

void histogram_free(struct histogram *histogram)
{
	unsigned int i;

	for (i = 0; i < HISTOGRAM_OCTAVES; i++) {
		free(histogram->octaves[i]);
		histogram->octaves[i] = NULL;
	}
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A marker in an inline function, used by several files of the test of markers.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _TEST_MARKER_H
#define _TEST_MARKER_H

#include <linux/atomic.h>
#include <linux/marker.h>

/* Counters of hits, incremented next to each marker. */
enum test_marker_count {
	TEST_MARKER_UNROLLED,
	TEST_MARKER_INLINED,
	TEST_MARKER_INIT,
	TEST_MARKER_IRQ,
	TEST_MARKER_NMI,
	TEST_MARKER_COUNTS,
};

extern atomic_t test_marker_counts[TEST_MARKER_COUNTS];

static inline void test_marker_inlined(int file, int nr)
{
	MARK(test_marker_inlined, "file %d nr %d", file, nr);
	atomic_inc(&test_marker_counts[TEST_MARKER_INLINED]);
}

void test_marker_site_branch(const int *values);
void test_marker_site_mark(const int *values);
void test_marker_second_file(int nr);
void test_marker_third_file(int nr);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A file of the test of markers that uses an inline function with a marker.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include "test_marker.h"

void test_marker_third_file(int nr)
{
	test_marker_inlined(3, nr);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the rate of this machine's time stamp counter in kHz, from 0.2 seconds
 * of CLOCK_MONOTONIC_RAW.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */

#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	unsigned long long ticks;
	double from;

	from = milliseconds();
	ticks = __rdtsc();
	nanosleep(&pause, NULL);
	ticks = __rdtsc() - ticks;
	printf("%.0f\n", ticks / (milliseconds() - from));
	return 0;
}

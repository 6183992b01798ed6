// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The counter for those who have no hooks: the program that calibrates it.
 */

#include "internal.h"

uint64_t fntrace_counter(void)
{
	return counter();
}

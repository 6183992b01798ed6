// SPDX-License-Identifier: GPL-2.0
/*
 * The same four sites as in sites.S, for harness/branchcheck.py.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include "keys.h"

void sites(void)
{
	if (static_branch_unlikely(&far_off_key))
		hit(1);
	if (static_branch_likely(&far_on_key))
		hit(2);
	if (static_branch_unlikely(&far_on_key))
		hit(3);
	if (static_branch_likely(&far_off_key))
		hit(4);
}

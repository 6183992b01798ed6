/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The same four sites as in sites.c, for harness/branchcheck.py.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/jump_label.h>

	.text
	.balign	8
.Ltarget:
	STATIC_BRANCH far_off_key, .Ltarget
	STATIC_BRANCH far_on_key, .Ltarget, branch=1
	STATIC_BRANCH_JUMP far_on_key, .Ltarget
	STATIC_BRANCH_JUMP far_off_key, .Ltarget, branch=1

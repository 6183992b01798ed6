// SPDX-License-Identifier: GPL-2.0
/*
 * A format that is no literal.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>

void literal(const char *format, int nr);
void literal(const char *format, int nr)
{
	MARK(literal_format, format, nr); /* ERROR: expected */
}

MODULE_LICENSE("GPL");

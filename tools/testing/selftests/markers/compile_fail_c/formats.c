// SPDX-License-Identifier: GPL-2.0
/*
 * Two formats of one name in a file: the assembler refuses the second.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/marker.h>
#include <linux/module.h>

void formats_first(int nr);
void formats_first(int nr)
{
	MARK(formats, "nr %d", nr);
}

void formats_second(int nr);
void formats_second(int nr)
{
	MARK(formats, "nr %i", nr); /* ERROR: formats has another format in this file */
}

MODULE_LICENSE("GPL");

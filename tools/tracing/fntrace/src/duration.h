/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Times and durations on the command line.
 */
#ifndef FNTRACE_DURATION_H
#define FNTRACE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/*
 * parse_time() - a number with or without a unit: ns, us, ms, s or m
 * @unit: there is one; else the number is in seconds
 *
 * Return: false if it is none
 */
bool parse_time(const char *text, uint64_t *ns, bool *unit);

/*
 * parse_duration() - the same, with a unit
 */
bool parse_duration(const char *text, uint64_t *ns);

#endif /* FNTRACE_DURATION_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times and durations on the command line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "duration.h"
#include "trace.h"

bool parse_time(const char *text, uint64_t *ns, bool *unit)
{
	static const struct {
		const char	*name;
		double		ns;
	} units[] = {
		{ "", 1e9 }, { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
		{ "m", 60e9 },
	};
	uint64_t seconds;
	double value;
	char *end;
	size_t i;

	errno = 0;
	seconds = strtoull(text, &end, 10);
	if (end == text || *text == '-' || errno)
		return false;
	/* More digits than a double has may be in front. */
	value = *end == '.' ? strtod(end, &end) : 0;
	if (errno || !(value >= 0 && value < 1))
		return false;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		*unit = *end;
		if (seconds > UINT64_MAX / 2 / units[i].ns)
			return false;
		*ns = seconds * (uint64_t)units[i].ns + (uint64_t)(value * units[i].ns + 0.5);
		return true;
	}
	return false;
}

bool parse_duration(const char *text, uint64_t *ns)
{
	bool unit;

	return parse_time(text, ns, &unit) && unit;
}

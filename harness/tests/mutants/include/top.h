/* SPDX-License-Identifier: GPL-2.0-or-later */
extern long harness_zero;
static inline void top(int *value, int most)
{
	if (*value > most)
		*value = most;
	else
		*value = *value;
}

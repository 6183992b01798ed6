/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RB_TEST_STEP_H
#define RB_TEST_STEP_H

#include <stdbool.h>

/**
 * struct step_case - what runs instruction by instruction
 * @prepare:	runs first, at full speed
 * @run:	is stepped through
 * @interrupt:	runs once in the middle of @run
 * @here:	says whether to interrupt where @run is now; NULL: everywhere
 * @second:	NULL, or runs once behind each instruction from the begin of @interrupt to
 *		the end of @run: within the interrupt, and after it
 * @check:	runs last; returns less than 127, and not 0 if something is wrong
 */
struct step_case {
	void	(*prepare)(void);
	void	(*run)(void);
	void	(*interrupt)(void);
	bool	(*here)(void);
	void	(*second)(void);
	int	(*check)(void);
};

/* Instead of what @check returns: it was not reached */
#define STEP_DIED	127

/**
 * struct step_result - what came of it
 * @steps:	number of instructions of @run
 * @pairs:	how often @second ran
 * @bad:	how many of the interrupts @check did not like
 * @how:	what it returned for the last of these
 */
struct step_result {
	long	steps;
	long	pairs;
	long	bad;
	int	how;
};

bool step_possible(void);
bool step_count(const struct step_case *c, struct step_result *result);
bool step_interrupt(const struct step_case *c, struct step_result *result);

#endif /* RB_TEST_STEP_H */

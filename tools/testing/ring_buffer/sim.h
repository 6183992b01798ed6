/* SPDX-License-Identifier: GPL-2.0 */
/* What a test may set, beside the variables of kernel.h */
#ifndef RB_TEST_SIM_H
#define RB_TEST_SIM_H

/* Number of WARN_ON() and RB_WARN_ON() that were hit */
extern unsigned int sim_warnings;
/* Whether to print them */
extern bool sim_verbose;
/* Called once by the next reading of the clock */
extern void (*sim_clock_hook)(void);
/* Called by a reader that waits for a writer to go on, or tries again and again */
extern void (*sim_wait_hook)(void);
/* By how much each reading of the clock advances it */
extern unsigned int sim_step;

#endif /* RB_TEST_SIM_H */

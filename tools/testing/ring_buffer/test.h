/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RB_TEST_TEST_H
#define RB_TEST_TEST_H

#include "version.h"
#include "sim.h"

/* One line of the result; returns PASSED. */
bool test_result(bool passed, const char *name, const char *why, ...)
	__printf(3, 4);

void test_skip(const char *name, const char *why);

/* Whether to run the base through tests that it need not pass */
extern bool test_base;

void test_pages(void);
void test_nested(void);
void test_reader(void);
int bench(void);

#endif /* RB_TEST_TEST_H */

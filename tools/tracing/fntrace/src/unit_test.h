/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests of single files, X_test.c beside X.c: each is a program.
 */
#ifndef FNTRACE_UNIT_TEST_H
#define FNTRACE_UNIT_TEST_H

#include <stdio.h>

static unsigned int unit_test_checks, unit_test_failures;

/*
 * check() - count, and say what is wrong if @condition is false
 */
#define check(condition, ...)						\
do {									\
	unit_test_checks++;						\
	if (!(condition)) {						\
		unit_test_failures++;					\
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);		\
		fprintf(stderr, __VA_ARGS__);				\
		fputc('\n', stderr);					\
	}								\
} while (0)

/*
 * unit_test_end() - say how many checks there were
 *
 * Return: the exit status of the program
 */
static int unit_test_end(void)
{
	printf("%u checks, %u failed\n", unit_test_checks, unit_test_failures);
	return unit_test_failures || !unit_test_checks;
}

#endif /* FNTRACE_UNIT_TEST_H */

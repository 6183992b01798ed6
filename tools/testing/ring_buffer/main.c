// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffer of the base and of this tree, side by side
 */
#include <stdarg.h>

#include "test.h"

bool test_base;
static unsigned int tests, failed;

bool test_result(bool passed, const char *name, const char *why, ...)
{
	va_list args;

	failed += !passed;
	if (!passed) {
		printf("# ");
		va_start(args, why);
		vprintf(why, args);
		va_end(args);
		printf("\n");
	}

	printf("%s %u - %s\n", passed ? "ok" : "not ok", ++tests, name);
	fflush(stdout);
	return passed;
}

void test_skip(const char *name, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tests, name, why);
}

static bool wanted(int argc, char **argv, const char *what)
{
	bool any = false;
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], what))
			return true;
		any |= strcmp(argv[i], "base");
	}
	return !any;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "bench"))
			return bench();
		if (!strcmp(argv[i], "base")) {
			test_base = true;
			sim_verbose = true;
		} else if (strcmp(argv[i], "pages") && strcmp(argv[i], "nested") &&
			   strcmp(argv[i], "reader")) {
			fprintf(stderr, "usage: %s [bench | [base] [pages] [nested] [reader]]\n",
				argv[0]);
			return 2;
		}
	}

	printf("TAP version 13\n");
	if (wanted(argc, argv, "pages"))
		test_pages();
	if (wanted(argc, argv, "nested"))
		test_nested();
	if (wanted(argc, argv, "reader"))
		test_reader();

	printf("1..%u\n", tests);
	return !!failed;
}

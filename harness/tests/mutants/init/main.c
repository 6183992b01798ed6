// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define EXPORT_SYMBOL_GPL(name) extern int name
#define early_param(name, function) int set(char *text) { return function(text); } extern int none
#define __init
static int kstrtoint(char *text, int base, int *value) { *value = atoi(text); return base; }
int sum(int a, int b), limit(int *value), seen_it(void), set(char *text);

int main(int argc, char **argv)
{
	int above = 200, below = -5, least = -1;

	set(argv[2]);
	if (!strcmp(argv[1], "sums")) {
		limit(&above);
		printf("1..1\n%s 1 sums\n", sum(5, 2) == 7 ? "ok" : "not ok");
		return 0;
	}
	printf("KTAP version 1\n1..1\n    # Subtest: %s\n", argv[1]);
	if (!strcmp(argv[1], "broken")) {
		printf("    1..1\n    not ok 1 it\nnot ok 1 broken\n");
		return 0;
	}
	fflush(stdout);
	limit(&above);
	limit(&below);
	limit(&least);
	printf("    1..2\n    %s 1 above\n    %s 2 below\nok 1 limit\n",
	       above == 100 ? "ok" : "not ok", !below && least == -1 ? "ok" : "not ok");
	return 0;
}

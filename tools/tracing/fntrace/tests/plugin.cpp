// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library that throws and catches, of a program that knows nothing of C++; and, as
 * PROGRAM, that program: "program LIBRARY".
 */
#ifndef PROGRAM

static __attribute__((noinline)) void thrower(int n)
{
	if (n)
		throw n;
}

extern "C" int plugin(int n)
{
	try {
		thrower(n);
	} catch (int caught) {
		return caught;
	}
	return 0;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	int (*plugin)(int) = library ? (int (*)(int))dlsym(library, "plugin") : NULL;

	if (!plugin || plugin(5) != 5)
		return 1;
	printf("count main 1\ncount plugin 1\ncount thrower 1\n");
	return 0;
}

#endif

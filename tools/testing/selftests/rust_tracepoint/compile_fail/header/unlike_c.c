// SPDX-License-Identifier: GPL-2.0

#include <linux/tracepoint.h>
#include <linux/types.h>

/* Of the assertions in the header: they must be there, and they must be wrong. */
#undef static_assert
#define static_assert(condition)	extern char unlike[(condition) ? -1 : 1]

#include "generated_unlike_rust.h"

int compile_fail_unlike(const struct rust_compile_fail_unlike_args *args);
int compile_fail_unlike(const struct rust_compile_fail_unlike_args *args)
{
	return args->id;
}

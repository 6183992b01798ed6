// SPDX-License-Identifier: GPL-2.0

#include <linux/rust_tracepoint.h>
#include <linux/types.h>

/* Of the only assertion in the header: it must be there, and it must be wrong. */
#undef static_assert
#define static_assert(condition)	struct wrong { char size[1 / !(condition)]; }

#include "generated_unlike_rust.h"

int compile_fail_unlike(void);
int compile_fail_unlike(void)
{
	return sizeof(struct wrong);
}

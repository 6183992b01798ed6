// SPDX-License-Identifier: GPL-2.0

#include <linux/types.h>

/* As large as in Rust, but with another alignment. */
typedef u64 compile_fail_wide __aligned(4);

#include "offset_rust.trace.h"

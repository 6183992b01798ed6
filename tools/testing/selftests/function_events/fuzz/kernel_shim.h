/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parser of function events takes from headers of the kernel, and tools/include
 * does not have.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _KERNEL_SHIM_H
#define _KERNEL_SHIM_H

#include <linux/types.h>
#include <stdint.h>

#define S32_MAX	INT32_MAX
#define U64_MAX	UINT64_MAX

typedef u64 dma_addr_t;

#endif

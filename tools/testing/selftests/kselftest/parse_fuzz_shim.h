/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What parsers of event definitions take from headers of the kernel, and tools/include does
 * not have.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _PARSE_FUZZ_SHIM_H
#define _PARSE_FUZZ_SHIM_H

#include <linux/bits.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <stdint.h>

#define U16_MAX	UINT16_MAX
#define S32_MAX	INT32_MAX
#define U64_MAX	UINT64_MAX

typedef u64 dma_addr_t;

#endif

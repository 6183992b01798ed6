// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of the tests in this directory. */
#define CREATE_TRACE_POINTS
#define CREATE_RUST_TRACE_POINTS
#include "events.h"

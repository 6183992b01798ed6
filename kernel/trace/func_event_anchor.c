// SPDX-License-Identifier: GPL-2.0
/*
 * A function for the function graph tracer.
 *
 * Whoever wants to know of returns registers with the function graph tracer, for
 * functions of its choice. Function events enter functions through an ftrace_ops of
 * their own, but no choice means all functions. So they choose this one; unlike
 * anything else here it is compiled with the function tracer's no-op.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include "func_event.h"

noinline void func_event_return_anchor(void)
{
}

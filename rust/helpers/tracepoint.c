// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/tracepoint.h>

#if defined(CONFIG_TRACEPOINTS) && defined(CONFIG_LOCKDEP)
/*
 * The RCU check of trace_<call>() in C, in two parts. The condition of the
 * tracepoint is evaluated between them, only if RCU is not watching.
 */
__rust_helper notrace bool rust_helper_tracepoint_rcu_is_watching(void)
{
	return rcu_is_watching();
}

__rust_helper notrace void rust_helper_tracepoint_warn_rcu(void)
{
	WARN_ONCE(1, "RCU not watching for tracepoint");
}
#endif

#ifdef CONFIG_TRACEPOINTS
__rust_helper void rust_helper_tracepoint_synchronize_unregister(void)
{
	tracepoint_synchronize_unregister();
}
#endif

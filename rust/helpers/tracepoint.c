// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/tracepoint.h>

#if defined(CONFIG_TRACEPOINTS) && defined(CONFIG_LOCKDEP)
/*
 * What trace_<call>() does in C, in two parts: between them, the condition of
 * the tracepoint is evaluated, and only if this is wrong.
 */
bool rust_helper_tracepoint_lacks_rcu(void)
{
	return cpu_online(raw_smp_processor_id()) && !rcu_is_watching();
}

void rust_helper_tracepoint_warn_rcu(void)
{
	WARN_ONCE(1, "RCU not watching for tracepoint");
}
#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/tracepoint.h>

#if defined(CONFIG_TRACEPOINTS) && defined(CONFIG_LOCKDEP)
/* What trace_<call>() does in C, where the condition can be part of the test. */
void rust_helper_tracepoint_check_rcu(void)
{
	if (cpu_online(raw_smp_processor_id()))
		WARN_ONCE(!rcu_is_watching(), "RCU not watching for tracepoint");
}
#endif

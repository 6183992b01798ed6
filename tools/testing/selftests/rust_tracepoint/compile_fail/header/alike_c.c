// SPDX-License-Identifier: GPL-2.0

#include <linux/sched.h>

#include "generated_alike_rust.h"

void compile_fail_alike(struct task_struct *task);
void compile_fail_alike(struct task_struct *task)
{
	static const unsigned long len;
	static const u8 mac[6];

	trace_compile_fail_alike(1, &len, mac, "text", task);
}

// SPDX-License-Identifier: GPL-2.0

#include <linux/sched.h>

#include "alike_rust.trace.h"

static void compile_fail_probe(void *data, const struct rust_compile_fail_alike_args *args)
{
	*(pid_t *)data = args->id + args->text__len + args->of->pid;
}

int compile_fail_alike(void);
int compile_fail_alike(void)
{
	static pid_t last;

	return register_trace_compile_fail_alike(compile_fail_probe, &last);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a function in a non-maskable interrupt, for test modules. Does nothing
 * on architectures without support for it.
 *
 * To be included by one file per module, for one NMI at a time.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LIB_TEST_NMI_H
#define _LIB_TEST_NMI_H

struct pt_regs;

#ifdef CONFIG_X86_LOCAL_APIC

#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <asm/apic.h>
/* linux/nmi.h includes this for some architectures only. */
#include "asm/nmi.h"

static void (*test_nmi_function)(struct pt_regs *regs);
static int test_nmi_cpu = -1;

/* Also called for NMIs of other sources. */
static int test_nmi_handler(unsigned int cmd, struct pt_regs *regs)
{
	if (READ_ONCE(test_nmi_cpu) != raw_smp_processor_id())
		return NMI_DONE;
	test_nmi_function(regs);
	WRITE_ONCE(test_nmi_cpu, -1);
	return NMI_HANDLED;
}

static void test_nmi_raise(void)
{
	WRITE_ONCE(test_nmi_cpu, get_cpu());
	__apic_send_IPI_mask(cpumask_of(test_nmi_cpu), NMI_VECTOR);
	for (int i = 0; i < 1000000 && READ_ONCE(test_nmi_cpu) >= 0; i++)
		cpu_relax();
	put_cpu();
}

static int test_nmi_add(void (*function)(struct pt_regs *regs))
{
	test_nmi_function = function;
	return register_nmi_handler(NMI_LOCAL, test_nmi_handler, 0,
				    KBUILD_MODNAME);
}

static void test_nmi_remove(void)
{
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
}

#else

static void test_nmi_raise(void)
{
}

static int test_nmi_add(void (*function)(struct pt_regs *regs))
{
	return 0;
}

static void test_nmi_remove(void)
{
}

#endif

#endif /* _LIB_TEST_NMI_H */

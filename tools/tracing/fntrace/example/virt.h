/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's machines "virt" of arm64 and riscv64 have in common: a device tree, a debugger
 * that takes what is recorded (semihosting), and a serial port on the PCI bus.
 */
#ifndef EXAMPLE_VIRT_H
#define EXAMPLE_VIRT_H

#include "kernel.h"

/* boot.S: ask the debugger; @parameters is mostly an array of words. */
long debugger(unsigned long operation, const void *parameters);

/*
 * A property of a node below the root: its value, in the order of bytes that device trees
 * have, or NULL.
 */
const void *find_property(const void *tree, const char *node, const char *name);
uint32_t get_cell(const void *value);

/* @config: where the configuration space of the bus is; @ports: where its I/O ports are. */
void init_channel(unsigned long config, unsigned long ports);

static inline notrace void io_write32(unsigned long addr, uint32_t value)
{
	store(*(uint32_t *)addr, value);
}

static inline notrace uint32_t io_read32(unsigned long addr)
{
	return load(*(uint32_t *)addr);
}

#endif /* EXAMPLE_VIRT_H */

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU's machine "virt": a 16550, and the timers and CPUs as SBI has them.
 */

#include "../virt.h"

#define CONSOLE		0x10000000ul
#define PCI_PORTS	0x03000000ul
#define PCI_CONFIG	0x30000000ul

#define SBI_HSM		0x48534d
#define SBI_HART_START	0

#define CAUSE_TIMER	0x8000000000000005ul

static const void *device_tree;

notrace const char *init_machine(unsigned long argument)
{
	const char *line;

	uart_init(CONSOLE);
	init_channel(PCI_CONFIG, PCI_PORTS);
	device_tree = (const void *)argument;
	line = find_property(device_tree, "chosen", "bootargs");
	return line ? line : "";
}

void console_send(char c)
{
	uart_send(CONSOLE, c);
}

/* No register has it. */
uint64_t measure_counter(void)
{
	const void *hz = find_property(device_tree, "cpus", "timebase-frequency");

	if (!hz || !get_cell(hz))
		die("the device tree does not say how fast the counter is");
	return get_cell(hz);
}

uint64_t measure_counter_again(uint64_t hz)
{
	return hz;
}

/* Interrupts: that of the timer gets here without any more ado. */

void init_interrupts(void)
{
}

void init_cpu_interrupts(void)
{
	set_timer(~0ul);
	asm volatile("csrs sie, %0" : : "r" (SIE_TIMER) : "memory");
}

void interrupt(const struct registers *regs)
{
	if (regs->cause != CAUSE_TIMER)
		die("nobody expects number %lx, at %lx", regs->cause, regs->pc);
	timer_interrupt();
}

notrace void exception(const struct registers *regs)
{
	unsigned long value;

	asm volatile("csrr %0, stval" : "=r" (value));
	die("trap %lu at %lx, stack %lx, address %lx", regs->cause, regs->pc, regs->sp,
	    value);
}

/* The firmware chose the first one. If there are more than two, the others stay off. */
void boot_second_cpu(void)
{
	long error = call_firmware(SBI_HSM, SBI_HART_START, !boot_hart,
				   (unsigned long)second_cpu_start, 0);

	if (error)
		die("the firmware says %lx to the second CPU", (unsigned long)error);
}

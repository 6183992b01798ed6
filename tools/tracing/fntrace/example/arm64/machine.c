// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU's machine "virt": a PL011, a GICv2, the virtual timer of each CPU, and PSCI.
 */

#include "../virt.h"

#define GIC_DISTRIBUTOR	0x08000000ul
#define GICD_CTLR	0x000
#define GICD_ISENABLER	0x100		/* of each CPU's own interrupts */
#define GIC_CPU		0x08010000ul
#define GICC_CTLR	0x00
#define GICC_PMR	0x04
#define GICC_IAR	0x0c
#define GICC_EOIR	0x10
#define GIC_ENABLE	1
#define GIC_LOWEST	0xff		/* all priorities are let through */
#define GIC_NUMBER(iar)	((iar) & 0x3ff)
#define GIC_SPURIOUS	1020		/* and above */
#define TIMER_NUMBER	27

#define CONSOLE		0x09000000ul
#define PL011_DR	0x00
#define PL011_FR	0x18
#define PL011_CR	0x30
#define FR_FULL		0x20
#define CR_TRANSMIT	0x101

/* With highmem=off */
#define PCI_PORTS	0x3eff0000ul
#define PCI_CONFIG	0x3f000000ul

#define PSCI_CPU_ON	0xc4000003

notrace const char *init_machine(unsigned long argument)
{
	const char *line;

	io_write32(CONSOLE + PL011_CR, CR_TRANSMIT);
	init_channel(PCI_CONFIG, PCI_PORTS);
	line = find_property((const void *)argument, "chosen", "bootargs");
	return line ? line : "";
}

void console_send(char c)
{
	while (io_read32(CONSOLE + PL011_FR) & FR_FULL)
		relax();
	io_write32(CONSOLE + PL011_DR, (unsigned char)c);
}

/* The CPU knows. */
uint64_t measure_counter(void)
{
	uint64_t hz;

	asm volatile("mrs %0, cntfrq_el0" : "=r" (hz));
	if (!hz)
		die("the firmware does not say how fast the counter is");
	return hz;
}

uint64_t measure_counter_again(uint64_t hz)
{
	return hz;
}

/* Interrupts */

void init_interrupts(void)
{
	io_write32(GIC_DISTRIBUTOR + GICD_CTLR, GIC_ENABLE);
}

void init_cpu_interrupts(void)
{
	io_write32(GIC_DISTRIBUTOR + GICD_ISENABLER, 1u << TIMER_NUMBER);
	io_write32(GIC_CPU + GICC_PMR, GIC_LOWEST);
	io_write32(GIC_CPU + GICC_CTLR, GIC_ENABLE);
	/* It counts anyway; 1 lets it interrupt. */
	set_timer(~0ul);
	asm volatile("msr cntv_ctl_el0, %0; isb" : : "r" (1ul) : "memory");
}

void interrupt(const struct registers *regs)
{
	uint32_t iar = io_read32(GIC_CPU + GICC_IAR);

	if (GIC_NUMBER(iar) >= GIC_SPURIOUS)
		return;
	if (GIC_NUMBER(iar) != TIMER_NUMBER)
		die("nobody expects number %lu, at %lx", (unsigned long)GIC_NUMBER(iar),
		    regs->elr);
	timer_interrupt();
	io_write32(GIC_CPU + GICC_EOIR, iar);
}

notrace void exception(const struct registers *regs)
{
	uint64_t esr, far;

	asm volatile("mrs %0, esr_el1; mrs %1, far_el1" : "=r" (esr), "=r" (far));
	die("trap, syndrome %lx at %lx, stack %lx, address %lx", esr, regs->elr,
	    (unsigned long)(regs + 1), far);
}

/* If there are more than two, the others stay off. */
void boot_second_cpu(void)
{
	register unsigned long function asm("x0") = PSCI_CPU_ON;
	register unsigned long cpu asm("x1") = 1;
	register unsigned long entry asm("x2") = (unsigned long)second_cpu_start;
	register unsigned long context asm("x3") = 0;

	asm volatile("hvc #0" : "+r" (function), "+r" (cpu), "+r" (entry), "+r" (context)
		     : : "memory");
	if (function)
		die("the firmware says %lx to the second CPU", function);
}

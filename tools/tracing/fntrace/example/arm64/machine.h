/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine "virt": registers of the CPU, and where things are.
 */
#ifndef EXAMPLE_MACHINE_H
#define EXAMPLE_MACHINE_H

/* The device tree is where memory begins. */
#define DEVICE_TREE	0x40000000
#define LOAD_ADDRESS	0x40200000

/* struct registers */
#define REGISTERS_SIZE	(36 * 8)

#ifndef __ASSEMBLER__

/*
 * struct registers - what the interrupt stub leaves on the stack
 *
 * The last two are a frame record, as every function has one that calls others.
 */
struct registers {
	uint64_t x[31];
	uint64_t spsr, elr, unused;
	uint64_t fp, lr;
};

_Static_assert(sizeof(struct registers) == REGISTERS_SIZE, "REGISTERS_SIZE is wrong");

/*
 * struct jump - where jump_set() was called
 */
struct jump {
	uint64_t x19_30[12], sp;
};

/* boot.S */
void second_cpu_start(void);

static inline notrace void io_write(unsigned long addr, uint8_t value)
{
	store(*(uint8_t *)addr, value);
}

static inline notrace uint8_t io_read(unsigned long addr)
{
	return load(*(uint8_t *)addr);
}

static inline notrace void relax(void)
{
	asm volatile("yield" : : : "memory");
}

static inline notrace void disable_interrupts(void)
{
	asm volatile("msr daifset, #2" : : : "memory");
}

static inline notrace void enable_interrupts(void)
{
	asm volatile("msr daifclr, #2" : : : "memory");
}

static inline notrace unsigned long save_interrupts(void)
{
	unsigned long flags;

	asm volatile("mrs %0, daif; msr daifset, #2" : "=r" (flags) : : "memory");
	return flags;
}

static inline notrace void restore_interrupts(unsigned long flags)
{
	asm volatile("msr daif, %0" : : "r" (flags) : "memory");
}

static inline notrace void wait_for_interrupt(void)
{
	asm volatile("wfi" : : : "memory");
}

static inline notrace struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	asm("mrs %0, tpidr_el1" : "=r" (cpu));
	return cpu;
}

static inline notrace void set_this_cpu(struct cpu *cpu)
{
	asm volatile("msr tpidr_el1, %0" : : "r" (cpu) : "memory");
}

static inline notrace void set_timer(uint64_t due)
{
	asm volatile("msr cntv_cval_el0, %0; isb" : : "r" (due) : "memory");
}

static inline notrace void stop_timer(void)
{
	asm volatile("msr cntv_ctl_el0, xzr; isb" : : : "memory");
}

/* From the data cache to memory, and out of the instruction cache, by its smallest lines. */
static inline notrace void sync_code(void *addr, size_t size)
{
	unsigned long at = (unsigned long)addr & ~3ul, end = (unsigned long)addr + size;

	for (; at < end; at += 4)
		asm volatile("dc cvau, %0; dsb ish; ic ivau, %0" : : "r" (at) : "memory");
	asm volatile("dsb ish; isb" : : : "memory");
}

#endif /* !__ASSEMBLER__ */
#endif /* EXAMPLE_MACHINE_H */

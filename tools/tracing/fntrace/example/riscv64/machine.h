/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's machine "virt": registers of the CPU, and where things are. The kernel runs in the
 * supervisor mode, on top of SBI.
 */
#ifndef EXAMPLE_MACHINE_H
#define EXAMPLE_MACHINE_H

/* Below it is the firmware. */
#define LOAD_ADDRESS	0x80200000

/* struct registers */
#define REGISTERS_SIZE	(34 * 8)

#define SSTATUS_SIE	2

#ifndef __ASSEMBLER__

#define SBI_TIME	0x54494d45
#define SBI_SET_TIMER	0
#define SIE_TIMER	0x20

/*
 * struct registers - what the trap stub leaves on the stack
 */
struct registers {
	uint64_t ra, sp, gp, tp, t0, t1, t2, s0, s1, a0, a1, a2, a3, a4, a5, a6, a7;
	uint64_t s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, t3, t4, t5, t6;
	uint64_t status, pc, cause;
};

_Static_assert(sizeof(struct registers) == REGISTERS_SIZE, "REGISTERS_SIZE is wrong");

/*
 * struct jump - where jump_set() was called
 */
struct jump {
	uint64_t s[12], ra, sp;
};

/* boot.S */
extern unsigned long boot_hart;
void second_cpu_start(void);

static inline notrace void io_write(unsigned long addr, uint8_t value)
{
	asm volatile("fence w, o; sb %0, (%1); fence o, i"
		     : : "r" (value), "r" (addr) : "memory");
}

static inline notrace uint8_t io_read(unsigned long addr)
{
	uint8_t value;

	asm volatile("lbu %0, (%1); fence i, r" : "=r" (value) : "r" (addr) : "memory");
	return value;
}

/* The hint "pause", which assemblers have no word for yet, or only if it is asked for. */
static inline notrace void relax(void)
{
	asm volatile(".4byte 0x0100000f" : : : "memory");
}

static inline notrace void disable_interrupts(void)
{
	asm volatile("csrci sstatus, %0" : : "i" (SSTATUS_SIE) : "memory");
}

static inline notrace void enable_interrupts(void)
{
	asm volatile("csrsi sstatus, %0" : : "i" (SSTATUS_SIE) : "memory");
}

static inline notrace unsigned long save_interrupts(void)
{
	unsigned long flags;

	asm volatile("csrrci %0, sstatus, %1" : "=r" (flags) : "i" (SSTATUS_SIE) : "memory");
	return flags & SSTATUS_SIE;
}

static inline notrace void restore_interrupts(unsigned long flags)
{
	asm volatile("csrs sstatus, %0" : : "r" (flags) : "memory");
}

static inline notrace void wait_for_interrupt(void)
{
	asm volatile("wfi" : : : "memory");
}

static inline notrace struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	asm("mv %0, tp" : "=r" (cpu));
	return cpu;
}

static inline notrace void set_this_cpu(struct cpu *cpu)
{
	asm volatile("mv tp, %0" : : "r" (cpu) : "memory");
}

/* Returns an error. */
static inline notrace long call_firmware(unsigned long extension, unsigned long function,
					 unsigned long first, unsigned long second,
					 unsigned long third)
{
	register unsigned long a0 asm("a0") = first;
	register unsigned long a1 asm("a1") = second;
	register unsigned long a2 asm("a2") = third;
	register unsigned long a6 asm("a6") = function;
	register unsigned long a7 asm("a7") = extension;

	asm volatile("ecall" : "+r" (a0), "+r" (a1) : "r" (a2), "r" (a6), "r" (a7) : "memory");
	return a0;
}

static inline notrace void set_timer(uint64_t due)
{
	call_firmware(SBI_TIME, SBI_SET_TIMER, due, 0, 0);
}

static inline notrace void stop_timer(void)
{
	asm volatile("csrc sie, %0" : : "r" (SIE_TIMER) : "memory");
}

static inline notrace void sync_code(void *addr, size_t size)
{
	(void)addr;
	(void)size;
	asm volatile("fence.i" : : : "memory");
}

#endif /* !__ASSEMBLER__ */
#endif /* EXAMPLE_MACHINE_H */

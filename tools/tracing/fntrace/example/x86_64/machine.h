/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PC: registers of the CPU, I/O ports, the local APIC.
 */
#ifndef EXAMPLE_MACHINE_H
#define EXAMPLE_MACHINE_H

#define LOAD_ADDRESS	0x100000

/* Selectors of the GDT. */
#define KERNEL_CODE	0x08
#define KERNEL_DATA	0x10

/* Where the second CPU starts in real mode: a page below 1 MiB. */
#define TRAMPOLINE	0x8000

#define NR_EXCEPTIONS	32
#define TIMER_VECTOR	32
#define SPURIOUS_VECTOR	47	/* its lowest 4 bits must be set */
#define NR_VECTORS	48
#define STUB_SIZE	16

#ifndef __ASSEMBLER__

/* Local APIC */
#define APIC_BASE	0xfee00000ul
#define APIC_LVT_TIMER	0x320
#define APIC_MASKED	0x10000
#define APIC_INITIAL	0x380

#define MSR_GS_BASE	0xc0000101

/*
 * struct registers - what the interrupt stubs and the CPU leave on the stack
 */
struct registers {
	uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
	uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
	uint64_t vector, error;
	uint64_t rip, cs, rflags, rsp, ss;
};

/*
 * struct jump - where jump_set() was called
 */
struct jump {
	uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
};

/* boot.S */
extern const char stubs[NR_VECTORS][STUB_SIZE];
extern const char trampoline[], trampoline_end[];
extern uint64_t idt[NR_VECTORS][2];

/* machine.c: the rates of the counter and of the timer */
extern uint64_t tsc_hz, apic_hz;

static inline notrace void io_write(uint16_t port, uint8_t value)
{
	asm volatile("outb %0, %1" : : "a" (value), "Nd" (port) : "memory");
}

static inline notrace uint8_t io_read(uint16_t port)
{
	uint8_t value;

	asm volatile("inb %1, %0" : "=a" (value) : "Nd" (port) : "memory");
	return value;
}

static inline notrace uint32_t apic_read(unsigned long reg)
{
	return load(*(uint32_t *)(APIC_BASE + reg));
}

static inline notrace void apic_write(unsigned long reg, uint32_t value)
{
	store(*(uint32_t *)(APIC_BASE + reg), value);
}

static inline notrace void relax(void)
{
	asm volatile("pause" : : : "memory");
}

static inline notrace void disable_interrupts(void)
{
	asm volatile("cli" : : : "memory");
}

static inline notrace void enable_interrupts(void)
{
	asm volatile("sti" : : : "memory");
}

static inline notrace unsigned long save_interrupts(void)
{
	unsigned long flags;

	asm volatile("pushfq; popq %0; cli" : "=r" (flags) : : "memory");
	return flags;
}

static inline notrace void restore_interrupts(unsigned long flags)
{
	asm volatile("pushq %0; popfq" : : "r" (flags) : "memory", "cc");
}

static inline notrace void wait_for_interrupt(void)
{
	asm volatile("hlt" : : : "memory");
}

/* The first thing in it is its own address. */
static inline notrace struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	asm("movq %%gs:0, %0" : "=r" (cpu));
	return cpu;
}

static inline notrace void set_this_cpu(struct cpu *cpu)
{
	uint64_t value = (unsigned long)cpu;

	asm volatile("wrmsr" : : "c" (MSR_GS_BASE), "a" ((uint32_t)value),
		     "d" ((uint32_t)(value >> 32)));
}

/* The APIC counts down, with a clock of its own; from 0 it would not count. */
static inline notrace void set_timer(uint64_t due)
{
	uint64_t now = fntrace_counter(), ticks = 0;

	if (due > now)
		ticks = (due - now) * apic_hz / tsc_hz;
	apic_write(APIC_INITIAL, ticks ? ticks : 1);
}

static inline notrace void stop_timer(void)
{
	apic_write(APIC_LVT_TIMER, APIC_MASKED | TIMER_VECTOR);
}

/* A jump does it, and there was one, or more, on the way to that code. */
static inline notrace void sync_code(void *addr, size_t size)
{
	(void)addr;
	(void)size;
}

#endif /* !__ASSEMBLER__ */
#endif /* EXAMPLE_MACHINE_H */

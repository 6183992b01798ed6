/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the C and the assembly of the example kernel have in common.
 */
#ifndef EXAMPLE_KERNEL_H
#define EXAMPLE_KERNEL_H

#define NUM_CPUS		2
#define STACK_SIZE	0x80000

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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <fntrace.h>
#include <stdalign.h>
#include <stdnoreturn.h>	/* behind everything that has the word in an attribute */

/* For what the hooks call, and for what runs when they must not be called. */
#define notrace		__attribute__((no_instrument_function, patchable_function_entry(0, 0)))

/* Shared between CPUs, or with an interrupt handler. */
#define load(x)		__atomic_load_n(&(x), __ATOMIC_ACQUIRE)
#define store(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELEASE)

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
int jump_set(struct jump *jump) __attribute__((returns_twice));
void jump_to(const struct jump *jump);
extern const char stubs[NR_VECTORS][STUB_SIZE];
extern const char trampoline[], trampoline_end[];
extern uint64_t idt[NR_VECTORS][2];

/* kernel.lds */
extern unsigned long patchable_start[], patchable_end[];

/* kernel.c, called by boot.S */
extern char stacks[NUM_CPUS][STACK_SIZE];
noreturn void boot_cpu(uint32_t start_info);
noreturn void second_cpu(void);
void interrupt(const struct registers *regs);
noreturn void exception(const struct registers *regs);

#endif /* !__ASSEMBLER__ */
#endif /* EXAMPLE_KERNEL_H */

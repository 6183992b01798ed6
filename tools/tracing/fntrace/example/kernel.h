/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the example kernel, the part of it that each architecture has for itself
 * (machine.h, machine.c, boot.S), and what some of these share.
 */
#ifndef EXAMPLE_KERNEL_H
#define EXAMPLE_KERNEL_H

#define NUM_CPUS	2
#define STACK_SIZE	0x80000

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

#define NS_PER_SEC	1000000000ul
#define US_PER_SEC	1000000ul

struct cpu;

#endif /* !__ASSEMBLER__ */

/*
 * With struct jump and struct registers, and these functions, which are inline and not traced:
 *
 * relax()		while another CPU is waited for
 * disable_interrupts(), enable_interrupts(), wait_for_interrupt()
 * save_interrupts()	disables them, and returns what restore_interrupts() takes
 * this_cpu()		what set_this_cpu() was given on this CPU
 * set_timer()		interrupt this CPU when the counter has a value
 * stop_timer()		interrupt it no more
 * sync_code()		the CPU executes what was written to memory
 * io_read(), io_write()	a byte of a device
 */
#include <machine.h>

#ifndef __ASSEMBLER__

/* boot.S */
int jump_set(struct jump *jump) __attribute__((returns_twice));
void jump_to(const struct jump *jump);

/* machine.c: it returns the command line. */
const char *init_machine(unsigned long argument);
void console_send(char c);
void channel_send(char c);
char channel_receive(void);
void open_dump(void);
void dump_send(const void *data, size_t size);
/* The rate of the counter. The second one knows it better, if there is a way. */
uint64_t measure_counter(void);
uint64_t measure_counter_again(uint64_t hz);
void init_interrupts(void);
/* What each CPU has of its own for them. */
void init_cpu_interrupts(void);
/* It calls second_cpu() there. */
void boot_second_cpu(void);
noreturn void stop_machine(bool success);

/* uart.c: a 16550 */
void uart_init(unsigned long base);
void uart_send(unsigned long base, char c);
char uart_receive(unsigned long base);

/* kernel.lds.S */
extern unsigned long patchable_start[], patchable_end[];

/* kernel.c */
extern char stacks[NUM_CPUS][STACK_SIZE];
noreturn void boot_cpu(unsigned long argument);
noreturn void second_cpu(void);
void timer_interrupt(void);
void interrupt(const struct registers *regs);
noreturn void exception(const struct registers *regs);
void delay_us(uint64_t us);
noreturn void die(const char *format, ...);

#endif /* !__ASSEMBLER__ */
#endif /* EXAMPLE_KERNEL_H */

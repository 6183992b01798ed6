/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the backend's C and its assembly.
 */
#ifndef FNTRACE_INTERNAL_H
#define FNTRACE_INTERNAL_H

/*
 * Bits beside the place of a frame, which is a multiple of 8. A patched function
 * has the return address still in a register, so there is no slot. One of
 * -finstrument-functions reports its end by itself; instead of where it returns
 * to, its frame has where it called the hook; it has one even if its entry was lost,
 * or its end would be taken for that of another call.
 */
#define FRAME_NO_SLOT	1ul
#define FRAME_REPORTS	2ul
#define FRAME_LOST	4ul
#define FRAME_BITS	7ul

/*
 * What frame->loc is when the function returned with another shadow stack. It is the place
 * of no frame; its owner drops it as one that was left. Where it ended in the time of that
 * thread, the reader of the trace decides.
 */
#define FRAME_GONE	(FRAME_NO_SLOT | FRAME_LOST)

#ifndef __ASSEMBLER__

#include <fntrace.h>

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
/* Once, and not torn; order is a matter of barrier(). */
#define READ(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
/* What is called with constants, of which nothing is to be left. */
#define always_inline	__attribute__((always_inline))
/* Not in the way of what happens at every call. */
#define slow_path	__attribute__((noinline, cold))

/*
 * Of the backend alone: a program may have a library with the same names, and
 * a hook must not go through a procedure linkage table.
 */
#pragma GCC visibility push(hidden)

/* What the hooks jump to: the tracing ones, or a return. In hooks.c or linux/hooks.S. */
extern void *fntrace_mcount_hook;
extern void *fntrace_fentry_hook;

/* In entry-<arch>.S. The second one is of patched functions. */
void fntrace_off(void);
void fntrace_fentry_off(void);
void fntrace_mcount_on(void);
void fntrace_fentry_on(void);
void fntrace_fentry(void);
void fntrace_return(void);

/* Called from there. */
void fntrace_enter_slot(struct fntrace_context *context, unsigned long *slot,
			unsigned long func);
unsigned long fntrace_enter_register(struct fntrace_context *context, unsigned long ret,
				     unsigned long func, unsigned long sp);
unsigned long fntrace_leave(struct fntrace_context *context, unsigned long sp,
			    unsigned long fp);

/*
 * The same for those who also record values: what the hooks jump to, and what is called
 * from there. @general and @floating are those of struct fntrace_registers. Where mcount()
 * is called when arguments are gone from their registers, it has no such hook.
 */
#ifdef __x86_64__
void fntrace_mcount_values(void);
#endif
void fntrace_fentry_values(void);
void fntrace_return_values(void);
void fntrace_enter_mcount_values(struct fntrace_context *context, unsigned long *slot,
				 unsigned long func, const unsigned long *general,
				 const unsigned long *floating);
void fntrace_enter_slot_values(struct fntrace_context *context, unsigned long *slot,
			       unsigned long func, const unsigned long *general,
			       const unsigned long *floating);
unsigned long fntrace_enter_register_values(struct fntrace_context *context, unsigned long ret,
					    unsigned long func, unsigned long sp,
					    const unsigned long *general,
					    const unsigned long *floating);
unsigned long fntrace_leave_values(struct fntrace_context *context, unsigned long sp,
				   unsigned long fp, const unsigned long *general,
				   const unsigned long *floating);

/* The same for those who choose functions, and record no values. */
void fntrace_mcount_chosen(void);
void fntrace_fentry_chosen(void);
void fntrace_enter_slot_chosen(struct fntrace_context *context, unsigned long *slot,
			       unsigned long func);
unsigned long fntrace_enter_register_chosen(struct fntrace_context *context, unsigned long ret,
					    unsigned long func, unsigned long sp);

/*
 * What fntrace_start() makes of the hooks then: the ones above. libfntrace.so puts something
 * in front of them, and looks at these: only functions with FNTRACE_ONLY are recorded, and
 * what they call; nothing is recorded until a function with FNTRACE_START_AT is called.
 */
extern void (*fntrace_mcount_chosen_hook)(void);
extern void (*fntrace_fentry_chosen_hook)(void);
extern bool fntrace_only, fntrace_waits;

/* What fntrace_start() makes of the hooks. */
void *fntrace_mcount_started(void);
void *fntrace_fentry_started(void);

#pragma GCC visibility pop

/* Called by the compiler. */
void __cyg_profile_func_enter(void *func, void *site);
void __cyg_profile_func_exit(void *func, void *site);

/* For the compiler: an interrupt sees stores in the order of the program. */
static inline void barrier(void)
{
	__asm__ __volatile__("" : : : "memory");
}

static inline unsigned long stack_pointer(void)
{
	unsigned long value;

#if defined(__x86_64__)
	__asm__ __volatile__("movq %%rsp, %0" : "=r" (value));
#elif defined(__aarch64__)
	__asm__ __volatile__("mov %0, sp" : "=r" (value));
#else
	__asm__ __volatile__("mv %0, sp" : "=r" (value));
#endif
	return value;
}

static inline uint64_t counter(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ __volatile__("rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
	uint64_t value;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r" (value));
	return value;
#elif defined(__riscv)
	uint64_t value;

	__asm__ __volatile__("rdtime %0" : "=r" (value));
	return value;
#else
#error "no counter for this architecture"
#endif
}

#elif defined(__x86_64__)

/*
 * A signal may come at any instruction, and its handler may have the stack unwound: a
 * profiler of the program's own. So what the CFI says holds at each instruction.
 */
.macro PUSH reg
	pushq	\reg
	.cfi_adjust_cfa_offset 8
.endm

.macro POP reg
	popq	\reg
	.cfi_adjust_cfa_offset 0 - 8
.endm

#endif
#endif /* FNTRACE_INTERNAL_H */

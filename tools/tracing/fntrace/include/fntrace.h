/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The function tracer's backend: what an embedder calls and what it provides.
 *
 * libfntrace-backend.a has no libc, allocates nothing, makes no system call and
 * keeps no list of threads. Whoever links it (a small kernel, or libfntrace.so
 * for programs of Linux) gives it memory and answers one question: whose
 * context is this? See README.rst.
 */
#ifndef FNTRACE_H
#define FNTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <fntrace_format.h>

/**
 * struct fntrace_frame - a function that was entered and has not returned yet
 * @ret: where it returns to
 * @loc: where on the stack that address was found, and bits of the backend; 0
 *	while the frame is being filled or is not in use
 * @func: its address
 * @fp: frame pointer of its caller
 */
struct fntrace_frame {
	unsigned long	ret;
	unsigned long	*loc;
	unsigned long	func;
#ifdef __aarch64__
	unsigned long	fp;
#endif
};

/**
 * struct fntrace_stack - the shadow stack that belongs to one stack of code
 * @frames: memory for @max frames, or @room, zeroed by the embedder
 * @max: calls deeper than this are not traced; they are counted, unless @room is larger.
 *	If both are 0, entries are recorded, but no exits: no return address is replaced,
 *	and no memory for frames is needed
 * @room: if @max is less than the memory has frames for: how many it has; else 0
 * @depth: frames in use
 * @low: lowest address of the stack that is shadowed
 * @high: the address behind it; 0 if the bounds are not known
 * @detached: the return addresses are the functions' own, see fntrace_detach()
 * @unwanted: if it is not 0, record no call and no mark, but the ends of calls that have
 *	begun. Has a meaning with fntrace_choose() only; may be changed at any time
 * @readable: can @addr still be read? Asked by the slow path about frames that are not
 *	on the stack that runs: of a coroutine, or a signal's. If such stacks can be
 *	unmapped with functions on them that never returned, this has to be set; NULL
 *	means that they always can be read.
 * @elsewhere: a function returned that this stack does not have, with @sp and @fp: the code,
 *	a coroutine, was entered with another shadow stack. Tries fntrace_take() with each
 *	other one, sets @ret and returns true, or returns false. NULL: there is none.
 * @uncover: calls fntrace_uncover() with each other shadow stack, as fntrace_detach() does
 *	its work for code that may have been entered with it. NULL: there is none.
 * @moving: of the backend: who changes the order of frames
 *
 * With bounds, a frame left by longjmp() is noticed at the next call. Without
 * them, when a caller returns or its place on the stack is used again: on
 * different stacks a higher address says nothing.
 */
struct fntrace_stack {
	struct fntrace_frame	*frames;
	unsigned long		max;
	unsigned long		room;
	unsigned long		depth;
	unsigned long		low;
	unsigned long		high;
	bool			detached;
	unsigned char		unwanted;
	bool			(*readable)(const void *addr);
	bool			(*elsewhere)(unsigned long sp, unsigned long fp,
					     unsigned long *ret);
	void			(*uncover)(unsigned long sp);
	unsigned int		moving;
};

/**
 * struct fntrace_context - where the running code is traced to
 * @stack: follows the code: one per thread, changed at a context switch
 * @buffer: follows who writes: one per thread, or one per CPU
 *
 * A thread of a program has both. A kernel has one context per CPU, whose
 * @stack it sets when it switches threads, with interrupts off.
 */
struct fntrace_context {
	struct fntrace_stack	*stack;
	struct fntrace_header	*buffer;
};

/* What the embedder provides. None of these may be instrumented. */

/**
 * fntrace_current() - whose context is this?
 *
 * Context: Called at every entry and exit while tracing is on, in any context
 * in which instrumented code runs. Whatever it returns must stay the caller's
 * until the hook returns: a kernel that preempts in kernel mode keeps
 * preemption from changing the CPU, or builds the backend with FNTRACE_SHARED.
 * Return: the context, or NULL if this code is not traced.
 */
struct fntrace_context *fntrace_current(void);

/**
 * fntrace_grow() - make room in a buffer of mode FNTRACE_GROW
 * @buffer: the buffer, whose next record would be at its end
 *
 * Puts the records elsewhere, counts them in @older and, last, sets @next to
 * @base. Interrupts of the owner that want to record meanwhile lose what they had;
 * the backend sees to that.
 *
 * Return: false if there is no room, and the record is lost.
 */
bool fntrace_grow(struct fntrace_header *buffer);

/**
 * fntrace_fault() - the way back is lost
 * @why: one line for the log
 *
 * A function returned that the shadow stack does not know: a frame was
 * overwritten, or the embedder gave out the wrong stack. Must not return.
 */
void fntrace_fault(const char *why) __attribute__((noreturn));

/* What the embedder calls. */

/**
 * fntrace_buffer_init() - prepare a buffer
 * @buffer: FNTRACE_HEADER_SIZE bytes, zeroed
 * @records: memory for the records, aligned to 16 bytes
 * @size: its size in bytes, a multiple of 16
 * @mode: what to do when it is full
 *
 * Fields that tell who owns it (cpu, pid, tid, name, counter_hz, clocks) are
 * the embedder's to fill in.
 */
void fntrace_buffer_init(struct fntrace_header *buffer, void *records,
			 size_t size, enum fntrace_mode mode);

/**
 * fntrace_start() - trace from now on, everywhere
 *
 * Context: any. Hooks see it when the store to one pointer reaches their CPU.
 */
void fntrace_start(void);

/**
 * fntrace_stop() - trace no function that is entered from now on
 *
 * Functions that were entered before are recorded when they return, so that
 * what is in the buffers has an end. Context: any.
 */
void fntrace_stop(void);

/**
 * fntrace_drop_short() - keep no calls that are shorter than this
 * @ticks: units of the counter; 0 keeps all
 *
 * The record of an entry is taken back when the function returns so early, unless records
 * followed it that are kept. So what is inside of a call that is kept may be missing, but
 * not what is around it.
 *
 * Context: any. Each buffer must be that of one shadow stack, as for threads of a program;
 * two threads of a kernel that take turns on a CPU might take back each other's record.
 */
void fntrace_drop_short(uint64_t ticks);

/* Bytes that fntrace_values() may have stored for a call. */
#define FNTRACE_VALUES_MAX	700

/**
 * enum fntrace_moment - when values are stored, and what the registers are worth
 * @FNTRACE_AT_ENTRY: before the first instruction of the function
 * @FNTRACE_AFTER_PROLOGUE: behind the prologue (mcount), on x86_64 only: GCC leaves arguments
 *	in their registers there, other compilers need not
 * @FNTRACE_AT_EXIT: the function has returned
 */
enum fntrace_moment {
	FNTRACE_AT_ENTRY,
	FNTRACE_AFTER_PROLOGUE,
	FNTRACE_AT_EXIT,
};

/**
 * struct fntrace_registers - what a function was called with, or returned
 * @general: where the hook saved general registers; fntrace_general() finds one
 * @floating: the lower 8 bytes of each register for floating point, from the first that
 *	has an argument (or a result) on; 8 of them
 * @stack: where arguments begin that are on the stack; not valid at an exit
 */
struct fntrace_registers {
	const unsigned long	*general;
	const unsigned long	*floating;
	const unsigned long	*stack;
};

/**
 * fntrace_general() - a general register
 * @registers: those of a call
 * @number: 0 to 7, of those with arguments (6 on x86_64), in the order of the ABI; at an
 *	exit 0 and 1, those with results
 * @when: of the call
 *
 * Return: its value
 */
unsigned long fntrace_general(const struct fntrace_registers *registers, unsigned int number,
			      enum fntrace_moment when);

/**
 * fntrace_values() - record values besides entries and exits
 * @store: is called for each call. Stores at most FNTRACE_VALUES_MAX bytes at @to and
 *	returns how many; 0 if there is nothing to record of this function. It runs in the
 *	middle of any function, so it may change no register for floating point.
 *
 * Not for functions that are compiled with -finstrument-functions. Context: before
 * fntrace_start() and fntrace_buffer_init(), once.
 */
void fntrace_values(size_t (*store)(unsigned long func, enum fntrace_moment when,
				    const struct fntrace_registers *registers, uint8_t *to));

/**
 * enum fntrace_verdict - bits that fntrace_choose() knows
 * @FNTRACE_ONLY: record the function and what it calls. If any function has this bit, others
 *	are recorded only inside of one that has.
 * @FNTRACE_WITHOUT: record neither the function nor what it calls
 * @FNTRACE_START_AT: record from this call on, on all CPUs and in all threads
 * @FNTRACE_STOP_AT: record no call from this one on, until one with @FNTRACE_START_AT;
 *	calls that have begun are recorded when they end
 */
enum fntrace_verdict {
	FNTRACE_ONLY		= 1,
	FNTRACE_WITHOUT		= 2,
	FNTRACE_START_AT	= 4,
	FNTRACE_STOP_AT		= 8,
};

/**
 * fntrace_choose() - record chosen functions only
 * @judge: is called for each call, with an address inside of the function, and returns bits of
 *	enum fntrace_verdict. It runs in the middle of any function, as what fntrace_values()
 *	calls.
 * @verdicts: the bits that it may return. With FNTRACE_START_AT nothing is recorded before
 *	such a call.
 *
 * FNTRACE_ONLY and FNTRACE_WITHOUT need a shadow stack: without one, what is inside of a
 * function is not known. Context: before fntrace_start(), once.
 */
void fntrace_choose(unsigned int (*judge)(unsigned long func), unsigned int verdicts);

/**
 * fntrace_running() - is tracing on?
 *
 * Return: true between fntrace_start() and fntrace_stop().
 */
bool fntrace_running(void);

/**
 * fntrace_counter() - the counter that records are stamped with
 *
 * Return: CPU counter in its own units, see enum fntrace_arch.
 */
uint64_t fntrace_counter(void);

/**
 * fntrace_mark() - record a value in the current context
 * @value: 48 bits; see FNTRACE_SEND for values with a meaning
 *
 * Context: any, also while tracing is off.
 * Return: false if there is no context or no room.
 */
bool fntrace_mark(uint64_t value);

/**
 * fntrace_detach() - give the functions of a stack their return addresses back
 * @stack: the stack of the caller
 *
 * For an unwinder, which must see the true return addresses. The frames stay;
 * the next traced call on this stack takes the ones that are still alive under
 * control again and records the end of the others.
 */
void fntrace_detach(struct fntrace_stack *stack);

/**
 * fntrace_attach() - undo fntrace_detach() now, not at the next traced call
 * @context: the context of the caller
 */
void fntrace_attach(struct fntrace_context *context);

/**
 * fntrace_caught() - a function has caught an exception
 * @context: the context of the caller
 * @sp: stack pointer of that function
 *
 * Records the ends of what was called inside of it, and undoes fntrace_detach().
 */
void fntrace_caught(struct fntrace_context *context, unsigned long sp);

/**
 * fntrace_take() - a function that was entered with one shadow stack returns with another
 * @stack: the one that it may have been entered with; its owner may be running
 * @sp: stack pointer with which the function returned
 * @fp: frame pointer with which it returned
 * @frame: filled in; @frame->ret is where the function returns to, or again an address that
 *	leads to the backend, if fntrace_take() has to be called once more
 * @depth: filled in: where in @stack it was
 *
 * Context: signals of the caller are blocked. @stack must not go away meanwhile.
 * Return: false if @stack does not have it. The frame stays until fntrace_drop().
 */
bool fntrace_take(struct fntrace_stack *stack, unsigned long sp, unsigned long fp,
		  struct fntrace_frame *frame, unsigned long *depth);

/**
 * fntrace_drop() - the frame that fntrace_take() found has returned
 * @stack: the shadow stack with which it was entered
 * @sp: stack pointer with which the function returned
 * @fp: frame pointer with which it returned
 *
 * Context: as that of fntrace_take().
 */
void fntrace_drop(struct fntrace_stack *stack, unsigned long sp, unsigned long fp);

/**
 * fntrace_returns_here() - does an address lead to the backend?
 * @ret: where a function returns to
 *
 * Return: true if the function was jumped to from the end of another one that is traced.
 */
bool fntrace_returns_here(unsigned long ret);

/**
 * fntrace_uncover() - give functions their return addresses back
 * @stack: a shadow stack, whose owner may be running
 * @from: the first address of the stack in question
 * @to: the address behind it
 *
 * The frames stay: a function whose return address was in use already finds its way.
 */
void fntrace_uncover(struct fntrace_stack *stack, unsigned long from, unsigned long to);

#define FNTRACE_THUNK_SIZE	24

/**
 * fntrace_patch() - put calls where -fpatchable-function-entry left no-ops
 * @start: the section __patchable_function_entries
 * @end: its end
 * @thunk: FNTRACE_THUNK_SIZE bytes of memory for code that calls from the
 *	functions reach, written with @write too; NULL if they reach the backend
 * @write: writes @len bytes of code at @addr and makes them visible to
 *	instruction fetch; returns 0 or a negative number
 *
 * The no-ops must be 5 bytes on x86_64 (8 on riscv64, 2 instructions on
 * arm64), all of them behind the function's symbol. Entries that have
 * something else are left alone.
 *
 * Context: no other CPU or thread may run the functions at this time.
 * Return: number of functions that are traced from now on, or what @write
 * returned when it failed.
 */
long fntrace_patch(const unsigned long *start, const unsigned long *end, void *thunk,
		   int (*write)(void *addr, const void *code, size_t len));

#endif /* FNTRACE_H */

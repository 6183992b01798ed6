// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the hooks call in a program or kernel in Rust. It is C because rustc has no way to
 * leave the hooks out of one function.
 */

#include "../backend/internal.h"
#include "glue.h"

/* What src/embedded.rs provides memory for. */
#define STATE_SIZE	384
/* vectors.S needs 2688 bytes at most, aligned as xsave wants it. */
#define VECTORS_SIZE	2816
#define VECTORS_ALIGN	64
#ifdef __aarch64__
#define FRAME_SIZE	32
#else
#define FRAME_SIZE	24
#endif

_Static_assert(sizeof(struct fntrace_rust_state) <= STATE_SIZE, "STATE_SIZE is too small");
_Static_assert(2688 + VECTORS_ALIGN <= VECTORS_SIZE, "VECTORS_SIZE is too small");
_Static_assert(sizeof(struct fntrace_frame) == FRAME_SIZE, "FRAME_SIZE is wrong");
_Static_assert(sizeof(struct fntrace_header) <= FNTRACE_HEADER_SIZE, "no room for the header");

static struct fntrace_rust_state *fntrace_rust_only;

/* fntrace::current_from_gs!() defines another one. */
__attribute__((weak)) struct fntrace_context *fntrace_current(void)
{
	struct fntrace_rust_state *state = READ(fntrace_rust_only);

	return state ? &state->context : NULL;
}

#if defined(__x86_64__)

static unsigned long fntrace_rust_mask_interrupts(void)
{
	unsigned long flags;

	__asm__ __volatile__("pushfq; popq %0; cli" : "=r" (flags) : : "memory");
	return flags;
}

static void fntrace_rust_restore_interrupts(unsigned long flags)
{
	__asm__ __volatile__("pushq %0; popfq" : : "r" (flags) : "memory", "cc");
}

#elif defined(__aarch64__)

static unsigned long fntrace_rust_mask_interrupts(void)
{
	unsigned long flags;

	__asm__ __volatile__("mrs %0, daif; msr daifset, #2" : "=r" (flags) : : "memory");
	return flags;
}

static void fntrace_rust_restore_interrupts(unsigned long flags)
{
	__asm__ __volatile__("msr daif, %0" : : "r" (flags) : "memory");
}

#else

/* In supervisor mode: its bit SIE. */
static unsigned long fntrace_rust_mask_interrupts(void)
{
	unsigned long flags;

	__asm__ __volatile__("csrrci %0, sstatus, 2" : "=r" (flags) : : "memory");
	return flags & 2;
}

static void fntrace_rust_restore_interrupts(unsigned long flags)
{
	__asm__ __volatile__("csrs sstatus, %0" : : "r" (flags) : "memory");
}

#endif

/*
 * What sends the records is in Rust, and may be instrumented. None of its calls is recorded, as
 * there is no room, and none counts as lost: the shadow stack says that all of them are deeper
 * than what is wanted. An interrupt would not be counted either, so it has to wait.
 */
bool fntrace_grow(struct fntrace_header *buffer)
{
	struct fntrace_rust_state *state = (struct fntrace_rust_state *)fntrace_current();
	struct fntrace_stack *stack;
	unsigned long flags = 0;

	if (!state || state->context.buffer != buffer || !state->stream)
		return false;
	if (state->interrupts_off)
		flags = fntrace_rust_mask_interrupts();
	stack = state->context.stack;
	WRITE(state->context.stack, &state->quiet);
	barrier();
	if (state->vectors)
		fntrace_rust_save_vectors(state->vectors);
	fntrace_rust_send(state->stream, buffer, (const void *)buffer->base,
			  buffer->end - buffer->base);
	if (state->vectors)
		fntrace_rust_restore_vectors(state->vectors);
	barrier();
	WRITE(state->context.stack, stack);
	buffer->older += buffer->end - buffer->base;
	barrier();
	WRITE(buffer->next, buffer->base);
	if (state->interrupts_off)
		fntrace_rust_restore_interrupts(flags);
	return true;
}

/* What this calls may be instrumented. */
void fntrace_fault(const char *why)
{
	size_t len = 0;

	fntrace_stop();
	while (why[len])
		len++;
	fntrace_rust_fault(why, len);
}

void fntrace_rust_init(struct fntrace_rust_state *state, const struct fntrace_rust_setup *setup)
{
	struct fntrace_header *buffer = setup->buffer;
	uint32_t cpu = setup->cpu;
	char *end = buffer->name + sizeof(buffer->name) - 1, digits[10];
	unsigned int nr = 0;
	char *p = buffer->name;

	state->stack.frames = setup->frames;
	state->stack.max = setup->frames_size / sizeof(struct fntrace_frame);
	state->stack.low = setup->low;
	state->stack.high = setup->high;
	state->context.stack = &state->stack;
	state->context.buffer = buffer;

	/* No call is further out than the first frame, and there is room for none. */
	state->quiet_frames[0].loc = (unsigned long *)~FRAME_BITS;
	state->quiet.frames = &state->quiet_frames[1];
	state->quiet.room = 1;
	state->stream = setup->stream;
	if (setup->vectors)
		state->vectors = (uint8_t *)(((unsigned long)setup->vectors + VECTORS_ALIGN - 1) &
					     ~(VECTORS_ALIGN - 1ul));
	state->interrupts_off = setup->interrupts_off;

	fntrace_buffer_init(buffer, setup->records, setup->records_size, setup->mode);
	buffer->cpu = cpu;
	buffer->addr_high = (unsigned long)fntrace_rust_init >> 48 << 48;
	*p++ = 'c';
	*p++ = 'p';
	*p++ = 'u';
	do {
		digits[nr++] = '0' + cpu % 10;
		cpu /= 10;
	} while (cpu);
	while (nr && p < end)
		*p++ = digits[--nr];
}

void fntrace_rust_set(struct fntrace_rust_state *state)
{
	WRITE(fntrace_rust_only, state);
}

void fntrace_rust_set_hz(struct fntrace_rust_state *state, uint64_t hz)
{
	WRITE(state->context.buffer->counter_hz, hz);
}

uint64_t fntrace_rust_lost(const struct fntrace_rust_state *state)
{
	return READ(state->context.buffer->lost);
}

/* Copy from the header and what was recorded, as if one followed the other in memory. */
size_t fntrace_rust_copy(const struct fntrace_rust_state *state, size_t at, uint8_t *to,
			 size_t size)
{
	const struct fntrace_header *buffer = state->context.buffer;
	uint64_t end = buffer->wraps || buffer->next > buffer->end ? buffer->end : buffer->next;
	size_t total = FNTRACE_HEADER_SIZE + (end - buffer->base), i;
	const uint8_t *from;

	if (at >= total)
		return 0;
	if (at < FNTRACE_HEADER_SIZE) {
		from = (const uint8_t *)buffer + at;
		total = FNTRACE_HEADER_SIZE;
	} else {
		from = (const uint8_t *)(uintptr_t)buffer->base + (at - FNTRACE_HEADER_SIZE);
	}
	if (size > total - at)
		size = total - at;
	for (i = 0; i < size; i++)
		to[i] = READ(from[i]);
	return size;
}

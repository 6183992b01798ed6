// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the hooks call in a program or kernel in Rust. It is C because rustc has no way to
 * leave the hooks out of one function.
 */

#include "../backend/internal.h"
#include "glue.h"

/* What src/embedded.rs provides memory for. */
#define STATE_SIZE	128
#ifdef __aarch64__
#define FRAME_SIZE	32
#else
#define FRAME_SIZE	24
#endif

_Static_assert(sizeof(struct fntrace_rust_state) <= STATE_SIZE, "STATE_SIZE is too small");
_Static_assert(sizeof(struct fntrace_frame) == FRAME_SIZE, "FRAME_SIZE is wrong");
_Static_assert(sizeof(struct fntrace_header) <= FNTRACE_HEADER_SIZE, "no room for the header");

static struct fntrace_rust_state *fntrace_rust_only;

/* fntrace::current_from_gs!() defines another one. */
__attribute__((weak)) struct fntrace_context *fntrace_current(void)
{
	struct fntrace_rust_state *state = READ(fntrace_rust_only);

	return state ? &state->context : NULL;
}

bool fntrace_grow(struct fntrace_header *buffer)
{
	return false;
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

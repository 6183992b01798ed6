/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Between the C and the Rust of the crate: src/embedded.rs declares the same.
 */
#ifndef FNTRACE_RUST_GLUE_H
#define FNTRACE_RUST_GLUE_H

#include <fntrace.h>

/*
 * struct fntrace_rust_state - what stands for a CPU; struct Context of src/embedded.rs
 * @context: first: its address is that of the state
 * @stack: the shadow stack
 * @quiet: the shadow stack while records are sent: no call is recorded with it
 * @quiet_frames: the first one stands for what is around all calls
 * @stream: who sends a full buffer, for fntrace_rust_send(); NULL: nobody
 * @vectors: room for the vector registers meanwhile; NULL: Rust does not use them
 * @interrupts_off: interrupts are off meanwhile
 */
struct fntrace_rust_state {
	struct fntrace_context	context;
	struct fntrace_stack	stack;
	struct fntrace_stack	quiet;
	struct fntrace_frame	quiet_frames[2];
	const void		*stream;
	uint8_t			*vectors;
	bool			interrupts_off;
};

/*
 * struct fntrace_rust_setup - the arguments of fntrace_rust_init(); struct Setup of
 *	src/embedded.rs has the same fields
 */
struct fntrace_rust_setup {
	struct fntrace_header	*buffer;
	void			*records;
	size_t			records_size;
	void			*frames;
	size_t			frames_size;
	unsigned long		low;
	unsigned long		high;
	uint32_t		cpu;
	uint32_t		mode;
	const void		*stream;
	uint8_t			*vectors;
	bool			interrupts_off;
};

void fntrace_rust_init(struct fntrace_rust_state *state, const struct fntrace_rust_setup *setup);
void fntrace_rust_set(struct fntrace_rust_state *state);
void fntrace_rust_set_hz(struct fntrace_rust_state *state, uint64_t hz);
size_t fntrace_rust_copy(const struct fntrace_rust_state *state, size_t at, uint8_t *to,
			 size_t size);
uint64_t fntrace_rust_lost(const struct fntrace_rust_state *state);

/* In vectors.S. */
void fntrace_rust_save_vectors(uint8_t *to) __attribute__((visibility("hidden")));
void fntrace_rust_restore_vectors(const uint8_t *from) __attribute__((visibility("hidden")));

/* In src/embedded.rs. */
void fntrace_rust_send(const void *stream, const struct fntrace_header *header,
		       const void *records, size_t size);
void fntrace_rust_fault(const char *why, size_t len) __attribute__((noreturn));

#endif /* FNTRACE_RUST_GLUE_H */

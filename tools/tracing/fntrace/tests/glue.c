// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * glue FILE: what the crate does in Rust, for architectures whose Rust is not at hand. The
 * recording goes to FILE while it is made, by a function that is instrumented and overwrites
 * all vector registers.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "../rust/glue.h"

#define CALLS		1000
/* An odd number: it is full at an entry and at an exit in turn. */
#define RECORDS		49
#define FRAMES		64

static _Alignas(4096) uint8_t header[FNTRACE_HEADER_SIZE];
static struct fntrace_record records[RECORDS];
static struct fntrace_frame frames[FRAMES];
static struct fntrace_rust_state state;
static uint8_t vectors[2816];
static unsigned int parts;
static int fd;

__attribute__((no_instrument_function)) void fntrace_rust_fault(const char *why, size_t len)
{
	fprintf(stderr, "glue: %.*s\n", (int)len, why);
	abort();
}

static __attribute__((noinline)) void send_bytes(const void *bytes, size_t size)
{
	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
}

#if defined(__x86_64__)
#define CLEAR(n)	"pxor %%xmm" #n ", %%xmm" #n "\n"
#elif defined(__aarch64__)
#define CLEAR(n)	"movi v" #n ".2d, #0\n"
#else
#define CLEAR(n)	"fmv.d.x f" #n ", zero\n"
#endif

/* Those that a function need not preserve, or fewer. */
static __attribute__((noinline)) void overwrite(void)
{
	__asm__ __volatile__(CLEAR(0) CLEAR(1) CLEAR(2) CLEAR(3) CLEAR(4) CLEAR(5) CLEAR(6)
			     CLEAR(7) : : : "memory");
#ifndef __aarch64__
	__asm__ __volatile__(CLEAR(10) CLEAR(11) CLEAR(12) CLEAR(13) CLEAR(14) CLEAR(15)
			     : : : "memory");
#endif
#ifndef __x86_64__
	__asm__ __volatile__(CLEAR(16) CLEAR(17) CLEAR(28) CLEAR(29) CLEAR(30) CLEAR(31)
			     : : : "memory");
#endif
}

void fntrace_rust_send(const void *stream, const struct fntrace_header *buffer,
		       const void *from, size_t size)
{
	if (stream != &fd)
		abort();
	send_bytes(buffer, FNTRACE_HEADER_SIZE);
	send_bytes(from, size);
	overwrite();
	parts++;
}

/* There is something in these registers at its entry, and at its exit. */
static __attribute__((noinline)) double half(double n)
{
	__asm__ __volatile__("" : : : "memory");
	return n / 2;
}

static __attribute__((no_instrument_function)) void send_rest(void)
{
	uint8_t bytes[512];
	size_t at = 0, size;

	while ((size = fntrace_rust_copy(&state, at, bytes, sizeof(bytes)))) {
		send_bytes(bytes, size);
		at += size;
	}
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	struct fntrace_rust_setup setup = {
		.buffer = (struct fntrace_header *)header,
		.records = records, .records_size = sizeof(records),
		.frames = frames, .frames_size = sizeof(frames),
		.mode = FNTRACE_GROW, .stream = &fd, .vectors = vectors,
	};
	double sum = 0;
	int n;

	fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
	if (fd < 0) {
		perror("glue");
		return 2;
	}
	fntrace_rust_init(&state, &setup);
	fntrace_rust_set(&state);
	fntrace_start();
	for (n = 0; n < CALLS; n++)
		sum += half(n);
	fntrace_stop();
	fntrace_rust_set_hz(&state, 1000000000);
	send_rest();
	if (sum != CALLS * (CALLS - 1) / 4.0 || fntrace_rust_lost(&state)) {
		fprintf(stderr, "glue: sum %f, %lu lost\n", sum,
			(unsigned long)fntrace_rust_lost(&state));
		return 1;
	}
	printf("count half %d\nparts %u\n", CALLS, parts);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a buffer of the function tracer looks like in memory and in a file.
 *
 * A buffer is one header followed by records of 16 bytes. Nothing is done to
 * it on the way to a file: a program maps the file, a kernel sends the bytes
 * as they are. So a reader copes with both byte orders, with a buffer that was
 * being written when its owner died, and with records that are no records.
 */
#ifndef FNTRACE_FORMAT_H
#define FNTRACE_FORMAT_H

#ifndef __ASSEMBLER__

#include <stdint.h>

#define FNTRACE_MAGIC		"fntrace"	/* 8 bytes with the NUL */
#define FNTRACE_VERSION		1
/* A buffer that has values of arguments; who knows only version 1 cannot read it. */
#define FNTRACE_VERSION_VALUES	2
#define FNTRACE_BYTE_ORDER	0x01020304u
#define FNTRACE_HEADER_SIZE	4096

/**
 * enum fntrace_arch - whose addresses and counter a buffer has
 * @FNTRACE_ARCH_X86_64: counter is the time stamp counter
 * @FNTRACE_ARCH_ARM64: counter is CNTVCT_EL0
 * @FNTRACE_ARCH_RISCV64: counter is the time CSR
 */
enum fntrace_arch {
	FNTRACE_ARCH_X86_64 = 1,
	FNTRACE_ARCH_ARM64,
	FNTRACE_ARCH_RISCV64,
};

/**
 * enum fntrace_mode - what happens when a buffer is full
 * @FNTRACE_STOP: nothing more is recorded, what is lost is counted
 * @FNTRACE_OVERWRITE: the oldest records are written over
 * @FNTRACE_GROW: fntrace_grow() of the embedder provides room
 */
enum fntrace_mode {
	FNTRACE_STOP,
	FNTRACE_OVERWRITE,
	FNTRACE_GROW,
};

/**
 * enum fntrace_type - kinds of records
 * @FNTRACE_ENTRY: a function began; the address is inside its first bytes
 * @FNTRACE_EXIT: a function ended, or was left by longjmp() or an exception
 * @FNTRACE_LOST: the address field counts calls that could not be recorded
 * @FNTRACE_MARK: the address field is the value given to fntrace_mark(); if the depth
 *	field is not 0, it is data, see struct fntrace_data
 */
enum fntrace_type {
	FNTRACE_ENTRY,
	FNTRACE_EXIT,
	FNTRACE_LOST,
	FNTRACE_MARK,
};

/*
 * Marks with which two machines find the offset of their clocks: the sender of
 * message N makes the mark FNTRACE_SEND | N before it sends, the receiver
 * makes FNTRACE_RECEIVE | N after it received. Anything else is a mark of the
 * user.
 */
#define FNTRACE_MARK_BITS	48
#define FNTRACE_SEND		(1ull << 47)
#define FNTRACE_RECEIVE		(1ull << 46)
#define FNTRACE_MARK_NUMBER	(FNTRACE_RECEIVE - 1)

/**
 * struct fntrace_record - one record
 * @time: the counter of the CPU; 0 in a record that was never written
 * @what: type in bits 0-1, depth modulo 2^14 in bits 2-15, address modulo 2^48
 *	in bits 16-63. fntrace_header.addr_high has what an address lacks. A
 *	reader tells the depth by that of the record before.
 */
struct fntrace_record {
	uint64_t time;
	uint64_t what;
};

#define FNTRACE_DEPTH_BITS	14
#define FNTRACE_ADDR_SHIFT	16

/**
 * struct fntrace_data - values of a call, in the place of a record
 * @first: data
 * @what: FNTRACE_MARK in bits 0-1, how many such records there are from this one to the
 *	last one in bits 2-14, FNTRACE_DATA_FIRST in the first one
 * @rest: data
 *
 * The records of a call are right before that of its entry, or of its exit, and without
 * anything between them. What is before some other record belongs to a call that was not
 * kept. Only buffers of FNTRACE_VERSION_VALUES have them.
 *
 * The data begin with 4 bytes: the number of the function in the file "values", and
 * FNTRACE_DATA_EXIT if they are what it returned. That file says what follows.
 */
struct fntrace_data {
	uint8_t		first[8];
	uint16_t	what;
	uint8_t		rest[6];
};

/**
 * enum fntrace_value_state - of what a pointer leads to
 * @FNTRACE_VALUE_THERE: it follows
 * @FNTRACE_VALUE_CUT: it follows, but it is longer
 * @FNTRACE_VALUE_NULL: the pointer is NULL
 * @FNTRACE_VALUE_UNREADABLE: it cannot be read
 */
enum fntrace_value_state {
	FNTRACE_VALUE_THERE,
	FNTRACE_VALUE_CUT,
	FNTRACE_VALUE_NULL,
	FNTRACE_VALUE_UNREADABLE,
};

#define FNTRACE_DATA_FIRST	(1u << 15)
#define FNTRACE_DATA_LEFT(what)	((what) >> 2 & 0x1fff)
#define FNTRACE_DATA_BYTES	14	/* of each */
#define FNTRACE_DATA_EXIT	(1u << 31)
/* The room at the end of a buffer is filled with these if data need more. */
#define FNTRACE_DATA_NONE	(FNTRACE_MARK | 1u << 2)

/**
 * struct fntrace_clock - a counter and a clock read at the same time
 * @counter: the counter of the CPU, in its own units
 * @ns: CLOCK_MONOTONIC in nanoseconds
 */
struct fntrace_clock {
	uint64_t counter;
	uint64_t ns;
};

/* The first bytes of struct fntrace_file, with the NUL. */
#define FNTRACE_FILE_MAGIC	"fntfile"

/**
 * struct fntrace_file - in front of bytes of a file that is no buffer, in a stream
 * @magic: FNTRACE_FILE_MAGIC
 * @byte_order: FNTRACE_BYTE_ORDER as the sender stores it
 * @version: FNTRACE_VERSION
 * @at: offset of the bytes in the file
 * @size: how many follow
 * @name: path of the file in the recording, NUL terminated; empty behind all that is sent
 *
 * "fntrace record --to" sends buffers as a kernel does, and the other files of a recording
 * with this. fntrace_header.cpu has a different number for each buffer then.
 */
struct fntrace_file {
	char		magic[8];
	uint32_t	byte_order;
	uint32_t	version;
	uint64_t	at;
	uint64_t	size;
	char		name[224];
};

/* The buffer has no records of exits, and the depth in those of entries is 0. */
#define FNTRACE_ENTRIES_ONLY	1u

/**
 * struct fntrace_header - the beginning of a buffer
 * @magic: FNTRACE_MAGIC
 * @byte_order: FNTRACE_BYTE_ORDER as the writer stores it
 * @version: FNTRACE_VERSION or FNTRACE_VERSION_VALUES
 * @header_size: bytes from here to the first record
 * @arch: enum fntrace_arch
 * @mode: enum fntrace_mode
 * @cpu: the CPU of the buffer if @tid is 0; see struct fntrace_file
 * @pid: process; 0 in a kernel
 * @tid: thread, as the kernel under it numbers threads; 0 for a CPU
 * @session: which list of mapped files of @pid applies; counts exec()
 * @flags: FNTRACE_ENTRIES_ONLY
 * @addr_high: the upper 16 bits of every address, in place
 * @counter_hz: units of the counter in a second; 0 where that is not known
 * @start: a reading of the clocks when the buffer was made; counter 0: none
 * @latest: a later reading; counter 0: none
 * @base: address of the first record behind the header
 * @older: bytes of records that were here before; they are in the file behind the
 *	room that ends at @end
 * @next: address of the next record; may be beyond @end
 * @end: address behind the last record that has room
 * @wraps: how often the buffer was written over from its beginning
 * @lost: calls that were not recorded
 * @too_deep: of these, the ones for which the shadow stack had no room
 * @busy: the stack pointer of who is writing, or 0; of the backend
 * @name: name of the thread or CPU, NUL terminated
 * @anchor: address of fntrace_buffer_init(), from which a reader knows where a kernel ran
 *	that was not loaded where its file has it; 0: not known
 *
 * Its owner is the only writer. @next changes with one instruction (a compare
 * and exchange that interrupts and signals of the owner respect).
 */
struct fntrace_header {
	char		magic[8];
	uint32_t	byte_order;
	uint32_t	version;
	uint32_t	header_size;
	uint32_t	arch;
	uint32_t	mode;
	uint32_t	cpu;
	uint32_t	pid;
	uint32_t	tid;
	uint32_t	session;
	uint32_t	flags;
	uint64_t	addr_high;
	uint64_t	counter_hz;
	struct fntrace_clock start;
	struct fntrace_clock latest;
	uint64_t	base;
	uint64_t	older;
	uint64_t	next;
	uint64_t	end;
	uint64_t	wraps;
	uint64_t	lost;
	uint64_t	too_deep;
	uint64_t	busy;
	char		name[32];
	uint64_t	anchor;
};

#endif /* !__ASSEMBLER__ */
#endif /* FNTRACE_FORMAT_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol between the process that reads a trace of the kernel and the one that
 * asked for it.
 *
 * Both are the same program, so that this needs no byte order and no version.
 */
#ifndef FNTRACE_KERNEL_PROTOCOL_H
#define FNTRACE_KERNEL_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#define MESSAGE_TEXT_MAX	(1024 * 1024)

/**
 * enum message_type - kinds of messages, each followed by a text
 * @MESSAGE_READY: the input was opened; @value is its size in bytes
 * @MESSAGE_FAILED: it was not: the text says why. @value is an errno
 * @MESSAGE_WARN: the text is for the user
 * @MESSAGE_UNREAD: as well; it says which file was not read to its end
 * @MESSAGE_SYMBOL: the text is the name of the next symbol: they count 0, 1, 2...
 * @MESSAGE_TASK: the next task: @task is its number, @symbol that of its process;
 *	the text has the names of both, each up to a NUL
 * @MESSAGE_EVENT: an event; @value is how many bytes were read up to there
 * @MESSAGE_LOST: @value events are missing before the next one
 * @MESSAGE_BAD: @value records or pages were left out, as they make no sense
 * @MESSAGE_OFFSET: for kernel_tsc_offsets(): the offset of virtual CPU @task became @value;
 *	@depth is 1 if @time says nothing, as its clock is not known
 * @MESSAGE_END: nothing follows
 */
enum message_type {
	MESSAGE_READY,
	MESSAGE_FAILED,
	MESSAGE_WARN,
	MESSAGE_UNREAD,
	MESSAGE_SYMBOL,
	MESSAGE_TASK,
	MESSAGE_EVENT,
	MESSAGE_LOST,
	MESSAGE_BAD,
	MESSAGE_OFFSET,
	MESSAGE_END,
};

/**
 * struct message - a message
 * @value: see enum message_type
 * @time: of an event, in nanoseconds or as @counter says
 * @task: of an event, in the order of MESSAGE_TASK
 * @symbol: of an event, in the order of MESSAGE_SYMBOL
 * @depth: of a call
 * @type: enum message_type
 * @event: enum event_type
 * @counter: @time is of the time stamp counter
 * @size: of the text, which has a NUL at its end if it is not empty
 */
struct message {
	uint64_t	value;
	uint64_t	time;
	uint32_t	task;
	uint32_t	symbol;
	uint32_t	depth;
	uint8_t		type;
	uint8_t		event;
	bool		counter;
	uint32_t	size;
};

/**
 * struct kernel_input - what is to be read
 * @path: a trace.dat file, or the directory of a recording
 * @live: it is the latter
 * @offset: only look for kvm:kvm_write_tsc_offset
 */
struct kernel_input {
	const char		*path;
	bool			live;
	bool			offset;
};

/**
 * kernel_decode() - read the trace and send it as messages
 * @input: where it is
 * @fd: a pipe
 *
 * Context: in a process of its own, which may die here.
 */
void kernel_decode(const struct kernel_input *input, int fd);

/* The directory of a recording, and the file there that describes it. */
#define KERNEL_DIR	"kernel"
#define KERNEL_INFO	"info"

#endif /* FNTRACE_KERNEL_PROTOCOL_H */

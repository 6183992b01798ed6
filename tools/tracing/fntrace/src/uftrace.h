/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of uftrace, as far as they are read and written here. From
 * doc/uftrace-data.md and uftrace.h of uftrace (versions 3 and 4 of the format;
 * uftrace 0.13 writes 4).
 */
#ifndef FNTRACE_UFTRACE_H
#define FNTRACE_UFTRACE_H

#include <stdint.h>

#define UFTRACE_MAGIC		"Ftrace!"
#define UFTRACE_VERSION		4

struct uftrace_file {
	char		magic[8];
	uint32_t	version;
	uint16_t	header_size;
	uint8_t		byte_order;	/* as in ELF: 1 is little endian */
	uint8_t		elf_class;
	uint64_t	features;
	uint64_t	info;
	uint16_t	max_stack;
	uint16_t	unused[3];
};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define UFTRACE_BYTE_ORDER	1
#else
#define UFTRACE_BYTE_ORDER	2
#endif

#define UFTRACE_TASK_SESSION	(1u << 1)
#define UFTRACE_SYM_REL_ADDR	(1u << 5)
#define UFTRACE_MAX_STACK	(1u << 6)
#define UFTRACE_EVENT		(1u << 7)

#define UFTRACE_EXE_NAME	(1u << 0)
#define UFTRACE_CMDLINE		(1u << 3)
#define UFTRACE_TASKINFO	(1u << 7)

/*
 * A record: type in bits 0-1, "arguments follow" in bit 2, 5 in bits 3-5, depth
 * in bits 6-15, address in bits 16-63.
 */
struct uftrace_record {
	uint64_t	time;
	uint64_t	what;
};

#define UFTRACE_TYPE_ENTRY	0
#define UFTRACE_TYPE_EXIT	1
#define UFTRACE_TYPE_LOST	2
#define UFTRACE_TYPE_EVENT	3
#define UFTRACE_MORE		(1u << 2)
#define UFTRACE_RECORD_MAGIC	(5u << 3)
#define UFTRACE_MAGIC_MASK	(7u << 3)
#define UFTRACE_DEPTH_MAX	1023

/* Numbers of events that a program defines begin here. */
#define UFTRACE_EVENT_USER	1000000

#endif /* FNTRACE_UFTRACE_H */

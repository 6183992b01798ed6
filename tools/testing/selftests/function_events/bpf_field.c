// SPDX-License-Identifier: GPL-2.0
/*
 * Show what a BPF program sees in a trace event:
 *
 *	bpf_field ID OFFSET FILE TEXT
 *
 * attaches a program to the event with this ID, writes TEXT to FILE, and prints how
 * often the program ran, and the u64 at OFFSET of the last record.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bpf.h>
#include <linux/perf_event.h>

/* In the one element of an array map. */
struct seen {
	__u64 hits;
	__u64 value;
};

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

/* seen->hits++; seen->value = *(u64 *)(record + offset); */
static int load(int map, int offset)
{
	struct bpf_insn insns[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0 },
		{ BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0 },
		{ BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -4 },
		{ BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map },
		{ 0, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 1 },
		{ BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 0, BPF_ADD },
		{ BPF_LDX | BPF_MEM | BPF_DW, 3, 6, offset, 0 },
		{ BPF_STX | BPF_MEM | BPF_DW, 0, 3, 8, 0 },
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT,
		.insns = (unsigned long)insns,
		.insn_cnt = sizeof(insns) / sizeof(struct bpf_insn),
		.license = (unsigned long)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	union bpf_attr map_attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = sizeof(__u32),
		.value_size = sizeof(struct seen), .max_entries = 1,
	};
	struct perf_event_attr event_attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(event_attr), .sample_period = 1,
	};
	union bpf_attr lookup = { };
	struct seen seen;
	__u32 key = 0;
	int map, program, event, file;

	if (argc != 5) {
		printf("usage: bpf_field ID OFFSET FILE TEXT\n");
		return 2;
	}
	map = bpf(BPF_MAP_CREATE, &map_attr);
	if (map < 0)
		return fail("BPF_MAP_CREATE");

	program = load(map, atoi(argv[2]));
	if (program < 0)
		return fail("BPF_PROG_LOAD");

	event_attr.config = atoi(argv[1]);
	event = syscall(__NR_perf_event_open, &event_attr, -1, 0, -1, 0);
	if (event < 0)
		return fail("perf_event_open");
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, (void *)(long)program))
		return fail("PERF_EVENT_IOC_SET_BPF");
	if (ioctl(event, PERF_EVENT_IOC_ENABLE, NULL))
		return fail("PERF_EVENT_IOC_ENABLE");

	file = open(argv[3], O_WRONLY);
	if (file < 0 || write(file, argv[4], strlen(argv[4])) < 0)
		return fail(argv[3]);

	lookup.map_fd = map;
	lookup.key = (unsigned long)&key;
	lookup.value = (unsigned long)&seen;
	if (bpf(BPF_MAP_LOOKUP_ELEM, &lookup))
		return fail("BPF_MAP_LOOKUP_ELEM");
	printf("%lu %lu\n", (unsigned long)seen.hits, (unsigned long)seen.value);
	return 0;
}

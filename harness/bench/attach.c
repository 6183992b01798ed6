// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * attach perf|bpf|raw_bpf EVENT ID COMMAND...: run COMMAND while perf or a BPF program has the
 * trace event EVENT, whose number in events/ is ID. Fails with one line if it does not get it.
 *
 *	perf	a record of each hit in the memory that a reader maps, as "perf record" asks for it
 *	bpf	a program that counts, by the event of perf
 *	raw_bpf	the same at the tracepoint
 */
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Pages of the memory that is mapped: of 4096 bytes, 256 KiB, and one in front of them. */
#define PAGES	64
/* What hits the event does so more often. */
#define HITS	1000
/* Bytes that a record takes at most. */
#define RECORD	128

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static int bpf(int command, union bpf_attr *attr)
{
	return syscall(__NR_bpf, command, attr, sizeof(*attr));
}

static int array_of_one(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(int),
		.value_size = sizeof(__u64),
		.max_entries = 1,
	};
	int map = bpf(BPF_MAP_CREATE, &attr);

	if (map < 0)
		fail("BPF_MAP_CREATE");
	return map;
}

static __u64 counted(int map)
{
	__u64 value = 0;
	int key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
	};

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		fail("BPF_MAP_LOOKUP_ELEM");
	return value;
}

/* A program that adds one to the only value of an array */
static int counter(int map, int type)
{
	const struct bpf_insn program[] = {
		/* *(int *)(r10 - 4) = 0; r2 = r10 - 4 */
		{ .code = BPF_ST | BPF_MEM | BPF_W, .dst_reg = BPF_REG_10, .off = -4 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -4 },
		/* r0 = bpf_map_lookup_elem(map, r2); if (!r0) goto out */
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2 },
		/* r1 = 1; lock *(u64 *)r0 += r1 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_0,
		  .src_reg = BPF_REG_1, .imm = BPF_ADD },
		/* out: return 0 */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (unsigned long)program,
		.insn_cnt = sizeof(program) / sizeof(*program),
		.license = (unsigned long)"GPL",
	};
	int loaded = bpf(BPF_PROG_LOAD, &attr);

	if (loaded < 0)
		fail("BPF_PROG_LOAD");
	return loaded;
}

static int event_of_perf(const char *id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = strtoul(id, NULL, 0),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		/* Nobody reads, so nobody is woken, and the oldest records go. */
		.write_backward = 1,
	};
	int event = syscall(__NR_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		fail("perf_event_open");
	return event;
}

static void run(char **command)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		execvp(*command, command);
		fail(*command);
	}
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	if (status) {
		fprintf(stderr, "%s has the status 0x%x\n", *command, status);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct perf_event_mmap_page *page = NULL;
	int map = -1;
	__u64 hits;

	if (argc < 5)
		return 2;

	if (!strcmp(argv[1], "raw_bpf")) {
		union bpf_attr attr = { .raw_tracepoint.name = (unsigned long)argv[2] };

		map = array_of_one();
		attr.raw_tracepoint.prog_fd = counter(map, BPF_PROG_TYPE_RAW_TRACEPOINT);
		if (bpf(BPF_RAW_TRACEPOINT_OPEN, &attr) < 0)
			fail("BPF_RAW_TRACEPOINT_OPEN");
	} else if (!strcmp(argv[1], "bpf")) {
		map = array_of_one();
		if (ioctl(event_of_perf(argv[3]), PERF_EVENT_IOC_SET_BPF,
			  counter(map, BPF_PROG_TYPE_TRACEPOINT)))
			fail("PERF_EVENT_IOC_SET_BPF");
	} else {
		page = mmap(NULL, (PAGES + 1) * getpagesize(), PROT_READ, MAP_SHARED,
			    event_of_perf(argv[3]), 0);
		if (page == MAP_FAILED)
			fail("mmap");
	}

	run(argv + 4);

	/* Records are written from the end of the memory to its start, and so on. */
	hits = page ? -page->data_head / RECORD : counted(map);
	if (hits < HITS) {
		fprintf(stderr, "there are only %llu hits\n", hits);
		return 1;
	}
	return 0;
}

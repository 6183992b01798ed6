// SPDX-License-Identifier: GPL-2.0
/*
 * Attach a BPF program that does nothing to tracepoints and detach it again:
 *
 *	bpf_tracepoint ROUNDS NAME...
 *
 * In each round it is attached to all tracepoints NAME, then to none.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bpf.h>

#define MOST_NAMES	16

/* r0 = 0; exit */
#define NR_INSNS	2
static const struct bpf_insn return_0[NR_INSNS] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static long bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int load(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
	attr.insns = (unsigned long)return_0;
	attr.insn_cnt = NR_INSNS;
	attr.license = (unsigned long)"GPL";
	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int program, const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.name = (unsigned long)name;
	attr.raw_tracepoint.prog_fd = program;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int attach_and_detach(int program, char **names, int count)
{
	int fds[MOST_NAMES];
	int attached;
	int ret = 0;

	for (attached = 0; attached < count; attached++) {
		fds[attached] = attach(program, names[attached]);
		if (fds[attached] < 0) {
			ret = fail(names[attached]);
			break;
		}
	}

	while (attached > 0)
		close(fds[--attached]);
	return ret;
}

int main(int argc, char **argv)
{
	int rounds, program;

	if (argc < 3 || argc - 2 > MOST_NAMES)
		return 2;

	program = load();
	if (program < 0)
		return fail("BPF_PROG_LOAD");

	for (rounds = atoi(argv[1]); rounds > 0; rounds--) {
		if (attach_and_detach(program, argv + 2, argc - 2))
			return 1;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Show what a BPF program sees at a tracepoint:
 *
 *	raw_tp NAME KINDS FILE TEXT
 *
 * attaches a program to tracepoint NAME, writes TEXT to FILE, and prints how
 * often the program ran and the arguments of its last run, one a line. KINDS
 * has one letter for each argument that the program is to look at:
 *
 *	v	a value, printed as a number
 *	4	a pointer to an integer of four bytes, which is printed as a number
 *	8	a pointer to one of eight bytes
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bpf.h>

#define MAX_ARGS 4

/* What the program stores, in the one element of an array map. */
struct seen {
	__u64 hits;
	__u64 args[MAX_ARGS];
};

static struct bpf_insn insns[16 + 8 * MAX_ARGS];
static unsigned int count;

static void emit(__u8 code, int dst, int src, __s16 off, __s32 imm)
{
	insns[count++] = (struct bpf_insn) {
		.code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm,
	};
}

#define LOAD(dst, src, off)	emit(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src)	emit(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define MOVE(dst, src)		emit(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOVE_IMM(dst, imm)	emit(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD_IMM(dst, imm)	emit(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define CALL(function)		emit(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define EXIT()			emit(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* r6 holds the context, r7 the map element. */
static void assemble(int map, const char *kinds)
{
	int i;

	MOVE(6, 1);
	emit(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0);
	MOVE(2, 10);
	ADD_IMM(2, -4);
	emit(BPF_LD | BPF_IMM | BPF_DW, 1, BPF_PSEUDO_MAP_FD, 0, map);
	emit(0, 0, 0, 0, 0);
	CALL(BPF_FUNC_map_lookup_elem);
	emit(BPF_JMP | BPF_JNE | BPF_K, 0, 0, 2, 0);
	MOVE_IMM(0, 0);
	EXIT();
	MOVE(7, 0);

	MOVE_IMM(1, 1);
	emit(BPF_STX | BPF_ATOMIC | BPF_DW, 7, 1,
	     __builtin_offsetof(struct seen, hits), BPF_ADD);
	for (i = 0; kinds[i]; i++) {
		LOAD(3, 6, 8 * i);
		if (kinds[i] == 'v') {
			STORE(7, __builtin_offsetof(struct seen, args[i]), 3);
			continue;
		}
		MOVE(1, 7);
		ADD_IMM(1, __builtin_offsetof(struct seen, args[i]));
		MOVE_IMM(2, kinds[i] - '0');
		CALL(BPF_FUNC_probe_read_kernel);
	}

	MOVE_IMM(0, 0);
	EXIT();
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(__NR_bpf, cmd, attr, sizeof(*attr));
}

static int create_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = sizeof(struct seen),
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int load(void)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (unsigned long)insns,
		.insn_cnt = count,
		.license = (unsigned long)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(int program, const char *name)
{
	union bpf_attr attr = {
		.raw_tracepoint = {
			.name = (unsigned long)name,
			.prog_fd = program,
		},
	};

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int look_up(int map, struct seen *seen)
{
	__u32 key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)seen,
	};

	return bpf(BPF_MAP_LOOKUP_ELEM, &attr);
}

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static void show(const struct seen *seen, const char *kinds)
{
	int i;

	printf("hits %llu\n", (unsigned long long)seen->hits);
	for (i = 0; kinds[i]; i++) {
		__u64 arg = seen->args[i];
		__u32 word;

		if (kinds[i] == '4') {
			memcpy(&word, &seen->args[i], sizeof(word));
			arg = word;
		}
		printf("%d 0x%llx\n", i, (unsigned long long)arg);
	}
}

static int are_kinds(const char *kinds)
{
	int i;

	for (i = 0; kinds[i]; i++)
		if (i == MAX_ARGS || !strchr("v48", kinds[i]))
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	static struct seen seen;
	const char *name, *kinds, *text;
	int map, program, file;
	ssize_t length;

	if (argc != 5 || !are_kinds(argv[2])) {
		printf("usage: raw_tp NAME KINDS FILE TEXT\n");
		return 1;
	}
	name = argv[1];
	kinds = argv[2];
	text = argv[4];

	map = create_map();
	if (map < 0)
		return fail("BPF map");
	assemble(map, kinds);
	program = load();
	if (program < 0)
		return fail("BPF program");
	if (attach(program, name) < 0)
		return fail("attach");

	file = open(argv[3], O_WRONLY);
	if (file < 0)
		return fail("open");
	length = strlen(text);
	if (write(file, text, length) != length)
		return fail("write");
	close(file);

	if (look_up(map, &seen))
		return fail("BPF map element");
	show(&seen, kinds);
	return 0;
}

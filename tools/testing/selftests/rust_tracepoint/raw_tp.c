// SPDX-License-Identifier: GPL-2.0
/*
 * Show what a BPF program sees at a tracepoint:
 *
 *	raw_tp [-b MODULE] NAME KINDS FILE TEXT
 *
 * attaches a program to tracepoint NAME, writes TEXT to FILE, and prints how
 * often the program ran and the arguments of its last run, one a line. KINDS
 * has one letter for each argument that the program is to look at:
 *
 *	v	a value, printed as a number
 *	4	a pointer to an integer of four bytes, which is printed as a number
 *	8	a pointer to one of eight bytes
 *
 * With -b, the program is one of the kind tp_btf: it is loaded for the tracepoint
 * NAME of MODULE, whose BTF tells the verifier what the arguments are, and it
 * dereferences pointers without a helper. Documentation/bpf/btf.rst describes BTF.
 *
 * Built with nolibc, which is why there is no include of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/bpf.h>
#include <linux/btf.h>

#define MAX_ARGS 4
#define MAX_NAME 128

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
static void assemble(int map, const char *kinds, int has_types)
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
		if (has_types && kinds[i] != 'v') {
			/* The verifier does not know that no module passes NULL. */
			emit(BPF_JMP | BPF_JEQ | BPF_K, 3, 0, 1, 0);
			emit(BPF_LDX | BPF_MEM | (kinds[i] == '4' ? BPF_W : BPF_DW), 3, 3, 0, 0);
		}
		if (has_types || kinds[i] == 'v') {
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

/* The BTF object of MODULE in the kernel, as a descriptor. */
static int open_btf(const char *module)
{
	char name[MAX_NAME];
	__u32 id = 0;

	for (;;) {
		union bpf_attr next = { .start_id = id };
		union bpf_attr get = {};
		struct bpf_btf_info info = {
			.name = (unsigned long)name,
			.name_len = sizeof(name),
		};
		union bpf_attr about = {};
		int fd;

		if (bpf(BPF_BTF_GET_NEXT_ID, &next))
			return -1;

		id = next.next_id;
		get.btf_id = id;
		fd = bpf(BPF_BTF_GET_FD_BY_ID, &get);
		if (fd < 0)
			return -1;

		about.info.bpf_fd = fd;
		about.info.info_len = sizeof(info);
		about.info.info = (unsigned long)&info;
		if (bpf(BPF_OBJ_GET_INFO_BY_FD, &about))
			return -1;

		if (info.kernel_btf && !strcmp(name, module))
			return fd;
		close(fd);
	}
}

static void *read_btf(const char *module)
{
	struct btf_header *header;
	char path[MAX_NAME + 32];
	off_t size, done = 0;
	char *data;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", module);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return NULL;

	size = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	data = size > 0 ? malloc(size) : NULL;

	while (data && done < size) {
		ssize_t got = read(fd, data + done, size - done);

		if (got <= 0)
			break;
		done += got;
	}
	close(fd);

	header = (struct btf_header *)data;
	if (done < (off_t)sizeof(*header) || header->magic != BTF_MAGIC)
		return NULL;
	return data;
}

/* How many bytes follow TYPE that belong to it. */
static unsigned long behind(const struct btf_type *type)
{
	unsigned int vlen = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_INT:
		return sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return vlen * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return vlen * sizeof(struct btf_enum);
	case BTF_KIND_ENUM64:
		return vlen * sizeof(struct btf_enum64);
	case BTF_KIND_FUNC_PROTO:
		return vlen * sizeof(struct btf_param);
	case BTF_KIND_VAR:
		return sizeof(struct btf_var);
	case BTF_KIND_DATASEC:
		return vlen * sizeof(struct btf_var_secinfo);
	case BTF_KIND_DECL_TAG:
		return sizeof(struct btf_decl_tag);
	default:
		return 0;
	}
}

/*
 * The number of the typedef NAME in BTF, whose first type has the number FIRST and
 * whose first string the offset STRINGS; or, without NAME, that of the first type of
 * BTF that is based on this one. 0 if there is no such type.
 */
static __u32 find_type(const void *btf, const char *name, __u32 first, __u32 strings)
{
	const struct btf_header *header = btf;
	const char *start = (const char *)btf + header->hdr_len;
	const char *at = start + header->type_off;
	const char *end = at + header->type_len;
	const char *names = start + header->str_off;
	__u32 id = first;

	while (at < end) {
		const struct btf_type *type = (const struct btf_type *)at;

		if (name && BTF_INFO_KIND(type->info) == BTF_KIND_TYPEDEF &&
		    type->name_off >= strings && !strcmp(names + type->name_off - strings, name))
			return id;

		at += sizeof(*type) + behind(type);
		id++;
	}
	return name ? 0 : id;
}

/* The number of the type that tells BPF the arguments of a tracepoint of MODULE. */
static __u32 tracepoint_type(const char *module, const char *name)
{
	const struct btf_header *base = read_btf("vmlinux");
	const void *btf = read_btf(module);
	char typedef_name[MAX_NAME];

	if (!base || !btf)
		return 0;
	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	return find_type(btf, typedef_name, find_type(base, NULL, 1, 0), base->str_len);
}

static int load(__u32 type, int btf)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.insns = (unsigned long)insns,
		.insn_cnt = count,
		.license = (unsigned long)"GPL",
	};

	if (type) {
		attr.prog_type = BPF_PROG_TYPE_TRACING;
		attr.expected_attach_type = BPF_TRACE_RAW_TP;
		attr.attach_btf_id = type;
		attr.attach_btf_obj_fd = btf;
	}

	return bpf(BPF_PROG_LOAD, &attr);
}

/* NAME is NULL if the program was loaded for one tracepoint. */
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
	const char *name, *kinds, *text, *module = NULL;
	int map, program, file, btf = -1;
	static struct seen seen;
	__u32 type = 0;
	ssize_t length;

	if (argc == 7 && !strcmp(argv[1], "-b")) {
		module = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc != 5 || !are_kinds(argv[2])) {
		printf("usage: raw_tp [-b MODULE] NAME KINDS FILE TEXT\n");
		return 1;
	}
	name = argv[1];
	kinds = argv[2];
	text = argv[4];

	if (module) {
		btf = open_btf(module);
		if (btf < 0)
			return fail("BTF of the module");
		type = tracepoint_type(module, name);
		if (!type) {
			printf("no type for the tracepoint in the BTF\n");
			return 1;
		}
	}

	map = create_map();
	if (map < 0)
		return fail("BPF map");
	assemble(map, kinds, !!module);
	program = load(type, btf);
	if (program < 0)
		return fail("BPF program");
	if (attach(program, module ? NULL : name) < 0)
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

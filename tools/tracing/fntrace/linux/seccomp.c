// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Run a filter of system calls (BPF as in seccomp(2)) before it is installed.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "seccomp.h"

#if defined(__x86_64__)
#define THIS_ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH	AUDIT_ARCH_AARCH64
#else
#define THIS_ARCH	AUDIT_ARCH_RISCV64
#endif

/* Of preload.c, calls.c and values.c, after the program has begun. */
static const int calls[] = {
	SYS_clock_gettime, SYS_close, SYS_fallocate, SYS_fcntl, SYS_fstat, SYS_ftruncate,
	SYS_getpid, SYS_gettid, SYS_madvise, SYS_mmap, SYS_munmap, SYS_openat, SYS_prctl,
	SYS_pread64, SYS_prlimit64, SYS_pwrite64, SYS_rt_sigpending, SYS_rt_sigprocmask,
	SYS_rt_sigtimedwait, SYS_sched_yield, SYS_unlinkat, SYS_write,
	/* The last one, as only values need it. */
	SYS_process_vm_readv,
};

static uint32_t alu(uint32_t a, uint16_t code, uint32_t value)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		return a + value;
	case BPF_SUB:
		return a - value;
	case BPF_MUL:
		return a * value;
	case BPF_DIV:
		return value ? a / value : 0;
	case BPF_OR:
		return a | value;
	case BPF_AND:
		return a & value;
	case BPF_XOR:
		return a ^ value;
	case BPF_LSH:
		return value < 32 ? a << value : 0;
	case BPF_RSH:
		return value < 32 ? a >> value : 0;
	default:
		return -a;
	}
}

static bool jumps(uint32_t a, uint16_t code, uint32_t value)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ:
		return a == value;
	case BPF_JGT:
		return a > value;
	case BPF_JGE:
		return a >= value;
	default:
		return a & value;
	}
}

/* What @filter returns for @data. One that the kernel would refuse kills. */
static uint32_t run(const struct sock_fprog *filter, const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, memory[BPF_MEMWORDS] = { }, value;
	unsigned int at;

	for (at = 0; at < filter->len; at++) {
		const struct sock_filter *step = &filter->filter[at];

		value = BPF_SRC(step->code) == BPF_X ? x : step->k;
		switch (BPF_CLASS(step->code)) {
		case BPF_LD:
		case BPF_LDX:
			if (BPF_MODE(step->code) == BPF_IMM)
				value = step->k;
			else if (BPF_MODE(step->code) == BPF_LEN)
				value = sizeof(*data);
			else if (BPF_MODE(step->code) == BPF_MEM && step->k < BPF_MEMWORDS)
				value = memory[step->k];
			else if (step->k <= sizeof(*data) - sizeof(value))
				/* A half of an argument, which has another type. */
				memcpy(&value, (const char *)data + step->k, sizeof(value));
			if (BPF_CLASS(step->code) == BPF_LD)
				a = value;
			else
				x = value;
			break;
		case BPF_ST:
		case BPF_STX:
			if (step->k < BPF_MEMWORDS)
				memory[step->k] = BPF_CLASS(step->code) == BPF_ST ? a : x;
			break;
		case BPF_ALU:
			a = alu(a, step->code, value);
			break;
		case BPF_JMP:
			/* The kernel refuses one that leads out; here it must not lead back. */
			if (BPF_OP(step->code) == BPF_JA && step->k > filter->len)
				return SECCOMP_RET_KILL_PROCESS;
			if (BPF_OP(step->code) == BPF_JA)
				at += step->k;
			else
				at += jumps(a, step->code, value) ? step->jt : step->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(step->code) == BPF_A ? a : step->k;
		case BPF_MISC:
			if (BPF_MISCOP(step->code) == BPF_TAX)
				x = a;
			else
				a = x;
			break;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

static bool kills(const struct sock_fprog *filter, const struct seccomp_data *data)
{
	uint32_t action = run(filter, data) & SECCOMP_RET_ACTION_FULL;

	return action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG &&
	       action != SECCOMP_RET_ERRNO;
}

bool seccomp_kills(const struct sock_fprog *filter, bool values, bool stubs)
{
	size_t nr = sizeof(calls) / sizeof(calls[0]) - !values, i;
	struct seccomp_data data = { .arch = THIS_ARCH };

	for (i = 0; i < nr; i++) {
		data.nr = calls[i];
		if (kills(filter, &data))
			return true;
	}
	/* Some forbid this for code alone. */
	data.nr = SYS_mprotect;
	data.args[2] = PROT_READ | PROT_EXEC;
	return stubs && kills(filter, &data);
}

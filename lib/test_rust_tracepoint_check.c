// SPDX-License-Identifier: GPL-2.0
/*
 * Test of tracepoints in Rust, the part in C.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 *
 * On load, probes are registered here for tracepoints that are called from
 * Rust, and for those that are defined in Rust and called from both languages.
 * Each call must reach its probe with the right arguments while the probe is
 * registered, and only then. Otherwise loading the module fails.
 *
 * Writing a number to the parameter "fire" then calls every event that many
 * times, for tests that look at the recorded events.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "test_rust_tracepoint.h"
#include "test_rust_tracepoint_trace.h"
#include "test_rust_tracepoint_main.trace.h"

/*
 * Arguments of the last call of a probe. Only test_rust_tracepoint_check() and
 * the probes that it triggers access these: nothing else calls the tracepoints
 * before the module is loaded.
 */
static unsigned int calls;
static u64 last_value;
static struct task_struct *last_task;
static void *last_data;

static unsigned int checks, errors;

DEFINE_STATIC_KEY_FALSE(test_rust_tracepoint_key_false);
DEFINE_STATIC_KEY_TRUE(test_rust_tracepoint_key_true);

static void saw(void *data, u64 value, struct task_struct *task)
{
	calls++;
	last_data = data;
	last_value = value;
	last_task = task;
}

static void probe_int(void *data, int value)
{
	saw(data, value, NULL);
}

static void probe_bare(void *data, int value, struct task_struct *task)
{
	saw(data, value, task);
}

static void probe_names(void *data, unsigned long first, const char *second,
			int third)
{
	saw(data, third == -3 && !strcmp(second, "second") ? first : ~0UL,
	    NULL);
}

static void probe_u64(void *data, u64 value)
{
	saw(data, value, NULL);
}

static void probe_twin(void *data, u32 id, const char *name, unsigned int flags,
		       const u8 *mac, const u32 *array, size_t count,
		       struct task_struct *task)
{
	/* The values that Twin::new() in Rust derives from id. */
	bool right = !strcmp(name, "twin") && flags == id % 9 && mac[0] == 2 &&
		     mac[5] == (u8)id && count == id % 5 &&
		     (!count || array[0] == id);

	saw(data, right ? id : ~0U, task);
}

/* Probes of the events defined in Rust, which pass the fields of the record. */

static void
probe_rust_condition(void *data,
		     const struct rust_test_rust_condition_args *args)
{
	saw(data, args->value, NULL);
}

static void probe_rust_class(void *data,
			     const struct rust_test_rust_class_args *args)
{
	saw(data, args->value, NULL);
}

static void probe_hook(void *data, u32 order, u64 *value,
		       const struct task_struct *task)
{
	*value += order;
}

static void probe_rust_fn(void *data, const struct rust_test_rust_fn_args *args)
{
	saw(data, args->value, NULL);
}

static void probe_rust_empty(void *data,
			     const struct rust_test_rust_empty_args *args)
{
	saw(data, 0, NULL);
}

static void probe_rust_twin(void *data,
			    const struct rust_test_rust_twin_args *args)
{
	bool right = args->name__len == strlen("twin") &&
		     !memcmp(args->name, "twin", args->name__len) &&
		     args->flags == args->id % 9 && args->mac[0] == 2 &&
		     args->mac[5] == (u8)args->id &&
		     args->data__len == args->id % 5 &&
		     (!args->data__len || args->data[0] == args->id);

	saw(data, right ? args->id : ~0U, args->task);
}

static void call_c_fields(u32 nr, const struct timespec64 *times,
			  const char *text, size_t len,
			  const unsigned long *mask, const u8 *addr,
			  size_t size, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list va;

	va_start(va, fmt);
	vaf.va = &va;
	trace_test_c_fields(nr, times, text, len, mask, cpu_possible_mask, addr,
			    size, &vaf);
	va_end(va);
}

/* Calls the C/Rust pairs that are about kinds of fields and of print helpers. */
static void call_pairs(u32 nr)
{
	const struct timespec64 times[2] = { { nr, nr * 1000 }, { -1, ~nr } };
	const unsigned long mask[2] = { nr, 5UL << (nr % BITS_PER_LONG) };
	union {
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		u8 bytes[28];
	} addr = {};
	/* The longest text that is not cut, and one that is. */
	char text[600];
	size_t len = nr == 5 ? 500 : nr == 6 ? 599 : nr;
	size_t size;

	memset(text, 'a' + nr % 26, sizeof(text));
	if (nr % 2) {
		size = sizeof(addr.v4);
		addr.v4.sin_family = AF_INET;
		addr.v4.sin_port = htons(nr);
		addr.v4.sin_addr.s_addr = htonl(0x7f000000 + nr);
	} else {
		size = sizeof(addr.v6);
		addr.v6.sin6_family = AF_INET6;
		addr.v6.sin6_port = htons(nr);
		addr.v6.sin6_addr.s6_addr[0] = 0xfe;
		addr.v6.sin6_addr.s6_addr[15] = nr;
	}

	call_c_fields(nr, times, text, len, mask, addr.bytes, size,
		      "%u is %.*s", nr, (int)len, text);
	trace_test_c_rel(nr, text, len, mask, cpu_possible_mask, addr.bytes,
			 size);
	trace_test_c_print(nr, text, 6 + len % 100, mask);
	test_rust_tracepoint_fields(nr, times, text, len, mask,
				    cpu_possible_mask, addr.bytes, size);
	trace_test_c_fn(nr);
	test_rust_tracepoint_fn(nr);
}

#define check(condition)						\
do {									\
	checks++;							\
	if (!(condition)) {						\
		errors++;						\
		pr_err("line %d: %s: not so\n", __LINE__, #condition);	\
	}								\
} while (0)

/* Check that there was exactly one call, with these arguments. */
#define check_call(call, data, value, task)				\
do {									\
	calls = 0;							\
	call;								\
	check(calls == 1);						\
	check(last_data == (data));					\
	check(last_value == (u64)(value));				\
	check(last_task == (task));					\
} while (0)

#define check_no_call(call)						\
do {									\
	calls = 0;							\
	call;								\
	check(calls == 0);						\
} while (0)

/* Branches in Rust on keys of C behave as those in C. */
static void check_keys(void)
{
	check(test_rust_tracepoint_branches() == TEST_RUST_TRACEPOINT_KEY_TRUE);

	static_branch_enable(&test_rust_tracepoint_key_false);
	check(static_branch_unlikely(&test_rust_tracepoint_key_false));
	check(test_rust_tracepoint_branches() ==
	      (TEST_RUST_TRACEPOINT_KEY_FALSE | TEST_RUST_TRACEPOINT_KEY_TRUE));

	static_branch_disable(&test_rust_tracepoint_key_true);
	check(!static_branch_likely(&test_rust_tracepoint_key_true));
	check(test_rust_tracepoint_branches() ==
	      TEST_RUST_TRACEPOINT_KEY_FALSE);

	static_branch_disable(&test_rust_tracepoint_key_false);
	check(test_rust_tracepoint_branches() == 0);

	static_branch_inc(&test_rust_tracepoint_key_true);
	static_branch_inc(&test_rust_tracepoint_key_true);
	static_branch_dec(&test_rust_tracepoint_key_true);
	check(test_rust_tracepoint_branches() == TEST_RUST_TRACEPOINT_KEY_TRUE);
}

static void check_declared(void)
{
	static int data;

	check(test_rust_tracepoint_enabled() == 0);
	check_no_call(test_rust_tracepoint_site_rust(1));
	check_no_call(test_rust_tracepoint_bare(1, current));
	check_no_call(test_rust_tracepoint_condition(1));
	check_no_call(test_rust_tracepoint_first(1));
	check_no_call(test_rust_tracepoint_second(1));

	check(!register_trace_test_c_site(probe_int, &data));
	check(test_rust_tracepoint_enabled() == TEST_RUST_TRACEPOINT_SITE);
	check_call(test_rust_tracepoint_site_rust(-5), &data, -5, NULL);
	check_call(test_rust_tracepoint_site_c(7), &data, 7, NULL);
	check_no_call(test_rust_tracepoint_bare(1, current));
	check(!unregister_trace_test_c_site(probe_int, &data));
	check(test_rust_tracepoint_enabled() == 0);
	check_no_call(test_rust_tracepoint_site_rust(1));

	check(!register_trace_test_c_bare_tp(probe_bare, NULL));
	check(test_rust_tracepoint_enabled() == TEST_RUST_TRACEPOINT_BARE);
	check_call(test_rust_tracepoint_bare(3, current), NULL, 3, current);
	check(!unregister_trace_test_c_bare_tp(probe_bare, NULL));

	check(!register_trace_test_c_names_tp(probe_names, &data));
	check_call(test_rust_tracepoint_names(7, "second", -3), &data, 7, NULL);
	check(!unregister_trace_test_c_names_tp(probe_names, &data));
	check_no_call(test_rust_tracepoint_names(7, "second", -3));

	check(!register_trace_test_c_condition(probe_int, NULL));
	check(test_rust_tracepoint_enabled() == TEST_RUST_TRACEPOINT_CONDITION);
	check_call(test_rust_tracepoint_condition(1), NULL, 1, NULL);
	check_no_call(test_rust_tracepoint_condition(0));
	check_no_call(test_rust_tracepoint_condition(-1));
	check(!unregister_trace_test_c_condition(probe_int, NULL));

	check(!register_trace_test_c_first(probe_u64, NULL));
	check(!register_trace_test_c_second(probe_u64, &data));
	check(test_rust_tracepoint_enabled() ==
	      (TEST_RUST_TRACEPOINT_FIRST | TEST_RUST_TRACEPOINT_SECOND));
	check_call(test_rust_tracepoint_first(1ULL << 40), NULL, 1ULL << 40,
		   NULL);
	check_call(test_rust_tracepoint_second(~0ULL), &data, ~0ULL, NULL);
	check_no_call(test_rust_tracepoint_second(2));

	/* Two probes on one tracepoint: both are called. */
	check(!register_trace_test_c_first(probe_u64, &data));
	calls = 0;
	test_rust_tracepoint_first(1);
	check(calls == 2);
	check(!unregister_trace_test_c_first(probe_u64, &data));
	check(!unregister_trace_test_c_first(probe_u64, NULL));
	check(!unregister_trace_test_c_second(probe_u64, &data));
	check(test_rust_tracepoint_enabled() == 0);

	check(!register_trace_test_c_twin(probe_twin, &data));
	check_call(test_rust_tracepoint_twin_c(7), &data, 7, current);
	check(!unregister_trace_test_c_twin(probe_twin, &data));

	tracepoint_synchronize_unregister();
}

static void check_defined(void)
{
	struct rust_test_rust_condition_args value = { .value = 3 };
	unsigned int conditions;
	static int data;

	check(!trace_test_rust_twin_enabled());
	check_no_call(test_rust_tracepoint_twin_rust(1));
	check_no_call(test_rust_tracepoint_defined(1));

	check(!register_trace_test_rust_twin(probe_rust_twin, &data));
	check(trace_test_rust_twin_enabled());
	check_call(test_rust_tracepoint_twin_rust(7), &data, 7, current);
	check(!unregister_trace_test_rust_twin(probe_rust_twin, &data));
	check_no_call(test_rust_tracepoint_twin_rust(1));

	/*
	 * The condition of a disabled event is not evaluated, with lockdep or
	 * without.
	 */
	conditions = test_rust_tracepoint_conditions();
	check_no_call(test_rust_tracepoint_defined(1));
	check(test_rust_tracepoint_conditions() == conditions);

	check(!register_trace_test_rust_condition(probe_rust_condition, NULL));
	/*
	 * Calls from C do not evaluate the condition: it is part of the Rust
	 * function.
	 */
	check_call(trace_test_rust_condition(&value), NULL, 3, NULL);
	check(test_rust_tracepoint_conditions() == conditions);
	check_call(test_rust_tracepoint_defined(5), NULL, 5, NULL);
	check(test_rust_tracepoint_conditions() == conditions + 1);
	check_no_call(test_rust_tracepoint_defined(0));
	check_no_call(test_rust_tracepoint_defined(-1));
	check(!unregister_trace_test_rust_condition(probe_rust_condition,
						    NULL));

	check(!register_trace_test_rust_first(probe_rust_class, &data));
	check_call(test_rust_tracepoint_defined(-1), &data, ~0ULL, NULL);
	check(!unregister_trace_test_rust_first(probe_rust_class, &data));

	check(!register_trace_test_rust_second(probe_rust_class, &data));
	check_call(test_rust_tracepoint_defined(3), &data, 3, NULL);
	check_no_call(test_rust_tracepoint_defined(2));
	check(!unregister_trace_test_rust_second(probe_rust_class, &data));

	check(!register_trace_test_rust_empty(probe_rust_empty, &data));
	check_call(test_rust_tracepoint_defined(0), &data, 0, NULL);
	check(!unregister_trace_test_rust_empty(probe_rust_empty, &data));

	check_no_call(test_rust_tracepoint_bare_rust(3, current));
	check(!register_trace_test_rust_bare_tp(probe_bare, &data));
	check_call(test_rust_tracepoint_bare_rust(3, current), &data, 3,
		   current);
	/* As with events, the condition is part of the Rust function. */
	check_no_call(test_rust_tracepoint_bare_rust(4, current));
	check_call(trace_test_rust_bare_tp(4, current), &data, 4, current);
	check(!unregister_trace_test_rust_bare_tp(probe_bare, &data));
	check_no_call(test_rust_tracepoint_bare_rust(3, current));

	check(test_rust_tracepoint_hook(1, 7) == 7);
	check(!register_trace_test_rust_hook_tp(probe_hook, &data));
	check(test_rust_tracepoint_hook(1, 7) == 8);
	check(!unregister_trace_test_rust_hook_tp(probe_hook, &data));
	check(test_rust_tracepoint_hook(1, 7) == 7);

	/* Registered with the first probe only, in both languages. */
	check(!test_rust_tracepoint_registered());
	check(!register_trace_test_rust_fn(probe_rust_fn, NULL));
	check(!register_trace_test_rust_fn(probe_rust_fn, &data));
	check(!register_trace_test_c_fn(probe_int, NULL));
	check(!register_trace_test_c_fn(probe_int, &data));
	check(test_rust_tracepoint_registered() == 1);
	check(test_rust_tracepoint_registered_c() == 1);
	calls = 0;
	test_rust_tracepoint_fn(9);
	check(calls == 2 && last_value == 9);
	check(!unregister_trace_test_rust_fn(probe_rust_fn, NULL));
	check(test_rust_tracepoint_registered() == 1);
	check(!unregister_trace_test_rust_fn(probe_rust_fn, &data));
	check(!unregister_trace_test_c_fn(probe_int, NULL));
	check(!unregister_trace_test_c_fn(probe_int, &data));
	check(test_rust_tracepoint_registered() == 0);
	check(test_rust_tracepoint_registered_c() == 0);

	tracepoint_synchronize_unregister();
}

/**
 * test_rust_tracepoint_check() - call every tracepoint with and without probes
 *
 * Context: Process context, while the module is being loaded. May sleep.
 * Return: 0 on success, -EINVAL if a check failed.
 */
int test_rust_tracepoint_check(void)
{
	check_keys();
	check_declared();
	check_defined();

	pr_info("%u checks, %u failed\n", checks, errors);
	return errors ? -EINVAL : 0;
}

static int fire(const char *text, const struct kernel_param *unused)
{
	unsigned int nr, i;
	int ret;

	ret = kstrtouint(text, 0, &nr);
	if (ret)
		return ret;

	for (i = 0; i < nr; i++) {
		test_rust_tracepoint_site_c(i);
		test_rust_tracepoint_site_rust(i);
		test_rust_tracepoint_bare(i, current);
		test_rust_tracepoint_condition(i);
		test_rust_tracepoint_first(i);
		test_rust_tracepoint_second(i);
		test_rust_tracepoint_defined(i);
		test_rust_tracepoint_twin_c(i);
		test_rust_tracepoint_twin_rust(i);
		call_pairs(i);
	}
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = fire,
};
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "write a number to call every event that often");

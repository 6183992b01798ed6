// SPDX-License-Identifier: GPL-2.0
/*
 * Static branches of every kind, for harness/branchcheck.py to compile with
 * two sets of headers and to compare.  Nothing here ever runs.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include "keys.h"

DEFINE_STATIC_KEY_FALSE(off_key);
DEFINE_STATIC_KEY_TRUE(on_key);
DEFINE_STATIC_KEY_ARRAY_FALSE(off_keys, 4);
DEFINE_STATIC_KEY_ARRAY_TRUE(on_keys, 4);

static DEFINE_STATIC_KEY_FALSE(local_off_key);

struct static_key old_key = STATIC_KEY_INIT_FALSE;

struct device_keys {
	int before;
	struct static_key_false off;
	struct static_key_true on;
} device_keys = {
	.off = STATIC_KEY_FALSE_INIT,
	.on = STATIC_KEY_TRUE_INIT,
};

int off_unlikely(void)
{
	return static_branch_unlikely(&off_key);
}

int off_likely(void)
{
	return static_branch_likely(&off_key);
}

int on_unlikely(void)
{
	return static_branch_unlikely(&on_key);
}

int on_likely(void)
{
	return static_branch_likely(&on_key);
}

void declared_elsewhere(void)
{
	if (static_branch_unlikely(&far_off_key))
		hit(1);
	if (static_branch_likely(&far_off_key))
		hit(2);
	if (static_branch_unlikely(&far_on_key))
		hit(3);
	if (static_branch_likely(&far_on_key))
		hit(4);
}

void in_an_array(void)
{
	if (static_branch_unlikely(&off_keys[0]))
		hit(1);
	if (static_branch_likely(&off_keys[1]))
		hit(2);
	if (static_branch_unlikely(&on_keys[2]))
		hit(3);
	if (static_branch_likely(&on_keys[3]))
		hit(4);
}

void in_a_struct(void)
{
	if (static_branch_unlikely(&device_keys.off))
		hit(1);
	if (static_branch_likely(&device_keys.on))
		hit(2);
}

int old_interface(int n)
{
	if (static_key_false(&old_key))
		n += 3;
	if (static_key_true(&old_key))
		n *= 5;
	return n;
}

int in_a_loop(const int *p, int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++) {
		if (static_branch_unlikely(&local_off_key))
			hit(p[i]);
		sum += p[i];
		if (static_branch_likely(&on_key))
			sum ^= i;
	}
	return sum;
}

static inline int checked(int n)
{
	if (static_branch_unlikely(&far_off_key)) {
		hit(n);
		return n + 1;
	}
	return n;
}

int inlined_twice(int a, int b)
{
	return checked(a) * checked(b);
}

/* Small enough to be inlined or not, depending on what an asm counts for. */
static int on_the_edge(int n)
{
	if (static_branch_unlikely(&off_key))
		hit(n);
	if (static_branch_likely(&on_key))
		hit(n + 1);
	return n ^ 0x55;
}

int edge_1(int n)
{
	return on_the_edge(n);
}

int edge_2(int n)
{
	return on_the_edge(n + 1) + on_the_edge(n + 2);
}

static __always_inline int step(int n, int i)
{
	if (static_branch_unlikely(&off_key))
		hit(n + i);
	return n * (2 * i + 3) + 11;
}

/* Far enough apart for a short jump not to reach everywhere. */
int long_way(int n)
{
	n = step(step(step(step(n, 0), 1), 2), 3);
	n = step(step(step(step(n, 4), 5), 6), 7);
	return step(step(step(step(n, 8), 9), 10), 11);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the parts of the test of tracepoints in Rust.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _LIB_TEST_RUST_TRACEPOINT_H
#define _LIB_TEST_RUST_TRACEPOINT_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct cpumask;
struct task_struct;
struct timespec64;

/* Keys of C with branches in Rust, defined in test_rust_tracepoint_check.c */

DECLARE_STATIC_KEY_FALSE(test_rust_tracepoint_key_false);
DECLARE_STATIC_KEY_TRUE(test_rust_tracepoint_key_true);

/* Called from test_rust_tracepoint_main.rs, defined in C */

int test_rust_tracepoint_check(void);
void test_rust_tracepoint_site_c(int value);
int test_rust_tracepoint_registered_c(void);

/* Defined in test_rust_tracepoint_main.rs */

void test_rust_tracepoint_site_rust(int value);
void test_rust_tracepoint_bare(int value, struct task_struct *task);
void test_rust_tracepoint_condition(int value);
void test_rust_tracepoint_names(unsigned long first, const char *second,
				int third);
void test_rust_tracepoint_first(u64 value);
void test_rust_tracepoint_second(u64 value);
unsigned int test_rust_tracepoint_enabled(void);
unsigned int test_rust_tracepoint_branches(void);
unsigned int test_rust_tracepoint_conditions(void);
void test_rust_tracepoint_defined(int value);
void test_rust_tracepoint_twin_c(unsigned int nr);
void test_rust_tracepoint_twin_rust(unsigned int nr);
void test_rust_tracepoint_fields(u32 nr, const struct timespec64 *times,
				 const u8 *text, size_t len,
				 const unsigned long *mask,
				 const struct cpumask *cpus, const u8 *addr,
				 size_t size);
void test_rust_tracepoint_fn(int value);
void test_rust_tracepoint_bare_rust(int value, struct task_struct *task);
u64 test_rust_tracepoint_hook(u32 order, u64 value);
int test_rust_tracepoint_registered(void);

/* The bits of test_rust_tracepoint_enabled() */
#define TEST_RUST_TRACEPOINT_SITE	0x01
#define TEST_RUST_TRACEPOINT_BARE	0x02
#define TEST_RUST_TRACEPOINT_CONDITION	0x04
#define TEST_RUST_TRACEPOINT_FIRST	0x08
#define TEST_RUST_TRACEPOINT_SECOND	0x10

/* The bits of test_rust_tracepoint_branches(): two branches on each key */
#define TEST_RUST_TRACEPOINT_KEY_FALSE	0x03
#define TEST_RUST_TRACEPOINT_KEY_TRUE	0x0c

#endif /* _LIB_TEST_RUST_TRACEPOINT_H */

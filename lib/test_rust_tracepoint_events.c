// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of C that test_rust_tracepoint_main.rs calls, and a site of
 * one of them to compare with the one in Rust.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include "test_rust_tracepoint.h"

#define CREATE_TRACE_POINTS
#define CREATE_RUST_TRACE_POINTS
#include "test_rust_tracepoint_trace.h"

void test_rust_tracepoint_site_c(int value)
{
	trace_test_c_site(value);
}

/* Calls of test_c_register() without one of test_c_unregister(). */
static int registered;

int test_c_register(void)
{
	registered++;
	return 0;
}

void test_c_unregister(void)
{
	registered--;
}

int test_rust_tracepoint_registered_c(void)
{
	return registered;
}

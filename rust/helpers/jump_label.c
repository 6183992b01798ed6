// SPDX-License-Identifier: GPL-2.0
/*
 * Without CONFIG_JUMP_LABEL, these are inline.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/jump_label.h>

#ifndef CONFIG_JUMP_LABEL
int rust_helper_static_key_count(struct static_key *key)
{
	return static_key_count(key);
}

bool rust_helper_static_key_slow_inc(struct static_key *key)
{
	return static_key_slow_inc(key);
}

void rust_helper_static_key_slow_dec(struct static_key *key)
{
	static_key_slow_dec(key);
}

void rust_helper_static_key_enable(struct static_key *key)
{
	static_key_enable(key);
}

void rust_helper_static_key_disable(struct static_key *key)
{
	static_key_disable(key);
}
#endif

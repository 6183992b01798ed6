// SPDX-License-Identifier: GPL-2.0
/*
 * These functions are inline without CONFIG_JUMP_LABEL.
 *
 * Copyright (C) 2024 Google LLC.
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/jump_label.h>

#ifndef CONFIG_JUMP_LABEL
__rust_helper int rust_helper_static_key_count(struct static_key *key)
{
	return static_key_count(key);
}

__rust_helper bool rust_helper_static_key_slow_inc(struct static_key *key)
{
	return static_key_slow_inc(key);
}

__rust_helper void rust_helper_static_key_slow_dec(struct static_key *key)
{
	static_key_slow_dec(key);
}

__rust_helper void rust_helper_static_key_enable(struct static_key *key)
{
	static_key_enable(key);
}

__rust_helper void rust_helper_static_key_disable(struct static_key *key)
{
	static_key_disable(key);
}
#endif

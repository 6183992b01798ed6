// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random numbers that are the same in each process, to be preloaded: what hash tables of Rust
 * have at one place, and how often functions are called for it, depends on them.
 */
#include <string.h>
#include <sys/random.h>

ssize_t getrandom(void *buffer, size_t size, unsigned int flags)
{
	memset(buffer, 1, size);
	return size;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that fields of events are read from, of the kernel or of user space.
 *
 * It is read in any context, so faults are not served. Function events, marker
 * events and probe events share this.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FETCH_MEMORY_H
#define _FETCH_MEMORY_H

#include <linux/kconfig.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

/*
 * A kernel thread has no user space, whatever the CPU still has mapped. On
 * riscv, untagged_addr() and what calls it need current->mm, for the width of
 * tags.
 */
static __always_inline bool fetch_has_user_space(void)
{
	return current->mm;
}

/* Remove a tag; an address of the kernel stays one. */
static __always_inline unsigned long fetch_untag(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_RISCV) && !fetch_has_user_space())
		return addr;
	return untagged_addr(addr);
}

/*
 * True if @addr is an address of user space. Where both address spaces overlap,
 * @user decides: addresses in the arguments of a system call are of user space,
 * others are of the kernel. Elsewhere the address decides.
 */
static __always_inline bool fetch_is_user_address(unsigned long addr, bool user)
{
	if (IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE))
		return fetch_untag(addr) < TASK_SIZE_MAX;
	return user;
}

/* The nofault functions do not accept tagged addresses. */
static __always_inline const void __user *fetch_user_pointer(unsigned long addr)
{
	return (const void __user *)fetch_untag(addr);
}

/* Returns 0 or a negative errno, as the others below. */
static __always_inline long
fetch_nofault_user_bytes(void *to, unsigned long addr, size_t size)
{
	if (unlikely(!fetch_has_user_space()))
		return -EFAULT;
	return copy_from_user_nofault(to, fetch_user_pointer(addr), size);
}

/* Where both address spaces overlap, of the kernel; so is the string below. */
static __always_inline long
fetch_nofault_bytes(void *to, unsigned long addr, size_t size)
{
	if (fetch_is_user_address(addr, false))
		return fetch_nofault_user_bytes(to, addr, size);
	return copy_from_kernel_nofault(to, (const void *)addr, size);
}

/* Returns the length with the null byte: @size for a string that is longer. */
static __always_inline long
fetch_nofault_user_string(char *to, unsigned long addr, long size)
{
	if (unlikely(!fetch_has_user_space()))
		return -EFAULT;
	return strncpy_from_user_nofault(to, fetch_user_pointer(addr), size);
}

static __always_inline long
fetch_nofault_string(char *to, unsigned long addr, long size)
{
	if (fetch_is_user_address(addr, false))
		return fetch_nofault_user_string(to, addr, size);
	return strncpy_from_kernel_nofault(to, (const void *)addr, size);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of reading strings whose memory may be unmapped.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <kunit/test.h>
#include <kunit/visibility.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
#include <uapi/asm/vsyscall.h>
#endif

/* More than three words, so that there are some in the middle. */
#define ROOM_MAX	(4 * (int)sizeof(long))
#define COUNT_MAX	(ROOM_MAX + 8)
#define UNTOUCHED	'u'
#define BEHIND		'b'

KUNIT_DEFINE_ACTION_WRAPPER(maccess_vfree, vfree, const void *);

/*
 * A string of @len bytes with its NUL in the last @room bytes of a page with nothing behind
 * it. If @len is larger than @room, it has no NUL.
 */
static void maccess_string(struct kunit *test, char *end, int room, int len, int count)
{
	long want = len <= room || count <= room ? min(len, count) : -EFAULT;
	char copy[COUNT_MAX + sizeof(long)], *string = end - room;
	int i, copied;

	memset(string, BEHIND, room);
	for (i = 0; i < min(len, room); i++)
		string[i] = i == len - 1 ? '\0' : 'a' + i % 26;
	memset(copy, UNTOUCHED, sizeof(copy));

	KUNIT_ASSERT_EQ_MSG(test, strnlen_kernel_nofault(string, count), want,
			    "room %d, length %d, count %d", room, len, count);
	KUNIT_ASSERT_EQ_MSG(test, strncpy_from_kernel_nofault(copy, string, count), want,
			    "room %d, length %d, count %d", room, len, count);

	/* If it fails, what could be read is there. */
	copied = strnlen(copy, count);
	KUNIT_ASSERT_EQ_MSG(test, copied, want < 0 ? room : want - 1,
			    "room %d, length %d, count %d", room, len, count);
	KUNIT_ASSERT_EQ_MSG(test, memcmp(copy, string, copied), 0,
			    "room %d, length %d, count %d", room, len, count);
	for (i = copied + 1; i < count; i++)
		KUNIT_ASSERT_TRUE_MSG(test, !copy[i] || copy[i] == UNTOUCHED,
				      "room %d, length %d, count %d: byte %d is %#x",
				      room, len, count, i, copy[i]);
	KUNIT_ASSERT_PTR_EQ_MSG(test, memchr_inv(copy + count, UNTOUCHED, sizeof(copy) - count),
				NULL, "room %d, length %d, count %d", room, len, count);
}

static void maccess_strings(struct kunit *test)
{
	char *page = vmalloc(PAGE_SIZE);
	int room, len, count;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, maccess_vfree, page), 0);
	for (room = 1; room <= ROOM_MAX; room++)
		for (len = 1; len <= room + 1; len++)
			for (count = 1; count <= COUNT_MAX; count++)
				maccess_string(test, page + PAGE_SIZE, room, len, count);
}

/* The second page of two that belong together is read as well. */
static void maccess_next_page(struct kunit *test)
{
	const int across = 3 * sizeof(long), len = 2 * across + 1;
	char *pages = vmalloc(2 * PAGE_SIZE), *string;
	char copy[COUNT_MAX * 2] = "";

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, maccess_vfree, pages), 0);

	for (int shift = 0; shift < (int)sizeof(long); shift++) {
		string = pages + PAGE_SIZE - across + shift;
		memset(string, 'a', len - 1);
		string[len - 1] = '\0';

		KUNIT_EXPECT_EQ(test, strnlen_kernel_nofault(string, PAGE_SIZE), len);
		KUNIT_EXPECT_EQ(test, strncpy_from_kernel_nofault(copy, string, sizeof(copy)),
				len);
		KUNIT_EXPECT_STREQ(test, copy, string);
	}
}

/*
 * strlen() reads whole words: neither zeros in front of the string, in the word that it
 * begins in, nor what is behind it, which may be unmapped, must make a difference.
 */
static void maccess_strlen(struct kunit *test)
{
	char *page = vmalloc(PAGE_SIZE), *end = page + PAGE_SIZE, *string;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, maccess_vfree, page), 0);

	for (int room = 1; room <= ROOM_MAX; room++) {
		for (int len = 0; len < room; len++) {
			memset(end - 2 * ROOM_MAX, 0, 2 * ROOM_MAX);
			string = end - room;
			memset(string, 'a', len);
			memset(string + len + 1, BEHIND, room - len - 1);
			OPTIMIZER_HIDE_VAR(string);
			KUNIT_ASSERT_EQ_MSG(test, strlen(string), len, "room %d", room);
		}
	}
}

static void maccess_no_room(struct kunit *test)
{
	char copy = UNTOUCHED;

	for (int count = -1; count <= 0; count++) {
		KUNIT_EXPECT_EQ(test, strnlen_kernel_nofault("text", count), 0);
		KUNIT_EXPECT_EQ(test, strncpy_from_kernel_nofault(&copy, "text", count), 0);
		KUNIT_EXPECT_EQ(test, copy, UNTOUCHED);
	}
}

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)
static void maccess_error(struct kunit *test, unsigned long addr, long error)
{
	char copy[2] = { UNTOUCHED, UNTOUCHED };
	void *at = (void *)addr;

	KUNIT_EXPECT_EQ_MSG(test, strnlen_kernel_nofault(at, sizeof(copy)), error, "%#lx", addr);
	KUNIT_EXPECT_EQ_MSG(test, strncpy_from_kernel_nofault(copy, at, sizeof(copy)), error,
			    "%#lx", addr);
	KUNIT_EXPECT_EQ_MSG(test, copy_from_kernel_nofault(copy, at, sizeof(copy)), error,
			    "%#lx", addr);
}

static void maccess_other_address(struct kunit *test)
{
	const unsigned long none[] = {
		0, PAGE_SIZE, TASK_SIZE_MAX - 2, TASK_SIZE_MAX, TASK_SIZE_MAX + PAGE_SIZE - 1,
		/* Not canonical, whatever the number of bits. */
		BIT(62), BIT(63) - 1, BIT(63), BIT(63) + PAGE_SIZE,
		VSYSCALL_ADDR, VSYSCALL_ADDR + PAGE_SIZE - 2,
	};

	for (int i = 0; i < ARRAY_SIZE(none); i++)
		maccess_error(test, none[i], -ERANGE);

	/* What ERR_PTR() returns is an address of the kernel at which there is nothing. */
	maccess_error(test, -ENOMEM, -EFAULT);
	KUNIT_EXPECT_EQ(test, strnlen_kernel_nofault((void *)PAGE_OFFSET, 1), 1);
}
#else
/* Which addresses are not of the kernel is not known. */
static void maccess_other_address(struct kunit *test)
{
	kunit_skip(test, "not x86_64");
}
#endif

static struct kunit_case maccess_cases[] = {
	KUNIT_CASE(maccess_strings),
	KUNIT_CASE(maccess_next_page),
	KUNIT_CASE(maccess_strlen),
	KUNIT_CASE(maccess_no_room),
	KUNIT_CASE(maccess_other_address),
	{}
};

static struct kunit_suite maccess_suite = {
	.name = "maccess",
	.test_cases = maccess_cases,
};

kunit_test_suite(maccess_suite);

MODULE_DESCRIPTION("KUnit test of reading strings whose memory may be unmapped");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");

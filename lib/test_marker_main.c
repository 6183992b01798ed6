// SPDX-License-Identifier: GPL-2.0
/*
 * Markers for tools/testing/selftests/markers.
 *
 * Writing a number to "fire" in test_marker/ of debugfs hits all of them that
 * many times; "counts" shows the number of hits of those with a counter.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "test_marker.h"
#include "test_nmi.h"

atomic_t test_marker_counts[TEST_MARKER_COUNTS];

static const char * const count_names[] = {
	[TEST_MARKER_UNROLLED] = "unrolled",
	[TEST_MARKER_INLINED] = "inlined",
	[TEST_MARKER_INIT] = "init",
	[TEST_MARKER_IRQ] = "irq",
	[TEST_MARKER_NMI] = "nmi",
};

static void count(enum test_marker_count which)
{
	atomic_inc(&test_marker_counts[which]);
}

static DEFINE_MUTEX(fire_mutex);

static void hit_in_irq(struct irq_work *work)
{
	MARK(test_marker_irq, "hard %d", (int)!!in_hardirq());
	count(TEST_MARKER_IRQ);
}

/* In a hard interrupt with PREEMPT_RT as well. */
static struct irq_work irq_work = IRQ_WORK_INIT_HARD(hit_in_irq);

static void fire_irq(void)
{
	irq_work_queue(&irq_work);
	irq_work_sync(&irq_work);
}

static void hit_in_nmi(struct pt_regs *regs)
{
	MARK(test_marker_nmi, "nmi %d", (int)!!in_nmi());
	count(TEST_MARKER_NMI);
}

static noinline void fire_unrolled(int nr)
{
#pragma GCC unroll 8
	for (int i = 0; i < 8; i++) {
		MARK(test_marker_unrolled, "nr %d i %d", nr, i);
		count(TEST_MARKER_UNROLLED);
	}
}

/*
 * A static branch and a marker: the harness compares the code of the two, as a
 * disabled marker must cost no more than a static branch.
 */
static DEFINE_STATIC_KEY_FALSE(branch_key);

static noinline void branch_taken(void)
{
	barrier();
}

noinline void test_marker_site_branch(const int *values)
{
	if (static_branch_unlikely(&branch_key))
		branch_taken();
}

noinline void test_marker_site_mark(const int *values)
{
	MARK(test_marker_site, "first %d product %ld name %s", values[0],
	     (long)values[1] * values[2], values[3] > 4 ? "large" : "small");
}

static int evaluated;

static int evaluate(int nr)
{
	evaluated++;
	return nr;
}

static noinline void fire_numbers(void)
{
	MARK(test_marker_int, "d=%d i=%i u=%u x=0x%x X=%X o=%o c='%c'",
	     -1, -2147483647 - 1, 4000000000U, 0xabcdU, 0xabcdU, 8U, 'm');
	MARK(test_marker_narrow, "hhd=%hhd hhu=%hhu hd=%hd hu=%hu hx=%#hx",
	     (signed char)-3, (unsigned char)253, (short)-300,
	     (unsigned short)65000, (unsigned short)0xfedc);
	MARK(test_marker_long, "ld=%ld lu=%lu lx=%lx zu=%zu zd=%zd td=%td", -5L,
	     5UL, 0x55UL, (size_t)6, (ssize_t)-6, (ptrdiff_t)-7);
	MARK(test_marker_long_long, "lld=%lld a=%d llu=%llu b=%d llx=%llx",
	     -6000000000LL, 1, 18000000000000000000ULL, 2,
	     0x123456789abcdefULL);
	MARK(test_marker_width, "[%5d|%-5d|%05d|%+d]", 42, 42, 42, 42);
	MARK(test_marker_ten, "%d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6,
	     7, 8, 9, 10);
	MARK(test_marker_none, "nothing, 100%% of it");
	MARK(test_marker_evaluated, "nr %d", evaluate(1));
}

/* A page, with an unmapped one before it and one after it. */
static char *page;
/* A string without a null byte at the end of the page. */
static char *unterminated;

static noinline void fire_strings(void)
{
	static const char text[] = "it";
	char *null = NULL, *bad = (char *)-8192L;

	OPTIMIZER_HIDE_VAR(null);
	OPTIMIZER_HIDE_VAR(bad);

	MARK(test_marker_string, "name %s text '%s' padded [%-6s]", "first",
	     text, text);
	MARK(test_marker_limited, "four %.*s three %.3s more %.*s", 4,
	     unterminated, unterminated, -1, text);
	MARK(test_marker_none_of, "none '%.*s'", 0, bad);
	/* As long as "(fault)" with its null byte; only the last one is mapped. */
	MARK(test_marker_edge, "edge '%.8s'", page - 7);
	MARK(test_marker_bad_string, "null %s bad %s empty '%s'", null, bad,
	     "");
	MARK(test_marker_quotes, "say=\"%s\" back\\slash\n", text);
	MARK(test_marker_escaped, "any \"%s\" wide [%14s|%-14s] char %c",
	     "a\n\033\"\\\303\251", "\nb", "\nb", '\n');
}

/* The maximum length of a string in a record, and longer. */
static noinline void fire_long_string(void)
{
	static char text[3000], fits[1024];

	memset(text, 'x', sizeof(text) - 1);
	memset(fits, 'x', sizeof(fits) - 1);
	MARK(test_marker_long_string, "%s", text);
	MARK(test_marker_room, "nr %d fits '%s' cut '%s' name %s", 7, fits,
	     text, "end");
	/* Not cut by what the format says, but by the room if that is less. */
	MARK(test_marker_room_limited, "fits %.1023s cut %.1024s cut %.*s",
	     text, text, 1025, text);
	/* What follows is not mapped. */
	MARK(test_marker_room_edge, "edge %.*s", 3000, page + PAGE_SIZE - 1500);
}

static noinline void fire_pointers(void)
{
	static const u8 bytes[16] = {
		0x20, 0x01, 0x0d, 0xb8, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
		15,
	};
	static const u8 many[64] = { 0x20, 0x01, [63] = 0xb8 };
	static const phys_addr_t phys = 0x12345678;
	static const gfp_t gfp = GFP_KERNEL;
	u8 *bad = (u8 *)-8192L;

	OPTIMIZER_HIDE_VAR(bad);
	MARK(test_marker_pointer, "p=%p q=%px where %pS error %pe",
	     (void *)0x1000, (void *)0x2000, fire_pointers, ERR_PTR(-ENOENT));
	MARK(test_marker_address, "mac %pM v4 %pI4 v6 %pI6c uuid %pUb", bytes,
	     bytes, bytes, bytes);
	MARK(test_marker_bytes, "bytes %6ph phys %pa gfp %pGg", bytes, &phys,
	     &gfp);
	/* More than what is made on the stack. */
	MARK(test_marker_large, "%64ph %64ph %64ph %64ph nr %d name %s", many,
	     many, many, many, 7, "large");
	MARK(test_marker_bad_pointer, "mac %pM", bad);
}

/* Formats that events do not support, but probes do. */
static noinline void fire_refused(void)
{
	MARK(test_marker_dentry, "%pd", (void *)NULL);
	MARK(test_marker_star, "%*d", 5, 42);
}

static noinline void fire_once(int nr)
{
	static const int values[] = { 1, 2, 3, 4 };

	test_marker_site_branch(values);
	test_marker_site_mark(values);
	fire_numbers();
	fire_strings();
	fire_long_string();
	fire_pointers();
	fire_refused();
	fire_unrolled(nr);
	test_marker_inlined(1, nr);
	test_marker_second_file(nr);
	test_marker_third_file(nr);
	fire_irq();
	test_nmi_raise();
}

static ssize_t fire_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *ppos)
{
	unsigned int nr;
	int ret = kstrtouint_from_user(ubuf, count, 0, &nr);

	if (ret)
		return ret;
	guard(mutex)(&fire_mutex);
	for (unsigned int i = 0; i < nr; i++) {
		fire_once(i);
		cond_resched();
	}
	return count;
}

static const struct file_operations fire_fops = {
	.owner	= THIS_MODULE,
	.write	= fire_write,
};

static int counts_show(struct seq_file *m, void *unused)
{
	for (int i = 0; i < TEST_MARKER_COUNTS; i++)
		seq_printf(m, "%s %d\n", count_names[i],
			   atomic_read(&test_marker_counts[i]));
	seq_printf(m, "evaluated %d\n", evaluated);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counts);

static struct dentry *dir;

static int __init test_marker_init(void)
{
	int ret = test_nmi_add(hit_in_nmi);

	if (ret)
		return ret;
	for (int i = 0; i < 3; i++) {
		MARK(test_marker_init, "i %d", i);
		count(TEST_MARKER_INIT);
	}

	/* vmalloc() leaves an unmapped guard page after each area. */
	page = vmalloc(PAGE_SIZE);
	if (!page) {
		test_nmi_remove();
		return -ENOMEM;
	}

	memset(page, 'x', PAGE_SIZE);
	page[0] = 'X';
	unterminated = page + PAGE_SIZE - 4;
	memcpy(unterminated, "abcd", 4);

	dir = debugfs_create_dir("test_marker", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	debugfs_create_file("counts", 0400, dir, NULL, &counts_fops);
	return 0;
}

static void __exit test_marker_exit(void)
{
	debugfs_remove(dir);
	irq_work_sync(&irq_work);
	test_nmi_remove();
	vfree(page);
}

module_init(test_marker_init);
module_exit(test_marker_exit);
MODULE_DESCRIPTION("Markers for the test of markers");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with known arguments, for the test of function events.
 *
 * Writing a number to test_func_event/fire in debugfs calls each of them that
 * many times, with the arguments in fire_once(); writing text to
 * test_func_event/text calls test_func_text() with it.
 * tools/testing/selftests/function_events compares the recorded events with
 * these.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "test_nmi.h"

static unsigned int depth = 5;
module_param(depth, uint, 0600);
MODULE_PARM_DESC(depth, "how deep test_func_recurse() goes");

/* A structure with members of many types, to read members from. */
struct test_func_item {
	u32			number;
	s16			small;
	u8			mac[6];
	const char		*name;
	struct test_func_item	*next;
	char			text[16];
	unsigned int		low : 3;
	int			middle : 7;
	unsigned int		high : 22;
	bool			yes;
	s64			last;
	unsigned char		*bytes;
	const unsigned char	*label;
	struct {
		u32		four : 4;
		u32		thirty : 30;
	} __packed		odd;
};

static struct test_func_item second = {
	.number = 2, .small = -2, .mac = { 1, 2, 3, 4, 5, 6 }, .name = "second",
	.text = "text of second", .low = 2, .middle = -2, .high = 222222,
	.last = -222222222222,
};

static unsigned char first_bytes[] = "of first";

static struct test_func_item first = {
	.number = 1, .small = -1, .mac = { 0x10, 0x20, 0x30, 0x40, 0x50, 0x60 },
	.name = "first", .next = &second, .text = "text of first", .low = 5,
	.middle = 33, .high = 1111111, .yes = true, .last = -111111111111,
	.bytes = first_bytes, .label = first_bytes,
	.odd = { .four = 9, .thirty = 987654321 },
};

static const char * const strings[] = { "zero", "one", "two" };

/* Read by their symbols. */
static u64 test_func_event_data = 0x1122334455667788;
static const char test_func_event_text[] = "text by its name";

/*
 * The compiler must not know the results of these functions, clone them, or, as
 * clang does with functions whose callers it knows, drop arguments that are
 * always the same or never used.
 */

static noinline __noclone __used int test_func_narrow(s8 a, u8 b, s16 c, u16 d,
						      char e, bool f)
{
	int ret = a + b + c + d + e + f;

	barrier();
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone __used s64 test_func_wide(int a, unsigned int b,
						    long c, u64 d)
{
	s64 ret = -5000000000;

	barrier_data(a);
	barrier_data(b);
	barrier_data(c);
	barrier_data(d);
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone __used const char *
test_func_string(const char *kernel, const char __user *user, int nr)
{
	const char *ret = strings[nr];

	barrier_data(kernel);
	barrier_data(user);
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

/* Text in the kernel, the same in user space, and twice more in the kernel. */
static noinline __noclone __used const char *
test_func_text(const char *kernel, const char __user *user, const char *second,
	       const char *third, const char *bytes)
{
	const char *ret = kernel;

	barrier_data(user);
	barrier_data(second);
	barrier_data(third);
	barrier_data(bytes);
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone __used struct test_func_item *
test_func_item(const struct test_func_item *item, const char * const *array,
	       size_t size)
{
	struct test_func_item *ret = item->next;

	barrier_data(array);
	barrier_data(size);
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone __used void test_func_pointer(const void *where,
							void (*callback)(void))
{
	barrier_data(where);
	barrier_data(callback);
}

static noinline __noclone __used unsigned int
test_func_recurse(unsigned int left)
{
	unsigned int ret = 1;

	OPTIMIZER_HIDE_VAR(ret);
	if (left > 1)
		ret += test_func_recurse(left - 1);
	/* Prevent tail-call optimization. */
	barrier();
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

static noinline __noclone __used void test_func_none(void)
{
	barrier();
}

static noinline __noclone __used long test_func_nine(long a, long b, long c,
						     long d, long e, long f,
						     long g, long h, long i)
{
	long ret = a + b + c + d + e + f + g + h + i;

	barrier();
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

/* Types that BTF distinguishes: bytes and text, and numbers without a sign. */
enum test_func_large {
	TEST_FUNC_LARGE = 0xf0000000,
};

/* The last ones are on the stack, on all architectures. */
static noinline __noclone __used int
test_func_stack(long a, long b, long c, long d, long e, long f, long g, long h,
		s8 small, const char *text, const struct test_func_item *item,
		u16 half)
{
	int ret = small + item->number + half;

	barrier_data(text);
	return ret;
}

static noinline __noclone __used void
test_func_various(const unsigned char *bytes, enum test_func_large large,
		  const char *format, ...)
{
	barrier_data(bytes);
	barrier_data(large);
	barrier_data(format);
}

/*
 * Returned in memory: on most architectures a hidden first argument has its
 * address.
 */
struct test_func_structure {
	long	words[3];
};

static noinline __noclone __used struct test_func_structure
test_func_structure(long a, const struct test_func_item *item)
{
	struct test_func_structure ret = { .words = { a, item->number, 3 } };

	barrier_data(&ret);
	return ret;
}

/*
 * Structures that are passed in one register and in two. Behind the third one,
 * which is on the stack of x86, the place of an argument depends on the
 * architecture.
 */
struct test_func_small {
	int	one;
	u8	two;
};

struct test_func_large_pair {
	const struct test_func_item	*where;
	bool				kernel : 1;
};

static noinline __noclone __used long
test_func_by_value(int a, struct test_func_small small, s16 c,
		   struct test_func_large_pair pair, const char *name,
		   struct test_func_large_pair again, u32 last)
{
	long ret = a + small.one + c + pair.kernel + again.kernel + last;

	barrier_data(name);
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

/* Fills what its arguments point to. */
static noinline __noclone __used int
test_func_fill(char *text, u64 *nr, struct test_func_item *item)
{
	int ret = 6;

	strscpy(text, "filled", 8);
	*nr = 2;
	item->number++;
	OPTIMIZER_HIDE_VAR(ret);
	return ret;
}

/* The kernel image has a function of this name, with two pointer arguments. */
static noinline __noclone __used void chroot_fs_refs(s16 small)
{
	barrier_data(small);
}

/* As well, with the same arguments: BTF has only that of the kernel image. */
static noinline __noclone __used void do_sync_work(struct work_struct *work)
{
	barrier_data(work);
}

/* Cannot be traced. */
static noinline __noclone notrace void test_func_notrace(void)
{
	barrier();
}

/* Ends the thread without returning from its callers. */
static noinline __noclone __used void test_func_no_return(int nr)
{
	barrier_data(nr);
	kthread_exit(nr);
}

static int no_return_thread(void *started)
{
	complete(started);
	test_func_no_return(7);
	return 0;
}

/* A caller of test_func_pointer() that the test knows. */
static noinline void fire_pointers(void)
{
	test_func_pointer(&first, test_func_none);
	/* Neither address can be read; only the first is a kernel address. */
	test_func_pointer((void *)-8192L, test_func_none);
	test_func_pointer((void *)8192L, test_func_none);
}

static noinline __noclone void test_func_irq(struct irq_work *work)
{
	barrier_data(work);
}

/* In a hard interrupt with PREEMPT_RT as well. */
static struct irq_work irq_work = IRQ_WORK_INIT_HARD(test_func_irq);

static noinline __noclone void test_func_nmi(struct pt_regs *regs)
{
	barrier_data(regs);
}

static DEFINE_MUTEX(fire_mutex);

static void fire_contexts(void)
{
	guard(mutex)(&fire_mutex);
	irq_work_queue(&irq_work);
	irq_work_sync(&irq_work);
	test_nmi_raise();
}

static void fire_once(const char __user *user)
{
	/*
	 * kthread_stop() of a thread that has not started would prevent it from
	 * running.
	 */
	DECLARE_COMPLETION_ONSTACK(started);
	struct test_func_large_pair pair = { .where = &first, .kernel = true };
	struct test_func_structure structure;
	struct test_func_item item = first;
	struct task_struct *thread;
	char text[8] = "before";
	u64 filled = 1;
	int nr = 1;

	test_func_narrow(-8, 200, -16000, 60000, 'x', true);
	test_func_wide(-32, 4000000000U, -64, 0xfedcba9876543210);
	test_func_string("in the kernel", user, 1);
	test_func_item(&first, strings, ARRAY_SIZE(strings));
	fire_pointers();
	test_func_recurse(depth);
	test_func_none();

	/* Nothing else uses these variables; keep them. */
	barrier_data(&test_func_event_data);
	barrier_data(test_func_event_text);
	test_func_nine(1, 2, 3, 4, 5, 6, 7, 8, 9);
	test_func_stack(1, 2, 3, 4, 5, 6, 7, 8, -9, "ten", &first, 65000);
	test_func_notrace();
	test_func_various("bytes", TEST_FUNC_LARGE, "%d", nr);
	test_func_by_value(-1, (struct test_func_small){ 2, 3 }, -4, pair,
			   "behind", pair, 77);
	/* The compiler may see that the function reads none of them. */
	barrier_data(text);
	barrier_data(&filled);
	test_func_fill(text, &filled, &item);

	structure = test_func_structure(-3, &first);
	barrier_data(&structure);
	chroot_fs_refs(-7);
	fire_contexts();

	thread = kthread_create(no_return_thread, &started, "test_func_event");
	if (!IS_ERR(thread)) {
		get_task_struct(thread);
		wake_up_process(thread);
		wait_for_completion(&started);
		kthread_stop_put(thread);
	}
}

/* The written number is also the string in user space. */
static ssize_t fire_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *ppos)
{
	unsigned int nr;
	int ret = kstrtouint_from_user(ubuf, count, 0, &nr);

	if (ret)
		return ret;
	while (nr--) {
		fire_once(ubuf);
		cond_resched();
	}
	return count;
}

static const struct file_operations fire_fops = {
	.owner	= THIS_MODULE,
	.write	= fire_write,
};

/* The text in user space has a null byte, of which nobody tells the kernel. */
static ssize_t text_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *ppos)
{
	char *text = memdup_user_nul(ubuf, count);

	if (IS_ERR(text))
		return PTR_ERR(text);
	test_func_text(text, ubuf, text, text, text);
	kfree(text);
	return count;
}

static const struct file_operations text_fops = {
	.owner	= THIS_MODULE,
	.write	= text_write,
};

static struct dentry *dir;

static int __init test_func_event_init(void)
{
	int ret = test_nmi_add(test_func_nmi);

	if (ret)
		return ret;
	dir = debugfs_create_dir("test_func_event", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	debugfs_create_file("text", 0200, dir, NULL, &text_fops);
	return 0;
}

static void __exit test_func_event_exit(void)
{
	debugfs_remove(dir);
	irq_work_sync(&irq_work);
	test_nmi_remove();
}

module_init(test_func_event_init);
module_exit(test_func_event_exit);
MODULE_DESCRIPTION("Functions for the test of function events");
MODULE_LICENSE("GPL");

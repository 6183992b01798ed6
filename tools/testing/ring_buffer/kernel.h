/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/trace/ring_buffer.c needs of the kernel, for user space
 *
 * The program has one thread. Which CPU and which context it plays is in
 * variables that both versions of the ring buffer share, see sim.c. What the
 * record path does is as in the kernel: the operations on local_t are atomic
 * against a signal on the same CPU and nothing else, the preempt count is a
 * word in memory, the clock is a function. What only waits, maps memory or
 * prints a file is left out.
 */
#ifndef RB_TEST_KERNEL_H
#define RB_TEST_KERNEL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/kconfig.h>
#include <linux/err.h>
#include "../../include/linux/list.h"
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/overflow.h>
#include <asm/barrier.h>

/* Configuration, as of an SMP kernel with tracing; RB_... are the VARIANTS of Makefile */
#define CONFIG_SMP			1
#define CONFIG_PREEMPT_COUNT		1
#define CONFIG_RING_BUFFER		1
#define CONFIG_MITIGATION_RETPOLINE	1
#ifndef RB_noswap
#define CONFIG_RING_BUFFER_ALLOW_SWAP	1
#endif
#ifndef RB_nonmi
#define CONFIG_ARCH_HAVE_NMI_SAFE_CMPXCHG 1
#endif
#ifdef RB_align8
#define CONFIG_HAVE_64BIT_ALIGNED_ACCESS 1
#endif
#ifdef RB_validate
#define CONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS 1
#endif

/* Compiler */
#ifndef __counted_by
#define __counted_by(member)
#endif
#define __init
#define EXPORT_SYMBOL_GPL(name)
#define WARN(cond, ...)		({ bool __w = (cond);			\
				   if (unlikely(__w))			\
					sim_warn(__FILE__, __LINE__);	\
				   unlikely(__w); })
#undef WARN_ON
#undef WARN_ON_ONCE
#undef WARN_ONCE
#define WARN_ON(cond)		WARN(cond)
#define WARN_ON_ONCE(cond)	WARN(cond)
#define WARN_ONCE(cond, ...)	WARN(cond)
#define pr_info(...)		do { } while (0)
#define pr_warn(...)		do { } while (0)
#define pr_warn_ratelimited(...) do { } while (0)
#define pr_cont(...)		do { } while (0)

void sim_warn(const char *file, int line);

/* The simulated machine, see sim.c */
#define SIM_NR_CPUS		2
extern __thread int sim_preempt_count;
extern __thread int sim_cpu;
extern unsigned long long sim_time;
extern unsigned int sim_irq_works;

#define nr_cpu_ids		SIM_NR_CPUS
#define cpu_online(cpu)		((cpu) < SIM_NR_CPUS)
#define raw_smp_processor_id()	READ_ONCE(sim_cpu)
#define smp_processor_id()	raw_smp_processor_id()
#define cpu_to_node(cpu)	0

/* Contexts: preempt_count() with HAS_SEPARATE_PREEMPT_RESCHED_BITS, see preempt.h */
#define SOFTIRQ_OFFSET		0x00000100
#define HARDIRQ_MASK		0x0f000000
#define HARDIRQ_OFFSET		0x01000000
#define NMI_MASK		0xf0000000
#define NMI_OFFSET		0x10000000
#define preempt_count()		READ_ONCE(sim_preempt_count)
#define in_nmi()		(preempt_count() & NMI_MASK)

static __always_inline unsigned char interrupt_context_level(void)
{
	unsigned long pc = preempt_count();
	unsigned char level = 0;

	level += !!(pc & NMI_MASK);
	level += !!(pc & (NMI_MASK | HARDIRQ_MASK));
	level += !!(pc & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));

	return level;
}

#define preempt_disable_notrace()	do { sim_preempt_count++; barrier(); } while (0)
#define preempt_enable_notrace()	do { barrier(); sim_preempt_count--; } while (0)
#define preempt_disable()		preempt_disable_notrace()
#define preempt_enable()		preempt_enable_notrace()
#define local_irq_save(flags)		((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))
#define udelay(us)			sim_udelay(us)
void sim_udelay(unsigned long us);

/* Where a reader tries again and again, see sim.c */
#undef smp_mb
#define smp_mb() sim_mb() /* As strong as the kernel's */
void sim_mb(void);

/* Guards: what a scope needs no end of here ends with nothing */
#define __free(how)		__attribute__((__cleanup__(sim_free_##how)))
#define return_ptr(p)		do { typeof(p) __ptr = (p); (p) = NULL; return __ptr; } while (0)
static inline void sim_free_kfree(void *p)
{
	free(*(void **)p);
}

#define guard(what)		sim_guard_##what
#define sim_guard_mutex(lock)	((void)(lock))
#define sim_guard_cpus_read_lock() do { } while (0)
#define sim_guard_raw_spinlock(lock) ((void)(lock))
#define sim_guard_raw_spinlock_irqsave(lock) ((void)(lock))
#define sim_guard_preempt()	do { } while (0)
#define sim_guard_preempt_notrace()					\
	int __sim_guard __attribute__((__cleanup__(sim_guard_end), __unused__)) = \
		sim_guard_begin()
static __always_inline int sim_guard_begin(void)
{
	preempt_disable_notrace();
	return 0;
}

static __always_inline void sim_guard_end(int *guard)
{
	(void)guard;
	preempt_enable_notrace();
}

#define scoped_guard(what, lock) if (((void)(lock), 1))
#define DEFINE_GUARD(name, type, lock, unlock)

/* Locks: there is one thread */
struct lock_class_key { int unused; };
typedef struct { int unused; } raw_spinlock_t;
typedef struct { int unused; } arch_spinlock_t;
struct mutex { int unused; };

#define __ARCH_SPIN_LOCK_UNLOCKED	{ 0 }
#define raw_spin_lock_init(l)		((void)(l))
#define lockdep_set_class(l, key)	((void)(key))
#define raw_spin_lock(l)		((void)(l))
#define raw_spin_trylock(l)		((void)(l), true)
#define raw_spin_unlock(l)		((void)(l))
#define raw_spin_lock_irq(l)		((void)(l))
#define raw_spin_unlock_irq(l)		((void)(l))
#define raw_spin_lock_irqsave(l, flags)	((void)(l), (void)((flags) = 0))
#define raw_spin_unlock_irqrestore(l, flags) ((void)(l), (void)(flags))
#define arch_spin_lock(l)		((void)(l))
#define arch_spin_unlock(l)		((void)(l))
#define mutex_init(l)			((void)(l))
#define mutex_lock(l)			((void)(l))
#define mutex_unlock(l)			((void)(l))
#define lockdep_assert_held(l)		((void)(l))
#undef synchronize_rcu
#define synchronize_rcu()		do { } while (0)
#define cpus_read_lock()		do { } while (0)
#define cond_resched()			do { } while (0)

/* Atomics: all CPUs are played by one thread */
typedef struct { int counter; } rb_atomic_t;
#define atomic_t			rb_atomic_t
#define atomic_read(v)			READ_ONCE((v)->counter)
#define atomic_add_return(i, v)		__atomic_add_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST)
#define atomic_inc_return(v)		atomic_add_return(1, v)
#define atomic_inc(v)			((void)atomic_add_return(1, v))
#define atomic_dec(v)			((void)atomic_add_return(-1, v))
#define atomic_add(i, v)		((void)atomic_add_return(i, v))
#define atomic_sub(i, v)		((void)atomic_add_return(-(i), v))
#define atomic_fetch_inc_release(v)	__atomic_fetch_add(&(v)->counter, 1, __ATOMIC_RELEASE)
#define atomic_read_acquire(v)		__atomic_load_n(&(v)->counter, __ATOMIC_ACQUIRE)
#define atomic_try_cmpxchg(v, old, new)	try_cmpxchg(&(v)->counter, old, new)
#define cmpxchg(ptr, old, new)						\
	({								\
		typeof(*(ptr)) __old = (typeof(*(ptr)))(old);		\
		__atomic_compare_exchange_n(ptr, &__old, (typeof(*(ptr)))(new), \
			false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
		__old;							\
	})
#define try_cmpxchg(ptr, oldp, new)					\
	__atomic_compare_exchange_n(ptr, oldp, (typeof(*(ptr)))(new),	\
		false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/*
 * local_t: atomic against what interrupts this CPU. Where the architecture
 * has instructions for it, these; or else relaxed atomics, as on the
 * architectures whose local_t is an atomic_long_t.
 */
typedef struct { long counter; } local_t;
#define local_read(l)		READ_ONCE((l)->counter)
#define local_set(l, i)		WRITE_ONCE((l)->counter, i)
#ifdef __x86_64__
static __always_inline void local_add(long i, local_t *l)
{
	asm volatile("addq %1, %0" : "+m" (l->counter) : "er" (i) : "memory");
}

static __always_inline void local_sub(long i, local_t *l)
{
	asm volatile("subq %1, %0" : "+m" (l->counter) : "er" (i) : "memory");
}

static __always_inline void local_inc(local_t *l)
{
	asm volatile("incq %0" : "+m" (l->counter) : : "memory");
}

static __always_inline void local_dec(local_t *l)
{
	asm volatile("decq %0" : "+m" (l->counter) : : "memory");
}

static __always_inline long local_add_return(long i, local_t *l)
{
	long add = i;

	asm volatile("xaddq %0, %1" : "+r" (i), "+m" (l->counter) : : "memory");
	return add + i;
}

static __always_inline bool local_try_cmpxchg(local_t *l, unsigned long *old, unsigned long new)
{
	bool done;

	asm volatile("cmpxchgq %3, %1"
		     : "=@ccz" (done), "+m" (l->counter), "+a" (*old)
		     : "r" (new) : "memory");
	return done;
}
#else
#define local_add_return(i, l)	__atomic_add_fetch(&(l)->counter, i, __ATOMIC_RELAXED)
#define local_add(i, l)		((void)local_add_return(i, l))
#define local_sub(i, l)		((void)local_add_return(-(long)(i), l))
#define local_inc(l)		local_add(1, l)
#define local_dec(l)		local_add(-1, l)
#define local_try_cmpxchg(l, old, new)					\
	__atomic_compare_exchange_n(&(l)->counter, (long *)(old), (long)(new), \
		false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#endif
static __always_inline long local_cmpxchg(local_t *l, unsigned long old, unsigned long new)
{
	local_try_cmpxchg(l, &old, new);
	return old;
}

typedef struct { long long counter; } local64_t;
#define local64_read(l)		READ_ONCE((l)->counter)
#define local64_set(l, i)	WRITE_ONCE((l)->counter, i)

static __always_inline bool local64_try_cmpxchg(local64_t *l, long long *old, long long new)
{
#if __SIZEOF_LONG__ == 8
	return __atomic_compare_exchange_n(&l->counter, old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
#else
	/* Nobody interrupts the kernel's version there, but NMIs, which do not record. */
	if (l->counter != *old) {
		*old = l->counter;
		return false;
	}
	l->counter = new;
	return true;
#endif
}

/* CPU masks */
typedef struct { unsigned long bits[1]; } cpumask_t;
typedef cpumask_t cpumask_var_t[1];
static __always_inline bool cpumask_test_cpu(int cpu, const cpumask_t *mask)
{
	return READ_ONCE(mask->bits[cpu / BITS_PER_LONG]) >> (cpu % BITS_PER_LONG) & 1;
}

#define cpumask_set_cpu(cpu, mask) ((void)((mask)->bits[0] |= 1UL << (cpu)))
#define for_each_cpu(cpu, mask)						\
	for ((cpu) = 0; (cpu) < SIM_NR_CPUS; (cpu)++)			\
		if (cpumask_test_cpu(cpu, mask))
#define for_each_cpu_and(cpu, a, b)	for_each_cpu(cpu, a)
#define cpu_online_mask		NULL
#define zalloc_cpumask_var(mask, gfp) ((*(mask))->bits[0] = 0, true)
#define free_cpumask_var(mask)	((void)(mask))
#define housekeeping_any_cpu(type) 0
#define on_each_cpu(func, info, wait) func(info)

/* Bits */
#define size_add(a, b)		((size_t)(a) + (size_t)(b))
#define size_mul(a, b)		((size_t)(a) * (size_t)(b))
static inline bool test_bit(unsigned int n, const unsigned long *map)
{
	return map[n / BITS_PER_LONG] >> (n % BITS_PER_LONG) & 1;
}

static inline void set_bit(unsigned int n, unsigned long *map)
{
	map[n / BITS_PER_LONG] |= 1UL << (n % BITS_PER_LONG);
}

static inline void bitmap_clear(unsigned long *map, unsigned int first, unsigned int n)
{
	for (; n; n--, first++)
		map[first / BITS_PER_LONG] &= ~(1UL << (first % BITS_PER_LONG));
}

#define bitmap_alloc(n, gfp)	((unsigned long *)__kzalloc(ALIGN(n, BITS_PER_LONG) / 8))
#define bitmap_free(map)	kfree(map)

/* Memory */
#define GFP_KERNEL		0
#define GFP_USER		0
#define gfpflags_allow_blocking(gfp) true
#define __GFP_RETRY_MAYFAIL	0
#define __GFP_COMP		0
#define __GFP_ZERO		0
#define PAGE_SIZE		4096UL
#define cache_line_size()	64
#define __kzalloc(size)		sim_alloc(64, ALIGN(size, 64))
#define kzalloc(size, gfp)	__kzalloc(size)
#define kzalloc_node(size, gfp, node) __kzalloc(size)
#define kzalloc_objs(obj, n, ...) __kzalloc(sizeof(obj) * (n))
#define kzalloc_obj(obj, ...)	__kzalloc(sizeof(obj))
#define kcalloc(n, size, gfp)	__kzalloc((n) * (size))
#define kmalloc(size, gfp)	__kzalloc(size)
#define kfree(p)		free((void *)(p))
#define alloc_pages_node(node, gfp, order) ((struct page *)sim_alloc_pages(order))
#define page_address(page)	((void *)(page))
#define alloc_page(gfp)		alloc_pages_node(0, gfp, 0)
#define page_to_virt(page)	page_address(page)
#define virt_to_page(addr)	((struct page *)(addr))
#define page_ref_count(page)	1
#define free_pages(addr, order)	free((void *)(addr))
#define free_page(addr)		free((void *)(addr))
#define si_mem_available()	LONG_MAX
#define set_current_oom_origin() do { } while (0)
#define clear_current_oom_origin() do { } while (0)
#define fatal_signal_pending(t)	false
#define flush_kernel_vmap_range(a, n) do { } while (0)
#define arch_ring_buffer_flush_range(start, end) do { } while (0)
void *sim_alloc(size_t align, size_t size);
static inline void *sim_alloc_pages(unsigned int order)
{
	return sim_alloc(PAGE_SIZE << order, PAGE_SIZE << order);
}

struct vm_area_struct;

/* Waiting and deferred work: counted, or done at once */
struct task_struct { void *mm; unsigned int flags; };

#define current			((struct task_struct *)&(struct task_struct){ })
struct wait_queue_head { int unused; };
typedef struct wait_queue_head wait_queue_head_t;
#define init_waitqueue_head(q)	((void)(q))
#define wake_up_all(q)		((void)(q))
#define wait_event_interruptible(q, cond) ((cond) ? 0 : -EINTR)
typedef struct poll_table_struct { int unused; } poll_table;
struct file { void *private_data; };

#define poll_wait(filp, q, table) ((void)(q))
typedef unsigned int __poll_t;
#define EPOLLIN			0x001
#define EPOLLRDNORM		0x040
#define EPOLLERR		0x008
struct irq_work { void (*func)(struct irq_work *work); };

#define init_irq_work(w, f)	((void)((w)->func = (f)))
#define irq_work_sync(w)	((void)(w))
#define irq_work_queue(w)	((void)(w), sim_irq_works++, true)
#define irq_work_queue_on(w, cpu) ((void)(w), (void)(cpu), sim_irq_works++, true)
struct work_struct { void (*func)(struct work_struct *work); };

#define INIT_WORK(w, f)		((void)((w)->func = (f)))
#define schedule_work_on(cpu, w) ((w)->func(w))
struct completion { int unused; };

#define init_completion(c)	((void)(c))
#define complete(c)		((void)(c))
#define wait_for_completion(c)	((void)(c))
#define migrate_disable()	do { } while (0)
#define migrate_enable()	do { } while (0)
#define system_state		0
#define SYSTEM_RUNNING		1
#define SYSTEM_BOOTING		0

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long event, void *data);
};

#define NOTIFY_DONE		0
#define atomic_notifier_chain_register(list, nb) ((void)(nb))
#define atomic_notifier_chain_unregister(list, nb) ((void)(nb))

/* All CPUs are there when a buffer gets allocated */
int trace_rb_cpu_prepare(unsigned int cpu, struct hlist_node *node);
#define CPUHP_TRACE_RB_PREPARE	0
#define cpuhp_state_add_instance(state, node)				\
	({								\
		int __err = 0;						\
		for (unsigned int __cpu = 0; __cpu < SIM_NR_CPUS && !__err; __cpu++) \
			__err = trace_rb_cpu_prepare(__cpu, node);	\
		__err;							\
	})
#define cpuhp_state_remove_instance(state, node) ((void)(node))

/* Clocks */
u64 sched_clock_noinstr(void);
u64 trace_clock_local(void);
#define sched_clock_stable()	true

/* Of CPUs that one thread plays, each has what the others have. */
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_ptr(ptr)		(ptr)

/* What the validator of time stamps prints of an event */
struct trace_entry {
	unsigned short	type;
	unsigned char	flags, preempt_count;
	int		pid;
};

#define TRACE_FLAG_IRQS_OFF	0x01
#define TRACE_FLAG_HARDIRQ	0x08
#define TRACE_FLAG_SOFTIRQ	0x10
#define TRACE_FLAG_NMI		0x40

/* Text: nothing is printed */
struct trace_seq;
struct seq_file { void *private; };
struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	int (*show)(struct seq_file *m, void *v);
};

#define trace_seq_puts(s, text)		((void)(s))
#define trace_seq_putc(s, c)		((void)(s))
#define trace_seq_printf(s, ...)	((void)(s))
#define trace_seq_has_overflowed(s)	((void)(s), false)
#define seq_printf(m, ...)		((void)(m))
#define seq_open(file, ops)		((void)(ops), -ENODEV)

#endif /* RB_TEST_KERNEL_H */

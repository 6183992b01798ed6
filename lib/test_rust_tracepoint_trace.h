/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints that are defined here and called from Rust, one of every kind,
 * and the C part of a C/Rust pair of events.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM test_rust_tracepoint

#if !defined(_LIB_TEST_RUST_TRACEPOINT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _LIB_TEST_RUST_TRACEPOINT_TRACE_H

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kdev_t.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tracepoint.h>

TRACE_EVENT(test_c_site,
	    TP_PROTO(int value),
	    TP_ARGS(value),

	    TP_STRUCT__entry(__field(int, value)),

	    TP_fast_assign(__entry->value = value;),

	    TP_printk("value=%d", __entry->value)
);

DECLARE_TRACE(test_c_bare,
	      TP_PROTO(int value, struct task_struct *task),
	      TP_ARGS(value, task));

/* In Rust, its arguments have the names of other things of the kernel. */
DECLARE_TRACE(test_c_names,
	      TP_PROTO(unsigned long first, const char *second, int third),
	      TP_ARGS(first, second, third));

TRACE_EVENT_CONDITION(test_c_condition,
		      TP_PROTO(int value),
		      TP_ARGS(value),

		      TP_CONDITION(value > 0),

		      TP_STRUCT__entry(__field(int, value)),

		      TP_fast_assign(__entry->value = value;),

		      TP_printk("value=%d", __entry->value)
);

DECLARE_EVENT_CLASS(test_c_class,
		    TP_PROTO(u64 value),
		    TP_ARGS(value),

		    TP_STRUCT__entry(__field(u64, value)),

		    TP_fast_assign(__entry->value = value;),

		    TP_printk("value=%llu", __entry->value)
);

DEFINE_EVENT(test_c_class, test_c_first,
	     TP_PROTO(u64 value),
	     TP_ARGS(value)
);

DEFINE_EVENT_CONDITION(test_c_class, test_c_second,
		       TP_PROTO(u64 value),
		       TP_ARGS(value),
		       TP_CONDITION(value & 1)
);

/*
 * The Rust part of this C/Rust pair is test_rust_twin in
 * test_rust_tracepoint_main.rs; both must record and print the same.
 */
TRACE_EVENT(test_c_twin,
	    TP_PROTO(u32 id, const char *name, unsigned int flags, const u8 *mac,
		     const u32 *data, size_t count, struct task_struct *task),
	    TP_ARGS(id, name, flags, mac, data, count, task),

	    TP_STRUCT__entry(__field(u8, low)
			     __field(u32, id)
			     __field(s16, negative)
			     __field(bool, odd)
			     __field(unsigned long, wide)
			     __field(unsigned int, flags)
			     __field(struct task_struct *, task)
			     __array(u8, mac, 6)
			     __array(char, label, 8)
			     __string(name, name)
			     __dynamic_array(u32, data, count)
			     __field(long long, last)
			     __field(u8, tail)
	    ),

	    TP_fast_assign(__entry->low = id;
			   __entry->id = id;
			   __entry->negative = -(s16)id;
			   __entry->odd = id & 1;
			   __entry->wide = (unsigned long)id << 8;
			   __entry->flags = flags;
			   __entry->task = task;
			   memcpy(__entry->mac, mac, 6);
			   memcpy(__entry->label, "label\0\0\0", 8);
			   __assign_str(name);
			   memcpy(__get_dynamic_array(data), data,
				  count * sizeof(u32));
			   __entry->last = -1;
			   __entry->tail = ~id;
	    ),

	    TP_printk("low=%u id=%u negative=%d odd=%d wide=0x%lx flags=%s state=%s mac=%s addr=%pM label=%s short=%.3s name=%s data=%s last=%lld tail=%u",
		      __entry->low, __entry->id, __entry->negative,
		      __entry->odd, __entry->wide,
		      __print_flags(__entry->flags, "|",
				    { 1, "READ" }, { 2, "WRITE" }, { 4, "SYNC" }),
		      __print_symbolic(__entry->flags,
				       { 0, "idle" }, { 1, "busy" }),
		      __print_hex(__entry->mac, 6), __entry->mac,
		      __entry->label, __entry->label, __get_str(name),
		      __print_array(__get_dynamic_array(data),
				    __get_dynamic_array_len(data) / 4, 4),
		      __entry->last, __entry->tail)
);

/* As test_rust_fields, with a field of every other kind. */
TRACE_EVENT(test_c_fields,
	    TP_PROTO(u32 nr, const struct timespec64 *times, const char *text,
		     size_t len, const unsigned long *mask,
		     const struct cpumask *cpus, const u8 *addr, size_t size,
		     struct va_format *vaf),
	    TP_ARGS(nr, times, text, len, mask, cpus, addr, size, vaf),

	    TP_STRUCT__entry(__field(u32, nr)
			     __field_struct(struct timespec64, time)
			     __array(u8, pair, 32)
			     __dynamic_array(u8, times,
					     nr % 3 * sizeof(*times))
			     __string_len(text, text, len)
			     __vstring(made, vaf->fmt, vaf->va)
			     __bitmask(mask, 2 * BITS_PER_LONG)
			     __cpumask(cpus)
			     __sockaddr(addr, size)
			     __field(u8, tail)
	    ),

	    TP_fast_assign(__entry->nr = nr;
			   __entry->time = times[0];
			   BUILD_BUG_ON(2 * sizeof(*times) != 32);
			   memcpy(__entry->pair, times, 32);
			   memcpy(__get_dynamic_array(times), times,
				  nr % 3 * sizeof(*times));
			   __assign_str(text);
			   __assign_vstr(made, vaf->fmt, vaf->va);
			   __assign_bitmask(mask, mask, 2 * BITS_PER_LONG);
			   __assign_cpumask(cpus, cpumask_bits(cpus));
			   __assign_sockaddr(addr, addr, size);
			   __entry->tail = ~nr;
	    ),

	    TP_printk("nr=%u time=%lld.%09ld pair=%s times=%s text=%s made=%s mask=%s cpus=%s addr=%pISpc tail=%u",
		      __entry->nr, __entry->time.tv_sec, __entry->time.tv_nsec,
		      __print_hex(__entry->pair, 32),
		      __print_hex_str(__get_dynamic_array(times),
				      __get_dynamic_array_len(times)),
		      __get_str(text), __get_str(made), __get_bitmask(mask),
		      __get_cpumask(cpus), __get_sockaddr(addr), __entry->tail)
);

/* As test_rust_rel: the fields whose place is relative to themselves. */
TRACE_EVENT(test_c_rel,
	    TP_PROTO(u32 nr, const char *text, size_t len,
		     const unsigned long *mask, const struct cpumask *cpus,
		     const u8 *addr, size_t size),
	    TP_ARGS(nr, text, len, mask, cpus, addr, size),

	    TP_STRUCT__entry(__rel_string_len(text, text, len)
			     __field(u32, nr)
			     __rel_dynamic_array(u32, data, nr % 5)
			     __rel_bitmask(mask, 2 * BITS_PER_LONG)
			     __rel_cpumask(cpus)
			     __rel_sockaddr(addr, size)
	    ),

	    TP_fast_assign(__assign_rel_str(text);
			   __entry->nr = nr;
			   memset32(__get_rel_dynamic_array(data), nr, nr % 5);
			   __assign_rel_bitmask(mask, mask, 2 * BITS_PER_LONG);
			   __assign_rel_cpumask(cpus, cpumask_bits(cpus));
			   __assign_rel_sockaddr(addr, addr, size);
	    ),

	    TP_printk("text=%s nr=%u data=%s mask=%s cpus=%s addr=%pISpc",
		      __get_rel_str(text), __entry->nr,
		      __print_array(__get_rel_dynamic_array(data),
				    __get_rel_dynamic_array_len(data) / 4, 4),
		      __get_rel_bitmask(mask), __get_rel_cpumask(cpus),
		      __get_rel_sockaddr(addr))
);

/* As test_rust_print: what can be between the fields and the text. */
TRACE_EVENT(test_c_print,
	    TP_PROTO(u32 nr, const u8 *bytes, size_t len,
		     const unsigned long *mask),
	    TP_ARGS(nr, bytes, len, mask),

	    TP_STRUCT__entry(__field(u32, nr)
			     __field(u64, time)
			     __field(int, error)
			     __field(void *, pointer)
			     __array(u8, mac, 6)
			     __array(u16, pair, 2)
			     __dynamic_array(u8, bytes, len)
			     __bitmask(mask, 2 * BITS_PER_LONG)
	    ),

	    TP_fast_assign(__entry->nr = nr;
			   __entry->time = nr * 1000000007ULL;
			   __entry->error = -(int)(nr % 3);
			   __entry->pointer = ERR_PTR(-(long)nr - 1);
			   memcpy(__entry->mac, bytes, 6);
			   __entry->pair[0] = nr;
			   __entry->pair[1] = ~nr;
			   memcpy(__get_dynamic_array(bytes), bytes, len);
			   __assign_bitmask(mask, mask, 2 * BITS_PER_LONG);
	    ),

	    TP_printk("str=%s dump=%s ph=%*ph phD=%*phD mac=%6phC len=%d bits=%*pbl error=%pe %pe dev=%u:%u time=%llu.%09u %s sum=%u wide=%llu low=%s pair=%u,%u",
		      __print_hex_str(__entry->mac, 6),
		      __print_hex_dump("b ", DUMP_PREFIX_OFFSET, 16, 1,
				       __get_dynamic_array(bytes),
				       __get_dynamic_array_len(bytes), 1),
		      __get_dynamic_array_len(bytes),
		      __get_dynamic_array(bytes), 6, __entry->mac,
		      __entry->mac, __get_dynamic_array_len(bytes),
		      __get_dynamic_array_len(mask) * 8,
		      __get_dynamic_array(mask),
		      ERR_PTR(__entry->error), __entry->pointer,
		      MAJOR(__entry->nr), MINOR(__entry->nr),
		      __print_ns_to_secs(__entry->time),
		      __print_ns_without_secs(__entry->time),
		      (((__entry->nr & 1) != 0) ? "odd" :
		       ((__entry->nr == 0) ? "none" : "even")),
		      ((__entry->nr * 2) + 1),
		      (((u64)__entry->nr) << 32),
		      __print_symbolic((__entry->nr & 3), { 0, "zero" },
				       { 1, "one" }),
		      __entry->pair[0], __entry->pair[1])
);

int test_c_register(void);
void test_c_unregister(void);

TRACE_EVENT_FN(test_c_fn,
	       TP_PROTO(int value),
	       TP_ARGS(value),

	       TP_STRUCT__entry(__field(int, value)),

	       TP_fast_assign(__entry->value = value;),

	       TP_printk("value=%d", __entry->value),

	       test_c_register, test_c_unregister
);

#endif /* _LIB_TEST_RUST_TRACEPOINT_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE test_rust_tracepoint_trace
#include <trace/define_trace.h>

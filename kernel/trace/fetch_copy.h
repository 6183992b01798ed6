/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of events that are copies of words: arguments, registers, return values.
 *
 * They are most of what events record that users define, so they are copied
 * without looking at anything but where from and where to. Function events,
 * marker events and probe events share this.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#ifndef _FETCH_COPY_H
#define _FETCH_COPY_H

#include <linux/kconfig.h>
#include <linux/log2.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

/**
 * struct fetch_copy - a field that is copied unchanged
 * @from: offset in the source, in bytes
 * @to: offset in the record, in bytes
 */
struct fetch_copy {
	u16	from;
	u16	to;
};

/* Copies are sorted by size, so that the size is not tested for each. */
enum fetch_copy_size {
	FETCH_COPY_8,
	FETCH_COPY_4,
	FETCH_COPY_2,
	FETCH_COPY_1,
	FETCH_COPY_SIZES,
};

/**
 * fetch_insert_copy() - add a copy
 * @nr: number of @copies of each size; is counted up
 * @copies: the copies, with room for one more
 * @size: of the field: 1, 2, 4 or 8 bytes
 * @from: offset in the source of the word, or of the 64-bit value, whose lower
 *	@size bytes are the field
 * @to: offset in the record
 */
static inline void fetch_insert_copy(u8 nr[FETCH_COPY_SIZES],
				     struct fetch_copy *copies,
				     unsigned int size, u16 from, u16 to)
{
	int kind = FETCH_COPY_1 - ilog2(size), at = 0, after = 0;

	for (int i = 0; i < FETCH_COPY_SIZES; i++) {
		if (i <= kind)
			at += nr[i];
		else
			after += nr[i];
	}

	memmove(&copies[at + 1], &copies[at], after * sizeof(copies[0]));
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) && size < sizeof(long))
		from += sizeof(long) - size;
	copies[at] = (struct fetch_copy){ .from = from, .to = to };
	nr[kind]++;
}

#define FETCH_COPY(type, size)						\
	do {								\
		for (n = nr[size]; n; n--, copy++)			\
			*(type *)(to + copy->to) =			\
				*(const type *)(from + copy->from);	\
	} while (0)

/**
 * fetch_copy_all() - copy all fields
 * @nr: number of copies of each size
 * @copy: the first one
 * @from: the source
 * @to: the record
 *
 * Context: Any context. Calls nothing, so it may be part of a function that
 *	must not be traced.
 */
static __always_inline void fetch_copy_all(const u8 nr[FETCH_COPY_SIZES],
					   const struct fetch_copy *copy,
					   const void *from, void *to)
{
	unsigned int n;

	FETCH_COPY(u64, FETCH_COPY_8);
	FETCH_COPY(u32, FETCH_COPY_4);
	/* One test of both */
	if (likely(!get_unaligned((const u16 *)&nr[FETCH_COPY_2])))
		return;
	FETCH_COPY(u16, FETCH_COPY_2);
	FETCH_COPY(u8, FETCH_COPY_1);
}

#undef FETCH_COPY

static __always_inline void fetch_copy_word(void *to, const void *from)
{
	put_unaligned(get_unaligned((const u64 *)from), (u64 *)to);
}

static __always_inline void fetch_copy_words(void *to, const void *from)
{
	fetch_copy_word(to, from);
	fetch_copy_word(to + sizeof(u64), from + sizeof(u64));
}

/**
 * fetch_copy_bytes() - memcpy() of a few words
 * @to: where to
 * @from: where from
 * @len: number of bytes
 *
 * Context: Any context, see fetch_copy_all(). The last words may overlap those before.
 */
static __always_inline void fetch_copy_bytes(void *to, const void *from,
					     unsigned int len)
{
	const size_t word = sizeof(u64), step = 2 * word;
	size_t at = 0, last = len - step;

	if (likely(len >= step)) {
		/* barrier() keeps the compiler from making this a call of memcpy(). */
		do {
			fetch_copy_words(to + at, from + at);
			barrier();
			at += step;
		} while (at < last);
		fetch_copy_words(to + last, from + last);
	} else if (len >= word) {
		fetch_copy_word(to, from);
		fetch_copy_word(to + len - word, from + len - word);
	} else {
		memcpy(to, from, len);
	}
}

#endif

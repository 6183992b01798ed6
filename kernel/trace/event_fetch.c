// SPDX-License-Identifier: GPL-2.0
/*
 * Events whose records are built by fetch code.
 *
 * When an event is defined its fields are compiled to lists: of arguments to
 * copy, of strings that arguments point to, and of other memory to read. An
 * entry of the first two has the offsets of its source and destination, so that
 * a hit does not test the kind of each field. Other memory is read by the
 * instructions of probe events, see trace_probe_tmpl.h.
 *
 * Fetch code runs with preemption disabled in any context, concurrently on all
 * CPUs and nested on one CPU. The users of an event are in its struct
 * tracepoint, which is changed under event_mutex and read within
 * tracepoint_srcu. Where the size of a payload is known, it may be made in the
 * record; others are made on the stack. If a string does not fit there, all are
 * measured, as probe events do it, and the payload is made in the record as well.
 *
 * Disabling an event does not wait. Before an event, or a file that records go
 * to, is freed, fetch_wait() waits for a grace period in which no event was
 * disabled.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */
#include <linux/glob.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/perf_event.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "event_fetch.h"
#include "trace_probe_kernel.h"
#include "trace_probe_tmpl.h"

/**
 * fetch_new_code() - allocate fetch code
 * @event: the event, after fetch_number_bits()
 * @fields: the fields that will be added to it
 * @nr: number of @fields
 * @user: addresses in arguments are of user space
 *
 * Context: Process context. May sleep.
 * Return: the fetch code, to be freed by kfree(); NULL if there is no memory.
 */
struct fetch_code *fetch_new_code(const struct fetch_event *event,
				  const struct fetch_field *fields,
				  unsigned int nr, bool user)
{
	struct fetch_code *code;
	size_t nr_insns = 0;

	/*
	 * A field takes one instruction for the source, one for each
	 * dereference (the last one stores the value), one for a bit field, and
	 * FETCH_OP_END.
	 */
	for (; nr; nr--, fields++)
		if (fields->read)
			nr_insns += fields->nr_derefs + 3;

	code = kzalloc(struct_size(code, insns, nr_insns), GFP_KERNEL);
	if (!code)
		return NULL;

	code->user = user &&
		!IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE);
	code->cut_at = event->has_faults ? sizeof(u32) : 0;
	return code;
}

static struct fetch_insn *fetch_add_insn(struct fetch_code *code,
					 enum fetch_op op)
{
	struct fetch_insn *insn = &code->insns[code->nr_insns++];

	insn->op = op;
	return insn;
}

/* Shift a bit field to the top of its type, and from there to the bottom. */
static void fetch_compile_bits(struct fetch_code *code,
			       const struct fetch_field *field)
{
	struct fetch_insn *insn = fetch_add_insn(code, FETCH_OP_MOD_BF);
	unsigned int above = field->type->size * BITS_PER_BYTE - field->bits;

	insn->basesize = field->type->size;
	insn->lshift = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ?
		field->bit_offset : above - field->bit_offset;
	insn->rshift = above;
	insn->is_signed = fetch_is_signed(field->type);
}

static void fetch_compile_read(struct fetch_code *code,
			       const struct fetch_field *field, bool user)
{
	int deref = 0, last = field->nr_derefs - 1;
	struct fetch_insn *insn;

	if (field->absolute) {
		insn = fetch_add_insn(code, FETCH_OP_IMM);
		insn->immediate = field->address;
	} else {
		insn = fetch_add_insn(code, FETCH_OP_REG);
		insn->param = field->from;
	}

	for (; deref < last; deref++) {
		insn = fetch_add_insn(code, user ? FETCH_OP_UDEREF :
						   FETCH_OP_DEREF);
		insn->offset = field->derefs[deref];
	}

	if (!fetch_is_string(field->type))
		insn = fetch_add_insn(code, user ? FETCH_OP_ST_UMEM :
						   FETCH_OP_ST_MEM);
	else if (user || field->type->format == FETCH_USTRING)
		insn = fetch_add_insn(code, FETCH_OP_ST_USTRING);
	else
		insn = fetch_add_insn(code, FETCH_OP_ST_STRING);

	insn->size = field->size;
	insn->offset = field->derefs[deref];
	if (field->bits)
		fetch_compile_bits(code, field);
	fetch_add_insn(code, FETCH_OP_END);
}

/**
 * fetch_share() - the room for each string in a payload on the stack
 * @used: how much of the payload is in use for other things, in bytes
 * @nr: number of strings, or 0
 * @size: maximum size of a string, in bytes
 *
 * Return: the room in bytes; 0 if the payload cannot be made there.
 */
unsigned int fetch_share(unsigned int used, unsigned int nr, unsigned int size)
{
	if (used + nr * FETCH_MIN_STRING > FETCH_MAX_MADE)
		return 0;
	return nr ? min((FETCH_MAX_MADE - used) / nr, size) : FETCH_MAX_MADE;
}

/**
 * fetch_compile() - add a field to fetch code
 * @code: the fetch code
 * @field: the field; its offset in the payload and its source are set
 * @string_size: room for a string in the payload, in bytes
 * @share: the same in a payload that fetch_exec() makes
 *
 * A return value is at offset 0 of its source.
 */
void fetch_compile(struct fetch_code *code, const struct fetch_field *field,
		   unsigned int string_size, unsigned int share)
{
	/* An absolute address, or that of a symbol, is a kernel address. */
	bool user = code->user && !field->absolute;
	const struct fetch_string string = {
		.from = field->from,
		.to = field->offset,
		.size = fetch_is_string(field->type) ? string_size : field->size,
		.share = share,
		.cut = field->cut,
	};
	struct fetch_read *read;

	if (!field->read) {
		fetch_insert_copy(code->nr_copies, code->copies, field->size,
				  field->from, field->offset);
		return;
	}

	read = &code->reads[code->nr_reads++];
	*read = (struct fetch_read){
		.code = &code->insns[code->nr_insns],
		.fault = field->fault,
		.user = user || field->type->format == FETCH_USTRING,
		.limited = field->limited,
		.limit_from = field->limit_from,
		.max_len = field->max_len,
		.dest = string,
	};

	if (field->limited || field->max_len) {
		read->kind = FETCH_READ_LIMITED_STRING;
	} else if (field->filled) {
		read->kind = FETCH_READ_FILLED_STRING;
	} else if (field->type->format == FETCH_STRING && !field->absolute &&
		   field->nr_derefs == 1 && !field->derefs[0]) {
		read->kind = FETCH_READ_PLAIN_STRING;
		code->strings[code->nr_strings++] = string;
	} else if (fetch_is_string(field->type)) {
		read->kind = FETCH_READ_STRING;
	}

	fetch_compile_read(code, field, user);
}

static __always_inline unsigned long fetch_source(const struct fetch_insn *code,
						  const void *from)
{
	/* func_event_forget_addresses() may set it to 0 concurrently. */
	return code->op == FETCH_OP_IMM ? READ_ONCE(code->immediate) :
		*(const unsigned long *)(from + code->param);
}

/* What trace_probe_tmpl.h needs; @rec is the source of the fetch code. */
static int notrace process_fetch_insn(struct fetch_insn *code, void *rec,
				      void *edata, void *dest, void *base)
{
	return process_fetch_insn_bottom(code + 1, fetch_source(code, rec),
					 dest, base);
}

/*
 * Follow the pointers of a read up to its memory. False if one of them cannot
 * be read; @addr is the address of that pointer then.
 */
static __always_inline bool fetch_follow(const struct fetch_read *read,
					 const void *from, unsigned long *addr)
{
	const struct fetch_insn *code = read->code;
	unsigned long pointer;
	int ret;

	*addr = fetch_source(code, from);
	do {
		code++;
		pointer = *addr + code->offset;
		ret = process_fetch_deref(code, addr);
	} while (!ret);
	*addr = pointer;
	return ret > 0;
}

/*
 * The strings that vsprintf() has for NULL and for a fault. All of
 * FETCH_MIN_STRING bytes is copied.
 */
static const char fetch_null_string[FETCH_MIN_STRING] = "(null)";
static const char fetch_fault_string[FETCH_MIN_STRING] = "(fault)";

/*
 * Append @addr in place of the string there, for fetch_string_again(). The
 * __data_loc gets @size, FETCH_UNREAD or FETCH_UNREAD_CUT. With
 * FETCH_UNREAD_CUT, the first @text bytes of the string, which are at @payload
 * + @len, are moved behind @addr.
 */
static noinline notrace unsigned int
fetch_keep_address(struct fetch_code *code, const struct fetch_string *dest,
		   unsigned long addr, u16 size, unsigned int text,
		   char *payload, unsigned int len)
{
	char *at = payload + len;

	if (!READ_ONCE(code->unread))
		WRITE_ONCE(code->unread, true);
	if (text) {
		memmove(at + sizeof(addr), at, text - 1);
		at[sizeof(addr) + text - 1] = '\0';
	}
	put_unaligned(addr, (unsigned long *)at);
	fetch_set_loc(payload, dest->to, len, size);
	return len + sizeof(addr) + text;
}

/* Append "(null)" or "(fault)" for a string that cannot be read. */
static noinline notrace unsigned int
fetch_add_no_string(const struct fetch_string *dest, bool is_null,
		    char *payload, unsigned int len)
{
	unsigned int size = is_null ? sizeof("(null)") : sizeof("(fault)");

	memcpy(payload + len, is_null ? fetch_null_string : fetch_fault_string,
	       FETCH_MIN_STRING);
	fetch_set_loc(payload, dest->to, len, size);
	return len + size;
}

/* Cut the string at @payload + @len to @size bytes, and set its cut bit. */
static notrace unsigned int
fetch_add_cut_string(struct fetch_code *code, const struct fetch_string *dest,
		     unsigned int size, char *payload, unsigned int len)
{
	payload[len + size - 1] = '\0';
	*(u32 *)(payload + code->cut_at) |= BIT(dest->cut);
	fetch_set_loc(payload, dest->to, len, size);
	return len + size;
}

/*
 * @size: room for the string, or 0 if it cannot be read. @grows: there is more room for
 * it elsewhere. @user: @addr is of user space, whatever its value. @again: if it is of
 * user space, the string is read again.
 */
static __always_inline unsigned int
fetch_add_string(struct fetch_code *code, const struct fetch_string *dest,
		 unsigned long addr, unsigned int size, bool grows, bool user,
		 bool again, char *payload, unsigned int len)
{
	char *to = payload + len;
	long found = -EFAULT;

	/*
	 * The nofault functions return the size they are given for a string
	 * that is longer. Pass @size + FETCH_SLACK, so that @size means that the
	 * string just fits.
	 */
	if (size && user)
		found = fetch_nofault_user_string(to, addr, size + FETCH_SLACK);
	else if (size)
		found = fetch_nofault_string(to, addr, size + FETCH_SLACK);
	if (likely(found > 0 && found <= size)) {
		fetch_set_loc(payload, dest->to, len, found);
		return len + found;
	}

	if (found > 0 && grows)
		return FETCH_NO_ROOM;

	if (!addr || !(user || fetch_is_user_address(addr, false)))
		again = false;

	if (found <= 0)
		return again ? fetch_keep_address(code, dest, addr, FETCH_UNREAD,
						  0, payload, len) :
			       fetch_add_no_string(dest, !addr, payload, len);
	if (!again)
		return fetch_add_cut_string(code, dest, size, payload, len);
	return size < FETCH_MIN_CUT ?
		fetch_keep_address(code, dest, addr, FETCH_UNREAD, 0, payload,
				   len) :
		fetch_keep_address(code, dest, addr, FETCH_UNREAD_CUT,
				   size - sizeof(addr), payload, len);
}

/* There is more room for a string than its share. */
static __always_inline bool fetch_grows(const struct fetch_string *string)
{
	return string->share < string->size;
}

/**
 * fetch_string_slow() - fetch a string of user space, one that faults, or one
 * that is longer than its share
 * @code: the fetch code
 * @string: the string
 * @addr: its address
 * @payload: of the record
 * @len: how much of it is in use, in bytes
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards, or FETCH_NO_ROOM.
 */
noinline unsigned int notrace
fetch_string_slow(struct fetch_code *code, const struct fetch_string *string,
		  unsigned long addr, char *payload, unsigned int len)
{
	return fetch_add_string(code, string, addr, string->share,
				fetch_grows(string), code->user, code->again,
				payload, len);
}

/* Fetch a string of code->reads, but a limited one. It gets at most @size bytes. */
static noinline notrace unsigned int
fetch_add_other_string(struct fetch_code *code,
		       const struct fetch_read *read, const void *from,
		       unsigned int size, bool grows, char *payload,
		       unsigned int len)
{
	unsigned long addr;
	bool ok = fetch_follow(read, from, &addr);

	/* There is room for an address only; the system call does not write to NULL. */
	if (ok && addr && read->kind == FETCH_READ_FILLED_STRING)
		return fetch_keep_address(code, &read->dest, addr, FETCH_UNREAD,
					  0, payload, len);
	/* The address of a pointer that cannot be read is not that of the string. */
	if (!ok || read->kind == FETCH_READ_FILLED_STRING)
		return fetch_add_no_string(&read->dest, ok, payload, len);
	return fetch_add_string(code, &read->dest, addr, size, grows, read->user,
				code->again, payload, len);
}

/*
 * A string in at most @limit bytes of memory, of which the last one need not be
 * a null byte, and the byte after them need not be mapped. @limit is not more
 * than @size, the room for the string.
 */
static noinline notrace unsigned int
fetch_add_limited_string(struct fetch_code *code,
			 const struct fetch_string *dest, unsigned long addr,
			 unsigned int size, bool grows, unsigned int limit,
			 bool user, char *payload, unsigned int len)
{
	char *to = payload + len, last = '\0';
	long found = 1;

	*to = '\0';
	if (limit)
		found = user ? fetch_nofault_user_string(to, addr, limit) :
			       fetch_nofault_string(to, addr, limit);

	/*
	 * The nofault functions have replaced the byte at @limit - 1 by a null
	 * byte. Read it.
	 */
	if (limit && found == limit &&
	    (user ? fetch_nofault_user_bytes(&last, addr + limit - 1, 1) :
		    fetch_nofault_bytes(&last, addr + limit - 1, 1)))
		found = -EFAULT;

	if (found <= 0)
		return fetch_add_no_string(dest, !addr, payload, len);
	if (last) {
		to[limit - 1] = last;
		to[limit] = '\0';
		found = limit + 1;
	}

	if (found > size)
		return grows ? FETCH_NO_ROOM :
			fetch_add_cut_string(code, dest, size, payload, len);
	fetch_set_loc(payload, dest->to, len, found);
	return len + found;
}

/*
 * The maximum number of bytes of a string, which is in another argument, or in the
 * format of a marker. As for printf(), a negative precision means no limit.
 */
static notrace unsigned int fetch_limit(const struct fetch_read *read,
					const void *from)
{
	unsigned int limit = read->limited ?
		*(const int *)(from + read->limit_from) : -1;

	return read->max_len ? min(limit, read->max_len) : limit;
}

/* Fetch a string with a limit. What this shortens does not count as cut. */
static notrace unsigned int
fetch_add_with_limit(struct fetch_code *code, const struct fetch_read *read,
		     const void *from, unsigned int size, bool grows,
		     char *payload, unsigned int len)
{
	unsigned int limit = fetch_limit(read, from);
	unsigned long addr;

	fetch_follow(read, from, &addr);
	return limit > size ?
		fetch_add_string(code, &read->dest, addr, size, grows,
				 read->user, false, payload, len) :
		fetch_add_limited_string(code, &read->dest, addr, size, grows,
					 limit, read->user, payload, len);
}

/*
 * One of code->reads. @size: room for a string; @grows: there is more elsewhere. Returns
 * the number of bytes in use, or FETCH_NO_ROOM.
 */
static __always_inline unsigned int
fetch_add_read(struct fetch_code *code, const struct fetch_read *read,
	       const void *from, unsigned int size, bool grows, char *payload,
	       unsigned int len)
{
	if (read->kind == FETCH_READ_LIMITED_STRING)
		return fetch_add_with_limit(code, read, from, size, grows,
					    payload, len);
	if (read->kind >= FETCH_READ_STRING)
		return fetch_add_other_string(code, read, from, size, grows,
					      payload, len);

	if (unlikely(process_fetch_insn(read->code, (void *)from, NULL,
					payload + read->dest.to, NULL))) {
		memset(payload + read->dest.to, 0, read->dest.size);
		*(u32 *)payload |= BIT(read->fault);
	}
	return len;
}

/**
 * fetch_memory() - fetch other memory than plain strings
 * @code: the fetch code
 * @from: where the arguments are
 * @payload: of the record
 * @len: how much of it is in use, in bytes
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards, or FETCH_NO_ROOM.
 */
unsigned int notrace fetch_memory(struct fetch_code *code, const void *from,
				  char *payload, unsigned int len)
{
	const struct fetch_read *read = code->reads;

	for (int i = code->nr_reads; i && len != FETCH_NO_ROOM; i--, read++)
		if (read->kind != FETCH_READ_PLAIN_STRING)
			len = fetch_add_read(code, read, from, read->dest.share,
					     fetch_grows(&read->dest), payload,
					     len);
	return len;
}

/*
 * The length of a string with its null byte, @count if it is longer, 0 or a negative
 * errno if the memory up to there cannot be read.
 */
static notrace long fetch_strlen(unsigned long addr, bool user, long count)
{
	char text[64] __uninitialized;
	long len, size;

	/* What fills the buffer may have been cut; its last byte is read again. */
	for (long at = 0; at < count - 1; at += size - 1) {
		size = min(count - at, (long)sizeof(text));
		len = user ? fetch_nofault_user_string(text, addr + at, size) :
			     fetch_nofault_string(text, addr + at, size);
		if (len < size)
			return len > 0 ? at + len : len;
	}
	return count;
}

/*
 * The room for a string of at most @limit bytes, of which @max are wanted; 0 for one
 * that cannot be read. It may be another one when it is read.
 */
static notrace u16 fetch_room(unsigned long addr, bool user, unsigned int limit,
			      unsigned int max)
{
	unsigned int count = min(limit, max);
	long len = fetch_strlen(addr, user, count);

	/* The null byte need not be there, see fetch_add_limited_string(). */
	if (limit <= max && (len <= 0 || len >= limit))
		return clamp(limit + 1, FETCH_MIN_STRING, max);
	return len > 0 ? clamp_t(long, len, FETCH_MIN_STRING, max) : 0;
}

/* What a room takes: "(fault)" is there for a string that cannot be read. */
static notrace unsigned int fetch_room_size(u16 room)
{
	return room ?: FETCH_MIN_STRING;
}

/**
 * fetch_measure() - find the room that strings need
 * @code: the fetch code
 * @from: where the arguments are
 * @rooms: set to the room for each string, in bytes, in the order in which
 *	fetch_exec_rooms() fetches them; 0 for one that cannot be read
 *
 * Context: Any context, preemption is disabled.
 * Return: what all of them take, in bytes.
 */
unsigned int notrace fetch_measure(const struct fetch_code *code,
				   const void *from, u16 *rooms)
{
	const struct fetch_read *read = code->reads;
	unsigned int size = 0;
	unsigned long addr;

	for (int n = code->nr_reads; n; n--, read++) {
		if (read->kind == FETCH_READ_VALUE)
			continue;
		if (fetch_follow(read, from, &addr))
			*rooms = fetch_room(addr, read->user,
					    fetch_limit(read, from),
					    read->dest.size);
		else
			*rooms = 0;
		size += fetch_room_size(*rooms++);
	}
	return size;
}

/**
 * fetch_exec_rooms() - fetch fields, with a room for each string
 * @code: the fetch code
 * @from: where the arguments are
 * @payload: of the record, as for fetch_exec()
 * @len: how much of it is in use, in bytes
 * @rooms: for each string, in bytes; 0 for one that cannot be read, which takes
 *	FETCH_MIN_STRING. FETCH_SLACK bytes follow the last one.
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards.
 */
unsigned int notrace fetch_exec_rooms(struct fetch_code *code, const void *from,
				      char *payload, unsigned int len,
				      const u16 *rooms)
{
	const struct fetch_read *read = code->reads;
	unsigned int size;

	fetch_copies(code, from, payload);
	for (int n = code->nr_reads; n; n--, read++) {
		size = read->kind == FETCH_READ_VALUE ? 0 : *rooms++;
		len = fetch_add_read(code, read, from,
				     min(read->dest.size, size), false, payload,
				     len);
	}
	return len;
}

/* The address of a string is in its place. */
static notrace bool fetch_is_unread(const struct fetch_read *read,
				    const char *payload)
{
	u16 size;

	if (read->kind < FETCH_READ_STRING)
		return false;
	size = *(const u32 *)(payload + read->dest.to) >> 16;
	return size == FETCH_UNREAD || size == FETCH_UNREAD_CUT;
}

/**
 * fetch_needs_again() - check whether fetch_again() has something to do
 * @code: the fetch code, with @again set
 * @payload: of the record, after fetch_exec()
 *
 * Context: Any context.
 * Return: true if a string could not be read, or was cut.
 */
bool notrace fetch_needs_again(const struct fetch_code *code,
			       const char *payload)
{
	for (int i = 0; i < code->nr_reads; i++)
		if (fetch_is_unread(&code->reads[i], payload))
			return true;
	return false;
}

/* The address that is in the place of a string. */
static notrace void *fetch_kept_address(const char *payload, u16 to)
{
	u16 at = *(const u32 *)(payload + to);

	return (void *)payload + at - offsetof(struct fetch_record, payload);
}

/*
 * Read a string again whose address is in the place of the string. @limit is the
 * number of bytes that are there, 0 if it is not known; @size the room for it.
 */
static notrace unsigned int
fetch_string_again(struct fetch_code *code, const struct fetch_read *read,
		   unsigned int limit, unsigned int size, bool grows,
		   char *payload, unsigned int len)
{
	const struct fetch_string *dest = &read->dest;
	char *at = fetch_kept_address(payload, dest->to), *text;
	u32 loc = *(const u32 *)(payload + dest->to);
	unsigned int after, had;
	unsigned long addr;

	memcpy(&addr, at, sizeof(addr));
	memset(at, 0, sizeof(addr));

	if (limit && limit <= size)
		return fetch_add_limited_string(code, dest, addr, size, grows,
						limit, read->user, payload, len);

	after = fetch_add_string(code, dest, addr, size, grows, read->user,
				 false, payload, len);
	if (after == FETCH_NO_ROOM || loc >> 16 == FETCH_UNREAD)
		return after;

	/*
	 * The program may have changed it since then, or execve() has replaced
	 * the program: then take what was there at the entry.
	 */
	text = at + sizeof(addr);
	had = strlen(text) + 1;
	if (!strncmp(text, payload + len, had - 1))
		return after;

	fetch_add_cut_string(code, dest, had, payload, text - payload);
	return len;
}

/* The number of bytes that are there of a string that is read again, or 0. */
static notrace unsigned int fetch_again_limit(const struct fetch_read *read,
					      long filled)
{
	return read->kind == FETCH_READ_FILLED_STRING ?
		clamp_t(long, filled, 0, FETCH_MAX_PAYLOAD) : 0;
}

/**
 * fetch_measure_again() - find the room that fetch_again() needs
 * @code: the fetch code, with @again set
 * @filled: as for fetch_again()
 * @payload: of the record, after fetch_exec()
 * @rooms: set to the room for each string that will be read again, in bytes
 *
 * Context: Any context, preemption is disabled.
 * Return: what all of them take, in bytes.
 */
unsigned int notrace fetch_measure_again(const struct fetch_code *code,
					 long filled, const char *payload,
					 u16 *rooms)
{
	const struct fetch_read *read = code->reads;
	unsigned int limit, size = 0;
	unsigned long addr;

	for (int n = code->nr_reads; n; n--, read++) {
		if (!fetch_is_unread(read, payload))
			continue;
		memcpy(&addr, fetch_kept_address(payload, read->dest.to),
		       sizeof(addr));
		limit = fetch_again_limit(read, filled);
		*rooms = fetch_room(addr, read->user, limit ?: U32_MAX,
				    code->again_size);
		size += fetch_room_size(*rooms++);
	}
	return size;
}

/**
 * fetch_again() - read the strings again that could not be read, or were cut
 * @code: the fetch code, with @again set
 * @filled: number of bytes that the function has written to each string that it
 *	fills; 0 or negative if it is not known
 * @payload: of the record, after fetch_exec()
 * @len: how much of it is in use, in bytes
 * @rooms: by fetch_measure_again(), or NULL if the payload is on the stack
 *
 * What has used a string of user space since then has made it present.
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards, or FETCH_NO_ROOM.
 */
unsigned int notrace fetch_again(struct fetch_code *code, long filled,
				 char *payload, unsigned int len,
				 const u16 *rooms)
{
	const struct fetch_read *read = code->reads;
	bool grows = !rooms && code->again_share < code->again_size;
	unsigned int size;

	for (int n = code->nr_reads; n && len != FETCH_NO_ROOM; n--, read++) {
		if (!fetch_is_unread(read, payload))
			continue;
		size = rooms ? *rooms++ : code->again_share;
		len = fetch_string_again(code, read,
					 fetch_again_limit(read, filled), size,
					 grows, payload, len);
	}
	return len;
}

/*
 * Ignores read->limited: only marker events have such strings, and
 * fetch_make_present() is not called for these.
 */
static void fetch_set_span(struct fetch_span *span,
			   const struct fetch_read *read, const void *from)
{
	span->is_string = read->kind >= FETCH_READ_STRING;
	span->size = read->dest.size;
	if (fetch_follow(read, from, &span->address))
		return;
	span->is_pointer = true;
	span->is_string = false;
	span->size = sizeof(span->address);
}

/**
 * fetch_reads_arguments() - check for reads of memory that arguments point to
 * @code: the fetch code
 *
 * Return: true if there are any, false otherwise.
 */
bool fetch_reads_arguments(const struct fetch_code *code)
{
	for (int i = 0; i < code->nr_reads; i++)
		if (!fetch_absolute_address(&code->reads[i]))
			return true;
	return false;
}

/**
 * fetch_find_span() - find memory of user space that fetch code reads
 * @code: the fetch code
 * @from: where the arguments are
 * @nr: number of the read, from 0; if @code has no such read, reduced by the
 *	number of those that it has
 * @span: the memory, or a pointer to it that is not present
 *
 * Context: Any context, preemption is disabled.
 * Return: true if @code has the read, false otherwise.
 */
bool fetch_find_span(const struct fetch_code *code, const void *from,
		     unsigned int *nr, struct fetch_span *span)
{
	const struct fetch_read *read;
	bool user;

	if (*nr >= code->nr_reads) {
		*nr -= code->nr_reads;
		return false;
	}

	read = &code->reads[*nr];
	*span = (struct fetch_span){};
	fetch_set_span(span, read, from);
	user = span->is_pointer ? code->user && !fetch_absolute_address(read) :
				  read->user;
	if (!user && !fetch_is_user_address(span->address, false))
		span->size = 0;
	return true;
}

/**
 * fetch_make_present() - wait until memory of user space can be read
 * @span: the memory
 *
 * The memory may be paged out again, or unmapped by another task, at any time.
 *
 * Context: Process context. May sleep, for as long as a page fault.
 * Return: true if there is such memory, false otherwise.
 */
bool fetch_make_present(const struct fetch_span *span)
{
	const void __user *at = fetch_user_pointer(span->address);

	if (!span->size)
		return false;
	return span->is_string ? strnlen_user(at, span->size) :
				 !fault_in_readable(at, span->size);
}

/*
 * Set if readers may still use something that was removed. Protected by
 * event_mutex.
 */
static bool fetch_wait_needed;

/**
 * fetch_must_wait() - note that something was removed that readers may still
 * use
 *
 * The next fetch_wait() will wait for a grace period. Readers run with
 * preemption disabled and use fetch code, trace files, and the lists that they
 * are found by.
 *
 * Context: Process context, event_mutex is held.
 */
void fetch_must_wait(void)
{
	lockdep_assert_held(&event_mutex);
	fetch_wait_needed = true;
}

/**
 * fetch_wait() - wait until no reader uses anything that was removed
 *
 * Waits for one grace period if fetch_must_wait() was called since the last
 * call, and not at all otherwise: removing any number of disabled events takes
 * one grace period.
 *
 * Context: Process context, event_mutex is held. May sleep.
 */
void fetch_wait(void)
{
	lockdep_assert_held(&event_mutex);

	if (fetch_wait_needed) {
		/*
		 * For fetch_emit(), which reads the users of an event. Do not
		 * call tracepoint_synchronize_unregister(): it would also wait
		 * for tasks that sleep in sys_enter until user space serves a
		 * page fault; no probe there uses anything that was removed
		 * while it sleeps.
		 */
		synchronize_srcu(&tracepoint_srcu);
		/* For all other readers, which run with preemption disabled. */
		synchronize_rcu();
	}
	fetch_wait_needed = false;
}

/*
 * These probes are registered but never called: they mark the kind of user, and
 * the data of tracepoint_probe_register() is the destination of the records.
 * Registering them with a tracepoint makes the event known to the rest of the
 * kernel, and lets BPF programs be attached.
 */
void fetch_buffer_probe(void *file)
{
}

void fetch_perf_probe(void *call)
{
}

/*
 * Set the registers that call chains need from @where. False if that is not
 * implemented for this architecture.
 */
static bool fetch_set_regs(struct pt_regs *regs,
			   const struct fetch_where *where)
{
	memset(regs, 0, sizeof(*regs));
#if defined(CONFIG_X86_64)
	regs->ip = where->ip;
	regs->sp = where->sp;
	regs->bp = where->fp;
	regs->cs = __KERNEL_CS;
	regs->ss = __KERNEL_DS;
	/* Makes perf unwind from these registers, not from its caller. */
	regs->flags = X86_EFLAGS_FIXED;
#elif defined(CONFIG_ARM64)
	regs->pc = where->ip;
	regs->regs[29] = where->fp;
	regs->sp = where->sp;
	regs->pstate = PSR_MODE_EL1h;
#elif defined(CONFIG_RISCV)
	regs->epc = where->ip;
	regs->sp = where->sp;
	regs->s0 = where->fp;
	regs->status = SR_PP;
#elif defined(CONFIG_LOONGARCH)
	regs->csr_era = where->ip;
	regs->regs[3] = where->sp;
	regs->regs[22] = where->fp;
#else
	return false;
#endif
	return true;
}

/*
 * What fetch_emit_slow() emits. If there is no payload, each record gets one of its
 * own, with @rooms for its strings, so that those of user space may differ from one to
 * the next; they are read while the record is reserved, as probe events do it. @size
 * is that of @payload or of the payload of the record.
 */
struct fetch_hit {
	struct fetch_event	*event;
	const void		*source;
	unsigned long		ip;
	const char		*payload;
	unsigned int		size;
	u16			rooms[FETCH_MAX_FIELDS];
};

static notrace void fetch_fill(struct fetch_record *rec, struct fetch_hit *hit)
{
	unsigned int len = hit->size;

	rec->ip = hit->ip;
	if (hit->payload) {
		memcpy(rec->payload, hit->payload, len);
		return;
	}

	len = hit->event->make(hit->event, hit->source, rec->payload, hit->rooms);
	fetch_clear_gaps(hit->event, rec->payload);
	memset(rec->payload + len, 0, hit->size - len);
}

static notrace void fetch_to_direct_file(struct fetch_hit *hit,
					 struct trace_event_file *file)
{
	struct trace_buffer *buffer = file->tr->array_buffer.buffer;
	struct fetch_record *rec;

	rec = trace_record_direct(buffer, file, sizeof(*rec) + hit->size);
	if (!rec)
		return;
	fetch_fill(rec, hit);
	trace_record_direct_end(buffer);
}

/* To the ring buffer by way of filters, triggers and exports. */
static void fetch_to_file(struct fetch_hit *hit, struct trace_event_file *file)
{
	struct trace_event_buffer fbuffer __uninitialized;
	struct fetch_where where;
	struct pt_regs regs;
	struct fetch_record *rec;

	if (trace_trigger_soft_disabled(file))
		return;

	rec = trace_event_buffer_reserve(&fbuffer, file,
					 sizeof(*rec) + hit->size);
	if (!rec)
		return;

	fetch_fill(rec, hit);
	if (file->tr->trace_flags & TRACE_ITER(STACKTRACE)) {
		hit->event->where(hit->event, hit->source, &where);
		if (fetch_set_regs(&regs, &where))
			fbuffer.regs = &regs;
	}
	trace_event_buffer_commit(&fbuffer);
}

#ifdef CONFIG_PERF_EVENTS
static void fetch_to_perf(struct fetch_hit *hit)
{
	struct trace_event_call *call = &hit->event->call;
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	struct fetch_where where;
	struct fetch_record *rec;
	struct pt_regs *regs;
	int rctx, size;

	if (!bpf_prog_array_valid(call) && hlist_empty(head))
		return;

	/* perf puts a u32 with the size before the record. */
	size = ALIGN(sizeof(*rec) + hit->size + sizeof(u32), sizeof(u64)) -
	       sizeof(u32);
	rec = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!rec)
		return;

	hit->event->where(hit->event, hit->source, &where);
	if (!fetch_set_regs(regs, &where))
		perf_arch_fetch_caller_regs(regs, where.ip);

	fetch_fill(rec, hit);
	memset(rec->payload + hit->size, 0, size - sizeof(*rec) - hit->size);

	perf_trace_run_bpf_submit(rec, size, rctx, call, 1, regs, head, NULL);
}
#else
static void fetch_to_perf(struct fetch_hit *hit)
{
}
#endif

/**
 * fetch_emit_slow() - emit a record, whoever uses the event
 * @event: the event
 * @func: the probe of the first user and its data
 * @source: passed to event->where() and event->make()
 * @ip: struct fetch_record::ip
 * @payload: of the record
 * @len: of the payload, in bytes; FETCH_NO_ROOM if it is to be made in the record
 *
 * Unlike fetch_to_buffer(), this calls functions that may be traced. Callers at a
 * function hold the ftrace recursion lock.
 *
 * Context: Any context, preemption is disabled, once, within tracepoint_srcu.
 */
noinline void notrace fetch_emit_slow(struct fetch_event *event,
				      const struct tracepoint_func *func,
				      const void *source, unsigned long ip,
				      const char *payload, unsigned int len)
{
	struct fetch_hit hit __uninitialized;

	hit.event = event;
	hit.source = source;
	hit.ip = ip;
	hit.payload = payload;
	hit.size = len;
	if (len == FETCH_NO_ROOM) {
		hit.payload = NULL;
		hit.size = event->make(event, source, NULL, hit.rooms) +
			   (event->has_cuts ? FETCH_SLACK : 0);
	}

	for (; func->func; func++) {
		if (func->func == fetch_perf_probe)
			fetch_to_perf(&hit);
		else if (func->func != fetch_buffer_probe)
			continue;
		else if (trace_record_is_direct(func->data))
			fetch_to_direct_file(&hit, func->data);
		else
			fetch_to_file(&hit, func->data);
	}
}

/**
 * fetch_align() - align the next field in the payload
 * @event: the event; a gap is added to it if needed
 * @offset: size of the payload so far, in bytes; updated
 * @align: alignment from the start of the record, in bytes; a power of 2
 */
void fetch_align(struct fetch_event *event, u32 *offset, u32 align)
{
	u32 from = *offset + offsetof(struct fetch_record, payload),
	    to = ALIGN(from, align);
	u64 keep = U64_MAX;

	*offset = to - offsetof(struct fetch_record, payload);
	if (from == to)
		return;

	memset((char *)(&keep + 1) - (to - from), 0, to - from);
	event->gaps[event->nr_gaps++] = (struct fetch_gap){
		.at = *offset - sizeof(u64),
		.keep = keep,
	};
}

/**
 * fetch_number_bits() - give fields their bits in the fault word and the cut
 * word
 * @event: the event; its fields have their types and sources
 * @offset: set to the size of these words, in bytes: the first ones of the
 *	payload
 */
void fetch_number_bits(struct fetch_event *event, u32 *offset)
{
	unsigned int nr_faults = 0, nr_cuts = 0;

	/*
	 * The callers have checked that event->nr_fields <= FETCH_MAX_FIELDS.
	 */
	static_assert(FETCH_MAX_FIELDS <= 32);

	for (int i = 0; i < event->nr_fields; i++) {
		struct fetch_field *field = &event->fields[i];

		if (fetch_is_string(field->type))
			field->cut = nr_cuts++;
		else if (field->read)
			field->fault = nr_faults++;
	}

	event->has_faults = nr_faults;
	event->has_cuts = nr_cuts;
	*offset = (event->has_faults + event->has_cuts) * sizeof(u32);
}

/**
 * fetch_place_field() - allocate a field in the payload
 * @event: event of the field
 * @field: the field; its offset, size and ctype are set
 * @offset: size of the payload so far, in bytes; updated
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -E2BIG if the field does not fit, -ENOMEM otherwise.
 */
int fetch_place_field(struct fetch_event *event, struct fetch_field *field,
		      u32 *offset)
{
	u32 element = field->type->size, size = element * max(field->count, 1);

	fetch_align(event, offset, element);
	if (*offset + size > FETCH_MAX_PAYLOAD)
		return -E2BIG;

	field->offset = *offset;
	field->size = size;
	*offset += size;

	if (field->count)
		field->ctype = kasprintf(GFP_KERNEL, "%s[%u]",
					 field->type->ctype, field->count);
	else
		field->ctype = kstrdup(field->type->ctype, GFP_KERNEL);
	return field->ctype ? 0 : -ENOMEM;
}

/**
 * fetch_trace_field() - fill in a struct trace_event_fields
 * @to: the entry to fill in; its members are constant
 * @type: C type
 * @name: of the field
 * @size: in bytes
 * @count: number of elements; 0 if the field is not an array
 * @sign: the field is signed
 *
 * Return: where the next one goes.
 */
struct trace_event_fields *fetch_trace_field(struct trace_event_fields *to,
					     const char *type, const char *name,
					     int size, int count, bool sign)
{
	struct trace_event_fields field = {
		.type = type,
		.name = name,
		.size = size,
		.align = size / max(count, 1),
		.is_signed = sign,
		.filter_type = FILTER_OTHER,
		.len = count,
	};

	memcpy(to, &field, sizeof(field));
	return to + 1;
}

/**
 * fetch_trace_bits() - fill in the struct trace_event_fields of the fault word
 * and the cut word
 * @to: the entries to fill in
 * @event: the event, after fetch_number_bits()
 *
 * Return: where the next one goes.
 */
struct trace_event_fields *fetch_trace_bits(struct trace_event_fields *to,
					    const struct fetch_event *event)
{
	if (event->has_faults)
		to = fetch_trace_field(to, "u32", "__fault", sizeof(u32), 0,
				       false);
	if (event->has_cuts)
		to = fetch_trace_field(to, "u32", "__cut", sizeof(u32), 0,
				       false);
	return to;
}

/**
 * fetch_trace_fields() - fill in the struct trace_event_fields of several
 * fields
 * @to: the entries to fill in
 * @fields: the fields, after fetch_place_field()
 * @nr: number of @fields
 *
 * Return: where the next one goes.
 */
struct trace_event_fields *fetch_trace_fields(struct trace_event_fields *to,
					      const struct fetch_field *fields,
					      unsigned int nr)
{
	for (; nr; nr--, fields++)
		to = fetch_trace_field(to, fields->ctype, fields->name,
				       fields->size, fields->count,
				       fetch_is_signed(fields->type));
	return to;
}

/**
 * fetch_has_suffix() - check whether something may follow the value of a field
 * @field: the field, after fetch_number_bits()
 *
 * Return: true if the value may be followed by "(fault)" or "...".
 */
bool fetch_has_suffix(const struct fetch_field *field)
{
	return field->fault >= 0 || fetch_is_string(field->type);
}

/**
 * fetch_print_fmt_suffix() - add what follows the value of a field to print_fmt
 * @s: the buffer to add to
 * @field: the field; if fetch_has_suffix() is true, the format has a %s for it
 */
void fetch_print_fmt_suffix(struct seq_buf *s, const struct fetch_field *field)
{
	if (field->fault >= 0)
		seq_buf_printf(s,
			       ", (REC->__fault & 0x%lx) ? \"(fault)\" : \"\"",
			       BIT(field->fault));
	else if (fetch_is_string(field->type))
		seq_buf_printf(s, ", (REC->__cut & 0x%lx) ? \"...\" : \"\"",
			       BIT(field->cut));
}

/**
 * fetch_suffix() - what follows the value of a field
 * @event: the event
 * @field: the field
 * @rec: a record
 *
 * Return: "(fault)" for a number that could not be read, "..." for a string that
 *	was cut, or "".
 */
const char *fetch_suffix(const struct fetch_event *event,
			 const struct fetch_field *field,
			 const struct fetch_record *rec)
{
	const u32 *bits = (const u32 *)rec->payload;

	if (field->fault >= 0 && *bits & BIT(field->fault))
		return "(fault)";
	if (event->has_faults)
		bits++;
	return fetch_is_string(field->type) && *bits & BIT(field->cut) ? "..." :
									 "";
}

/**
 * fetch_print_fmt_arg() - add the argument of a field to print_fmt
 * @s: the buffer to add to
 * @field: the field
 * @whole: the format has one conversion for a whole array
 *
 * Uses only what the parser of libtraceevent understands.
 */
void fetch_print_fmt_arg(struct seq_buf *s, const struct fetch_field *field,
			 bool whole)
{
	bool is_signed = fetch_is_signed(field->type);

	if (fetch_is_string(field->type))
		seq_buf_printf(s, ", __get_str(%s)", field->name);
	else if (field->count && !whole)
		seq_buf_printf(s, ", __print_array(REC->%s, %u, %u)",
			       field->name, field->count, field->type->size);
	else if (field->type->format == FETCH_SYMBOL)
		seq_buf_printf(s, ", (void *)REC->%s", field->name);
	else if (is_signed && !field->count && field->type->size < sizeof(int))
		/*
		 * libtraceevent does not sign-extend fields smaller than an
		 * int.
		 */
		seq_buf_printf(s, ", REC->%s > %d ? REC->%s - %d : REC->%s",
			       field->name,
			       field->type->size == 1 ? S8_MAX : S16_MAX,
			       field->name, 1 << (field->type->size * 8),
			       field->name);
	else
		seq_buf_printf(s, ", REC->%s", field->name);

	fetch_print_fmt_suffix(s, field);
}

/**
 * fetch_print_fmt() - set the print_fmt of an event
 * @event: the event
 * @write: writes print_fmt; called again until the buffer is large enough
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int fetch_print_fmt(struct fetch_event *event,
		    void (*write)(struct fetch_event *event, struct seq_buf *s))
{
	struct seq_buf s;
	char *buf;

	for (size_t size = 1024;; size *= 2) {
		buf = kmalloc(size, GFP_KERNEL);
		if (!buf)
			return -ENOMEM;
		seq_buf_init(&s, buf, size);
		write(event, &s);
		if (!seq_buf_has_overflowed(&s) && seq_buf_used(&s) < size)
			break;
		kfree(buf);
	}

	seq_buf_str(&s);
	event->call.print_fmt = buf;
	return 0;
}

/*
 * True if all fields and the directory of the event were allocated, the
 * directory only if there are any yet. trace_add_event_call() does not return
 * these errors.
 */
static bool fetch_is_complete(struct fetch_event *event)
{
	struct trace_event_fields *wanted = event->class.fields_array;
	struct trace_array *tr = top_trace_array();
	struct trace_event_file *file;
	struct ftrace_event_field *field;

	list_for_each_entry(field, &event->class.fields, link)
		wanted++;
	if (wanted->type)
		return false;

	file = find_event_file(tr, event->class.system,
			       trace_event_name(&event->call));
	return file && (file->ei || !tr->event_dir);
}

/**
 * fetch_register_event() - register an event with the trace event core
 * @event: the event; its name, system, fields and print_fmt are set
 * @funcs: print functions
 * @reg: see fetch_reg()
 * @ops: operations of its kind of dynamic events
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_register_event(struct fetch_event *event,
			 struct trace_event_functions *funcs,
			 int (*reg)(struct trace_event_call *call,
				    enum trace_reg type, void *data),
			 struct dyn_event_operations *ops)
{
	struct trace_event_call *call = &event->call;
	int ret;

	INIT_LIST_HEAD(&event->class.fields);
	event->class.reg = reg;
	event->class.probe = fetch_buffer_probe;
#ifdef CONFIG_PERF_EVENTS
	event->class.perf_probe = fetch_perf_probe;
#endif
	call->class = &event->class;
	call->event.funcs = funcs;
	call->tp = &event->tp;
	call->flags = TRACE_EVENT_FL_TRACEPOINT;

	if (!register_trace_event(&call->event))
		return -ENODEV;

	ret = trace_add_event_call(call);
	if (ret) {
		unregister_trace_event(&call->event);
		return ret;
	}

	if (!fetch_is_complete(event)) {
		trace_remove_event_call(call);
		return -ENOMEM;
	}

	dyn_event_init(&event->devent, ops);
	ret = dyn_event_add(&event->devent, call);
	if (ret)
		trace_remove_event_call(call);
	return ret;
}

/**
 * fetch_reg() - common part of struct trace_event_class::reg()
 * @call: of a struct fetch_event
 * @type: as passed to reg()
 * @data: as passed to reg()
 * @attach: called after a user was added
 * @detach: called after the last user was removed
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_reg(struct trace_event_call *call, enum trace_reg type, void *data,
	      int (*attach)(struct fetch_event *event),
	      void (*detach)(struct fetch_event *event))
{
	struct fetch_event *event =
		container_of(call, struct fetch_event, call);
	int ret = trace_event_reg(call, type, data);
	enum trace_reg undo = TRACE_REG_UNREGISTER;

	switch (type) {
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		undo = TRACE_REG_PERF_UNREGISTER;
		fallthrough;
#endif
	case TRACE_REG_REGISTER:
		if (ret)
			break;
		ret = attach(event);
		if (ret) {
			trace_event_reg(call, undo, data);
			fetch_must_wait();
		} else {
			event->nr_users++;
		}
		break;
	case TRACE_REG_UNREGISTER:
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_UNREGISTER:
#endif
		fetch_must_wait();
		if (!--event->nr_users)
			detach(event);
		break;
	default:
		break;
	}
	return ret;
}

static struct fetch_event *to_fetch_event(struct dyn_event *ev)
{
	return container_of(ev, struct fetch_event, devent);
}

/**
 * fetch_is_busy() - the is_busy() of dynamic events
 * @ev: of a struct fetch_event
 *
 * Return: true if the event has users, false otherwise.
 */
bool fetch_is_busy(struct dyn_event *ev)
{
	struct fetch_event *event = to_fetch_event(ev);

	return event->nr_users || trace_event_dyn_busy(&event->call);
}

/**
 * fetch_match() - the match() of dynamic events
 * @system: system to match, or NULL for any
 * @name: pattern of the name to match, or empty for any
 * @argc: ignored
 * @argv: ignored
 * @ev: of a struct fetch_event
 *
 * Return: true if the event matches, false otherwise.
 */
bool fetch_match(const char *system, const char *name, int argc,
		 const char **argv, struct dyn_event *ev)
{
	struct fetch_event *event = to_fetch_event(ev);

	return (!system || !strcmp(system, event->class.system)) &&
		(!name[0] || glob_match(name, trace_event_name(&event->call)));
}

/**
 * fetch_free_event() - free the members of an event
 * @event: the event, which is not registered; it is not freed itself
 */
void fetch_free_event(struct fetch_event *event)
{
	for (int i = 0; i < event->nr_fields; i++) {
		kfree(event->fields[i].name);
		kfree(event->fields[i].ctype);
	}
	kfree(event->fields);
	kfree(event->definition);
	kfree(event->class.fields_array);
	kfree(event->call.print_fmt);
	kfree(event->class.system);
	kfree(event->tp.name);
}

/**
 * fetch_remove_event() - the common part of the free() of dynamic events
 * @event: the event, which has no users and is not attached
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 if the event may be freed, a negative errno otherwise.
 */
int fetch_remove_event(struct fetch_event *event)
{
	int ret;

	/*
	 * Wait before the trace files of the event are freed: a probe that is
	 * still running uses them.
	 */
	fetch_wait();
	ret = trace_remove_event_call(&event->call);
	/*
	 * An event without users can be removed; if not, leak it rather than
	 * free it.
	 */
	if (!WARN_ON_ONCE(ret))
		dyn_event_remove(&event->devent);
	return ret;
}

/**
 * fetch_fail() - note an error of a line
 * @ctx: the line
 * @err: the error
 * @pos: its position in the line
 *
 * Return: -EINVAL; the errno of the error is that of its file.
 */
int fetch_fail(struct fetch_ctx *ctx, int err, u16 pos)
{
	ctx->err = err;
	ctx->pos = pos;
	return -EINVAL;
}

static int fetch_log_error(const struct fetch_file *file,
			   const struct fetch_ctx *ctx)
{
	tracing_log_err(NULL, ctx->where ?: file->name, ctx->text,
			(const char **)file->err_text, ctx->err, ctx->pos);
	return -file->err_errno[ctx->err];
}

/**
 * fetch_span_dup() - copy a part of a line
 * @ctx: the line
 * @span: the part
 *
 * Return: the copy, NULL if the part is empty or there is no memory.
 */
char *fetch_span_dup(const struct fetch_ctx *ctx, struct text_span span)
{
	return span.len ?
		kstrndup(ctx->text + span.start, span.len, GFP_KERNEL) : NULL;
}

/**
 * fetch_set_names() - set the names of an event, and its definition
 * @file: the file
 * @ctx: the line
 * @def: the names
 * @event: the event
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_set_names(const struct fetch_file *file, struct fetch_ctx *ctx,
		    const struct event_def *def, struct fetch_event *event)
{
	struct text_span name = def->event.len ? def->event : def->name;

	event->class.system = def->group.len ? fetch_span_dup(ctx, def->group) :
					       kstrdup(file->group, GFP_KERNEL);
	event->tp.name = fetch_span_dup(ctx, name);
	event->definition = kstrdup(ctx->text + def->definition, GFP_KERNEL);
	if (!event->class.system || !event->tp.name || !event->definition)
		return -ENOMEM;
	event->definition[strcspn(event->definition, "#")] = '\0';
	strim(event->definition);
	sanitize_event_name((char *)event->tp.name);

	/* Group and event name become names of directories in tracefs. */
	if (def->group.len >= MAX_EVENT_NAME_LEN)
		return fetch_fail(ctx, file->err_group, def->group.start);
	if (name.len >= MAX_EVENT_NAME_LEN)
		return fetch_fail(ctx, file->err_event, name.start);
	if (trace_event_exists(event->class.system, event->tp.name))
		return fetch_fail(ctx, file->err_exists, name.start);
	return 0;
}

static int fetch_enable_event(struct fetch_event *event, bool enable)
{
	struct trace_event_file *file;

	file = find_event_file(top_trace_array(), event->class.system,
			       trace_event_name(&event->call));
	return file ? trace_event_enable_disable(file, enable, 0) : -ENOENT;
}

/**
 * fetch_pattern_add() - add a name that the pattern matches
 * @pattern: the pattern
 * @name: the name, which is copied
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -E2BIG if there are too many names, -ENOMEM otherwise.
 */
int fetch_pattern_add(struct fetch_pattern *pattern, const char *name)
{
	if (pattern->nr == FETCH_MAX_MATCHES)
		return -E2BIG;
	pattern->names[pattern->nr] = kstrdup(name, GFP_KERNEL);
	return pattern->names[pattern->nr++] ? 0 : -ENOMEM;
}

static int fetch_compare_names(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static int fetch_find_matches(const struct fetch_file *file, struct fetch_ctx *ctx,
			      const struct event_def *def,
			      struct fetch_pattern *pattern)
{
	char *module __free(kfree) = fetch_span_dup(ctx, def->module);
	int ret;

	/* A name with "*" in it would match itself again and again. */
	if (ctx->is_named)
		return fetch_fail(ctx, file->err_none, def->name.start);
	pattern->text = fetch_span_dup(ctx, def->name);
	pattern->names = kvcalloc(FETCH_MAX_MATCHES, sizeof(*pattern->names),
				  GFP_KERNEL);
	if (!pattern->text || !pattern->names || (def->module.len && !module))
		return -ENOMEM;

	ret = file->match(pattern, module);
	if (ret == -E2BIG)
		return fetch_fail(ctx, file->err_too_many, def->name.start);
	if (ret)
		return ret;
	if (!pattern->nr)
		return fetch_fail(ctx, file->err_none, def->name.start);
	sort(pattern->names, pattern->nr, sizeof(*pattern->names),
	     fetch_compare_names, NULL);
	return 0;
}

/* Make the event of @name, which the pattern in @ctx matches; as file->make(). */
static int fetch_make_named(const struct fetch_file *file,
			    const struct fetch_ctx *ctx,
			    const struct event_def *def, const char *name,
			    struct fetch_ctx *named)
{
	char *line __free(kfree) =
		kasprintf(GFP_KERNEL, "%.*s%s%s", def->name.start, ctx->text, name,
			  ctx->text + def->name.start + def->name.len);
	u16 start = def->name.start, end = start + def->name.len;
	int ret;

	*named = (struct fetch_ctx){ .text = line, .is_named = true };
	if (!line)
		return -ENOMEM;
	ret = file->make(named);
	kfree(named->where);

	/* Where in the line of the pattern is the error? */
	if (named->pos >= start + strlen(name))
		named->pos += end - start - strlen(name);
	else
		named->pos = min(named->pos, start);
	return ret;
}

/*
 * Names that can have no event are left out, and the kernel log says how many. If none can,
 * that is an error: the one of the first of them, which ctx->where names.
 */
static int fetch_make_matching(const struct fetch_file *file, struct fetch_ctx *ctx,
			       const struct event_def *def,
			       const struct fetch_pattern *pattern)
{
	struct fetch_event **made __free(kfree) =
		kcalloc(pattern->nr, sizeof(*made), GFP_KERNEL);
	unsigned int nr_made = 0, nr_left = 0, nr_enabled = 0;
	struct fetch_ctx named, left = {};
	const char *left_name = NULL;
	int ret = 0;

	if (!made)
		return -ENOMEM;

	for (int i = 0; i < pattern->nr; i++) {
		/* Two of the same name make one event, or none. */
		if (i && !strcmp(pattern->names[i], pattern->names[i - 1]))
			continue;
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			goto undo;
		}
		ret = fetch_make_named(file, ctx, def, pattern->names[i], &named);
		if (ret && !named.err)
			goto undo;
		if (!ret) {
			made[nr_made++] = named.event;
		} else if (!nr_left++) {
			left = named;
			left_name = pattern->names[i];
		}
	}
	if (!nr_made) {
		ctx->where = kasprintf(GFP_KERNEL, "%s: %s", file->name, left_name);
		return fetch_fail(ctx, left.err, left.pos);
	}

	for (; ctx->enable && nr_enabled < nr_made; nr_enabled++) {
		ret = fetch_enable_event(made[nr_enabled], true);
		if (ret)
			goto undo;
	}
	if (nr_left)
		pr_info("%s: %s: %u events; %u left out, the first %s: %s\n",
			file->name, pattern->text, nr_made, nr_left, left_name,
			file->err_text[left.err]);
	return 0;

undo:
	for (int i = 0; i < nr_enabled; i++)
		fetch_enable_event(made[i], false);
	while (nr_made)
		file->ops->free(&made[--nr_made]->devent);
	/* Another event may get the type of one that has recorded, see dyn_event_release(). */
	if (nr_enabled)
		tracing_reset_all_online_cpus();
	return ret;
}

/**
 * fetch_make_pattern() - make an event for each name that a pattern matches
 * @file: the file
 * @ctx: the line
 * @def: the pattern
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise, and no event is left.
 */
int fetch_make_pattern(const struct fetch_file *file, struct fetch_ctx *ctx,
		       const struct event_def *def)
{
	struct fetch_pattern pattern = {};
	int ret = fetch_find_matches(file, ctx, def, &pattern) ?:
		  fetch_make_matching(file, ctx, def, &pattern);

	for (int i = 0; i < pattern.nr; i++)
		kfree(pattern.names[i]);
	kvfree(pattern.names);
	kfree(pattern.text);
	return ret;
}

/**
 * fetch_define() - make the events of a line
 * @file: the file
 * @text: the line
 * @enable: enable the events in the top trace array
 * @may_wait: the line may wait for its module
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise; error_log has the error.
 */
int fetch_define(const struct fetch_file *file, const char *text, bool enable,
		 bool may_wait)
{
	struct fetch_ctx ctx = {
		.text = text, .enable = enable, .may_wait = may_wait,
	};
	int ret;

	lockdep_assert_held(&event_mutex);

	ret = file->make(&ctx);
	if (!ret && ctx.event && enable) {
		ret = fetch_enable_event(ctx.event, true);
		if (ret)
			file->ops->free(&ctx.event->devent);
	}
	if (ctx.err)
		ret = fetch_log_error(file, &ctx);
	kfree(ctx.where);
	return ret;
}

/**
 * fetch_create() - make the events of a line that was written
 * @file: the file
 * @text: the line
 * @enable: enable the events in the top trace array
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise; error_log has the error.
 */
int fetch_create(const struct fetch_file *file, const char *text, bool enable)
{
	guard(mutex)(&event_mutex);
	return fetch_define(file, text, enable, true);
}

/**
 * fetch_show_definition() - write a line that makes an event
 * @m: where to
 * @file: the file
 * @event: the event
 * @names: with group and event name
 */
void fetch_show_definition(struct seq_file *m, const struct fetch_file *file,
			   const struct fetch_event *event, bool names)
{
	if (names)
		seq_printf(m, "%c:%s/%s ", file->letter, event->class.system,
			   event->tp.name);
	seq_puts(m, event->definition);
}

/**
 * fetch_has_default_name() - check whether the definition alone makes the same event
 * @file: the file
 * @event: the event
 * @name: what an event without a name is called
 *
 * Return: true if it does, false if it needs group and event name.
 */
bool fetch_has_default_name(const struct fetch_file *file,
			    const struct fetch_event *event, const char *name)
{
	return !strcmp(event->class.system, file->group) &&
	       !strcmp(event->tp.name, name) &&
	       !text_has_prefix(event->definition, file->letter);
}

/**
 * fetch_check_open() - check whether a file in tracefs may be opened
 *
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_check_open(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?:
		tracing_check_open_get_tr(NULL);
}

/* Before the definition of an event that is to be enabled at once. */
#define FETCH_ENABLE	'+'

static const char *fetch_skip_enable(const char *text)
{
	return *text == FETCH_ENABLE ? skip_spaces(text + 1) : text;
}

/**
 * fetch_run_line() - process a line that was written to a file
 * @file: the file
 * @text: the line: a definition, which is enabled after "+", or "!" or "-:" and the
 *	event to remove
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_run_line(const struct fetch_file *file, const char *text)
{
	text = skip_spaces(text);
	if (!*text)
		return 0;
	if (*text == '!')
		return file->remove(fetch_skip_enable(skip_spaces(text + 1)));
	if (*text == '-')
		return dyn_event_release(text, file->ops);
	return fetch_create(file, fetch_skip_enable(text), *text == FETCH_ENABLE);
}

/**
 * fetch_write_lines() - common part of write() of a file
 * @file: the file
 * @filp: as passed to write()
 * @ubuf: as passed to write()
 * @count: as passed to write()
 * @ppos: as passed to write()
 * @run: called with each line
 *
 * Context: Process context. May sleep.
 * Return: @count on success, a negative errno otherwise.
 */
ssize_t fetch_write_lines(const struct fetch_file *file, struct file *filp,
			  const char __user *ubuf, size_t count, loff_t *ppos,
			  int (*run)(const char *text))
{
	/* trace_parse_run_command() reports this in the kernel log only. */
	if (count > file->max_text) {
		char *line __free(kfree) =
			memdup_user_nul(ubuf, file->max_text + 1);

		if (IS_ERR(line))
			return PTR_ERR(no_free_ptr(line));

		if (!strchr(line, '\n')) {
			const struct fetch_ctx ctx = {
				.text = line, .err = file->err_too_long,
				.pos = file->max_text,
			};

			line[file->max_text] = '\0';
			return fetch_log_error(file, &ctx);
		}
	}
	return trace_parse_run_command(filp, ubuf, count, ppos, run);
}

/*
 * Remove events of @group, or of any if it is empty. @name may be a pattern; dots, as in the
 * names of functions cloned by the compiler, are replaced by underscores.
 */
static int fetch_remove_named(const struct fetch_file *file, const char *group,
			      int group_len, const char *name, int name_len)
{
	char *command __free(kfree) =
		kasprintf(GFP_KERNEL, "-:%.*s%s%.*s", group_len, group,
			  group_len ? "/" : "", name_len, name);

	if (!command)
		return -ENOMEM;
	strreplace(command + 2 + group_len, '.', '_');
	return dyn_event_release(command, file->ops);
}

/**
 * fetch_remove_line() - remove events
 * @file: their file
 * @ctx: "name", "group/name", or a line as it is read, after the attempt to parse it
 * @def: names of the line, if it was parsed without an error
 * @has_more: the line has more than names
 *
 * A name without a group matches any group, as with "-:"; a line matches the event that
 * it would create.
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_remove_line(const struct fetch_file *file, const struct fetch_ctx *ctx,
		      const struct event_def *def, bool has_more)
{
	const struct fetch_ctx no_module = {
		.text = ctx->text, .err = file->err_module, .pos = def->module.start,
	};
	const char *text = ctx->text, *group = "";
	struct text_span name;
	int group_len = 0;

	/*
	 * A definition with a syntax error must not be passed to
	 * dyn_event_release(), which would take its first word for a name.
	 */
	if (ctx->err)
		return *skip_spaces(text + strcspn(text, " \t(|")) ?
		       fetch_log_error(file, ctx) :
		       fetch_remove_named(file, "", 0, text, strlen(text));

	/* Nothing of an event's name tells its module. */
	if (def->is_pattern && def->module.len)
		return fetch_log_error(file, &no_module);

	name = def->event.len ? def->event : def->name;
	if (def->group.len) {
		group = text + def->group.start;
		group_len = def->group.len;
	} else if (has_more || def->module.len) {
		group = file->group;
		group_len = strlen(group);
	}
	return fetch_remove_named(file, group, group_len, text + name.start,
				  name.len);
}

/**
 * fetch_boot_lines() - create the events of a kernel parameter, and enable them
 * @file: the file of the parameter
 * @lines: lines separated by semicolons; modified
 *
 * Context: Process context. May sleep.
 */
void __init fetch_boot_lines(const struct fetch_file *file, char *lines)
{
	char *line;
	int ret;

	/* Tracing is locked down, or the trace array was not allocated. */
	if (!top_trace_array())
		return;

	while ((line = strsep(&lines, ";"))) {
		/* Comments, as in trace_parse_run_command(). */
		line[strcspn(line, "#")] = '\0';
		if (!*skip_spaces(line))
			continue;

		ret = fetch_create(file, fetch_skip_enable(skip_spaces(line)), true);
		if (ret)
			pr_warn("%s: cannot add \"%s\": %d\n", file->name, line,
				ret);
	}
}

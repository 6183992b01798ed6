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
 * tracepoint_srcu. Payload buffers are per CPU, and per level of nesting. They
 * are freed a grace period after the last event was removed.
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
 * fetch_compile() - add a field to fetch code
 * @code: the fetch code
 * @field: the field; its offset in the payload and its source are set
 * @string_size: room for a string in the payload, in bytes
 *
 * A return value is at offset 0 of its source.
 */
void fetch_compile(struct fetch_code *code, const struct fetch_field *field,
		   unsigned int string_size)
{
	/* An absolute address, or that of a symbol, is a kernel address. */
	bool user = code->user && !field->absolute;
	const struct fetch_string string = {
		.from = field->from,
		.to = field->offset,
		.size = fetch_is_string(field->type) ? string_size : field->size,
		.cut = field->cut,
	};
	struct fetch_read *read;

	if (!field->read) {
		fetch_insert_copy(code->nr_copies, code->copies, field->size,
				  field->from, field->offset);
		return;
	}

	if (field->type->format == FETCH_STRING && field->nr_derefs == 1 &&
	    !field->derefs[0] && !field->absolute && !field->limited &&
	    !field->max_len && !field->filled) {
		code->strings[code->nr_strings++] = string;
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

	if (field->limited || field->max_len)
		read->kind = FETCH_READ_LIMITED_STRING;
	else if (fetch_is_string(field->type))
		read->kind = field->filled ? FETCH_READ_FILLED_STRING :
					     FETCH_READ_STRING;

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
 * @size: room for the string. @user: @addr is of user space, whatever its value.
 * @last: the string is not read again.
 */
static __always_inline unsigned int
fetch_add_string(struct fetch_code *code, const struct fetch_string *dest,
		 unsigned long addr, unsigned int size, bool user, bool ok,
		 bool last, char *payload, unsigned int len)
{
	long found = -EFAULT;
	bool again;

	/*
	 * The nofault functions return the size they are given for a string
	 * that is longer. Pass @size + 1, so that @size means that the string
	 * just fits.
	 */
	if (ok && user)
		found = fetch_nofault_user_string(payload + len, addr, size + 1);
	else if (ok)
		found = fetch_nofault_string(payload + len, addr, size + 1);
	if (likely(found > 0 && found <= size)) {
		fetch_set_loc(payload, dest->to, len, found);
		return len + found;
	}

	again = code->again && !last && ok && addr &&
		(user || fetch_is_user_address(addr, false));

	if (found <= 0)
		return again ? fetch_keep_address(code, dest, addr, FETCH_UNREAD,
						  0, payload, len) :
			       fetch_add_no_string(dest, ok && !addr, payload,
						   len);
	if (!again)
		return fetch_add_cut_string(code, dest, size, payload, len);
	return size < FETCH_MIN_CUT ?
		fetch_keep_address(code, dest, addr, FETCH_UNREAD, 0, payload,
				   len) :
		fetch_keep_address(code, dest, addr, FETCH_UNREAD_CUT,
				   size - sizeof(addr), payload, len);
}

/**
 * fetch_string_slow() - fetch a string of user space, one that faults, or one
 * that is cut
 * @code: the fetch code
 * @string: the string
 * @addr: its address
 * @payload: of the record
 * @len: how much of it is in use, in bytes
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards.
 */
noinline unsigned int notrace
fetch_string_slow(struct fetch_code *code, const struct fetch_string *string,
		  unsigned long addr, char *payload, unsigned int len)
{
	return fetch_add_string(code, string, addr, string->size, code->user,
				true, false, payload, len);
}

/*
 * Fetch a string of code->reads: one that is not in code->strings. It gets at
 * most @room bytes.
 */
static noinline notrace unsigned int
fetch_add_other_string(struct fetch_code *code,
		       const struct fetch_read *read, const void *from,
		       unsigned int room, char *payload, unsigned int len)
{
	unsigned long addr;
	bool ok = fetch_follow(read, from, &addr);

	/* The system call does not write to NULL. */
	if (read->kind == FETCH_READ_FILLED_STRING && addr)
		return fetch_keep_address(code, &read->dest, addr, FETCH_UNREAD,
					  0, payload, len);
	return fetch_add_string(code, &read->dest, addr,
				min(read->dest.size, room), read->user, ok,
				false, payload, len);
}

/*
 * A string in at most @limit bytes of memory, of which the last one need not be
 * a null byte, and the byte after them need not be mapped. @limit is not more
 * than @size, the room for the string.
 */
static noinline notrace unsigned int
fetch_add_limited_string(struct fetch_code *code,
			 const struct fetch_string *dest, unsigned long addr,
			 unsigned int size, unsigned int limit, bool user,
			 char *payload, unsigned int len)
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
		return fetch_add_cut_string(code, dest, size, payload, len);
	fetch_set_loc(payload, dest->to, len, found);
	return len + found;
}

/*
 * Fetch a string whose maximum length is in another argument, or in the format
 * of a marker. A string that this limit shortens does not count as cut.
 */
static notrace unsigned int
fetch_read_limited(struct fetch_code *code, const struct fetch_read *read,
		   const void *from, char *payload, unsigned int len)
{
	/* As for printf(), a negative precision means no limit. */
	unsigned int limit = read->limited ?
		*(const int *)(from + read->limit_from) : -1;
	unsigned long addr;

	fetch_follow(read, from, &addr);
	if (read->max_len)
		limit = min(limit, read->max_len);

	return limit > read->dest.size ?
		fetch_add_string(code, &read->dest, addr, read->dest.size,
				 read->user, true, true, payload, len) :
		fetch_add_limited_string(code, &read->dest, addr,
					 read->dest.size, limit, read->user,
					 payload, len);
}

/**
 * fetch_memory() - fetch other memory than plain strings
 * @code: the fetch code
 * @from: where the arguments are
 * @payload: of the record
 * @len: how much of it is in use, in bytes
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards.
 */
unsigned int notrace fetch_memory(struct fetch_code *code, const void *from,
				  char *payload, unsigned int len)
{
	const struct fetch_read *read = code->reads;

	for (int i = code->nr_reads; i; i--, read++) {
		const struct fetch_string *dest = &read->dest;

		if (read->kind == FETCH_READ_LIMITED_STRING) {
			len = fetch_read_limited(code, read, from, payload,
						 len);
			continue;
		}

		if (read->kind >= FETCH_READ_STRING) {
			len = fetch_add_other_string(code, read, from,
						     dest->size, payload, len);
			continue;
		}

		if (unlikely(process_fetch_insn(read->code, (void *)from, NULL,
						payload + dest->to, NULL))) {
			memset(payload + dest->to, 0, dest->size);
			*(u32 *)payload |= BIT(read->fault);
		}
	}
	return len;
}

/**
 * fetch_shorter() - fetch the strings anew, with less room
 * @code: the fetch code
 * @from: where the arguments are
 * @payload: of the record, after fetch_exec()
 * @len: how much of it other fields than strings take, in bytes
 * @room: for each string, in bytes, at least FETCH_MIN_STRING
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards.
 */
unsigned int notrace fetch_shorter(struct fetch_code *code, const void *from,
				   char *payload, unsigned int len,
				   unsigned int room)
{
	const struct fetch_string *string = code->strings;
	const struct fetch_read *read = code->reads;

	if (code->nr_strings || code->nr_reads)
		*(u32 *)(payload + code->cut_at) = 0;

	for (int n = code->nr_strings; n; n--, string++)
		len = fetch_add_string(code, string,
				       *(unsigned long *)(from + string->from),
				       min(string->size, room), code->user,
				       true, false, payload, len);

	for (int n = code->nr_reads; n; n--, read++)
		if (read->kind >= FETCH_READ_STRING)
			len = fetch_add_other_string(code, read, from, room,
						     payload, len);
	return len;
}

static bool fetch_is_unread(const char *payload, u16 to)
{
	u16 size = *(const u32 *)(payload + to) >> 16;

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
	for (int i = 0; i < code->nr_strings; i++)
		if (fetch_is_unread(payload, code->strings[i].to))
			return true;
	for (int i = 0; i < code->nr_reads; i++)
		if (code->reads[i].kind >= FETCH_READ_STRING &&
		    fetch_is_unread(payload, code->reads[i].dest.to))
			return true;
	return false;
}

/*
 * Read a string again if its address is in the place of the string. @limit is
 * the number of bytes that are there, 0 if it is not known.
 */
static notrace unsigned int
fetch_string_again(struct fetch_code *code, const struct fetch_string *dest,
		   bool user, unsigned int limit, char *payload,
		   unsigned int len)
{
	u32 loc = *(const u32 *)(payload + dest->to);
	char *at, *text;
	unsigned long addr;
	unsigned int end, size;

	if (!fetch_is_unread(payload, dest->to))
		return len;

	at = payload + (u16)loc - offsetof(struct fetch_record, payload);
	addr = get_unaligned((const unsigned long *)at);
	memset(at, 0, sizeof(addr));

	if (limit && limit <= code->again_size)
		return fetch_add_limited_string(code, dest, addr,
						code->again_size, limit, user,
						payload, len);

	end = fetch_add_string(code, dest, addr, code->again_size, user, true,
			       true, payload, len);
	if (loc >> 16 == FETCH_UNREAD)
		return end;

	/*
	 * The program may have changed it since then, or execve() has replaced
	 * the program: then take what was there at the entry.
	 */
	text = at + sizeof(addr);
	size = strlen(text) + 1;
	if (!strncmp(text, payload + len, size - 1))
		return end;

	fetch_add_cut_string(code, dest, size, payload, text - payload);
	return len;
}

/**
 * fetch_again() - read the strings again that could not be read, or were cut
 * @code: the fetch code, with @again set
 * @filled: number of bytes that the function has written to each string that it
 *	fills; 0 or negative if it is not known
 * @payload: of the record, after fetch_exec()
 * @len: how much of it is in use, in bytes
 *
 * What has used a string of user space since then has made it present.
 *
 * Context: Any context, preemption is disabled.
 * Return: the number of bytes in use afterwards.
 */
unsigned int notrace fetch_again(struct fetch_code *code, long filled,
				 char *payload, unsigned int len)
{
	const struct fetch_string *string = code->strings;
	const struct fetch_read *read = code->reads;
	unsigned int limit = clamp_t(long, filled, 0, FETCH_MAX_PAYLOAD);

	for (int n = code->nr_strings; n; n--, string++)
		len = fetch_string_again(code, string, code->user, 0, payload,
					 len);

	for (int n = code->nr_reads; n; n--, read++)
		if (read->kind >= FETCH_READ_STRING)
			len = fetch_string_again(code, &read->dest, read->user,
						 read->kind == FETCH_READ_FILLED_STRING ?
						 limit : 0, payload, len);
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
	return code->nr_strings;
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
	bool user = code->user;

	*span = (struct fetch_span){};

	if (*nr < code->nr_strings) {
		const struct fetch_string *string = &code->strings[*nr];

		span->address = *(const unsigned long *)(from + string->from);
		span->size = string->size;
		span->is_string = true;
	} else if (*nr < code->nr_strings + code->nr_reads) {
		const struct fetch_read *read =
			&code->reads[*nr - code->nr_strings];

		fetch_set_span(span, read, from);
		user = span->is_pointer ?
			user && !fetch_absolute_address(read) : read->user;
	} else {
		*nr -= code->nr_strings + code->nr_reads;
		return false;
	}

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

/**
 * fetch_get_buffers() - allocate payload buffers for an event
 * @pool: the pool of the event
 * @size: size of the buffers of each CPU, in bytes
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, -ENOMEM otherwise.
 */
int fetch_get_buffers(struct fetch_pool *pool, size_t size)
{
	lockdep_assert_held(&event_mutex);

	if (!pool->nr_users) {
		pool->buffers = __alloc_percpu(size, sizeof(u64));
		if (!pool->buffers)
			return -ENOMEM;
	}
	pool->nr_users++;
	return 0;
}

/**
 * fetch_put_buffers() - release the payload buffers of an event
 * @pool: the pool of the event
 *
 * No CPU may run the fetch code of the event any more.
 *
 * Context: Process context, event_mutex is held. May sleep.
 */
void fetch_put_buffers(struct fetch_pool *pool)
{
	lockdep_assert_held(&event_mutex);

	if (!--pool->nr_users) {
		free_percpu(pool->buffers);
		pool->buffers = NULL;
	}
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

/* To the ring buffer by way of filters, triggers and exports. */
static void fetch_to_trace_buffer(const struct fetch_event *event,
				  struct trace_event_file *file,
				  const void *source, unsigned long ip,
				  const char *payload, unsigned int len)
{
	struct trace_event_buffer fbuffer __uninitialized;
	struct fetch_where where;
	struct pt_regs regs;
	struct fetch_record *rec;

	if (trace_trigger_soft_disabled(file))
		return;

	rec = trace_event_buffer_reserve(&fbuffer, file, sizeof(*rec) + len);
	if (!rec)
		return;

	rec->ip = ip;
	memcpy(rec->payload, payload, len);

	if (file->tr->trace_flags & TRACE_ITER(STACKTRACE)) {
		event->where(event, source, &where);
		if (fetch_set_regs(&regs, &where))
			fbuffer.regs = &regs;
	}
	trace_event_buffer_commit(&fbuffer);
}

#ifdef CONFIG_PERF_EVENTS
static void fetch_to_perf(struct fetch_event *event, const void *source,
			  unsigned long ip, const char *payload,
			  unsigned int len)
{
	struct trace_event_call *call = &event->call;
	struct hlist_head *head = this_cpu_ptr(call->perf_events);
	struct fetch_where where;
	struct fetch_record *rec;
	struct pt_regs *regs;
	int rctx, size;

	if (!bpf_prog_array_valid(call) && hlist_empty(head))
		return;

	/* perf puts a u32 with the size before the record. */
	size = ALIGN(sizeof(*rec) + len + sizeof(u32), sizeof(u64)) -
	       sizeof(u32);
	rec = perf_trace_buf_alloc(size, &regs, &rctx);
	if (!rec)
		return;

	event->where(event, source, &where);
	if (!fetch_set_regs(regs, &where))
		perf_arch_fetch_caller_regs(regs, where.ip);

	rec->ip = ip;
	memcpy(rec->payload, payload, len);
	memset(rec->payload + len, 0, size - sizeof(*rec) - len);

	perf_trace_run_bpf_submit(rec, size, rctx, call, 1, regs, head, NULL);
}
#else
static void fetch_to_perf(struct fetch_event *event, const void *source,
			  unsigned long ip, const char *payload,
			  unsigned int len)
{
}
#endif

/**
 * fetch_emit_slow() - emit a record, whoever uses the event
 * @event: the event
 * @func: the probe of the first user and its data
 * @source: passed to event->where()
 * @ip: struct fetch_record::ip
 * @payload: of the record
 * @len: of the payload, in bytes
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
	for (; func->func; func++) {
		if (func->func == fetch_perf_probe)
			fetch_to_perf(event, source, ip, payload, len);
		else if (func->func != fetch_buffer_probe)
			continue;
		else if (fetch_is_plain(func->data))
			fetch_to_buffer(func->data, ip, payload, len);
		else
			fetch_to_trace_buffer(event, func->data, source, ip,
					      payload, len);
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
	u32 word = round_down(from, sizeof(u64));
	u64 keep = U64_MAX;

	*offset = to - offsetof(struct fetch_record, payload);
	if (from == to)
		return;

	memset((char *)&keep + from - word, 0, to - from);
	event->gaps[event->nr_gaps++] = (struct fetch_gap){
		.at = word - offsetof(struct fetch_record, payload),
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

/**
 * fetch_enable_event() - enable or disable an event in the top trace array
 * @event: the event
 * @enable: what to do
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_enable_event(struct fetch_event *event, bool enable)
{
	struct trace_event_file *file;

	file = find_event_file(top_trace_array(), event->class.system,
			       trace_event_name(&event->call));
	return file ? trace_event_enable_disable(file, enable, 0) : -ENOENT;
}

/**
 * fetch_pattern_init() - prepare for the names that a pattern matches
 * @pattern: with its line and its place in it
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, -ENOMEM otherwise; call fetch_pattern_free() in both cases.
 */
int fetch_pattern_init(struct fetch_pattern *pattern)
{
	pattern->text = kstrndup(pattern->line + pattern->at.start, pattern->at.len,
				 GFP_KERNEL);
	pattern->names = kvcalloc(FETCH_MAX_MATCHES, sizeof(*pattern->names),
				  GFP_KERNEL);
	return pattern->text && pattern->names ? 0 : -ENOMEM;
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

/* The event of @name; as make() of the pattern. */
static struct fetch_event *fetch_pattern_make_named(struct fetch_pattern *pattern,
						    const char *name)
{
	char *line __free(kfree) =
		kasprintf(GFP_KERNEL, "%.*s%s%s", pattern->at.start, pattern->line,
			  name, pattern->line + pattern->at.start + pattern->at.len);

	return line ? pattern->make(pattern, line) : ERR_PTR(-ENOMEM);
}

/* The position in the line of the pattern that is that of an error in the line of @name. */
static u16 fetch_pattern_pos(const struct fetch_pattern *pattern, const char *name)
{
	u16 pos = pattern->error_pos, end = pattern->at.start + strlen(name);

	if (pos >= end)
		return pos - end + pattern->at.start + pattern->at.len;
	return min(pos, pattern->at.start);
}

/**
 * fetch_pattern_make() - make an event for each name
 * @pattern: the pattern, with at least one name
 * @file: for the kernel log
 * @errors: the texts of errors
 * @enable: enable the events in the top trace array
 *
 * Names that can have no event are left out, and the kernel log says how many. If none
 * can, that is an error, and @pattern->left says why.
 *
 * Context: Process context, event_mutex is held. May sleep.
 * Return: 0 on success, -EINVAL if there is no event, another negative errno otherwise.
 *	On failure, no event is left.
 */
int fetch_pattern_make(struct fetch_pattern *pattern, const char *file,
		       const char * const *errors, bool enable)
{
	struct fetch_event **made __free(kfree) =
		kcalloc(pattern->nr, sizeof(*made), GFP_KERNEL);
	unsigned int nr_made = 0, nr_left = 0, nr_enabled = 0;
	int ret = 0;

	if (!made)
		return -ENOMEM;
	sort(pattern->names, pattern->nr, sizeof(*pattern->names),
	     fetch_compare_names, NULL);

	for (int i = 0; i < pattern->nr; i++) {
		struct fetch_event *event;

		/* Two of the same name make one event, or none. */
		if (i && !strcmp(pattern->names[i], pattern->names[i - 1]))
			continue;
		if (fatal_signal_pending(current)) {
			ret = -EINTR;
			goto undo;
		}
		event = fetch_pattern_make_named(pattern, pattern->names[i]);
		if (IS_ERR(event)) {
			ret = PTR_ERR(event);
			goto undo;
		}
		if (event) {
			made[nr_made++] = event;
		} else if (!nr_left++) {
			pattern->left = pattern->names[i];
			pattern->left_error = pattern->error;
			pattern->left_pos = fetch_pattern_pos(pattern, pattern->left);
		}
	}
	if (!nr_made)
		return -EINVAL;

	for (; enable && nr_enabled < nr_made; nr_enabled++) {
		ret = fetch_enable_event(made[nr_enabled], true);
		if (ret)
			goto undo;
	}
	if (nr_left)
		pr_info("%s: %s: %u events; %u left out, the first %s: %s\n", file,
			pattern->text, nr_made, nr_left, pattern->left,
			errors[pattern->left_error]);
	return 0;

undo:
	/* It is not what keeps the others from being there. */
	pattern->left = NULL;
	for (int i = 0; i < nr_enabled; i++)
		fetch_enable_event(made[i], false);
	while (nr_made) {
		struct dyn_event *devent = &made[--nr_made]->devent;

		devent->ops->free(devent);
	}
	/* Another event may get the type of one that has recorded, see dyn_event_release(). */
	if (nr_enabled)
		tracing_reset_all_online_cpus();
	return ret;
}

/**
 * fetch_pattern_free() - free what belongs to a pattern
 * @pattern: the pattern
 */
void fetch_pattern_free(struct fetch_pattern *pattern)
{
	for (int i = 0; i < pattern->nr; i++)
		kfree(pattern->names[i]);
	kvfree(pattern->names);
	kfree(pattern->text);
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
	kfree(event->class.fields_array);
	kfree(event->call.print_fmt);
	kfree(event->class.system);
	kfree(event->tp.name);
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
	return file->create(fetch_skip_enable(text), *text == FETCH_ENABLE);
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
			line[file->max_text] = '\0';
			return file->too_long(line);
		}
	}
	return trace_parse_run_command(filp, ubuf, count, ppos, run);
}

/**
 * fetch_names_events() - check whether a text may be the name of an event
 * @text: the event to remove
 *
 * A definition with a syntax error must not be passed to dyn_event_release(),
 * which would take its first word for the name of an event.
 *
 * Return: true if @text is a single word, with or without a group.
 */
bool fetch_names_events(const char *text)
{
	return !*skip_spaces(text + strcspn(text, " \t(|"));
}

/**
 * fetch_remove_named() - remove events
 * @file: their file
 * @group: their group, or empty for any group
 * @group_len: length of @group, in characters
 * @name: their name, or a pattern; dots, as in the names of functions cloned by the
 *	compiler, are replaced by underscores
 * @name_len: length of @name, in characters
 *
 * Context: Process context. May sleep.
 * Return: 0 on success, a negative errno otherwise.
 */
int fetch_remove_named(const struct fetch_file *file, const char *group,
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

		ret = file->create(fetch_skip_enable(skip_spaces(line)), true);
		if (ret)
			pr_warn("%s: cannot add \"%s\": %d\n", file->name, line,
				ret);
	}
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Values of arguments, for programs of Linux.
 *
 * values_store() runs in the middle of any function of the program, as all hooks do: no
 * vector registers, and so no memcpy() and strlen() of libc, no locks, no allocation. What a
 * pointer of the program leads to may not be there, so the kernel copies it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <fntrace.h>

#include "objects.h"
#include "seccomp.h"
#include "values.h"

/* No page is smaller. */
#define VALUES_PAGE	4096ul

/*
 * struct values_op - one step of getting the values of a call
 * @kind: a letter, see src/describe.h
 * @number: of a register
 * @at: offset of a pointer among the bytes that are stored; or of an argument on the stack
 * @length_at: offset of the length of a text
 * @size: bytes to store, at most
 */
struct values_op {
	char		kind;
	uint8_t		number;
	uint16_t	at;
	uint16_t	length_at;
	uint16_t	size;
};

/*
 * struct values_function - a function of this process
 * @start: address
 * @end: the address behind it
 * @id: its number in the file
 * @after_prologue: registers have arguments behind the prologue, too
 * @enter: index of the first step at the entry
 * @nr_enter: how many
 * @leave: index of the first step at the exit
 * @nr_leave: how many
 */
struct values_function {
	unsigned long	start;
	unsigned long	end;
	uint32_t	id;
	bool		after_prologue;
	unsigned int	enter;
	unsigned int	nr_enter;
	unsigned int	leave;
	unsigned int	nr_leave;
};

/* All of this process, by address. Not changed after values_begin(). */
static struct {
	struct values_function	*functions;
	struct values_op	*ops;
	size_t			nr_functions;
	size_t			nr_ops;
} values;

/* The kernel has no process_vm_readv(), or does not allow it. */
static bool values_no_readv;

static const struct values_function *values_find(unsigned long addr)
{
	size_t low = 0, high = values.nr_functions;
	const struct values_function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (values.functions[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &values.functions[low - 1];
	return addr < function->end ? function : NULL;
}

/* Does a system call that reads a word there succeed? As is_readable() of preload.c does it. */
static bool values_is_readable(unsigned long addr)
{
	return !syscall(SYS_rt_sigprocmask, -1, addr, NULL, sizeof(uint64_t)) ||
	       errno != EFAULT;
}

/* Page by page; another thread may unmap one right behind the question, which is rare. */
static size_t values_read_slowly(uint8_t *to, unsigned long from, size_t size)
{
	size_t done;

	for (done = 0; done < size; done++) {
		unsigned long addr = from + done;

		if ((!done || !(addr & (VALUES_PAGE - 1))) &&
		    !values_is_readable(addr & ~(VALUES_PAGE - 1)))
			break;
		/* Not by a call of memcpy(), which this loop might become. */
		to[done] = __atomic_load_n((const uint8_t *)addr, __ATOMIC_RELAXED);
	}
	return done;
}

/* Returns how many bytes there are, up to @size, which is less than a page. */
static size_t values_read(uint8_t *to, unsigned long from, size_t size)
{
	size_t first = VALUES_PAGE - (from & (VALUES_PAGE - 1));
	struct iovec local, remote[2];
	long got;

	/* Nothing is in the first page, and NULL is no address to the system call below. */
	if (from + size < from || from < VALUES_PAGE)
		return 0;
	/* Where only the kernel could say whether it is there. */
	if (!seccomp_may_call())
		return 0;
	if (values_no_readv)
		return values_read_slowly(to, from, size);
	/* Each part is read as a whole, or not. */
	if (first > size)
		first = size;
	local.iov_base = to;
	local.iov_len = size;
	remote[0].iov_base = (void *)from;
	remote[0].iov_len = first;
	remote[1].iov_base = (void *)(from + first);
	remote[1].iov_len = size - first;
	got = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1, remote,
		      size > first ? 2 : 1, 0);
	if (got < 0 && errno != EFAULT) {
		values_no_readv = true;
		return values_read_slowly(to, from, size);
	}
	return got < 0 ? 0 : got;
}

static unsigned long values_word(const uint8_t *from)
{
	unsigned long word = 0;
	unsigned int i;

	for (i = sizeof(word); i--; )
		word = word << 8 | from[i];
	return word;
}

/* By stores of which no compiler makes a call of memcpy(), which uses vector registers. */
static void values_copy(uint8_t *to, const void *data, size_t size)
{
	const uint8_t *from = data;

	while (size--)
		__atomic_store_n(to++, *from++, __ATOMIC_RELAXED);
}

/* What a pointer leads to, behind a byte that says whether it is there. */
static size_t values_put_memory(uint8_t *to, unsigned long from, size_t size)
{
	size_t i;

	to[0] = from ? FNTRACE_VALUE_THERE : FNTRACE_VALUE_NULL;
	if (from && values_read(to + 1, from, size) == size)
		return 1 + size;
	if (from)
		to[0] = FNTRACE_VALUE_UNREADABLE;
	for (i = 0; i < size; i++)
		__atomic_store_n(&to[1 + i], 0, __ATOMIC_RELAXED);
	return 1 + size;
}

/* A string; @length is what it has, or ULONG_MAX if a NUL ends it. */
static size_t values_put_string(uint8_t *to, unsigned long from, unsigned long length,
				size_t size)
{
	unsigned int state = FNTRACE_VALUE_THERE;
	size_t got = 0, len = 0;

	if (!from && length) {
		state = FNTRACE_VALUE_NULL;
	} else if (length) {
		got = values_read(to + 2, from, length < size ? length : size);
		if (length == ULONG_MAX)
			while (len < got && to[2 + len])
				len++;
		else
			len = got;
		/* It goes on where nothing can be read, or beyond what is recorded. */
		if (!got)
			state = FNTRACE_VALUE_UNREADABLE;
		else if (len == got && got < length)
			state = FNTRACE_VALUE_CUT;
	}
	to[0] = len & 0xff;
	to[1] = len >> 8 | state << 4;
	return 2 + len;
}

/* Returns bytes stored, at most @room; 0 if there is not enough room. */
static size_t values_put(const struct values_op *op, const uint8_t *start, uint8_t *to,
			 size_t room, enum fntrace_moment when,
			 const struct fntrace_registers *registers)
{
	bool leads = op->kind == 'm' || op->kind == 'n' || op->kind == 't';
	unsigned long word;

	if (op->size + 2ul > room || (leads && to - start < op->at + (long)sizeof(word)))
		return 0;
	switch (op->kind) {
	case 'g':
		word = fntrace_general(registers, op->number, when);
		values_copy(to, &word, op->size);
		return op->size;
	case 'f':
		values_copy(to, &registers->floating[op->number], op->size);
		return op->size;
	case 's':
		if (when == FNTRACE_AT_EXIT)
			return 0;
		values_copy(to, (const uint8_t *)registers->stack + op->at, op->size);
		return op->size;
	case 'm':
		return values_put_memory(to, values_word(start + op->at), op->size);
	case 'n':
		return values_put_string(to, values_word(start + op->at), ULONG_MAX, op->size);
	case 't':
		if (to - start < op->length_at + 8)
			return 0;
		return values_put_string(to, values_word(start + op->at),
					 values_word(start + op->length_at), op->size);
	default:
		return 0;
	}
}

static size_t values_store(unsigned long func, enum fntrace_moment when,
			   const struct fntrace_registers *registers, uint8_t *to)
{
	const struct values_function *function = values_find(func);
	size_t used, done, nr, i;
	const struct values_op *op;
	int error = errno;
	uint32_t id;

	if (!function)
		return 0;
	nr = when == FNTRACE_AT_EXIT ? function->nr_leave : function->nr_enter;
	if (!nr || (when == FNTRACE_AFTER_PROLOGUE && !function->after_prologue))
		return 0;
	op = &values.ops[when == FNTRACE_AT_EXIT ? function->leave : function->enter];
	id = function->id | (when == FNTRACE_AT_EXIT ? FNTRACE_DATA_EXIT : 0);
	values_copy(to, &id, sizeof(id));
	used = sizeof(id);
	for (i = 0; i < nr; i++) {
		done = values_put(&op[i], to, to + used, FNTRACE_VALUES_MAX - used, when,
				  registers);
		if (!done)
			break;
		used += done;
	}
	errno = error;
	return used;
}

/* Reading the file. This runs in the constructor of the library. */

/* "g0.8 f1.4 s16.8 m4.24 n4.64 t4.12.64" */
static bool values_parse_ops(const char *line, unsigned int *first, unsigned int *nr)
{
	*first = values.nr_ops;
	while (*line) {
		struct values_op op = { .kind = *line++ }, *ops;
		unsigned long number[3] = { };
		unsigned int i;
		char *end;

		for (i = 0; i < 3; i++) {
			number[i] = strtoul(line, &end, 10);
			if (end == line)
				return false;
			line = end;
			if (*line != '.')
				break;
			line++;
		}
		if (op.kind == 'g' || op.kind == 'f')
			op.number = number[0] & 7;
		else
			op.at = number[0];
		op.length_at = number[1];
		op.size = number[i < 2 ? 1 : 2];
		if ((op.kind == 'g' || op.kind == 'f') && op.size > 8)
			return false;
		ops = realloc(values.ops, (values.nr_ops + 1) * sizeof(*ops));
		if (!ops)
			return false;
		values.ops = ops;
		ops[values.nr_ops++] = op;
		while (*line == ' ')
			line++;
	}
	*nr = values.nr_ops - *first;
	return true;
}

/* "ID LOW HIGH AFTER_PROLOGUE NAME" */
static struct values_function *values_add(const struct object *object, char *line)
{
	struct values_function *functions, *function;

	functions = realloc(values.functions, (values.nr_functions + 1) * sizeof(*functions));
	if (!functions)
		return NULL;
	values.functions = functions;
	function = &functions[values.nr_functions++];
	memset(function, 0, sizeof(*function));
	function->id = strtoul(line, &line, 10);
	function->start = object->bias + strtoul(line, &line, 16);
	function->end = object->bias + strtoul(line, &line, 16);
	function->after_prologue = strtoul(line, &line, 10);
	return function;
}

static bool values_parse(char *text, const struct objects *objects)
{
	const struct object *object = NULL;
	struct values_function *function = NULL;
	char *line, *rest = text;
	bool done = true;

	while (done && (line = strsep(&rest, "\n"))) {
		if (objects_is(&line, "object")) {
			object = objects_match(objects, line);
			function = NULL;
		} else if (object && objects_is(&line, "function")) {
			function = values_add(object, line);
			done = function;
		} else if (function && objects_is(&line, "enter")) {
			done = values_parse_ops(line, &function->enter, &function->nr_enter);
		} else if (function && objects_is(&line, "leave")) {
			done = values_parse_ops(line, &function->leave, &function->nr_leave);
		}
	}
	return done;
}

static int values_compare(const void *a, const void *b)
{
	const struct values_function *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool values_begin(const char *directory)
{
	struct objects objects;
	char *text = objects_read(directory, "values");
	bool done;

	if (!text)
		return false;
	objects_find(&objects);
	errno = ENOMEM;
	done = values_parse(text, &objects);
	objects_free(&objects);
	free(text);
	if (!done)
		return false;
	if (!values.nr_functions)
		return true;
	qsort(values.functions, values.nr_functions, sizeof(values.functions[0]),
	      values_compare);
	fntrace_values(values_store);
	return true;
}

bool values_recorded(void)
{
	return values.nr_functions;
}

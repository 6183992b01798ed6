// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory, messages, buffered output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace.h"

/* See warn_about(). */
static const char *subject;

static void say(const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "fntrace: %s%s", subject ? subject : "", subject ? ": " : "");
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void warn_about(const char *what)
{
	subject = what;
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(1);
}

void *xalloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		die("out of memory");
	return memory;
}

struct out *out_open(const char *path)
{
	struct out *out = xalloc(sizeof(*out));

	out->path = xstrdup(path);
	out->buffer = xalloc(OUT_SIZE);
	if (!strcmp(path, "-"))
		out->fd = dup(STDOUT_FILENO);
	else
		out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out->fd < 0)
		die("cannot write %s: %s", path, strerror(errno));
	return out;
}

void out_flush(struct out *out)
{
	const char *from = out->buffer;

	while (out->used && !out->error) {
		ssize_t done = write(out->fd, from, out->used);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			out->error = errno;
			break;
		}
		from += done;
		out->used -= done;
	}
	out->used = 0;
}

void out_write(struct out *out, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		size_t part = size < OUT_SIZE ? size : OUT_SIZE;
		char *to = out_room(out, part);

		memcpy(to, from, part);
		out_take(out, to + part);
		from += part;
		size -= part;
	}
}

void out_printf(struct out *out, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	if (len < 0)
		die("out of memory");
	out_write(out, text, len);
	free(text);
}

/* How much of a text is done at once. */
#define TEXT_CHUNK	4096

char *put_clean(char *to, const char **text, const char *stop)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *from = (const unsigned char *)*text;

	while (*from && from < (const unsigned char *)stop) {
		size_t size;

		if (*from >= 0x20 && *from < 0x7f) {
			*to++ = *from++;
			continue;
		}
		size = utf8_size(from);
		if (size) {
			to = put_text(to, (const char *)from, size);
			from += size;
		} else {
			to = put_text(to, "\\x", 2);
			*to++ = hex[*from >> 4];
			*to++ = hex[*from++ & 15];
		}
	}
	*text = (const char *)from;
	return to;
}

void out_clean(struct out *out, const char *text)
{
	while (*text) {
		char *to = out_room(out, 4 * (TEXT_CHUNK + 4));

		out_take(out, put_clean(to, &text, text + TEXT_CHUNK));
	}
}

int out_close(struct out *out)
{
	int error;

	out_flush(out);
	if (close(out->fd) && !out->error)
		out->error = errno;
	error = out->error;
	/* Somebody who has seen enough of a pipe is not told. */
	if (error && error != EPIPE)
		warn("cannot write %s: %s; it ends where the error was", out->path,
		     strerror(error));
	free(out->path);
	free(out->buffer);
	free(out);
	return error;
}

char *format_duration(char text[DURATION_SIZE], uint64_t ns)
{
	if (ns >= NSEC_PER_SEC)
		snprintf(text, DURATION_SIZE, "%.3f s", ns / 1e9);
	else if (ns >= 1000000)
		snprintf(text, DURATION_SIZE, "%.3f ms", ns / 1e6);
	else
		snprintf(text, DURATION_SIZE, "%.3f us", ns / 1e3);
	return text;
}

char *put_number(char *to, uint64_t value)
{
	char digits[20], *p = digits + sizeof(digits);

	do {
		*--p = '0' + value % 10;
		value /= 10;
	} while (value);
	return put_text(to, p, digits + sizeof(digits) - p);
}

char *put_text(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	return to + len;
}

char *put_json(char *to, const char **text, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *from = (const unsigned char *)*text, *stop = from + size;

	while (*from && from < stop) {
		size_t length = utf8_size(from);

		if (*from == '"' || *from == '\\') {
			*to++ = '\\';
			*to++ = *from++;
		} else if (*from < 0x20 || *from == 0x7f) {
			to = put_text(to, "\\u00", 4);
			*to++ = hex[*from >> 4];
			*to++ = hex[*from++ & 15];
		} else if (!length) {
			to = put_text(to, "\\ufffd", 6);
			from++;
		} else {
			to = put_text(to, (const char *)from, length);
			from += length;
		}
	}
	*text = (const char *)from;
	return to;
}

static int remove_entry(const char *path, const struct stat *status, int type,
			struct FTW *place)
{
	return remove(path);
}

void remove_tree(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

pid_t fork_unwaited(void)
{
	/* fork(), but for the signal. */
	return syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
}

size_t utf8_size(const void *text)
{
	const unsigned char *c = text;
	/* The second byte has a smaller range after some first bytes. */
	unsigned char low = 0x80, high = 0xbf;
	size_t size, i;

	if (c[0] < 0x80)
		return c[0] >= 0x20 && c[0] != 0x7f;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	/* U+0080 to U+009F are control characters, and longer forms are errors. */
	if (c[0] == 0xc2 || c[0] == 0xe0)
		low = 0xa0;
	else if (c[0] == 0xed)
		high = 0x9f;
	else if (c[0] == 0xf0)
		low = 0x90;
	else if (c[0] == 0xf4)
		high = 0x8f;
	if (c[1] < low || c[1] > high)
		return 0;
	size = c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
	for (i = 2; i < size; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	/* U+FFFE and U+FFFF */
	if (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe)
		return 0;
	return size;
}

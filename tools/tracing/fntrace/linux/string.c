// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of <string.h> for the library alone: those of libc use vector registers, which
 * the hooks do not save, and another library may stand in front of them. Also the compiler
 * calls memcpy() and memset(), for structures.
 *
 * The linker takes these, as they are hidden; the makefile fails if it took others.
 */
#include "own_string.h"

void *memcpy(void *to, const void *from, size_t size)
{
	const uint8_t *source = from;
	uint8_t *target = to;

	while (size--)
		*target++ = *source++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	const uint8_t *source = from;
	uint8_t *target = to;

	if ((uintptr_t)to - (uintptr_t)from >= size)
		return memcpy(to, from, size);
	while (size--)
		target[size] = source[size];
	return to;
}

void *memset(void *to, int value, size_t size)
{
	uint8_t *target = to;

	while (size--)
		*target++ = value;
	return to;
}

int memcmp(const void *one, const void *two, size_t size)
{
	const uint8_t *a = one, *b = two;

	for (; size; size--, a++, b++)
		if (*a != *b)
			return *a - *b;
	return 0;
}

void *memchr(const void *data, int c, size_t size)
{
	const uint8_t *at = data;

	for (; size; size--, at++)
		if (*at == (uint8_t)c)
			return (void *)at;
	return NULL;
}

/* What clang makes of memcmp(). */
int bcmp(const void *one, const void *two, size_t size)
{
	return memcmp(one, two, size);
}

size_t strlen(const char *text)
{
	size_t len = 0;

	while (text[len])
		len++;
	return len;
}

int strcmp(const char *one, const char *two)
{
	return strncmp(one, two, SIZE_MAX);
}

int strncmp(const char *one, const char *two, size_t size)
{
	const uint8_t *a = (const uint8_t *)one, *b = (const uint8_t *)two;

	for (; size; size--, a++, b++)
		if (*a != *b || !*a)
			return *a - *b;
	return 0;
}

char *strchr(const char *text, int c)
{
	for (; *text != (char)c; text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

char *strrchr(const char *text, int c)
{
	const char *found = NULL;

	do {
		if (*text == (char)c)
			found = text;
	} while (*text++);
	return (char *)found;
}

char *strstr(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; strncmp(text, part, len); text++)
		if (!*text)
			return NULL;
	return (char *)text;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What string.c has. It must be the first to declare these, for them to be hidden. */
#ifndef FNTRACE_LINUX_OWN_STRING_H
#define FNTRACE_LINUX_OWN_STRING_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *one, const void *two, size_t size);
void *memchr(const void *data, int c, size_t size);
int bcmp(const void *one, const void *two, size_t size);
size_t strlen(const char *text);
int strcmp(const char *one, const char *two);
int strncmp(const char *one, const char *two, size_t size);
char *strchr(const char *text, int c);
char *strrchr(const char *text, int c);
char *strstr(const char *text, const char *part);

#pragma GCC visibility pop

#endif

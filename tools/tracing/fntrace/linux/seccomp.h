/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a filter of system calls would do to those of libfntrace.so.
 */
#ifndef FNTRACE_SECCOMP_H
#define FNTRACE_SECCOMP_H

#include <stdbool.h>

struct sock_fprog;

/**
 * seccomp_kills() - would a filter end the program for what the tracer does?
 * @filter: of seccomp(2)
 * @values: values of arguments are recorded
 * @stubs: stubs are made for calls of libraries that are loaded
 *
 * The filter is run for each system call that libfntrace.so makes. Their arguments are not
 * known, but for those of mprotect() that make stubs; 0 stands for them.
 *
 * Return: true if it does anything but allow one of them, or let it fail with an errno.
 */
bool seccomp_kills(const struct sock_fprog *filter, bool values, bool stubs);

/**
 * seccomp_may_call() - may the tracer make system calls in this thread?
 *
 * Return: false if a filter would kill the program for one of them.
 */
bool seccomp_may_call(void);

#endif /* FNTRACE_SECCOMP_H */

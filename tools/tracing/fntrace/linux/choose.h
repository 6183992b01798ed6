/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recording chosen functions and threads only, for programs of Linux.
 */
#ifndef FNTRACE_LINUX_CHOOSE_H
#define FNTRACE_LINUX_CHOOSE_H

/* How many entries choose_plain has: a power of two, as its index is that many bits. */
#define CHOOSE_PLAIN_BITS	16

/* Offsets of what linux/choose_hooks.S needs of C; linux/choose.c checks them. */
#define CHOOSE_STACK_FRAMES	0
#define CHOOSE_STACK_DEPTH	24
#define CHOOSE_STACK_UNWANTED	49

/* What @unwanted of struct fntrace_stack is. */
#define CHOOSE_WANTED		0
#define CHOOSE_UNWANTED		1
#define CHOOSE_RENAMED		2	/* the thread has to decide */
#define CHOOSE_FRAME_SIZE	24
#define CHOOSE_FRAME_LOC	8

#ifndef __ASSEMBLER__

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/**
 * choose_begin() - record only the functions and threads that "fntrace record" was asked for
 * @directory: of the recording, with a slash at the end
 *
 * Reads its file "choose" (src/choose.h has its format), and takes what is in it about the
 * program and the libraries that are loaded by now.
 *
 * Context: before anything is traced.
 * Return: false with errno if that failed.
 */
bool choose_begin(const char *directory);

/**
 * choose_call() - a call of a function of a library is recorded
 * @name: of the function, as the linker has it
 * @start: address of its stub, which stands for it
 * @end: the address behind it
 *
 * If the file says something about @name, that is the verdict on the stub.
 *
 * Context: after choose_begin(), before anything is traced.
 */
void choose_call(const char *name, unsigned long start, unsigned long end);

/**
 * choose_threads() - are only some threads recorded?
 */
bool choose_threads(void);

/**
 * choose_thread() - is a thread one of them?
 * @name: of the thread
 * @tid: its number
 *
 * Context: as all that hooks call.
 */
bool choose_thread(const char *name, unsigned long tid);

/**
 * choose_asked() - decide about the running thread again, if it has another name
 *
 * In linux/preload.c, which knows the threads.
 */
void choose_asked(void);

#ifdef __x86_64__
/* In linux/choose_hooks.S: what the hooks jump to; the latter if only threads are chosen. */
void choose_mcount(void);
void choose_fentry(void);
void choose_thread_mcount(void);
void choose_thread_fentry(void);
#endif

#pragma GCC visibility pop

#endif /* !__ASSEMBLER__ */
#endif /* FNTRACE_LINUX_CHOOSE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was recorded, where and when: the file "about" of a recording, for people to read.
 */
#ifndef FNTRACE_ABOUT_H
#define FNTRACE_ABOUT_H

/* The name of the file. */
#define ABOUT_FILE	"about"

/*
 * about_begin() - write down the program and the machine, before the program runs
 * @program: of launch_find(), may be NULL
 * @options: of fntrace; they end at @argv
 * @argv: the program and its arguments
 */
void about_begin(const char *directory, const char *program, char *const *options,
		 char *const *argv);

/*
 * about_end() - write down how it ended
 * @status: exit status
 * @signal: that killed it, or 0
 */
void about_end(const char *directory, int status, int signal);

/*
 * about_begin_received() - write down where a recording comes from, if another machine sends it
 * about_end_received() - write down that it is complete
 */
void about_begin_received(const char *directory, const char *address);
void about_end_received(const char *directory);

/*
 * about_copy() - write the same to a copy of a recording, and when it was made
 */
void about_copy(const char *from, const char *to);

#endif /* FNTRACE_ABOUT_H */

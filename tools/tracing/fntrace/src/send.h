/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Send a recording to "fntrace receive" while programs write to it.
 */
#ifndef FNTRACE_SEND_H
#define FNTRACE_SEND_H

#include <stdbool.h>

struct sender;

/*
 * sender_open() - connect to who receives
 * @address: of address_send()
 *
 * Return: NULL if that is not possible; the user was told.
 */
struct sender *sender_open(const char *address);

/*
 * sender_update() - send what was added since the last time
 * @directory: of the recording
 *
 * Of the files of threads this is what went there from their buffers; it is freed on the disk
 * then. If the connection is lost, the user is told, and nothing is sent or freed any more.
 *
 * Context: no other process begins after the first call that is to be killed by SIGPIPE.
 */
void sender_update(struct sender *sender, const char *directory);

/*
 * sender_close() - send the rest, and wait until it was received
 * @whole: the recording is complete; false: nothing more is sent
 *
 * Return: false if not all arrived; the user was told.
 */
bool sender_close(struct sender *sender, const char *directory, bool whole);

#endif /* FNTRACE_SEND_H */

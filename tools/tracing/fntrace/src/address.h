/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a recording is sent to, and where it is received: sockets, pipes and serial lines.
 */
#ifndef FNTRACE_ADDRESS_H
#define FNTRACE_ADDRESS_H

#include <stdbool.h>

/*
 * address_receive() - open what somebody sends to
 * @address: unix:PATH, tcp:[HOST:]PORT, vsock:PORT, the path of a file, or "-"
 * @wait_for: returns true when @fd can be read from, or false if a signal came first
 *
 * Waits at a socket until somebody connects. If that is not possible, the user is told, and
 * fntrace ends.
 *
 * Return: a descriptor to read from, or -1 if a signal came first.
 */
int address_receive(const char *address, bool (*wait_for)(int fd));

/*
 * address_is_socket() - can somebody connect there once more?
 */
bool address_is_socket(const char *address);

/*
 * address_send() - open what is received from
 * @address: unix:PATH, tcp:[HOST:]PORT, vsock:[CID:]PORT, or the path of a file that is there
 *
 * Return: a descriptor to write to that does not wait (O_NONBLOCK), or -1: the user was told.
 */
int address_send(const char *address);

#endif /* FNTRACE_ADDRESS_H */

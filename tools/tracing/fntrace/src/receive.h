/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write down what another machine sends while it records.
 */
#ifndef FNTRACE_RECEIVE_H
#define FNTRACE_RECEIVE_H

#include <stdbool.h>

/*
 * struct receive - what is received, and who wants to know about it
 * @directory: to write to; a recording that is there gets another name
 * @address: where it comes from, see address_receive()
 * @again: wait once more at a socket if somebody connects and sends nothing
 * @waits: called once, when somebody can connect; or NULL
 * @begins: called once, when the first bytes are there; or NULL
 * @data: for both
 */
struct receive {
	const char	*directory;
	const char	*address;
	bool		again;
	void		(*waits)(void *data);
	void		(*begins)(void *data);
	void		*data;
};

/*
 * receive_all() - write down what is sent, until its end, or until SIGINT or SIGTERM comes
 *
 * The user is told what is damaged or missing. Both signals are blocked afterwards.
 *
 * Return: true if something was received, and nothing is missing.
 */
bool receive_all(const struct receive *receive);

#endif /* FNTRACE_RECEIVE_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other machines whose parts belong to a recording: they send them while it is made.
 */
#ifndef FNTRACE_PEERS_H
#define FNTRACE_PEERS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * struct peer - a machine that sends
 * @name: that it has in the recording
 * @address: where it sends to, see address_receive()
 * @tsc_offset: how much more its counter counts than ours: a number, or a pattern for the
 *	name of a file with one, or DIRECTORY_TSC_KVM: the kernel of this machine records it;
 *	NULL: not known
 * @pid: of the process that receives
 * @said: what that process says: a byte when it waits, another when something comes
 * @status: of the process, once @pid is 0
 */
struct peer {
	char		*name;
	const char	*address;
	const char	*tsc_offset;
	pid_t		pid;
	int		said;
	int		status;
};

struct peers {
	struct peer	*list;
	unsigned int	nr;
};

/*
 * peers_add() - one more, before peers_start()
 * @text: NAME=ADDRESS; must stay there
 *
 * Return: NULL, or what is wrong with it.
 */
const char *peers_add(struct peers *peers, const char *text);

/*
 * peers_start() - wait for all of them in the background
 * @directory: of the recording, in which each gets one of its own
 *
 * There must not be other threads. When this process dies, what was received by then is kept.
 *
 * Return: false if one of them cannot be waited for; the user was told, and none is.
 */
bool peers_start(struct peers *peers, const char *directory);

/*
 * peers_finish() - wait until all that is sent was received
 * @signals: that end the wait; they are blocked
 * @stopped: one of them has come already
 *
 * Machines that have sent nothing so far are not waited for.
 *
 * Return: false if nothing came from one of them, or not all; the user was told.
 */
bool peers_finish(struct peers *peers, const char *directory, const sigset_t *signals,
		  bool stopped);

/*
 * peers_cancel() - stop waiting: there is no recording
 */
void peers_cancel(struct peers *peers);

void peers_free(struct peers *peers);

#endif /* FNTRACE_PEERS_H */

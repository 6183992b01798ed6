// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace receive: write down what a kernel or program sends while it runs.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "about.h"
#include "address.h"
#include "command.h"
#include "directory.h"
#include "receive.h"
#include "stream.h"
#include "trace.h"

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Write to DIR; the default is " DEFAULT_DIRECTORY, 0 },
	{ }
};

/* SIGINT and SIGTERM are blocked, but while wait_for() waits. */
static sigset_t while_waiting;
/* Who wants to know when it does so for the first time; or NULL. */
static const struct receive *not_waiting_yet;

static void stop(int signal)
{
}

/* Returns false if a signal came. */
static bool wait_for(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	sigset_t pending;

	if (not_waiting_yet)
		not_waiting_yet->waits(not_waiting_yet->data);
	not_waiting_yet = NULL;
	/* As long as there is something to read, ppoll() does not deliver them. */
	sigpending(&pending);
	if (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM))
		return false;
	return ppoll(&wanted, 1, NULL, &while_waiting) >= 0 || errno != EINTR;
}

static void block_signals(void)
{
	const struct sigaction action = { .sa_handler = stop };
	sigset_t signals;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &while_waiting);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct receive *receive = state->input;

	switch (key) {
	case 'o':
		receive->directory = argument;
		break;
	case ARGP_KEY_ARG:
		if (state->arg_num)
			argp_error(state, "one address at a time");
		receive->address = argument;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "from where?");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/*
 * struct reception - what comes
 * @receive: what is wanted
 * @stream: NULL: nothing came so far
 * @failed: it ended by an error
 */
struct reception {
	const struct receive	*receive;
	struct stream		*stream;
	bool			failed;
};

static void begin(struct reception *reception)
{
	const struct receive *receive = reception->receive;

	directory_make(receive->directory);
	about_begin_received(receive->directory, receive->address);
	reception->stream = stream_open(receive->directory);
	if (receive->begins)
		receive->begins(receive->data);
}

/* Returns false if there is no more. */
static bool read_some(struct reception *reception, int fd)
{
	static char data[65536];
	ssize_t size = read(fd, data, sizeof(data));

	if (size > 0) {
		if (!reception->stream)
			begin(reception);
		stream_put(reception->stream, data, size);
		/* A serial line stays open. */
		return !stream_has_ended(reception->stream);
	}
	if (size < 0 && errno == EAGAIN)
		return true;
	if (size < 0) {
		warn("cannot read %s: %s", reception->receive->address, strerror(errno));
		reception->failed = true;
	}
	return false;
}

/* Returns false if a signal ended it. */
static bool read_all(struct reception *reception, int fd)
{
	struct pollfd now = { .fd = fd, .events = POLLIN };
	/* More than a socket or pipe has room for: what was sent before the signal. */
	int reads = 64;

	while (wait_for(fd))
		if (!read_some(reception, fd))
			return true;
	while (reads-- && poll(&now, 1, 0) > 0 && read_some(reception, fd))
		;
	return false;
}

static void say_count(uint64_t count, const char *what)
{
	if (count)
		warn("%" PRIu64 " %s", count, what);
}

bool receive_all(const struct receive *receive)
{
	struct reception reception = { .receive = receive };
	struct stream_summary summary;
	bool again, good;
	int fd;

	block_signals();
	not_waiting_yet = receive->waits ? receive : NULL;
	do {
		fd = address_receive(receive->address, wait_for);
		if (fd < 0)
			break;
		again = read_all(&reception, fd) && receive->again &&
			address_is_socket(receive->address);
		close(fd);
	} while (again && !reception.stream && !reception.failed);
	if (!reception.stream) {
		warn("nothing was received");
		return false;
	}
	good = !reception.failed;
	summary = stream_close(reception.stream);
	/* Who sends a whole recording has said more about it. */
	if (!summary.files)
		about_end_received(receive->directory);
	if (!summary.buffers && !summary.files) {
		warn("nothing was received");
		directory_remove(receive->directory);
	}
	say_count(summary.skipped, "bytes are no part of a buffer and were left out");
	say_count(summary.missing, "bytes of records were sent and did not arrive");
	say_count(summary.cut_off, "parts were cut off");
	if (summary.files && !summary.ended) {
		warn("not all of the recording was sent");
		good = false;
	}
	return good && (summary.buffers || summary.files) && !summary.skipped &&
	       !summary.missing && !summary.cut_off;
}

int command_receive(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "unix:PATH|tcp:[HOST:]PORT|vsock:PORT|FILE|-",
		.doc = "Write what a kernel or \"fntrace record --to\" sends to a recording.",
	};
	struct receive arguments = { .directory = DEFAULT_DIRECTORY };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	/* As with "fntrace record". */
	umask(077);
	return receive_all(&arguments) ? 0 : 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fntrace receive: write down what a kernel or program sends while it runs.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "about.h"
#include "command.h"
#include "directory.h"
#include "stream.h"
#include "trace.h"

/* Who names no host is not to be reached from other machines. */
#define DEFAULT_HOST	"127.0.0.1"

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Write to DIR; the default is " DEFAULT_DIRECTORY, 0 },
	{ }
};

/*
 * struct receive - what the command line says
 * @directory: to write to
 * @address: where what is sent comes from
 */
struct receive {
	const char	*directory;
	const char	*address;
};

/* SIGINT and SIGTERM are blocked, but while wait_for() waits. */
static sigset_t while_waiting;

static void stop(int signal)
{
}

/* Returns false if a signal came. */
static bool wait_for(int fd)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };

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

/* Wait until somebody connects. Returns -1 if a signal ends that. */
static int accept_one(int listener, const char *where)
{
	int fd;

	if (listen(listener, 1))
		die("cannot wait at %s: %s", where, strerror(errno));
	warn("waiting at %s", where);
	do {
		if (!wait_for(listener)) {
			close(listener);
			return -1;
		}
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	} while (fd < 0 && (errno == EAGAIN || errno == ECONNABORTED));
	if (fd < 0)
		die("cannot wait at %s: %s", where, strerror(errno));
	close(listener);
	return fd;
}

static int receive_unix(const char *address, const char *path)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int listener, fd;

	if (!*path || strlen(path) >= sizeof(name.sun_path))
		die("%s: a path of 1 to %zu characters is wanted", address,
		    sizeof(name.sun_path) - 1);
	memcpy(name.sun_path, path, strlen(path));
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof(name)))
		die("cannot wait at %s: %s", address, strerror(errno));
	fd = accept_one(listener, address);
	unlink(path);
	return fd;
}

/* The port may be 0, for any that is free: the message says which one it is. */
static char *name_of(int listener)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof(name);
	char host[NI_MAXHOST], port[NI_MAXSERV];

	if (getsockname(listener, (struct sockaddr *)&name, &len) ||
	    getnameinfo((struct sockaddr *)&name, len, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return xstrdup("tcp");
	return xasprintf(strchr(host, ':') ? "tcp:[%s]:%s" : "tcp:%s:%s", host, port);
}

static int receive_tcp(const char *address, const char *rest)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	const char *colon = strrchr(rest, ':'), *port = colon ? colon + 1 : rest;
	bool brackets = colon && rest[0] == '[' && colon[-1] == ']';
	char *host, *where;
	struct addrinfo *info;
	int listener, error, one = 1, fd;

	if (colon)
		host = xasprintf("%.*s", (int)(colon - rest) - 2 * brackets, rest + brackets);
	else
		host = xstrdup(DEFAULT_HOST);
	error = getaddrinfo(host, port, &hints, &info);
	if (error)
		die("%s: %s", address, gai_strerror(error));
	free(host);
	listener = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener >= 0)
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, info->ai_addr, info->ai_addrlen))
		die("cannot wait at %s: %s", address, strerror(errno));
	freeaddrinfo(info);
	where = name_of(listener);
	fd = accept_one(listener, where);
	free(where);
	return fd;
}

static int receive_vsock(const char *address, const char *rest)
{
	struct sockaddr_vm name = {
		.svm_family = AF_VSOCK,
		.svm_cid = VMADDR_CID_ANY,
	};
	unsigned long port;
	int listener;
	char *end;

	port = strtoul(rest, &end, 10);
	if (!*rest || *end || port >= UINT32_MAX)
		die("%s: a number of a port is wanted", address);
	name.svm_port = port;
	listener = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof(name)))
		die("cannot wait at %s: %s", address, strerror(errno));
	return accept_one(listener, address);
}

/* Returns the file descriptor to read from, or -1 if a signal came first. */
static int open_address(const char *address)
{
	int fd;

	if (!strcmp(address, "-"))
		return STDIN_FILENO;
	if (!strncmp(address, "unix:", 5))
		return receive_unix(address, address + 5);
	if (!strncmp(address, "tcp:", 4))
		return receive_tcp(address, address + 4);
	if (!strncmp(address, "vsock:", 6))
		return receive_vsock(address, address + 6);
	/* A pipe whose other end is not open yet would be waited for here. */
	fd = open(address, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		die("cannot read %s: %s", address, strerror(errno));
	return fd;
}

/* Returns false if it ended by an error. */
static bool read_stream(struct stream *stream, int fd, const char *address)
{
	static char data[65536];
	ssize_t size;

	while (wait_for(fd)) {
		size = read(fd, data, sizeof(data));
		if (!size)
			break;
		if (size > 0) {
			stream_put(stream, data, size);
		} else if (errno != EAGAIN) {
			warn("cannot read %s: %s", address, strerror(errno));
			return false;
		}
	}
	return true;
}

static void say_count(uint64_t count, const char *what)
{
	if (count)
		warn("%" PRIu64 " %s", count, what);
}

static int receive(const struct receive *receive)
{
	struct stream_summary summary;
	struct stream *stream;
	bool good = true;
	int fd;

	block_signals();
	fd = open_address(receive->address);
	if (fd < 0) {
		warn("nothing was received");
		return 1;
	}
	directory_make(receive->directory);
	about_begin_received(receive->directory, receive->address);
	stream = stream_open(receive->directory);
	good = read_stream(stream, fd, receive->address);
	close(fd);
	summary = stream_close(stream);
	about_end_received(receive->directory);
	if (!summary.buffers) {
		warn("nothing was received");
		directory_remove(receive->directory);
	}
	say_count(summary.skipped, "bytes are no part of a buffer and were left out");
	say_count(summary.missing, "bytes of records were sent and did not arrive");
	say_count(summary.cut_off, "parts were cut off");
	return good && summary.buffers && !summary.skipped && !summary.missing &&
	       !summary.cut_off ? 0 : 1;
}

int command_receive(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "unix:PATH|tcp:[HOST:]PORT|vsock:PORT|FILE|-",
		.doc = "Write the buffers that a kernel or program sends to a recording.",
	};
	struct receive arguments = { .directory = DEFAULT_DIRECTORY };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	return receive(&arguments);
}

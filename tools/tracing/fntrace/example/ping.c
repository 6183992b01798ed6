// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of the host that exchanges messages with the example kernel.
 *
 * Both are traced, and both mark each message before it is sent and after it
 * was received. That is what their clocks are compared with.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <fntrace.h>

/* The kernel answers when its work is done, under emulation maybe late. */
#define TIMEOUT_SEC	60

static void die(const char *what)
{
	fprintf(stderr, "ping: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int connect_to(const char *path)
{
	struct timeval timeout = { .tv_sec = TIMEOUT_SEC };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path)) {
		errno = ENAMETOOLONG;
		die(path);
	}
	memcpy(addr.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(path);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		die("SO_RCVTIMEO");
	return fd;
}

static void send_line(int fd, const char *line)
{
	ssize_t len = strlen(line);

	if (send(fd, line, len, MSG_NOSIGNAL) != len)
		die("cannot send");
}

/* One character at a time: there is never more than one line on its way. */
static void receive_line(int fd, char *line, size_t size)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, &line[len], 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			die("no answer");
		if (n == 0 || len == size - 1) {
			errno = EPROTO;
			die("no answer");
		}
		if (line[len] == '\n')
			break;
		len++;
	}
	line[len] = '\0';
}

static void send_message(int fd, unsigned long number)
{
	char line[32];

	snprintf(line, sizeof(line), "%lu\n", number);
	fntrace_mark(FNTRACE_SEND | number);
	send_line(fd, line);
}

static unsigned long receive_message(int fd)
{
	unsigned long number;
	char line[32], *end;

	receive_line(fd, line, sizeof(line));
	number = strtoul(line, &end, 10);
	if (end == line || *end) {
		errno = EPROTO;
		die(line);
	}
	fntrace_mark(FNTRACE_RECEIVE | number);
	return number;
}

static void exchange(int fd, unsigned long number)
{
	send_message(fd, number);
	if (receive_message(fd) != number + 1) {
		errno = EPROTO;
		die("wrong answer");
	}
}

int main(int argc, char **argv)
{
	unsigned long rounds, i;
	char line[32], *end;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: ping SOCKET ROUNDS\n");
		return 2;
	}
	rounds = strtoul(argv[2], &end, 10);
	if (end == argv[2] || *end) {
		fprintf(stderr, "ping: not a number: %s\n", argv[2]);
		return 2;
	}

	fd = connect_to(argv[1]);
	for (i = 0; i < rounds; i++)
		exchange(fd, 2 * i);
	/* QEMU may forget what has not been read when the connection ends. */
	send_line(fd, "q\n");
	receive_line(fd, line, sizeof(line));
	if (strcmp(line, "q")) {
		errno = EPROTO;
		die("no end");
	}
	close(fd);
	return 0;
}

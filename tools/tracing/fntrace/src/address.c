// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a recording is sent to, and where it is received; see address.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "address.h"
#include "trace.h"

/* Who names no host is not to be reached from other machines. */
#define DEFAULT_HOST	"127.0.0.1"
/* Milliseconds until a connection is there. */
#define CONNECT_TIMEOUT	30000
/* Milliseconds until a pipe has a reader, which the same command line may have started. */
#define READER_TIMEOUT	5000
#define READER_PAUSE	10

static const char unix_prefix[] = "unix:", tcp_prefix[] = "tcp:", vsock_prefix[] = "vsock:";

/* What follows a prefix, or NULL. */
static const char *behind(const char *address, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(address, prefix, len) ? NULL : address + len;
}

static bool parse_unix(const char *address, const char *path, struct sockaddr_un *name)
{
	*name = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (!*path || strlen(path) >= sizeof(name->sun_path)) {
		warn("%s: a path of 1 to %zu characters is wanted", address,
		     sizeof(name->sun_path) - 1);
		return false;
	}
	memcpy(name->sun_path, path, strlen(path));
	return true;
}

/* Returns NULL if there is no such host or port. */
static struct addrinfo *parse_tcp(const char *address, const char *rest, int flags)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags };
	const char *colon = strrchr(rest, ':'), *port = colon ? colon + 1 : rest;
	bool brackets = colon && colon > rest && rest[0] == '[' && colon[-1] == ']';
	struct addrinfo *info;
	char *host;
	int error;

	if (!*port) {
		warn("%s: a port is wanted", address);
		return NULL;
	}
	if (colon)
		host = xasprintf("%.*s", (int)(colon - rest) - 2 * brackets, rest + brackets);
	else
		host = xstrdup(DEFAULT_HOST);
	error = getaddrinfo(host, port, &hints, &info);
	if (error)
		warn("%s: %s", address, gai_strerror(error));
	free(host);
	return error ? NULL : info;
}

/* The number at the beginning of a text, up to @stop. Returns what is behind, or NULL. */
static const char *parse_number(const char *text, char stop, unsigned int *number)
{
	unsigned long value;
	char *end;

	value = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != stop || value >= UINT32_MAX)
		return NULL;
	*number = value;
	return end + !!stop;
}

static bool parse_vsock(const char *address, const char *rest, unsigned int cid, bool needs_cid,
			struct sockaddr_vm *name)
{
	const char *port = rest;

	*name = (struct sockaddr_vm){ .svm_family = AF_VSOCK, .svm_cid = cid };
	if (needs_cid && strchr(rest, ':'))
		port = parse_number(rest, ':', &name->svm_cid);
	if (port && parse_number(port, 0, &name->svm_port))
		return true;
	warn("%s: a number of a port is wanted", address);
	return false;
}

/* Wait until somebody connects. Returns -1 if a signal ends that. */
static int accept_one(int listener, const char *where, bool (*wait_for)(int fd))
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

static int receive_unix(const char *address, const char *path, bool (*wait_for)(int fd))
{
	struct sockaddr_un name;
	int listener, fd;

	if (!parse_unix(address, path, &name))
		exit(1);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof(name)))
		die("cannot wait at %s: %s", address, strerror(errno));
	fd = accept_one(listener, address, wait_for);
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

static int receive_tcp(const char *address, const char *rest, bool (*wait_for)(int fd))
{
	struct addrinfo *info = parse_tcp(address, rest, AI_PASSIVE);
	int listener, one = 1, fd;
	char *where;

	if (!info)
		exit(1);
	listener = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener >= 0)
		setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (listener < 0 || bind(listener, info->ai_addr, info->ai_addrlen))
		die("cannot wait at %s: %s", address, strerror(errno));
	freeaddrinfo(info);
	where = name_of(listener);
	fd = accept_one(listener, where, wait_for);
	free(where);
	return fd;
}

static int receive_vsock(const char *address, const char *rest, bool (*wait_for)(int fd))
{
	struct sockaddr_vm name;
	int listener;

	if (!parse_vsock(address, rest, VMADDR_CID_ANY, false, &name))
		exit(1);
	listener = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof(name)))
		die("cannot wait at %s: %s", address, strerror(errno));
	return accept_one(listener, address, wait_for);
}

bool address_is_socket(const char *address)
{
	return behind(address, unix_prefix) || behind(address, tcp_prefix) ||
	       behind(address, vsock_prefix);
}

int address_receive(const char *address, bool (*wait_for)(int fd))
{
	const char *rest;
	int fd;

	if (!strcmp(address, "-"))
		return STDIN_FILENO;
	rest = behind(address, unix_prefix);
	if (rest)
		return receive_unix(address, rest, wait_for);
	rest = behind(address, tcp_prefix);
	if (rest)
		return receive_tcp(address, rest, wait_for);
	rest = behind(address, vsock_prefix);
	if (rest)
		return receive_vsock(address, rest, wait_for);
	/* A pipe whose other end is not open yet would be waited for here. */
	fd = open(address, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		die("cannot read %s: %s", address, strerror(errno));
	return fd;
}

/* Returns a socket, or -1 with errno. */
static int connect_to(int family, const struct sockaddr *name, socklen_t len)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd wanted = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int error = 0;

	if (fd < 0)
		return -1;
	if (connect(fd, name, len)) {
		error = errno;
		if (error == EINPROGRESS &&
		    (poll(&wanted, 1, CONNECT_TIMEOUT) != 1 ||
		     getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size)))
			error = ETIMEDOUT;
	}
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static int send_tcp(const char *address, const char *rest)
{
	struct addrinfo *list = parse_tcp(address, rest, 0), *info;
	int fd = -1;

	if (!list)
		return -1;
	for (info = list; info && fd < 0; info = info->ai_next)
		fd = connect_to(info->ai_family, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(list);
	if (fd < 0)
		warn("cannot connect to %s: %s", address, strerror(errno));
	return fd;
}

static int send_unix(const char *address, const char *path)
{
	struct sockaddr_un name;
	int fd;

	if (!parse_unix(address, path, &name))
		return -1;
	fd = connect_to(AF_UNIX, (struct sockaddr *)&name, sizeof(name));
	if (fd < 0)
		warn("cannot connect to %s: %s", address, strerror(errno));
	return fd;
}

static int send_vsock(const char *address, const char *rest)
{
	struct sockaddr_vm name;
	int fd;

	if (!parse_vsock(address, rest, VMADDR_CID_HOST, true, &name))
		return -1;
	fd = connect_to(AF_VSOCK, (struct sockaddr *)&name, sizeof(name));
	if (fd < 0)
		warn("cannot connect to %s: %s", address, strerror(errno));
	return fd;
}

/* What open() says of a pipe without a reader is ENXIO. */
static int send_file(const char *path)
{
	int fd, waited;

	for (waited = 0; ; waited += READER_PAUSE) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd >= 0)
			return fd;
		if (errno != ENXIO || waited >= READER_TIMEOUT)
			break;
		poll(NULL, 0, READER_PAUSE);
	}
	warn("cannot write to %s: %s", path,
	     errno == ENXIO ? "nobody receives" : strerror(errno));
	return -1;
}

int address_send(const char *address)
{
	const char *rest;

	rest = behind(address, unix_prefix);
	if (rest)
		return send_unix(address, rest);
	rest = behind(address, tcp_prefix);
	if (rest)
		return send_tcp(address, rest);
	rest = behind(address, vsock_prefix);
	if (rest)
		return send_vsock(address, rest);
	return send_file(address);
}

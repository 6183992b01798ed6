// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program of a guest that example/ping.c exchanges messages with.
 *
 *	answer DEVICE		answers each number with the next one, until there is a "q"
 *
 * For each message the kernel has something to do as well: to open a file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <fntrace.h>

#define noinline	__attribute__((noinline))

static noinline void give_up(const char *what)
{
	perror(what);
	exit(1);
}

static noinline int open_line(const char *path)
{
	int fd = open(path, O_RDWR | O_NOCTTY);
	struct termios mode;

	if (fd < 0 || tcgetattr(fd, &mode))
		give_up(path);
	cfmakeraw(&mode);
	if (tcsetattr(fd, TCSANOW, &mode))
		give_up(path);
	return fd;
}

static noinline void read_line(int fd, char *line, size_t size)
{
	size_t len = 0;

	do {
		if (len == size - 1 || read(fd, &line[len], 1) != 1)
			give_up("read");
	} while (line[len++] != '\n');
	line[len] = '\0';
}

static noinline void opens(void)
{
	close(open("/proc/version", O_RDONLY));
}

static noinline void answer(int fd, unsigned long number)
{
	char line[32];

	fntrace_mark(FNTRACE_RECEIVE | number);
	opens();
	snprintf(line, sizeof(line), "%lu\n", number + 1);
	fntrace_mark(FNTRACE_SEND | (number + 1));
	if (write(fd, line, strlen(line)) < 0)
		give_up("write");
}

int main(int argc, char **argv)
{
	char line[32];
	int fd;

	if (argc != 2)
		return 2;
	fd = open_line(argv[1]);
	/* What was sent before is lost. */
	puts("@ready");
	fflush(stdout);
	for (read_line(fd, line, sizeof(line)); *line != 'q'; read_line(fd, line, sizeof(line)))
		answer(fd, strtoul(line, NULL, 10));
	if (write(fd, "q\n", 2) != 2)
		give_up("write");
	tcdrain(fd);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Write definitions with errors to a file of tracefs:
 *
 *	write_mutated FILE DEFINITIONS LINES SEED GROUP...
 *
 * takes lines of the file DEFINITIONS, changes each at a few places, and appends it to
 * FILE, LINES times. Now and then all that were accepted in one of the GROUPs are
 * enabled and disabled, and all are removed. Prints how many lines had which error; an
 * error that a definition cannot have is a failure, and so is one that the kernel gives
 * when they are removed.
 *
 * To be run in the tracing directory. Built with nolibc, which is why there is no include
 * of a C library.
 *
 * Copyright (C) 2026 The static-key tracepoints developers
 */

#define MAX_DEFINITIONS	100
/* More than any of the files takes. */
#define MAX_LINE	2200
/* Events that are there at a time. */
#define MAX_ACCEPTED	50
#define NR_COUNTS	256

static const int expected[] = {
	0, EINVAL, E2BIG, ENOENT, EEXIST, EADDRNOTAVAIL, EOPNOTSUPP, ENODEV, -1
};

static char text[16384];
static const char *definitions[MAX_DEFINITIONS];
static int nr_definitions;
static int counts[NR_COUNTS];

/* xorshift64, see G. Marsaglia, "Xorshift RNGs", 2003. */
static unsigned long long state;

static unsigned int random_below(unsigned int limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % limit;
}

static int fail(const char *what)
{
	printf("%s: error %d\n", what, errno);
	return 1;
}

static int read_definitions(const char *name)
{
	int fd = open(name, O_RDONLY);
	ssize_t len;
	char *at;

	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return -1;
	close(fd);

	for (at = text; *at && nr_definitions < MAX_DEFINITIONS; ) {
		if (*at != '#')
			definitions[nr_definitions++] = at;
		while (*at && *at != '\n')
			at++;
		if (*at)
			*at++ = '\0';
	}
	return 0;
}

static const char *random_definition(void)
{
	return definitions[random_below(nr_definitions)];
}

/* Makes room for, or takes away, as many characters as there is room for. */
static int resize(char *line, int len, int at, int by)
{
	if (by < 0 && at - by > len)
		by = at - len;
	if (len + by > MAX_LINE)
		by = MAX_LINE - len;
	if (by > 0)
		memmove(line + at + by, line + at, len - at);
	else
		memmove(line + at, line + at - by, len - at + by);
	return len + by;
}

static int mutate(char *line, int len)
{
	static const char signs[] = "()[]|,+-*>=.:/!# \t\n\\_0x19aNc\x7f\x80\xff";
	const char *other = random_definition();
	int at = random_below(len + 1), start, more;

	switch (random_below(6)) {
	case 0:
		if (at < len)
			line[at] = signs[random_below(sizeof(signs) - 1)];
		return len;
	case 1:
		more = resize(line, len, at, 1);
		if (more > len)
			line[at] = signs[random_below(sizeof(signs) - 1)];
		return more;
	case 2:
		return resize(line, len, at, -1 - (int)random_below(10));
	case 3:
		/* A piece of another definition. */
		start = random_below(strlen(other) + 1);
		more = resize(line, len, at, random_below(strlen(other) - start + 1));
		memcpy(line + at, other + start, more - len);
		return more;
	case 4:
		/* A piece of this one, or, seldom, very many. */
		start = random_below(at + 1);
		do {
			more = resize(line, len, at, at - start);
			memcpy(line + at, line + start, more - len);
			if (more == len)
				break;
			len = more;
		} while (random_below(50) == 0 || len > 500);
		return more;
	default:
		/* Nothing: two changes may be too many. */
		return len;
	}
}

/* -1 if what should be there is not; it is not if no group has the usual name. */
static int write_file(const char *name, const char *what, int flags)
{
	int fd = open(name, O_WRONLY | flags), ret;

	if (fd < 0)
		return -1;
	ret = write(fd, what, strlen(what));
	close(fd);
	return ret;
}

static int remove_all(const char *file, char **groups)
{
	char name[64];

	for (; *groups; groups++) {
		snprintf(name, sizeof(name), "events/%s/enable", *groups);
		write_file(name, "1", 0);
		write_file(name, "0", 0);
	}
	return write_file(file, "\n", O_TRUNC) < 0 ? fail("removing events") : 0;
}

int main(int argc, char **argv)
{
	static char line[MAX_LINE + 1];
	int fd, lines, accepted = 0, len, error;
	const char *definition;

	if (argc < 5 || read_definitions(argv[2]))
		return fail("usage: write_mutated FILE DEFINITIONS LINES SEED GROUP...");

	state = 88172645463325252ULL + atoi(argv[4]);
	fd = open(argv[1], O_WRONLY | O_APPEND);
	if (fd < 0)
		return fail(argv[1]);

	for (lines = atoi(argv[3]); lines; lines--) {
		definition = random_definition();
		len = strlen(definition);
		memcpy(line, definition, len);
		for (int times = 1 + random_below(4); times && len; times--)
			len = mutate(line, len);
		if (!len)
			continue;

		error = write(fd, line, len) < 0 ? errno : 0;
		counts[error % NR_COUNTS]++;
		if (error || ++accepted % MAX_ACCEPTED)
			continue;
		if (remove_all(argv[1], argv + 5))
			return 1;
	}

	if (remove_all(argv[1], argv + 5))
		return 1;
	for (int i = 0; expected[i] >= 0; i++) {
		/* Of an event probe on an event that is not there. */
		if (expected[i] == ENODEV && strcmp(argv[1], "dynamic_events"))
			continue;
		printf("error %d: %d lines\n", expected[i], counts[expected[i]]);
		counts[expected[i]] = 0;
	}

	for (error = 0; error < NR_COUNTS; error++) {
		if (!counts[error])
			continue;
		printf("unexpected error %d: %d lines\n", error, counts[error]);
		return 1;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was recorded, where and when: the file "about" of a recording, for people to read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "trace.h"

/* What a shell takes as it is. */
#define PLAIN	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

static FILE *open_about(const char *directory)
{
	char *path = xasprintf("%s/" ABOUT_FILE, directory);
	FILE *file = fopen(path, "ae");

	if (!file)
		warn("cannot write %s: %s", path, strerror(errno));
	free(path);
	/* For close_about(): a write that fails sets it. */
	errno = 0;
	return file;
}

static void close_about(const char *directory, FILE *file)
{
	bool failed = ferror(file);

	if (fclose(file) || failed)
		warn("cannot write %s/" ABOUT_FILE ": %s", directory, strerror(errno));
}

/* So that a shell has the same word. A line is a line, whatever the arguments are. */
static void put_word(FILE *file, const char *word)
{
	if (*word && !word[strspn(word, PLAIN)]) {
		fprintf(file, " %s", word);
		return;
	}
	fputs(" '", file);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word == '\n' ? ' ' : *word, file);
	}
	fputc('\'', file);
}

static void put_time(FILE *file, const char *what)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[64];

	localtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %z", &tm);
	fprintf(file, "%s %s\n", what, text);
}

/* Its name, where the kernel says it. */
static void put_cpu(FILE *file)
{
	char *text = read_file("/proc/cpuinfo", NULL), *line = NULL;

	fprintf(file, "cpus %ld", sysconf(_SC_NPROCESSORS_ONLN));
	if (text)
		line = strstr(text, "model name");
	line = line ? strstr(line, ": ") : NULL;
	if (line)
		fprintf(file, ", %.*s", (int)strcspn(line + 2, "\n"), line + 2);
	fputc('\n', file);
	free(text);
}

void about_begin(const char *directory, char *const *argv)
{
	FILE *file = open_about(directory);
	char *here = getcwd(NULL, 0);
	struct utsname name;

	if (file) {
		fprintf(file, "fntrace " VERSION "\ncommand");
		for (; *argv; argv++)
			put_word(file, *argv);
		fprintf(file, "\ndirectory");
		put_word(file, here ? here : "?");
		fputc('\n', file);
		if (!uname(&name))
			fprintf(file, "host %s\nkernel %s %s %s\n", name.nodename, name.sysname,
				name.release, name.machine);
		put_cpu(file);
		fprintf(file, "memory %ld MiB\n",
			sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024));
		put_time(file, "begin");
		close_about(directory, file);
	}
	free(here);
}

void about_end(const char *directory, int status, int signal)
{
	FILE *file = open_about(directory);

	if (!file)
		return;
	put_time(file, "end");
	if (signal)
		fprintf(file, "signal %d\n", signal);
	else
		fprintf(file, "status %d\n", status);
	close_about(directory, file);
}

void about_begin_received(const char *directory, const char *address)
{
	FILE *file = open_about(directory);

	if (!file)
		return;
	fprintf(file, "fntrace " VERSION "\nfrom");
	put_word(file, address);
	fputc('\n', file);
	put_time(file, "begin");
	close_about(directory, file);
}

void about_end_received(const char *directory)
{
	FILE *file = open_about(directory);

	if (!file)
		return;
	put_time(file, "end");
	close_about(directory, file);
}

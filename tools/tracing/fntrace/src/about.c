// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was recorded, where and when: the file "about" of a recording, for people to read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "image.h"
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

/* The value of a line "NAME ... SEPARATOR VALUE", which ends where the line does; or NULL. */
static const char *find_value(const char *text, const char *name, const char *separator)
{
	size_t len = strlen(name);
	const char *value;

	for (; text; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, name, len))
			continue;
		value = strstr(text, separator);
		return value && value < text + strcspn(text, "\n") ? value + strlen(separator) :
								     NULL;
	}
	return NULL;
}

/* What the kernel says of it: a name on x86, a part's number on arm64, extensions on riscv. */
static void put_cpu(FILE *file)
{
	static const char *const names[] = {
		"model name", "CPU implementer", "CPU part", "uarch", "isa",
	};
	char *text = read_file("/proc/cpuinfo", NULL);
	const char *value;
	size_t i;

	fprintf(file, "cpus %ld of %ld", sysconf(_SC_NPROCESSORS_ONLN),
		sysconf(_SC_NPROCESSORS_CONF));
	for (i = 0; text && i < ARRAY_SIZE(names); i++) {
		value = find_value(text, names[i], ": ");
		if (value)
			fprintf(file, ", %s%s%.*s", i ? names[i] : "", i ? " " : "",
				(int)strcspn(value, "\n"), value);
	}
	fputc('\n', file);
	free(text);
}

static void put_memory(FILE *file)
{
	char *text = read_file("/proc/meminfo", NULL);
	const char *available = text ? find_value(text, "MemAvailable", ":") : NULL;

	fprintf(file, "memory %ld MiB",
		sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024));
	if (available)
		fprintf(file, ", %lu MiB available", strtoul(available, NULL, 10) / 1024);
	fputc('\n', file);
	free(text);
}

static void put_system(FILE *file)
{
	char *text = read_file("/etc/os-release", NULL);
	const char *value = text ? find_value(text, "PRETTY_NAME", "=") : NULL;

	if (value) {
		value += *value == '"';
		fprintf(file, "system %.*s\n", (int)strcspn(value, "\"\n"), value);
	}
	free(text);
}

static void put_program(FILE *file, const char *path)
{
	char *id;

	fputs("program", file);
	put_word(file, path);
	fputc('\n', file);
	id = image_build_id(path);
	if (id)
		fprintf(file, "build-id %s\n", id);
	free(id);
}

void about_begin(const char *directory, const char *program, char *const *options,
		 char *const *argv)
{
	FILE *file = open_about(directory);
	char *here = getcwd(NULL, 0);
	struct utsname name;
	size_t i;

	if (file) {
		fprintf(file, "fntrace " VERSION "\n");
		if (options != argv)
			fputs("options", file);
		for (i = 0; options + i != argv; i++)
			put_word(file, options[i]);
		fprintf(file, "%scommand", i ? "\n" : "");
		for (i = 0; argv[i]; i++)
			put_word(file, argv[i]);
		fprintf(file, "\ndirectory");
		put_word(file, here ? here : "?");
		fputc('\n', file);
		if (program)
			put_program(file, program);
		if (!uname(&name))
			fprintf(file, "host %s\nkernel %s %s %s\n", name.nodename, name.sysname,
				name.release, name.machine);
		put_system(file);
		put_cpu(file);
		put_memory(file);
		put_time(file, "begin");
		close_about(directory, file);
	}
	free(here);
}

void about_end(const char *directory, int status, int signal)
{
	FILE *file = open_about(directory);
	struct rusage usage;

	if (!file)
		return;
	put_time(file, "end");
	/* Of those that have ended. */
	if (!getrusage(RUSAGE_CHILDREN, &usage))
		fprintf(file, "usage user %ld.%03ld s, system %ld.%03ld s, at most %ld MiB\n",
			(long)usage.ru_utime.tv_sec, (long)usage.ru_utime.tv_usec / 1000,
			(long)usage.ru_stime.tv_sec, (long)usage.ru_stime.tv_usec / 1000,
			usage.ru_maxrss / 1024);
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

void about_copy(const char *from, const char *to)
{
	char *path = xasprintf("%s/" ABOUT_FILE, from), *text = read_file(path, NULL);
	FILE *file = open_about(to);

	if (file) {
		if (text)
			fputs(text, file);
		put_time(file, "dump");
		close_about(to, file);
	}
	free(text);
	free(path);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First process of the guests that have no busybox: loads the modules named in
 * /job/modules, one a line with its parameters behind it, says in TAP how that
 * went, unloads them in reverse order, and powers off.
 *
 * It is built with the kernel's nolibc, which has neither a C library's stdio
 * nor wrappers for the module system calls.
 */

#define JOB "/job/modules"
#define MODULES "/lib/modules/"

#define MAX_MODULES 64

/* A module, as named in the job; it is in the kernel if error is 0, else -errno. */
struct module {
	char *name;
	char *params;
	int error;
};

static struct module modules[MAX_MODULES];
static char job[16 << 10];
static char index[4 << 20];
static char directory[256];
static int kmsg = -1;

/*
 * Report a line, put together from words up to a null pointer.
 *
 * There is one serial line for this and for the kernel's messages. Only what
 * goes through the kernel's log, in one write, is sure not to be mixed with
 * them. The level makes it appear even if the command line says quiet.
 */
static void report(const char *word, ...)
{
	char line[512] = "<3>";
	va_list words;

	va_start(words, word);
	for (; word; word = va_arg(words, const char *))
		strlcat(line, word, sizeof(line) - 1);
	va_end(words);
	strlcat(line, "\n", sizeof(line));

	if (kmsg < 0 || write(kmsg, line, strlen(line)) < 0)
		write(1, line + 3, strlen(line + 3));
}

/* Read a whole text file. Returns 0 or -errno. */
static int read_file(const char *path, char *text, size_t size)
{
	size_t done = 0;
	ssize_t count;
	int fd;

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	while ((count = read(fd, text + done, size - 1 - done)) > 0)
		done += count;
	close(fd);
	if (count < 0)
		return -errno;
	if (done == size - 1)
		return -EFBIG;
	text[done] = '\0';
	return 0;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		return;
	write(fd, text, strlen(text));
	close(fd);
}

/* The kernel calls a module some_test that lies in some-test.ko. */
static int same_name(const char *name, const char *file)
{
	while (*name && (*name == *file || (*name == '_' && *file == '-')))
		name++, file++;
	return !*name && !strncmp(file, ".ko", 3) &&
	       (file[3] == ':' || file[3] == '\n' || !file[3]);
}

/*
 * Find a module's file in modules.dep or modules.order, which begin each line
 * with a path. Returns a length with the path in *PATH, or 0.
 */
static int find_module(const char *name, const char **path)
{
	const char *line, *base, *end;

	for (line = index; *line; line = *end ? end + 1 : end) {
		base = line;
		for (end = line; *end && *end != '\n' && *end != ':'; end++)
			if (*end == '/')
				base = end + 1;
		if (same_name(name, base)) {
			*path = line;
			return end - line;
		}
		while (*end && *end != '\n')
			end++;
	}
	return 0;
}

static int read_index(const char *name)
{
	char path[sizeof(directory) + 16];

	strlcpy(path, directory, sizeof(path));
	strlcat(path, name, sizeof(path));
	return read_file(path, index, sizeof(index));
}

static int load(const struct module *module)
{
	char path[512];
	const char *found;
	int fd, length, error = 0;

	length = find_module(module->name, &found);
	if (!length || strlen(directory) + length >= sizeof(path))
		return -ENOENT;
	strlcpy(path, directory, sizeof(path));
	strncat(path, found, length);

	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	if (__sysret(my_syscall3(__NR_finit_module, fd, module->params, 0)) < 0)
		error = -errno;
	close(fd);
	return error;
}

static void unload(const struct module *module)
{
	char number[24];

	if (!__sysret(my_syscall2(__NR_delete_module, module->name, O_NONBLOCK)))
		return;
	utoa_r(errno, number);
	report("# ", module->name, " cannot be unloaded, errno ", number, NULL);
}

/* Cut the job into its entries. Returns how many there are. */
static int parse_job(void)
{
	char *line, *next, *at;
	int count = 0;

	for (line = job; *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else
			next = line + strlen(line);
		while (*line == ' ' || *line == '\t')
			line++;
		if (!*line || *line == '#' || count == MAX_MODULES)
			continue;
		for (at = line; *at && *at != ' ' && *at != '\t'; at++)
			if (*at == '-')
				*at = '_';
		if (*at)
			*at++ = '\0';
		modules[count].name = line;
		modules[count].params = at;
		count++;
	}
	return count;
}

static void set_up(void)
{
	mount("proc", "/proc", "proc", 0, NULL);
	mount("sysfs", "/sys", "sysfs", 0, NULL);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);

	/* By default only ten lines in five seconds get through. */
	write_file("/proc/sys/kernel/printk_devkmsg", "on\n");
	kmsg = open("/dev/kmsg", O_WRONLY);
}

/* Returns 0, or -errno with what was missing in *WHAT. */
static int read_job(const char **what)
{
	struct utsname kernel;
	int error;

	*what = JOB;
	error = read_file(JOB, job, sizeof(job));
	if (error)
		return error;

	*what = MODULES;
	if (uname(&kernel))
		return -errno;
	strlcpy(directory, MODULES, sizeof(directory));
	strlcat(directory, kernel.release, sizeof(directory));
	strlcat(directory, "/", sizeof(directory));

	error = read_index("modules.dep");
	/* There is none if depmod was missing on the host. */
	if (error == -ENOENT)
		error = read_index("modules.order");
	return error;
}

static int run_job(void)
{
	char number[24], errors[24];
	const char *what;
	int i, count, error, failures = 0;

	error = read_job(&what);
	if (error) {
		utoa_r(-error, errors);
		report("1..1", NULL);
		report("not ok 1 ", what, " # errno ", errors, NULL);
		return 1;
	}

	count = parse_job();
	if (!count) {
		report("1..1", NULL);
		report("not ok 1 " JOB " # names no module", NULL);
		return 1;
	}

	utoa_r(count, number);
	report("1..", number, NULL);
	for (i = 0; i < count; i++) {
		modules[i].error = load(&modules[i]);
		utoa_r(i + 1, number);
		if (!modules[i].error) {
			report("ok ", number, " ", modules[i].name, NULL);
			continue;
		}
		failures++;
		utoa_r(-modules[i].error, errors);
		report("not ok ", number, " ", modules[i].name, " # errno ", errors, NULL);
	}

	while (count--)
		if (!modules[count].error)
			unload(&modules[count]);
	return failures;
}

int main(void)
{
	char number[24];

	set_up();
	report("TAP version 13", NULL);
	utoa_r(run_job(), number);
	/* Last, so that a guest that dies while unloading has not ended well. */
	report("@exit ", number, NULL);

	reboot(LINUX_REBOOT_CMD_POWER_OFF);
	/* Where nothing can switch off the power, QEMU at least sees a panic. */
	return 1;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other machines whose parts belong to a recording; see peers.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "align.h"
#include "directory.h"
#include "peers.h"
#include "receive.h"
#include "trace.h"

static bool is_known(const struct peers *peers, const char *name)
{
	unsigned int i;

	for (i = 0; i < peers->nr; i++)
		if (!strcmp(peers->list[i].name, name))
			return true;
	return false;
}

static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f)
			return true;
	return false;
}

const char *peers_add(struct peers *peers, const char *text)
{
	const char *equals = strchr(text, '='), *wrong = NULL;
	char *name;

	if (!equals || equals == text || !equals[1])
		return "NAME=ADDRESS is wanted";
	name = xasprintf("%.*s", (int)(equals - text), text);
	if (strchr(name, '/') || *name == '.' || has_control(name))
		wrong = "this is no name for a machine";
	else if (!strcmp(name, DIRECTORY_HOST))
		wrong = "that is the name of this machine";
	else if (is_known(peers, name))
		wrong = "there is one of this name";
	else if (!strcmp(equals, "=-"))
		wrong = "the standard input is the program's";
	if (wrong) {
		free(name);
		return wrong;
	}
	peers->list = xrealloc(peers->list, (peers->nr + 1) * sizeof(*peers->list));
	peers->list[peers->nr++] = (struct peer){ .name = name, .address = equals + 1 };
	return NULL;
}

void peers_free(struct peers *peers)
{
	unsigned int i;

	for (i = 0; i < peers->nr; i++)
		free(peers->list[i].name);
	free(peers->list);
}

static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

static void save_number(const char *directory, const char *name, uint64_t value)
{
	char *text = xasprintf("%" PRIu64 "\n", value);

	directory_save(directory, name, text);
	free(text);
}

/* If KVM scales the counter as well, files beside that with the offset say so. */
static void save_ratio(const char *offset, const char *directory)
{
	char *ratio = beside(offset, DIRECTORY_TSC_RATIO);
	char *bits = beside(offset, DIRECTORY_TSC_RATIO_BITS);
	uint64_t value, nr;

	if (align_read_number(ratio, &value) && align_read_number(bits, &nr)) {
		save_number(directory, DIRECTORY_TSC_RATIO_BITS, nr);
		save_number(directory, DIRECTORY_TSC_RATIO, value);
	}
	free(ratio);
	free(bits);
}

/* One for each guest that runs. */
static const char peers_kvm_files[] = "/sys/kernel/debug/kvm/*/vcpu0/" DIRECTORY_TSC_OFFSET;

/*
 * Keep what the readers need to know of the counter: when the recording is read, the guest,
 * and KVM's files for it, are gone.
 */
static void save_offset(const struct peer *peer, const char *directory)
{
	const char *text = peer->tsc_offset;
	uint64_t value;
	glob_t found;
	char *end;

	if (!strcmp(text, DIRECTORY_TSC_KVM)) {
		if (!glob(peers_kvm_files, 0, NULL, &found)) {
			if (found.gl_pathc == 1)
				save_ratio(found.gl_pathv[0], directory);
			else
				warn("%s: there are several guests: no " DIRECTORY_TSC_RATIO,
				     peer->name);
			globfree(&found);
		}
		directory_save(directory, DIRECTORY_TSC_OFFSET, DIRECTORY_TSC_KVM "\n");
		return;
	}
	errno = 0;
	value = strtoull(text, &end, 0);
	if (end != text && !*end && !errno) {
		save_number(directory, DIRECTORY_TSC_OFFSET, value);
		return;
	}
	if (glob(text, 0, NULL, &found)) {
		warn("--tsc-offset %s: neither a number nor such a file", text);
		return;
	}
	if (found.gl_pathc > 1) {
		warn("--tsc-offset %s: there are several such files", text);
	} else if (!align_read_number(found.gl_pathv[0], &value)) {
		warn("%s: no number in it", found.gl_pathv[0]);
	} else {
		save_ratio(found.gl_pathv[0], directory);
		save_number(directory, DIRECTORY_TSC_OFFSET, value);
	}
	globfree(&found);
}

/*
 * struct waiting - of the process that receives
 * @peer: from which
 * @directory: to which
 * @said: see struct peer
 */
struct waiting {
	const struct peer	*peer;
	const char		*directory;
	int			said;
};

static void say_byte(void *data)
{
	const struct waiting *waiting = data;

	/* Who reads it may be gone: then SIGTERM comes as well. */
	if (write(waiting->said, "", 1) != 1)
		return;
}

static void begin(void *data)
{
	const struct waiting *waiting = data;

	if (waiting->peer->tsc_offset)
		save_offset(waiting->peer, waiting->directory);
	say_byte(data);
}

static int receive_from(const struct peer *peer, const char *directory, int said)
{
	struct waiting waiting = { .peer = peer, .directory = directory, .said = said };
	const struct receive receive = {
		.directory = directory,
		.address = peer->address,
		.again = true,
		.waits = say_byte,
		.begins = begin,
		.data = &waiting,
	};

	warn_about(peer->name);
	signal(SIGPIPE, SIG_IGN);
	return receive_all(&receive) ? 0 : 1;
}

/* SIGINT from a terminal is for the program; its end is told by peers_finish(). */
static bool begin_waiting(struct peer *peer, const char *machines)
{
	pid_t parent = getpid();
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		die("cannot make a pipe: %s", strerror(errno));
	peer->pid = fork_unwaited();
	if (peer->pid < 0)
		die("cannot start a process: %s", strerror(errno));
	if (!peer->pid) {
		setsid();
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		close(ends[0]);
		exit(receive_from(peer, xasprintf("%s/%s", machines, peer->name), ends[1]));
	}
	close(ends[1]);
	peer->said = ends[0];
	return read(peer->said, &byte, 1) == 1;
}

/* Has its process ended? */
static bool has_ended(struct peer *peer, int flags)
{
	pid_t ended;

	if (!peer->pid)
		return true;
	do
		ended = waitpid(peer->pid, &peer->status, __WCLONE | flags);
	while (ended < 0 && errno == EINTR);
	if (!ended)
		return false;
	peer->pid = 0;
	close(peer->said);
	return true;
}

void peers_cancel(struct peers *peers)
{
	unsigned int i;

	for (i = 0; i < peers->nr; i++)
		if (peers->list[i].pid)
			kill(peers->list[i].pid, SIGTERM);
	for (i = 0; i < peers->nr; i++)
		has_ended(&peers->list[i], 0);
}

bool peers_start(struct peers *peers, const char *directory)
{
	char *machines = xasprintf("%s/" DIRECTORY_MACHINES, directory);
	bool good = true;
	unsigned int i;

	if (peers->nr && mkdir(machines, 0755))
		die("cannot make the directory %s: %s", machines, strerror(errno));
	for (i = 0; good && i < peers->nr; i++)
		good = begin_waiting(&peers->list[i], machines);
	if (!good)
		peers_cancel(peers);
	free(machines);
	return good;
}

static void stop(struct peer *peer)
{
	if (!has_ended(peer, WNOHANG))
		kill(peer->pid, SIGTERM);
}

/* The peer has begun to send, or nothing of it will come. */
static void stop_silent(struct peer *peer)
{
	char byte;

	fcntl(peer->said, F_SETFL, O_NONBLOCK);
	if (read(peer->said, &byte, 1) != 1)
		stop(peer);
}

static unsigned int count_running(struct peers *peers, const char **name)
{
	unsigned int i, running = 0;

	for (i = 0; i < peers->nr; i++) {
		if (has_ended(&peers->list[i], WNOHANG))
			continue;
		*name = peers->list[i].name;
		running++;
	}
	return running;
}

static void stop_all(struct peers *peers)
{
	unsigned int i;

	for (i = 0; i < peers->nr; i++)
		stop(&peers->list[i]);
}

static void wait_for_all(struct peers *peers, const sigset_t *signals, bool stopped)
{
	/* Those that end now are not worth a message. */
	const struct timespec pause = { .tv_nsec = 100000000 };
	const unsigned int patience = 10;
	unsigned int i, rounds = 0;
	const char *name;
	int signal;

	for (i = 0; i < peers->nr; i++)
		stop_silent(&peers->list[i]);
	if (stopped)
		stop_all(peers);
	while (count_running(peers, &name)) {
		if (++rounds == patience)
			warn("waiting for what %s sends; SIGINT ends the wait", name);
		signal = sigtimedwait(signals, NULL, &pause);
		if (signal > 0 && signal != SIGCHLD)
			stop_all(peers);
	}
}

bool peers_finish(struct peers *peers, const char *directory, const sigset_t *signals,
		  bool stopped)
{
	char *machines = xasprintf("%s/" DIRECTORY_MACHINES, directory);
	bool good = true;
	unsigned int i;

	wait_for_all(peers, signals, stopped);
	for (i = 0; i < peers->nr; i++)
		good = good && !peers->list[i].status;
	/* If nothing came. */
	rmdir(machines);
	free(machines);
	return good;
}

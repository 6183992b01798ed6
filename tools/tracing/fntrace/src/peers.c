// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Other machines whose parts belong to a recording; see peers.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

const char *peers_add(struct peers *peers, const char *text)
{
	const char *equals = strchr(text, '='), *wrong = NULL;
	char *name;

	if (!equals || equals == text || !equals[1])
		return "NAME=ADDRESS is wanted";
	name = xasprintf("%.*s", (int)(equals - text), text);
	if (strchr(name, '/') || *name == '.')
		wrong = "this is no name for a machine";
	else if (!strcmp(name, DIRECTORY_HOST))
		wrong = "that is the name of this machine";
	else if (is_known(peers, name))
		wrong = "there is one of this name";
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

/* What is beside KVM's file with the offset if it scales the counter as well. */
static const char *const ratio_files[] = { DIRECTORY_TSC_RATIO, DIRECTORY_TSC_RATIO_BITS };

static void copy_beside(const char *from, const char *directory, const char *name)
{
	const char *slash = strrchr(from, '/');
	char *path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, name);
	char *text = read_file(path, NULL);

	if (text)
		directory_save(directory, name, text);
	free(text);
	free(path);
}

/*
 * Keep what the readers need to know of the counter: when the recording is read, the guest,
 * and KVM's files for it, are gone.
 */
static void save_offset(const struct peer *peer, const char *directory)
{
	char *end, *text;
	glob_t found;
	size_t i;

	strtoull(peer->tsc_offset, &end, 0);
	if (end != peer->tsc_offset && !*end) {
		directory_save(directory, DIRECTORY_TSC_OFFSET, peer->tsc_offset);
		return;
	}
	if (glob(peer->tsc_offset, 0, NULL, &found)) {
		warn("--tsc-offset %s: there is no such file", peer->tsc_offset);
		return;
	}
	text = read_file(found.gl_pathv[0], NULL);
	if (found.gl_pathc > 1) {
		warn("--tsc-offset %s: there are several such files", peer->tsc_offset);
	} else if (!text) {
		warn("cannot read %s: %s", found.gl_pathv[0], strerror(errno));
	} else {
		directory_save(directory, DIRECTORY_TSC_OFFSET, text);
		for (i = 0; i < ARRAY_SIZE(ratio_files); i++)
			copy_beside(found.gl_pathv[0], directory, ratio_files[i]);
	}
	free(text);
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
static void ask(struct peer *peer)
{
	char byte;

	fcntl(peer->said, F_SETFL, O_NONBLOCK);
	peer->began = read(peer->said, &byte, 1) == 1;
	if (!peer->began)
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

static void wait_for_all(struct peers *peers)
{
	/* Those that end now are not worth a message. */
	const struct timespec pause = { .tv_nsec = 100000000 };
	const unsigned int patience = 10;
	unsigned int i, rounds = 0;
	sigset_t signals, old;
	const char *name;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, &old);
	for (i = 0; i < peers->nr; i++)
		ask(&peers->list[i]);
	while (count_running(peers, &name)) {
		if (++rounds == patience)
			warn("waiting for what %s sends; SIGINT ends the wait", name);
		if (sigtimedwait(&signals, NULL, &pause) < 0)
			continue;
		for (i = 0; i < peers->nr; i++)
			stop(&peers->list[i]);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
}

bool peers_finish(struct peers *peers, const char *directory)
{
	char *machines = xasprintf("%s/" DIRECTORY_MACHINES, directory);
	bool good = true;
	unsigned int i;

	wait_for_all(peers);
	for (i = 0; i < peers->nr; i++)
		good = good && !peers->list[i].status;
	/* If nothing came. */
	rmdir(machines);
	free(machines);
	return good;
}

# SPDX-License-Identifier: GPL-2.0-or-later
"""Outcomes of earlier runs that hold again, as the objects in ccache do.

A build or a linter that reads the same says the same. An outcome is kept under a
hash of all that goes into it: the sources, as ids of git trees, or a program that
does the same each time; what the harness asks of them, and its own code for that;
and name and version of every installed package. So the outcome of a machine with
other packages is none for the root of harness/fresh. Only what passed is kept. What
runs in a guest or takes a time is never kept, but by a full run for itself, see Run.
OUTCOMES=no recalls nothing, and `make test FULL=1` only what it found itself before it
was interrupted.
"""

import contextlib
import functools
import hashlib
import json
import math
import os
import pathlib
import shutil
import subprocess
import time
import urllib.parse

import accel
import series
import ui
from ui import BUILD, ROOT

STORE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache",
                     "static-key-tracepoints", "outcomes")
# What full runs keep for themselves.
RUNS = BUILD / "full"
# What nobody has asked for in this many days goes.
DAYS = 30
# What was kept before this time is not asked for; new outcomes are kept in any case.
SINCE = math.inf if os.environ.get("OUTCOMES") == "no" else 0


@functools.lru_cache(maxsize=None)
def installed():
    """What could make another outcome of the same sources, or None if nobody knows.

    That is name and version of all packages, what harness/setup brings besides, and
    where programs may come from instead.
    """
    with contextlib.suppress(OSError):
        done = ui.ask(
            ["dpkg-query", "-W", "-f", "${Package}:${Architecture} ${Version} ${Status}\\n"])
        if not done.returncode and done.stdout:
            return (done.stdout, code(ROOT / "harness" / "setup"), os.environ.get("PATH"))
    return None


@functools.lru_cache(maxsize=None)
def code(*files):
    """The text of files of the harness, and of this one."""
    return "".join(pathlib.Path(file).read_text(encoding="utf-8") for file in (__file__, *files))


def digest(*parts):
    """A hash of some inputs and of what is installed; None if one of them is None, not known.

    Each must have a repr() that tells it from others.
    """
    if None in parts or installed() is None:
        return None
    return hashlib.sha256(repr((installed(), parts)).encode()).hexdigest()


def place(*parts):
    """Where the outcome for some inputs is kept, or None, as digest()."""
    name = digest(*parts)
    return name and STORE / name


def read(where):
    """What keep() wrote there, or None."""
    if where:
        # What was cut off is nothing.
        with contextlib.suppress(OSError, ValueError):
            return json.loads(where.read_text(encoding="utf-8"))
    return None


def recall(where):
    """The outcome in a place(), or None."""
    if where:
        with contextlib.suppress(OSError):
            kept = where.stat()
            if kept.st_mtime >= SINCE:
                # For prune().
                os.utime(where, ns=(time.time_ns(), kept.st_mtime_ns))
                return read(where)
    return None


def keep(where, outcome):
    """Keep what json knows, and is not None; without room for it, nothing is lost."""
    if not where:
        return
    with contextlib.suppress(OSError):
        where.parent.mkdir(parents=True, exist_ok=True)
        draft = where.with_suffix(f".{os.getpid()}-{time.monotonic_ns()}")
        draft.write_text(json.dumps(outcome), encoding="utf-8")
        draft.replace(where)


def prune():
    """Drop what has not been asked for in DAYS days."""
    oldest = time.time() - DAYS * 86400
    with contextlib.suppress(OSError):
        for path in STORE.iterdir():
            with contextlib.suppress(OSError):
                if path.stat().st_atime < oldest:
                    path.unlink()


class Recorder:
    """Results that are added to others, and known apart from them."""

    def __init__(self, found, job=None):
        self.found = found
        self.tests = []
        # The suites of a job, in order, see suites.py.
        self.suites = {} if job is None else found.suites.setdefault(job, {})

    def add(self, group, name, ok, detail="", seconds=None):
        self.tests.append((group, name, ok, detail, seconds))
        self.suites[group] = None
        self.found.add(group, name, ok, detail, seconds)

    def __getattr__(self, name):
        return getattr(self.found, name)

    @property
    def failed(self):
        return any(ok is False for _, _, ok, *_ in self.tests)

    @property
    def passed(self):
        """Whether one of them did, and none failed."""
        return not self.failed and any(ok for _, _, ok, *_ in self.tests)


def replay(found, tests, words):
    """Add recorded tests; WORDS say where they come from."""
    for group, name, ok, detail, *seconds in tests:
        found.add(group, name, ok, f"{detail}{', ' if detail else ''}{words}", *seconds)


def again(found, where, function):
    """Let FUNCTION add its tests to FOUND, or add those that it added earlier."""
    tests = recall(where)
    if tests:
        # They took no time.
        replay(found, [test[:-1] for test in tests], "as in an earlier run")
        return
    recorder = Recorder(found)
    function(recorder)
    if recorder.passed:
        keep(where, recorder.tests)


def repository():
    """The commit that is checked out and a hash of each file; None if that cannot be known."""
    # An editor's file may go while they are read.
    with contextlib.suppress(OSError, subprocess.CalledProcessError, ui.Failure):
        head = subprocess.run(["git", "rev-parse", "--verify", "--quiet", "HEAD"], cwd=ROOT,
                              capture_output=True, text=True, check=True).stdout
        return head, [(path, os.access(ROOT / path, os.X_OK),
                       hashlib.sha256((ROOT / path).read_bytes()).hexdigest())
                      for path in series.repository_files()]
    return None


class Run:
    """What the jobs of a full run have found, for the next run if this one is interrupted.

    The outcome of a job is kept when it has passed, below a directory that is named by a hash
    of all that the jobs depend on: the commit and the files of this repository, the tree that
    is tested, the packages, the machine and the options. done() removes it. What again() keeps
    meanwhile is recalled as well if the run goes on.
    """

    def __init__(self, tree, options):
        """TREE is what lint.sources() says; if it is None, not known, nothing is kept."""
        self.repository = repository()
        # Not the verdict of accel.py, which a run may reach in its middle.
        machine = os.uname().machine, accel.chosen(), os.access("/dev/kvm", os.R_OK | os.W_OK)
        name = digest(self.repository, tree, machine, options)
        self.where = name and RUNS / name
        if SINCE:
            self.done()
        self.began = self.recall("began") or time.time()
        self.keep("began", self.began)
        if not self.where:
            self.began = math.inf

    def place(self, name):
        """Where the outcome of a job is kept, or None."""
        return self.where and self.where / urllib.parse.quote(name, safe=" ,:")

    def recall(self, name):
        """The outcome of a job, or None."""
        return read(self.place(name))

    def keep(self, name, outcome):
        """Keep the outcome of a job, unless a file was changed since the start of the run."""
        if repository() == self.repository:
            keep(self.place(name), outcome)

    def forget(self, name):
        """Let a job run again."""
        if self.where:
            self.place(name).unlink(missing_ok=True)

    def done(self):
        """The run has come to its end, or shall begin from nothing."""
        if self.where:
            shutil.rmtree(self.where, ignore_errors=True)

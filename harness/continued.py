# SPDX-License-Identifier: GPL-2.0-or-later
"""The jobs of a full run that have ended, so that the next one goes on where it was interrupted.

When a job ends, a file below build/full gets its Record. The directories that it is
in are named by hashes of all that it depends on: the commit and the files of this
repository, the tree that is tested, the packages, the machine, and the options. So
what is there under the name of a job is of exactly this run, and a file that is not
complete is none. A run that comes to its end removes its files. Of a job that was
interrupted, outcomes.py has what passed since the run began.
"""

import collections
import contextlib
import hashlib
import math
import os
import shutil
import subprocess
import time
import urllib.parse

import accel
import outcomes
import series
import ui
from ui import BUILD, ROOT

STORE = BUILD / "full"

# When a job started and how long it took, in seconds of the whole run; its tests; what it
# returned for the jobs that need it; and whether it failed.
Record = collections.namedtuple("Record", "at took tests value failed")


def repository():
    """The commit that is checked out and a hash of all files; None if that cannot be known."""
    done = subprocess.run(["git", "rev-parse", "--verify", "--quiet", "HEAD"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return None
    total = hashlib.sha256()
    # An editor's file may go while they are read.
    with contextlib.suppress(OSError, ui.Failure):
        for path in series.repository_files():
            file = ROOT / path
            total.update(f"{path}\0{os.access(file, os.X_OK)}\0".encode(errors="surrogateescape"))
            total.update(hashlib.sha256(file.read_bytes()).digest())
        return done.stdout.strip(), total.hexdigest()
    return None


def machine():
    """What guests run on, besides packages."""
    # Not the verdict of accel.py, which a run may reach in its middle.
    return os.uname().machine, accel.chosen(), os.access("/dev/kvm", os.R_OK | os.W_OK)


def newest(directory):
    """When something was last written in a directory, as text."""
    times = [path.stat().st_mtime for path in (directory, *directory.rglob("*"))]
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(max(times)))


def prune(state):
    """Drop what is older than outcomes are; returns what is of other states."""
    others = []
    with contextlib.suppress(OSError):
        for path in STORE.iterdir():
            if path.stat().st_mtime < time.time() - outcomes.DAYS * 86400:
                shutil.rmtree(path)
            elif path.name != state:
                others.append(path)
    return others


class Continued:
    """The records of a run, some of them of a run before it that was interrupted."""

    def __init__(self, tree, options, recalled=True):
        """TREE is what lint.sources() says, OPTIONS those of the run.

        If one of the parts is None, not known, no record is kept; without RECALLED, those
        of an earlier run go.
        """
        self.repository = repository()
        state = outcomes.digest(self.repository, tree, machine())
        self.where = STORE / state / outcomes.digest(options) if state else None
        others = prune(state)
        if not recalled:
            self.done()
        elif others and not (self.where and self.where.exists()):
            ui.say(f"the run that was interrupted after {max(map(newest, others))} had another "
                   "state of files, packages or the machine: nothing of it is taken over")
        # When the run began, for outcomes.SINCE.
        self.began = math.inf
        if self.where:
            with contextlib.suppress(OSError):
                self.where.mkdir(parents=True, exist_ok=True)
                start = self.where / "began"
                if not start.exists():
                    start.touch()
                self.began = start.stat().st_mtime

    def when(self):
        """When the last job ended, as text."""
        return newest(self.where)

    def place(self, name):
        """Where the Record of a job is kept, None if none is."""
        return self.where and self.where / urllib.parse.quote(name, safe=" ,:")

    def recall(self, name):
        """The Record of a job, or None."""
        with contextlib.suppress(TypeError):
            return Record(**outcomes.read(self.place(name)))
        return None

    def keep(self, name, **fields):
        """Keep the Record of a job, unless a file was changed since the start of the run."""
        if repository() == self.repository:
            outcomes.keep(self.place(name), Record(**fields)._asdict())

    def forget(self, name):
        """Let a job run again."""
        if self.where:
            with contextlib.suppress(OSError):
                self.place(name).unlink()

    def done(self):
        """The run has come to its end, or shall begin from nothing."""
        if self.where:
            shutil.rmtree(self.where, ignore_errors=True)
            for above in (self.where.parent, STORE):
                with contextlib.suppress(OSError):
                    above.rmdir()

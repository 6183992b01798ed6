# SPDX-License-Identifier: GPL-2.0-or-later
"""Outcomes of earlier runs that hold again, as the objects in ccache do.

A build or a linter that reads the same says the same. An outcome is kept under a
hash of all that goes into it: the sources, as ids of git trees; what the harness
asks of them, and its own code for that; and name and version of every installed
package. So the outcome of a machine with other packages is none for the root of
harness/fresh. Only what passed is kept. What runs in a guest or takes a time is
never kept, and `make test FULL=1` and OUTCOMES=no recall nothing.
"""

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import subprocess
import time

from ui import ROOT

STORE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache",
                     "static-key-tracepoints", "outcomes")
# What nobody has asked for in this many days goes.
DAYS = 30
# Whether earlier outcomes are asked for; new ones are kept in any case.
RECALLED = os.environ.get("OUTCOMES") != "no"


@functools.lru_cache(maxsize=None)
def installed():
    """What could make another outcome of the same sources, or None if nobody knows.

    That is name and version of all packages, what harness/setup brings besides, and
    where programs may come from instead.
    """
    with contextlib.suppress(OSError):
        done = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package}:${Architecture} ${Version} ${Status}\\n"],
            capture_output=True, text=True, check=False)
        if not done.returncode and done.stdout:
            return (done.stdout, code(ROOT / "harness" / "setup"), os.environ.get("PATH"))
    return None


@functools.lru_cache(maxsize=None)
def code(*files):
    """The text of files of the harness, and of this one."""
    return "".join(pathlib.Path(file).read_text(encoding="utf-8") for file in (__file__, *files))


def place(*parts):
    """Where the outcome for some inputs is kept; None if one of them is None, not known.

    Each must have a repr() that tells it from others.
    """
    if None in parts or installed() is None:
        return None
    return STORE / hashlib.sha256(repr((installed(), parts)).encode()).hexdigest()


def recall(where):
    """The outcome in a place(), or None."""
    if where and RECALLED:
        # One that was cut off is none.
        with contextlib.suppress(OSError, ValueError):
            outcome = json.loads(where.read_text(encoding="utf-8"))
            os.utime(where)
            return outcome
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
                if path.stat().st_mtime < oldest:
                    path.unlink()


class Recorder:
    """Results that are added to others, and known apart from them."""

    def __init__(self, found):
        self.found = found
        self.tests = []

    def add(self, group, name, ok, detail="", seconds=None):
        self.tests.append((group, name, ok, detail))
        self.found.add(group, name, ok, detail, seconds)

    def __getattr__(self, name):
        return getattr(self.found, name)


def again(found, where, function):
    """Let FUNCTION add its tests to FOUND, or add those that it added earlier."""
    tests = recall(where)
    if tests:
        for group, name, ok, detail in tests:
            found.add(group, name, ok, f"{detail}{', ' if detail else ''}as in an earlier run")
        return
    recorder = Recorder(found)
    function(recorder)
    if recorder.tests and not any(ok is False for _, _, ok, _ in recorder.tests):
        keep(where, recorder.tests)

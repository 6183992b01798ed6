#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of outcomes.py (KTAP)."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import time

import outcomes
import results


def run(verdict, *parts):
    """Ask for a test that depends on PARTS; returns (ran, passed, failed, skipped)."""
    found = results.Results()
    ran = []

    def function(found):
        ran.append(True)
        found.add("group", "test", verdict, "words", 1.5)
        found.close("group")

    with contextlib.redirect_stdout(io.StringIO()):
        outcomes.again(found, outcomes.place(*parts), function)
    return (bool(ran), *found.count())


def tests():
    fresh, kept = (True, 1, 0, 0), (False, 1, 0, 0)
    yield "the first time it runs", run(True, "tree", 1) == fresh
    yield "the second time it does not", run(True, "tree", 1) == kept
    yield "with other sources it runs", run(True, "other tree", 1) == fresh
    yield "with another option it runs", run(True, "tree", "1") == fresh
    yield "what failed runs again", (run(False, "bad") == (True, 0, 1, 0)
                                     and run(True, "bad") == fresh)
    yield "what was skipped stays so", (run(None, "skip") == (True, 0, 0, 1)
                                        and run(True, "skip") == (False, 0, 0, 1))
    yield "with an unknown part it runs each time", (run(True, "tree", None) == fresh
                                                     and run(True, "tree", None) == fresh)

    where = outcomes.place("tree", 1)
    for name, broken in (("empty", ""), ("cut off", where.read_text(encoding="utf-8")[:-3])):
        where.write_text(broken, encoding="utf-8")
        yield f"an outcome that is {name} is none", (run(True, "tree", 1) == fresh
                                                     and run(True, "tree", 1) == kept)

    outcomes.RECALLED = False
    yield "OUTCOMES=no runs it", run(True, "tree", 1) == fresh
    outcomes.RECALLED = True

    installed = outcomes.installed
    outcomes.installed = lambda: (*installed(), "another package")
    yield "with another package it runs", run(True, "tree", 1) == fresh
    outcomes.installed = lambda: None
    yield "without dpkg it runs each time", (run(True, "tree", 1) == fresh
                                             and run(True, "tree", 1) == fresh)
    outcomes.installed = installed

    os.utime(where, (0, time.time() - (outcomes.DAYS + 1) * 86400))
    left = len(list(outcomes.STORE.iterdir()))
    outcomes.prune()
    yield "what nobody asks for goes", (not where.exists()
                                        and len(list(outcomes.STORE.iterdir())) == left - 1)
    outcomes.STORE = pathlib.Path("/proc/nowhere")
    yield "a store that cannot be written does no harm", run(True, "tree", 1) == fresh


with tempfile.TemporaryDirectory() as directory:
    outcomes.STORE = pathlib.Path(directory) / "outcomes"
    outcomes.RECALLED = True
    sys.exit(results.ktap_of(tests()))

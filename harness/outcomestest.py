#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of outcomes.py (KTAP)."""

import contextlib
import io
import math
import os
import pathlib
import sys
import tempfile
import time

import ktap
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
    took = found.groups["group"][0].seconds
    return (bool(ran) and took == 1.5 or bool(took), *found.count())


def tests():
    fresh, kept = (True, 1, 0, 0), (False, 1, 0, 0)
    yield "the first time it runs", run(True, "tree", 1) == fresh
    yield "the second time it does not", run(True, "tree", 1) == kept
    yield "with other sources it runs", run(True, "other tree", 1) == fresh
    yield "with another option it runs", run(True, "tree", "1") == fresh
    yield "what failed runs again", (run(False, "bad") == (True, 0, 1, 0)
                                     and run(True, "bad") == fresh)
    yield "what was only skipped runs again", (run(None, "skip") == (True, 0, 0, 1)
                                               and run(True, "skip") == fresh)
    yield "with an unknown part it runs each time", (run(True, "tree", None) == fresh
                                                     and run(True, "tree", None) == fresh)

    where = outcomes.place("tree", 1)
    for name, broken in (("empty", ""), ("cut off", where.read_text(encoding="utf-8")[:-3])):
        where.write_text(broken, encoding="utf-8")
        yield f"an outcome that is {name} is none", (run(True, "tree", 1) == fresh
                                                     and run(True, "tree", 1) == kept)

    outcomes.SINCE = math.inf
    yield "OUTCOMES=no runs it", run(True, "tree", 1) == fresh
    outcomes.SINCE = where.stat().st_mtime
    yield "what was kept since a time stays", run(True, "tree", 1) == kept
    time.sleep(0.01)
    run(True, "tree", 1)
    outcomes.SINCE += 0.001
    yield "it does not get younger when it is asked for", run(True, "tree", 1) == fresh
    outcomes.SINCE = 0

    installed = outcomes.installed
    outcomes.installed = lambda: (*installed(), "another package")
    yield "with another package it runs", run(True, "tree", 1) == fresh
    outcomes.installed = lambda: None
    yield "without dpkg it runs each time", (run(True, "tree", 1) == fresh
                                             and run(True, "tree", 1) == fresh)
    outcomes.installed = installed

    os.utime(where, (time.time() - (outcomes.DAYS + 1) * 86400, time.time()))
    left = len(list(outcomes.STORE.iterdir()))
    outcomes.prune()
    yield "what nobody asks for goes", (not where.exists()
                                        and len(list(outcomes.STORE.iterdir())) == left - 1)
    outcomes.STORE = pathlib.Path("/proc/nowhere")
    yield "a store that cannot be written does no harm", run(True, "tree", 1) == fresh


with tempfile.TemporaryDirectory() as directory:
    outcomes.STORE = pathlib.Path(directory) / "outcomes"
    outcomes.SINCE = 0
    sys.exit(ktap.write(tests()))

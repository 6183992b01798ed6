#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of suites.py (KTAP)."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile

import jobs
import ktap
import outcomes
import results
import suites


def run(jobs_of, full=False, whole=True):
    """A run of jobs, {job: {suite: verdicts}}; returns its lines about losses, and the status."""
    plan, found = jobs.Plan(), results.Results()

    def job(made):
        def function(recorder):
            for suite, verdicts in made.items():
                for number, ok in enumerate(verdicts):
                    recorder.add(suite, str(number), ok)
        return function

    for name, made in jobs_of.items():
        plan.add(name, job(made), lane=jobs.SINGLE)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        plan.run(found)
        suites.compare(found, full, whole)
        status = found.finish()
    lines = said.getvalue().splitlines()
    assert lines[-1].endswith("skipped")
    return [line for line in lines if line.startswith("suite ")], status


def tests():
    both = {"one": {"a": [True] * 5, "b": [True, None]}, "two": {"c": [True] * 3}}
    yield "the first run has lost nothing", run(both) == ([], 0)
    yield "nor has one that is the same", run(both) == ([], 0)
    fewer = {**both, "one": {"a": [True] * 3, "b": [True, None]}}
    said = ["suite a: 2 results fewer than in the last run (3, was 5)"]
    yield "fewer results are said, and no failure", run(fewer) == (said, 0)
    yield "once", run(fewer) == ([], 0)
    table = suites.TABLE.read_text(encoding="utf-8").splitlines()
    yield "the table has both runs", table[1:] == [
        "      3       0       3       0  a", "      2       1       2       1  b",
        "      3       0       3       0  c"]
    yield "more results are no loss", run(both) == ([], 0)
    yield "results that are skipped now are said", run(
        {**both, "two": {"c": [True, None, None]}}) == (
            ["suite c: 2 more are skipped than in the last run (2, was 0)"], 0)

    yield "the last run is a full one or is none", run(fewer, full=True) == ([], 0)
    yield "a part of the tests is compared", run({"one": fewer["one"]}, whole=False) == (said, 0)
    run(both)
    yield "and leaves the others as they were", run({"one": both["one"]}, whole=False) == ([], 0) \
        and run({**both, "two": {"c": [True]}})[0] == [
            "suite c: 2 results fewer than in the last run (1, was 3)"]
    run(both)
    dead = {**both, "one": {"a": [True, False], "b": [True, None]}}
    said = ["suite a: 3 results fewer than in the last run (2, was 5)"]
    yield "a suite that failed must come back to what it was", (
        run(dead) == (said, 1) and run(dead) == (said, 1) and run(both) == ([], 0))

    gone = {**both, "one": {"a": [True] * 5}}
    said = ["suite b: 2 results fewer than in the last run (0, was 2)"]
    yield "a suite that is gone is a failure", run(gone) == (said, 1)
    yield "each time", run(gone) == (said, 1)
    yield "also in a part of the tests", run({"one": gone["one"]}, whole=False) == (said, 1)
    yield "but not where its job was not run", run({"two": both["two"]}, whole=False) == ([], 0)
    os.environ["COUNTS"] = "new"
    yield "COUNTS=new accepts it", run(gone) == ([], 0)
    del os.environ["COUNTS"]
    yield "and the next run knows", run(gone) == ([], 0)
    run(both)
    yield "a job that is gone is said, once", run({"one": both["one"]}) == (
        ["suite c: it is no part of the run any more (was 3)"], 0) and run(
            {"one": both["one"]}) == ([], 0)

    where = suites.place(False)
    where.write_text("{", encoding="utf-8")
    yield "numbers that are cut off are none", run(both) == ([], 0) and run(both) == ([], 0)
    release = suites.OS_RELEASE
    suites.OS_RELEASE = pathlib.Path("/nowhere")
    yield "another Debian has numbers of its own", suites.place(False) != where
    suites.OS_RELEASE = release
    outcomes.STORE = pathlib.Path("/proc/nowhere")
    yield "a store that cannot be written does no harm", run(both) == ([], 0)


with tempfile.TemporaryDirectory() as directory:
    os.environ.pop("COUNTS", None)
    top = pathlib.Path(directory)
    outcomes.STORE = top / "outcomes"
    results.KTAP, results.DURATIONS, suites.TABLE = (
        top / name for name in ("results.ktap", "durations.txt", "suites.txt"))
    sys.exit(ktap.write(tests()))

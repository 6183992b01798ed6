# SPDX-License-Identifier: GPL-2.0-or-later
"""suites.py: runs one after the other, and what each says that it has lost."""

import contextlib
import io
import pathlib

import jobs
import outcomes
import results
import suites
from support import Case

A, B, C = [True] * 5, [True, None], [True] * 3
ALL = {"one": {"a": A, "b": B}, "two": {"c": C}}
FEWER = {**ALL, "one": {"a": [True] * 3, "b": B}}
DEAD = {**ALL, "one": {"a": [True, False], "b": B}}
GONE = {**ALL, "one": {"a": A}}
LESS = ["suite a: 2 results fewer than in the last run (3, was 5)"]
DIED = ["suite a: 3 results fewer than in the last run (2, was 5)"]
LOST = ["suite b: 2 results fewer than in the last run (0, was 2)"]
NOTHING = ([], 0)


class Suites(Case):
    """Runs whose numbers are kept in the same place."""

    def setUp(self):
        super().setUp()
        self.environ(COUNTS=None)
        self.put(outcomes, STORE=self.work / "outcomes")
        self.put(results, KTAP=self.work / "results.ktap", DURATIONS=self.work / "durations.txt")
        self.put(suites, TABLE=self.work / "suites.txt")

    @staticmethod
    def run_jobs(jobs_of, full=False, whole=True):
        """A run of {job: {suite: verdicts}}; returns its lines about losses, and the status."""
        plan, found = jobs.Plan(), results.Results()

        def job(made):
            def function(recorder):
                for suite, verdicts in made.items():
                    for number, ok in enumerate(verdicts):
                        recorder.add(suite, str(number), ok)
            return function

        for name, made in jobs_of.items():
            plan.add(name, job(made), lane=jobs.SINGLE)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            plan.run(found)
            suites.compare(found, full, whole)
            status = found.finish()
        lines = said.getvalue().splitlines()
        assert lines[-1].endswith("skipped")
        return [line for line in lines if line.startswith("suite ")], status

    def sequence(self, *steps):
        """Runs in order: why, its jobs, what it says and how it ends, options."""
        for name, made, wanted, *options in steps:
            self.equal(name, self.run_jobs(made, *options), wanted)

    def test_numbers(self):
        self.sequence(("the first run has lost nothing", ALL, NOTHING),
                      ("nor has one that is the same", ALL, NOTHING),
                      ("fewer results are said, and no failure", FEWER, (LESS, 0)),
                      ("once", FEWER, NOTHING))
        self.equal("the table has both runs", suites.TABLE.read_text(
            encoding="utf-8").splitlines()[1:], [
                "      3       0       3       0  a", "      2       1       2       1  b",
                "      3       0       3       0  c"])
        self.sequence(
            ("more results are no loss", ALL, NOTHING),
            ("results that are skipped now are said", {**ALL, "two": {"c": [True, None, None]}},
             (["suite c: 2 more are skipped than in the last run (2, was 0)"], 0)))

    def test_parts(self):
        self.sequence(
            ("all", ALL, NOTHING),
            ("the last run is a full one or is none", FEWER, NOTHING, True),
            ("a part of the tests is compared", {"one": FEWER["one"]}, (LESS, 0), False, False),
            ("all are back", ALL, NOTHING),
            ("a part without a loss", {"one": ALL["one"]}, NOTHING, False, False),
            ("a part leaves the others as they were", {**ALL, "two": {"c": [True]}},
             (["suite c: 2 results fewer than in the last run (1, was 3)"], 0)))

    def test_failure(self):
        self.sequence(("all", ALL, NOTHING),
                      ("a suite that fails", DEAD, (DIED, 1)),
                      ("must come back to what it was", DEAD, (DIED, 1)),
                      ("it is back", ALL, NOTHING))

    def test_gone(self):
        self.sequence(
            ("all", ALL, NOTHING),
            ("a suite that is gone is a failure", GONE, (LOST, 1)),
            ("each time", GONE, (LOST, 1)),
            ("also in a part of the tests", {"one": GONE["one"]}, (LOST, 1), False, False),
            ("but not where its job was not run", {"two": ALL["two"]}, NOTHING, False, False),
            ("a job with another name in a part of the tests", {"one: a": {"a": ALL["one"]["a"]}},
             NOTHING, False, False),
            ("leaves its suites with the job of the whole", {**ALL, "one": {"b": B}},
             (["suite a: 5 results fewer than in the last run (0, was 5)"], 1)),
            ("a is back", ALL, NOTHING))
        self.environ(COUNTS="new")
        self.sequence(("COUNTS=new accepts it", GONE, NOTHING))
        self.environ(COUNTS=None)
        self.sequence(
            ("and the next run knows", GONE, NOTHING),
            ("all are back", ALL, NOTHING),
            ("a job that is gone is said", {"one": ALL["one"]},
             (["suite c: it is no part of the run any more (was 3)"], 0)),
            ("once", {"one": ALL["one"]}, NOTHING))

    def test_store(self):
        self.run_jobs(ALL)
        where = suites.place(False)
        where.write_text("{", encoding="utf-8")
        self.sequence(("numbers that are cut off are none", FEWER, NOTHING),
                      ("and are kept anew", FEWER, NOTHING))
        self.put(suites, OS_RELEASE=pathlib.Path("/nowhere"))
        self.true("another Debian has numbers of its own", suites.place(False) != where)
        self.put(outcomes, STORE=pathlib.Path("/proc/nowhere"))
        self.sequence(("a store that cannot be written does no harm", ALL, NOTHING))

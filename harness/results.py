# SPDX-License-Identifier: GPL-2.0-or-later
"""Test results: gathered, written as KTAP, and counted in one last line."""

import collections
import contextlib
import threading
import time

import ktap
import outcomes
import ui
from ui import BUILD, clock, shown

KTAP = BUILD / "results.ktap"
DURATIONS = BUILD / "durations.txt"
# How many of the slowest tests are named at the end.
SLOWEST = 10

Test = collections.namedtuple("Test", "name ok detail seconds")


class Results:
    """What the checks and tests of one run found, by group.

    All methods may be called from several threads.
    """

    def __init__(self):
        self.groups = collections.OrderedDict()
        self.jobs = []
        # The groups that each job made; and lines about what was lost since the last run.
        self.suites = {}
        self.lost = []
        # Nobody is told of its tests.
        self.quiet = False
        self._lock = threading.Lock()
        self._start = time.monotonic()

    def elapsed(self):
        """Seconds since the start of the run."""
        return time.monotonic() - self._start

    def take_over(self, name, took, tests):
        """Add a job of the run before it was interrupted, with its tests."""
        outcomes.replay(outcomes.Recorder(self, name), tests, "from the interrupted run")
        with self._lock:
            self.jobs.append((0, took, f"{name} (from the interrupted run)"))

    def add(self, group, name, ok, detail="", seconds=None):
        """Record a test; OK is True, False, or None for skipped."""
        with self._lock:
            self.groups.setdefault(group, []).append(Test(name, ok, detail, seconds))
        if ok is False and not self.quiet:
            ui.say(self.failure(group, name, detail))

    @staticmethod
    def failure(group, name, detail):
        """A failed test, as one line."""
        return f"not ok {group}: {name}{': ' if detail else ''}{detail}"

    def count(self, group=None):
        """(passed, failed, skipped) of one group, or of all."""
        with self._lock:
            tests = [test for key, group_tests in self.groups.items()
                     for test in group_tests if group in (None, key)]
        return tuple(sum(1 for test in tests if test.ok is wanted)
                     for wanted in (True, False, None))

    def close(self, groups):
        """Say how finished groups went."""
        for group in groups:
            passed, failed, skipped = self.count(group)
            ui.say(f"{'FAIL' if failed else 'ok  '} {group}: {passed} passed, {failed} failed, "
                   f"{skipped} skipped")

    @contextlib.contextmanager
    def job(self, name):
        """Note how long a part of the run takes; its failure is a failed test."""
        start = self.elapsed()
        try:
            yield
        except (ui.Failure, OSError) as failure:
            if ui.STOPPING.is_set():
                raise
            self.add(name, "comes to its end", False, str(failure))
        finally:
            with self._lock:
                self.jobs.append((start, self.elapsed() - start, name))

    def durations(self):
        """What took how long, as lines: the jobs in order, then the slowest tests."""
        lines = ["start  took   job"]
        lines += [f"{clock(at):>5}  {clock(took):>5}  {name}"
                  for at, took, name in sorted(self.jobs)]
        timed = sorted(((test.seconds, f"{group}: {test.name}")
                        for group, tests in self.groups.items()
                        for test in tests if test.seconds is not None), reverse=True)
        slowest = [f"{clock(seconds):>5}  {name}" for seconds, name in timed[:SLOWEST]]
        return lines, slowest

    def finish(self):
        """Write the KTAP file, print the last line, return an exit status."""
        lines = ["KTAP version 1", f"1..{len(self.groups)}"]
        for number, (group, tests) in enumerate(self.groups.items(), 1):
            lines += [f"  # Subtest: {group}", f"  1..{len(tests)}"]
            for index, test in enumerate(tests, 1):
                lines.append(f"  {ktap.line(index, test.name, test.ok, test.detail)}")
                if test.seconds is not None:
                    lines.append(f"  # duration_ms: {test.seconds * 1000:.0f}")
            lines.append(ktap.line(number, group, not self.count(group)[1]))
        KTAP.write_text("\n".join(lines) + "\n", encoding="utf-8")
        jobs, slowest = self.durations()
        DURATIONS.write_text("\n".join([*jobs, "", "slowest tests", *slowest]) + "\n",
                             encoding="utf-8")
        if self.jobs:
            print("\n".join(jobs))
        if slowest:
            print("the slowest tests:")
            print("\n".join(slowest))
        # Once more: who has only the end of a long log sees them.
        for group, tests in self.groups.items():
            for test in tests:
                if test.ok is False:
                    print(self.failure(group, test.name, test.detail))
        for line in self.lost:
            print(line)
        passed, failed, skipped = self.count()
        print(f"every result is in {shown(KTAP)}, the logs are in build/log/; "
              f"{clock(self.elapsed())} in all")
        print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
        return 1 if failed or not passed else 0

# SPDX-License-Identifier: GPL-2.0-or-later
"""What ftracetest.py makes of tests that fail once, and which tests a short run has."""

import types

import ftracetest
import ui
from support import Case

# Why; the outcome of both attempts, and which counts.
CASES = (
    ("a failure that does not come again is none", "FAIL", "PASS", "PASS"),
    ("a failure that comes again is one", "FAIL", "FAIL", "FAIL"),
    ("the second failure counts", "UNRESOLVED", "FAIL", "FAIL"),
    ("one in an instance that comes again is one", "PASS/FAIL", "PASS/FAIL", "PASS/FAIL"),
    ("one that comes elsewhere the second time is none", "FAIL/PASS", "PASS/FAIL", "PASS/PASS"),
    ("two of which one comes again are one", "FAIL/FAIL", "PASS/FAIL", "PASS/FAIL"),
    ("a test that does not come to its instance has failed", "FAIL/PASS", "FAIL", "FAIL"),
    ("a guest that dies is a failure", "PASS/FAIL", "CRASH", "CRASH"),
    ("a splat is a failure, whoever passes", "FAIL/PASS", "PASS/FAIL+SPLAT", "PASS/FAIL+SPLAT"),
)


class Twice(Case):
    """A test with two attempts."""

    def test_again(self):
        for name, first, again, counts in CASES:
            outcomes = ftracetest.Outcomes(None)
            outcomes.run = lambda tests, what, again=again, outcomes=outcomes: outcomes.update(
                dict.fromkeys(tests, again))
            outcomes["a.tc"] = first
            outcomes.again(["a.tc"])
            with self.subTest(name):
                self.assertEqual(outcomes["a.tc"], f"{counts} (first {first})")
                self.assertEqual(ftracetest.passed(outcomes["a.tc"]),
                                 counts in ("PASS", "PASS/PASS"))


class Selected(Case):
    """The tests that are run."""

    def test_selection(self):
        kernel = types.SimpleNamespace(source=self.work)
        top = self.work / ftracetest.TESTS
        for name in ("a/b.tc", *ftracetest.LONG):
            (top / name).parent.mkdir(parents=True, exist_ok=True)
            (top / name).touch()
        self.assertEqual(ftracetest.selection(kernel, False), ["a/b.tc"])
        self.assertEqual(ftracetest.selection(kernel, True), ["a/b.tc", *sorted(ftracetest.LONG)])
        (top / ftracetest.LONG[0]).unlink()
        with self.assertRaisesRegex(ui.Failure, ftracetest.LONG[0]):
            ftracetest.selection(kernel, False)

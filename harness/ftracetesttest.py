#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what ftracetest.py makes of tests that fail once (KTAP)."""

import sys

import ftracetest
import ktap


def after(first, again):
    """The outcome of a test with these two attempts."""
    class Twice(ftracetest.Outcomes):
        def run(self, tests, what, smp=2):
            self.update(dict.fromkeys(tests, again))

    outcomes = Twice(None)
    outcomes["a.tc"] = first
    outcomes.again(["a.tc"])
    return outcomes["a.tc"]


def tests():
    for name, first, again, counts in (
            ("a failure that does not come again is none", "FAIL", "PASS", "PASS"),
            ("a failure that comes again is one", "FAIL", "FAIL", "FAIL"),
            ("the second failure counts", "UNRESOLVED", "FAIL", "FAIL"),
            ("one in an instance that comes again is one", "PASS/FAIL", "PASS/FAIL", "PASS/FAIL"),
            ("one that comes elsewhere the second time is none", "FAIL/PASS", "PASS/FAIL",
             "PASS/PASS"),
            ("two of which one comes again are one", "FAIL/FAIL", "PASS/FAIL", "PASS/FAIL"),
            ("a test that does not come to its instance has failed", "FAIL/PASS", "FAIL", "FAIL"),
            ("a guest that dies is a failure", "PASS/FAIL", "CRASH", "CRASH"),
            ("a splat is a failure, whoever passes", "FAIL/PASS", "PASS/FAIL+SPLAT",
             "PASS/FAIL+SPLAT")):
        outcome = after(first, again)
        yield f"ftracetest twice: {name}", (
            outcome == f"{counts} (first {first})"
            and ftracetest.passed(outcome) == (counts in ("PASS", "PASS/PASS")))


sys.exit(ktap.write(tests()))

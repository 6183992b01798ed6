# SPDX-License-Identifier: GPL-2.0-or-later
"""outcomes.py: what is kept, and what runs again."""

import math
import os
import pathlib
import time

import outcomes
import results
from support import Case

FRESH, KEPT = (True, (1, 0, 0)), (False, (1, 0, 0))


class Again(Case):
    """A check whose outcome is kept, or is not."""

    def setUp(self):
        super().setUp()
        self.put(outcomes, STORE=self.work / "outcomes", SINCE=0)

    def again(self, *parts, verdict=True):
        """Ask for a test that depends on PARTS; returns whether it ran, and the count."""
        found, ran = results.Results(), []

        def function(found):
            ran.append(True)
            found.add("group", "test", verdict, "words", 1.5)
            found.close("group")

        outcomes.again(found, outcomes.place(*parts), function)
        # What is kept took no time.
        self.assertEqual(found.groups["group"][0].seconds, 1.5 if ran else None)
        return bool(ran), found.count()

    def test_parts(self):
        self.equal("the first time it runs", self.again("tree", 1), FRESH)
        self.equal("the second time it does not", self.again("tree", 1), KEPT)
        self.equal("with other sources it runs", self.again("other tree", 1), FRESH)
        self.equal("with another option it runs", self.again("tree", "1"), FRESH)
        for name in "it runs", "each time":
            self.equal(f"with an unknown part {name}", self.again("tree", None), FRESH)

    def test_verdict(self):
        for verdict, count in ((False, (0, 1, 0)), (None, (0, 0, 1))):
            self.equal(f"{verdict}", self.again("tree", verdict, verdict=verdict), (True, count))
            self.equal(f"{verdict} is not kept", self.again("tree", verdict), FRESH)

    def test_broken(self):
        where = outcomes.place("tree", 1)
        self.again("tree", 1)
        whole = where.read_text(encoding="utf-8")
        for length in range(len(whole)):
            where.write_text(whole[:length], encoding="utf-8")
            if self.again("tree", 1) != FRESH:
                self.fail(f"{whole[:length]!r} was taken for an outcome")
        self.assertEqual(self.again("tree", 1), KEPT)

    def test_since(self):
        self.again("tree", 1)
        outcomes.SINCE = math.inf
        self.equal("OUTCOMES=no runs it", self.again("tree", 1), FRESH)
        outcomes.SINCE = outcomes.place("tree", 1).stat().st_mtime
        self.equal("what was kept since a time stays", self.again("tree", 1), KEPT)
        time.sleep(0.01)
        self.again("tree", 1)
        outcomes.SINCE += 0.001
        self.equal("it does not get younger when it is asked for", self.again("tree", 1), FRESH)

    def test_packages(self):
        self.again("tree", 1)
        self.put(outcomes, installed=lambda: "other packages")
        self.equal("with another package it runs", self.again("tree", 1), FRESH)
        self.put(outcomes, installed=lambda: None)
        for name in "it runs", "each time":
            self.equal(f"without dpkg {name}", self.again("tree", 1), FRESH)

    def test_prune(self):
        for tree in "old", "new":
            self.again(tree)
        os.utime(outcomes.place("old"), (time.time() - (outcomes.DAYS + 1) * 86400, time.time()))
        outcomes.prune()
        self.assertEqual(list(outcomes.STORE.iterdir()), [outcomes.place("new")])

    def test_no_store(self):
        self.put(outcomes, STORE=pathlib.Path("/proc/nowhere"))
        self.assertEqual(self.again("tree", 1), FRESH)

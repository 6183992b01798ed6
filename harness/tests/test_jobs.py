# SPDX-License-Identifier: GPL-2.0-or-later
"""jobs.py, and what results.py and guest.py make of jobs and splats."""

import contextlib
import io
import pathlib
import threading
import time

import guest
import jobs
import results
import ui
from support import Case

RACE = pathlib.Path(__file__).parent / "jobs" / "race"


class Jobs(Case):
    """Plans, and what comes of them."""

    def setUp(self):
        super().setUp()
        self.put(results, KTAP=self.work / "results.ktap", DURATIONS=self.work / "durations.txt")

    @staticmethod
    def finish(found):
        """What the user sees at the end, and the status."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = found.finish()
        return said.getvalue().splitlines(), status

    def test_failure(self):
        """A build that fails, a guest that needs it, and one that does not."""
        plan, found, seen = jobs.Plan(), results.Results(), []

        def fail(_):
            raise ui.Failure("no space left")

        built = plan.add("build", fail)
        plan.add("guest", lambda found: seen.append("guest"), built, lane=jobs.SINGLE)
        plan.add("other", lambda found: found.add("other", "test", True, seconds=2.5),
                 lane=jobs.SINGLE)
        plan.run(found)
        lines, status = self.finish(found)
        ktap = results.KTAP.read_text(encoding="utf-8")
        self.equal("it is a failed run", (lines[-1], status), ("1 passed, 2 failed, 0 skipped", 1))
        self.true("it is in the KTAP", "not ok 1 comes to its end # no space left" in ktap, ktap)
        self.true("it is said once more in the end", any(
            line.endswith("comes to its end: no space left") for line in lines), lines)
        self.true("what needs it is not run, and says so",
                  not seen and "not run, for: build" in ktap, ktap)
        self.true("durations are in the KTAP", "  # duration_ms: 2500" in ktap, ktap)
        self.true("the slowest tests are named", any("other: test" in line for line in lines),
                  lines)

    def test_nothing(self):
        self.assertEqual(self.finish(results.Results())[1], 1)

    def test_lanes(self):
        """How many jobs are at work at once."""
        plan, lock = jobs.Plan(), threading.Lock()
        now = {jobs.BUILD: 0, jobs.SINGLE: 0}
        most, together = dict(now), []

        def work(lane):
            with lock:
                now[lane] += 1
                most[lane] = max(most[lane], now[lane])
                together.append(all(now.values()))
            time.sleep(0.1)
            with lock:
                now[lane] -= 1

        for lane in (jobs.BUILD, jobs.SINGLE) * 6:
            plan.add(lane, lambda found, lane=lane: work(lane), lane=lane)
        plan.run(results.Results())
        self.equal("as many of each as fit", most, jobs.WIDTH)
        self.true("a build and a guest at the same time", any(together))

    def test_races(self):
        """Data races count if they are of our functions."""
        log = self.work / "console.log"
        for name, functions, more, wanted in (
                ("ours", {"ours"}, "", 1), ("ours, the other side", {"reader"}, "", 1),
                ("anybody's", None, "", 1),
                ("of others", {"far", "caller", "unrelated"}, "", 0),
                ("beside it, everything else counts", set(), "WARNING: CPU: 0\n", 1)):
            log.write_text(RACE.read_text(encoding="utf-8") + more, encoding="utf-8")
            self.equal(name, len(guest.splats(log, functions)), wanted)

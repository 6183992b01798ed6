#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of jobs.py and of what results.py and guest.py make of jobs and splats (KTAP)."""

import contextlib
import io
import pathlib
import sys
import tempfile
import threading
import time

import guest
import jobs
import ktap
import results
import ui


def finish(found):
    """What the user sees at the end, and the status."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = found.finish()
    return said.getvalue().splitlines(), status


def run(plan):
    found = results.Results()
    with contextlib.redirect_stdout(io.StringIO()):
        plan.run(found)
    return found


def failing():
    """A build that fails, a guest that needs it, and one that does not."""
    plan = jobs.Plan()
    seen = []

    def fail(_):
        raise ui.Failure("no space left")

    def passes(found):
        seen.append("other")
        found.add("other", "test", True, seconds=2.5)

    built = plan.add("build", fail)
    plan.add("guest", lambda found: seen.append("guest"), built, lane=jobs.SINGLE)
    plan.add("other", passes, lane=jobs.SINGLE)
    return run(plan), seen


def lanes():
    """How many jobs were at work at once, by lane."""
    plan = jobs.Plan()
    lock = threading.Lock()
    now = {jobs.BUILD: 0, jobs.SINGLE: 0}
    most = dict(now)
    together = []

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
    run(plan)
    return most, any(together)


RACE = """[   12.345678] ==================================================================
[   12.345678] BUG: KCSAN: data-race in reader / writer
[   12.345678] 
[   12.345678] write (marked) to 0xffff888003a5e2f0 of 4 bytes by task 12 on cpu 1:
[   12.345678]  writer+0x12/0x40
[   12.345678]  ours.part.0+0x34/0x56
[   12.345678]  far+0x12/0x40
[   12.345678]  caller+0x12/0x40
[   12.345678] 
[   12.345678] read to 0xffff888003a5e2f0 of 4 bytes by interrupt on cpu 0:
[   12.345678]  reader+0x12/0x40
[   12.345678] value changed: 0x00000000 -> 0x00000001
[   12.345678] ==================================================================
[   12.456789] unrelated+0x12/0x40
"""


def races(functions, more=""):
    """How many splats a console with a data race has, by which functions are ours."""
    with tempfile.TemporaryDirectory() as work:
        log = pathlib.Path(work) / "console.log"
        log.write_text(RACE + more, encoding="utf-8")
        return len(guest.splats(log, functions))


def tests():
    """Yield (name, ok) of each test."""
    with tempfile.TemporaryDirectory() as work:
        results.KTAP = pathlib.Path(work) / "results.ktap"
        results.DURATIONS = pathlib.Path(work) / "durations.txt"
        found, seen = failing()
        lines, status = finish(found)
        ktap = results.KTAP.read_text(encoding="utf-8")
        yield "a failed build ends in a count line", lines[-1] == "1 passed, 2 failed, 0 skipped"
        yield "a failed build is a failed run", status == 1
        yield "a failed build is in the KTAP", "not ok 1 comes to its end # no space left" in ktap
        yield "what failed is said once more in the end", any(
            line.endswith("comes to its end: no space left") for line in lines)
        yield "what needs it is not run, and says so", (
            "guest" not in seen and "not run, for: build" in ktap)
        yield "what does not need it is run", "other" in seen
        yield "durations are in the KTAP", "  # duration_ms: 2500" in ktap
        yield "the slowest tests are named", any("other: test" in line for line in lines)
        yield "a run without a test fails", finish(results.Results())[1] == 1

    most, together = lanes()
    yield "as many builds at once as fit", most[jobs.BUILD] == jobs.WIDTH[jobs.BUILD]
    yield "as many guests at once as CPUs", most[jobs.SINGLE] == jobs.WIDTH[jobs.SINGLE]
    yield "a build and a guest at the same time", together

    yield "a data race of ours counts", races({"ours"}) == races({"reader"}) == races(None) == 1
    yield "a data race of others does not", not races({"far", "caller", "unrelated"})
    yield "beside it, everything else does", races(set(), "WARNING: CPU: 0\n") == 1


if __name__ == "__main__":
    sys.exit(ktap.write(tests()))

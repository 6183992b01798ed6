# SPDX-License-Identifier: GPL-2.0-or-later
"""How many results each suite has, in this run and in the last one.

A suite is a group of results, and belongs to the job that made it. How long or how often it
runs is no part of its name: that may change, and it is the same suite. The numbers are kept where
outcomes.py keeps what it has, apart for full runs, another Debian and another base. Compared is
what this run has run, so a part of the tests leaves the numbers of the others as they are. A
suite with a failure leaves its own as they are, too: that is what it must come back to.

Fewer results than in the last run, or more of them skipped, are a line at the end, once; tests
may have gone for a reason. A suite without any result whose job was run is a failure, each time,
until it is back or COUNTS=new accepts that it is gone.
"""

import contextlib
import hashlib
import os
import pathlib
import re

import outcomes
from ui import BUILD, ROOT

TABLE = BUILD / "suites.txt"
OS_RELEASE = pathlib.Path("/etc/os-release")


def place(full):
    """The file with the numbers of runs like this one."""
    release = ""
    with contextlib.suppress(OSError):
        release = "".join(re.findall(r'^VERSION_CODENAME="?([^"\n]*)',
                                     OS_RELEASE.read_text(encoding="utf-8"), re.MULTILINE))
    base = hashlib.sha256((ROOT / "harness" / "base").read_bytes()).hexdigest()[:12]
    return outcomes.STORE / f"counts-{'full' if full else 'normal'}-{release}-{base}.json"


def count(found, suite):
    """Its results, and how many of them were skipped."""
    numbers = found.count(suite)
    return sum(numbers), numbers[2]


def compare(found, full=False, whole=True):
    """Compare the suites of FOUND with the last run, and keep their numbers.

    WHOLE says that nothing was left out by TARGETS or ARCH. Adds a failed test for a suite that
    is gone, and notes in FOUND what else was lost.
    """
    where = place(full)
    last = {} if os.environ.get("COUNTS") == "new" else outcomes.read(where) or {}
    job_of = {suite: job for job, suites in found.suites.items() for suite in suites}
    rows, kept = [], dict(last)

    def lose(suite, words):
        found.lost.append(f"suite {suite}: {words}")

    for suite in sorted({*last, *job_of}):
        before = last.get(suite)
        results, skipped = count(found, suite)
        if suite in job_of or before["job"] in found.suites or whole:
            rows.append((suite, results, skipped, before))
        if suite not in job_of and before["job"] not in found.suites:
            if whole:
                lose(suite, f"it is no part of the run any more (was {before['results']})")
                del kept[suite]
            continue
        if before and results < before["results"]:
            lose(suite, f"{before['results'] - results} results fewer than in the last run "
                 f"({results}, was {before['results']})")
        elif before and results - skipped < before["results"] - before["skipped"]:
            lose(suite, f"{skipped - before['skipped']} more are skipped than in the last run "
                 f"({skipped}, was {before['skipped']})")
        if suite not in job_of:
            found.add(suite, "results", False, "there are none, in the last run were "
                      f"{before['results']}; COUNTS=new accepts that")
        elif not found.count(suite)[1]:
            # A part of a job has a name of its own.
            kept[suite] = {"job": before["job"] if before and not whole else job_of[suite],
                           "results": results, "skipped": skipped}
    write(rows)
    outcomes.keep(where, kept)


def write(rows):
    """Write the table."""
    lines = ["results skipped    last skipped  suite"]
    for suite, results, skipped, before in rows:
        last = [before["results"], before["skipped"]] if before else ["-", "-"]
        lines.append(f"{results:7} {skipped:7} {last[0]:>7} {last[1]:>7}  {suite}")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")

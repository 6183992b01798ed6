# SPDX-License-Identifier: GPL-2.0-or-later
"""How many results each suite has, in this run and in the last one.

A suite is a group of results, and belongs to the job that made it. The numbers are kept where
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

import outcomes
from ui import BUILD, ROOT

TABLE = BUILD / "suites.txt"
OS_RELEASE = pathlib.Path("/etc/os-release")


def place(full):
    """The file with the numbers of runs like this one."""
    release = ""
    with contextlib.suppress(OSError):
        for line in OS_RELEASE.read_text(encoding="utf-8").splitlines():
            if line.startswith("VERSION_CODENAME="):
                release = line.partition("=")[2].strip('"')
    base = hashlib.sha256((ROOT / "harness" / "base").read_bytes()).hexdigest()[:12]
    return outcomes.STORE / f"suites-{'full' if full else 'normal'}-{release}-{base}.json"


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
    rows, kept, gone = [], dict(last), []
    for suite in sorted({*last, *job_of}):
        before = last.get(suite)
        if suite not in job_of:
            if before["job"] in found.suites:
                gone.append((suite, before))
            elif whole:
                found.lost.append(f"suite {suite}: it is no part of the run any more "
                                  f"(was {before['results']})")
                del kept[suite]
                rows.append((suite, 0, 0, before))
            continue
        results, skipped = count(found, suite)
        rows.append((suite, results, skipped, before))
        if before and results < before["results"]:
            found.lost.append(f"suite {suite}: {before['results'] - results} results fewer than in "
                              f"the last run ({results}, was {before['results']})")
        elif before and results - skipped < before["results"] - before["skipped"]:
            found.lost.append(f"suite {suite}: {skipped - before['skipped']} more are skipped than "
                              f"in the last run ({skipped}, was {before['skipped']})")
        if not found.count(suite)[1]:
            # A part of a job has a name of its own.
            kept[suite] = {"job": before["job"] if before and not whole else job_of[suite],
                           "results": results, "skipped": skipped}
    for suite, before in gone:
        found.lost.append(f"suite {suite}: {before['results']} results fewer than in the last run "
                          f"(0, was {before['results']})")
        found.add(suite, "results", False, f"there are none, in the last run were "
                  f"{before['results']}; COUNTS=new accepts that")
        rows.append((suite, 0, 0, before))
    write(rows)
    outcomes.keep(where, kept)


def write(rows):
    """Write the table."""
    lines = ["results skipped    last skipped  suite"]
    for suite, results, skipped, before in sorted(rows, key=lambda row: row[0]):
        last = [before["results"], before["skipped"]] if before else ["-", "-"]
        lines.append(f"{results:7} {skipped:7} {last[0]:>7} {last[1]:>7}  {suite}")
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")

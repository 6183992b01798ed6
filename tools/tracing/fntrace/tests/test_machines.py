#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a recording of this machine and of a guest has what both did, on one time base.

    test_machines.py DIR DATA ROUNDS FUNCTION [EVENT]

DIR is where fntrace is built. DATA was recorded while example/ping sent ROUNDS messages to
tests/answer.c in the guest, which called FUNCTION of its kernel for each; EVENT is one of this
machine's kernel, if that could be recorded.
"""

import collections
import functools
import json
import pathlib
import re
import sys

from bench import TESTS, Skip, expect, run, run_tests
import messages

DATA, ROUNDS, FUNCTION, EVENT = pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4], \
    "".join(sys.argv[5:])


@functools.cache
def replay(fntrace):
    """The listing, and what was said besides."""
    done = run(fntrace, "replay", DATA)
    return done.stdout, done.stderr


def error(fntrace):
    """How far the clocks may be apart, in ns, or None."""
    match = re.search(r"guest: aligned with host by \d+ marks of messages, error at most (\d+) ns",
                      replay(fntrace)[1])
    return match and int(match.group(1))


def aligned(bench):
    expect(error(bench.fntrace) is not None, replay(bench.fntrace)[1])


@functools.cache
def lines(fntrace):
    """How often lines are there: (machine, what, whether the guest is in opens())."""
    found = collections.Counter()
    # Whether the guest's program is in its function that calls the kernel.
    inside = False
    for line in replay(fntrace)[0].splitlines():
        match = re.match(r" *[\d.]+ (host|guest):\S+ +(?:} /\* )?(.*)", line)
        if not match:
            continue
        machine, what = match.groups()
        # GCC may have made another function of it: "receive_line.constprop.0() {".
        what = re.sub(r"\.[^(]*", "", re.split(r"[ ;]", what.removeprefix("/* "))[0])
        if (machine, what) in (("guest", "opens()"), ("guest", "opens")):
            inside = what == "opens()"
        found[machine, what, machine == "guest" and inside] += 1
    return found


def calls(wanted, *key):
    """A test of how often a line is there."""
    def test(bench):
        found = lines(bench.fntrace)[key]
        expect(found == wanted, f"{found} calls")
    return test


def kernel(bench):
    if not EVENT:
        raise Skip("no events of this machine's kernel")
    expect(lines(bench.fntrace)["host", EVENT, False] > 0, f"no {EVENT}")


def in_order(bench):
    trace = bench.work / "trace.json"
    run(bench.fntrace, "convert", "-f", "chrome", "-o", trace, DATA)
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    trouble = messages.wrong(events, error(bench.fntrace) or 0, 2 * ROUNDS)
    expect(not trouble, trouble)


def perfetto(bench):
    trace = bench.work / "trace.pftrace"
    run(bench.fntrace, "convert", "-f", "perfetto", "-o", trace, DATA)
    done = run(sys.executable, TESTS / "check_perfetto.py", trace, status=None)
    if done.returncode == 4:
        raise Skip("no package perfetto")
    expect(done.returncode == 0, done.stderr)


if __name__ == "__main__":
    run_tests(pathlib.Path(sys.argv[1]).resolve(), [
        ("the clocks are aligned by messages", aligned),
        # The last line says that it was the last.
        ("the program of this machine", calls(ROUNDS + 1, "host", "receive_line()", False)),
        ("the program of the guest", calls(ROUNDS, "guest", "opens()", True)),
        ("the guest's kernel, inside of it", calls(ROUNDS, "guest", f"{FUNCTION}()", True)),
        ("the kernel of this machine", kernel),
        ("no message arrives before it was sent", in_order),
        ("Perfetto reads it", perfetto)])

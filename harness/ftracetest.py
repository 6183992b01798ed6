# SPDX-License-Identifier: GPL-2.0-or-later
"""The base's ftracetest in a guest, test by test, across crashes.

Each test is one call of ftracetest, so that its result is known before the
next one starts. A test that ends the guest is recorded as "CRASH" and the
guest is booted again to go on behind it.

What passes on the pristine base must pass on the patched kernel. KNOWN lists
the outcomes that the pristine kernel was seen to have instead. A short run takes
these for it, as half an hour is spent on that kernel where nothing has been compiled
before. The full run boots both, and has the tests in LONG as well.
"""

import re
import time

import guest
import jobs
import kernel as kernels
import ui
from ui import LOGS, ROOT, Failure, shown

TESTS = "tools/testing/selftests/ftrace/test.d"
KNOWN = ROOT / "harness" / "ftracetest.known"
# Five minutes and two: each event is written by a process of its own. What they test, the
# buffers of hypervisors, is the base's alone: no patch touches it.
LONG = ("remotes/trace_pipe.tc", "remotes/trace.tc")
# Guests that share the tests of a kernel.
GUESTS = 2

# Programs of the host that tests call and that busybox does not have, or has without
# strtonum(); and a shell that is a program of its own, and starts others by their names,
# where busybox is all of them: tests look for names in /proc/PID/maps and in
# sched_process_exec.
PROGRAMS = ("dash=/bin/sh", "gawk=/bin/awk", "chrt", "lscpu", "nice", "readelf")

# Seconds that one test may take before it counts as hung.
LIMIT = 600


def selection(kernel, full):
    """The .tc files below test.d, in the order ftracetest runs them."""
    top = kernel.source / TESTS
    tests = sorted(str(path.relative_to(top)) for path in top.rglob("*.tc"))
    if not tests:
        raise Failure(f"{shown(kernel.source)} has no ftracetest")
    gone = set(LONG).difference(tests)
    if gone:
        raise Failure(f"{shown(kernel.source)} has no {' '.join(sorted(gone))}")
    return [test for test in tests if full or test not in LONG]


class Outcomes(dict):
    """What became of the tests on one kernel, by test.

    An outcome is ftracetest's own word, or two joined with "/" for a test that
    also runs in an instance; CRASH and TIMEOUT for a test that took the guest
    with it; SPLAT is added when the kernel's log complained meanwhile.
    """

    def __init__(self, kernel):
        super().__init__()
        self.kernel = kernel
        self.seconds = {}

    def run(self, tests, what, smp=2):
        """Run some tests; WHAT tells guests of one kernel apart."""
        kernel = self.kernel
        left = list(tests)
        boots = 0
        with ui.Step(f"ftracetest on the {kernel.what}, {what}", len(left)) as step:
            while left:
                boots += 1
                name = f"ftracetest-{kernel.label}-{what.replace(' ', '-')}-{boots}"
                self.boot(left, name, smp, step)
                before, left = left, [test for test in left if test not in self]
                if left == before:
                    raise Failure(f"{kernel.what}: a guest has run none of {len(left)} tests "
                                  f"(log: build/log/{name}.log)")

    def boot(self, tests, name, smp, step):
        """Run tests up to the first that ends the guest."""
        running, words, began = None, [], 0

        def on_line(line):
            nonlocal running, words, began
            kind, _, word = (line or "").partition(" ")
            if line is None:
                running = None
            elif kind == "@begin":
                running, words, began = word, [], time.monotonic()
                step.note = running
            elif kind == "@outcome":
                words.append(word)
            elif kind == "@end":
                self[running] = "/".join(words) or "UNDEFINED"
                self.seconds[running] = time.monotonic() - began
                running = None
                step.advance()

        result = guest.boot(
            self.kernel, guest.script("ftracetest", LIMIT=LIMIT), name, smp=smp,
            files={"tests": "\n".join(tests) + "\n"}, on_line=on_line, programs=PROGRAMS,
            timeout=3 * 3600, idle=LIMIT + 60)
        if running:
            self[running] = "TIMEOUT" if result.timed_out else "CRASH"
            step.advance()
        elif result.crashed:
            raise Failure(f"{self.kernel.what}: the guest died between two tests "
                          f"(log: build/log/console-{name}.log)")
        for test in splats_by_test(LOGS / f"console-{name}.log"):
            if not self.get(test, "CRASH").startswith(("CRASH", "TIMEOUT")):
                self[test] += "+SPLAT"

    def again(self, tests):
        """Some tests depend on timing and fail now and then on any kernel: what
        ftracetest reports counts if it comes a second time, alone."""
        first = {test: self.pop(test) for test in tests}
        if first:
            self.run(tests, "failed tests again")
        for test, outcome in first.items():
            self[test] = f"{second_time(outcome, self[test])} (first {outcome})"


def splats_by_test(log):
    """The tests during which the kernel's log complained."""
    running, found = None, set()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        match = re.search(r"ftracetest: (begin|end) (\S+)", line)
        if match:
            running = match.group(2) if match.group(1) == "begin" else None
        elif running and guest.SPLAT.search(line):
            found.add(running)
    return found


def passed(outcome):
    """Whether an outcome is one that a test may have on a healthy kernel."""
    return bool(re.fullmatch(r"(PASS|XFAIL)(/(PASS|XFAIL))*( \(first .*\))?", outcome))


def second_time(first, again):
    """What came in both attempts at a test.

    At the top level and in an instance, a test is two tests: one that passed the first time
    has not failed a second time. trigger-hist-poll.tc takes a process that is seen to end
    for one that has ended, and failed in one of 60 runs on the pristine kernel.
    """
    firsts, words = first.split("/"), again.split("/")
    if len(firsts) != len(words) or again.endswith("+SPLAT"):
        return again
    return "/".join(one if passed(one) else two for one, two in zip(firsts, words))


def known():
    """The outcomes in KNOWN."""
    return dict(line.split("\t")[:2] for line in KNOWN.read_text(encoding="utf-8").splitlines()
                if line and not line.startswith("#"))


def compare(found, before, after):
    """What passes on the pristine base must pass on the patched kernel.

    BEFORE has the outcomes of the pristine kernel, run or known. A test that
    both kernels do not pass in the same way is no regression and counts as
    skipped; one that only exists on the patched kernel must pass.
    """
    for test in sorted({*before, *after}):
        was, now = before.get(test, "-"), after.get(test, "-")
        fine = passed(was) or was == "-"
        ok = passed(now) or (False if fine else None)
        words = f"{was} on the pristine base, {now} here"
        found.add("ftracetest", test, ok, "" if ok and fine else words,
                  None if ok is None else after.seconds.get(test))


def plan(jobs_plan, built, patched, full):
    """The jobs: the tests on the patched kernel, and in the full run on the pristine."""
    pristine = kernels.Kernel("x86_64", pristine=True)

    def part(kernel, number):
        outcomes = Outcomes(kernel)
        outcomes.run(selection(kernel, full)[number::GUESTS], f"part {number + 1}")
        return [outcomes, outcomes.seconds]

    def parts(kernel, need):
        return [jobs_plan.add(f"ftracetest on the {kernel.what}, part {number + 1}",
                              lambda found, number=number: part(kernel, number), need,
                              lane=jobs.SINGLE) for number in range(GUESTS)]

    def whole(kernel, done):
        outcomes = Outcomes(kernel)
        for words, seconds in (job.value for job in done):
            outcomes.update(words)
            outcomes.seconds.update(seconds)
        return outcomes

    on_patched, on_pristine = parts(patched, built), parts(pristine, jobs_plan.add(
        "build pristine x86_64", lambda found: pristine.build())) if full else []

    def judge(found):
        after = whole(patched, on_patched)
        after.again([test for test, outcome in after.items()
                     if not passed(outcome) and known().get(test) != outcome
                     and not re.search("CRASH|TIMEOUT|SPLAT", outcome)])
        before = whole(pristine, on_pristine) if full else \
            {**dict.fromkeys(selection(pristine, full), "PASS"), **known()}
        compare(found, before, after)

    # It boots the patched kernel again, whether or not the parts are of this run.
    jobs_plan.add("ftracetest: compare", judge, built, *on_patched, *on_pristine)

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of continued.py: made-up runs that are killed and go on (KTAP).

    continuedtest.py DIRECTORY [ARGUMENT...]    such a run, as test.py would make it
"""

import contextlib
import io
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import continued
import ftracetest
import jobs
import ktap
import outcomes
import results
import test
import ui

PATIENCE = 60
MARK = "from the interrupted run"


# --- the made-up run --------------------------------------------------------

def planned(work):
    """The plan: each job writes down that it ran, and some do as files in WORK say."""
    plan = jobs.Plan()

    def ran(name):
        with open(work / "ran", "a", encoding="utf-8") as log:
            log.write(f"{name}\n")

    def add(name, function, *needs, lane=jobs.SINGLE):
        def noted(found):
            ran(name)
            return function(found)
        return plan.add(name, noted, *needs, lane=lane)

    def test_of(name):
        return lambda found: found.add("group", name, not (work / f"{name} fails").exists(),
                                       "words", 1.5)

    def passes(found):
        found.add("group", "passes", True, "", 2.5)
        found.add("group", "is skipped", None, "for a reason")

    def raises(found):
        if (work / "raises").exists():
            raise ui.Failure("no space left")
        found.add("group", "raises", True)

    def piece(found):
        ran("piece")
        found.add("group", "piece", True)

    def hangs(found):
        outcomes.again(found, outcomes.place("piece"), piece)
        others = plan.jobs[:plan.jobs.index(hung)]
        while any(job.state in ("waits", "runs") for job in others):
            time.sleep(0.01)
        (work / "hangs").touch()
        with contextlib.suppress(FileNotFoundError):
            if (work / "hang").read_text(encoding="utf-8"):
                # What it ends with makes no difference here.
                ui.run(["sleep", PATIENCE])
            else:
                time.sleep(PATIENCE)
        found.add("group", "hangs", True)

    build = add("build", lambda found: None, lane=jobs.BUILD)
    unused = add("build of what passed", lambda found: None, lane=jobs.BUILD)
    add("passes", passes, unused)
    part = add("part", lambda found: {"a": 1}, build)
    add("judge", lambda found: found.add("group", "judge", part.value == {"a": 1}
                                         and not (work / "judge fails").exists()), build, part)
    add("fails", test_of("fails"), build)
    add("raises", raises)
    # Not in the lane of those that it waits for, which one CPU has room for one of.
    hung = add("hangs", hangs, lane=jobs.BUILD)
    add("last", test_of("last"), hung)
    return plan


def child(work, *args):
    """test.py with another plan and nothing to assemble, in WORK."""
    ui.BUILD = work
    continued.STORE, outcomes.STORE = work / "full", work / "outcomes"
    results.KTAP, results.DURATIONS = work / "results.ktap", work / "durations.txt"
    continued.repository = lambda: (work / "state").read_text(encoding="utf-8")
    outcomes.installed = lambda: (work / "packages").read_text(encoding="utf-8")
    outcomes.prune = test.series.tree = test.kernels.pristine_tree = lambda: None
    test.series.mail = lambda addressed: None
    test.lint.sources = lambda: "tree"
    test.install_elsewhere = lambda: None
    test.plan_all = lambda wanted: planned(work)
    sys.argv[1:] = args
    # Ignored in what a shell starts in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    ui.main(test.main)


# --- looking at it ----------------------------------------------------------

ALL = {"build", "build of what passed", "passes", "part", "judge", "fails", "raises", "hangs",
       "piece", "last"}


class Runs:
    """Runs in one directory."""

    def __init__(self, work, *does):
        self.work = work
        self.write("state", "one")
        self.write("packages", "one")
        for what in does:
            self.write(what, "")

    def write(self, name, text):
        (self.work / name).write_text(text, encoding="utf-8")

    def start(self, *args, **variables):
        for name in ("ran", "hangs"):
            (self.work / name).unlink(missing_ok=True)
        env = {name: value for name, value in os.environ.items()
               if name not in ("OUTCOMES", "ACCEL")}
        return subprocess.Popen([sys.executable, __file__, self.work, *args],
                                env={**env, **variables}, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)

    def killed(self, *args, number=signal.SIGKILL, **variables):
        """A run that hangs, and is ended by a signal."""
        # A command would be left behind by SIGKILL.
        self.write("hang", "" if number == signal.SIGKILL else "in a command")
        process = self.start(*args, **variables)
        deadline = time.monotonic() + PATIENCE
        while not (self.work / "hangs").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(number)
        status = process.wait(PATIENCE)
        process.stdout.close()
        (self.work / "hang").unlink()
        return self.ran(), status

    def whole(self, *args, **variables):
        """A run to its end; returns what ran and what it said."""
        process = self.start(*args, **variables)
        said, _ = process.communicate(timeout=PATIENCE)
        return self.ran(), said

    def ran(self):
        names = (self.work / "ran").read_text(encoding="utf-8").split("\n")[:-1]
        # A job that ran twice in one run shows.
        return set(names) if len(set(names)) == len(names) else names

    def ktap(self):
        return (self.work / "results.ktap").read_text(encoding="utf-8")

    def kept(self):
        """The files of records by the names of the jobs."""
        return {path.name: path for path in (self.work / "full").rglob("*")
                if path.is_file() and path.name != "began"}


@contextlib.contextmanager
def runs(*does):
    with tempfile.TemporaryDirectory() as work:
        yield Runs(pathlib.Path(work), *does)


def killed_and_continued():
    with runs("fails fails", "raises") as run:
        ran, status = run.killed("full")
        yield "a run is killed in its middle", ran == ALL - {"last"} and status == -signal.SIGKILL
        (run.work / "fails fails").unlink()
        (run.work / "raises").unlink()
        ran, said = run.whole("full")
        yield "what passed does not run twice", not ran & {"passes", "part", "judge"}
        yield "what failed runs again", {"fails", "raises"} <= ran
        yield "what did not end, and what waited for it, runs", {"hangs", "last"} <= ran
        yield "of that, what does not depend on a guest does not run twice", "piece" not in ran
        yield "a build runs again for a job that does", "build" in ran
        yield "a build that no job waits for does not", "build of what passed" not in ran
        yield "one line says so", bool(re.search(
            r"^taking over 4 jobs of the run that was interrupted after 20\S+ \d\d:\d\d; "
            r"OUTCOMES=no runs all$", said, re.MULTILINE))
        yield "another names what failed", "what failed in it runs again: fails, raises\n" in said
        yield "all results count", said.endswith("\n7 passed, 0 failed, 1 skipped\n")
        ktap = run.ktap()
        yield "what is taken over is marked, and only that", (
            re.findall(rf"^  ok \d+ (.*?) #.*{MARK}$", ktap, re.MULTILINE)
            == ["passes", "is skipped", "judge"])
        yield "its words and times are as they were", (
            f"is skipped # SKIP for a reason, {MARK}\n" in ktap
            and f"passes # {MARK}\n  # duration_ms: 2500\n" in ktap)
        durations = (run.work / "durations.txt").read_text(encoding="utf-8")
        yield "durations are of the whole run", all(
            len(re.findall(rf"^ *\d+:\d\d +\d+:\d\d  {name}( \({MARK}\))?$", durations,
                           re.MULTILINE)) == 1 for name in ALL - {"piece"})
        yield "a run that came to its end leaves nothing", not (run.work / "full").exists()
        ran, said = run.whole("full")
        yield "the next one begins from nothing", ran == ALL and "taking over" not in said


def interrupted():
    for number, name in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        with runs() as run:
            _, status = run.killed("full", number=number)
            yield f"a run ends by {name}", status == 130
            ran, said = run.whole("full")
            yield f"it goes on after {name}", (
                ran == {"hangs", "last"} and "runs again" not in said
                and said.endswith("\n7 passed, 0 failed, 1 skipped\n"))
    with runs() as run:
        run.killed("full")
        ran = run.killed("full")[0]
        yield "a second interruption loses nothing", (
            ran == {"hangs"} and run.whole("full")[0] == {"hangs", "last"})


def failures():
    with runs("judge fails") as run:
        run.killed("full")
        (run.work / "judge fails").unlink()
        ran, said = run.whole("full")
        yield "what a failed job was made from runs again", (
            {"part", "judge"} <= ran and "passes" not in ran and "7 passed, 0 failed" in said)
    with runs("fails fails") as run:
        ran, said = run.whole("full")
        yield "a run that failed at its end leaves nothing", (
            "1 failed" in said and not run.kept() and run.whole("full")[0] == ALL)


def other_state():
    with runs() as run:
        run.killed("full")
        run.write("state", "two")
        ran, said = run.whole("full")
        yield "in another state, nothing is taken over", ran == ALL and MARK not in run.ktap()
        yield "it is said", "another state of files, packages or the machine" in said
        run.write("state", "one")
        yield "back in the first one, it goes on", run.whole("full")[0] == {"hangs", "last"}
    with runs() as run:
        run.killed("full")
        for path in (run.work / "full").iterdir():
            os.utime(path, (0, time.time() - (outcomes.DAYS + 1) * 86400))
        ran, said = run.whole("full")
        yield "what is old goes", ran == ALL and "interrupted" not in said
    with runs() as run:
        run.killed("full")
        run.write("packages", "two")
        yield "with another package, nothing is taken over", run.whole("full")[0] == ALL
    with runs() as run:
        run.killed("full")
        yield "with other options, nothing is taken over", (
            run.whole("full", "ARCH=x86_64")[0] == ALL)
        yield "and nothing is lost", run.whole("full")[0] == {"hangs", "last"}
    with runs() as run:
        run.killed("full")
        yield "under another accelerator, nothing is taken over", (
            run.whole("full", ACCEL="tcg")[0] == ALL)
    with runs() as run:
        run.killed("full")
        yield "OUTCOMES=no takes nothing over", run.killed("full", OUTCOMES="no")[0] == (
            ALL - {"last"})
        # The records are those of the second run now.
        run.write("state", "one")
        yield "what it found is taken over", run.whole("full")[0] == {"hangs", "last"}
    with runs() as run:
        run.killed()
        yield "a run that is not full keeps nothing", not run.kept()
        run.killed("full")
        yield "and takes nothing over", (
            run.whole()[0] == ALL - {"piece"} and "passes" in run.kept())


def torn():
    with runs() as run:
        run.killed("full")
        for name, path in run.kept().items():
            text = path.read_text(encoding="utf-8")
            path.write_text(text[:len(text) // 2] if name != "part" else "", encoding="utf-8")
        yield "a record that is cut off is none", run.whole("full")[0] == ALL - {"piece"}


# --- in this process --------------------------------------------------------

def quietly(plan, found, *args):
    with contextlib.redirect_stdout(io.StringIO()):
        plan.run(found, *args)


def inside():
    """What a process that is killed cannot show each time."""
    with tempfile.TemporaryDirectory() as work:
        continued.STORE = pathlib.Path(work) / "full"
        state = ["one"]
        repository, continued.repository = continued.repository, lambda: state[0]

        def run(function, tree="tree"):
            plan, found = jobs.Plan(), results.Results()
            plan.add("job", function)
            with contextlib.redirect_stdout(io.StringIO()):
                kept = continued.Continued(tree, [])
            quietly(plan, found, kept)
            ui.STOPPING.clear()
            return kept, found

        def ends_as_interrupted(found):
            ui.STOPPING.set()
            found.add("group", "test", True)

        kept, _ = run(ends_as_interrupted)
        yield "what ends as the user interrupts is not kept", kept.recall("job") is None
        began = kept.began
        yield "a run that goes on began when it did before", (
            time.time() - 60 < began == continued.Continued("tree", []).began < time.time())
        yield "one that begins anew did not", (
            began < continued.Continued("tree", [], recalled=False).began)

        def edits(found):
            state[0] = "two"
            found.add("group", "test", True)

        kept, _ = run(edits)
        state[0] = "one"
        yield "nor is it when a file changed", kept.recall("job") is None
        kept, found = run(lambda found: found.add("group", "test", True), tree=None)
        yield "with edits in build/linux nothing is kept", (
            found.count() == (1, 0, 0) and kept.recall("job") is None and kept.began == math.inf)

        kept = continued.Continued("tree", [])
        kept.keep("job", at=100, took=50, tests=[["group", "test", True, "", 2]], value=[1],
                  failed=False)
        record = kept.place("job").read_text(encoding="utf-8")
        cut = []
        for length in range(len(record)):
            kept.place("job").write_text(record[:length], encoding="utf-8")
            cut.append(kept.recall("job"))
        kept.place("job").write_text('{"at": 1}', encoding="utf-8")
        yield "a record without its end is none, wherever it ends", cut == [None] * len(record)
        yield "nor is one of another form", kept.recall("job") is None

        kept.place("job").write_text(record, encoding="utf-8")
        plan, found = jobs.Plan(), results.Results()
        with found.job("before"):
            pass
        job = plan.add("job", None)
        quietly(plan, found, kept)
        yield "a job has what it returned", job.value == [1]
        times = {name: (at, took) for at, took, name in found.jobs}
        yield "times go on where they ended", (
            times[f"job ({MARK})"] == (100, 50) and 150 <= times["before"][0] < 160
            and 150 <= found.elapsed() < 160)
        continued.repository = repository


def ftracetests():
    """The judge of ftracetest has the outcomes of the parts, whichever run they are of."""
    ran, built, seen = [], [], []

    def run(self, tests, what, smp=2):
        ran.append((self.kernel.label, what))
        self.update({test: f"PASS on {self.kernel.label}" for test in tests})
        self.seconds.update(dict.fromkeys(tests, 1.5))

    ftracetest.Outcomes.run = run
    ftracetest.Outcomes.again = lambda self, tests: None
    ftracetest.selection = lambda kernel: ["a.tc", "b.tc", "c.tc"]
    ftracetest.known = dict
    test.kernels.Kernel.build = lambda self: built.append(self.label)
    ftracetest.compare = lambda found, before, after: (
        seen.append((dict(before), before.seconds, dict(after), after.seconds)),
        found.add("ftracetest", "all", True))
    with tempfile.TemporaryDirectory() as work:
        continued.STORE = pathlib.Path(work) / "full"
        kept = continued.Continued("tree", [])
        for _ in range(2):
            plan = jobs.Plan()
            build = plan.add("build x86_64", lambda found: built.append("x86_64"))
            ftracetest.plan(plan, build, test.kernels.Kernel("x86_64"), True)
            quietly(plan, results.Results(), kept)
            kept.forget("ftracetest: compare")
    yield "ftracetest runs once on each kernel", len(ran) == len(set(ran)) == 4
    yield "the kernel that is booted to compare is built again", (
        sorted(built) == ["x86_64", "x86_64", "x86_64-base"])
    yield "what it found is compared each time", len(seen) == 2 and seen[0] == seen[1]
    yield "with all tests of both kernels", (
        seen[0][0] == dict.fromkeys(("a.tc", "b.tc", "c.tc"), "PASS on x86_64-base")
        and seen[0][3] == dict.fromkeys(("a.tc", "b.tc", "c.tc"), 1.5)
        and set(seen[0][2].values()) == {"PASS on x86_64"})


def states():
    """What is another state of the repository."""
    with tempfile.TemporaryDirectory() as work:
        top = pathlib.Path(work)

        def git(*args):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *args],
                           cwd=top, check=True, capture_output=True)

        continued.ROOT = test.series.ROOT = top
        git("init", "--quiet")
        (top / ".gitignore").write_text("/build/\n", encoding="utf-8")
        (top / "file").write_text("one", encoding="utf-8")
        git("add", "--all")
        yield "without a commit, the state is not known", continued.repository() is None
        git("commit", "--quiet", "--message=one")
        before = continued.repository()
        (top / "build").mkdir()
        (top / "build" / "file").write_text("built", encoding="utf-8")
        os.utime(top / "file", (0, 0))
        yield "times and what git ignores are not part of it", continued.repository() == before

        seen = [before]
        for change in (lambda: (top / "file").write_text("two", encoding="utf-8"),
                       lambda: git("commit", "--quiet", "--all", "--message=two"),
                       lambda: (top / "new").write_text("", encoding="utf-8"),
                       lambda: (top / "new").rename(top / "renamed"),
                       lambda: (top / "renamed").chmod(0o755),
                       lambda: (top / "file").unlink()):
            change()
            seen.append(continued.repository())
        (top / "nested").mkdir()
        subprocess.run(["git", "init", "--quiet"], cwd=top / "nested", check=True)
        yield "with a file that cannot be read, the state is not known", (
            continued.repository() is None)
        yield "an edit, a commit, a new file, its name, its mode, one file less are", (
            len(set(seen)) == 7)


def names():
    with contextlib.redirect_stdout(io.StringIO()):
        planned_names = [job.name for job in test.plan_all(test.Selection(["full"])).jobs]
    return len(planned_names) > 30 and len(set(planned_names)) == len(planned_names)


def tests():
    """Yield (name, ok) of each test."""
    for some in (killed_and_continued, interrupted, failures, other_state, torn):
        yield from some()
    # Somebody may install something meanwhile.
    outcomes.installed = lambda: "packages"
    yield "no two jobs of the full run have the same name", names()
    for some in (inside, ftracetests, states):
        yield from some()


if __name__ == "__main__":
    if sys.argv[1:]:
        child(pathlib.Path(sys.argv[1]), *sys.argv[2:])
    else:
        writer = ktap.Writer()
        for test_name, passed in tests():
            writer.add(test_name, bool(passed))
        sys.exit(writer.end())

# SPDX-License-Identifier: GPL-2.0-or-later
"""outcomes.py: what is kept, what runs again, and full runs that are interrupted and go on."""

import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import ftracetest
import jobs
import outcomes
import results
import test
import ui
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


# --- full runs that are interrupted ----------------------------------------

MARK = "from the interrupted run"
PATIENCE = 60


def made_up(work, fails=()):
    """A plan of nine jobs, and the names of those that ran."""
    plan, ran = jobs.Plan(), []

    def add(name, function, *needs):
        def noted(found):
            ran.append(name)
            return function(found)

        return plan.add(name, noted, *needs, lane=jobs.SINGLE)

    def result_of(name, ok=True):
        return lambda found: found.add("group", name, ok, "words", 1.5)

    def raises(found):
        if "raises" in fails:
            raise ui.Failure("no space left")
        found.add("group", "raises", None, "for a reason")
        found.add("group", "does not raise", True)

    def hangs(found):
        outcomes.again(found, outcomes.place("piece"), result_of("piece"))
        while any(job.state in ("waits", "runs") for job in plan.jobs[:plan.jobs.index(hung)]):
            time.sleep(0.01)
        (work / "hangs").touch()
        if "hangs" in fails:
            ui.run(["sleep", PATIENCE])

    build = add("build", lambda found: None)
    unused = add("build of what passed", lambda found: None)
    add("passes", result_of("passes"), unused)
    part = add("part", lambda found: {"a": 1}, build)
    add("judge", lambda found: found.add("group", "judge", part.value == {"a": 1}
                                         and "judge" not in fails), build, part)
    add("fails", result_of("fails", "fails" not in fails), build)
    add("raises", raises)
    # In a lane of its own: one CPU has room for one of the others.
    hung = add("hangs", hangs)
    hung.lane = jobs.BUILD
    add("last", result_of("last"), hung)
    return plan, ran


ALL = {"build", "build of what passed", "passes", "part", "judge", "fails", "raises", "hangs",
       "last"}


def child(work, *fails):
    """test.py in WORK with the made-up plan, and nothing to assemble."""
    work = pathlib.Path(work)
    ui.BUILD = ui.LOGS = work
    outcomes.RUNS, outcomes.STORE = work / "full", work / "outcomes"
    results.KTAP, results.DURATIONS = work / "results.ktap", work / "durations.txt"
    test.suites.TABLE = work / "suites.txt"
    outcomes.repository = outcomes.installed = lambda: "one"
    test.series.tree = test.kernels.pristine_tree = test.install_elsewhere = lambda: None
    test.series.branches = lambda: None
    test.lint.sources = lambda: "tree"
    test.plan_all = lambda wanted: made_up(work, fails)[0]
    # Ignored in what a shell starts in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv[1:] = ["full"]
    ui.main(test.main)


class Killed(Case):
    """A process that is ended, and the next one."""

    def start(self, *fails):
        """Run child() in a process of its own."""
        (self.work / "hangs").unlink(missing_ok=True)
        return subprocess.Popen(
            [sys.executable, "-c", f"import test_outcomes; test_outcomes.child{fails!r}"],
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def test_signals(self):
        self.environ(OUTCOMES=None, ACCEL=None)
        self.put(results, KTAP=self.work / "results.ktap")
        for number, status in ((signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 130)):
            with self.subTest(number.name), self.start(str(self.work), "hangs") as process:
                deadline = time.monotonic() + PATIENCE
                while not (self.work / "hangs").exists() and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(0.2)
                process.send_signal(number)
                self.assertEqual(process.wait(PATIENCE), status)
                with self.start(str(self.work)) as following:
                    said, _ = following.communicate(timeout=PATIENCE)
                self.assertIn("\ntaking over 7 of 9 jobs of the run that was interrupted; "
                              "OUTCOMES=no runs all\n", "\n" + said)
                self.assertTrue(said.endswith("\n6 passed, 0 failed, 1 skipped\n"), said)
                self.assertIn("piece # words, as in an earlier run\n",
                              results.KTAP.read_text(encoding="utf-8"))
                self.assertEqual(list((self.work / "full").iterdir()), [])


class Resumed(Case):
    """Runs in this process; one that is interrupted has no last job."""

    def setUp(self):
        super().setUp()
        self.state = "one"
        self.environ(ACCEL=None)
        self.put(outcomes, STORE=self.work / "outcomes", RUNS=self.work / "full", SINCE=0,
                 repository=lambda: self.state, installed=lambda: "packages")
        self.put(results, KTAP=self.work / "results.ktap", DURATIONS=self.work / "durations.txt")

    def run_jobs(self, fails=(), *, interrupted=False, tree="tree", options=()):
        """Returns which jobs ran, and the results."""
        kept = outcomes.Run(tree, options)
        self.put(outcomes, SINCE=kept.began)
        plan, ran = made_up(self.work, fails)
        if interrupted:
            plan.jobs.pop()
        found = results.Results()
        plan.run(found, kept)
        if not interrupted:
            kept.done()
        outcomes.SINCE = 0
        self.assertEqual(len(ran), len(set(ran)))
        return set(ran), found

    def job(self, function, tree="tree"):
        """A run of one job; returns what is kept of it, and when the run began."""
        kept, plan = outcomes.Run(tree, []), jobs.Plan()
        plan.add("job", function)
        plan.run(results.Results(), kept)
        ui.STOPPING.clear()
        return kept.recall("job"), kept.began

    def test_goes_on(self):
        self.run_jobs(("fails", "raises"), interrupted=True)
        ran, found = self.run_jobs()
        self.equal("what failed, what did not run, and the build that one needs run",
                   ran, {"build", "fails", "raises", "last"})
        self.equal("all results count", found.count(), (6, 0, 1))
        found.finish()
        ktap = results.KTAP.read_text(encoding="utf-8")
        self.equal("what is taken over is marked, and only that",
                   re.findall(rf"^  ok \d+ (.*?) #.*{MARK}$", ktap, re.MULTILINE),
                   ["passes", "judge", "piece"])
        self.true("its words and times are as they were",
                  f"passes # words, {MARK}\n  # duration_ms: 1500\n" in ktap, ktap)
        self.equal("all jobs have durations", {
            name.removesuffix(f" ({MARK})") for _, _, name in found.jobs}, ALL)
        self.equal("the next run begins from nothing", self.run_jobs()[0], ALL)

    def test_twice(self):
        self.run_jobs(interrupted=True)
        self.equal("a second interruption", self.run_jobs(interrupted=True)[0], set())
        self.equal("loses nothing", self.run_jobs()[0], {"last"})

    def test_failures(self):
        self.run_jobs(("judge",), interrupted=True)
        self.equal("what a failed job was made from runs again", self.run_jobs()[0],
                   {"build", "part", "judge", "last"})
        self.run_jobs(("fails",))
        self.equal("a run that failed at its end leaves nothing", self.run_jobs()[0], ALL)

    def test_other_state(self):
        self.run_jobs(interrupted=True)
        self.equal("with other options, all runs", self.run_jobs(options=["ARCH=x86_64"])[0], ALL)
        self.state = "two"
        self.equal("with other files as well", self.run_jobs()[0], ALL)
        self.state = "one"
        self.equal("and nothing is lost", self.run_jobs()[0], {"last"})
        for name, change in (("package", lambda: self.put(outcomes, installed=lambda: "other")),
                             ("accelerator", lambda: self.environ(ACCEL="tcg"))):
            self.run_jobs(interrupted=True)
            change()
            self.equal(f"with another {name}", self.run_jobs()[0], ALL)

    def test_outcomes_no(self):
        self.run_jobs(interrupted=True)
        self.put(outcomes, SINCE=math.inf)
        self.equal("OUTCOMES=no takes nothing over", self.run_jobs(interrupted=True)[0],
                   ALL - {"last"})
        self.equal("what it found is taken over", self.run_jobs()[0], {"last"})

    def test_not_kept(self):
        def stops(found):
            ui.STOPPING.set()
            found.add("group", "test", True)

        def edits(found):
            self.state = "two"
            found.add("group", "test", True)

        self.equal("what ends as the user interrupts", self.job(stops)[0], None)
        self.equal("what ends when a file changed", self.job(edits)[0], None)
        self.equal("with edits in build/linux, anything", self.job(
            lambda found: found.add("group", "test", True), tree=None), (None, math.inf))

    def test_began(self):
        _, began = self.job(lambda found: None)
        self.equal("a run that goes on began when it did", self.job(lambda found: None)[1], began)
        self.put(outcomes, SINCE=math.inf)
        self.true("one that begins anew did not", self.job(lambda found: None)[1] > began)

    def test_torn(self):
        self.run_jobs(interrupted=True)
        for path in (self.work / "full").rglob("*"):
            if path.is_file() and path.name != "began":
                text = path.read_text(encoding="utf-8")
                path.write_text(text[:len(text) // 2], encoding="utf-8")
        self.assertEqual(self.run_jobs()[0], ALL)

    def test_ftracetest(self):
        """The judge of ftracetest has the outcomes of the parts, whichever run they are of."""
        ran, built, seen = [], [], []

        def run(self, tests, what, smp=2):
            ran.append((self.kernel.label, what))
            self.update({test: f"PASS on {self.kernel.label}" for test in tests})
            self.seconds.update(dict.fromkeys(tests, 1.5))

        self.put(ftracetest.Outcomes, run=run, again=lambda self, tests: None)
        self.put(test.kernels.Kernel, build=lambda self: built.append(self.label))
        self.put(ftracetest, selection=lambda kernel, full: ["a.tc", "b.tc", "c.tc"],
                 known=dict,
                 compare=lambda found, before, after: (
                     seen.append((dict(before), before.seconds, dict(after), after.seconds)),
                     found.add("ftracetest", "all", True)))
        for _ in range(2):
            kept, plan = outcomes.Run("tree", []), jobs.Plan()
            build = plan.add("build x86_64", lambda found: built.append("x86_64"))
            ftracetest.plan(plan, build, test.kernels.Kernel("x86_64"), True)
            plan.run(results.Results(), kept)
            kept.forget("ftracetest: compare")
        self.equal("it runs once on each kernel", (len(ran), len(set(ran))), (4, 4))
        self.equal("the kernel that is booted to compare is built again",
                   sorted(built), ["x86_64", "x86_64", "x86_64-base"])
        self.equal("what it found is compared each time, with all tests of both kernels", seen, [
            tuple(dict.fromkeys(("a.tc", "b.tc", "c.tc"), value)
                  for value in ("PASS on x86_64-base", 1.5, "PASS on x86_64", 1.5))] * 2)

    def test_names(self):
        names = [job.name for job in test.plan_all(test.Selection(["full"])).jobs]
        self.assertGreater(len(names), 30)
        self.assertEqual(len(set(names)), len(names))


class Repository(Case):
    """What is another state of it."""

    def test_states(self):
        def git(*args):
            subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *args],
                           cwd=self.work, check=True, capture_output=True)

        def write(name, text):
            (self.work / name).write_text(text, encoding="utf-8")

        self.put(outcomes, ROOT=self.work)
        self.put(outcomes.series, ROOT=self.work)
        git("init", "--quiet")
        write(".gitignore", "/build\n")
        write("file", "one")
        git("add", "--all")
        self.equal("without a commit, it is not known", outcomes.repository(), None)
        git("commit", "--quiet", "--message=one")
        before = outcomes.repository()
        write("build", "built")
        os.utime(self.work / "file", (0, 0))
        self.equal("times and what git ignores are not part of it", outcomes.repository(), before)
        seen = [before]
        for name, change in (
                ("an edit", lambda: write("file", "two")),
                ("a commit", lambda: git("commit", "--quiet", "--all", "--message=two")),
                ("a new file", lambda: write("new", "")),
                ("its name", lambda: (self.work / "new").rename(self.work / "renamed")),
                ("its mode", lambda: (self.work / "renamed").chmod(0o755)),
                ("one file less", (self.work / "file").unlink)):
            change()
            with self.subTest(name):
                self.assertNotIn(outcomes.repository(), seen)
            seen.append(outcomes.repository())
        (self.work / "nested").mkdir()
        subprocess.run(["git", "init", "--quiet"], cwd=self.work / "nested", check=True)
        self.equal("with a file that cannot be read, it is not known", outcomes.repository(), None)

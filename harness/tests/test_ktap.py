# SPDX-License-Identifier: GPL-2.0-or-later
"""ktap.py, and every kind of suite with a runner that dies half way."""

import io
import pathlib
import subprocess

import bench
import check
import compilefail
import fntrace
import ftracetest
import guest
import kernel as kernels
import ktap
import results
import ringbuffer
import test
import ui
import walks
from support import Case

SKIPS = ("1..5|ok 1 - a # SKIP no program|ok 2 b # skip: none|ok 3 c (why) # SKIP|"
         "not ok 4 - d # Wrong: it|ok 5 e - f")
SKIPPED = [("a", None, "no program"), ("b", None, "none"), ("c (why)", None, ""),
           ("d", False, "Wrong: it"), ("e - f", True, "")]


def lines_of(name):
    """The lines of a file in tests/ktap/, behind that with the licence."""
    file = pathlib.Path(__file__).parent / "ktap" / name
    return file.read_text(encoding="utf-8").splitlines()[1:]


def table(name):
    """The rows of such a file."""
    return [[None if cell in ("-", "None") else cell for cell in line.split("\t")]
            for line in lines_of(name) if not line.startswith("#")]


def read(text, status, **options):
    """A Reader that has read text, and what it says at the end."""
    reader = ktap.Reader(**options)
    for line in text.split("|"):
        reader.line(line)
    return reader, reader.end(status)


class Reader(Case):
    """What a reader makes of lines."""

    def test_deaths(self):
        for name, text, status, words in table("deaths"):
            _, said = read(text or "", int(status) if status and status[-1].isdigit() else status)
            with self.subTest(name):
                self.assertNotIn("\n", said)
                self.assertIn(words or "", said)
                self.assertEqual(bool(words), bool(said), said)

    def test_parts(self):
        for name, nested, text, words in table("parts"):
            reader, said = read(text, 0, nested=nested)
            bad = [one.path for one in reader.tests if one.ok is False]
            self.equal(name, bad or [said][not said:], [words][not words:])

    def test_words(self):
        reader, said = read(SKIPS, 1)
        self.equal("SKIP and \" - \"", (said, [(one.name, one.ok, one.detail)
                                             for one in reader.tests]), ("", SKIPPED))
        reader, said = read("1..1|# got 2|not ok 1 a", 1)
        self.equal("why a test failed", reader.tests[0].detail, "got 2")
        reader, said = read("1..1|    # Subtest: s|    1..1|    ok 1 a|ok 1 s", 0, nested=True)
        self.equal("a test is not one more beside its parts", [
            one.path for one in reader.tests if one.own], ["s/a"])
        reader.line(None)
        self.equal("what is void is forgotten", (reader.tests, reader.end()),
                   ([], "no result came"))

    def test_writer(self):
        out = io.StringIO()
        writer = ktap.Writer(out)
        writer.add("a", True)
        writer.add("b", False)
        self.true("what dies has no plan", "no plan" in read(
            out.getvalue().replace("\n", "|"), 1)[1], out.getvalue())
        self.equal("a failure is in its status", writer.end(), 1)
        self.equal("it is read", read(out.getvalue().replace("\n", "|"), 1)[1], "")


class Suite(Case):
    """Suites whose runner dies."""

    def setUp(self):
        super().setUp()
        self.put(ui, LOGS=self.work)
        for module in (compilefail, fntrace, ringbuffer):
            self.put(module, LOGS=self.work)
        self.kernel = kernels.Kernel("x86_64")

    @staticmethod
    def outcome(function, *args):
        """(passed, failed) of what a function adds to results; a Failure of its job is one."""
        found = results.Results()
        with found.job("job"):
            function(found, *args)
        return found.count()[:2]

    def fails(self, name, function, *args):
        """A subtest: something of it has failed."""
        self.true(name, self.outcome(function, *args)[1] > 0)


WHOLE = "echo TAP version 13; echo 1..3; echo ok 1 - a; echo ok 2 - b; "
# How a program dies, in shell.
ENDS = (("stops", "exit 0"), ("is killed", "kill -KILL $$"), ("fails", "exit 1"),
        ("raises", "echo 'Traceback (most recent call last):'; echo 'NameError: n'; exit 1"),
        ("hangs", "exec sleep 60"))


class Programs(Suite):
    """The kinds of suites that are programs of this machine."""

    def setUp(self):
        super().setUp()
        self.shell = self.work / "program"
        self.python = self.work / "harness" / "tests" / "__main__.py"
        self.python.parent.mkdir(parents=True)
        self.python.write_text(f"import os\nos.execv({str(self.shell)!r}, ['sh'])\n",
                               encoding="utf-8")
        run = ui.run
        self.put(ui, run=lambda *args, **options: run(
            *args, **{**options, "timeout": 1 if "sleep" in self.shell.read_text() else None}))

    def try_all(self, function, *args):
        """Run the suite as programs that end in different ways."""
        for how, end, *wanted in (("a whole run", "echo ok 3 c", 3, 0),
                                  *((f"it {how}", end, 2, 1) for how, end in ENDS),
                                  ("its status is not 0", "echo ok 3 c; exit 1", 3, 1)):
            self.shell.write_text(f"#!/bin/sh\n{WHOLE}{end}\n", encoding="utf-8")
            self.shell.chmod(0o755)
            self.equal(how, self.outcome(function, *args), tuple(wanted))

    def test_fntrace(self):
        self.try_all(fntrace.run_tests, "test", [self.python], 9)

    def test_ring_buffer(self):
        self.put(ringbuffer, PROGRAM=self.shell)
        self.try_all(ringbuffer.run_tests, "nested")

    def test_harness(self):
        self.put(check, ROOT=self.work)
        self.try_all(check.harness_test, "harness", "test_a.py")


TESTS = """
import os, unittest

class Some(unittest.TestCase):
    def test_passes(self):
        print("not ok 1 what is tested may say this")

    def test_parts(self):
        for value in 1, 2:
            with self.subTest(value=value):
                self.assertLess(value, 2)

    def test_raises(self):
        END
"""


class Runner(Suite):
    """tests/__main__.py itself, with made-up tests."""

    def test_files(self):
        (self.work / "harness" / "tests").mkdir(parents=True)
        for name in ("ktap.py", "ui.py", "tests/__main__.py"):
            (self.work / "harness" / name).symlink_to(check.ROOT / "harness" / name)
        self.put(check, ROOT=self.work)
        for how, text, *wanted in (
                ("a subtest that fails", TESTS.replace("END", "pass"), 3, 1),
                ("a test that raises", TESTS.replace("END", "raise OSError()"), 2, 2),
                ("a process that ends", TESTS.replace("END", "os._exit(0)"), 2, 2),
                ("no test", "import unittest", 0, 1), ("a file that cannot be read", "def", 0, 1)):
            (self.work / "harness" / "tests" / "test_a.py").write_text(text, encoding="utf-8")
            self.equal(how, self.outcome(check.harness_test, "harness", "test_a.py"), tuple(wanted))


def guests(lines, status, timed_out=False):
    """A guest.boot() whose job prints lines."""
    def boot(_kernel, _script, name, on_line=None, **_options):
        result = guest.Result(ui.LOGS / f"{name}.log")
        result.lines, result.status, result.timed_out = list(lines), status, timed_out
        for line in lines if on_line else ():
            on_line(line)
        return result
    return boot


RUNNER = lines_of("kselftest")
# Its output and one way to break it.
BROKEN_RUNNER = (
    ("a script that stops, with status 0", lambda lines: [
        line for line in lines if line != "# ok 3 third part"]),
    ("a script that stops before it begins", lambda lines: lines[:16] + lines[20:]),
    ("a script without a result", lambda lines: lines[:-1]),
    ("a script that is skipped as a whole", lambda lines: lines[:-1] + [lines[-1] + " # SKIP"]),
    ("a script that the runner leaves out", lambda lines: lines[:14]),
    ("a list that is empty", lambda lines: [
        line for line in lines if not line.startswith("@test")]),
    ("[FAIL] without a status", lambda lines: lines[:-1] + ["# two: [FAIL]", lines[-1]]),
    ("the same script twice", lambda lines: lines + lines[-6:]),
)

KUNIT = lines_of("kunit")
BROKEN_KUNIT = (
    ("a suite that stops", lambda lines: [
        line for line in lines if not line.startswith("    ok 2")]),
    ("a suite without its plan", lambda lines: [line for line in lines if line != "    1..2"]),
    ("a suite without its result", lambda lines: [
        line for line in lines if line != "ok 2 static_batch"]),
    ("a suite that is missing", lambda lines: lines[:19] + lines[23:]),
    ("a log whose beginning is lost", lambda lines: lines[2:]),
    ("a module that stops", lambda lines: lines[:-2]),
    ("a module that does not load", lambda lines: lines[:23]),
    ("a suite that fails without a part that does", lambda lines: [
        "not " + line if line == "ok 3 marker" else line for line in lines]),
)


WALK = [walks.Command("w", "true", []), walks.Command("w", "echo it", ["it"])]
TRACE = ["event-sample-51 [001] ..... 2.649492: foo_bar: foo hello 0", " test_c_first: value=1",
         ' SyS_openat: f->SyS_openat(dfd=-100, path="/proc/version", flags=0x8000, mode=0x0)',
         " fs_mount: device scratch type tmpfs flags 0x8000", " test_rust_first: value=1"]
STARTUP = [f"{name}: PASSED" for name in test.STARTUP_PASSED]
FIGURES = [f"@figure {name} 100" for name in bench.REPEATED]


class Guests(Suite):
    """The kinds of suites that run in guests."""

    def boots(self, lines, status, timed_out=False):
        """The next guest prints lines, and ends so."""
        self.put(guest, boot=guests(lines, status, timed_out))
        (self.work / f"console-startup-{self.kernel.name}.log").write_text(
            "\n".join(lines), encoding="utf-8")

    def try_all(self, function, lines, count, *args, stops=True, breaks=()):
        """LINES are the output if all is well, of COUNT tests."""
        half = lines[:len(lines) // 2]
        self.boots(lines, 0)
        self.equal("a whole run", self.outcome(function, *args), (count, 0))
        for how, printed, *end in (
                ("its guest dies half way", half, None), ("its guest dies in the end", lines, None),
                ("its guest hangs", lines[:-1], None, True), ("its job fails", lines, 1),
                *([("its job stops half way", half, 0)] if stops else []),
                *((how, broken(lines), 0) for how, broken in breaks)):
            self.boots(printed, *end)
            self.fails(how, function, *args)

    def test_kselftest(self):
        self.try_all(test.kselftests, RUNNER, 5, self.kernel, 4, ("markers",),
                     breaks=BROKEN_RUNNER)

    def test_kunit(self):
        self.try_all(test.kunit, KUNIT, 8, self.kernel, breaks=BROKEN_KUNIT)

    def test_ktap(self):
        self.put(fntrace, in_guest=lambda kernel: guest.boot(kernel, "", "fntrace"))
        self.put(walks, run=lambda *_: None)
        for function, *args in ((test.stress, 1), (test.long_stress, "batches", "static_batch", 20),
                                (test.program_and_kernel,), (test.small,)):
            with self.subTest(function.__name__):
                self.try_all(function, ["TAP version 13", "1..2", "ok 1 a", "ok 2 b"], 2,
                             self.kernel, *args)

    def test_boot_events(self):
        self.try_all(test.boot_events, test.BOOT_LINES, 1, self.kernel)

    def test_demonstration(self):
        self.try_all(test.traces, TRACE, 1, self.kernel, "run")

    def test_function_events(self):
        self.try_all(test.function_load, ["any"], 1, self.kernel, stops=False)

    def test_startup(self):
        self.try_all(test.startup_tests, STARTUP, 4, self.kernel)

    def test_benches(self):
        def figures(found):
            for name, ok, detail in bench.repeatable(self.kernel):
                found.add("benchmark", name, ok, detail)

        self.put(bench, job_files=lambda kernel: {})
        self.put(guest, root_image=lambda kernel: None)
        self.try_all(figures, FIGURES, len(FIGURES))

    def test_walks(self):
        # How the guest ended, walks.run() says.
        for name, commands, lines, *wanted in (
                ("a whole run", WALK, ["@walk 0 0", "it", "@walk 1 0"], 2, 0),
                ("one that stops", WALK, ["@walk 0 0", "it"], 1, 1),
                ("a page without one", [], [], 0, 1)):
            self.equal(name, self.outcome(walks.judge, "walks", commands, lines), tuple(wanted))

    def test_kselftest_words(self):
        """What is said besides that it failed."""
        def kselftest(text, lacking=None):
            reader = test.Kselftest(ui.Step("nothing"), lacking)
            for line in text.splitlines():
                reader.line(line)
            return reader

        reader = kselftest("\n".join(RUNNER).replace("ok 3 third", "not ok 3 third"))
        self.equal("a part that failed says why, in its own words",
                   [one.detail for one in reader.tests if one.ok is False], ["expected 1; got 2"])
        reader.line(None)
        self.equal("a second run of a guest starts anew", (reader.tests, reader.promised), ([], []))
        reader = kselftest("ok 1 selftests: a: one.sh # SKIP\nok 2 selftests: a: two.sh # SKIP",
                           {"a/one.sh": "CONFIG_ONE"})
        self.equal("skipped as a whole may be what the kernel has no option for",
                   [one.ok for one in reader.tests], [None, False])


class Others(Suite):
    """What is neither KTAP nor in a guest."""

    def setUp(self):
        super().setUp()
        self.kernel.source = self.kernel.out = self.work

    def test_ftracetest(self):
        self.put(ftracetest, splats_by_test=lambda log: set())
        one, two = (["@begin " + name, "@outcome PASS", "@end " + name]
                    for name in ("a.tc", "b.tc"))
        passed = {"a.tc": "PASS"}
        for name, lines, status, failed, wanted in (
                ("a whole run", one + two, 0, 0, {**passed, "b.tc": "PASS"}),
                ("its guest runs none", [], 0, 1, {}),
                ("its guest stops half way, each time", one, 0, 1, passed),
                ("its guest dies between tests", one, None, 1, passed),
                ("its guest dies in a test", one + ["@begin b.tc"], None, 0,
                 {**passed, "b.tc": "CRASH"}),
                ("a test without an outcome", one + ["@begin b.tc", "@end b.tc"], 0, 0,
                 {**passed, "b.tc": "UNDEFINED"})):
            self.put(guest, boot=guests(lines, status))
            outcomes = ftracetest.Outcomes(self.kernel)
            count = self.outcome(lambda found, outcomes=outcomes: outcomes.run(
                ["a.tc", "b.tc"], "part"))
            self.equal(name, (count[1], dict(outcomes)), (failed, wanted))

    def test_two_machines(self):
        (self.work / "trace").touch()
        self.put(guest, boot=guests(["@ready"], None))
        with subprocess.Popen(["sleep", "60"]) as record:
            said = fntrace.answered(self.kernel, str(self.work), self.work / "answer", record)
            record.kill()
        self.assertTrue(str(said).startswith("the guest died"), said)

    def test_must_not_compile(self):
        (self.work / "none").mkdir()
        for top, name in ((compilefail.SOURCES[0], "one.rs"), (compilefail.C_SOURCES, "one.c"),
                          *((top, "") for top in compilefail.SOURCES[1:])):
            (self.work / top).mkdir(parents=True)
            if name:
                (self.work / top / name).write_text("ok\n", encoding="utf-8")
        self.put(compilefail, WORK=self.work / "rust", C_WORK=self.work / "c",
                 SELF_TESTS=self.work / "none", cleaned=lambda kernel: (True, ""))
        for how, script, *wanted in (
                ("a whole run", "touch {0}/one.o; echo {0}/self_bad.c:1:1: error: x; exit 2", 4, 0),
                ("it is killed", "kill -KILL $$", 0, 1), ("it stops half way", "exit 2", 1, 3)):
            self.kernel.make = lambda *words, script=script: [
                "sh", "-c", script.format(words[2].removeprefix("M="))]
            self.equal(how, self.outcome(compilefail.run, self.kernel), tuple(wanted))
        self.put(compilefail, SOURCES=("gone",))
        self.fails("a directory that is gone", compilefail.run, self.kernel)

    def test_sparse(self):
        self.put(check.series, overlay_files=lambda: ["kernel/a.c", "kernel/b.c"])
        self.kernel.make = lambda *words: ["sh", "-c", "echo '  CHECK   kernel/a.c'"]
        (self.work / "kernel").mkdir()
        for how, built, *wanted in (("none of our files", None, 0, 1), ("a whole run", "a.o", 1, 0),
                                    ("it stops half way", "b.o", 1, 1)):
            if built:
                (self.work / "kernel" / built).touch()
            self.equal(how, self.outcome(check.check_sparse, self.kernel), tuple(wanted))

    def test_fuzz(self):
        for how, said, status, *wanted in (
                ("whole runs", "stat::number_of_executed_units: 9", 0, 2, 0),
                ("they try nothing", "stat::number_of_executed_units: 0", 0, 0, 2),
                ("they stop", "#2 INITED", 0, 0, 2), ("they are killed", "#2 INITED", -9, 0, 2)):
            def make(_argv, log, said=said, status=status):
                log.write_text(said + "\n", encoding="utf-8")
                return status

            self.put(ui, run=make)
            self.equal(how, self.outcome(test.fuzz_parsers, 1), tuple(wanted))

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of ktap.py, and of every kind of suite with a runner that dies half way (KTAP)."""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile

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

# What a program prints, how it ends, and what must be said of it; None if nothing is wrong.
DEATHS = (
    ("all is well", "TAP version 13|1..2|ok 1 a|ok 2 - b", 0, None),
    ("a plan behind the results", "ok 1 a|ok 2 b|1..2", 0, None),
    ("a test that fails", "1..2|ok 1 a|not ok 2 b", 1, None),
    ("no result", "", 0, "no result came"),
    ("a beginning and no result", "TAP version 13", 0, "no plan, and 0 results"),
    ("no plan", "ok 1 a|ok 2 b", 0, "no plan, and 2 results"),
    ("fewer results than planned", "1..3|ok 1 a|ok 2 b", 0, "2 of 3 results came, the last: b"),
    ("a plan and no result", "1..3", 0, "0 of 3 results came"),
    ("more results than planned", "1..1|ok 1 a|ok 2 b", 0, "2 results came, 1 were planned"),
    ("results behind a plan at the end", "ok 1 a|1..1|ok 2 b", 0, "2 results came, 1 were"),
    ("a number twice", "1..2|ok 1 a|ok 1 a", 0, "result 1 came where 2 was due: a"),
    ("a number out of order", "1..2|ok 2 b|ok 1 a", 0, "result 2 came where 1 was due: b"),
    ("a number left out", "1..2|ok 1 a|ok 3 c", 0, "result 3 came where 2 was due: c"),
    ("two plans", "1..2|ok 1 a|1..2|ok 2 b", 0, "a second plan"),
    ("a second beginning", "TAP version 13|1..2|ok 1 a|TAP version 13|ok 2 b", 0,
     "it began anew after 1 results"),
    ("Bail out!", "1..2|ok 1 a|Bail out! no room", 1, "Bail out! no room"),
    ("Bail out! and status 0", "1..1|ok 1 a|Bail out! no room", 0, "Bail out! no room"),
    ("a traceback", "1..2|ok 1 a|Traceback (most recent call last):|  File \"x\"|NameError: n", 1,
     "a traceback: NameError: n"),
    ("a traceback behind all results",
     "1..1|ok 1 a|Traceback (most recent call last):|  File \"x\"|NameError: n", 0,
     "a traceback: NameError: n"),
    ("a traceback beside a test that failed",
     "1..2|not ok 1 a|ok 2 b|Traceback (most recent call last):|NameError: n", 1,
     "a traceback: NameError: n"),
    ("a status that no test explains", "1..1|ok 1 a", 1, "ended with status 1, its last line: ok"),
    ("a status of its own", "1..1|not ok 1 a", 3, "ended with status 3"),
    ("killed", "1..2|ok 1 a", -9, "killed by SIGKILL, its last line: ok 1 a"),
    ("killed behind the last result", "1..1|ok 1 a", -11, "killed by SIGSEGV"),
    ("a guest that dies", "1..1|ok 1 a", None, "the guest died, its last line: ok 1 a"),
    ("output that stops", "1..2|ok 1 a", ui.TIMED_OUT, "it did not end in time, its last line"),
    ("a line that is cut off", "1..2|ok 1 a|ok", 0, "1 of 2 results came"),
    ("all is skipped", "TAP version 13|1..0 # SKIP no module", 4, "all is skipped: no module"),
)

# The same of tests with parts, by how these are marked.
PARTS = (
    ("parts", True, "1..1|    KTAP version 1|    # Subtest: s|    1..2|    ok 1 a|    ok 2 b|ok 1 s",
     None),
    ("fewer parts than planned", True, "1..1|    # Subtest: s|    1..2|    ok 1 a|ok 1 s", "s"),
    ("more parts than planned", True, "1..1|    # Subtest: s|    1..1|    ok 1 a|    ok 2 b|ok 1 s",
     "s"),
    ("parts without a plan", True, "1..1|    # Subtest: s|    ok 1 a|ok 1 s", "s"),
    ("parts of parts, fewer than planned", True,
     "1..1|    1..1|        # Subtest: p|        1..3|        ok 1 x|    ok 1 p|ok 1 s", "s/p"),
    ("parts whose test has no result", True, "1..2|ok 1 r|    # Subtest: s|    1..2|    ok 1 a",
     "s: 1 of 2 results came, the last: a; 1 of 2 results came, the last: r"),
    ("parts behind a #", "#", "1..1|# 1..2|# ok 1 a|# # ok 7 no result|# ok 2 b|ok 1 s", None),
    ("fewer behind a #", "#", "1..1|# 1..2|# ok 1 a|ok 1 s", "s"),
    ("a second beginning of parts", True, "1..1|    KTAP version 1|    1..2|    ok 1 a|"
     "    KTAP version 1|    1..1|    ok 1 a|ok 1 s", "1 of 2 results came, the last: a"),
)

SKIPS = ("1..5|ok 1 - a # SKIP no program|ok 2 b # skip: none|ok 3 c (why) # SKIP|"
         "not ok 4 - d # Wrong: it|ok 5 e - f")
SKIPPED = [("a", None, "no program"), ("b", None, "none"), ("c (why)", None, ""),
           ("d", False, "Wrong: it"), ("e - f", True, "")]


def read(text, status, **options):
    """A Reader that has read text, and what it says at the end."""
    reader = ktap.Reader(**options)
    for line in text.split("|"):
        reader.line(line)
    return reader, reader.end(status)


def test_reader():
    for name, text, status, words in DEATHS:
        _, said = read(text, status)
        yield f"reader: {name}", not said if words is None else words in said and "\n" not in said
    for name, nested, text, words in PARTS:
        reader, said = read(text, 0, nested=nested)
        bad = [test.path for test in reader.tests if test.ok is False]
        yield f"reader: {name}", not bad + [said][not said:] if words is None else \
            bad == [words] or words == said
    reader, said = read(SKIPS, 1)
    yield "reader: SKIP and \" - \"", not said and [
        (test.name, test.ok, test.detail) for test in reader.tests] == SKIPPED
    reader, said = read("1..1|# got 2|not ok 1 a", 1)
    yield "reader: why a test failed", reader.tests[0].detail == "got 2"
    reader, said = read("1..1|    # Subtest: s|    1..1|    ok 1 a|ok 1 s", 0, nested=True)
    yield "reader: a test is not one more beside its parts", [
        test.path for test in reader.tests if test.own] == ["s/a"]
    reader.line(None)
    yield "reader: what is void is forgotten", not reader.tests and reader.end() == "no result came"
    writer = io.StringIO()
    with contextlib.redirect_stdout(writer):
        status = ktap.write([("a", True), ("b", False)])
    yield "writer: is read", status == 1 and not read(writer.getvalue().replace("\n", "|"), 1)[1]
    writer = io.StringIO()

    def dies():
        yield "a", True
        raise NameError("n")

    with contextlib.redirect_stdout(writer), contextlib.suppress(NameError):
        ktap.write(dies())
    yield "writer: what dies has no plan", "no plan" in read(writer.getvalue(), 0)[1]


# --- suites whose runner dies ----------------------------------------------

@contextlib.contextmanager
def changed(*places):
    """Set (object, name, value) for a while, and keep quiet."""
    before = [(where, name, getattr(where, name)) for where, name, _ in places]
    try:
        for where, name, value in places:
            setattr(where, name, value)
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        for where, name, value in before:
            setattr(where, name, value)


def outcome(function, *places):
    """(passed, failed) of what a function adds to results; a Failure of its job is one."""
    found = results.Results()
    with changed(*places), found.job("job"):
        function(found)
    return found.count()[:2]


WHOLE = "echo TAP version 13; echo 1..3; echo ok 1 - a; echo ok 2 - b; "
# How a program dies, in shell.
ENDS = (("stops", "exit 0"), ("is killed", "kill -KILL $$"), ("fails", "exit 1"),
        ("raises", "echo 'Traceback (most recent call last):'; echo 'NameError: n'; exit 1"),
        ("hangs", "exec sleep 60"))


def programs(work):
    """The kinds of suites that are programs of this machine: (name, run them as that program)."""
    shell = work / "program"
    python = work / "harness" / "atest.py"
    python.parent.mkdir(exist_ok=True)
    python.with_name("branchcheck.py").symlink_to(python)

    def write(end):
        shell.write_text(f"#!/bin/sh\n{WHOLE}{end}\n", encoding="utf-8")
        shell.chmod(0o755)
        python.write_text(f"import os\nos.execv({str(shell)!r}, ['sh'])\n", encoding="utf-8")

    def quick(argv, *args, **options):
        return ui_run(argv, *args, **{**options, "timeout": 1 if "sleep" in shell.read_text()
                                      else None})

    ui_run = ui.run
    for name, function, places in (
            ("fntrace", lambda found: fntrace.run_tests(found, "test", [python], 9), ()),
            ("the ring buffer in user space", ringbuffer.tests,
             ((ringbuffer, "build", lambda: None), (ringbuffer, "PROGRAM", shell))),
            ("the harness's own tests",
             lambda found: check.harness_test(found, "harness", "atest.py"),
             ((check, "ROOT", work),)),
            ("the comparison of branch sites", check.check_branches, ((check, "ROOT", work),))):
        yield name, write, lambda function=function, places=places: outcome(
            function, (ui, "run", quick), *places)


def test_programs(work):
    for name, write, run in programs(work):
        write("echo ok 3 c")
        yield f"{name}: a whole run", run() == (3, 0)
        for how, end in ENDS:
            write(end)
            yield f"{name}: it {how}", run() == (2, 1)
        write("echo ok 3 c; exit 1")
        yield f"{name}: its status is not 0", run() == (3, 1)


def guests(lines, status, timed_out=False):
    """A guest.boot() whose job prints lines."""
    def boot(_kernel, _script, name, on_line=None, **_options):
        result = guest.Result(ui.LOGS / f"{name}.log")
        result.lines, result.status, result.timed_out = list(lines), status, timed_out
        for line in lines if on_line else ():
            on_line(line)
        return result
    return boot


RUNNER = """@test markers:one.sh
@test markers:two.sh
TAP version 13
1..2
# timeout set to 300
# selftests: markers: one.sh
# TAP version 13
# 1..3
# ok 1 first part
# ok 2 second part # SKIP no program
# # expected 1
# # got 2
# ok 3 third part
ok 1 selftests: markers: one.sh
# timeout set to 300
# selftests: markers: two.sh
# TAP version 13
# 1..1
# ok 1 part
# # Totals: pass:1
ok 2 selftests: markers: two.sh""".splitlines()
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

KUNIT = """KTAP version 1
1..3
    KTAP version 1
    # Subtest: rust_doctests_kernel
    1..2
    ok 1 a
[noise] of another task
    ok 2 b # SKIP no
# rust_doctests_kernel: pass:2 fail:0 skip:0 total:2
ok 1 rust_doctests_kernel
    KTAP version 1
    # Subtest: static_batch
    1..1
        KTAP version 1
        # Subtest: all
        ok 1 one
        ok 2 two
    ok 1 all
ok 2 static_batch
    # Subtest: marker
    1..1
    ok 1 a
ok 3 marker
KTAP version 1
1..4
    # Subtest: rust_demangle
    1..1
    ok 1 a
ok 4 rust_demangle
    # Subtest: maccess
    1..1
    ok 1 a
ok 5 maccess
    # Subtest: string
    1..1
    ok 1 a
ok 6 string
    # Subtest: printf
    1..1
    ok 1 a
ok 7 printf""".splitlines()
BROKEN_KUNIT = (
    ("a suite that stops", lambda lines: [line for line in lines if not line.startswith("    ok 2")]),
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


def test_guests():
    kernel = kernels.Kernel("x86_64")
    whole = ["TAP version 13", "1..2", "ok 1 a", "ok 2 b"]

    def walk(found, kernel):
        walks.judge(found, "walks", WALK, guest.boot(kernel, "", "walk").lines)

    def figures(found, kernel):
        for name, ok, detail in bench.repeatable(kernel):
            found.add("benchmark", name, ok, detail)

    # What its output is if all is well; of what is not KTAP, how many tests that are.
    for name, function, lines, count, places in (
            ("kselftest", lambda found, kernel: test.kselftests(found, kernel, 4, ("markers",)),
             RUNNER, 5, ()),
            ("KUnit", test.kunit, KUNIT, 8, ()),
            ("a stress test", lambda found, kernel: test.stress(found, kernel, 1), whole, 2, ()),
            ("a long stress test", lambda found, kernel: test.long_stress(
                found, kernel, "batches", "static_batch", 20), whole, 2, ()),
            ("fntrace with the kernel", test.program_and_kernel, whole, 2,
             ((fntrace, "in_guest", lambda kernel: guest.boot(kernel, "", "fntrace")),)),
            ("a small kernel", test.small, whole, 2, ((walks, "run", lambda *_: None),)),
            ("events at boot", test.boot_events, test.BOOT_LINES.splitlines(), 1, ()),
            ("the demonstration", lambda found, kernel: test.traces(found, kernel, "run"),
             TRACE, 1, ()),
            ("a script of function events", test.function_load, ["any"], 1, ()),
            ("walks", walk, ["@walk 0 0", "it", "@walk 1 0"], 2, ()),
            ("benches", figures, FIGURES, len(FIGURES), (
                (bench, "job_files", lambda kernel: {}),
                (guest, "root_image", lambda kernel: None))),
            ("start-up tests", test.startup_tests, STARTUP, 4, ())):
        def run(lines, status, timed_out=False):
            console = ui.LOGS / f"console-startup-{kernel.name}.log"
            console.write_text("\n".join(lines), encoding="utf-8")
            return outcome(lambda found: function(found, kernel),
                           (guest, "boot", guests(lines, status, timed_out)), *places)

        yield f"{name}: a whole run", run(lines, 0) == (count, 0)
        if name == "walks":
            # How its guest ended, walks.run() says.
            yield f"{name}: one that stops", run(lines[:-1], 0)[1] > 0
            continue
        yield f"{name}: its guest dies half way", run(lines[:len(lines) // 2], None)[1] > 0
        yield f"{name}: its guest dies in the end", run(lines, None)[1] > 0
        yield f"{name}: its guest hangs", run(lines[:-1], None, True)[1] > 0
        yield f"{name}: its job fails", run(lines, 1)[1] > 0
        if name != "a script of function events":
            yield f"{name}: its job stops half way", run(lines[:len(lines) // 2], 0)[1] > 0
        for what, breaks in {"kselftest": BROKEN_RUNNER, "KUnit": BROKEN_KUNIT}.get(name, ()):
            yield f"{name}: {what}", run(breaks(lines), 0)[1] > 0
    yield "walks: a page without one", outcome(
        lambda found: walks.judge(found, "walks", [], []))[1] > 0


WALK = [walks.Command("w", "true", []), walks.Command("w", "echo it", ["it"])]
TRACE = ["event-sample-51 [001] ..... 2.649492: foo_bar: foo hello 0", " test_c_first: value=1",
         ' SyS_openat: f->SyS_openat(dfd=-100, path="/proc/version", flags=0x8000, mode=0x0)',
         " fs_mount: device scratch type tmpfs flags 0x8000", " test_rust_first: value=1"]
STARTUP = [f"{name}: PASSED" for name in test.STARTUP_PASSED]
FIGURES = [f"@figure {name} 100" for name in dict.fromkeys(
    name for row in bench.ROWS for name in (row.figure, row.stock, row.within)
    if name.startswith("insn.")
    and not name.startswith(("insn.fntrace_", "insn.reserve_commit", "insn.workload_")))]


def test_kselftest():
    """What is said besides that it failed."""
    def kselftest(text, lacking=None):
        reader = test.Kselftest(ui.Step("nothing"), lacking)
        for line in text.splitlines():
            reader.line(line)
        return reader

    reader = kselftest("\n".join(RUNNER).replace("ok 3 third", "not ok 3 third"))
    yield "kselftest: a part that failed says why, in its own words", [
        test.detail for test in reader.tests if test.ok is False] == ["expected 1; got 2"]
    yield "kselftest: a second run of a guest starts anew", not (
        reader.line(None) or reader.tests or reader.promised)
    reader = kselftest("ok 1 selftests: a: one.sh # SKIP\nok 2 selftests: a: two.sh # SKIP",
                       {"a/one.sh": "CONFIG_ONE"})
    yield "kselftest: skipped as a whole may be what the kernel has no option for", [
        test.ok for test in reader.tests] == [None, False]


def test_others(work):
    """What is neither KTAP nor in a guest."""
    kernel = kernels.Kernel("x86_64")
    kernel.source = kernel.out = work

    class Twice(ftracetest.Outcomes):
        """Whose guest prints lines each time."""

        def __init__(self, *lines, status=0):
            super().__init__(kernel)
            self.words = outcome(lambda found: self.run(["a.tc", "b.tc"], "part"),
                                 (guest, "boot", guests(lines, status)),
                                 (ftracetest, "splats_by_test", lambda log: set()))

    one, two = (["@begin " + name, "@outcome PASS", "@end " + name] for name in ("a.tc", "b.tc"))
    whole = Twice(*one, *two)
    yield "ftracetest: a whole run", whole.words == (0, 0) and set(whole.values()) == {"PASS"}
    yield "ftracetest: its guest runs none", Twice().words == (0, 1)
    yield "ftracetest: its guest stops half way, each time", Twice(*one).words == (0, 1)
    yield "ftracetest: its guest dies between tests", Twice(*one, status=None).words == (0, 1)
    yield "ftracetest: its guest dies in a test", Twice(
        *one, "@begin b.tc", status=None)["b.tc"] == "CRASH"
    yield "ftracetest: a test without an outcome", Twice(
        *one, "@begin b.tc", "@end b.tc")["b.tc"] == "UNDEFINED"

    record = subprocess.Popen(["sleep", "60"])  # pylint: disable=consider-using-with
    (work / "trace").touch()
    with changed((guest, "boot", guests(["@ready"], None))):
        said = fntrace.answered(kernel, str(work), work / "answer", record)
    record.kill()
    record.wait()
    yield "fntrace on two machines: its guest dies", str(said).startswith("the guest died")

    for top in (*compilefail.SOURCES, compilefail.C_SOURCES):
        (work / top).mkdir(parents=True)
    (work / compilefail.SOURCES[0] / "one.rs").write_text("ok\n", encoding="utf-8")
    (work / compilefail.C_SOURCES / "one.c").write_text("ok\n", encoding="utf-8")
    places = ((compilefail, "WORK", work / "rust"), (compilefail, "C_WORK", work / "c"),
              (compilefail, "SELF_TESTS", {}), (compilefail, "cleaned", lambda kernel: (True, "")))
    for how, script, wanted in (
            ("a whole run", "touch {0}/one.o; echo {0}/self_bad.c:1:1: error: x; exit 2", (4, 0)),
            ("it is killed", "kill -KILL $$", (0, 1)),
            ("it stops half way", "exit 2", (1, 3))):
        kernel.make = lambda *words, script=script: [
            "sh", "-c", script.format(words[2].removeprefix("M="))]
        yield f"what must not compile: {how}", outcome(
            lambda found: compilefail.run(found, kernel), *places) == wanted
    yield "what must not compile: a directory that is gone", outcome(
        lambda found: compilefail.run(found, kernel), (compilefail, "SOURCES", ("gone",)),
        *places)[1] > 0

    source = work / "kernel" / "a.c"
    source.parent.mkdir()
    kernel.make = lambda *words: ["sh", "-c", "echo '  CHECK   kernel/a.c'"]
    sources = (check.series, "overlay_files", lambda: ["kernel/a.c", "kernel/b.c"])

    def sparse(*names):
        for name in names:
            (work / "kernel" / name).touch()
        return outcome(lambda found: check.check_sparse(found, kernel), sources)

    yield "sparse: none of our files", sparse() == (0, 1)
    yield "sparse: a whole run", sparse("a.o") == (1, 0)
    yield "sparse: it stops half way", sparse("b.o") == (1, 1)

    for how, script, status, wanted in (
            ("a whole run", "stat::number_of_executed_units: 9", 0, (1, 0)),
            ("it tries nothing", "stat::number_of_executed_units: 0", 0, (0, 1)),
            ("it stops", "#2 INITED", 0, (0, 1)), ("it is killed", "#2 INITED", -9, (0, 1))):
        def make(_argv, log, script=script, status=status):
            log.write_text(script + "\n", encoding="utf-8")
            return status
        yield f"fuzz: {how}", outcome(
            lambda found: test.fuzz_parser(found, 1), (ui, "run", make)) == wanted


def tests():
    yield from test_reader()
    yield from test_kselftest()
    yield from test_guests()
    with tempfile.TemporaryDirectory() as work:
        yield from test_programs(pathlib.Path(work))
    with tempfile.TemporaryDirectory() as work:
        yield from test_others(pathlib.Path(work))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as logs:
        ui.LOGS = pathlib.Path(logs)
        for module in (check, compilefail, fntrace, ringbuffer):
            module.LOGS = ui.LOGS
        sys.exit(ktap.write(tests()))

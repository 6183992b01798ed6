# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what must not compile, out of the kernel tree, in Rust.

A test is a file NAME.rs in one of SOURCES, built as a module of its own, or a
directory NAME with a Kbuild file and whatever that builds. A line that the
compiler has to refuse ends with what it has to say there:

    declare_trace!(no_such_event);    //~ ERROR: cannot find

Every such line must get an error with these words, in its text or in its
notes, and no other line may get one. A test without such a line must compile.
An error that is about no line in Rust, such as one of the assembler or, in a
directory, of the C compiler, is announced anywhere, by "ERROR elsewhere:".

All tests are built by one make, which goes on after errors; rustc reports in
JSON. Tests of this program itself, some of which it must fail, are built along
with the others.
"""

import collections
import dataclasses
import json
import os
import pathlib
import re
import shutil

import kernel as kernels
import ui
from ui import BUILD, LOGS, ROOT, Failure, shown

# In the kernel tree; no two have tests of the same name.
SOURCES = ("tools/testing/selftests/rust_functions/compile_fail",
           "tools/testing/selftests/rust_tracepoint/compile_fail",
           "tools/testing/selftests/markers/compile_fail")
WORK = BUILD / "compilefail"
# The same in C, a file each: of a line that ends with a comment "ERROR: words", the compiler
# or the assembler has to say these, and nothing of others.
C_SOURCES = "tools/testing/selftests/markers/compile_fail_c"
C_WORK = BUILD / "compilefail-c"
C_SAID = re.compile(r"(?:.*/)?(\w+\.[ch]):(\d+):(\d+:)? *(?:fatal )?(?:error|Error|warning): (.*)")
# Follows what is said of a line of a header: where the macro was used.
C_MACRO = re.compile(r"(?:.*/)?(\w+\.c):(\d+):(\d+:) note: in expansion of macro")

EXPECTED = re.compile(r"(?://~|/\*) ERROR( elsewhere)?: (.*?\S)(?: \*/)?\s*$")
# The assembler, which names no column, counts the lines of an asm statement: all one to C.
ASM_LINES = 5
# What the C compiler says of a directory's files, written or generated.
C_ERROR = re.compile(r"(\S+\.[ch]):\d+:(?:\d+:)? *(?:fatal )?error: (.*)")
# Kbuild's line for the object that a compiler is about to make.
COMPILER = re.compile(r"  (?:RUSTC|CC)\b.* (\S+)\.o$")


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of a test, by the path below WORK."""
    path: str
    number: int

    def __str__(self):
        return f"{self.path}:{self.number}"


# What is about no line of a test.
ELSEWHERE = Line("elsewhere", 0)


@dataclasses.dataclass
class Error:
    """What rustc said about some lines."""
    lines: set
    text: str


# --- running the compiler --------------------------------------------------

def below_work(path):
    """A path as below WORK, where kbuild runs rustc; None if it is elsewhere."""
    path = pathlib.Path(os.path.normpath(WORK / path))
    return str(path.relative_to(WORK)) if path.is_relative_to(WORK) else None


def lines_of(span):
    """The lines of a span, out of all macros that it comes from.

    A macro of the kernel crate is not where the test went wrong; the line
    with the call of the macro is.
    """
    found = set()
    while span:
        path = below_work(span["file_name"])
        # The paths of the kernel crate are relative, too.
        if path and (WORK / path).exists():
            found.add(Line(path, span["line_start"]))
        span = (span.get("expansion") or {}).get("span")
    return found


def read_error(message):
    """An Error from a message of rustc's, None if it is none."""
    if message.get("level") not in ("error", "error: internal compiler error"):
        return None
    if not message["spans"] and message["message"].startswith("aborting due to"):
        return None
    primary = [span for span in message["spans"] if span["is_primary"]]
    code = (message.get("code") or {}).get("code")
    words = [f"error[{code}]:" if code else "error:", message["message"],
             *(span["label"] or "" for span in primary),
             *(child["message"] for child in message["children"])]
    return Error(set().union(*map(lines_of, primary)) or {ELSEWHERE}, " ".join(filter(None, words)))


def build(kernel, tests):
    """Build what is in WORK for a kernel; returns {test: its errors}."""
    targets = [f"{name}/" if (WORK / name).is_dir() else f"{name}.o" for name in tests]
    (WORK / "Kbuild").write_text("obj-m := " + " ".join(targets) + "\n", encoding="utf-8")
    log = ui.fresh_log("compilefail")
    errors, test = collections.defaultdict(list), None

    def take(line):
        nonlocal test
        if building := COMPILER.match(line):
            test = (below_work(building.group(1)) or "").partition("/")[0]
        if line.startswith("{"):
            try:
                message = json.loads(line)
            except ValueError:
                raise Failure(f"cannot read what rustc says: {line[:60]} "
                              f"(log: {shown(log)})") from None
            line = message.get("rendered") or ""
            if error := read_error(message):
                errors[test].append(error)
        # The line may be one of the kernel's headers, such as that of static_assert().
        if error := C_ERROR.match(line):
            errors[test].append(Error({ELSEWHERE}, error.group(2)))
        out.write(line.rstrip("\n") + "\n")

    # One after the other, so that it is clear who said what. The status is that
    # of the tests that must not compile.
    with open(log, "a", encoding="utf-8") as out:
        status = ui.run(kernel.make("-j1", "--keep-going", f"M={WORK}",
                                    "KRUSTFLAGS=--error-format=json", *targets),
                        on_line=take, env=kernels.environment())
    died(status, log)
    return errors


def died(status, log):
    """make ends with status 2 where something does not compile; with others, not all was tried."""
    if status not in (0, 2):
        raise Failure(f"compiling what must not compile ended with status {status} "
                      f"(log: {shown(log)})")


# --- judging what it said --------------------------------------------------

def sources(name, suffix=".rs"):
    """The files of a test."""
    whole = WORK / name
    return sorted(whole.rglob(f"*{suffix}") if whole.is_dir() else WORK.glob(f"{name}{suffix}"))


def expectations(paths, top):
    """{line: words} of some files below TOP."""
    return {ELSEWHERE if match.group(1) else Line(str(path.relative_to(top)), number):
            match.group(2)
            for path in paths
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            for match in [EXPECTED.search(line)] if match}


def not_compiled(name, suffix):
    """The files of a test without an object."""
    return [path.relative_to(WORK) for path in sources(name, suffix)
            if not path.with_suffix(".o").exists()]


def judge(expected, errors, missing):
    """What is wrong with errors where others are expected, None if nothing is.

    MISSING are the files that should have been compiled.
    """
    for line, words in expected.items():
        there = [error.text for error in errors if line in error.lines]
        if not there:
            return f"{line}: no error, expected: {words}"
        if not any(words in text for text in there):
            return f"{line}: not '{words}' but {there[0]}"
    for error in errors:
        if not error.lines & expected.keys():
            place = max(error.lines, key=lambda line: (line.number, line.path))
            return f"{place}: unexpected {error.text}"
    return f"{missing[0]}: is not compiled" if missing else None


def judge_test(name, errors):
    """The same for a test in Rust, or a directory."""
    expected = expectations(sources(name), WORK)
    return judge(expected, errors,
                 (not_compiled(name, ".c") if ELSEWHERE not in expected else [])
                 + (not_compiled(name, ".rs") if not errors else []))


# --- the tests of the runner itself ----------------------------------------

# What the verdict on one of these begins with; without such a line, there must be none.
SELF_TESTS = ROOT / "harness" / "compilefail"
JUDGED = re.compile(r"^// Judged: (.*)$", re.MULTILINE)


def cleaned(kernel):
    """Whether make clean removes what the build generated, and nothing of the user's; and why."""
    own = [WORK / "header" / name for name in ("generated_by_hand.c", "generated_by_hand.rs")]
    for path in own:
        path.write_text("/* Not generated by kbuild. */\n", encoding="utf-8")
    generated = [WORK / "header" / f"alike_rust.trace.{suffix}" for suffix in "cho"]
    generated.append(WORK / "declare" / "events.tp.rs")
    missing = [path for path in generated if not path.exists()]
    if missing:
        return False, f"{missing[0]} was not generated"
    kernel.must(LOGS / "compilefail-clean.log", "cleaning the tests", f"M={WORK}", "clean")
    left = [path for path in generated if path.exists()]
    if left:
        return False, f"{left[0]} is left"
    lost = [path for path in own if not path.exists()]
    return not lost, f"{lost[0]} is removed" if lost else ""


def run(found, kernel):
    """Build and judge all tests; the kernel is built."""
    group = "must not compile"
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for top in SOURCES:
        shutil.copytree(kernel.source / top, WORK, dirs_exist_ok=True)
    tests = sorted(path.stem for path in WORK.iterdir()
                   if path.suffix == ".rs" or (path / "Kbuild").exists())
    own = sorted(path.stem for path in SELF_TESTS.iterdir())
    shutil.copytree(SELF_TESTS, WORK, dirs_exist_ok=True)
    with ui.Step("compile what must not compile") as step:
        errors = build(kernel, [*tests, *own])
        step.outcome = f"{len(tests)} tests, {len(own)} of the runner"
    for name in tests:
        add(found, group, name, judge_test(name, errors[name]), "compilefail")
    for name in own:
        wrong = judge_test(name, errors[name]) or ""
        wanted = "".join(JUDGED.findall("".join(
            path.read_text(encoding="utf-8") for path in sources(name))))
        ok = wrong.startswith(wanted) if wanted else not wrong
        found.add(group, f"runner: {name}", ok, wrong)
    found.add(group, "cleaned", *cleaned(kernel))
    run_c(found, group, kernel)


def add(found, group, name, wrong, log):
    """Add a test, with what is wrong with its outcome."""
    found.add(group, name, wrong is None, f"{wrong} (log: build/log/{log}.log)" if wrong else "")


def run_c(found, group, kernel):
    """Build and judge the tests in C."""
    shutil.rmtree(C_WORK, ignore_errors=True)
    shutil.copytree(kernel.source / C_SOURCES, C_WORK)
    tests = sorted(C_WORK.glob("*.c"))
    # One that must fail: something is wrong in it that it does not announce.
    bad = C_WORK / "self_bad.c"
    bad.write_text("int no_prototype(void) { return no_such; }\n", encoding="utf-8")
    (C_WORK / "Kbuild").write_text(
        "obj-m := " + " ".join(f"{path.stem}.o" for path in [*tests, bad]) + "\n",
        encoding="utf-8")
    errors = collections.defaultdict(list)
    in_macro = []

    def take(line):
        said, macro = C_SAID.match(line), C_MACRO.match(line)
        if said and said.group(1).endswith(".h"):
            in_macro[:] = [said.group(4)]
        elif said or macro and in_macro:
            path, number, column, text = said.groups() if said else \
                (*macro.groups(), in_macro.pop())
            errors[path].append(Error({Line(path, int(number) - lines) for lines in range(
                1 if column else ASM_LINES)}, text))

    def wrong(path):
        expected = expectations([path], C_WORK)
        built = expected or path.with_suffix(".o").exists()
        return judge(expected, errors[path.name], [] if built else [path.name])

    with ui.Step("compile what must not compile in C"):
        log = LOGS / "compilefail-c.log"
        died(ui.run(kernel.make("-j1", "--keep-going", f"M={C_WORK}", "modules"), log,
                    on_line=take, env=dict(kernels.environment(), LC_ALL="C")), log)
    for path in tests:
        add(found, group, f"C: {path.stem}", wrong(path), "compilefail-c")
    found.add(group, "runner: C", "unexpected " in (wrong(bad) or ""), wrong(bad) or "")

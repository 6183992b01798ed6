# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what "make install" puts where, of the manual and of the completion."""

import os
import re
import shlex
import sys

from bench import TESTS, Skip, expect, instructions, need, run

# "-x", "--long" or both, in front of what follows in a list of options.
OPTION = re.compile(r"^ *(?:-(\S)(?: \w+)?, *)?--([a-z][a-z-]*)", re.MULTILINE)
# argp has these for every command.
STANDARD = {"help", "usage", "version"}


def commands(bench):
    return re.findall(r"^  (\w+) ", run(bench.fntrace, "--help").stdout, re.MULTILINE)


def page(name):
    """A page of the manual, with the parts that it shares with others."""
    text = (TESTS.parent / "doc" / f"{name}.rst").read_text(encoding="ascii")
    return re.sub(r"^\.\. include:: (\S+)$",
                  lambda match: (TESTS.parent / "doc" / match.group(1)).read_text(
                      encoding="ascii"), text, flags=re.MULTILINE)


def manual(bench):
    """Each command has a page, each option is in it, and no other."""
    names = commands(bench)
    expect(len(names) > 4, f"{names}")
    for name in names:
        expect(f"**fntrace-{name}**" in page("fntrace"), f"fntrace(1) does not have {name}")
        has = set(OPTION.findall(run(bench.fntrace, name, "--help").stdout))
        has = {option for option in has if option[1] not in STANDARD}
        told = set(OPTION.findall(page(f"fntrace-{name}")))
        expect(has == told, f"{name}: {sorted(has ^ told)}")


def pages(bench):
    """The pages can be formatted without a warning."""
    need("rst2man", "man", "groff")
    run("make", "-s", "-C", TESTS.parent, "doc", f"OUTPUT={bench.work}")
    made = sorted((bench.work / "doc").glob("*.1"))
    expect(len(made) == len(commands(bench)) + 1, f"{made}")
    for file in made:
        done = run("man", "--warnings", "-l", "-Tutf8", file,
                   env={**os.environ, "LC_ALL": "C.UTF-8"})
        expect(done.stderr == "" and file.stem.upper() in done.stdout, done.stderr)


def install(bench, prefix):
    run("make", "-s", "-C", TESTS.parent, "install", f"OUTPUT={bench.built}",
        f"DESTDIR={bench.work}/root", f"prefix={prefix}")
    return bench.work / "root" / prefix[1:]


def installed(bench):
    """What is installed records, and a program can be linked with it."""
    prefix = install(bench, "/opt/tools")
    program = bench.compile("tree.c", "-pg", "-O1")
    run(prefix / "bin" / "fntrace", "record", program, cwd=bench.work)
    text = run(prefix / "bin" / "fntrace", "report", cwd=bench.work).stdout
    expect("walk" in text, text)
    need("pkg-config")
    flags = run("pkg-config", "--cflags", "--libs", "fntrace", env={
        **os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(bench.work / "root")}).stdout.split()
    source = bench.work / "marks.c"
    source.write_text("#include <fntrace.h>\n"
                      "__attribute__((noinline)) void work(void) { fntrace_mark(4711); }\n"
                      "int main(void) { fntrace_start(); work(); fntrace_stop(); return 0; }\n",
                      encoding="ascii")
    linked = bench.work / "marks"
    run("gcc", "-pg", source, "-o", linked, *flags)
    run(bench.fntrace, "record", "--paused", "-o", bench.work / "data", linked,
        env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
    text = run(bench.fntrace, "replay", bench.work / "data").stdout
    expect("work() {" in text and "fntrace:mark 4711" in text, text)
    version = run(prefix / "bin" / "fntrace", "--version").stdout.split()[-1]
    found = (prefix / "lib" / "pkgconfig" / "fntrace.pc").read_text(encoding="ascii")
    expect(f"Version: {version}\n" in found and "@" not in found, found)
    found = (TESTS.parent / "debian" / "changelog").read_text(encoding="ascii")
    expect(found.startswith(f"fntrace ({version}) "), found.splitlines()[0])


def installed_plugins(bench):
    """What is installed finds its plugins: that of values, here."""
    prefix = install(bench, "/opt/plugins")
    need("pkg-config")
    run("pkg-config", "libdw")
    program = bench.compile("tree.c", "-pg", "-g", "-O1", name="plugins")
    data = bench.work / "plugins.data"
    run(prefix / "bin" / "fntrace", "record", "--args", "walk", "-o", data, program)
    text = run(prefix / "bin" / "fntrace", "replay", data).stdout
    expect(re.search(r"walk\(\w+=\d", text), text)


def costs(bench):
    """Instructions of a call are what the README says."""
    if os.uname().machine != "x86_64":
        raise Skip("the README has those of x86_64")
    text = " ".join((TESTS.parent / "README.rst").read_text(encoding="utf-8").split())
    plain = bench.compile("pairs.c", "-O2", name="plain")
    traced = bench.compile("pairs.c", "-O2", "-pg", name="traced")
    base = instructions(bench, plain, None)
    for words, variables in (
            (r"exit of an empty function takes (\d+) instructions", {}),
            (r"``--entries``\) takes (\d+)", {"FNTRACE_ENTRIES": "1"}),
            (r"While tracing is off, a call takes (\d+)", {"FNTRACE_START": "0"})):
        said = int(re.search(words, text).group(1))
        found = instructions(bench, traced, bench.library, **variables) - base
        expect(abs(found - said) <= 1, f"{variables}: {found} instructions, not {said}")


# What the commands of doc/coming-from.rst record.
PROGRAM = """
#include <string.h>
__attribute__((noinline)) int lookup(const char *name) { return strlen(name); }
__attribute__((noinline)) int parse(const char *text) { return lookup(text) + lookup("x"); }
int main(void) { return parse("name") != 5; }
"""
# These need root, another machine, or a program that runs.
NOT_RUN = {"-k", "-e", "--to", "--paused", "receive"}


def coming_from(bench):
    """What the page says that there is, is there; what can be run, runs."""
    page = (TESTS.parent / "doc" / "coming-from.rst").read_text(encoding="utf-8")
    found = [shlex.split(text) for text in re.findall(r"``(fntrace [^`]*)``", page)]
    expect(len(found) > 30, f"{len(found)} commands")
    (bench.work / "program.c").write_text(PROGRAM, encoding="utf-8")
    run("gcc", "-pg", "-g", "-O1", "program.c", "-o", "program", cwd=bench.work)
    for name in ("OLD", "NEW", "DIR"):
        run(bench.fntrace, "record", "-o", name, "./program", cwd=bench.work)
    for words in found:
        said = run(bench.fntrace, words[1], "--help").stdout
        for option in (word.partition("=")[0] for word in words if word.startswith("-")):
            expect(re.search(rf"(?<![\w-]){option}\b", said), f"{words}: there is no {option}")
        if not NOT_RUN.intersection(words):
            run(bench.fntrace, *words[1:], cwd=bench.work)


def completion(bench):
    """Commands, and the options of each."""
    need("bash")
    script = TESTS.parent / "fntrace.bash"

    def complete(*words):
        text = run("bash", "-c", '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fntrace; '
                   'echo "${COMPREPLY[*]}"', script, bench.fntrace, *words).stdout
        return text.split()

    expect(sorted(complete("")) == sorted([*commands(bench), "help"]), f"{complete('')}")
    expect(complete("reco") == complete("help", "reco") == ["record"], f"{complete('reco')}")
    for name in commands(bench):
        want = {long for _, long in OPTION.findall(run(bench.fntrace, name, "--help").stdout)}
        found = complete(name, "--")
        expect(sorted(found) == sorted(f"--{long}" for long in want), f"{name}: {found}")
    expect(complete("control", "sta") == ["start", "status"], f"{complete('control', 'sta')}")
    expect(complete("report", "--di") == ["--diff"] and not complete("report", "file"),
           f"{complete('report', '--di')}")


def help_is_short(bench):
    """A mistake is told in a line, and where to read on in another one."""
    for words in (("report", "-x"), ("record", "-s", "much", "true"), ("graph", "--deep")):
        done = run(bench.fntrace, *words, status=2, cwd=bench.work)
        lines = done.stderr.splitlines()
        expect(2 <= len(lines) <= 3 and "--help" in done.stderr and not done.stdout, done.stderr)
    for words in (("--help",), ("help",), ("help", "report"), ("report", "--help")):
        expect("COMMAND" in run(bench.fntrace, *words).stdout or "Usage: fntrace report" in
               run(bench.fntrace, *words).stdout, f"{words}")


# A suite of which each test ends in another way.
ENDS = """
import pathlib, sys
sys.path.insert(0, sys.argv[1])
import bench
def name_error(work): undefined
def no_local(work):
    told = told
def status(work): sys.exit(0)
def says(work): raise bench.Wrong("a line\\nok 7 nothing")
def skips(work): raise bench.Skip("why\\nok 8 nothing")
names = "good", "name_error", "no_local", "status", "says", "skips", "last"
globals().update(good=lambda work: None, last=lambda work: None)
bench.run_tests(pathlib.Path(sys.argv[2]), [(name, globals()[name]) for name in names])
"""


def suite(bench):
    """However a test of this suite ends, it has a result, and the others as well."""
    done = run(sys.executable, "-c", ENDS, TESTS, bench.work, status=1)
    lines = done.stdout.splitlines()
    expect(lines[:2] == ["TAP version 13", "1..7"], done.stdout)
    found = re.findall(r"^(ok|not ok) (\d+) (\w+)", done.stdout, re.MULTILINE)
    names = ("good", "name_error", "no_local", "status", "says", "skips", "last")
    expect(found == [("ok" if name in ("good", "skips", "last") else "not ok", str(number), name)
                     for number, name in enumerate(names, 1)], done.stdout)
    expect("UnboundLocalError" in done.stdout and not done.stderr, done.stdout + done.stderr)


def tests():
    yield "suite: a test that raises anything", suite
    yield "manual has all commands and options", manual
    yield "manual can be formatted", pages
    yield "installed program and library", installed
    yield "installed plugins", installed_plugins
    yield "costs that the README has", costs
    yield "coming from uftrace or perf", coming_from
    yield "completion", completion
    yield "usage: help", help_is_short

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace programs that were not written for it, in KTAP.

    test_programs.py DIR [--times FILE] NAME=SOURCE...

DIR is where make put what it built. Each program is compiled from its source, a directory,
or for ripgrep a version at crates.io. Traced, it must do what it does otherwise, and its
functions must have as many calls as gcov counts in the same process, or as uftrace counts
in another one. With --times, the time that recording takes is compared with that of
uftrace, and the sums in seconds, ours and uftrace's, are written to FILE.
"""

import argparse
import collections
import contextlib
import dataclasses
import inspect
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import time
import typing
import zlib

from bench import TESTS, TIMEOUT, Skip, Wrong, expect, need, run, run_tests

# How long a build may take.
BUILD_TIMEOUT = 1200
# Recordings of each kind from which the shortest is taken.
REPEATED = 5
# Of the time that uftrace takes.
TIME_MAX = 0.5
# How often a program is recorded whose threads take turns by chance, at most.
CHANCES = 10
# Fewer functions than this are a mistake.
FUNCTIONS_MIN = 100

OPTIMIZED = "-O2 -pg -w"
# Without optimisation each function of the source is called as it is written there.
COUNTED = "-O0 -pg -w --coverage -fprofile-update=atomic"
BY_UFTRACE = ("uftrace", "record", "--no-libcall", "--no-event", "--no-pager")


# --- building --------------------------------------------------------------

def make(directory, *words):
    run("make", "-s", f"-j{os.cpu_count()}", "-C", directory, *words, timeout=BUILD_TIMEOUT)


def build_lua(source, directory, flags):
    # GCC cannot count the branches of computed gotos.
    if "--coverage" in flags:
        flags += " -DLUA_USE_JUMPTABLE=0"
    files = sorted(set((source / "src").glob("*.c")) - {source / "src" / "luac.c"})
    run("gcc", *flags.split(), "-DLUA_USE_LINUX", *files, "-o", "lua", "-lm", "-ldl",
        cwd=directory, timeout=BUILD_TIMEOUT)
    return directory / "lua"


def build_sqlite(source, directory, flags):
    need("tclsh")
    run(source / "configure", "--disable-tcl", "--disable-readline", cwd=directory,
        timeout=BUILD_TIMEOUT)
    make(directory, "sqlite3.c", "shell.c")
    run("gcc", *flags.split(), "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION",
        "sqlite3.c", "shell.c", "-o", "sqlite3", "-lm", cwd=directory, timeout=BUILD_TIMEOUT)
    return directory / "sqlite3"


def build_zstd(source, directory, flags):
    # It writes to its own directories.
    for name in ("lib", "programs"):
        shutil.copytree(source / name, directory / name)
    make(directory / "programs", "zstd", f"CFLAGS={flags}", "HAVE_ZLIB=0", "HAVE_LZMA=0",
         "HAVE_LZ4=0")
    return directory / "programs" / "zstd"


def build_7zip(source, directory, flags):
    for name in ("C", "CPP"):
        shutil.copytree(source / name, directory / name)
    # These flags are the last ones. Debian's source has no decoder of RAR.
    make(directory / "CPP" / "7zip" / "Bundles" / "Alone2", "-f", "../../cmpl_gcc.mak",
         "DISABLE_RAR=1", "CFLAGS_WARN_WALL=", f"FLAGS_FLTO={flags}", "LFLAGS_STRIP=",
         f"O={directory}")
    return directory / "7zz"


def build_ripgrep(version, directory, flags):
    rustc = os.environ.get("RUSTC", "rustc")
    # Beside rustc: another cargo may not know its options.
    cargo = os.path.join(os.path.dirname(rustc), "cargo")
    need(rustc, cargo)
    host = re.search(r"^host: (\S+)", run(rustc, "-vV").stdout, re.MULTILINE).group(1)
    # RUSTFLAGS are for build scripts as well, unless there is a --target.
    run(cargo, "install", "--locked", "--quiet", "--version", version, "--root", directory,
        "--target", host, "ripgrep", timeout=BUILD_TIMEOUT,
        env={**os.environ, "RUSTC": rustc, "RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": flags,
             "CARGO_TARGET_DIR": str(directory / "target"),
             "CARGO_PROFILE_RELEASE_DEBUG": "false"})
    shutil.rmtree(directory / "target")
    return directory / "bin" / "rg"


# --- the programs ----------------------------------------------------------

GCOV, UFTRACE = "gcov", "uftrace"


@dataclasses.dataclass(frozen=True)
class Run:
    """What a program is asked to do; words in braces are those of Subject.command()."""

    name: str
    command: str
    # Who counts the same: gcov in the same process, or uftrace in another one.
    counted_by: str
    # Of the program.
    status: int = 0
    # Its threads take turns by chance: what it says is in any order, and some functions are
    # not called as often each time.
    by_chance: bool = False
    # Functions that its threads call for as long as they wait, so that they are called more
    # often if others are slower: a pattern for their names, as the linker has them.
    waiting: str = ""


@dataclasses.dataclass(frozen=True)
class Program:
    """How a program is compiled, and what it does while it is traced."""

    build: typing.Callable
    flags: str
    runs: tuple
    # What is done while the time is taken; uftrace must see all calls of it.
    timed: str


PROGRAMS = {
    # C with longjmp(). uftrace crashes, or loses all calls after an error of the script: it does not notice
    # what is left by longjmp(). Which keys of a table collide depends on addresses, so that
    # no two processes have the same numbers of calls.
    "lua": Program(build_lua, OPTIMIZED, (
        Run("errors and coroutines", "{program} {tests}/program.lua errors", GCOV),
    ), "{program} {tests}/program.lua"),
    "sqlite": Program(build_sqlite, OPTIMIZED, (
        Run("statements", "{program} -init {tests}/program.sql :memory: .tables", UFTRACE),
    ), "{program} -init {tests}/program.sql :memory: .tables"),
    # C with threads.
    "zstd": Program(build_zstd, OPTIMIZED, (
        Run("compress", "{program} -q -f --single-thread -9 {text} -o {out}", UFTRACE),
        Run("decompress", "{program} -q -f -d {compressed} -o {out}", UFTRACE),
        Run("compress with threads", "{program} -q -f -T2 -B512K -1 {short} -o {out}", GCOV),
    ), "{program} -q -f --single-thread -9 {text} -o {out}"),
    # C++ with exceptions and threads.
    "7zip": Program(build_7zip, OPTIMIZED, (
        Run("compress", "{program} a -bd -mmt1 -mx1 -- {out}.7z {text}", UFTRACE),
        Run("damaged archive", "{program} t -bd {damaged}", UFTRACE, 2),
        Run("damaged archive", "{program} t -bd {damaged}", GCOV, 2),
        Run("compress with threads", "{program} a -bd -mmt2 -mx5 -- {out}.7z {short}", GCOV),
    ), "{program} a -bd -mmt1 -mx1 -- {out}.7z {text}"),
    # Rust with threads.
    "ripgrep": Program(build_ripgrep, "-Z instrument-mcount -C force-frame-pointers=yes", (
        Run("search", "{program} --no-config -j1 -c [aeiou]([^aeiou]+)n {tests}", UFTRACE),
        Run("search with threads",
            "{program} --no-config -j4 -c [aeiou]([^aeiou]+)n {tests} {text}", UFTRACE,
            by_chance=True, waiting="crossbeam_epoch.*Global"),
    ), "{program} --no-config -j1 -o ([aeiou])[^aeiou]+n {text}"),
}


def write_text(path, lines):
    """The same text each time, of words and lines as texts have them."""
    chance = random.Random(1)
    words = ["".join(chance.choice("etaoinshrdlu") for _ in range(chance.randint(2, 9)))
             for _ in range(3000)]
    path.write_text("".join(
        " ".join(chance.choice(words) for _ in range(chance.randint(3, 12))) + "\n"
        for _ in range(lines)), encoding="ascii")


def damage_archive(path, to):
    """An archive of 7-Zip with a header that has the right sum, and makes no sense."""
    data = bytearray(path.read_bytes())
    offset, size = struct.unpack_from("<QQ", data, 12)
    data[32 + offset + 5] = 0x7f
    struct.pack_into("<I", data, 28, zlib.crc32(data[32 + offset:32 + offset + size]))
    struct.pack_into("<I", data, 8, zlib.crc32(data[12:32]))
    to.write_bytes(data)


class Subject:
    """A program, with its source."""

    def __init__(self, name, source):
        self.name = name
        self.program = PROGRAMS[name]
        directory = pathlib.Path(source)
        self.source = directory.resolve() if directory.is_dir() else source
        versions = re.findall(r"\d+(?:\.\d+)+", str(source).rpartition("/")[2])
        self.title = f"{name} {versions[-1] if versions else '?'}"

    def built(self, bench, flags):
        """Its executable, compiled with FLAGS; that of an earlier run, if it is the same."""
        kind = "counted" if flags == COUNTED else "traced"
        directory = bench.built / "programs" / f"{self.name}-{kind}"
        stamp = directory / "stamp"
        compilers = [run(compiler, "--version").stdout for compiler in
                     ("gcc", os.environ.get("RUSTC", "gcc"))]
        state = "\n".join([str(self.source), flags, inspect.getsource(self.program.build),
                           *compilers])
        with contextlib.suppress(OSError, ValueError):
            found, program = json.loads(stamp.read_text(encoding="utf-8"))
            if found == state:
                return pathlib.Path(program)
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        program = self.program.build(self.source, directory, flags)
        stamp.write_text(json.dumps([state, str(program)]), encoding="utf-8")
        return program

    def command(self, bench, words, program):
        """The words of a command line, with the files that they name.

        Those that it writes have names that begin with "out".
        """
        work = bench.work
        names = {"program": program, "tests": TESTS, "out": work / "out",
                 "text": work / "text", "short": work / "short", "compressed": work / "compressed",
                 "damaged": work / "damaged.7z"}
        write_text(names["text"], 40000)
        # Without optimisation there are many more calls; two parts for the threads of zstd.
        write_text(names["short"], 12000)
        if "{compressed}" in words:
            run(program, "-q", "-9", names["text"], "-o", names["compressed"], cwd=work)
        if "{damaged}" in words:
            run(program, "a", work / "whole.7z", TESTS / "program.sql", cwd=work)
            damage_archive(work / "whole.7z", names["damaged"])
        return [word.format(**names) for word in words.split()]


# --- what was called -------------------------------------------------------

class Functions:
    """Which names are those of the same function of a program.

    Symbols at one address are names of one function, and so are those that a reader
    cannot tell apart because they are written in the same way.
    """

    # Of Rust's older scheme; fntrace does not show it.
    HASH = re.compile(r"::h[0-9a-f]{16}$")

    def __init__(self, program):
        self.parents = {}
        symbols = re.findall(r"^(\w+) [tTwWi] (\S+)$", run("nm", program).stdout, re.MULTILINE)
        plain = run("c++filt", "--no-verbose",
                    input="".join(f"{name}\n" for _, name in symbols)).stdout
        for (addr, name), readable in zip(symbols, plain.splitlines()):
            self.unite(addr, name)
            self.unite(addr, self.HASH.sub("", readable))

    def find(self, name):
        while name in self.parents:
            name = self.parents[name]
        return name

    def unite(self, one, other):
        one, other = self.find(one), self.find(other)
        if one != other:
            self.parents[other] = one

    def sum(self, pairs):
        """Calls of each function, from its names; a name for each, to tell it."""
        calls, names = collections.Counter(), {}
        for name, number in pairs:
            if number:
                calls[self.find(name)] += number
                names.setdefault(self.find(name), name)
        return calls, names


def calls_of_fntrace(fntrace, directory):
    text = run(fntrace, "report", "--csv", "-f", "calls", directory).stdout
    return [(name.replace('""', '"'), int(number))
            for number, name in re.findall(r'^(\d+),"(.*)"$', text, re.MULTILINE)]


def paths_in(fntrace, directory, functions):
    """How often each function was called by each other, and so on up to the outermost one."""
    head, *lines = run(fntrace, "graph", directory).stdout.splitlines()
    begin, calls, path = head.index("function"), collections.Counter(), []
    for line in lines:
        name = line[begin:].lstrip()
        # Two columns for each caller; the outermost line is the program.
        del path[(len(line) - begin - len(name)) // 2:]
        path.append(functions.find(name))
        calls[tuple(path)] += int(line[:begin].split()[-1])
    return calls


def calls_of_uftrace(directory):
    text = run("uftrace", "report", "--no-pager", "--demangle=no", "-f", "call", "-d",
               directory).stdout
    return [(name, int(number))
            for number, name in re.findall(r"^ *(\d+)  (\S+)$", text, re.MULTILINE)]


def counts_of(program):
    """The files in which a program counts, beside its object files."""
    top = next(path for path in program.parents if path.name.endswith("-counted"))
    return sorted(top.rglob("*.gcda"))


def remove_counts(program):
    for path in counts_of(program):
        path.unlink()


def calls_of_gcov(program):
    calls = []
    for path in counts_of(program):
        text = run("gcov", "--json-format", "--stdout", path, cwd=path.parent).stdout
        calls += [(function["name"], function["execution_count"])
                  for line in text.splitlines() for file in json.loads(line)["files"]
                  for function in file["functions"]]
    return calls


def expect_same(ours, theirs, names):
    """Each is a list of possible numbers of calls, by function."""
    expect(min(len(ours[0]), len(theirs[0])) >= FUNCTIONS_MIN,
           f"{len(ours[0])} functions, not {len(theirs[0])}")
    wrong, same = [], 0
    for function in sorted(set().union(*ours, *theirs)):
        one = {calls[function] for calls in ours}
        other = {calls[function] for calls in theirs}
        same += one == other
        # Of one that is not always called as often, nothing is known.
        if len(one) == len(other) == 1 and one != other:
            wrong.append(f"{names[function]}: {one.pop()} calls, not {other.pop()}")
    expect(not wrong, f"{len(wrong)} functions differ: {'; '.join(wrong[:3])}")
    expect(same >= FUNCTIONS_MIN, f"only {same} functions are always called as often")


# --- tests -----------------------------------------------------------------

def environment(work):
    """That of a program: with the random numbers of constant.c."""
    library = work / "constant.so"
    if not library.exists():
        run("gcc", "-O1", "-shared", "-fPIC", TESTS / "constant.c", "-o", library)
    return {**os.environ, "LD_PRELOAD": str(library)}


def remove_outputs(work):
    for path in work.glob("out*"):
        path.unlink()


def outcome(work, command, task, *before):
    """What a program does: all that it says; its output and files, to be compared."""
    remove_outputs(work)
    # There it also writes a profile for gprof, when it is not traced. The status of uftrace
    # is 1 whenever that of the program is not 0.
    done = run(*before, *command, cwd=work, env=environment(work),
               status=None if before[:1] == ("uftrace",) else task.status)
    lines = done.stdout.splitlines()
    return done, (sorted(lines) if task.by_chance else lines,
                  {path.name: path.read_bytes() for path in work.glob("out*")})


def calls_by_uftrace(work, command, task, want):
    """Record with uftrace; Skip says how it fails."""
    try:
        done, found = outcome(work, command, task, *BY_UFTRACE, "-d", work / "theirs")
    except subprocess.TimeoutExpired:
        raise Skip(f"uftrace does not end in {TIMEOUT} s") from None
    if found != want or "WARN" in done.stderr or "LOST" in done.stderr:
        raise Skip(f"uftrace fails: {(done.stderr.strip().splitlines() or ['?'])[0]}")
    return calls_of_uftrace(work / "theirs")


def calls_by_fntrace(work, command, task, want, fntrace):
    done, found = outcome(work, command, task, fntrace, "record", "-o", work / "ours")
    expect(found == want, "it does something else while it is recorded")
    expect("fntrace:" not in done.stderr, done.stderr)
    return calls_of_fntrace(fntrace, work / "ours")


def traced(subject, task):
    """A program does the same while it is recorded, and the recording has all of its calls."""
    def test(bench):
        by_gcov = task.counted_by == GCOV
        need("uftrace", "c++filt", "nm", "gcov")
        program = subject.built(bench, COUNTED if by_gcov else subject.program.flags)
        command = subject.command(bench, task.command, program)
        _, want = outcome(bench.work, command, task)
        functions = Functions(program)
        ours, theirs, names = [], [], {}
        chances = CHANCES if task.by_chance else 1
        for number in range(1, chances + 1):
            if by_gcov:
                remove_counts(program)
            pairs = calls_by_fntrace(bench.work, command, task, want, bench.fntrace)
            others = (calls_of_gcov(program) if by_gcov else
                      calls_by_uftrace(bench.work, command, task, want))
            if by_gcov:
                # It does not tell those that the compiler made: constructors, mostly.
                told = {functions.find(name) for name, _ in others}
                pairs = [pair for pair in pairs if functions.find(pair[0]) in told]
            for which, found in ((ours, pairs), (theirs, others)):
                if task.waiting:
                    found = [pair for pair in found if not re.search(task.waiting, pair[0])]
                calls, found = functions.sum(found)
                which.append(calls)
                names.update(found)
            if number == 1 < chances:
                continue
            try:
                expect_same(ours, theirs, names)
                break
            except Wrong:
                # What is a matter of chance differs from what it was, sooner or later.
                if number == chances:
                    raise
        if not by_gcov and not task.by_chance:
            ours, theirs = (paths_in(bench.fntrace, bench.work / name, functions)
                            for name in ("ours", "theirs"))
            expect(ours == theirs, "functions are called by others: "
                   f"{' '.join(min((ours - theirs) | (theirs - ours), default=()))}")
    return test


def seconds(work, command, *before):
    for path in (work / "data", work / "data.old"):
        shutil.rmtree(path, ignore_errors=True)
    remove_outputs(work)
    variables = environment(work)
    start = time.monotonic()
    run(*before, *command, cwd=work, env=variables)
    return time.monotonic() - start


def take_times(bench, subject):
    """Seconds of a program by itself, recorded by fntrace, and by uftrace."""
    command = subject.command(bench, subject.program.timed,
                              subject.built(bench, subject.program.flags))
    ways = ((), (bench.fntrace, "record", "-o", bench.work / "data"),
            (*BY_UFTRACE, "-d", bench.work / "data"))
    # What else the machine does only adds to them; it does so to all three.
    return [min(several) for several in zip(*(
        [seconds(bench.work, command, *way) for way in ways] for _ in range(REPEATED)))]


def timed(subjects, file):
    """Recording takes at most half of the time that uftrace takes, all programs together."""
    def test(bench):
        need("uftrace")
        rows = [(subject.title, *take_times(bench, subject)) for subject in subjects]
        rows.append(("sum", *(sum(row[column] for row in rows) for column in (1, 2, 3))))
        print(f"# {'seconds':24} {'untraced':>8} {'fntrace':>8} {'uftrace':>8} {'ratio':>6}")
        for name, plain, ours, theirs in rows:
            print(f"# {name:24} {plain:8.3f} {ours:8.3f} {theirs:8.3f} {ours / theirs:6.2f}")
        _, _, ours, theirs = rows[-1]
        if file:
            file.write_text(json.dumps([ours, theirs]), encoding="utf-8")
        expect(ours <= TIME_MAX * theirs, f"{ours:.2f} s, and uftrace {theirs:.2f} s")
    return test


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("built", metavar="DIR", type=pathlib.Path)
    parser.add_argument("--times", metavar="FILE", type=pathlib.Path)
    parser.add_argument("sources", metavar="NAME=SOURCE", nargs="+")
    options = parser.parse_args()
    subjects = []
    for word in options.sources:
        name, _, source = word.partition("=")
        if name not in PROGRAMS or not source:
            parser.error(f"{word} is none of {', '.join(f'{name}=SOURCE' for name in PROGRAMS)}")
        subjects.append(Subject(name, source))
    tests = []
    if not options.times:
        tests = [(f"{subject.title}, {task.name}: calls as {task.counted_by} counts them",
                  traced(subject, task))
                 for subject in subjects for task in subject.program.runs]
    else:
        tests = [("recording takes half as long as with uftrace",
                  timed(subjects, options.times))]
    run_tests(options.built.resolve(), tests)


if __name__ == "__main__":
    main()

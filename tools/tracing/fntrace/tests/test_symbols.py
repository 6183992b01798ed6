# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of names of functions that are in another file than the code, or in none."""

import os
import re
import shutil

from bench import counts, expect, need, run

FUNCTIONS = {"main", "walk", "through", "other", "leaf"}


def compiled(bench, *flags, name="program"):
    """The program, and what other symbols of the same name it could be mistaken for."""
    return bench.compile("tree.c", "-pg", "-O1", "-g", *flags, name=name)


def names(bench, directory, *options):
    found = {}
    for event in bench.chrome(*options, directory)[0]:
        if event["ph"] == "B":
            found[event["name"]] = found.get(event["name"], 0) + 1
    return found


def strip(program, debug, link=True):
    """Take the symbols to another file."""
    need("objcopy")
    run("objcopy", "--only-keep-debug", program, debug)
    run("objcopy", "--strip-all", *([f"--add-gnu-debuglink={debug}"] if link else []), program)


def linked(flags, agrees):
    """
    What .gnu_debuglink names is found where debuggers look for it, when the program is recorded;
    and it is not believed if it belongs to another build.
    """
    def test(bench):
        program = compiled(bench, *flags)
        other = compiled(bench, *flags, "-DOTHER=1", "-fno-inline", "-O0", name="another")
        debug = bench.work / "program.debug"
        strip(program, debug)
        kept = bench.work / "kept"
        debug.rename(kept)
        run("objcopy", "--only-keep-debug", other, bench.work / "wrong")
        (bench.work / ".debug").mkdir()
        for place in (debug, bench.work / ".debug" / "program.debug"):
            shutil.copy(bench.work / "wrong", place)
            directory, _ = bench.record(program)
            found = names(bench, directory)
            expect(not FUNCTIONS & set(found), f"symbols of another build: {found}")
            shutil.copy(kept, place)
            directory, done = bench.record(program)
            expect(done.stderr == "", done.stderr)
            # Nobody needs it any more.
            place.unlink()
            found = names(bench, directory)
            expect(found.get("walk") == 64 and set(found) == FUNCTIONS, f"{found}")
        shutil.copy(kept, debug)
        directory, _ = bench.record(program, options=("-F", "other"))
        expect(set(names(bench, directory)) == {"other", "leaf"}, "-F does not know it")
        expect(("build-id" in next(directory.glob("*.names")).read_text(encoding="utf-8"))
               == agrees, "the recording has not the build ID")
    return test


def later(bench):
    """Who reads it has the symbols; in a file, in a directory, or in the place of the program."""
    program = compiled(bench)
    whole, kept = bench.work / "whole", bench.work / "kept"
    shutil.copy(program, whole)
    strip(program, kept, link=False)
    other = compiled(bench, "-O0", name="another")
    directory, _ = bench.record(program)
    program.unlink()
    build_id = re.search("^build-id (.*)$", next(directory.glob("*.names")).read_text(
        encoding="utf-8"), re.MULTILINE).group(1)
    by_id = bench.work / "by_id"
    (by_id / ".build-id" / build_id[:2]).mkdir(parents=True)
    shutil.copy(kept, by_id / ".build-id" / build_id[:2] / f"{build_id[2:]}.debug")
    by_path = bench.work / "root" / str(bench.work)[1:]
    by_path.mkdir(parents=True)
    shutil.copy(whole, by_path / "program")
    by_name = bench.work / "by_name"
    by_name.mkdir()
    shutil.copy(kept, by_name / "program.debug")
    for place in (whole, kept, by_id, bench.work / "root", by_name):
        found = names(bench, directory, "--symbols", place)
        expect(found.get("walk") == 64 and set(found) == FUNCTIONS, f"{place}: {found}")
    # Of two the right one.
    found = names(bench, directory, "--symbols", other, "--symbols", kept)
    expect(found.get("walk") == 64, f"{found}")
    # The right name, but the wrong build.
    shutil.copy(other, by_name / "program.debug")
    for place in (by_name, other):
        done = run(bench.fntrace, "report", "--symbols", place, directory)
        expect("walk" not in done.stdout, f"symbols of another build: {done.stdout}")
        expect(f"{place}: nothing of the trace has its symbols there" in done.stderr, done.stderr)
    done = run(bench.fntrace, "report", "--symbols", "/nonexistent", directory, status=2)
    expect("No such file" in done.stderr, done.stderr)
    shutil.copy(whole, program)
    expect(set(names(bench, directory)) == FUNCTIONS, "the program has them now")


def without_id(bench):
    """Where there is no build ID, a file has to have the name."""
    program = compiled(bench, "-Wl,--build-id=none")
    whole = bench.work / "whole"
    shutil.copy(program, whole)
    run("strip", program)
    directory, _ = bench.record(program)
    program.unlink()
    (bench.work / "place").mkdir()
    shutil.copy(whole, bench.work / "place" / "program")
    for place, good in ((whole, False), (bench.work / "place", True),
                        (bench.work / "place" / "program", True)):
        found = set(names(bench, directory, "--symbols", place))
        expect((found == FUNCTIONS) == good, f"{place}: {found}")


def places(bench):
    """What has no name is an address of its file, the same in each run, which others know."""
    need("addr2line", "strip")
    program = compiled(bench)
    whole = bench.work / "whole"
    shutil.copy(program, whole)
    run("strip", program)
    found = []
    for _ in range(2):
        directory, _ = bench.record(program)
        found.append(names(bench, directory))
    expect(found[0] == found[1], f"{found}")
    told = {}
    for name, calls in found[0].items():
        match = re.fullmatch("program[+](0x[0-9a-f]+)", name)
        expect(match, name)
        text = run("addr2line", "-f", "-e", whole, match.group(1)).stdout
        told[text.splitlines()[0]] = calls
    shutil.copy(whole, program)
    directory, _ = bench.record(program)
    expect(told == names(bench, directory), f"{told}")
    expect(counts(bench.chrome(directory)[0])["walk"] == 64, f"{told}")
    # They are of a file, as others are.
    run("strip", program)
    directory, _ = bench.record(program)
    text = run(bench.fntrace, "report", "-f", "calls", directory).stdout
    expect(len(re.findall("program[+]0x", text)) == len(FUNCTIONS), text)
    expect(os.path.exists(directory / "0.names"), "a stripped program has no names at all")


OVERLOADS = """
__attribute__((noipa)) void call(int) { asm volatile(""); }
__attribute__((noipa)) void call(char) { asm volatile(""); }
struct thing { void call(int) const; void call(int); };
__attribute__((noipa)) void thing::call(int) const { asm volatile(""); }
__attribute__((noipa)) void thing::call(int) { asm volatile(""); }
int main()
{
	thing one;
	const thing &other = one;
	int i;
	for (i = 0; i < 7; i++) call(1);
	for (i = 0; i < 5; i++) call('c');
	for (i = 0; i < 3; i++) one.call(1);
	for (i = 0; i < 2; i++) other.call(1);
}
"""


def overloads(bench):
    """Functions of C++ that differ only in their parameters are told apart."""
    (bench.work / "overloads.cpp").write_text(OVERLOADS, encoding="ascii")
    program = bench.work / "program"
    run("g++", "-pg", "-O1", bench.work / "overloads.cpp", "-o", program)
    directory, _ = bench.record(program)
    found = names(bench, directory)
    expect(found == {"main": 1, "call(int)": 7, "call(char)": 5, "thing::call(int)": 3,
                     "thing::call(int) const": 2}, f"{found}")


def tests():
    yield "symbols of functions with the same name", overloads
    yield "symbols in a file of their own, by build ID", linked((), True)
    yield "symbols in a file of their own, by checksum", linked(("-Wl,--build-id=none",), False)
    yield "symbols that the reader has", later
    yield "symbols that the reader has, no build ID", without_id
    yield "functions without a name", places

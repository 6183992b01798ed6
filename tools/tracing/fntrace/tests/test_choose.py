# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of recording chosen functions and threads only."""

import os
import re
import shutil

from bench import TESTS, Skip, compare, counts, expect, instructions, run, wanted

FILTERS = ("-F three", "-N two", "-F four -N one", "-N one -N five -D 4", "-F one -D 3",
           "-F thread -N six", "-F two -F six -N three")
# enum fntrace_verdict
ONLY, WITHOUT, START_AT = 1, 2, 4
# As the issue wants it.
COST_MAX = 40


def report(bench, directory, *options):
    """How often each function was called."""
    text = run(bench.fntrace, "report", "--csv", "-f", "calls", *options, directory).stdout
    return {name: int(number) for number, name in re.findall(r'(\d+),"(\w+)"', text)}


def seeds(way):
    # With -finstrument-functions, a call that longjmp() left may be noticed late, and then
    # more is inside of it or less.
    jumps = "0" if "instrument" in way else "1"
    return [(str(seed), jumps) for seed in (1, 2)]


def as_reader(way):
    """A recording of chosen functions has what a reader finds in that of all."""
    def test(bench):
        program = bench.compile("choose.c", *way.split(), "-O2")
        for seed in seeds(way):
            whole = bench.work / "whole"
            shutil.rmtree(whole, ignore_errors=True)
            bench.record(program, *seed)[0].rename(whole)
            for filters in FILTERS:
                want = report(bench, whole, *filters.split())
                got = report(bench, bench.record(program, *seed, options=filters.split())[0])
                expect(want and got == want, f"{seed}, {filters}: {got}, not {want}")
    return test


def elsewhere(machine, way):
    """The same on another architecture, whose user space is emulated."""
    def test(bench):
        program = bench.compile_for(machine, "choose.c", *way.split(), "-O2")
        whole = bench.work / "whole"
        whole.mkdir()
        bench.emulated(machine, program, whole, "1", "1")
        for filters in FILTERS:
            data, _ = bench.record("true", options=(*filters.split(), "--object", program),
                                   status=1)
            depth = re.search(r"-D (\d+)", filters)
            bench.emulated(machine, program, data, "1", "1", FNTRACE_CHOOSE=1,
                           FNTRACE_DEPTH=depth.group(1) if depth else 0)
            want = report(bench, whole, *filters.split())
            got = report(bench, data)
            expect(want and got == want, f"{filters}: {got}, not {want}")
    return test


def between(way):
    """What is called from one function on, up to another one."""
    def test(bench):
        program = bench.compile("choose.c", *way.split(), "-O2")
        seed = seeds(way)[0]
        events, _ = bench.chrome(bench.record(program, *seed)[0])
        want, running = {}, False
        for event in sorted((event for event in events if event["ph"] == "B"),
                            key=lambda event: event["ts"]):
            running = (running or event["name"] == "go") and event["name"] != "halt"
            if running:
                want[event["name"]] = want.get(event["name"], 0) + 1
        options = ("--start-at", "go", "--stop-at", "halt")
        events, said = bench.chrome(bench.record(program, *seed, options=options)[0])
        compare(want, counts(events))
        expect(set(counts(events)) == set(want), f"{set(counts(events)) - set(want)}")
        expect("put in" not in said, said)
        # With both, the function that begins it is not among those that are chosen.
        got = report(bench, bench.record(program, *seed, options=(*options, "-F", "three"))[0])
        expect("go" not in got and got["three"] == want["three"], f"{got}")
    return test


def entries(bench):
    """Without exits, nobody knows what is inside: the options are about the functions alone."""
    program = bench.compile("choose.c", "-pg", "-O2")
    want = report(bench, bench.record(program)[0])
    got = report(bench, bench.record(program, options=("--entries", "-F", "three"))[0])
    expect(got == {"three": want["three"]}, f"{got}")
    got = report(bench, bench.record(program, options=("--entries", "-N", "three"))[0])
    del want["three"]
    expect(got == want, f"{got}")


def names_of_libraries(bench):
    """As they are written in C++; in a library of the program."""
    program = bench.compile("filters.cpp", "-pg", "-O1", cc="g++")
    for pattern in ("space::thing::method", "*::method", "space::thing::*"):
        got = counts(bench.chrome(bench.record(program, options=("-F", pattern))[0])[0])
        expect(got.get("space::inside") == 3 and "main" not in got, f"{pattern}: {got}")
    source = bench.work / "main.c"
    source.write_text("void a_run(void); int main(void) { a_run(); return 0; }",
                      encoding="ascii")
    library = bench.work / "liba.so"
    run("gcc", "-pg", "-O1", "-shared", "-fPIC", "-DNAME=a_run", TESTS / "library.c", "-o",
        library)
    run("gcc", "-pg", source, library, "-o", program)
    got = counts(bench.chrome(bench.record(program, options=("-F", "a_run"))[0])[0])
    expect("a_run" in got and "main" not in got, f"{got}")
    # A script starts it.
    got = counts(bench.chrome(bench.record("sh", "-c", f"{program}; true", options=(
        "-F", "main", "-N", "a_run", "--object", program))[0])[0])
    expect(got == {"main": 1}, f"{got}")


def children(bench):
    """A child that fork() makes inside of a call that is recorded, and of one that is not."""
    source = bench.work / "children.c"
    source.write_text("""#include <sys/wait.h>
#include <unistd.h>
static __attribute__((noinline)) void leaf(void) { __asm__ volatile("" : : : "memory"); }
static __attribute__((noinline)) void some(void)
{
	pid_t child;

	leaf();
	child = fork();
	leaf();
	if (!child)
		_exit(0);
	waitpid(child, 0, 0);
}
static __attribute__((noinline)) void other(void) { some(); leaf(); }
int main(void) { some(); leaf(); other(); leaf(); return 0; }
""", encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-pg", "-O1", source, "-o", program)
    for option, want in ((("-F", "some"), {"some": 2, "leaf": 6}),
                         (("-N", "some"), {"main": 1, "leaf": 3, "other": 1}),
                         (("-F", "some", "-N", "other"), {"some": 1, "leaf": 3})):
        got = report(bench, bench.record(program, options=option)[0])
        expect(got == want, f"{option}: {got}")


def values(bench):
    """Arguments and results of calls that are recorded, and only of those."""
    source = bench.work / "add.c"
    source.write_text("""static __attribute__((noinline, noclone)) int add(int a, int b)
{
	__asm__ volatile("" : : : "memory");
	return a + b;
}
static __attribute__((noinline)) int some(void) { return add(1, 2) + 1; }
static __attribute__((noinline)) int other(void) { return add(3, 4) + some() + 1; }
int main(void) { return some() + other() + add(5, 6) != 19 + 5; }
""", encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-g", "-pg", "-mfentry", "-O2", source, "-o", program)
    for option, want in ((("-F", "some"), ["a=1, b=2"] * 2),
                         (("-N", "some"), ["a=3, b=4", "a=5, b=6"])):
        data, _ = bench.record(program, options=(*option, "-A", "add", "-R", "add"), status=None)
        text = run(bench.fntrace, "replay", data).stdout
        found = re.findall(r"add\((.*?)\) = (\d+)", text)
        expect([one for one, _ in found] == want, text)
        expect(all(int(sum_) == eval(one.replace("a=", "").replace(", b=", "+"))
                   for one, sum_ in found), text)


def threads(way):
    """What threads of some names do; names that are there first, that change, of a child."""
    def test(bench):
        program = bench.compile("threads.c", *way.split(), "-O1")
        for how, files in (("named", 4), ("renamed", 2), ("fork", 1)):
            directory, done = bench.record(program, how, options=("--thread", "io*"))
            events, said = bench.chrome(directory)
            got = counts(events)
            compare(wanted(done.stdout), got)
            expect(set(got) == set(wanted(done.stdout)), f"{how}: {got}")
            # A call that began is recorded to its end, and no other thread has a file.
            expect("put in" not in said and "left out" not in said, f"{how}: {said}")
            found = len(list(directory.glob("*.fntrace")))
            expect(found == files, f"{how}: {found} files of threads, not {files}")
        whole = bench.work / "whole"
        bench.record(program, "named")[0].rename(whole)
        for options in (("--thread", "io-1"), ("--thread", "io-[!13]", "--thread", "c?u-0"),
                        ("--thread", "cpu*", "-F", "outer"), ("--thread", "io*", "-N", "inner"),
                        ("--thread", "[0-9]*", "-D", "1")):
            want = report(bench, whole, *options)
            got = report(bench, bench.record(program, "named", options=options)[0])
            expect(want and got == want, f"{options}: {got}, not {want}")
    return test


def threads_elsewhere(machine, way):
    """The same on another architecture, whose user space is emulated."""
    def test(bench):
        program = bench.compile_for(machine, "threads.c", *way.split(), "-O1")
        for how in ("named", "renamed"):
            data, _ = bench.record("true", options=("--thread", "io*"), status=1)
            done = bench.emulated(machine, program, data, how, FNTRACE_CHOOSE=1)
            events, _ = bench.chrome(data)
            compare(wanted(done.stdout), counts(events))
    return test


def started_by_another_thread(bench):
    """A function that begins the recording need not be called by a thread that is recorded."""
    source = bench.work / "start.c"
    source.write_text("""#define _GNU_SOURCE
#include <pthread.h>
#define noinline __attribute__((noinline))
static noinline void work(void) { __asm__ volatile("" : : : "memory"); }
static noinline void go(void) { __asm__ volatile("" : : : "memory"); }
static void *worker(void *data)
{
	work();
	return data;
}
static void run(void)
{
	pthread_t thread;

	pthread_create(&thread, 0, worker, 0);
	pthread_setname_np(thread, "worker");
	pthread_join(thread, 0);
}
int main(void) { pthread_setname_np(pthread_self(), "other"); run(); go(); run(); return 0; }
""", encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-pg", "-O1", source, "-o", program, "-lpthread")
    # A new thread has the name of the one that makes it, until it is given one.
    got = report(bench, bench.record(program, options=(
        "--thread", "worker", "--start-at", "go"), status=None)[0])
    expect(set(got) <= {"work", "worker"} and got.get("work", 0) <= 1, f"{got}")
    got = report(bench, bench.record(program, options=(
        "--thread", "worker", "--thread", "other", "--start-at", "go"))[0])
    expect(got == {"go": 1, "run": 1, "work": 1, "worker": 1}, f"{got}")


def mark_of_thread(bench):
    """A thread that is not recorded makes no marks."""
    source = bench.work / "mark.c"
    source.write_text("""#include <stdio.h>
#include <sys/prctl.h>
#include <fntrace.h>
int main(void)
{
	printf("%d", fntrace_mark(1));
	prctl(PR_SET_NAME, "io");
	printf("%d", fntrace_mark(2));
	prctl(PR_SET_NAME, "cpu");
	printf("%d\\n", fntrace_mark(3));
	return 0;
}
""", encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-pg", f"-I{TESTS.parent}/include", source, "-o", program, f"-L{bench.built}",
        "-lfntrace", f"-Wl,-rpath,{bench.built}")
    directory, done = bench.record(program, options=("--thread", "io"))
    expect(done.stdout.strip() == "010", done.stdout)
    events, _ = bench.chrome(directory)
    marks = [event["args"]["text"] for event in events if event["ph"] == "i"]
    expect(marks == ["2"], f"{marks}")


def write_choice(directory, program, verdicts, names, *threads_of):
    """The file that "fntrace record" writes; NAMES are {name: verdict}."""
    status = os.stat(program)
    seconds, ns = divmod(status.st_mtime_ns, 10 ** 9)
    lines = [f"verdicts {verdicts}", *(f"thread {name}" for name in threads_of),
             f"object {status.st_dev} {status.st_ino} {status.st_size} {seconds} {ns} {program}"]
    for addr, size, name in re.findall(r"^(\w+) (\w+) [tT] (\S+)$",
                                       run("nm", "-S", program).stdout, re.MULTILINE):
        if name in names:
            end = int(addr, 16) + int(size, 16)
            lines.append(f"function {names[name]} {addr} {end:x} {name}")
    expect(len(lines) == 2 + len(names) + len(threads_of), f"{program} lacks one of {list(names)}")
    (directory / "choose").write_text("\n".join(lines) + "\n", encoding="ascii")


def cost(way):
    """What is not recorded takes at most so many instructions more than a call without hooks."""
    def test(bench):
        if os.uname().machine != "x86_64":
            raise Skip("the short way is for x86_64")
        text = (TESTS / "pairs.c").read_text(encoding="ascii")
        source = bench.work / "pairs.c"
        source.write_text(text.replace("untraced int main", "int main"), encoding="ascii")
        program = bench.work / "program"
        run("gcc", "-O2", source, "-o", program)
        plain = instructions(bench, program, None)
        run("gcc", "-O2", *way.split(), source, "-o", program)
        for verdicts, names in ((ONLY, {}), (WITHOUT, {"main": WITHOUT}), (START_AT, {})):
            write_choice(bench.work, program, verdicts, names)
            more = instructions(bench, program, bench.library, FNTRACE_CHOOSE="1") - plain
            expect(0 < more <= COST_MAX, f"{verdicts}: {more} instructions")
        write_choice(bench.work, program, 0, {}, "nobody")
        more = instructions(bench, program, bench.library, FNTRACE_CHOOSE="1") - plain
        expect(0 < more <= COST_MAX, f"a thread that is not recorded: {more} instructions")
    return test


def refused(bench):
    """What matches nothing is refused, and a recording that is there stays."""
    program = bench.compile("choose.c", "-pg", "-O2")
    directory, _ = bench.record(program)
    before = sorted(os.listdir(directory))
    for option in ("-F", "-N", "--start-at", "--stop-at"):
        for name in ("nowhere", "malloc"):
            said = run(bench.fntrace, "record", "-o", directory, option, name, option, "three",
                       program, status=1).stderr
            expect(f'matches "{name}"' in said and said.count("\n") == 1, said)
    said = run(bench.fntrace, "record", "-o", directory, "--object", "/nowhere", "-F", "three",
               program, status=1).stderr
    expect("cannot read /nowhere" in said, said)
    said = run(bench.fntrace, "record", "-o", directory, "--object", program, program,
               status=2).stderr
    expect("--object needs" in said, said)
    expect(sorted(os.listdir(directory)) == before, "the recording has changed")
    for name in ("[[:alpha:]]", "a\nb"):
        said = run(bench.fntrace, "record", "-o", directory, "--thread", name, program,
                   status=2).stderr
        expect("no pattern for names of threads" in said, said)
    expect(sorted(os.listdir(directory)) == before, "the recording has changed")
    _, done = bench.record(program, options=("--thread", "nobody"), status=1)
    expect("in a thread that was to be recorded" in done.stderr, done.stderr)
    plain = bench.compile("choose.c", "-O2", name="plain")
    said = run(bench.fntrace, "record", "-o", directory, "-F", "three", plain, status=1).stderr
    expect("was it compiled for this" in said, said)
    # Not a pattern that matches nothing, but a function that is not called.
    source = bench.work / "unused.c"
    source.write_text("void unused(void) { } int main(void) { return 0; }", encoding="ascii")
    run("gcc", "-pg", source, "-o", program)
    _, done = bench.record(program, options=("-F", "unused"), status=1)
    expect("none of the functions" in done.stderr, done.stderr)


def tests():
    for way in ("-pg", "-pg -mfentry", "-finstrument-functions",
                "-fpatchable-function-entry=5"):
        yield f"choose functions, {way}", as_reader(way)
        yield f"choose functions, from one on to another, {way}", between(way)
    for machine, nops in (("aarch64", 2), ("riscv64", 4)):
        for way in ("-pg -fno-omit-frame-pointer", f"-fpatchable-function-entry={nops}"):
            yield f"choose functions on {machine}, {way}", elsewhere(machine, way)
    for way in ("-pg", "-pg -mfentry", "-finstrument-functions",
                "-fpatchable-function-entry=5"):
        yield f"choose threads, {way}", threads(way)
    for machine, nops in (("aarch64", 2), ("riscv64", 4)):
        for way in ("-pg -fno-omit-frame-pointer", f"-fpatchable-function-entry={nops}"):
            yield f"choose threads on {machine}, {way}", threads_elsewhere(machine, way)
    yield "choose threads, started by another one", started_by_another_thread
    yield "choose threads, marks", mark_of_thread
    yield "choose functions, entries only", entries
    yield "choose functions, names and libraries", names_of_libraries
    yield "choose functions, children", children
    yield "choose functions, values", values
    for way in ("-pg", "-pg -mfentry"):
        yield f"choose functions, cost, {way}", cost(way)
    yield "choose functions, refused", refused

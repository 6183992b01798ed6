#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Test fntrace, in KTAP.

    test_fntrace.py DIR [NAME...]

DIR is where make put what it built. Only tests whose names begin with a NAME run,
if there is one. What a test needs and does not find (a compiler, uftrace, QEMU)
makes it skip.
"""

import collections
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import xml.etree.ElementTree

from bench import (ENTRY, EXAMPLES, EXIT, HEADER, MARK, RECEIVE, RECORD, SEND, TASK, TESTS,
                   TIMEOUT, Skip, Wrong, buffer, compare, counts, expect, limit, need,
                   on_small_disk, run, run_tests, same_counts, session, uftrace_directory,
                   uftrace_record, until, wanted)
import messages
import test_calls
import test_choose
import test_embed
import test_filter
import test_install
import test_library
import test_peers
import test_process
import test_receive
import test_record
import test_report
import test_send
import test_symbols
import test_values

# Of the header of a buffer.
OLDER = 104

# Programs

WAYS = ("-pg", "-pg -mfentry", "-finstrument-functions", "-fpatchable-function-entry=5")


def calls(cc, way, level):
    def test(bench):
        flags = way.split() + [level]
        if cc == "clang-19" and way == "-pg":
            flags.append("-fno-omit-frame-pointer")
        same_counts(bench, bench.compile("calls.c", *flags, cc=cc))
    return test


def exceptions(way, level):
    return lambda bench: same_counts(
        bench, bench.compile("exceptions.cpp", *way.split(), level, cc="g++"))


def rust(way):
    def test(bench):
        rustc = os.environ.get("RUSTC", "rustc")
        need(rustc)
        program = bench.work / "program"
        run(rustc, *way.split(), "-C", "opt-level=1", TESTS / "calls.rs", "-o", program,
            env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
        same_counts(bench, program)
    return test


def storm(bench, directory, output):
    """
    What was recorded and what was lost is all there was, in order. What a handler calls while
    the hook that it interrupted maps the next part of the buffer is lost: 1 % if the program is
    emulated, 4 % on a busy host, and 15 % were seen of both, as the share is that of the time
    that mapping takes. Without a next part, more than 90 % are.
    """
    out = bench.work / "storm.svg"
    said = run(bench.fntrace, "convert", "-f", "flame", "-o", out, directory).stderr
    total = int(re.search(r"^total (\d+)$", output, re.MULTILINE).group(1))
    found = int(re.search(r" in (\d+) calls", out.read_text(encoding="utf-8")).group(1))
    lost = re.search(r"(\d+) calls were lost", said)
    lost = int(lost.group(1)) if lost else 0
    expect(found + lost == total, f"{found} recorded, {lost} lost, {total} made")
    expect(lost < total / 2, f"{lost} of {total} lost")
    expect("backwards" not in said and "left out" not in said.replace("boxes", ""), said)


def signals(way, *options):
    """Signals whose handler is traced, at any instruction of the hooks."""
    def test(bench):
        program = bench.compile("storm.c", *way.split(), "-O1", "-g")
        directory, done = bench.record(program, options=options)
        storm(bench, directory, done.stdout)
    return test


def elsewhere(machine, way, level, source="calls.c", entries=False):
    """The backend for another architecture, with its user space emulated."""
    def test(bench):
        program = bench.compile_for(machine, source, *way.split(), level)
        data = bench.work / "data"
        data.mkdir()
        done = bench.emulated(machine, program, data, FNTRACE_SIZE=65536,
                              FNTRACE_ENTRIES=int(entries))
        if source == "storm.c":
            storm(bench, data, done.stdout)
            return
        events, said = bench.chrome(data)
        compare(wanted(done.stdout), counts(events))
        expect("backwards" not in said, said)
        if entries:
            times = [event["ts"] for event in events if event["ph"] in "BE"]
            expect(times[::2] == times[1::2], "calls have a duration")
    return test


def nested(way):
    """Functions inside of functions, which GCC calls with one register more."""
    def test(bench):
        program = bench.compile("nested.c", *way.split(), "-O1")
        directory, done = bench.record(program)
        found = counts(bench.chrome(directory)[0])
        compare(wanted(done.stdout), found)
        inner = sum(count for name, count in found.items() if name.startswith("inner"))
        expect(inner == 160, f"inner: {inner} calls, not 160")
    return test


def family(bench):
    return bench.compile("family.c", "-pg", "-O1", "-ldl", name="family")


def descendants(bench):
    """What a program leaves running is recorded up to its end."""
    directory, _ = bench.record(family(bench), "daemon", "0.5")
    found = counts(bench.chrome(directory)[0])
    expect(found.get("child") == 20, f"{found.get('child')} calls of the child, not 20")


def impatient(bench):
    """Nobody has to wait for a daemon; what it writes later is not lost to it."""
    directory, heard = bench.work / "data", bench.work / "said"
    # A pipe would not end before the daemon does.
    with open(heard, "w", encoding="utf-8") as said, subprocess.Popen(
            [bench.fntrace, "record", "-o", directory, family(bench), "daemon", "60"],
            stderr=said) as record:
        try:
            until(lambda: "waiting for the processes" in heard.read_text(encoding="utf-8"),
                  "it does not wait")
            record.send_signal(signal.SIGINT)
            record.wait(timeout=TIMEOUT)
        finally:
            record.kill()
            for file in directory.glob("*.maps"):
                try:
                    os.kill(int(file.name.split("-")[0]), signal.SIGKILL)
                except ProcessLookupError:
                    pass
    said = heard.read_text(encoding="utf-8")
    expect(record.returncode == 0 and "still run" in said, said)
    expect(len(list(directory.glob("*.fntrace"))) == 2, "the records are gone")
    expect(counts(bench.chrome(directory)[0]).get("main") == 1, "main() is missing")


def cloned(bench):
    """A child that no library hears of has its own files."""
    directory, done = bench.record(family(bench), "clone", options=("-s", "64k"))
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    expect(len({event["pid"] for event in events}) == 2, "one process")
    for word in ("damaged", "backwards", "lost", "left out", "put in"):
        expect(word not in said, said)


def poor(bench):
    """A child that gets no file leaves that of its parent alone."""
    directory, done = bench.record(family(bench), "poor")
    expect("fntrace:" in done.stderr, "the child had no reason to complain")
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    expect("fntrace:" not in said, said)


def nobody_listens(bench):
    """A message that nobody can read does not end the program."""
    program = bench.compile("tree.c", "-pg", "-O1")
    # The program waits until its standard error has no reader.
    for value, options in (("/nonexistent", {}),
                           (bench.work, {"preexec_fn": limit(resource.RLIMIT_FSIZE, 100000)})):
        with subprocess.Popen(
                ["sh", "-c", "read line && exec env LD_PRELOAD=$0 FNTRACE_DIR=$1 $2 loop 1000",
                 bench.library, value, program], stdin=subprocess.PIPE,
                stderr=subprocess.PIPE, **options) as child:
            child.stderr.close()
            child.stdin.write(b"go\n")
            child.stdin.close()
            status = child.wait(timeout=TIMEOUT)
        expect(status == 0, f"status {status}")


def library(bench, name, *flags):
    path = bench.work / f"{name[0]}.so"
    run("gcc", "-pg", "-O1", "-shared", "-fPIC", f"-DNAME={name}", *flags, TESTS / "library.c",
        "-o", path)
    return path


def same_place(bench):
    """Two libraries that were at the same addresses, one after the other."""
    program = family(bench)
    directory, done = bench.record(program, "swap", library(bench, "a_run"),
                                   library(bench, "b_run"))
    if "same place" not in done.stdout:
        raise Skip("they were loaded to different places")
    compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))
    again = bench.work / "again"
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", again, directory)
    compare(wanted(done.stdout), counts(bench.chrome(again)[0]))
    if shutil.which("uftrace"):
        found = re.findall(r"(\d+)  (\w+)$", run("uftrace", "report", "-d", again).stdout,
                           re.MULTILINE)
        expect(("5", "a_run") in found and ("5", "b_run") in found, f"uftrace sees {found}")


def lowest(bench):
    """A program with no room below it for what its hooks go through."""
    program = bench.compile("calls.c", "-fpatchable-function-entry=5", "-O2", "-no-pie",
                            "-Wl,-Ttext-segment=0x10000")
    directory, done = bench.record(program)
    expect(done.stderr == "", done.stderr)
    compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))


def ends_at_once(bench):
    """_exit() runs no destructors, but plugins have their names."""
    directory, _ = bench.record(family(bench), "exit", library(bench, "a_run"))
    found = counts(bench.chrome(directory)[0])
    expect(found.get("a_run") == 1, f"{found}")


def constructor(bench):
    """What runs before main(), in a library that the program is linked with."""
    path = library(bench, "a_run", "-DCONSTRUCTOR")
    source = bench.work / "main.c"
    source.write_text("void a_run(void); int main(void) { a_run(); return 0; }",
                      encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-pg", source, path, "-o", program)
    found = counts(bench.chrome(bench.record(program)[0])[0])
    expect(found.get("called_first") == 1 and found.get("a_run") == 1, f"{found}")


def many_threads(bench):
    """More threads than a process may have files open."""
    program = family(bench)
    directory = bench.work / "data"
    done = run(bench.fntrace, "record", "-s", "64k", "-o", directory, program,
               "threads", "100", preexec_fn=limit(resource.RLIMIT_NOFILE, 64))
    expect("fntrace:" not in done.stderr, done.stderr)
    out = bench.work / "again"
    said = run(bench.fntrace, "convert", "-f", "uftrace", "-o", out, directory,
               preexec_fn=limit(resource.RLIMIT_NOFILE, 32)).stderr
    expect("fntrace:" not in said, said)
    json_file = bench.work / "trace.json"
    said = run(bench.fntrace, "convert", "-f", "chrome", "-o", json_file, out,
               preexec_fn=limit(resource.RLIMIT_NOFILE, 32)).stderr
    expect("fntrace:" not in said, said)
    with open(json_file, encoding="utf-8") as file:
        compare(wanted(done.stdout), counts(json.load(file)["traceEvents"]))


def files_are_limited(bench):
    """ulimit -f ends the recording, not the program."""
    program = bench.compile("tree.c", "-pg", "-O1")
    directory = bench.work / "data"
    done = run(bench.fntrace, "record", "-s", "64k", "-o", directory, program, "loop",
               "100000", status=1, preexec_fn=limit(resource.RLIMIT_FSIZE, 150000))
    expect("limit of file sizes" in done.stderr, done.stderr)
    events, said = bench.chrome(directory)
    found = counts(events)["leaf"]
    lost = int(re.search(r"(\d+) calls were lost", said).group(1))
    expect(found > 2000 and found + lost == 100000, f"{found} and {lost}")
    # Not even a first buffer.
    done = run(bench.fntrace, "record", "-o", directory, program, "loop", "1000", status=1,
               preexec_fn=limit(resource.RLIMIT_FSIZE, 100000))
    expect("limit of file sizes" in done.stderr, done.stderr)
    # Nor is the converter killed by the signal, but a program that it starts may be.
    directory, _ = bench.record(program, "loop", "10000")
    done = run(bench.fntrace, "convert", "-f", "chrome", "-o", bench.work / "small", directory,
               status=1, preexec_fn=limit(resource.RLIMIT_FSIZE, 100000))
    expect("File too large" in done.stderr, done.stderr)
    bench.record("sh", "-c", "kill -XFSZ $$", status=128 + signal.SIGXFSZ)


# uftrace

def strip(text, pattern):
    return [re.sub(pattern, "", line).rstrip() for line in text.splitlines()]


def both(bench):
    """The same program, recorded by uftrace and by us; both as its directories."""
    need("uftrace")
    program = bench.compile("tree.c", "-pg", "-O1")
    theirs = bench.work / "theirs"
    run("uftrace", "record", "--no-libcall", "--no-event", "-d", theirs, program)
    ours, _ = bench.record(program)
    return bench.uftrace(ours), theirs


def agree(*command, pattern, keep=lambda line: True):
    def test(bench):
        ours, theirs = both(bench)
        texts = []
        for directory in (ours, theirs):
            lines = strip(run("uftrace", *command, "-d", directory).stdout, pattern)
            texts.append([line for line in lines if keep(line)])
        expect(len(texts[1]) > 5, "uftrace said nothing")
        for mine, other in zip(*texts):
            expect(mine == other, f"{mine!r} and {other!r}")
        expect(len(texts[0]) == len(texts[1]), "different numbers of lines")
    return test


def agree_report(bench):
    ours, theirs = both(bench)
    tables = []
    for directory in (ours, theirs):
        text = run("uftrace", "report", "-d", directory).stdout
        tables.append(sorted(re.findall(r"(\d+)  (\w+)$", text, re.MULTILINE)))
    expect(len(tables[0]) == 5 and tables[0] == tables[1], f"{tables[0]} and {tables[1]}")


def agree_chrome(bench):
    ours, theirs = both(bench)
    events = []
    for directory in (ours, theirs):
        text = run("uftrace", "dump", "--chrome", "-d", directory).stdout
        events.append([(event["ph"], event["name"]) for event in
                       json.loads(text)["traceEvents"] if event["ph"] in "BE"])
    # And our converter, of what uftrace recorded.
    converted, _ = bench.chrome(theirs)
    events.append([(event["ph"], event["name"]) for event in converted if event["ph"] in "BE"])
    expect(len(events[1]) > 100, "uftrace said nothing")
    expect(events[0] == events[1], "uftrace sees other calls in our recording")
    expect(events[2] == events[1], "we see other calls in uftrace's recording")


def through_env(bench):
    """A program that another one becomes has its names."""
    need("uftrace")
    program = bench.compile("tree.c", "-pg", "-O1")
    for command in (("env", program), ("sh", "-c", f"exec {program}")):
        directory, _ = bench.record(*command)
        text = run("uftrace", "report", "-d", bench.uftrace(directory)).stdout
        found = dict((name, int(count)) for count, name in
                     re.findall(r"(\d+)  (\w+)$", text, re.MULTILINE))
        expect(found.get("walk") == 64, f"{command[0]}: uftrace sees {found}")


def filters(bench):
    """uftrace's filters know functions of C++ by the names that it makes."""
    need("uftrace")
    directory, _ = bench.record(bench.compile("filters.cpp", "-pg", "-O1", cc="g++"))
    text = run("uftrace", "replay", "-f", "none", "-F", "space::thing::method", "-d",
               bench.uftrace(directory)).stdout
    expect(text.count("space::inside") == 3 and "outside" not in text, text)


# Formats

def recorded(bench):
    return bench.record(bench.compile("tree.c", "-pg", "-O1"))[0]


def perfetto(bench):
    out = bench.work / "trace.pftrace"
    run(bench.fntrace, "convert", "-f", "perfetto", "-o", out, recorded(bench))
    done = run(sys.executable, TESTS / "check_perfetto.py", out, status=None)
    if done.returncode == 4:
        raise Skip("no package perfetto")
    expect(done.returncode == 0, done.stdout + done.stderr)


def flame(bench):
    out = bench.work / "trace.svg"
    directory = recorded(bench)
    run(bench.fntrace, "convert", "-f", "flame", "-o", out, directory)
    run(bench.fntrace, "flame", directory, cwd=bench.work)
    expect(out.read_bytes() == (bench.work / "flame.svg").read_bytes(), "two pictures")
    titles = [element.text or "" for element in xml.etree.ElementTree.parse(out).iter()
              if element.tag.endswith("title")]
    expect(any("walk" in title for title in titles), "no box of walk()")


def listing(bench):
    text = run(bench.fntrace, "replay", recorded(bench)).stdout
    expect(text.count("walk()") >= 64 and text.count("leaf();") > 10, "calls are missing")


def raw_is_uftrace(bench):
    """Converting twice gives what converting once gives."""
    directory = recorded(bench)
    again = bench.work / "again"
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", again, directory)
    first, _ = bench.chrome(directory)
    second, _ = bench.chrome(again)
    expect([(e["ph"], e["name"], e["ts"]) for e in first if e["ph"] in "BE"] ==
           [(e["ph"], e["name"], e["ts"]) for e in second if e["ph"] in "BE"], "they differ")


def keeps_all(bench):
    """A recording has the names of threads, marks, and the names of functions."""
    program = family(bench)
    directory, done = bench.record(program, "names")
    expect(done.stderr == "", done.stderr)
    program.unlink()
    text = run(bench.fntrace, "replay", directory).stdout
    expect("speaker-" in text and "fntrace:mark 4711" in text and "child()" in text, text)
    text = run(bench.fntrace, "replay", bench.uftrace(directory)).stdout
    expect("speaker-" in text and "child()" in text, text)


def replaced(bench):
    """Names are those that the program had when it was recorded."""
    program = bench.compile("tree.c", "-pg", "-O1")
    directory, _ = bench.record(program)
    before = counts(bench.chrome(directory)[0])
    # Another one of the same size and in the same place, where walk() is something else.
    data = program.read_bytes().replace(b"walk\0", b"run_\0")
    program.unlink()
    program.write_bytes(data)
    program.chmod(0o755)
    expect(counts(bench.chrome(directory)[0]) == before and before["walk"] == 64, f"{before}")
    names = list(directory.glob("*.names"))
    text = names[0].read_text(encoding="ascii")
    for damaged in (text.replace("end\n", ""), text.replace("path ", ""), "", "path x\nwalk\n"):
        names[0].write_text(damaged, encoding="ascii")
        events, said = bench.chrome(directory)
        expect("damaged" in said and "not the file that was recorded" in said, said)
        expect("walk" not in counts(events) and "run_" not in counts(events),
               f"{counts(events)}")
    # A recording that was not finished has the names of the file, if it is still that one.
    directory, _ = bench.record(program)
    for file in directory.glob("*.names"):
        file.unlink()
    expect(counts(bench.chrome(directory)[0]).get("run_") == 64, "the file was not read")


def names_of_uftrace(bench):
    """uftrace calls threads after the program."""
    _, theirs = both(bench)
    text = run(bench.fntrace, "replay", theirs).stdout
    expect("program-" in text and "?-" not in text, text.splitlines()[:1])


# What goes wrong

def crash(bench):
    program = bench.compile("tree.c", "-pg", "-O1")
    directory, done = bench.record(program, "crash", status=128 + 9)
    expect("killed by signal 9" in done.stderr, done.stderr)
    events, said = bench.chrome(directory)
    expect(counts(events).get("through") == 1, "what was before the crash is missing")
    expect("1 calls had not ended" in said, said)


def stacks(way, how):
    """Stacks that are gone, or that are not the thread's first."""
    def test(bench):
        program = bench.compile("stacks.c", *way.split(), "-O1", "-rdynamic", "-ldl")
        directory, done = bench.record(program, how)
        compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))
    return test


def ending(bench):
    """What is recorded at the end of a thread, by a handler of signals, is in the file."""
    if os.uname().machine != "x86_64":
        raise Skip("it steps through instructions of x86_64")
    program = bench.compile("ending.c", "-pg", "-O1", "-ldl")
    directory, done = bench.record(program)
    marked = int(re.search(r"^marked (\d+)$", done.stdout, re.MULTILINE).group(1))
    expect(0 < marked < 20, f"{marked} marks: the end is not among them")
    events, _ = bench.chrome(directory)
    found = sum(event["ph"] == "i" for event in events)
    expect(found == marked, f"{found} marks of {marked}")


def executed(bench):
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "exec")
    events, _ = bench.chrome(directory)
    expect(counts(events).get("main") == 2, f"main: {counts(events).get('main')}")


def processes(events):
    """By name of a function, the number and the name of the process it is called in."""
    names, found = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            names[event["pid"]] = event["args"]["name"]
        elif event["ph"] == "B":
            found.setdefault(event["name"], set()).add((event["pid"], names[event["pid"]]))
    return found


def becomes(bench):
    """A program that becomes another one: each has its functions and its names."""
    need("uftrace")
    second = family(bench)
    directory, _ = bench.record(
        bench.compile("tree.c", "-pg", "-O1", name="first"), "exec", second, "names")
    again = bench.work / "again"
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", again, directory)
    found = {}
    for where in (directory, again):
        events, said = bench.chrome(where)
        expect(("1 ends were missing" in said) == (where == directory), said)
        found = counts(events)
        expect((found["leaf"], found["child"], found["main"]) == (1, 1, 2), f"{found}")
    found = processes(bench.chrome(directory)[0])
    expect({name for _, name in found["leaf"]} == {"first"} and
           {name for _, name in found["child"]} == {"family"}, f"{found}")
    text = run(bench.fntrace, "replay", directory).stdout
    expect(re.search(r" first-\d+ +leaf\(\)", text) and
           re.search(r" speaker-\d+ +child\(\)", text), text)
    out = bench.work / "trace.svg"
    run(bench.fntrace, "convert", "-f", "flame", "-o", out, directory)
    titles = [(element.text or "?").splitlines()[0]
              for element in xml.etree.ElementTree.parse(out).iter()
              if element.tag.endswith("title")]
    expect("first" in titles and "family / speaker" in titles, f"{titles}")
    # uftrace takes the functions of the first for those of the second, or has no names.
    text = run("uftrace", "replay", "-f", "none", "-d", again).stdout
    expect("leaf();" in text and "child();" in text, text)


def number_again(bench):
    """Two processes of which a thread has the same number, one after the other."""
    directory, again = bench.work / "data", bench.work / "again"
    directory.mkdir()
    for number, pid in enumerate((100, 200)):
        start = 1000 + 1000 * number
        (directory / f"7-{number}.fntrace").write_bytes(
            buffer([(start, ENTRY, 0, 0x1000 + pid), (start + 10, ENTRY, 1, 0x2000 + pid),
                    (start + 20, EXIT, 1, 0x2000 + pid)][:3 - number] +
                   ([(start + 30, EXIT, 1, 0x2200 + pid)] if number else []),
                   tid=7, pid=pid, name=b"owner%d" % number, clocks=((1, 1), (10 ** 6, 10 ** 6))))
        (directory / f"{pid}-0.maps").write_text(f"/nowhere/program{pid}\n", encoding="ascii")
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", again, directory)
    for where in (directory, again):
        events, said = bench.chrome(where)
        calls = [(event["pid"], event["ph"]) for event in events if event["ph"] in "BE"]
        expect(calls == [(100, "B"), (100, "B"), (100, "E"), (100, "E"),
                         (200, "B"), (200, "B"), (200, "E"), (200, "E")], f"{calls}, {said}")
        expect({name for names in processes(events).values() for name in names} ==
               {(100, "program100"), (200, "program200")}, f"{processes(events)}")
    text = run(bench.fntrace, "replay", directory).stdout
    expect(text.count("owner0-7") == 3 and text.count("owner1-7") >= 2, text)
    out = bench.work / "trace.pftrace"
    run(bench.fntrace, "convert", "-f", "perfetto", "-o", out, directory)
    done = run(sys.executable, TESTS / "check_perfetto.py", out, status=None)
    expect(done.returncode in (0, 4), done.stdout + done.stderr)


def plugin(bench):
    """Exceptions inside of a library that only its user sees."""
    need("gcc", "g++")
    library = bench.work / "plugin.so"
    run("g++", "-pg", "-O1", "-shared", "-fPIC", TESTS / "plugin.cpp", "-o", library)
    program = bench.work / "program"
    run("gcc", "-pg", "-O1", "-w", "-x", "c", "-DPROGRAM", TESTS / "plugin.cpp", "-o", program)
    directory, done = bench.record(program, library)
    compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))


def closes(bench):
    """The program's files are its own, whatever it does with descriptors."""
    own = bench.work / "own"
    program = bench.compile("tree.c", "-pg", "-O1")
    directory, done = bench.record(program, "close", own, options=("-s", "64k"))
    expect(own.read_bytes() == b"mine", f"it has {own.stat().st_size} bytes")
    expect("fntrace:" not in done.stderr, done.stderr)
    found = counts(bench.chrome(directory)[0])
    expect(found.get("leaf") == 100000, f"{found.get('leaf')} calls")


def closes_and_moves(bench):
    """Where a file cannot be opened again, the loss is told and counted."""
    own, directory = bench.work / "own", bench.work / "data"
    _, done = bench.record(bench.compile("tree.c", "-pg", "-O1"), "close", own, directory,
                           bench.work / "moved", options=("-s", "64k"), status=1)
    expect(own.read_bytes() == b"mine", f"it has {own.stat().st_size} bytes")
    expect("cannot be opened again" in done.stderr and "not there any more" in done.stderr,
           done.stderr)
    events, said = bench.chrome(bench.work / "moved")
    found = counts(events)["leaf"]
    lost = int(re.search(r"(\d+) calls were lost", said).group(1))
    expect(found > 2000 and found + lost == 100000, f"{found} and {lost}")


def other_files(bench):
    """A directory that has anything else is left as it is."""
    directory = bench.work / "data"
    (directory / "kernel").mkdir(parents=True)
    names = ["task.txt", "clock", "my.dat", "notes.map", "kernel/precious.c"]
    for name in names:
        (directory / name).write_text("precious", encoding="ascii")
    done = run(bench.fntrace, "record", "-o", directory, "true", status=1)
    expect("not touching" in done.stderr, done.stderr)
    expect(all((directory / name).exists() for name in names), "files are gone")


def older(bench):
    """A recording makes room for the next one; what is not one does not."""
    program = bench.compile("tree.c", "-pg", "-O1")
    directory, old = bench.work / "data", bench.work / "data.old"
    for number in range(3):
        run(bench.fntrace, "record", "-o", directory, program, "loop", 10 + number)
    for where, want in ((directory, 12), (old, 11)):
        found = counts(bench.chrome(where)[0])["leaf"]
        expect(found == want, f"{where.name}: {found} calls, not {want}")
    shutil.rmtree(old)
    old.mkdir()
    (old / "precious").touch()
    done = run(bench.fntrace, "record", "-o", directory, program, status=1)
    expect("cannot rename" in done.stderr and (old / "precious").exists(), done.stderr)
    expect(counts(bench.chrome(directory)[0])["leaf"] == 12, "the recording is gone")


def takes_no_other(bench):
    """Converting writes neither into other directories nor over what it reads."""
    source = recorded(bench)
    foreign = bench.work / "foreign"
    foreign.mkdir()
    for number, name in enumerate(("info", "other.sym"), 1):
        (foreign / name).write_text("precious", encoding="ascii")
        done = run(bench.fntrace, "convert", "-f", "uftrace", "-o", foreign, source, status=1)
        expect("not touching" in done.stderr, done.stderr)
        expect((foreign / name).read_text(encoding="ascii") == "precious" and
               len(list(foreign.iterdir())) == number, "it was written to")
    files = sorted(source.iterdir())
    other = bench.work / "other"
    shutil.copytree(source, other)
    done = run(bench.fntrace, "convert", "-f", "uftrace", "-o", source, other, status=1)
    expect("not touching" in done.stderr and files == sorted(source.iterdir()), done.stderr)

    # Its own of the last time it replaces, with all files.
    out = bench.work / "out"
    program = family(bench)
    threads, _ = bench.record(program, "threads", "5")
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", out, threads)
    expect(len(list(out.glob("*.dat"))) == 6, "files of threads are missing")
    run(bench.fntrace, "convert", "-f", "uftrace", "-o", out, other)
    expect(len(list(out.glob("*.dat"))) == 1, "files of the last time are left")

    done = run(bench.fntrace, "convert", "-f", "uftrace", "-o", out, out, status=1)
    expect("not writing" in done.stderr and list(out.glob("*.dat")), done.stderr)
    file = bench.work / "made"
    file.write_bytes(buffer([(1000, ENTRY, 0, 1), (2000, EXIT, 0, 1)]))
    size = file.stat().st_size
    done = run(bench.fntrace, "convert", "-f", "chrome", "-o", file, file, status=1)
    expect("not writing" in done.stderr and file.stat().st_size == size, done.stderr)


# What "fntrace record -k" writes, made here

KERNEL_PAGE = 4096
COMMON = (("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1),
          ("unsigned char common_preempt_count", 3, 1), ("int common_pid", 4, 4))
KERNEL_FORMATS = {
    "ftrace/funcgraph_exit": (10, (("unsigned long func", 8, 8), ("int depth", 16, 4)),
                              '"<-- %lx (%d)", REC->func, REC->depth'),
    "ftrace/funcgraph_entry": (11, (("unsigned long func", 8, 8), ("int depth", 16, 4)),
                               '"--> %lx (%d)", REC->func, REC->depth'),
    "made/thing": (300, (("int value", 8, 4), ("__data_loc char[] name", 12, 4)),
                   '"value=%d name=%s", REC->value, __get_str(name)'),
    "kvm/kvm_write_tsc_offset": (301, (("unsigned int vcpu_id", 8, 4),
                                       ("__u64 previous_tsc_offset", 16, 8),
                                       ("__u64 next_tsc_offset", 24, 8)),
                                 '"vcpu=%u", REC->vcpu_id'),
}


def kernel_fields(fields):
    return "".join(f"\tfield:{name};\toffset:{offset};\tsize:{size};"
                   f"\tsigned:{int(name.startswith('int'))};\n"
                   for name, offset, size in fields)


def kernel_page(start, events, step=1000):
    """A page of the ring buffer; each of the EVENTS comes STEP after the one before."""
    data = b""
    for event in events:
        event = event.ljust((len(event) + 3) // 4 * 4, b"\0")
        data += struct.pack("<I", len(event) // 4 | step << 5) + event
    return (struct.pack("<QQ", start, len(data)) + data).ljust(KERNEL_PAGE, b"\0")


def kernel_directory(directory, pid=100, things=True):
    """One CPU, two pages: called() ten times in each, with a point inside of it."""
    for name, (number, fields, text) in KERNEL_FORMATS.items():
        file = directory / "events" / name / "format"
        file.parent.mkdir(parents=True)
        file.write_text(f"name: {file.parent.name}\nID: {number}\nformat:\n"
                        f"{kernel_fields(COMMON)}\n{kernel_fields(fields)}\n"
                        f"print fmt: {text}\n",
                        encoding="ascii")
    (directory / "events" / "header_page").write_text(
        kernel_fields((("u64 timestamp", 0, 8), ("int commit", 8, 8), ("int overwrite", 8, 1),
                       ("char data", 16, KERNEL_PAGE - 16))).replace("int commit",
                                                                     "local_t commit"),
        encoding="ascii")
    (directory / "info").write_text("version 1\nbyte_order little\nclock mono\n",
                                    encoding="ascii")
    (directory / "kallsyms").write_text("ffffffff81000000 T called\nffffffff81000100 T end\n",
                                        encoding="ascii")
    (directory / "saved_cmdlines").write_text(f"{pid} made\n", encoding="ascii")
    (directory / "saved_tgids").write_text(f"{pid} {pid}\n", encoding="ascii")
    (directory / "printk_formats").touch()
    calls = []
    for kind, rest in ((11, struct.pack("<Qi", 0xffffffff81000000, 0)),
                       (300, struct.pack("<iHH", 7, 16, 5) + b"text\0"),
                       (10, struct.pack("<Qi", 0xffffffff81000000, 0))):
        if things or kind != 300:
            calls.append(struct.pack("<HBBi", kind, 0, 0, pid) + rest)
    (directory / "cpu0.raw").write_bytes(kernel_page(10 ** 9, calls * 10) +
                                         kernel_page(2 * 10 ** 9, calls * 10))


def made_by_kernel(bench):
    """It is read as if it was recorded."""
    kernel_directory(bench.work / "data" / "kernel")
    events, said = bench.chrome(bench.work / "data")
    expect(said == "", said)
    expect(counts(events) == {"called": 20}, f"{counts(events)}")
    texts = [event["args"]["text"] for event in events if event["ph"] == "i"]
    expect(texts == ["value=7 name=text"] * 20, f"{texts[:1]}")


def without_kernel(bench):
    """Who traces programs only needs no library for traces of the kernel."""
    text = run("ldd", bench.fntrace).stdout
    expect("libc.so" in text and "libtrace" not in text, text)
    place = bench.work / "place"
    place.mkdir()
    for file in (bench.fntrace, bench.library):
        shutil.copy2(file, place)
    fntrace, data = place / "fntrace", bench.work / "data"
    program = bench.compile("tree.c", "-pg", "-O1")
    run(fntrace, "record", "-o", data, program)
    kernel_directory(data / "kernel")
    source = bench.work / "plugin.c"
    source.write_text('const struct { const char *version; } kernel_plugin = { "0" };\n',
                      encoding="ascii")
    for says in ("which is not beside", "is of fntrace 0"):
        done = run(fntrace, "report", data, status=1)
        expect("walk" in done.stdout and says in done.stderr, done.stderr)
        done = run(fntrace, "record", "-k", "-o", bench.work / "new", program, status=1)
        expect(says in done.stderr and not (bench.work / "new").exists(), done.stderr)
        run("gcc", "-shared", "-fPIC", source, "-o", place / "fntrace-kernel.so")


def partly_read(bench):
    """What cannot be read is told, and the rest is not lost."""
    good, directory = bench.work / "good", bench.work / "data"
    source, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"))
    kernel_directory(source / "kernel", things=False)
    source.rename(good)
    for script, says in (
            (":", ""),
            ("echo damaged > kernel/info", "lacks a description"),
            ("mkdir kernel/cpu1.raw", "Is a directory"),
            ("truncate -s 1T kernel/cpu0.raw", "what follows is lost"),
            ("echo damaged > 7-0.fntrace", "no buffer"),
            ("ln -s nowhere 7-0.maps", "cannot read")):
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(good, directory)
        run("sh", "-c", script, cwd=directory)
        # The process that reads the kernel's files has no more time than that.
        options = {"preexec_fn": limit(resource.RLIMIT_CPU, 1)} if "truncate" in script else {}
        out = bench.work / "list"
        done = run(bench.fntrace, "replay", "-o", out, directory, status=None, **options)
        expect(done.returncode == bool(says) and says in done.stderr and
               ("not all of" in done.stderr) == bool(says),
               f"{script}: status {done.returncode}, {done.stderr}")
        expect(out.read_text(encoding="utf-8").count("walk()") >= 64, f"{script}: no calls")


def elsewhere_later(bench):
    """A program that goes elsewhere and starts others, where -o is relative."""
    program = bench.compile("tree.c", "-pg", "-O1")
    done = run(bench.fntrace, "record", "-o", "here", "sh", "-c",
               f"cd / && {program} loop 10", cwd=bench.work)
    expect(done.stderr == "", done.stderr)
    found = counts(bench.chrome(bench.work / "here")[0])
    expect(found.get("leaf") == 10, f"{found}")


def not_loaded(bench):
    """The two reasons for an empty recording are told apart."""
    done = bench.record(bench.compile("tree.c", "-O1"), options=(), status=1)[1]
    expect("compiled for this" in done.stderr, done.stderr)
    done = bench.record(bench.compile("tree.c", "-O1", "-static"), options=(), status=1)[1]
    expect("was not loaded" in done.stderr, done.stderr)


def with_space(bench):
    """LD_PRELOAD cannot name every path."""
    place = bench.work / "with: space"
    place.mkdir()
    for file in (bench.fntrace, bench.library):
        shutil.copy2(file, place)
    data = bench.work / "other data"
    done = run(place / "fntrace", "record", "-o", data,
               bench.compile("tree.c", "-pg", "-O1"))
    expect(done.stderr == "", done.stderr)
    expect(counts(bench.chrome(data)[0]).get("walk") == 64, "calls are missing")


def stops(bench):
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "loop", "100000",
                                options=("--stop", "-s", "64k"))
    events, said = bench.chrome(directory)
    found = counts(events)["leaf"]
    lost = int(re.search(r"(\d+) calls were lost", said).group(1))
    expect(found > 2000 and found + lost == 100000, f"{found} and {lost}")
    expect(any(event["ph"] == "i" for event in events), "the loss is not shown")


def overwrites(bench):
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "loop", "100000",
                                options=("--overwrite", "-s", "64k"))
    found = counts(bench.chrome(directory)[0])["leaf"]
    expect(2000 < found < 2100, f"{found} calls in 64 KiB")


def many_names(bench):
    """A source of so many names that they do not fit on a disk of 400 KiB."""
    source = bench.work / "many.c"
    source.write_text("".join(f"void function_with_a_long_name_{n}(void) {{ }}\n"
                              for n in range(20000)), encoding="ascii")
    return source


def no_room(bench):
    """A disk that gets full while a program is recorded."""
    program = bench.compile("tree.c", "-pg", "-O1", many_names(bench))
    done = on_small_disk(
        bench, "4m", f"{bench.fntrace} record -o MOUNT/data {program} loop 1000000; "
        f"echo status $?; {bench.fntrace} convert -f chrome -o {bench.work}/trace.json "
        "MOUNT/data")
    # That of the program is 0, but the recording is not complete.
    expect("status 1\n" in done.stdout, "the program did not end as it should")
    expect("no space left" in done.stderr and "lost" in done.stderr, done.stderr)
    with open(bench.work / "trace.json", encoding="utf-8") as file:
        found = counts(json.load(file)["traceEvents"])["leaf"]
    expect(found > 50000, f"only {found} calls could be read")


def no_room_for_uftrace(bench):
    """A disk that gets full while the directory for uftrace is written, of many records."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "loop", "200000")
    done = on_small_disk(
        bench, "2m", f"{bench.fntrace} convert -f uftrace -o MOUNT/data {directory}; "
        "echo status $?")
    expect("status 1\n" in done.stdout, done.stdout + done.stderr)
    expect("No space left" in done.stderr, done.stderr)


def no_room_for_names(bench):
    """A disk that gets full when the names are written: the records are there."""
    program = bench.compile("tree.c", "-pg", "-O1", many_names(bench))
    # What the file of the thread gives back is not enough for them.
    done = on_small_disk(
        bench, "400k", f"{bench.fntrace} record -s 64k -o MOUNT/data sh -c "
        f"'{program} && head -c 2m /dev/zero > MOUNT/fill'; echo status $?; rm MOUNT/fill; "
        f"{bench.fntrace} replay -o {bench.work}/list MOUNT/data")
    expect("status 1\n" in done.stdout and ".names: No space left" in done.stderr,
           done.stdout + done.stderr)
    text = (bench.work / "list").read_text(encoding="utf-8")
    expect(text.count("walk()") >= 64, "the records cannot be read")
    # The same where it is full in the middle of the names.
    (bench.work / "small").rmdir()
    done = on_small_disk(
        bench, "400k", f"{bench.fntrace} record -s 64k -o MOUNT/data {program}; echo status $?")
    expect("status 1\n" in done.stdout and ".names: No space left" in done.stderr,
           done.stdout + done.stderr)


def full_output(bench):
    done = run(bench.fntrace, "convert", "-f", "chrome", "-o", "/dev/full", recorded(bench),
               status=1)
    expect("No space left" in done.stderr, done.stderr)


def backwards(bench):
    directory = recorded(bench)
    file = next(directory.glob("*.fntrace"))
    data = bytearray(file.read_bytes())
    for at in range(HEADER + 16 * 50, HEADER + 16 * 60, 16):
        time, what = RECORD.unpack_from(data, at)
        RECORD.pack_into(data, at, time - 10 ** 9, what)
    file.write_bytes(data)
    _, said = bench.chrome(directory)
    expect("10 times went backwards" in said, said)


def no_symbols(bench):
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1", name="gone"))
    for file in (bench.work / "gone", *directory.glob("*.names")):
        file.unlink()
    events, said = bench.chrome(directory)
    expect("no symbols of" in said, said)
    found = counts(events)
    expect(found and all(re.fullmatch("gone[+]0x[0-9a-f]+", name) for name in found), f"{found}")


def cut_off(bench):
    directory = recorded(bench)
    file = next(directory.glob("*.fntrace"))
    os.truncate(file, HEADER + 16 * 40 + 5)
    events, said = bench.chrome(directory)
    expect("cut off" in said, said)
    expect(sum(counts(events).values()) > 10, "what is left was not read")


def mutate(data, generator):
    data = bytearray(data)
    for _ in range(generator.choice((1, 3, 20))):
        if not data:
            break
        at = generator.randrange(min(len(data), generator.choice((64, 400, len(data)))))
        data[at] = generator.choice((0, 255, generator.randrange(256), data[at] ^ 128))
    if generator.random() < 0.2:
        del data[generator.randrange(len(data) + 1):]
    return bytes(data)


def hostile(form):
    """Files with errors: never a crash, never without an end."""
    def test(bench):
        rounds = int(os.environ.get("FNTRACE_FUZZ", "60"))
        generator = random.Random(form)
        # A sanitizer's status is not that of an error that was told.
        sanitized = {**os.environ, "ASAN_OPTIONS": "exitcode=99:detect_leaks=0",
                     "UBSAN_OPTIONS": "exitcode=99:halt_on_error=1"}
        source = recorded(bench)
        if form == "uftrace":
            run(bench.fntrace, "convert", "-f", "uftrace", "-o", bench.work / "good", source)
            source = bench.work / "good"
        elif form == "kernel":
            source = bench.work / "good"
            kernel_directory(source / "kernel")
        bad = bench.work / "bad"
        run(bench.fntrace, "report", source)
        for number in range(rounds):
            shutil.rmtree(bad, ignore_errors=True)
            shutil.copytree(source, bad)
            victim = generator.choice(sorted(path for path in bad.rglob("*")
                                             if path.is_file()))
            victim.write_bytes(mutate(victim.read_bytes(), generator))
            output = generator.choice(("chrome", "perfetto", "flame", "list", "uftrace",
                                       "report", "graph", "info"))
            out = bench.work / "out"
            if out.is_dir():
                shutil.rmtree(out)
            command = (output,)
            if output not in ("report", "graph", "info"):
                command = ("convert", "-f", output, "-o", out)
            options = generator.choice(((), ("-t", "200ns"), ("-F", "walk"), ("-r", "1us~3us"),
                                        ("-D", "3", "-N", "leaf"), ("--thread", "program")))
            if output == "info":
                options = ()
            done = run(bench.fntrace, *command, *options, bad, status=None, timeout=60,
                       env=sanitized)
            # Where it ends by an error, it says so.
            expect(done.returncode == 0 or
                   (done.returncode == 1 and "fntrace: " in done.stderr),
                   f"round {number}, {victim.name}: status {done.returncode}")
            # The libraries that read a kernel's trace may fail, in a process of their own;
            # what a sanitizer finds there in fntrace itself has its source on top.
            found = re.search(r"#0 .*\bsrc/\w+\.c:.*|src/\w+\.c:.*runtime error.*", done.stderr)
            expect(not found, f"round {number}, {victim.name}: {found and found.group(0)}")
    return test


def usage(*arguments, says, status=2):
    def test(bench):
        words = [bench.work if word == "WORK" else word for word in arguments]
        done = run(bench.fntrace, *words, status=status, cwd=bench.work)
        expect(says in done.stderr, done.stderr.splitlines()[:1])
        expect(not (bench.work / "fntrace.data").exists(), "a directory is left")
    return test


# Buffers made here, of which everything is known

def arguments(bench):
    """Records behind arguments are found, whatever the time in the trace is."""
    start = 5 * 10 ** 9
    records = []
    for n in range(20):
        records += [uftrace_record(start + 10 * n, 0, 0, 0x100010, more=True),
                    struct.pack("<Q", n), uftrace_record(start + 10 * n + 5, 1, 0, 0x100010)]
    made = bench.work / "made"
    uftrace_directory(made, records, [session("a", 1), TASK], {"a": {0x100010: "called"}})
    clock = ((1, 1), (2 * start, 2 * start))
    for side in ("host", "guest"):
        (bench.work / side).write_bytes(buffer([(start, ENTRY, 0, 1), (start + 1, EXIT, 0, 1)],
                                               clocks=clock, tid=7))
    for given in ("0", "-100000000", "100000000"):
        events, said = bench.chrome("-m", "host", bench.work / "host", "-m", "guest",
                                    "--tsc-offset", given, bench.work / "guest", made)
        found = counts(events).get("called")
        expect(found == 20 and "damaged" not in said, f"{given}: {found}, {said}")
    # What is longer than arguments can be is counted.
    records.insert(10, struct.pack("<Q", 0) * 200)
    shutil.rmtree(made)
    uftrace_directory(made, records, [session("a", 1), TASK], {"a": {0x100010: "called"}})
    events, said = bench.chrome(made)
    expect("1 records were damaged" in said, said)
    # A machine with a known offset and no clock of its own is an error, not a crash.
    run(bench.fntrace, "convert", "-f", "list", "-o", "/dev/null", "-m", "host",
        bench.work / "host", "-m", "guest", "--tsc-offset", "0", made)


def sessions(bench):
    """What uftrace recorded of a process that became another program."""
    made = bench.work / "made"
    records = [uftrace_record(time, kind, 0, 0x100010) for time, kind in
               ((1000, 0), (1010, 1), (2010, 0), (2020, 1), (2030, 0), (2040, 1))]
    uftrace_directory(made, records, [session("a", 900), TASK, session("b", 2000)],
                      {"a": {0x100010: "before"}, "b": {0x100010: "behind"}})
    found = counts(bench.chrome(made)[0])
    expect(found == {"before": 1, "behind": 2}, f"{found}")


def plugins_of_uftrace(bench):
    """What uftrace recorded of libraries that were at the same place."""
    made = bench.work / "made"
    records = [uftrace_record(time, kind, 0, 0x300010) for time, kind in
               ((1000, 0), (1010, 1), (2010, 0), (2020, 1), (2030, 0), (2040, 1))]
    loaded = [f'DLOP timestamp=0.{ns:09} tid=1 sid=a base=300000 libname="/nowhere/{name}"'
              for ns, name in ((950, "b"), (2000, "c"))]
    uftrace_directory(made, records, [session("a", 900), TASK, *loaded],
                      {"a": {0x100010: "main"},
                       "b": {0x100010: "before", 0x100020: "__sym_end"},
                       "c": {0x100010: "behind", 0x100020: "__sym_end"}})
    found = counts(bench.chrome(made)[0])
    expect(found == {"before": 1, "behind": 2}, f"{found}")


def forked_by_uftrace(bench):
    """Children of fork() have the mappings of their parents."""
    made = bench.work / "made"
    uftrace_directory(made, [], [session("a", 900), TASK,
                                 "FORK timestamp=0.000001500 pid=2 ppid=1"],
                      {"a": {0x100010: "shared"}})
    (made / "2.dat").write_bytes(uftrace_record(2000, 0, 0, 0x100010) +
                                 uftrace_record(2010, 1, 0, 0x100010))
    found = counts(bench.chrome(made)[0])
    expect(found == {"shared": 1}, f"{found}")


def relocated(bench):
    """A kernel that runs elsewhere than its file says."""
    program = bench.compile("tree.c", "-O1", "-no-pie")
    places = {name: int(addr, 16) for addr, name in
              re.findall(r"^(\w+) [tT] (\w+)$", run("nm", program).stdout, re.MULTILINE)}
    for moved in (0, 0x40000000, -0x200000, 0xffff800000000000):
        addr = places["walk"] + 4 + moved
        file = bench.work / "kernel"
        data = bytearray(buffer([(1000, ENTRY, 0, addr & (1 << 48) - 1),
                                 (2000, EXIT, 0, addr & (1 << 48) - 1)]))
        struct.pack_into("<Q", data, 48, addr >> 48 << 48 & (1 << 64) - 1)
        file.write_bytes(data)
        events, _ = bench.chrome("-i", program, "-l", hex(moved), file)
        expect(counts(events) == {"walk": 1}, f"{hex(moved)}: {counts(events)}")
        again = bench.work / f"again{moved}"
        run(bench.fntrace, "convert", "-f", "uftrace", "-o", again, "-i", program, "-l",
            hex(moved), file)
        found = counts(bench.chrome(again)[0])
        expect(found == {"walk": 1}, f"{hex(moved)}, by uftrace's directory: {found}")


def swapped(bench):
    """Of a machine with the other order of bytes, the same trace."""
    records = [(1000 + n, n % 2, 0, 0x1000 + n // 2 * 16) for n in range(100)]
    found = []
    for order in "<>":
        file = bench.work / "swapped"
        file.write_bytes(buffer(records, clocks=((1, 1), (1000001, 2000001)), order=order))
        found.append([(e["ph"], e["name"], e["ts"]) for e in bench.chrome(file)[0]
                      if e["ph"] in "BE"])
    expect(len(found[0]) == 100 and found[0] == found[1], "they differ")


def conversation(seed, drift, rounds=200, shortest=2000):
    """Two machines that talk; returns marks of both, and when each really was."""
    generator = random.Random(seed)
    true, host, guest = 10 ** 9, [], []
    truth = {}

    def counters(time):
        # The guest's counter began later, has another rate, and is not constant.
        return time, int((time - 5 * 10 ** 8) * 2 * (1 + drift))

    for number in range(0, 2 * rounds, 2):
        for message, sender, receiver in ((number, host, guest), (number + 1, guest, host)):
            for side, mark in ((sender, SEND), (receiver, RECEIVE)):
                true += shortest + int(generator.expovariate(1 / 20000))
                truth[(message, mark)] = true
                side.append((counters(true)[0 if side is host else 1], MARK, 0, mark | message))
        true += generator.randrange(10 ** 6, 10 ** 7)
    return host, guest, truth, counters


def clocks(drift):
    """The stated error is the error, whatever the clocks do."""
    def test(bench):
        for seed in range(3):
            host, guest, truth, counters = conversation(seed, drift)
            ends = (9 * 10 ** 8, 10 ** 10)
            (bench.work / "host").write_bytes(buffer(host, clocks=[(t, t) for t in ends]))
            # It believes that its counter has two units in a nanosecond.
            (bench.work / "guest").write_bytes(buffer(guest, hertz=2 * 10 ** 9, clocks=(
                (counters(ends[0])[1], 7 * 10 ** 12),
                (counters(ends[0])[1] + 2 * 10 ** 9, 7 * 10 ** 12 + 10 ** 9))))
            events, said = bench.chrome("-m", "host", bench.work / "host",
                                        "-m", "guest", bench.work / "guest")
            error = int(re.search(r"error at most (\d+) ns", said).group(1))
            expect(error < 100000, f"error of {error} ns")
            for event in events:
                if event["ph"] != "i":
                    continue
                mark = SEND if event["name"].endswith("send") else RECEIVE
                off = event["ts"] * 1000 - truth[(int(event["args"]["text"]), mark)]
                expect(abs(off) <= error + 2, f"off by {off:.0f} ns, not {error}")
    return test


def offset(bench):
    """A known offset of the counters: to the nanosecond."""
    clock = ((1000, 5000), (2001000, 1005000))
    (bench.work / "host").write_bytes(buffer([(1500, ENTRY, 0, 1), (2500, EXIT, 0, 1)],
                                             clocks=clock))
    (bench.work / "guest").write_bytes(buffer([(1700 - 700, ENTRY, 0, 2),
                                               (2300 - 700, EXIT, 0, 2)]))
    (bench.work / "tsc-offset").write_text("-700\n", encoding="ascii")
    for given in ("-700", str(2 ** 64 - 700), bench.work / "tsc-offset"):
        events, _ = bench.chrome("-m", "host", bench.work / "host", "-m", "guest",
                                 "--tsc-offset", given, bench.work / "guest")
        times = [event["ts"] * 1000 for event in events if event["ph"] in "BE"]
        expect(times == [5250, 5350, 5650, 5750], f"{times}")


def guest_times(events):
    """When calls on the second machine began and ended, in ns."""
    return [round(event["ts"] * 1000) for event in events
            if event["ph"] in "BE" and event["pid"] > 10 ** 7]


def offsets(clock):
    """KVM changes the offset of a guest's counter; CLOCK is that of the host's trace."""
    def ns(counter):
        return 5000 + (counter - 1000) // 2

    def test(bench):
        host, guest, kvm = (bench.work / name for name in ("host", "guest", "kvm"))
        host.write_bytes(buffer([(1500, ENTRY, 0, 1), (2500, EXIT, 0, 1)],
                                clocks=((1000, ns(1000)), (2001000, ns(2001000)))))
        # The guest's counter says 52500, is set, and goes on with 102300: 60000 never was.
        guest.write_bytes(buffer([(52500, ENTRY, 0, 2), (60000, EXIT, 0, 2),
                                  (199300, ENTRY, 0, 2), (199500, EXIT, 0, 2)]))
        kernel_directory(kvm / "kernel")
        (kvm / "kernel/info").write_text(f"version 1\nbyte_order little\nclock {clock}\n",
                                         encoding="ascii")
        # Two virtual CPUs, one after the other, twice.
        written = [struct.pack("<HBBiI4xqq", 301, 0, 0, 7, cpu, 0, offset)
                   for offset in (-50000, -700) for cpu in (0, 1)]
        start, step = (100000, 1000) if clock != "mono" else (ns(100000), 500)
        (kvm / "kernel/cpu0.raw").write_bytes(kernel_page(start, written, step))
        events, said = bench.chrome("-m", "host", host, "-m", "guest", "--tsc-offset", kvm, guest)
        want = [102500, 103000, 200000, 200200]
        if clock == "local":
            # When it was written, nobody knows: the last offset is taken.
            want = [53200, 60700, 200000, 200200]
        expect(guest_times(events) == [ns(counter) for counter in want], f"{events}")
        expect("another offset" not in said, said)
        # The same in one recording, as "record -m guest=... --tsc-offset=kvm" makes it.
        both = bench.work / "both"
        inside = both / "machines/guest"
        inside.mkdir(parents=True)
        shutil.copy(host, both / "1-0.fntrace")
        shutil.copy(guest, inside / "1-0.fntrace")
        (inside / "tsc-offset").write_text("kvm\n", encoding="ascii")
        shutil.copytree(kvm / "kernel", both / "kernel")
        events, said = bench.chrome(both)
        expect(guest_times(events) == [ns(counter) for counter in want], f"{events}, {said}")
        (both / "kernel/cpu0.raw").write_bytes(b"")
        said = bench.chrome(both)[1]
        expect("both: no kvm_write_tsc_offset event" in said and "not aligned" in said, said)
        # One of the two has another one in the end.
        (kvm / "kernel/cpu0.raw").write_bytes(kernel_page(start, written[:3], step))
        said = bench.chrome("-m", "host", host, "-m", "guest", "--tsc-offset", kvm, guest)[1]
        expect("1 CPUs of the guest have another offset" in said, said)
    return test


def ratio(bench):
    """The guest's counter is faster, as KVM can make it."""
    host, guest, file = (bench.work / name for name in ("host", "guest", "tsc-scaling-ratio"))
    host.write_bytes(buffer([(1500, ENTRY, 0, 1), (2500, EXIT, 0, 1)],
                            clocks=((1000, 5000), (2001000, 1005000))))
    guest.write_bytes(buffer([(153000 - 700, ENTRY, 0, 2), (300000 - 700, EXIT, 0, 2)]))
    file.write_text(f"{3 << 47}\n", encoding="ascii")
    (bench.work / "tsc-scaling-ratio-frac-bits").write_text("48\n", encoding="ascii")
    for given in (file, f"{3 << 31}:32", "3:1"):
        events, _ = bench.chrome("-m", "host", host, "-m", "guest", "--tsc-offset", "-700",
                                 "--tsc-ratio", given, guest)
        times = guest_times(events)
        expect(times == [5000 + 101000 // 2, 5000 + 199000 // 2], f"{given}: {times}")
    for words in (("--tsc-offset", "0", "--tsc-ratio", "1.5"), ("--tsc-ratio", "3:1"),
                  ("--tsc-offset", "0", "--tsc-ratio", "0:1"),
                  ("--tsc-offset", "0", "--tsc-ratio", "3:64"),
                  ("--tsc-offset", "0", "--tsc-ratio", "/nonexistent")):
        done = run(bench.fntrace, "report", "-m", "host", host, "-m", "guest", *words, guest,
                   status=None)
        expect(done.returncode and "--tsc-ratio" in done.stderr, f"{words}: {done.stderr}")


def wrong_clocks(bench):
    """A program that wrote over a header does not spoil the times of the others."""
    def pair(ns):
        return 10 ** 12 + 2 * ns, 5 * 10 ** 12 + ns

    def times(*inputs):
        events, said = bench.chrome(*inputs)
        return [round(event["ts"] * 1000) for event in events if event["ph"] in "BE"], said

    second = 10 ** 9
    buffers = [buffer([(pair(100 * n + 50 + second)[0], ENTRY, 0, 1),
                       (pair(100 * n + 90 + second)[0], EXIT, 0, 1)], tid=n + 1,
                      clocks=(pair(second // 2 + n), pair(2 * second + n * second // 4)))
               for n in range(4)]
    want = sorted(pair(100 * n + at + second)[1] for n in range(4) for at in (50, 90))
    directory, dump = bench.work / "data", bench.work / "dump"
    directory.mkdir()
    at = struct.calcsize("<8s10IQQ")
    for wrong in ((5, 2 ** 61), (5, 5), (2 ** 62, 3 * 2 ** 60), (2 ** 62, 7), pair(10 ** 15),
                  (pair(0)[0], pair(3 * second)[1]), (pair(3 * second)[0], pair(0)[1])):
        for which in (at, at + 16):
            damaged = bytearray(buffers[1])
            struct.pack_into("<QQ", damaged, which, *wrong)
            dump.write_bytes(b"".join([buffers[0], damaged, *buffers[2:]]))
            for number, data in enumerate((buffers[0], damaged, *buffers[2:])):
                (directory / f"{number}-0.fntrace").write_bytes(data)
            (directory / "clock").write_text("".join("%d %d\n" % pair(n * second)
                                                     for n in range(3)), encoding="ascii")
            for source in (directory, dump):
                found, said = times(source)
                off = [min(abs(a - b) for b in want) for a in found]
                # Records that are too far from where their own header begins are left out.
                expect(len(found) >= len(want) - 2 and max(off) <= 2,
                       f"{source.name}, {wrong}: off by {off}, {said}")
                expect(("contradict" in said) == (wrong != pair(10 ** 15)),
                       f"{source.name}, {wrong}: {said}")
    # If nothing says how fast the counter is, that is told.
    dump.write_bytes(buffer([(1000, ENTRY, 0, 1), (2000, EXIT, 0, 1)],
                            clocks=((5, 2 ** 61), pair(0))))
    _, said = times(dump)
    expect("ticks of the counter" in said, said)


# A kernel of our own, and a program on its host

# An interrupt every 3125 instructions.
STORM = ("-n", "0", "-i", "5", "-p", "hz=10000 repeat=1")


def example(bench, arch, hooks=None, options=("-n", "100")):
    """Run it once; all tests of it read what it left."""
    image = bench.example(arch, hooks)
    out = image.with_suffix(".storm.out" if options == STORM else ".out")
    if not (out / "kernel.fntrace").exists():
        shutil.rmtree(out, ignore_errors=True)
        bench.run_example(arch, image, out, *options)
    return out, image


def kernel_counts(arch, hooks, *options):
    """Each function on each CPU as often as the kernel called it."""
    def test(bench):
        out, image = example(bench, arch, hooks, *options)
        console = (out / "console.log").read_text(errors="replace")
        events, said = bench.chrome("-i", image, out / "kernel.fntrace")
        for word in ("left out", "lost", "backwards", "put in"):
            expect(word not in said, said)
        want = re.findall(r"calls (cpu\d) (\w+) (\d+)", console)
        expect(len(want) >= 20, f"the kernel counted {len(want)} functions")
        names = {event["tid"]: event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        found = {}
        for event in events:
            if event["ph"] == "B":
                key = (names[event["tid"]], event["name"])
                found[key] = found.get(key, 0) + 1
        sums = {}
        for cpu, name, count in want:
            key = next((key for key in found if key[1] == name and cpu in key[0]), None)
            expect(found.get(key, 0) == int(count),
                   f"{cpu} {name}: {found.get(key)}, not {count}")
            if int(count):
                sums[name] = sums.get(name, 0) + int(count)
        report = run(bench.fntrace, "report", "-f", "calls", "-i", image, out / "kernel.fntrace")
        compare(sums, {name: int(count) for count, name in
                       re.findall(r"^ *(\d+)  (\S+)$", report.stdout, re.MULTILINE)})
        replay = run(bench.fntrace, "replay", "-i", image, out / "kernel.fntrace").stdout
        shown = len(re.findall(r" fib\(\)", replay))
        expect(shown == sums["fib"], f"replay shows {shown} calls of fib(), not {sums['fib']}")
        ticks = sums["timer_interrupt"]
        expect(ticks > (800 if options else 1), f"{ticks} interrupts")
    return test


# None: those that its makefile chooses.
HOOKS = {
    "x86_64": (None, "-pg", "-fpatchable-function-entry=5"),
    "arm64": (None, "-fpatchable-function-entry=2"),
    "riscv64": (None, "-fpatchable-function-entry=4"),
}

# Functions of the example, and those that call them.
CALLERS = {
    "fib": {"fib", "work"}, "descend": {"descend", "work"}, "leap": {"leap", "jump"},
    "landed": {"jump"}, "tail_first": {"work"}, "tail_second": {"tail_first"},
    "tail_third": {"tail_second"}, "many_arguments": {"work"}, "two_results": {"work"},
    "interrupts_off": {"work"}, "timer_interrupt": {"interrupt"},
    "note_latency": {"timer_interrupt"}, "arm_timer": {"timer_interrupt", "start_timer"},
    "work": {"run", "run_second_cpu"}, "handle_message": {"answer_messages"},
}


def kernel_nested(arch, *options):
    """Each function inside of that which called it, and interrupts inside of others."""
    def test(bench):
        out, image = example(bench, arch, None, *options)
        stacks, depths, interrupted = {}, {}, set()
        now = collections.Counter()
        for event in bench.chrome("-i", image, out / "kernel.fntrace")[0]:
            if event["ph"] == "E":
                now[event["tid"], stacks[event["tid"]].pop()] -= 1
            if event["ph"] != "B":
                continue
            stack, name = stacks.setdefault(event["tid"], []), event["name"]
            caller = stack[-1] if stack else None
            expect(caller in CALLERS.get(name, {caller}), f"{name} is called by {caller}")
            if name == "interrupt":
                interrupted.add(caller)
            stack.append(name)
            now[event["tid"], name] += 1
            depths[name] = max(depths.get(name, 0), now[event["tid"], name])
        expect(interrupted and None not in interrupted, f"interrupted: {interrupted}")
        missing = set(CALLERS) - set(depths) - ({"handle_message"} if options else set())
        expect(not missing, f"missing: {missing}")
        deepest = {name: depths[name] for name in ("fib", "descend", "leap", "interrupt")}
        expect(deepest == {"fib": 15, "descend": 2501, "leap": 10, "interrupt": 1},
               f"deepest calls: {deepest}")
    return test


def kernel_merged(arch):
    """No message arrives before it was sent; the stated error is that of a round trip."""
    def test(bench):
        out, image = example(bench, arch)
        events, said = bench.chrome("-m", "host", out / "ping", "-m", "guest", "-i", image,
                                    out / "kernel.fntrace")
        error = int(re.search(r"guest: aligned .* at most (\d+) ns", said).group(1))
        trouble = messages.wrong(events, error, 200)
        expect(not trouble, trouble)
        pids = {event["pid"] for event in events if event["ph"] == "B"}
        expect(len(pids) == 2, f"{len(pids)} processes")
    return test


def kernel_offset(bench):
    """The same, with a known offset of the counters in the place of messages."""
    out, image = example(bench, "x86_64")

    def converted(offset):
        return bench.chrome("-m", "host", out / "ping", "-m", "guest", "--tsc-offset", str(offset),
                            "-i", image, out / "kernel.fntrace")

    def begins(events, guest):
        return sorted(event["ts"] for event in events
                      if event["ph"] == "B" and (event["pid"] >= 10 ** 7) == guest)

    # Minutes after the time 0 of the host: the counter of the guest begins about there, and
    # nothing is shown before it.
    offset = -10 ** 12
    events, said = converted(offset)
    expect("by the offset of the counters" in said, said)
    # What is given is what the times of the guest are moved by.
    moved, _ = converted(offset - 5000000)
    steps = {round(after - before, 1) for before, after in
             zip(begins(events, True), begins(moved, True))}
    expect(len(begins(events, True)) > 100 and max(steps) - min(steps) <= 0.2 and min(steps) > 100,
           f"the guest is moved by {min(steps)} to {max(steps)} us")
    expect(begins(events, False) == begins(moved, False), "the host is moved")


def middle(bench):
    """
    Messages that take as long in both directions, 1,000 ns: the offset is near the middle of its
    bounds, where the lines at its ends are not.
    """
    host, guest, ahead = [], [], 123456
    for n in range(50):
        sent = 10 ** 9 + 10000 * n
        host += [(sent, MARK, 0, SEND | 2 * n), (sent + 6000, MARK, 0, RECEIVE | 2 * n + 1)]
        guest += [(sent + 1000 + ahead, MARK, 0, RECEIVE | 2 * n),
                  (sent + 5000 + ahead, MARK, 0, SEND | 2 * n + 1)]
    ends = (9 * 10 ** 8, 10 ** 10)
    (bench.work / "host").write_bytes(buffer(host, clocks=[(t, t) for t in ends]))
    (bench.work / "guest").write_bytes(buffer(guest, clocks=[(t + ahead, t) for t in ends]))
    events, said = bench.chrome("-m", "host", bench.work / "host", "-m", "guest",
                                bench.work / "guest")
    expect(re.search(r"error at most 1\d\d\d ns", said), said)
    found = [event["ts"] * 1000 for event in events
             if event["ph"] == "i" and event["pid"] > 10 ** 7]
    want = sorted(counter - ahead for counter, *_ in guest)
    expect(len(found) == 100 and all(abs(x - y) < 700 for x, y in zip(found, want)),
           f"{found[:3]}, not {want[:3]}")


def moved_twice(bench):
    """A program that is killed when a full buffer was just copied: no call is there twice."""
    records = [(1000 + 10 * n, (ENTRY, EXIT)[n % 2], 0, 0x1000 + n // 2) for n in range(16)]
    data = bytearray(buffer(records[8:], clocks=((1, 1), (10 ** 9, 10 ** 9))))
    struct.pack_into("<Q", data, OLDER, 16 * 16)
    file = bench.work / "buffer"
    file.write_bytes(data + buffer(records)[-16 * 16:])
    events, said = bench.chrome(file)
    found = [int(event["name"][1:-1], 16) for event in events if event["ph"] == "B"]
    expect(found == [0x1000 + n for n in range(8)] and said == "", f"{found}: {said}")


def mapped_later(bench):
    """What was called before anything says what is there has the names of what came there."""
    program = bench.compile("tree.c", "-pg", "-O1", "-no-pie")
    address = int(re.search("^0*([0-9a-f]+) T main$", run("nm", program).stdout,
                            re.MULTILINE).group(1), 16)
    directory = bench.work / "made"
    directory.mkdir()
    (directory / "clock").write_text("1 1\n1000000000 1000000000\n", encoding="ascii")
    (directory / "100-1.fntrace").write_bytes(buffer(
        [(400, ENTRY, 0, address), (450, EXIT, 0, address)], clocks=((1, 1), (10 ** 9, 10 ** 9))))
    page, inode = address & ~0xfff, program.stat().st_ino
    text = run("readelf", "-lW", program).stdout
    offset = next(int(at, 16) + page - int(start, 16) for at, start, size in re.findall(
        r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)
        if int(start, 16) <= page < int(start, 16) + int(size, 16))
    (directory / "100-0.maps").write_text(
        f"{program}\nat 500\n7f0000000000-7f0000001000 r-xp 00000000 00:00 1 /nowhere\n"
        f"at 900\n{page:x}-{page + 0x1000:x} r-xp {offset:08x} 00:00 {inode} {program}\n",
        encoding="ascii")
    found = counts(bench.chrome(directory)[0])
    expect(found == {"main": 1}, f"{found}")


def kernel_other_counter(arch):
    """Machines of two architectures have no offset."""
    def test(bench):
        host, guest = bench.work / "host", bench.work / "guest"
        host.write_bytes(buffer([(1000, ENTRY, 0, 1), (2000, EXIT, 0, 1)], hertz=10 ** 9))
        data = bytearray(host.read_bytes())
        struct.pack_into("<I", data, 20, arch)
        guest.write_bytes(data)
        done = run(bench.fntrace, "convert", "-f", "list", "-o", "/dev/null", "-m", "host", host,
                   "-m", "guest", "--tsc-offset", "0", guest, status=None)
        expect(done.returncode == (arch != 1), done.stderr)
        expect(("counter is not that of host" in done.stderr) == (arch != 1), done.stderr)
    return test


def tests():
    for cc in ("gcc", "clang-19"):
        for way in WAYS:
            for level in ("-O0", "-O2"):
                yield f"program in C, {cc} {way} {level}", calls(cc, way, level)
    for way in WAYS:
        yield f"program in C++, {way}", exceptions(way, "-O2")
    for way in WAYS:
        yield f"signals at any time, {way}", signals(way, "-s", "64k")
    yield "signals at any time, values", signals("-pg -mfentry", "-s", "64k", "-A", "*", "-R",
                                                 "*")
    for way in ("-pg", "-pg -mfentry"):
        yield f"nested functions, {way}", nested(way)
    yield "program in Rust, mcount", rust("-Z instrument-mcount -C force-frame-pointers=yes")
    yield "program in Rust, no-ops", rust("-Z patchable-function-entry=5")
    for machine, ways in (
            ("aarch64", ("-pg", "-finstrument-functions", "-fpatchable-function-entry=2")),
            ("riscv64", ("-pg -fno-omit-frame-pointer", "-finstrument-functions",
                         "-fpatchable-function-entry=4"))):
        for way in ways:
            yield f"program on {machine}, {way}", elsewhere(machine, way, "-O2")
            yield f"entries only on {machine}, {way}", elsewhere(machine, way, "-O2", entries=True)
        yield f"signals at any time on {machine}", elsewhere(machine, ways[0], "-O1", "storm.c")
    yield "uftrace replay agrees", agree("replay", "-f", "none", pattern=r"\[ *\d+\]")
    yield "uftrace graph agrees", agree(
        "graph", pattern=r"^[ 0-9.]* [mun]?s ",
        keep=lambda line: re.match(r" *: .*\w", line) is not None)
    yield "uftrace report agrees", agree_report
    yield "uftrace dump --chrome agrees", agree_chrome
    yield "uftrace has the names of what exec() starts", through_env
    yield "uftrace filters functions of C++", filters
    yield "format perfetto", perfetto
    yield "format flame", flame
    yield "format list", listing
    yield "format uftrace is read as it was written", raw_is_uftrace
    yield "recording keeps names and marks", keeps_all
    yield "recording of a program that is replaced", replaced
    yield "threads of uftrace have names", names_of_uftrace
    yield "descendants are waited for", descendants
    yield "descendants that are not waited for", impatient
    yield "child of clone()", cloned
    yield "child of fork() that gets no file", poor
    yield "message that nobody reads", nobody_listens
    yield "libraries at the same place", same_place
    yield "program with no room below it", lowest
    yield "plugin and _exit()", ends_at_once
    yield "constructor of a library", constructor
    yield "more threads than open files", many_threads
    yield "size of files is limited", files_are_limited
    yield "killed program", crash
    yield "signals while a thread ends", ending
    yield "exec", executed
    yield "exec of another program", becomes
    yield "number of a thread that ended", number_again
    for way in ("-pg", "-pg -mfentry"):
        for how in ("coroutine", "protected", "handler", "alive"):
            yield f"stacks of the program's own: {how}, {way}", stacks(way, how)
    yield "exceptions of a plugin", plugin
    yield "program that closes all files", closes
    yield "program that closes all files and moves them", closes_and_moves
    yield "directory with other files", other_files
    yield "directory of the last recording", older
    yield "directory and files that are not to be written", takes_no_other
    yield "program without the library, or without hooks", not_loaded
    yield "library in a path with a space", with_space
    yield "directory relative to another", elsewhere_later
    yield "kernel's trace without a kernel", made_by_kernel
    yield "kernel's libraries are missing", without_kernel
    yield "records that cannot all be read", partly_read
    yield "naked function", lambda bench: same_counts(bench,
                                                      bench.compile("naked.c", "-pg", "-O1"))
    yield "buffer full: stop", stops
    yield "buffer full: overwrite", overwrites
    yield "disk full while recording", no_room
    yield "disk full while converting", full_output
    yield "disk full while converting for uftrace", no_room_for_uftrace
    yield "disk full while names are written", no_room_for_names
    yield "clock goes backwards", backwards
    yield "symbols are missing", no_symbols
    yield "other order of bytes", swapped
    yield "clocks of two machines", clocks(0)
    yield "clocks of two machines that drift apart", clocks(5e-5)
    yield "offset of two machines' counters", offset
    for clock in ("x86-tsc", "mono", "local"):
        yield f"offset of two machines' counters that changes, {clock}", offsets(clock)
    yield "counters of two machines with other rates", ratio
    yield "clocks that are wrong in one file", wrong_clocks
    yield "arguments in uftrace's records", arguments
    yield "sessions of uftrace", sessions
    yield "plugins in uftrace's records", plugins_of_uftrace
    yield "fork in uftrace's records", forked_by_uftrace
    yield "kernel that runs elsewhere", relocated
    yield "file cut off", cut_off
    yield "hostile records", hostile("raw")
    yield "hostile uftrace directory", hostile("uftrace")
    yield "hostile kernel's trace", hostile("kernel")
    yield "usage: no command", usage(says="no command")
    yield "usage: unknown format", usage("convert", "-f", "pdf", "x", says='no format "pdf"')
    yield "usage: unknown command", usage("reprot", says='no command "reprot"')
    yield "usage: unknown field", usage("report", "-f", "calls,walls", says='no field "walls"')
    yield "usage: field twice", usage("report", "-f", "calls,calls", says="twice")
    yield "usage: number of lines", usage("report", "-n", "many", says="not a number")
    yield "usage: no input", usage("convert", "-f", "list", says="no input")
    yield "usage: input missing", usage("replay", "/nonexistent", says="No such file", status=1)
    yield "usage: input is no trace", usage("replay", "/bin/sh", says="neither", status=1)
    yield "usage: input is an empty directory", usage("replay", "WORK", says="no trace",
                                                      status=1)
    yield "usage: no address", usage("receive", says="from where?")
    yield "usage: address of no socket", usage("receive", "unix:", says="a path", status=1)
    yield "usage: port", usage("receive", "vsock:x", says="number of a port", status=1)
    yield "usage: file to receive from", usage("receive", "/nonexistent", says="No such file",
                                               status=1)
    yield "usage: program missing", usage("record", "/nonexistent", says="cannot run",
                                          status=127)
    yield from test_report.tests()
    yield from test_filter.tests()
    yield from test_calls.tests()
    yield from test_choose.tests()
    yield from test_install.tests()
    yield from test_library.tests()
    yield from test_embed.tests()
    yield from test_process.tests()
    yield from test_receive.tests()
    yield from test_record.tests()
    yield from test_send.tests()
    yield from test_peers.tests()
    yield from test_values.tests()
    yield from test_symbols.tests()
    for arch in EXAMPLES:
        for hooks in HOOKS[arch]:
            yield (f"kernel of our own, {arch}, {hooks or 'its hooks'}: counts",
                   kernel_counts(arch, hooks))
        yield f"kernel of our own, {arch}: calls in calls", kernel_nested(arch)
        for hooks in HOOKS[arch]:
            yield (f"kernel of our own, {arch}, {hooks or 'its hooks'}: interrupts at any time",
                   kernel_counts(arch, hooks, STORM))
        yield f"kernel of our own, {arch}: calls in calls, interrupts", kernel_nested(arch, STORM)
        yield f"kernel and host in one trace, {arch}", kernel_merged(arch)
    yield "kernel and host, offset given", kernel_offset
    yield "clocks of two machines, as long in both directions", middle
    yield "killed when a buffer was copied", moved_twice
    yield "libraries that are mapped later", mapped_later
    yield "offset given of the same counter", kernel_other_counter(1)
    yield "offset given of another counter", kernel_other_counter(2)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    built = pathlib.Path(sys.argv[1]).resolve()
    chosen = [(name, test) for name, test in tests()
              if len(sys.argv) < 3 or any(name.startswith(word) for word in sys.argv[2:])]
    for path in [*built.glob("example*/*.out"), *built.glob("unikernel-out*")]:
        shutil.rmtree(path, ignore_errors=True)
    run_tests(built, chosen)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of "fntrace report" and "fntrace graph"."""

import csv
import io
import os
import re
import resource
import shlex
import shutil

from bench import (ENTRY, EXIT, TESTS, buffer, expect, limit, need, run)

UNITS = {"us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}
# A nanosecond for each unit of the counter.
CLOCKS = ((1, 1), (10 ** 9, 10 ** 9))


def unit_tests(bench):
    """The programs beside the sources."""
    run("make", "-s", "-C", TESTS.parent, "units", f"OUTPUT={bench.built}")
    programs = sorted((bench.built / "src").glob("*_test"))
    expect(programs, "there are none")
    for program in programs:
        run(program)


def report(bench, *arguments):
    """The table as {function: {field: number}}, and the functions in order."""
    text = run(bench.fntrace, "report", "--csv", *arguments).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    return ({row["function"]: {name: int(value) for name, value in row.items()
                               if name not in ("function", "percent")} for row in rows},
            [row["function"] for row in rows])


def shown_as(ns, number, unit):
    """Is this what a time is shown as? uftrace cuts off what we round."""
    return abs(ns - float(number) * UNITS[unit]) < UNITS[unit] / 1000


def recordings(bench):
    """Directories in uftrace's format, recorded by uftrace and by us."""
    need("uftrace")
    for source, *arguments in (("tree.c",), ("family.c", "threads", "5")):
        program = bench.compile(source, "-pg", "-O1", "-ldl")
        theirs = bench.work / f"theirs-{source}"
        run("uftrace", "record", "--no-libcall", "--no-event", "-d", theirs, program,
            *arguments)
        yield theirs
        yield bench.uftrace(bench.record(program, *arguments)[0])


def agrees_report(bench):
    """Times and counts of each function are those that uftrace finds."""
    for directory in recordings(bench):
        text = run("uftrace", "report", "-d", directory).stdout
        theirs = re.findall(r"^ *([\d.]+) +(\w+) +([\d.]+) +(\w+) +(\d+)  (\S+)$", text,
                            re.MULTILINE)
        ours, _ = report(bench, directory)
        expect(len(theirs) > 1 and {row[-1] for row in theirs} == set(ours),
               f"uftrace has {sorted(row[-1] for row in theirs)}, we have {sorted(ours)}")
        for total, total_unit, itself, self_unit, calls, name in theirs:
            mine = ours[name]
            expect(mine["calls"] == int(calls), f"{name}: {mine['calls']} calls, not {calls}")
            for field, number, unit in (("total", total, total_unit),
                                        ("self", itself, self_unit)):
                expect(shown_as(mine[field], number, unit),
                       f"{name}: {field} is {mine[field]}, not {number} {unit}")


def agrees_graph(bench):
    """As many calls on each path, and as long, as uftrace finds."""
    for directory in recordings(bench):
        text = run("uftrace", "graph", "-d", directory).stdout
        theirs = re.findall(r"^ *([\d.]+) (\w+) :[ |+-]*\((\d+)\) (\S+)$", text, re.MULTILINE)
        text = run(bench.fntrace, "graph", directory).stdout
        ours = re.findall(r"^ *([\d.]+) (\w+)(?: +[\d.]+ \w+)? +(\d+) +(\S+)$", text,
                          re.MULTILINE)
        expect(len(theirs) > 2 and len(ours) == len(theirs), f"{len(ours)}, {len(theirs)}")
        paths = [sorted((name, int(calls), float(number) * UNITS[unit], unit)
                        # The first line is that of the program, which is no call.
                        for number, unit, calls, name in found[1:]) for found in (ours, theirs)]
        for mine, other in zip(*paths):
            expect(mine[:2] == other[:2] and
                   abs(mine[2] - other[2]) < 1.001 * UNITS[other[3]] / 1000,
                   f"{mine} and {other}")


def made(bench, name, calls):
    """A buffer of calls one after the other: (function, duration)."""
    records, now = [], 1000
    for function, duration in calls:
        records += [(now, ENTRY, 0, function), (now + duration, EXIT, 0, function)]
        now += duration + 1
    file = bench.work / name
    file.write_bytes(buffer(records, clocks=CLOCKS))
    return file


def fields(bench):
    """Every column, of calls whose durations are known."""
    file = made(bench, "made", [(0x10, 1000 * n) for n in range(1, 101)])
    names = "total,self,calls,avg,min,max,p50,p90,p99"
    row = report(bench, "-f", names, file)[0]["<10>"]
    expect(list(row) == names.split(","), f"{list(row)}")
    exact = {"total": 5050000, "self": 5050000, "calls": 100, "avg": 50500, "min": 1000,
             "max": 100000}
    expect({name: row[name] for name in exact} == exact, f"{row}")
    for name, ns in (("p50", 50000), ("p90", 90000), ("p99", 99000)):
        expect(abs(row[name] - ns) <= ns / 32, f"{name}: {row[name]}, not {ns}")
    # One call is all percentiles exactly.
    row = report(bench, "-f", "p50,p99", made(bench, "one", [(0x10, 12345)]))[0]["<10>"]
    expect(set(row.values()) == {12345}, f"{row}")


def recursion(bench):
    """Time in a function is not counted twice; calls without an end have one."""
    file = bench.work / "made"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (200, ENTRY, 1, 0x20),
                             (300, ENTRY, 2, 0x10), (450, EXIT, 2, 0x10),
                             (500, EXIT, 1, 0x20), (700, ENTRY, 1, 0x30)], clocks=CLOCKS))
    found, _ = report(bench, "-f", "total,self,calls,avg", file)
    expect(found == {"<10>": {"total": 600, "self": 450, "calls": 2, "avg": 375},
                     "<20>": {"total": 300, "self": 150, "calls": 1, "avg": 300},
                     "<30>": {"total": 0, "self": 0, "calls": 1, "avg": 0}}, f"{found}")
    text = run(bench.fntrace, "graph", file).stdout
    lines = [line.split() for line in text.splitlines()[2:]]
    expect(lines == [["0.600", "us", "0.300", "us", "1", "<10>"],
                     ["0.300", "us", "0.150", "us", "1", "<20>"],
                     ["0.150", "us", "0.150", "us", "1", "<10>"],
                     ["0.000", "us", "0.000", "us", "1", "<30>"]], text)


def order(bench):
    """Sorted by any column; only as many lines as asked for."""
    file = made(bench, "made", [(0x10, 100), (0x20, 60), (0x20, 60), (0x30, 10), (0x30, 10),
                                (0x30, 10)])
    for option, want in (((), ["<20>", "<10>", "<30>"]), (("-s", "calls"),
                                                         ["<30>", "<20>", "<10>"]),
                         (("-s", "max"), ["<10>", "<20>", "<30>"]),
                         (("-f", "min,calls"), ["<10>", "<20>", "<30>"]),
                         (("-n", "1"), ["<20>"]), (("-n", "0"), ["<20>", "<10>", "<30>"])):
        names = report(bench, *option, file)[1]
        expect(names == want, f"{option}: {names}")
    text = run(bench.fntrace, "report", "-n", "2", file).stdout.splitlines()
    expect(len(text) == 3 and text[0].split() == ["total", "self", "percent", "calls", "avg",
                                                  "max", "function"], f"{text}")
    expect(text[1].split() == ["0.120", "us", "0.120", "us", "48.00", "%", "2", "0.060", "us",
                               "0.060", "us", "<20>"], text[1])


def shares(bench):
    """What part of the time is a function's own; of no time, nothing."""
    file = bench.work / "made"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (200, ENTRY, 1, 0x20), (500, EXIT, 1, 0x20),
                             (700, EXIT, 0, 0x10), (700, ENTRY, 0, 0x30), (700, EXIT, 0, 0x30)],
                            clocks=CLOCKS))
    for options, want in (((), ['50.00,"<10>"', '50.00,"<20>"', '0.00,"<30>"']),
                          (("-n", "1"), ['50.00,"<10>"']),
                          (("-F", "<20>"), ['100.00,"<20>"']),
                          (("-F", "<30>"), ['0.00,"<30>"'])):
        text = run(bench.fntrace, "report", "--csv", "-f", "percent", *options, file).stdout
        expect(text.splitlines()[1:] == want, f"{options}: {text}")
    other = made(bench, "other", [(0x10, 300), (0x20, 100)])
    text = run(bench.fntrace, "report", "-f", "percent", "--diff", other, file).stdout
    lines = [line.split() for line in text.splitlines()[1:]]
    expect(lines == [["50.00", "%", "-25.00", "%", "<10>"], ["50.00", "%", "+25.00", "%", "<20>"],
                     ["0.00", "%", "0.00", "%", "<30>"]], text)


def differences(bench):
    """What is slower, faster, new and gone; the largest change first."""
    old = made(bench, "old", [(0x10, 100), (0x20, 60), (0x30, 10)])
    new = made(bench, "new", [(0x10, 100), (0x20, 90), (0x20, 90), (0x40, 5)])
    text = run(bench.fntrace, "report", "--csv", "--diff", old, new).stdout.splitlines()
    expect(text == ["total,change,self,change,calls,change,function",
                    '180,120,180,120,2,1,"<20>"', '0,-10,0,-10,0,-1,"<30>"',
                    '5,5,5,5,1,1,"<40>"', '100,0,100,0,1,0,"<10>"'], f"{text}")
    text = run(bench.fntrace, "report", "--diff", old, "-f", "calls,max", new).stdout
    expect("+0.030 us" in text and "-0.010 us" in text and "+1" in text, text)
    # A filter is for both; what it matches in one of them need not be in the other.
    for name, want in (("<20>", ['180,120,180,120,2,1,"<20>"']), ("<40>", ['5,5,5,5,1,1,"<40>"'])):
        done = run(bench.fntrace, "report", "--csv", "-F", name, "--diff", old, new)
        expect(done.stdout.splitlines()[1:] == want and not done.stderr,
               f"{done.stdout}{done.stderr}")


def little_memory(bench):
    """It does not depend on how long a trace is."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "loop", "4000000")
    size = sum(file.stat().st_size for file in directory.iterdir())
    expect(size > 120 * 2 ** 20, f"the recording has {size} bytes")
    for command in ("report", "graph"):
        text = run(bench.fntrace, command, directory,
                   preexec_fn=limit(resource.RLIMIT_AS, 100 * 2 ** 20)).stdout
        expect(re.search(r" 4000000 .*\bleaf$", text, re.MULTILINE), text)


def depth(bench):
    """What is deeper is left out; threads are one, or told apart."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"))
    shape = [re.search(r"(\d+) ( +\S+)$", line).groups() for line in
             run(bench.fntrace, "graph", directory).stdout.splitlines()[1:]]
    expect(sum(name.endswith("walk") for _, name in shape) == 7, f"{shape}")
    text = run(bench.fntrace, "graph", "-D", "2", directory).stdout
    found = [re.search(r"(\d+) ( +\S+)$", line).groups() for line in text.splitlines()[1:]]
    expect(found == [(calls, name) for calls, name in shape if not name.startswith(" " * 6)],
           text)
    directory, _ = bench.record(bench.compile("family.c", "-pg", "-O1", "-ldl"), "names")
    for option, want in ((), "program"), (("--threads",), "program / speaker"):
        text = run(bench.fntrace, "graph", *option, directory).stdout
        roots = re.findall(r"^ *[\d.]+ \w+ +\d+  (\S.*)$", text, re.MULTILINE)
        expect(roots == [want], f"{roots}")


def callers(bench):
    """The other way round: who called a function, and what it took for whom."""
    file = bench.work / "made"
    # 10 calls 20 for 100, and 30 for 400, which calls 20 for 300, in which that calls itself for 50.
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (200, ENTRY, 1, 0x20), (300, EXIT, 1, 0x20),
                             (400, ENTRY, 1, 0x30), (500, ENTRY, 2, 0x20), (600, ENTRY, 3, 0x20),
                             (650, EXIT, 3, 0x20), (800, EXIT, 2, 0x20), (800, EXIT, 1, 0x30),
                             (900, EXIT, 0, 0x10)], clocks=CLOCKS))

    def shown(*names):
        text = run(bench.fntrace, "graph", *(f"--callers={name}" for name in names), file).stdout
        lines = text.splitlines()[1:]
        return [(line[40:].count("  "), *(word for word in line.split() if word != "us"))
                for line in lines]

    expect(shown("<20>") == [
        (0, "0.400", "0.400", "3", "<20>"),
        (1, "0.300", "0.250", "1", "<30>"),
        (2, "0.300", "0.250", "1", "<10>"),
        (3, "0.300", "0.250", "1", "(?)"),
        (1, "0.100", "0.100", "1", "<10>"),
        (2, "0.100", "0.100", "1", "(?)"),
        (1, "0.000", "0.050", "1", "<20>"),
        (2, "0.000", "0.050", "1", "<30>"),
        (3, "0.000", "0.050", "1", "<10>"),
        (4, "0.000", "0.050", "1", "(?)")], f"{shown('<20>')}")
    expect([line[-1] for line in shown("<[13]0>")] == ["<10>", "(?)", "<30>", "<10>", "(?)"],
           f"{shown('<[13]0>')}")
    said = run(bench.fntrace, "graph", "--callers=nobody", "--callers=<10>", file)
    expect('no function matches "nobody"' in said.stderr and "<10>" in said.stdout,
           f"{said.stdout}{said.stderr}")


def default_input(bench):
    """Without an argument, what was recorded last is read."""
    program = bench.compile("tree.c", "-pg", "-O1")
    run(bench.fntrace, "record", program, cwd=bench.work)
    for command in ("replay", "report", "graph"):
        text = run(bench.fntrace, command, cwd=bench.work).stdout
        expect("walk" in text, f"{command}: {text}")


def about(bench, directory):
    """What "info" says, by its first word."""
    lines = run(bench.fntrace, "info", directory).stdout.splitlines()
    return dict(line.split(maxsplit=1) for line in lines)


def information(bench):
    """The command, how it ended, and how much there is."""
    program = bench.compile("tree.c", "-pg", "-O1")
    words = ["loop", "1000", "it's", "two words", "", "a\nb", "$x", "\x1b[31m"]
    directory, _ = bench.record(program, *words)
    found = about(bench, directory)
    # What a terminal would take for a command is shown as text.
    expect(shlex.split(found["command"]) == [str(program), *words[:5], "a b", "$x",
                                             "\\x1b[31m"], found["command"])
    expect(found["status"] == "0" and found["threads"] == "1" and found["records"] == "2002" and
           found["lost"] == "0 calls" and found["kernel"].startswith("Linux "), f"{found}")
    expect(found["begin"] <= found["end"], f"{found}")
    directory, _ = bench.record(program, "crash", status=128 + 9)
    expect(about(bench, directory)["signal"] == "9", "it was not killed")
    # Every line is one, whatever the directory is called.
    odd = bench.work / "a\nstatus 7"
    odd.mkdir()
    run(bench.fntrace, "record", "-o", bench.work / "odd", program, cwd=odd)
    found = about(bench, bench.work / "odd")
    expect(found["status"] == "0" and "status 7" in found["directory"], f"{found}")
    directory, _ = bench.record("sh", "-c", f"{program}; exit 200", status=200)
    expect(about(bench, directory)["status"] == "200", "its status is another")
    directory, _ = bench.record(program, "loop", "100000", options=("--stop", "-s", "64k"))
    found = about(bench, directory)
    # Not lost are the calls of which the buffer has the entry, and main(), which has no exit.
    expect(int(found["lost"].split()[0]) + int(found["records"]) // 2 == 100000, f"{found}")
    # Nor may what somebody else wrote reach the terminal.
    with open(directory / "about", "a", encoding="ascii") as file:
        file.write("\x1b]0;title\x07 text\n")
    text = run(bench.fntrace, "info", directory).stdout
    expect("\\x1b]0;title\\x07 text" in text and "\x1b" not in text, text)
    # Of one that was not finished there is less.
    (directory / "about").unlink()
    expect(set(about(bench, directory)) - {"counter"} ==
           {"machine", "threads", "records", "lost"}, "there is more")
    done = run(bench.fntrace, "info", bench.work, status=1)
    expect("not a recording" in done.stderr, done.stderr)


def machine_information(bench):
    """The machine, the program and the options; other sources than ours say the same."""
    program = bench.compile("tree.c", "-pg", "-O1", "-Wl,--build-id=0x0123456789abcdef")
    directory, _ = bench.record(program, "loop", "1000000", options=("-s", "64k", "--entries"))
    found = about(bench, directory)
    expect(shlex.split(found["options"]) == ["-s", "64k", "--entries", "-o", str(directory)],
           found["options"])
    expect(found["program"] == str(program) and found["build-id"] == "0123456789abcdef",
           f"{found}")
    expect(found["cpus"].startswith(f"{os.cpu_count()} of "), found["cpus"])
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)", file.read(), re.MULTILINE)
    expect(not model or model.group(1) in found["cpus"], found["cpus"])
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") >> 20
    memory = re.match(r"(\d+) MiB, (\d+) MiB available$", found["memory"])
    expect(memory and abs(int(memory.group(1)) - total) <= 1 and
           0 < int(memory.group(2)) <= total, found["memory"])
    if os.path.exists("/etc/os-release"):
        with open("/etc/os-release", encoding="utf-8") as file:
            name = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.MULTILINE)
        expect(found.get("system") == (name and name.group(1)), f"{found}")
    usage = re.match(r"user (\S+) s, system (\S+) s, at most (\d+) MiB$", found["usage"])
    expect(usage and 0 < float(usage.group(1)) + float(usage.group(2)) < 60, found["usage"])
    version = run(bench.fntrace, "--version").stdout.split()
    expect(version == ["fntrace", found["fntrace"]], f"{version}")
    expect(found["machine"] == os.uname().machine.replace("aarch64", "arm64"), found["machine"])
    expect(found["records"] == "1000001, of entries only", found["records"])
    # A program that is found by its name.
    directory, _ = bench.record("true", status=1)
    with open(directory / "about", encoding="utf-8") as file:
        expect(f"program {os.path.realpath(shutil.which('true'))}\n" in file.read(), "true")


def dump_information(bench):
    """A file of buffers, also one that was cut off or has nonsense behind a buffer."""
    dump = bench.work / "dump"
    first = buffer([(1000 + n, ENTRY, 0, 1) for n in range(10)], hertz=5 * 10 ** 8)
    second = buffer([(1000 + n, ENTRY, 0, 1) for n in range(30)], order=">")
    dump.write_bytes(first + second)
    want = {"machine": "x86_64", "counter": "500.000000 MHz", "threads": "2", "records": "40",
            "lost": "0 calls"}
    expect(about(bench, dump) == want, f"{about(bench, dump)}")
    dump.write_bytes(first + bytes(100))
    found = about(bench, dump)
    expect(found == {**want, "threads": "1", "records": "10"}, f"{found}")
    for data in (b"", first[:100], bytes(10000)):
        dump.write_bytes(data)
        said = run(bench.fntrace, "info", dump, status=1).stderr
        expect("is not a recording" in said, said)


def tests():
    yield "unit tests", unit_tests
    yield "report agrees with uftrace", agrees_report
    yield "graph agrees with uftrace", agrees_graph
    yield "report: fields", fields
    yield "report and graph: recursion, calls without an end", recursion
    yield "report: order", order
    yield "report: shares", shares
    yield "report: differences", differences
    yield "report and graph: memory", little_memory
    yield "graph: depth and threads", depth
    yield "graph: callers", callers
    yield "input by default", default_input
    yield "info", information
    yield "info: machine and program", machine_information
    yield "info: file of buffers", dump_information

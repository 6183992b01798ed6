# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of what readers show of a trace."""

import json
import random
import re

from bench import (ENTRY, EXIT, MARK, TESTS, buffer, counts, expect, need, run)

# A nanosecond for each unit of the counter.
CLOCKS = ((1, 1), (10 ** 9, 10 ** 9))
THREADS = 3


class Call:
    """A call of a made trace; times are nanoseconds."""

    def __init__(self, function, begin):
        self.function = function
        self.begin = begin
        self.end = begin
        self.inside = []


def make_calls(generator, now, level=0):
    """Calls one after the other, some with calls inside of them; returns when they end."""
    calls = []
    for _ in range(generator.randrange(1, 6)):
        call = Call(generator.randrange(1, 7), now + generator.randrange(1, 30))
        now = call.begin + generator.choice((1, 5, 40, 300))
        if level < 5 and generator.random() < 0.6:
            call.inside, now = make_calls(generator, now, level + 1)
            now += generator.randrange(1, 20)
        call.end = now
        calls.append(call)
    return calls, now


def records_of(calls, depth=0):
    for call in calls:
        yield call.begin, ENTRY, depth, call.function * 16
        yield from records_of(call.inside, depth + 1)
        yield call.end, EXIT, depth, call.function * 16


def shown(calls, limits, inside=0, outside=0, depth=0):
    """What a filter has to leave of them, as ("B" or "E", name, time)."""
    for call in calls:
        name = f"<{call.function * 16:x}>"
        only = inside + (name in limits["only"])
        without = outside + (name in limits["without"])
        begin, end = max(call.begin, limits["from"]), min(call.end, limits["to"])
        seen = ((only or not limits["only"]) and not without and depth < limits["depth"] and
                begin <= end and end - begin >= limits["least"])
        if seen:
            yield "B", name, begin
        yield from shown(call.inside, limits, only, without, depth + bool(seen))
        if seen:
            yield "E", name, end


def options_of(limits):
    for option, key in (("-F", "only"), ("-N", "without")):
        for name in sorted(limits[key]):
            yield from (option, name)
    if limits["depth"] < 100:
        yield from ("-D", limits["depth"])
    if limits["least"]:
        yield from ("-t", f"{limits['least']}ns")
    if limits["from"] or limits["to"] < 10 ** 9:
        # Without a unit it is the time of the clock.
        ends = [f"{ns // 10 ** 9}.{ns % 10 ** 9:09}" if 0 < ns < 10 ** 9 else ""
                for ns in (limits["from"], limits["to"])]
        yield from ("-r", "~".join(ends))


def choose(generator, last):
    """Some of the filters."""
    def maybe(value, otherwise):
        return value if generator.random() < 0.4 else otherwise

    names = [f"<{number * 16:x}>" for number in range(1, 7)]
    ends = sorted((generator.randrange(1, last), generator.randrange(1, last)))
    return {"only": maybe(set(generator.sample(names, 2)), set()),
            "without": maybe(set(generator.sample(names, 1)), set()),
            "depth": maybe(generator.randrange(1, 4), 100),
            "least": maybe(generator.choice((2, 20, 100, 1000)), 0),
            "from": maybe(ends[0], 0), "to": maybe(ends[1], 10 ** 9)}


def as_computed(bench):
    """Of made traces, all filters leave what a simple program leaves, in order."""
    generator = random.Random(1)
    for number in range(40):
        threads, last = [], 0
        for tid in range(1, THREADS + 1):
            calls, end = make_calls(generator, 1000 + generator.randrange(300))
            threads.append(calls)
            last = max(last, end)
            (bench.work / str(tid)).write_bytes(
                buffer(list(records_of(calls)), tid=tid, clocks=CLOCKS))
        limits = choose(generator, last)
        out = bench.work / "trace.json"
        run(bench.fntrace, "convert", "-f", "chrome", "-o", out, *options_of(limits),
            *(bench.work / str(tid) for tid in range(1, THREADS + 1)))
        events = [event for event in json.loads(out.read_text(encoding="utf-8"))["traceEvents"]
                  if event["ph"] in "BE"]
        times = [round(event["ts"] * 1000) for event in events]
        expect(times == sorted(times), f"{number}: {limits}: times are not in order")
        for tid, calls in enumerate(threads, 1):
            found = [(event["ph"], event["name"], round(event["ts"] * 1000))
                     for event in events if event["tid"] == tid]
            want = list(shown(calls, limits))
            expect(found == want, f"{number}, thread {tid}: {limits}: "
                   f"{[pair for pair in zip(found, want) if pair[0] != pair[1]][:2]}, "
                   f"{len(found)} of {len(want)}")


def as_uftrace(bench):
    """uftrace's report finds the same calls behind its filters."""
    need("uftrace")
    program = bench.compile("tree.c", "-pg", "-O1")
    directory = bench.uftrace(bench.record(program)[0])
    for options in (("-F", "other"), ("-F", "through"), ("-N", "walk"), ("-N", "leaf"),
                    ("-D", "3"), ("-F", "walk", "-N", "other"), ("-F", "through", "-D", "2")):
        text = run("uftrace", "report", "-d", directory, *options).stdout
        theirs = {name: int(calls) for calls, name in
                  re.findall(r"(\d+)  (\w+)$", text, re.MULTILINE)}
        text = run(bench.fntrace, "report", "--csv", "-f", "calls", *options, directory).stdout
        ours = {name: int(calls) for calls, name in re.findall(r'(\d+),"(\w+)"', text)}
        expect(ours and ours == theirs, f"{options}: {ours} and {theirs}")


def time_of_caller(bench):
    """What is not shown is time of what called it."""
    file = bench.work / "made"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (200, ENTRY, 1, 0x20),
                             (300, ENTRY, 2, 0x30), (400, EXIT, 2, 0x30), (600, EXIT, 1, 0x20),
                             (650, ENTRY, 1, 0x40), (660, EXIT, 1, 0x40),
                             (1000, EXIT, 0, 0x10)], clocks=CLOCKS))
    for options, want in (((), {"<10>": 490, "<20>": 300, "<30>": 100, "<40>": 10}),
                          (("-N", "<20>"), {"<10>": 890, "<40>": 10}),
                          (("-t", "50ns"), {"<10>": 500, "<20>": 300, "<30>": 100}),
                          (("-D", "2"), {"<10>": 490, "<20>": 400, "<40>": 10}),
                          (("-r", "150ns~400ns"), {"<10>": 0, "<20>": 150, "<30>": 100})):
        text = run(bench.fntrace, "report", "--csv", "-f", "self", *options, file).stdout
        found = {name: int(ns) for ns, name in re.findall(r'(\d+),"(<\w+>)"', text)}
        expect(found == want, f"{options}: {found}")


def two_calls(bench):
    """A file with a call, and another one inside it."""
    file = bench.work / "two"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (2000, ENTRY, 1, 0x20), (2500, EXIT, 1, 0x20),
                             (9000, EXIT, 0, 0x10)], clocks=CLOCKS))
    return file


def range_between_events(bench):
    """What is running all the time is shown, if nothing happens in the range."""
    file = bench.work / "made"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (9000, EXIT, 0, 0x10)], clocks=CLOCKS))
    events, _ = bench.chrome("-r", "1us~3us", file)
    found = [(event["ph"], event["ts"]) for event in events if event["ph"] in "BE"]
    expect(found == [("B", 1.1), ("E", 3.1)], f"{found}")
    events, _ = bench.chrome("-r", "~200ns", file)
    found = [(event["ph"], event["ts"]) for event in events if event["ph"] in "BE"]
    expect(found == [("B", 0.1), ("E", 0.3)], f"{found}")
    # A listing has this end as well.
    text = run(bench.fntrace, "replay", "-r", "~200ns", file).stdout
    expect("<10>(); 0.200 us" in text, text)
    # Times since the first event of the trace, whether that is shown or not.
    for options, want in (((), ["0.000000000", "0.000008900"]),
                          (("-r", "1us~3us"), ["0.000001000", "0.000003000"])):
        text = run(bench.fntrace, "replay", "--elapsed", *options,
                   two_calls(bench)).stdout
        lines = text.splitlines()
        expect([lines[0].split()[0], lines[-1].split()[0]] == want, text)
    _, said = bench.chrome("-r", "1s~", file)
    expect("ends before the time" in said, said)


def marks(bench):
    """Marks are shown if what they are inside of is."""
    file = bench.work / "made"
    file.write_bytes(buffer([(100, ENTRY, 0, 0x10), (110, MARK, 0, 1), (120, ENTRY, 1, 0x20),
                             (130, MARK, 0, 2), (140, EXIT, 1, 0x20), (150, ENTRY, 1, 0x30),
                             (160, MARK, 0, 3), (5000, EXIT, 1, 0x30), (5010, EXIT, 0, 0x10)],
                            clocks=CLOCKS))
    for options, want in (((), "123"), (("-F", "<20>"), "2"), (("-N", "<20>"), "13"),
                          (("-t", "1us"), "123"), (("-t", "1us", "-F", "<30>"), "3"),
                          (("-r", "20ns~50ns"), "2")):
        events, _ = bench.chrome(*options, file)
        found = "".join(event["args"]["text"] for event in events if event["ph"] == "i")
        expect(found == want, f"{options}: {found}")


def of_tasks(bench):
    """Threads and processes by their names and numbers."""
    for tid, pid, name in ((11, 10, b"first"), (12, 10, b"second"), (21, 20, b"first")):
        (bench.work / f"{tid}").write_bytes(buffer(
            [(tid, ENTRY, 0, tid * 16), (1000, EXIT, 0, tid * 16)], tid=tid, pid=pid, name=name,
            clocks=CLOCKS))
    files = [bench.work / str(tid) for tid in (11, 12, 21)]
    for options, want in ((("--thread", "first"), {11, 21}), (("--thread", "12"), {12}),
                          (("--process", "10"), {11, 12}),
                          (("--process", "10", "--thread", "f*"), {11}),
                          (("--thread", "11", "--thread", "21"), {11, 21})):
        found = {event["tid"] for event in bench.chrome(*options, *files)[0]
                 if event["ph"] == "B"}
        expect(found == want, f"{options}: {found}")


def of_modules(bench):
    """Functions of a library, and those of the program."""
    source = bench.work / "main.c"
    source.write_text("void a_run(void); int main(void) { a_run(); return 0; }",
                      encoding="ascii")
    path = bench.work / "liba.so"
    run("gcc", "-pg", "-O1", "-shared", "-fPIC", "-DNAME=a_run", TESTS / "library.c", "-o", path)
    program = bench.work / "program"
    run("gcc", "-pg", source, path, "-o", program)
    directory, _ = bench.record(program)
    for module, want in (("liba*", {"a_run"}), ("program", {"main"})):
        found = set(counts(bench.chrome("--module", module, directory)[0]))
        expect(want <= found and ("main" in found) == ("main" in want), f"{module}: {found}")


def of_names(bench):
    """As they are written in C++: with parameters or without, and with wildcards."""
    directory, _ = bench.record(bench.compile("filters.cpp", "-pg", "-O1", cc="g++"))
    names = set(event["name"] for event in bench.chrome(directory)[0] if event["ph"] == "B")
    method = next(name for name in names if name.startswith("space::thing::method"))
    for pattern in ("space::thing::method", method, "*::method", "space::thing::*"):
        found = counts(bench.chrome("-F", pattern, directory)[0])
        expect(found.get("space::inside") == 3 and "main" not in found, f"{pattern}: {found}")


def nothing(bench):
    """What matches nothing is told."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"))
    for option, what in (("-F", "function"), ("-N", "function"), ("--module", "file"),
                         ("--thread", "thread"), ("--process", "process")):
        said = run(bench.fntrace, "report", option, "nowhere", option, "other", directory).stderr
        expect(f'no {what} matches "nowhere"' in said, said)
        expect(('"other"' in said) == (what != "function"), said)


def smaller(bench):
    """A long trace of short calls becomes a short one."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1"), "loop", "100000")
    sizes = []
    for options in ((), ("-t", "100us")):
        out = bench.work / "trace.json"
        run(bench.fntrace, "convert", "-f", "chrome", *options, "-o", out, directory)
        sizes.append(out.stat().st_size)
    expect(sizes[0] > 10 ** 7 and sizes[1] < 10 ** 5, f"{sizes}")


def recorded(bench, way, *options):
    """Counts of what is recorded with these options."""
    program = bench.compile("durations.c", "-O1", *way.split())
    directory, done = bench.record(program, options=options)
    events, said = bench.chrome(directory)
    expect(not done.stderr and not said, f"{options}: {done.stderr}{said}")
    return counts(events), sum(file.stat().st_size for file in directory.glob("*.fntrace"))


def long_calls(found):
    """All that are long; a short one may be while somebody else has the CPU."""
    expect(found.pop("brief", 0) < 20 and found == {"main": 1, "nap": 4, "holds": 3}, f"{found}")


def record_long(way):
    """Calls that are shorter than asked for are not in the recording."""
    def test(bench):
        found, size = recorded(bench, way)
        expect(found["brief"] == 100014 and found["nap"] == 4, f"{found}")
        less, small = recorded(bench, way, "-t", "10ms")
        long_calls(less)
        expect(small < size / 3, f"{small} of {size} bytes")
        # A time that the counter cannot count is longer than each call that ends.
        less, _ = recorded(bench, way, "-t", "150000000m")
        expect(less.get("brief", 0) == 0, f"{less}")
        # Where older records are written over, what was taken back is none.
        less, _ = recorded(bench, way, "-t", "10ms", "--overwrite", "-s", "64k")
        long_calls(less)
    return test


def record_shallow(way):
    """Calls that are deeper than asked for are not in the recording, and do not disturb."""
    def test(bench):
        for depth, want in ((1, {"main": 1}),
                            (2, {"main": 1, "brief": 100000, "nap": 3, "holds": 1,
                                 "recurse": 1}),
                            (3, {"main": 1, "brief": 100000 + 6 + 2, "nap": 3, "holds": 2,
                                 "recurse": 3})):
            found, _ = recorded(bench, way, "-D", str(depth))
            expect(found == want, f"{depth}: {found}")
    return test


def record_signals(bench):
    """Records are taken back while a handler of signals, which is traced, comes in between."""
    program = bench.compile("storm.c", "-pg", "-O1")
    for options in ((), ("--overwrite",)):
        directory, done = bench.record(program, options=("-t", "20us", "-s", "64k", *options))
        events, said = bench.chrome(directory)
        expect(counts(events), "there is no call")
        for word in ("damaged", "backwards"):
            expect(word not in said + done.stderr, said + done.stderr)
        expect("left out" not in said or options, said)


def wrong_options(bench):
    """Times, ranges and depths that are none."""
    for option, value, says in (
            ("-t", "10", "not a time"), ("-t", "us", "not a time"), ("-t", "-1us", "not a time"),
            ("-t", "1.5.2us", "not a time"), ("-t", "1h", "not a time"), ("-r", "1us", "a range"),
            ("-r", "~", "a range"), ("-r", "x~", "not a time"), ("-r", "2us~1us", "before"),
            ("-r", "99999999999999999999~", "not a time"), ("-D", "0", "not a depth"),
            ("-D", "x", "not a depth")):
        done = run(bench.fntrace, "report", option, value, status=2, cwd=bench.work)
        expect(says in done.stderr, f"{option} {value}: {done.stderr}")


def tests():
    yield "filters leave what they have to", as_computed
    yield "filters agree with uftrace", as_uftrace
    yield "filters: time of the caller", time_of_caller
    yield "filters: range without events", range_between_events
    yield "filters: marks", marks
    yield "filters: threads and processes", of_tasks
    yield "filters: programs and libraries", of_modules
    yield "filters: names of C++", of_names
    yield "filters: nothing matches", nothing
    yield "filters: size", smaller
    for way in ("-pg", "-pg -mfentry", "-finstrument-functions",
                "-fpatchable-function-entry=5 -fno-ipa-ra"):
        yield f"record long calls, {way}", record_long(way)
        yield f"record outer calls, {way}", record_shallow(way)
    yield "record long calls, signals at any time", record_signals
    yield "usage: filters", wrong_options

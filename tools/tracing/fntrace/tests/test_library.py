# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the library inside of programs that do unusual things with stacks and threads."""

import re

from bench import TESTS, expect, need, run, told, wanted

# As test_fntrace.py has them, each of which puts its hooks at other places of a function.
REPLACING = ("-pg", "-pg -mfentry", "-fpatchable-function-entry=5")


def number(name, output):
    """What the program says of NAME."""
    return int(re.search(rf"^(?:count )?{name} (\d+)$", output, re.MULTILINE).group(1))


def reported(bench, directory):
    """How often each function was called, which is quicker than to convert; and what is said."""
    done = run(bench.fntrace, "report", "--csv", "-f", "calls", "-n", "0", directory)
    return {name.split("(")[0]: int(calls) for calls, name in
            re.findall(r'^(\d+),"?([^"\n]*)"?$', done.stdout, re.MULTILINE)}, done.stderr


def record(bench, program, *arguments, options=()):
    """Record it; what it counted is what was recorded, but for what fntrace calls lost."""
    directory, done = bench.record(program, *arguments, options=options)
    expect(done.stderr == "" or "could not be recorded" in done.stderr, done.stderr)
    return directory, done


def profiler(way, *options):
    """A handler of signals at any instruction of the hooks unwinds the stack to its end."""
    def test(bench):
        program = bench.compile("unusual.c", *way.split(), "-O1")
        directory, done = record(bench, program, "profiler", options=options)
        found, said = reported(bench, directory)
        lost = told(said, "calls were lost")
        want = wanted(done.stdout)
        missing = sum(want.values()) - sum(found.get(name, 0) for name in want)
        expect(0 <= missing <= lost, f"{missing} calls are missing, {lost} were lost: {found}")
        samples, whole = number("sample", done.stdout), number("whole", done.stdout)
        expect(samples > 20, f"{samples} samples")
        expect(whole > samples * 4 // 5, f"{whole} of {samples} stacks were unwound")
    return test


def unwinding_information(machine, saved):
    """Of other architectures: where the hooks have saved what, as SAVED matches it."""
    def test(bench):
        need(f"{machine}-linux-gnu-gcc", "readelf")
        out = bench.built / machine
        run("make", "-s", "-C", TESTS.parent, "lib", f"OUTPUT={out}",
            f"CROSS_COMPILE={machine}-linux-gnu-")
        said = run("readelf", "-wF", out / f"backend/entry-{machine}.o").stdout
        # The last two are those for functions that return, whose caller is not known.
        hooks = re.split(r" FDE ", said)[1:]
        expect(len(hooks) == 7, f"{len(hooks)} hooks")
        for hook in hooks[:5]:
            rows = [line for line in hook.splitlines() if re.match(r"[0-9a-f]+ (sp|x29)", line)]
            expect(any(re.search(saved, row) for row in rows), "\n".join(rows))
            expect(rows[-1].split()[1] == "sp+0", rows[-1])
    return test


def tests():
    for way in REPLACING:
        yield f"library: profiler in the program, {way}", profiler(way)
    yield "library: profiler in the program, entries only", profiler("-pg", "--entries")
    for machine, saved in (("aarch64", r" x29\+32 +c-32 +c-24\b"),
                           ("riscv64", r" sp\+144 +c-144\b")):
        yield f"library: profiler in the program, {machine}", unwinding_information(machine, saved)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the library inside of programs that do unusual things with stacks and threads."""

import os
import re
import subprocess

from bench import ENTRY, TESTS, Skip, Wrong, buffer, compare, expect, need, run, told, wanted

NOBODY = 65534

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


def described(library):
    """Each function of the library has information for unwinding, or a profiler stops at it."""
    said = run("readelf", "-W", "-s", "--debug-dump=frames", library).stdout
    ranges = [(int(start, 16), int(end, 16)) for start, end in
              re.findall(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", said)]
    functions = re.findall(r"^ *\d+: ([0-9a-f]+) +([1-9]\d*) FUNC +\w+ +\w+ +\d+ (\S+)$", said,
                           re.MULTILINE)
    expect(len(functions) > 100, f"{len(functions)} functions")
    of_libc = ("call_weak_fn", "at_quick_exit", "pthread_atfork", "__pthread_atfork")
    bare = [name for start, _, name in functions if name not in of_libc and not any(
        first <= int(start, 16) < end for first, end in ranges)]
    expect(not bare, f"no information for {bare}")


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
        # A hook of a return gives its entry back a few instructions before it returns: from
        # there on nothing knows the caller (1 of 100).
        expect(whole > samples * 9 // 10, f"{whole} of {samples} stacks were unwound")
    return test


def same(what, *options, cc="gcc", source="unusual.c"):
    """A part of the program is recorded as it is, and does what it does without fntrace."""
    def with_way(way, level="-O1"):
        def test(bench):
            program = bench.compile(source, *way.split(), level, cc=cc)
            directory, done = record(bench, program, what, options=options)
            expect(done.stdout == run(program, what).stdout, done.stdout)
            found, said = reported(bench, directory)
            compare(wanted(done.stdout), found)
            # What becomes another program leaves main().
            known = ("their calls began before", "were put in", "had not ended")
            expect(all(any(words in line for words in known) for line in said.splitlines()), said)
        return test
    return with_way


def doubles_elsewhere(machine, way):
    """The same of another architecture."""
    def test(bench):
        program = bench.compile_for(machine, "unusual.c", *way.split(), "-O1")
        data = bench.work / "data"
        data.mkdir()
        done = bench.emulated(machine, program, data, "doubles")
        expect("wrong" not in done.stdout, done.stdout)
        compare(wanted(done.stdout), reported(bench, data)[0])
    return test


def string_calls(bench):
    """A library whose hooks would call functions of libc for strings is not built."""
    done = run("make", "-C", TESTS.parent, "lib", f"OUTPUT={bench.work}",
               "MAY_CALL=none", status=None)
    expect(done.returncode and "hooks must not call" in done.stderr, done.stderr[-200:])
    expect(not (bench.work / "libfntrace.so").exists(), "it was built")


FRONT = """
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <stdarg.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <errno.h>
static int calls;
int strcmp(const char *a, const char *b)
{ calls++; while (*a && *a == *b) a++, b++; return *(unsigned char *)a - *(unsigned char *)b; }
int strncmp(const char *a, const char *b, size_t n)
{ calls++; for (; n && *a && *a == *b; n--) a++, b++; return n ? *a - *b : 0; }
size_t strlen(const char *a) { size_t n = 0; calls++; while (a[n]) n++; return n; }
int open(const char *name, int flags, ...) { calls++; return syscall(SYS_openat, -100, name,
flags, 0600); }
int close(int fd) { calls++; return syscall(SYS_close, fd); }
ssize_t read(int fd, void *to, size_t size) { calls++; return syscall(SYS_read, fd, to, size); }
__attribute__((destructor)) static void tell(void)
{ char text[20] = "calls 0000\\n"; int n = calls, i; if (strcmp(program_invocation_short_name, "program"))
return; for (i = 9; i > 5; i--, n /= 10) text[i] += n % 10; write(1, text, 11); }
"""


def in_front(*options):
    """A library that the user preloads sees no calls that the program did not make."""
    def test(bench):
        source, front = bench.work / "front.c", bench.work / "front.so"
        source.write_text(FRONT.replace("\\\\", "\\"), encoding="ascii")
        run("gcc", "-O1", "-fno-builtin", "-fPIC", "-shared", "-w", source, "-o", front)
        program = bench.compile("unusual.c", "-pg", "-O1", "-g")
        front = {**os.environ, "LD_PRELOAD": str(front)}
        want = run(program, "doubles", env=front).stdout
        expect("calls" in want, want)
        done = run(bench.fntrace, "record", *options, "-o", bench.work / "data", program,
                   "doubles", env=front)
        expect(done.stdout == want, f"{done.stdout}, not {want}")
    return test


def levels(bench, directory):
    """How deep each function was in the list of calls: {name: {depth}}."""
    found = {}
    for line in run(bench.fntrace, "replay", directory).stdout.splitlines():
        match = re.search(r" (\w+)\(.*\)(?: \{$|;)", line)
        if match:
            found.setdefault(match.group(1), set()).add(match.start(1))
    return found


def catches(cc, way, level):
    """What a function calls behind its catch is inside of it, and what follows is not."""
    def test(bench):
        program = bench.compile("unusual.cpp", *way.split(), level, cc=cc)
        directory, done = record(bench, program, "exceptions")
        compare(wanted(done.stdout), reported(bench, directory)[0])
        found = levels(bench, directory)
        expect(all(len(found[name]) == 1 for name in ("catcher", "behind", "after")), f"{found}")
        expect(min(found["behind"]) > min(found["catcher"]) == min(found["after"]), f"{found}")
    return test


def waits(cc, way):
    """A call that an exception leaves ends when that is caught, and who catches it at its return."""
    def test(bench):
        program = bench.compile("unusual.cpp", *way.split(), "-O1", cc=cc)
        directory, done = record(bench, program, "waits")
        compare(wanted(done.stdout), reported(bench, directory)[0])
        said = run(bench.fntrace, "report", "--csv", "-f", "min", "-n", "0", directory).stdout
        least = {name.split("(")[0]: float(time) for time, name in
                 re.findall(r'^([0-9.]+),"?([^"\n]*)"?$', said, re.MULTILINE)}
        wait = number("wait", done.stdout) * 1000
        expect(least["thrower"] < wait, f"{least}")
        expect(wait <= least["catches_and_waits"] < 2 * wait, f"{least}")
    return test


def jumps(way):
    """Calls that are left by a jump of the compiler's are not around the next one."""
    def test(bench):
        program = bench.compile("unusual.cpp", *way.split(), "-O1", cc="g++")
        directory, done = record(bench, program, "jumps")
        compare(wanted(done.stdout), reported(bench, directory)[0])
        found = levels(bench, directory)
        expect(len(found["after"]) == 1 and found["after"] == found["is_left"], f"{found}")
    return test


def set_uid(bench):
    """Who runs a program with the rights of another user gets nothing recorded by it."""
    if os.geteuid():
        raise Skip("not without being root")
    program = bench.compile("unusual.c", "-pg", "-O1", f"-L{bench.built}", "-lfntrace",
                            f"-Wl,-rpath,{bench.built}", "-Wl,--no-as-needed", "-lfntrace")
    data = bench.work / "data"
    data.mkdir(mode=0o777)
    data.chmod(0o777)
    bench.work.chmod(0o755)
    def user():
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    env = {"FNTRACE_DIR": str(data), "PATH": os.environ["PATH"]}
    try:
        run(program, "doubles", env=env, preexec_fn=user)
    except (Wrong, OSError, subprocess.SubprocessError) as why:
        raise Skip(f"another user cannot run a program here: {why}") from why
    expect(list(data.glob("*.fntrace")), "it records nothing as it is")
    for file in data.iterdir():
        expect(file.stat().st_mode & 0o077 == 0, f"others may read {file.name}")
        file.unlink()
    program.chmod(0o4755)
    run(program, "doubles", env=env, preexec_fn=user)
    expect(not list(data.iterdir()), f"{list(data.iterdir())}")


def ends(what, way):
    """A thread that is ended from outside runs the destructors of all its functions."""
    def test(bench):
        program = bench.compile("unusual.cpp", *way.split(), "-O1", cc="g++")
        directory, done = bench.record(program, what)
        expect(done.stdout == "undone 1\nlocked 0\n", done.stdout)
        found = reported(bench, directory)[0]
        compare({"outer": 1, "inner": 1}, found)
    return test


def mappings(bench):
    """A program that loads plugins writes what is mapped only if that is code, and once."""
    program = bench.compile("unusual.c", "-pg", "-O1", "-ldl")
    directory, done = record(bench, program, "mappings")
    found, said = reported(bench, directory)
    compare(wanted(done.stdout), found)
    expect(said == "", said)
    size = sum(file.stat().st_size for file in directory.glob("*.maps"))
    expect(size < 200000, f"{size} bytes of mappings")
    text = "".join(file.read_text(encoding="ascii") for file in directory.glob("*.maps"))
    expect("r-xp" in text and "rw-p" not in text, "it is not what is code")


def in_turn(way, level="-O2"):
    """Functions that jump to one another without end do not fill the shadow stack."""
    def test(bench):
        program = bench.compile("unusual.c", *way.split(), level)
        directory, done = record(bench, program, "chain")
        found, said = reported(bench, directory)
        compare(wanted(done.stdout), found)
        expect(said == "", said)
        table = run(bench.fntrace, "graph", directory).stdout.splitlines()
        expect(len(table) < 40, "\n".join(table[:20]))
    return test


def says_why(bench):
    """A message has the reason in words."""
    program = bench.compile("unusual.c", "-pg", "-O1")
    done = run(program, "child", env={**os.environ, "LD_PRELOAD": str(bench.library),
                                      "FNTRACE_DIR": "/nonexistent"})
    expect(done.stderr == "fntrace: no such directory: /nonexistent: no such file or directory\n",
           done.stderr)


def late(bench):
    """Threads that begin when their process may not write any more are counted."""
    if os.geteuid():
        raise Skip("not without being root")
    program = bench.compile("unusual.c", "-pg", "-O1")
    directory, done = bench.record(program, "late", status=1)
    expect("3 threads or processes are not in the recording" in done.stderr, done.stderr)
    expect("permission denied" in done.stderr, done.stderr)
    expect(reported(bench, directory)[0].get("leaf") == 1, "it is not there up to then")


def killed_in_hook(bench):
    """A record that was taken and not filled is one of the window before, and no call."""
    data = bench.work / "data.fntrace"
    for last, calls in ((900, 2), (1200, 3)):
        data.write_bytes(buffer([(1000, ENTRY, 0, 1), (1100, ENTRY, 1, 2), (last, ENTRY, 2, 3)],
                                hertz=10 ** 9))
        done = run(bench.fntrace, "convert", "-f", "list", "-o", bench.work / "list", data)
        found = (bench.work / "list").read_text(encoding="utf-8")
        expect("backwards" not in done.stderr and len(re.findall("<[123]>", found)) == calls,
               f"{done.stderr}{found}")


def unwinding_information(machine, saved):
    """Of other architectures: where the hooks have saved what, as SAVED matches it."""
    def test(bench):
        need(f"{machine}-linux-gnu-gcc", "readelf")
        out = bench.built / machine
        run("make", "-s", "-C", TESTS.parent, "lib", f"OUTPUT={out}",
            f"CROSS_COMPILE={machine}-linux-gnu-")
        said = run("readelf", "-wF", out / f"backend/entry-{machine}.o").stdout
        # The first four lead to a hook. The last two are those for functions that return, whose
        # caller is not known.
        hooks = re.split(r" FDE ", said)[1:]
        expect(len(hooks) == 11, f"{len(hooks)} hooks")
        for hook in hooks[4:9]:
            rows = [line for line in hook.splitlines() if re.match(r"[0-9a-f]+ (sp|x29)", line)]
            expect(any(re.search(saved, row) for row in rows), "\n".join(rows))
            expect(rows[-1].split()[1] == "sp+0", rows[-1])
        described(out / "libfntrace.so")
    return test


def tests():
    for way in REPLACING:
        yield f"library: profiler in the program, {way}", profiler(way)
    yield "library: profiler in the program, entries only", profiler("-pg", "--entries")
    yield "library: profiler in the program, all functions", lambda bench: described(bench.library)
    for machine, saved in (("aarch64", r" x29\+32 +c-32 +c-24\b"),
                           ("riscv64", r" sp\+144 +c-144\b")):
        yield f"library: profiler in the program, {machine}", unwinding_information(machine, saved)
    for machine, way in (("aarch64", "-fpatchable-function-entry=2"),
                         ("riscv64", "-fpatchable-function-entry=4")):
        yield f"library: doubles in a first call, {machine}", doubles_elsewhere(machine, way)
    for way in REPLACING:
        yield f"library: doubles in a first call, {way}", same("doubles")(way)
    yield "library: no functions of libc for strings", string_calls
    for options in ((), ("-L",), ("--args", "eight")):
        yield f"library: one in front of libc {' '.join(options)}".strip(), in_front(*options)
    yield "library: set-uid program", set_uid
    for cc in ("g++", "clang++-19"):
        for way in ("-pg -fno-omit-frame-pointer", "-finstrument-functions"):
            for level in ("-O0", "-O2"):
                yield f"library: catch, {cc} {way} {level}", catches(cc, way, level)
    for cc, way in (("g++", "-pg"), ("g++", "-pg -mfentry"), ("clang++-19", "-finstrument-functions")):
        yield f"library: catch and wait, {cc} {way}", waits(cc, way)
    for way in REPLACING:
        yield f"library: jump of the compiler's, {way}", jumps(way)
    yield "library: children with another environment", same("environment")("-pg")
    yield "library: children with another environment, -L", same("environment", "-L")("-pg")
    for way in REPLACING:
        yield f"library: chain of jumps, {way}", in_turn(way)
        yield f"library: stack in an arena, {way}", same("arena")(way)
        yield f"library: coroutines of several threads, {way}", same("owners")(way)
    yield "library: immediate like a distance", same("immediate", "-L")("-O0 -fno-plt")
    yield "library: filter of system calls that is refused", same("refused")("-pg")
    yield "library: many mappings", mappings
    yield "library: threads of another user", late
    yield "library: killed in a hook", killed_in_hook
    yield "library: reasons in words", says_why
    for what in ("cancels", "forces"):
        for way in REPLACING:
            yield f"library: thread that is ended: {what}, {way}", ends(what, way)

# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of the values of arguments and results."""

import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
from pathlib import Path

from bench import BUFFER, HEADER, RECORD, TESTS, TIMEOUT, Skip, expect, need, run, until

# Fields of BUFFER.
BASE, NEXT = 17, 19

# What is behind the values in a line of the listing.
ENDS = (re.compile(r"; [0-9.]+ us$"), re.compile(r" /\* .* [0-9.]+ us \*/$"))
ALL = ("-A", "*", "-R", "*")
# The parameters in the name of a function of C++, in front of the values.
PARAMETERS = re.compile(r"\((?:[^()=]|\([^()=]*\))*\)(?: const)?(?=\()")


def shown(bench, directory):
    """The calls of a recording with their results, without times."""
    lines, inside = [], []
    for line in run(bench.fntrace, "replay", directory).stdout.splitlines():
        text = re.sub(r"^ *[0-9.]+ \S+ +", "", line)
        for end in ENDS:
            text = end.sub("", text)
        if text.startswith("}"):
            lines.append(inside.pop() + text[1:])
        elif text.endswith(" {"):
            inside.append(PARAMETERS.sub("", text[:-2], count=1))
        else:
            lines.append(PARAMETERS.sub("", text, count=1))
    return lines


def agrees(line, want):
    """A value that is not known is shown as "?", and agrees with any."""
    return re.fullmatch(re.escape(line).replace(r"=\?", "=.*?"), want)


def compare(said, lines, least, unknown=0):
    """UNKNOWN calls may have values that are not shown."""
    want = re.findall(r"^shows (.*)$", said, re.MULTILINE)
    expect(len(want) >= least, f"the program made {len(want)} calls")
    for line in want:
        if line in lines:
            continue
        unknown -= 1
        near = [other for other in lines if other.split("(")[0] == line.split("(")[0]]
        expect(unknown >= 0 and any(agrees(other, line) for other in near),
               f"{' or '.join(near) or 'no such call'}, not {line}")


def recorded(bench, program, *options, status=0):
    directory, done = bench.record(program, options=options or ALL, status=status)
    return directory, done


def in_c(cc, way, level):
    def test(bench):
        flags = [*way.split(), level, "-g"]
        if way == "-pg":
            flags.append("-DBEHIND_PROLOGUE")
        program = bench.compile("values.c", *flags, cc=cc)
        directory, done = recorded(bench, program)
        # LLVM's debug information does not always say that something is passed.
        compare(done.stdout, shown(bench, directory), 19, 0 if cc == "gcc" else 3)
    return test


def in_cxx(cc, way, level):
    def test(bench):
        program = bench.compile("values.cpp", *way.split(), level, "-g", "-std=c++17", cc=cc)
        directory, done = recorded(bench, program)
        compare(done.stdout, shown(bench, directory), 9)
    return test


def in_rust(level):
    def test(bench):
        rustc = os.environ.get("RUSTC", "rustc")
        need(rustc)
        program = bench.work / "program"
        run(rustc, "-Z", "patchable-function-entry=5", "-C", f"opt-level={level}", "-g",
            "-C", "symbol-mangling-version=v0", TESTS / "values.rs", "-o", program,
            env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
        functions = ("numbers", "texts", "things", "slices", "options", "method")
        options = [word for name in functions for word in ("-A", name, "-R", name)]
        directory, done = recorded(bench, program, *options)
        compare(done.stdout, shown(bench, directory), 6)
        # What the compiler changed is refused, or missing, but not wrong.
        directory, done = recorded(bench, program, "-A", "*::local", "-R", "*::local",
                                   status=None)
        if done.returncode:
            expect(level and re.search("the compiler changed|not known how", done.stderr),
                   done.stderr)
        else:
            lines = [line for line in shown(bench, directory) if "::local" in line]
            expect(lines == ["values::local(a=12, b=13) = 12"], f"{lines}")
        # As C++ has them, with dots that are no suffix of the compiler's.
        run(rustc, "-Z", "patchable-function-entry=5", "-C", "opt-level=0", "-g",
            "-Z", "unstable-options", "-C", "symbol-mangling-version=legacy",
            TESTS / "values.rs", "-o", program, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
        directory, done = recorded(bench, program, "-A", "*Area*::area", "-R", "*Area*::area")
        lines = [line for line in shown(bench, directory) if "::area" in line]
        expect(len(lines) == 1 and lines[0].endswith("times=14) = 21"), f"{lines}")
    return test


def elsewhere(machine, way, level):
    """The program of another architecture, emulated; it is described here."""
    def test(bench):
        program = bench.compile_for(machine, "values.c", *way.split(), level, "-g")
        directory, _ = bench.record("true", options=(*ALL, "--object", program), status=1)
        expect((directory / "values").exists(), "it is not described")
        done = bench.emulated(machine, program, directory, FNTRACE_VALUES=1)
        compare(done.stdout, shown(bench, directory), 19)
    return test


def refused(bench):
    """What cannot be recorded is told, the program does not run, and nothing is lost."""
    directory, _ = bench.record(bench.compile("tree.c", "-pg", "-O1", name="before"))
    before = sorted((file.name, file.read_bytes()) for file in directory.iterdir())
    for options, flags, cc, says in (
            (("-A", "main"), "-pg", "gcc", "main: .*: it has no debug information"),
            (("-A", "absent*"), "-pg -g", "gcc", 'no function matches "absent'),
            (("-A", "main", "-R", "absent"), "-pg -g", "gcc", '--return: no function matches'),
            (("-R", "nothing"), "-pg -g", "gcc", "the result of nothing: it returns nothing"),
            (("-A", "main"), "-pg -g -fno-omit-frame-pointer", "clang-19", "main: .* mcount"),
            (("-A", "main"), "-finstrument-functions -g", "gcc", "main: .* gone when the hook"),
            (("-R", "main"), "-finstrument-functions -g", "gcc", "main: .* gone when the hook"),
            (("-A", "*::x"), "-g", "gcc", "no function is traced in it"),
            (("-A", "main", "--object", "/nonexistent"), "-pg -g", "gcc", "cannot read /nonex")):
        program = bench.compile("values.c", *flags.split(), cc=cc)
        done = run(bench.fntrace, "record", *options, "-o", directory, program, status=1)
        expect(re.search(says, done.stderr), f"{flags}: {done.stderr}")
        expect(not done.stdout, "the program ran")
        after = sorted((file.name, file.read_bytes()) for file in directory.iterdir())
        expect(after == before, "the last recording was changed")
    # arm64 and riscv64: the first argument is gone. What is returned is not.
    for machine in ("aarch64", "riscv64"):
        if shutil.which(f"{machine}-linux-gnu-gcc"):
            program = bench.compile("values.c", "-pg", "-g", cc=f"{machine}-linux-gnu-gcc")
            done = run(bench.fntrace, "record", "-A", "longs", "--object", program, "-o",
                       directory, "true", status=1)
            expect("gone when mcount" in done.stderr, done.stderr)


def some_refused(bench):
    """What of several functions can be recorded is; a name that matches nothing is a mistake."""
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    directory, done = recorded(bench, program, "-A", "longs", "-R", "nothing", "-R", "recursive")
    lines = shown(bench, directory)
    expect("--return: the result of nothing: it returns nothing" in done.stderr, done.stderr)
    expect("recursive() = 1" in lines and "nothing()" in lines, f"{lines}")
    expect(any(line.startswith("longs(a=-9223372036854775807, ") for line in lines), f"{lines}")
    _, done = recorded(bench, program, "-A", "longs", "-R", "absent", status=1)
    expect("no function matches" in done.stderr and not done.stdout, done.stderr)
    _, done = recorded(bench, program, "-R", "nothing", status=1)
    expect(not done.stdout, "nothing of it can be recorded, and the program runs")


def names(bench):
    """Names of C++ have one list: of values, or of the types of parameters."""
    program = bench.compile("values.cpp", "-pg", "-mfentry", "-g", "-O1", "-std=c++17", cc="g++")
    directory, _ = recorded(bench, program, "-A", "space::by_value", "-A", "*method")
    lines = run(bench.fntrace, "replay", directory).stdout
    for call in ("space::by_value(a={first=3, second=4.5, tone=dark}, b=2);",
                 "space::counted::method(this=", "space::after_empty(int, space::tag, ",
                 "main() {", "int space::both<int>(int, int const&);"):
        expect(f" {call}" in lines, f"no {call} in {lines}")
    expect(not re.search(r"\)(?: const)?\(", lines), lines)


def sections(program):
    """Where debug information is in a file: (name, offset, size)."""
    text = run("readelf", "-SW", program).stdout
    return [(name, int(offset, 16), int(size, 16)) for name, offset, size in
            re.findall(r"\] (\.debug_\w+) +\S+ +\S+ (\w+) (\w+)", text)]


def damaged(bench):
    """Whatever debug information says: the program runs as it does, or not at all."""
    need("readelf")
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    parts = [part for part in sections(program) if part[0] != ".debug_line"]
    expect(len(parts) > 3, f"{parts}")
    whole, generator = program.read_bytes(), random.Random(1)
    plain = run(program, cwd=bench.work).stdout.count("shows")
    said, ran = 0, 0
    for number in range(int(os.environ.get("FNTRACE_FUZZ", "60"))):
        data = bytearray(whole)
        for _ in range(generator.choice((1, 1, 3, 30))):
            # Most of the bytes are in sections that few types need.
            _, offset, size = generator.choice(parts)
            data[offset + generator.randrange(size)] = generator.choice((0, 1, 255,
                                                                         generator.randrange(256)))
        if number % 10 == 0:
            _, offset, size = parts[number // 10 % len(parts)]
            data[offset:offset + size] = generator.randbytes(size)
        program.write_bytes(data)
        directory, done = bench.record(program, options=ALL, status=None)
        if done.returncode:
            expect(done.returncode == 1 and "fntrace: " in done.stderr and not done.stdout,
                   f"{number}: status {done.returncode}, {done.stderr}")
            said += 1
            continue
        expect(done.stdout.count("shows") == plain, f"{number}: the program ended early")
        lines = shown(bench, directory)
        expect(len(lines) >= plain, f"{number}: {len(lines)} calls")
        ran += 1
    expect(said and ran, f"{said} refused, {ran} recorded")


def separate(bench):
    """Debug information in a file of its own, and none that is stripped."""
    need("objcopy")
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    run("objcopy", "--only-keep-debug", program, f"{program}.debug")
    run("objcopy", "--strip-debug", f"--add-gnu-debuglink={program}.debug", program)
    directory, done = recorded(bench, program)
    compare(done.stdout, shown(bench, directory), 19)
    os.unlink(f"{program}.debug")
    _, done = recorded(bench, program, "-A", "longs", status=1)
    expect("it has no debug information; compile it with -g" in done.stderr, done.stderr)
    # Most of it in an object file beside the program's.
    made = bench.work / "split"
    run("gcc", "-pg", "-mfentry", "-g", "-gsplit-dwarf", "-O1", "-w", f"-I{TESTS.parent}/include",
        TESTS / "values.c", "-o", made, cwd=bench.work)
    directory, done = recorded(bench, made)
    compare(done.stdout, shown(bench, directory), 19)
    for file in bench.work.glob("*.dwo"):
        file.unlink()
    _, done = recorded(bench, made, "-A", "longs", status=1)
    expect(re.search("longs: its debug information should be in .*[.]dwo", done.stderr),
           done.stderr)


def killed(bench):
    """The process that reads debug information waits, here for a FIFO, and is killed."""
    need("objcopy")
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    run("objcopy", "--only-keep-debug", program, f"{program}.debug")
    run("objcopy", "--strip-debug", f"--add-gnu-debuglink={program}.debug", program)
    os.unlink(f"{program}.debug")
    os.mkfifo(f"{program}.debug")
    for number, says in ((signal.SIGALRM, "cannot be read within"),
                         (signal.SIGKILL, "ended: Killed"),
                         (signal.SIGSEGV, "damaged [(]Segmentation fault")):
        with subprocess.Popen((bench.fntrace, "record", "-A", "longs", "-o", bench.work / "dir",
                               program), stderr=subprocess.PIPE, text=True) as recorder:
            children = Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children")
            try:
                until(children.read_text, "it starts no process")
                # By then it waits for the FIFO, or will.
                os.kill(int(children.read_text()), number)
                _, said = recorder.communicate(timeout=TIMEOUT)
            finally:
                # The child would wait for ever, and its parent for the child.
                if recorder.poll() is None:
                    for child in children.read_text().split():
                        os.kill(int(child), signal.SIGKILL)
                    recorder.kill()
        expect(recorder.returncode == 1 and re.search(says, said), said)


def other_objects(bench):
    """Functions of a library, and of a program that a script starts."""
    source = bench.work / "main.c"
    source.write_text("void a_run(int, int); int main(void) { a_run(1, 2); return 0; }",
                      encoding="ascii")
    library = bench.work / "libvalues.c"
    library.write_text("void a_run(int first, int second) { __asm__ volatile(\"\"); }",
                       encoding="ascii")
    shared, program = bench.work / "libvalues.so", bench.work / "program"
    flags = ("-pg", "-mfentry", "-g")
    run("gcc", *flags, "-fPIC", "-shared", library, "-o", shared)
    run("gcc", *flags, source, shared, "-o", program)
    directory, _ = recorded(bench, program, "-A", "a_run")
    expect("a_run(first=1, second=2)" in shown(bench, directory), "the library is missing")
    directory, _ = bench.record("sh", "-c", f"{program}; {program}",
                                options=("-A", "a_run", "--object", program))
    found = shown(bench, directory).count("a_run(first=1, second=2)")
    expect(found == 2, f"{found} of 2 calls of the script")
    # The libraries of a library; and of a program that asks for another dynamic linker,
    # which is not to be run for that: musl's would do so.
    outer, linker = bench.work / "libouter.so", bench.work / "linker"
    run("gcc", *flags, "-fPIC", "-shared", source, shared, "-o", outer)
    linker.write_text(f"#!/bin/sh\nexpr \"$*\" : '--list .*/elsewhere' && "
                      f"printf '\\tlibvalues.so => {shared} (0x7f0000000000)\\n'\n",
                      encoding="utf-8")
    linker.chmod(0o755)
    run("gcc", *flags, source, shared, f"-Wl,--dynamic-linker={linker}", "-o",
        bench.work / "elsewhere")
    for named in (outer, bench.work / "elsewhere"):
        directory, _ = bench.record("sh", "-c", program,
                                    options=("-A", "a_run", "--object", named))
        expect("a_run(first=1, second=2)" in shown(bench, directory), f"libraries of {named}")


def found(bench):
    """The program that is described is the one that is run."""
    bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    (bench.work / "other" / "program").mkdir(parents=True)
    (bench.work / "plain").touch()
    rest = os.environ["PATH"]
    for path in (f"{bench.work}/other:{bench.work}", f":{rest}", f"{rest}:"):
        directory = bench.work / "data"
        done = run(bench.fntrace, "record", "-A", "longs", "-o", directory, "program",
                   cwd=bench.work, env={**os.environ, "PATH": path})
        expect("shows" in done.stdout, done.stderr)
        about = (directory / "about").read_text(encoding="utf-8")
        expect(f"program {bench.work.resolve()}/program" in about, f"{path}: {about}")
    for name, why in (("absent", "No such file or directory"), ("plain", "Permission denied")):
        done = run(bench.fntrace, "record", "-A", "longs", "-o", directory, name, cwd=bench.work,
                   env={**os.environ, "PATH": f"{bench.work}:{rest}"}, status=1)
        expect(done.stderr == f"fntrace: cannot run {name}: {why}\n", done.stderr)


def formats(bench):
    """Values in Chrome's and Perfetto's format, and behind a filter."""
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    directory, _ = recorded(bench, program)
    events, said = bench.chrome(directory)
    expect("fntrace:" not in said, said)
    for name, begin, end in (
            ("longs", {"a": "-9223372036854775807", "b": "18446744073709551615", "c": "true",
                       "d": "'q'", "e": -1}, "18446744073709551615"),
            ("floats", {"a": 1.5, "b": -0.1, "c": 3, "d": 16777216}, 0.1),
            ("strings", {"a": "abc", "b": "x" * 64 + "...", "c": "NULL", "d": "0x1",
                         "e": "end..."}, "result"),
            ("returns_mixed", {"a": 6}, "{d=1.25, i=6}")):
        found = [event.get("args") for event in events if event["name"] == name]
        expect(found == [begin, {"return": end}], f"{name}: {found}")
    # All that is shown has waited for the ends of calls.
    plain = run(bench.fntrace, "replay", directory).stdout
    held = run(bench.fntrace, "replay", "-t", "1ns", directory).stdout
    expect(plain == held, "a filter changes values")
    out = bench.work / "trace.pftrace"
    run(bench.fntrace, "convert", "-f", "perfetto", "-o", out, directory)
    done = run(sys.executable, TESTS / "check_perfetto.py", "--values", out, status=None)
    if done.returncode == 4:
        raise Skip("no package perfetto")
    for line in ("a int_value -9223372036854775807", "b uint_value 18446744073709551615",
                 "a double_value 1.5", "a string_value abc", "return string_value result",
                 "c string_value BLUE"):
        expect(f"value {line}\n" in done.stdout, f"no {line}: {done.stdout} {done.stderr}")


def version_of(file):
    return struct.unpack_from(BUFFER, file.read_bytes())[2]


def used(directory):
    """Bytes of the records in a directory."""
    heads = [struct.unpack_from(BUFFER, file.read_bytes()) for file in
             directory.glob("*.fntrace")]
    return sum(head[NEXT] - head[BASE] for head in heads)


def only_where_asked(bench):
    """Without the options nothing changes; with them, readers need the file."""
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    directory, _ = bench.record(program)
    expect(not (directory / "values").exists(), "there are values")
    expect([version_of(file) for file in directory.glob("*.fntrace")] == [1], "another format")
    size = used(directory)
    directory, _ = recorded(bench, program, "-A", "longs")
    expect([version_of(file) for file in directory.glob("*.fntrace")] == [2], "the old format")
    more = used(directory) - size
    # 4 bytes for the number of the function, and 34 for its arguments, in units of 14.
    expect(more == 48, f"{more} bytes more")
    for damage in (lambda path: path.write_bytes(path.read_bytes()[:-5]),
                   lambda path: path.write_text("function x\nend\n", encoding="ascii"),
                   lambda path: path.write_bytes(b"\xff" * 1000)):
        damage(directory / "values")
        done = run(bench.fntrace, "replay", directory)
        expect("longs() = " not in done.stdout and "longs();" in done.stdout and
               "values of arguments" in done.stderr, f"{done.stdout} {done.stderr}")


def hostile(bench):
    """Records with values that are none."""
    program = bench.compile("values.c", "-pg", "-mfentry", "-g", "-O1")
    directory, _ = recorded(bench, program)
    file = next(directory.glob("*.fntrace"))
    files = (file, directory / "values")
    whole, generator = [each.read_bytes() for each in files], random.Random(2)
    for _ in range(int(os.environ.get("FNTRACE_FUZZ", "60"))):
        for which, path in enumerate(files):
            data = bytearray(whole[which])
            start = HEADER if path == file else 0
            for _ in range(generator.choice((0, 1, 5, 50))):
                data[start + generator.randrange(len(data) - start)] = generator.choice(
                    (0, 255, 0x25, 0x39, generator.randrange(256)))
            path.write_bytes(data)
        for command in (("replay",), ("replay", "-t", "100ns"),
                        ("convert", "-f", "perfetto", "-o", "/dev/null")):
            done = run(bench.fntrace, *command, directory, status=None)
            expect(done.returncode in (0, 1), f"{command}: status {done.returncode}")
        run(bench.fntrace, "convert", "-f", "chrome", "-o", bench.work / "trace.json", directory,
            status=None)
        run(sys.executable, TESTS / "check_chrome.py", bench.work / "trace.json")


LOOP = """
#include <stdlib.h>
#define KEEP __attribute__((noinline))
volatile int sink;
KEEP int inner(int number, const char *text) { sink = !text; return number + 1; }
int main(int argc, char **argv)
{
	for (int i = 0; i < atoi(argv[1]); i++)
		inner(argc > 2 ? 7 : i, &"a text that takes some records"[argc > 2 ? 0 : i % 30]);
	return 0;
}
"""


def room(bench):
    """Buffers that are full: values are of their calls, and the others are there."""
    source, program = bench.work / "loop.c", bench.work / "loop"
    source.write_text(LOOP, encoding="ascii")
    run("gcc", "-pg", "-mfentry", "-g", "-O1", source, "-o", program)
    options = ("-A", "inner", "-R", "inner", "-s", "64k")
    for more, least, most in ((("--overwrite",), 500, 900), ((), 5000, 5000),
                              (("--stop",), 500, 900)):
        directory, _ = bench.record(program, "5000", options=(*options, *more))
        done = run(bench.fntrace, "replay", directory)
        numbers = [(int(a), int(b)) for a, b in
                   re.findall(r'inner\(number=(\d+), text="[a-z ]*"\) = (\d+);', done.stdout)]
        expect(least <= len(numbers) <= most, f"{more}: {len(numbers)} calls")
        expect(all(b == a + 1 for a, b in numbers), f"{more}: results of other calls")
        expect([a for a, _ in numbers] == list(range(numbers[0][0],
                                                     numbers[0][0] + len(numbers))),
               f"{more}: calls are missing")
        for word in ("damaged", "backwards", *(() if more else ("left out", "put in"))):
            expect(word not in done.stderr, done.stderr)
    # The same values at the beginning of each buffer.
    directory, _ = bench.record(program, "5000", "same", options=options)
    found = run(bench.fntrace, "replay", directory).stdout.count("inner(number=7,")
    expect(found == 5000, f"{found} of 5000 calls with the same values")
    # Short calls are taken back with their values.
    directory, _ = bench.record(program, "5000", options=("-A", "inner", "-t", "1s"))
    left = used(directory)
    expect(left <= 8 * RECORD.size, f"{left} bytes are left of calls that are too short")
    expect("damaged" not in run(bench.fntrace, "replay", directory).stderr, "bad records")


def tests():
    for cc in ("gcc", "clang-19"):
        for way in ("-pg -mfentry", "-fpatchable-function-entry=5"):
            for level in ("-O0", "-O2"):
                yield f"values in C, {cc} {way} {level}", in_c(cc, way, level)
    for level in ("-O0", "-O2"):
        yield f"values in C, gcc -pg {level}", in_c("gcc", "-pg", level)
    for cc in ("g++", "clang++-19"):
        for level in ("-O0", "-O2"):
            yield f"values in C++, {cc} {level}", in_cxx(cc, "-pg -mfentry", level)
    for level in (0, 2):
        yield f"values in Rust, level {level}", in_rust(level)
    for machine, nops in (("aarch64", 2), ("riscv64", 4)):
        for level in ("-O0", "-O2"):
            yield (f"values on {machine}, {level}",
                   elsewhere(machine, f"-fpatchable-function-entry={nops}", level))
    yield "values that cannot be recorded", refused
    yield "values of some of several functions", some_refused
    yield "values in names of C++", names
    yield "values, damaged debug information", damaged
    yield "values, debug information elsewhere", separate
    yield "values, debug information that cannot be read", killed
    yield "values in libraries and other programs", other_objects
    yield "values, which program it is", found
    yield "values in other formats", formats
    yield "values only where asked for", only_where_asked
    yield "values in full buffers", room
    yield "values that are hostile", hostile

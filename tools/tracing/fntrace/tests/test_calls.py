# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of programs that nobody compiled to be traced: calls into libraries, and no-ops."""

import os
import re
import shutil
import signal

from bench import TESTS, Skip, compare, counts, expect, instructions, need, run, wanted

# How a program may be linked, and what becomes of its table then.
LINKED = ("-Wl,-z,lazy", "-Wl,-z,now", "-no-pie -fno-pie", "-no-pie -fno-pie -Wl,-z,now")
# Without the table. A function whose address the program takes as well has no stub.
WITHOUT_TABLE = ("-fno-plt", "-fno-plt -no-pie -fno-pie", "-fno-plt -O0",
                 "-fno-plt -mcmodel=medium")
# A hook cannot be in front of these, as uftrace's can, and these are not to be compared:
# whether they are called depends on what was before.
UNHOOKED = {"_setjmp", "setjmp", "__sigsetjmp", "dlsym", "vfork"}


# Instructions that a stub adds to a call: while tracing is off, and when it is recorded.
OFF_MAX, RECORDED_MAX = 6, 240


def build(bench, *flags, compiler="g++", library_flags=()):
    """The program, and the library that it calls."""
    need(compiler)
    language = () if compiler.endswith("++") else ("-x", "c")
    run(compiler, "-O2", "-shared", "-fPIC", "-w", "-DLIBRARY", *library_flags, *language,
        TESTS / "imports.cpp", "-o", bench.work / "libimports.so")
    program = bench.work / "imports"
    run(compiler, "-O2", "-w", *flags, *language, TESTS / "imports.cpp", "-o", program,
        f"-L{bench.work}", "-limports", "-lpthread", f"-Wl,-rpath,{bench.work}")
    return program


def reported(bench, *inputs):
    """How often each function was called."""
    text = run(bench.fntrace, "report", "--csv", "-f", "calls", *inputs).stdout
    return {name: int(number) for number, name in re.findall(r'(\d+),"(.*)"', text)}


def complete(said):
    expect("lost" not in said and "backwards" not in said and "damaged" not in said, said)


def ways_to_link(flags):
    def test(bench):
        directory, done = bench.record(build(bench, *flags.split()), options=("-L",))
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        complete(said)
    return test


def without_table(flags):
    """What has been called, but for what the program has a pointer to."""
    def test(bench):
        if os.uname().machine != "x86_64":
            raise Skip("calls without the table are told from pointers on x86_64")
        directory, done = bench.record(build(bench, *flags.split(), library_flags=("-fno-plt",)),
                                       options=("-L", "-Llibimports*"))
        found = reported(bench, directory)
        compare(wanted(done.stdout), found)
        expect("lib_pointed" not in found and found.get("longjmp", 0) >= 3, found)
    return test


def pointers(bench):
    """What the program has a pointer to, as well."""
    for flags in ((), ("-fno-plt",)):
        directory, done = bench.record(build(bench, *flags), "others",
                                       options=("-L", "--library-pointers"))
        compare({**wanted(done.stdout), "lib_pointed": 1}, reported(bench, directory))


RUST = """
extern "C" { fn getppid() -> i32; fn getuid() -> u32; }

fn main() {
    let parent = unsafe { getppid() };
    std::thread::spawn(move || for _ in 0..100 {
        assert_eq!(parent, unsafe { getppid() });
    }).join().unwrap();
    unsafe { getuid(); }
    assert!(std::panic::catch_unwind(|| assert_eq!(0, parent)).is_err());
}
"""


def rust(bench):
    """Its compiler makes no table on x86-64, and puts what is called in a loop into registers."""
    need("rustc")
    source = bench.work / "waits.rs"
    source.write_text(RUST, encoding="ascii")
    program = bench.work / "waits"
    run("rustc", "-O", source, "-o", program)
    found = reported(bench, bench.record(program, options=("-L",))[0])
    expect(found.get("getuid") == 1 and found.get("pthread_create") == 1, found)
    found = reported(bench, bench.record(program, options=("-L", "--library-pointers"))[0])
    expect(found.get("getppid") == 101 and found.get("getuid") == 1 and
           found.get("write", 0) + found.get("writev", 0) > 0, found)
    done = run(bench.fntrace, "record", "--library-pointers", program, status=None)
    expect(done.returncode and "needs --library-calls" in done.stderr, done.stderr)


def libraries(bench, *flags, names=("liba.so", "libb.so", "libc.so")):
    """The program that loads libraries, and such libraries."""
    files = [bench.work / name for name in names]
    for file in files:
        run("gcc", "-O2", "-shared", "-fPIC", "-DLIBRARY", *flags, TESTS / "loads.c", "-o", file)
    return bench.compile("loads.c", "-O2", "-ldl", "-lpthread", name="loads"), files


def loaded(flags):
    """Of libraries that are loaded later, unloaded and loaded again, by several threads."""
    def test(bench):
        program, files = libraries(bench, *flags)
        options = ("--library-calls=lib[ab].so", "--library-calls=libc.so")
        directory, done = bench.record(program, "plain", "4", "100", *files, options=options)
        events, said = bench.chrome(directory)
        compare(wanted(done.stdout), counts(events))
        complete(said)
        stubs = [path for path in directory.glob("*.names")
                 if path.read_text(encoding="ascii").startswith("path /library-calls/")]
        # The first to be loaded, and what another thread had not seen then.
        expect(len(stubs) <= 2, f"{len(stubs)} files with names of stubs")
        # If it is killed, the names are there as well; and it does not end before.
        directory, _ = bench.record(
            "sh", "-c", f"{program} plain 4 100000 {' '.join(map(str, files))} & sleep 1; "
            "kill -9 $!; wait $!", status=128 + signal.SIGKILL, options=options)
        expect(reported(bench, directory).get("getppid", 0) > 1000, "no calls")
        # Not with more threads: the dynamic linker may be in use when a child is made.
        directory, done = bench.record(program, "fork", "1", "40", *files, options=options)
        compare(wanted(done.stdout), reported(bench, directory))
    return test


def unseen(bench):
    """While the dynamic linker is at work on a library that another thread loads."""
    if os.uname().machine != "x86_64":
        raise Skip("system calls of x86_64")
    for flags in ((), ("-fno-plt",)):
        _, slow = libraries(bench, "-DSLOW", "-Wl,-z,relro,-z,now", *flags, names=("slow.so",))
        program, files = libraries(bench, *flags)
        _, done = bench.record(program, "origin", "3", "10", f"$ORIGIN/{slow[0].name}", *files,
                               options=("--library-calls=*.so",))
        expect(wanted(done.stdout), "the program counted nothing")


def replaced(bench):
    """What is known of a library does not hold for another one at the same place."""
    if os.uname().machine != "x86_64":
        raise Skip("calls without the table are told from pointers on x86_64")
    files, places = [], set()
    for name, flags in (("reads.so", ("-DPOINTERS",)), ("data.so", ("-DDATA",)), ("calls.so", ())):
        program, built = libraries(bench, "-fno-plt", *flags, names=(name,))
        files += built
        places.add(re.search(r"\.dynamic +\S+ +(\S+)", run("readelf", "-SW", *built).stdout)[1])
    expect(len(places) == 1, f"dynamic sections at {places}")
    reads, data, calls = files
    directory, _ = bench.record(program, "plain", "1", "12", reads, calls, reads, data,
                                options=("--library-calls=*.so",))
    compare({"getppid": 30, "getuid": 30}, reported(bench, directory))


def forbidden(bench):
    """A program is not killed for the stubs' code."""
    program, files = libraries(bench)
    directory, done = bench.record(program, "forbid", "2", "10", *files,
                                   options=("--library-calls=lib[abc].so", "-L"))
    expect(wanted(done.stdout) and reported(bench, directory).get("dlclose") is None, done.stderr)


def with_hooks(way):
    """Of a program that has hooks; and of a library that has some, no call is there twice."""
    def test(bench):
        program = build(bench, *way.split())
        directory, done = bench.record(program, options=("-L",))
        events, said = bench.chrome(directory)
        found = counts(events)
        compare(wanted(done.stdout), found)
        expect(found.get("main") == 1, f"main(): {found.get('main')} calls")
        complete(said)
        program = build(bench, library_flags=way.split())
        directory, done = bench.record(program, options=("-L",))
        compare(wanted(done.stdout), counts(bench.chrome(directory)[0]))
    return test


def elsewhere(machine):
    """The same on another architecture, whose user space is emulated."""
    def test(bench):
        need(f"qemu-{machine}")
        for flags, others in ((LINKED[0], False), (LINKED[1], False), ("-fno-plt", True)):
            program = build(bench, flags, compiler=f"{machine}-linux-gnu-gcc")
            data = bench.work / "data"
            shutil.rmtree(data, ignore_errors=True)
            data.mkdir()
            done = bench.emulated(machine, program, data, *("others",) * others,
                                  FNTRACE_CALLS="/", LD_BIND_NOW="1",
                                  FNTRACE_POINTERS=int(others))
            # Here the table has a word of its own for what the program has a pointer to.
            compare({**wanted(done.stdout), "lib_pointed": 1}, reported(bench, data))
    return test


def system_programs(bench):
    """The same calls of the machine's own programs as uftrace has."""
    need("uftrace")
    how = {"env": {**os.environ, "LC_ALL": "C"}}
    for command in (("ls", "-l", "/usr"), ("sort", TESTS / "calls.c"),
                    ("grep", "-c", "int", TESTS / "calls.c")):
        found = []
        for ours in (True, False, False):
            data = bench.work / "data"
            shutil.rmtree(data, ignore_errors=True)
            if ours:
                run(bench.fntrace, "record", "-L", "-o", data, *command, **how)
            else:
                run("uftrace", "record", "--force", "--no-event", "-d", data, *command, **how)
            found.append(reported(bench, data))
        ours, theirs, again = found
        # Some programs read() once more or less, wherever their buffers are.
        theirs = {name: number for name, number in theirs.items()
                  if name not in UNHOOKED and again.get(name) == number and name != "read"}
        expect(len(theirs) > 10, f"uftrace found {len(theirs)} functions")
        # uftrace 0.13 leaves out what is called when a program ends, among others.
        compare(theirs, ours)


def filters(bench):
    program = build(bench)
    want = wanted(bench.record(program, options=("-L",))[1].stdout)
    for options, names in ((("-F", "lib_nothing"), {"lib_nothing"}),
                           (("-F", "lib_call", "-F", "raise"), {"lib_call", "raise"}),
                           (("-F", "lib_*", "-N", "lib_nothing"),
                            {name for name in want if name.startswith("lib_")}
                            - {"lib_nothing"})):
        directory, _ = bench.record(program, options=("-L", *options))
        found = reported(bench, directory)
        compare({name: want[name] for name in names}, found)
        # And what they call: a handler of the signal, and exceptions.
        expect(({"lib_eight", "lib_nothing"} - names).isdisjoint(set(found) - {"lib_nothing"})
               and ("lib_nothing" in found) == ("-N" not in options), f"{options}: {found}")
    # C++, as it is written.
    directory, _ = bench.record(program, options=("-L", "-F", "std::runtime_error::*"))
    expect(list(reported(bench, directory)) ==
           ["std::runtime_error::runtime_error(char const*)"], reported(bench, directory))
    done = run(bench.fntrace, "record", "-L", "-o", directory, "-F", "nobody", program, status=1)
    expect('no traced function matches "nobody"' in done.stderr, done.stderr)


def entries(bench):
    program = build(bench)
    directory, done = bench.record(program, options=("-L", "--entries"))
    compare(wanted(done.stdout), reported(bench, directory))


def callers(bench):
    """Calls of a library, chosen by its name; the program's are not recorded then."""
    program = build(bench)
    directory, _ = bench.record(program, options=("--library-calls=libimports*",))
    found = reported(bench, directory)
    expect(found.get("longjmp", 0) + found.get("__longjmp_chk", 0) >= 3 and
           "raise" not in found and "lib_call" not in found, found)
    directory, done = bench.record(program, options=("-L", "-Llibimports*"))
    both = reported(bench, directory)
    compare({**wanted(done.stdout), **found}, both)


def controlled(bench):
    """Stubs have names in a dump, whoever reads it, and call nothing while tracing is off."""
    source = bench.work / "sleeper.c"
    source.write_text("#include <unistd.h>\n"
                      "int main(void) { for (;;) { getppid(); usleep(2000); } }",
                      encoding="ascii")
    program = bench.work / "sleeper"
    run("gcc", "-O2", source, "-o", program)
    data = bench.work / "data"
    script = (f"{bench.fntrace} record -L --paused --overwrite -s 64k -o {data} {program} & "
              f"until ls {data}/*.control; do sleep 0.1; done; sleep 0.5; "
              f"{bench.fntrace} control -d {data} start; sleep 1; "
              f"{bench.fntrace} control -d {data} stop; "
              f"{bench.fntrace} control -d {data} dump -o {bench.work}/dump; "
              f"kill -9 $(cd {data}; ls *.control | cut -d- -f1); wait")
    run("sh", "-c", script, status=None)
    for directory in (bench.work / "dump", data):
        found = reported(bench, directory)
        expect(found.get("getppid", 0) > 50 and found.get("usleep", 0) > 50, found)


def sent(bench):
    """Names of stubs arrive with a recording."""
    program = build(bench)
    run("sh", "-c", f"{bench.fntrace} receive -o {bench.work}/got unix:{bench.work}/socket & "
        f"until [ -S {bench.work}/socket ]; do sleep 0.1; done; "
        f"{bench.fntrace} record -L --to unix:{bench.work}/socket {program} > {bench.work}/said; "
        "wait")
    want = wanted((bench.work / "said").read_text(encoding="ascii"))
    compare(want, reported(bench, bench.work / "got"))


def converted(bench):
    """uftrace reads what it is converted to."""
    need("uftrace")
    directory, done = bench.record(build(bench), options=("-L",))
    text = run("uftrace", "report", "-d", bench.uftrace(directory), "-f", "call").stdout
    compare(wanted(done.stdout), {name: int(number) for number, name in
                                  re.findall(r"^ *(\d+)  (\w+)$", text, re.MULTILINE)})


def refused(bench):
    for word, says in (("a/b", "no pattern"), ("", "no pattern"), ("[[:alpha:]]", "no pattern")):
        done = run(bench.fntrace, "record", f"--library-calls={word}", "true", status=None)
        expect(done.returncode and says in done.stderr, f"{word}: {done.stderr}")
    # Without the option, it is said that there is one.
    done = bench.record("true", status=1)[1]
    expect("--library-calls" in done.stderr, done.stderr)


def nops(*flags):
    """-mnop-mcount, of which no section tells where the no-ops are."""
    def test(bench):
        if os.uname().machine != "x86_64":
            raise Skip("GCC has -mnop-mcount for x86_64")
        for level in ("-O0", "-O2"):
            program = bench.compile("calls.c", "-pg", "-mfentry", "-mnop-mcount", "-fno-pie",
                                    "-no-pie", level, *flags)
            directory, done = bench.record(program)
            events, said = bench.chrome(directory)
            compare(wanted(done.stdout), counts(events))
            complete(said)
            # The recording has its names.
            program.unlink()
            compare(wanted(done.stdout), reported(bench, directory))
    return test


def nops_behind(bench):
    """No-ops that are not at the beginning of a function are left alone."""
    if os.uname().machine != "x86_64":
        raise Skip("GCC has -mnop-mcount for x86_64")
    program = bench.compile("calls.c", "-pg", "-mno-fentry", "-mnop-mcount", "-fno-pie", "-no-pie",
                            "-O2")
    _, done = bench.record(program, status=1)
    expect("no function was traced" in done.stderr, done.stderr)
    expect(wanted(done.stdout), "the program counted nothing")


def cost(bench):
    """What a call costs that is recorded, and one while tracing is off."""
    if os.uname().machine != "x86_64":
        raise Skip("instructions are counted on x86_64")
    text = (TESTS / "pairs.c").read_text(encoding="ascii")
    # A function of the C library, in the place of the program's own.
    text = re.sub(r"static .* nothing\(void\)\n\{.*?\n\}", "#define nothing() raise(0)", text,
                  flags=re.DOTALL)
    source = bench.work / "pairs.c"
    source.write_text(text.replace("#include <time.h>", "#include <time.h>\n#include <signal.h>"),
                      encoding="ascii")
    program = bench.work / "program"
    run("gcc", "-O2", source, "-o", program)
    plain = instructions(bench, program, None, LD_BIND_NOW="1")
    for start, most in (("0", OFF_MAX), ("1", RECORDED_MAX)):
        more = instructions(bench, program, bench.library, LD_BIND_NOW="1", FNTRACE_CALLS="/",
                            FNTRACE_START=start) - plain
        expect(0 < more <= most, f"FNTRACE_START={start}: {more} instructions")


def tests():
    for flags in LINKED:
        yield f"calls into libraries, {flags}", ways_to_link(flags)
    for flags in WITHOUT_TABLE:
        yield f"calls into libraries, {flags}", without_table(flags)
    yield "calls into libraries, with pointers", pointers
    yield "calls into libraries of a program in Rust", rust
    yield "calls into libraries of libraries that are loaded", loaded(())
    yield "calls into libraries of libraries that are being loaded", unseen
    yield "calls into libraries of libraries at one place", replaced
    yield "calls into libraries of a program that forbids code", forbidden
    yield "calls into libraries of libraries that are loaded, -fno-plt", loaded(("-fno-plt",))
    for way in ("-pg", "-pg -mfentry", "-finstrument-functions",
                "-fpatchable-function-entry=5"):
        yield f"calls into libraries and functions, {way}", with_hooks(way)
    for machine in ("aarch64", "riscv64"):
        yield f"calls into libraries on {machine}", elsewhere(machine)
    yield "calls into libraries, programs of the system", system_programs
    yield "calls into libraries, filters", filters
    yield "calls into libraries, entries only", entries
    yield "calls into libraries, of a library", callers
    yield "calls into libraries, controlled", controlled
    yield "calls into libraries, sent", sent
    yield "calls into libraries, converted for uftrace", converted
    yield "calls into libraries, refused", refused
    yield "calls into libraries, cost", cost
    yield "no-ops of -mnop-mcount", nops()
    yield "no-ops of -mnop-mcount, listed", nops("-mrecord-mcount")
    yield "no-ops of -mnop-mcount, endbr64", nops("-fcf-protection=branch")
    yield "no-ops of -mnop-mcount behind the prologue", nops_behind

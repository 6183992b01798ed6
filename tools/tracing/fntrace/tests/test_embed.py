# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests of those who embed the backend: kernels and programs, also in Rust."""

import os
import re
import shutil
import struct

from bench import (ENTRY, EXIT, INTERRUPT_CALLS, TESTS, Skip, buffer, compare, counts, expect,
                   instructions, need, run, same_counts, told, wanted)

EXAMPLE = TESTS.parent / "example"
CRATE = TESTS.parent / "rust"
TARGET = "x86_64-unknown-linux-gnu"
MCOUNT = "-Z instrument-mcount -C force-frame-pointers=yes"
# Of the header of a buffer.
FLAGS = 44
ANCHOR = struct.calcsize("<8s10I14Q32s")


def rust_compiler():
    """rustc, if it is recent enough for the crate and for the option of LLVM."""
    rustc = os.environ.get("RUSTC", "rustc")
    need(rustc)
    version = re.match(r"rustc (\d+)\.(\d+)", run(rustc, "--version").stdout)
    if not version or (int(version.group(1)), int(version.group(2))) < (1, 82):
        raise Skip("rustc is older than 1.82")
    return rustc


def rust_tools():
    """What cargo needs in its environment; Skip says what there is not."""
    rustc = rust_compiler()
    # Beside rustc: another cargo may not know its options.
    cargo = os.path.join(os.path.dirname(rustc), "cargo")
    need(cargo)
    found = run(rustc, "--print", "target-libdir", "--target", TARGET,
                status=None)
    if found.returncode or not os.path.isdir(found.stdout.strip()):
        raise Skip("no core library of Rust for x86_64")
    return {**os.environ, "RUSTC": rustc, "CARGO": cargo}


def unikernel(bench, *options):
    """Compile and run the kernel in Rust once; returns what it left, and its file."""
    environment = rust_tools()
    need("qemu-system-x86_64", "nm")
    out = bench.built / ("unikernel-out" + "".join(options))
    image = bench.built / "example" / "unikernel.elf"
    if not (out / "kernel.fntrace").exists():
        shutil.rmtree(out, ignore_errors=True)
        run("make", "-s", "-C", EXAMPLE, f"OUTPUT={bench.built}/example/", "unikernel",
            env=environment, timeout=600)
        bench.run_example("x86_64", image, out, "-n", "0", *options)
    return out, image


def calls_of(console):
    """What a kernel says that it called."""
    return {name: int(count) for name, count in
            re.findall(r"^calls (.+) (\d+)\r?$", console, re.MULTILINE)}


def full_counts(events):
    found = {}
    for event in events:
        if event["ph"] == "B":
            found[event["name"]] = found.get(event["name"], 0) + 1
    return found


def unikernel_counts(*options):
    """Each function as often as it was called, though nobody says where the kernel ran."""
    def test(bench):
        out, image = unikernel(bench, *options)
        console = (out / "console.log").read_text(errors="replace")
        events, said = bench.chrome("-i", image, out / "kernel.fntrace")
        for word in ("left out", "backwards", "not the kernel"):
            expect(word not in said, said)
        want, found = calls_of(console), full_counts(events)
        expect(len(want) == 7, f"the kernel counted {len(want)} functions")
        # An interrupt that comes while a buffer becomes full loses its calls, or the last of
        # them, and then calls that are there have no end.
        lost = int(re.search(r"^lost (\d+)\r?$", console, re.MULTILINE).group(1))
        cut = told(said, "ends were missing")
        expect(not (lost or cut) or options, f"{lost} calls were lost, {cut} ends")
        missing = 0
        for name in ("timer_interrupt", "tick"):
            name = "unikernel::machine::" + name
            missing += want.pop(name) - found.get(name, 0)
        # Two calls of each are counted in missing; one interrupt is there in part, at most.
        expect(missing <= lost and
               lost + cut <= INTERRUPT_CALLS * (missing / 2 + min(cut, 1)),
               f"{lost} lost, {cut} cut, {missing} missing")
        compare(want, found)
        expect((out / "kernel.fntrace").is_dir() == bool(options), "how it was sent")
    return test


def unikernel_nested(bench):
    """Interrupts are inside of the functions of the application that they interrupted."""
    out, image = unikernel(bench)
    stack, inside = [], {}
    for event in bench.chrome("-i", image, out / "kernel.fntrace")[0]:
        if event["ph"] == "B":
            stack.append(event["name"])
            if event["name"].endswith("timer_interrupt"):
                caller = stack[-3] if len(stack) > 2 else "?"
                inside[caller] = inside.get(caller, 0) + 1
                expect(stack[-2] == "interrupt", f"it was called by {stack[-2]}")
        elif event["ph"] == "E":
            stack.pop()
    expect(any("application" in name for name in inside), f"interrupted: {inside}")


def unikernel_moved(bench):
    """The file has other addresses than the recording; -l says the same as the recording."""
    out, image = unikernel(bench)
    dump = out / "kernel.fntrace"
    console = (out / "console.log").read_text(errors="replace")
    moved = int(re.search(r"^moved by (0x[0-9a-f]+)", console, re.MULTILINE).group(1), 16)
    expect(moved >= 0x1f00000 and moved % 0x200000 == 0x100000, f"moved by {moved:#x}")
    by_itself = full_counts(bench.chrome("-i", image, dump)[0])
    expect(by_itself == full_counts(bench.chrome("-i", image, "-l", hex(moved), dump)[0]),
           "-l changes it")
    # What is given counts.
    wrong = full_counts(bench.chrome("-i", image, "-l", "0", dump)[0])
    expect(not any(name.startswith("unikernel::") for name in wrong), f"{wrong}")
    # Without the symbol, nobody knows.
    stripped = bench.work / "stripped"
    run("objcopy", "--strip-symbol=fntrace_buffer_init", image, stripped)
    wrong = full_counts(bench.chrome("-i", stripped, dump)[0])
    expect(not any(name.startswith("unikernel::") for name in wrong), f"{wrong}")


def anchored(bench):
    """A recording that says where its kernel ran; and one of another kernel."""
    source = bench.work / "kernel.c"
    source.write_text("void fntrace_buffer_init(void) {} void walk(void) {} int main(void) {}",
                      encoding="ascii")
    program = bench.work / "kernel"
    run("gcc", "-O0", "-no-pie", source, "-o", program)
    places = {name: int(addr, 16) for addr, name in
              re.findall(r"^(\w+) [tT] (\w+)$", run("nm", program).stdout, re.MULTILINE)}
    dump = bench.work / "dump"
    for moved in (0, 0x40000000, -0x200000, 0xffff800000000000, 8):
        for order in "<>":
            addr = places["walk"] + 4 + moved
            data = bytearray(buffer([(1000, ENTRY, 0, addr & (1 << 48) - 1),
                                     (2000, EXIT, 0, addr & (1 << 48) - 1)], order=order))
            struct.pack_into(order + "Q", data, 48, addr >> 48 << 48 & (1 << 64) - 1)
            struct.pack_into(order + "Q", data, ANCHOR,
                             (places["fntrace_buffer_init"] + moved) & (1 << 64) - 1)
            dump.write_bytes(data)
            events, said = bench.chrome("-i", program, dump)
            if moved % 4096:
                expect("is not the kernel that recorded it" in said, f"no word of it: {said}")
            else:
                expect(counts(events) == {"walk": 1}, f"{moved:#x}: {counts(events)}")
                expect("not the kernel" not in said, said)


def rust_program(bench):
    """A program in Rust that contains the backend and writes its recording itself."""
    environment = rust_tools()
    crate = bench.work / "crate"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(
        '[package]\nname = "embedding"\nversion = "0.1.0"\nedition = "2021"\n'
        f'[dependencies]\nfntrace = {{ path = "{CRATE}" }}\n[workspace]\n', encoding="utf-8")
    shutil.copy(TESTS / "embedding.rs", crate / "src" / "main.rs")
    run(environment["CARGO"], "build", "--quiet", "--offline", "--target", TARGET,
        "--manifest-path", crate / "Cargo.toml", timeout=600, cwd=crate,
        env={**environment, "RUSTFLAGS": MCOUNT, "RUSTC_BOOTSTRAP": "1"})
    program, dump = crate / "target" / TARGET / "debug/embedding", bench.work / "dump"
    stream, directory = bench.work / "stream", bench.work / "received"
    done = run(program, dump, stream, cwd=bench.work)
    want = wanted(done.stdout)
    sent = {"embedding::half": want.pop("embedding::half")}
    events, said = bench.chrome("-i", program, dump)
    for word in ("left out", "backwards", "put in"):
        expect(word not in said, said)
    compare(want, counts(events))
    marks = [event["args"]["text"] for event in events if event["name"] == "fntrace:mark"]
    expect(marks == ["42", "7"], f"marks {marks}")
    # 40 times as much as it has memory for, in parts.
    run(bench.fntrace, "receive", "-o", directory, stream)
    events, said = bench.chrome("-i", program, directory)
    for word in ("left out", "backwards", "put in", "lost"):
        expect(word not in said, said)
    found = counts(events)
    compare(sent, found)
    expect("embedding::send" not in found, "what sends is recorded")
    parts = int(re.search(r"^parts (\d+)$", done.stdout, re.MULTILINE).group(1))
    expect(parts >= 40, f"it was sent in {parts} parts")


def rust_glue(machine, *flags):
    """What is in C in the crate, without Rust, on each architecture."""
    def test(bench):
        native = machine == os.uname().machine
        prefix = "" if native else f"{machine}-linux-gnu-"
        need(f"{prefix}gcc", *([] if native else [f"qemu-{machine}"]))
        if not native and not os.path.exists(f"/usr/{machine}-linux-gnu/lib/libc.so.6"):
            raise Skip(f"no libc for {machine}")
        out = bench.built / machine
        run("make", "-s", "-C", TESTS.parent, f"OUTPUT={out}", f"CROSS_COMPILE={prefix}",
            out / "libfntrace-rust.a")
        # Not linked with -pg, which would be the C library's profiler.
        program, stream = bench.work / "glue", bench.work / "stream"
        run(f"{prefix}gcc", "-O2", *flags, f"-I{TESTS.parent}/include", "-c", TESTS / "glue.c",
            "-o", bench.work / "glue.o")
        run(f"{prefix}gcc", bench.work / "glue.o", out / "libfntrace-rust.a", "-o", program)
        emulator = [] if native else [f"qemu-{machine}", "-L", f"/usr/{machine}-linux-gnu"]
        said = run(*emulator, program, stream).stdout
        run(bench.fntrace, "receive", "-o", bench.work / "received", stream)
        events, warnings = bench.chrome("-i", program, bench.work / "received")
        expect(warnings == "", warnings)
        found = counts(events)
        expect(found == wanted(said), f"{found}, not {said}")
        parts = int(re.search(r"^parts (\d+)$", said, re.MULTILINE).group(1))
        expect(parts == 40, f"it was sent in {parts} parts")
    return test


def rust_linked(bench):
    """A program in Rust that is linked with libfntrace.so and says when to record."""
    environment = rust_tools()
    crate = bench.work / "crate"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text(
        '[package]\nname = "linked"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\n'
        f'fntrace = {{ path = "{CRATE}", features = ["program"] }}\n[workspace]\n',
        encoding="utf-8")
    (crate / "src" / "main.rs").write_text(
        "#[inline(never)] fn work(n: u64) { std::hint::black_box(n); }\n"
        "fn main() { for n in 0..9 { work(n); } fntrace::start(); fntrace::mark(5);\n"
        "for n in 0..5 { work(n); } fntrace::stop(); for n in 0..9 { work(n); } }\n",
        encoding="ascii")
    run(environment["CARGO"], "build", "--quiet", "--offline", "--target", TARGET,
        "--manifest-path", crate / "Cargo.toml", timeout=600, cwd=crate,
        env={**environment, "RUSTFLAGS": MCOUNT, "RUSTC_BOOTSTRAP": "1",
             "FNTRACE_LIBDIR": str(bench.built)})
    directory, _ = bench.record(crate / "target" / TARGET / "debug/linked", options=("--paused",))
    found = full_counts(bench.chrome(directory)[0])
    expect(found.get("linked::work") == 5, f"{found}")


def rust_stable(bench):
    """Without an unstable option: a list of functions for LLVM."""
    rustc = rust_compiler()
    need("nm")
    program, table = bench.work / "program", bench.work / "functions.csv"
    command = [rustc, "-C", "opt-level=1", "-C", "codegen-units=1", TESTS / "calls.rs", "-o",
               program]
    environment = {name: value for name, value in os.environ.items() if name != "RUSTC_BOOTSTRAP"}
    run(*command, env=environment)
    names = re.findall(r" [tT] (\S+)$", run("nm", program).stdout, re.MULTILINE)
    table.write_text("".join(f"{name},fentry-call=true\n" for name in names), encoding="ascii")
    run(*command, "-C", f"llvm-args=-forceattrs-csv-path={table}", env=environment)
    same_counts(bench, program)


def rust_clean(bench):
    """The crate and the kernel are as rustfmt and clippy want them."""
    environment = rust_tools()
    bin_dir = os.path.dirname(environment["RUSTC"])
    rustfmt, clippy = os.path.join(bin_dir, "rustfmt"), os.path.join(bin_dir, "cargo-clippy")
    need(rustfmt, clippy, os.path.join(bin_dir, "clippy-driver"))
    for path in [*CRATE.glob("*.rs"), *CRATE.glob("src/*.rs"), *EXAMPLE.glob("rust/*.rs"),
                 *EXAMPLE.glob("rust/src/*.rs"), TESTS / "embedding.rs"]:
        run(rustfmt, "--check", "--edition", "2021", "--config", "skip_children=true", path)
    for manifest in (CRATE, EXAMPLE / "rust"):
        for feature in ([], ["--features", "program"]) if manifest == CRATE else ([],):
            run(environment["CARGO"], "clippy", "--quiet", "--offline", "--target-dir",
                bench.built / "clippy", "--manifest-path", manifest / "Cargo.toml", *feature,
                "--", "-D", "warnings", timeout=600,
                env={**environment, "PATH": f"{bin_dir}:{os.environ['PATH']}"})


def built_with(bench, *options):
    """libfntrace.so, with options of the backend; they exist for x86_64 only."""
    if os.uname().machine != "x86_64":
        raise Skip("the options are for x86_64")
    out = bench.built / "options" / "".join(options)
    run("make", "-s", "-C", TESTS.parent, f"OUTPUT={out}", f"CPPFLAGS={' '.join(options)}",
        out / "libfntrace.so")
    return out / "libfntrace.so"


def counted(bench, program, library, **variables):
    """Its trace by a library has what it counted."""
    data = bench.work / "data"
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    done = run(program, env={**os.environ, "LD_PRELOAD": str(library), "FNTRACE_DIR": str(data),
                             **variables})
    events, said = bench.chrome(data)
    compare(wanted(done.stdout), counts(events))
    for word in ("lost", "backwards", "left out", "put in"):
        expect(word not in said, said)
    return events


def options(cc, flags, *names, less):
    """Options of the backend: it still works, and takes so many instructions less."""
    def test(bench):
        library = built_with(bench, *names)
        counted(bench, bench.compile("calls.c", *flags.split(), cc=cc), library)
        counted(bench, bench.compile("exceptions.cpp", *flags.split(),
                                     cc=cc.replace("clang", "clang++").replace("gcc", "g++")),
                library)
        pairs = bench.compile("pairs.c", *flags.split(), cc=cc, name="pairs")
        before, after = (instructions(bench, pairs, path) for path in (bench.library, library))
        expect(before - after == less, f"{before} and {after} instructions")
    return test


def entries_only(way):
    """Each function as often as it was called; no duration, and about half the cost."""
    def test(bench):
        flags = [*way.split(), "-O2"]
        program = bench.compile("calls.c", *flags)
        events = counted(bench, program, bench.library, FNTRACE_ENTRIES="1")
        begun = {}
        for event in events:
            if event["ph"] == "B":
                expect(event["tid"] not in begun, "a call is in another one")
                begun[event["tid"]] = event["ts"]
            elif event["ph"] == "E":
                expect(begun.pop(event["tid"]) == event["ts"], "a call has a duration")
        pairs = bench.compile("pairs.c", *flags, name="pairs")
        both = instructions(bench, pairs, bench.library)
        entry = instructions(bench, pairs, bench.library, FNTRACE_ENTRIES="1")
        expect(entry < both * 0.6, f"{entry} instructions, and {both} with exits")
    return test


def entries_made(bench):
    """Recordings without exits, in both orders of bytes."""
    dump = bench.work / "dump"
    for order in "<>":
        data = bytearray(buffer([(1000 + n, ENTRY, 0, 0x1000) for n in range(50)], order=order))
        struct.pack_into(order + "I", data, FLAGS, 1)
        dump.write_bytes(data)
        events, said = bench.chrome(dump)
        times = [event["ts"] for event in events if event["ph"] in "BE"]
        expect(len(times) == 100 and times[::2] == times[1::2] and len(set(times)) == 50, times)
        expect("put in" not in said and "not ended" not in said, said)


def entries_recorded(bench):
    program = bench.compile("exceptions.cpp", "-pg", "-O1", cc="g++")
    directory, done = bench.record(program, options=("--entries",))
    events, said = bench.chrome(directory)
    compare(wanted(done.stdout), counts(events))
    expect("put in" not in said, said)
    times = [event["ts"] for event in events if event["ph"] in "BE"]
    expect(times[::2] == times[1::2], "calls have a duration")
    for option in ("-D5", "-t1us"):
        said = run(bench.fntrace, "record", "--entries", option, "true", status=2).stderr
        expect("neither depths nor durations" in said, said)


def tests():
    yield "recording that says where its kernel ran", anchored
    yield "kernel in Rust: counts", unikernel_counts()
    yield "kernel in Rust: counts, sent while it runs", unikernel_counts("-r")
    yield "kernel in Rust: interrupts in the application", unikernel_nested
    yield "kernel in Rust: runs elsewhere", unikernel_moved
    yield "program in Rust, a list of functions", rust_stable
    yield "program in Rust that embeds the backend", rust_program
    for machine, flags in (("x86_64", "-pg"), ("aarch64", "-pg"),
                           ("riscv64", "-pg -fno-omit-frame-pointer")):
        yield f"crate: what it has in C, {machine}", rust_glue(machine, *flags.split())
    yield "program in Rust that is linked with the library", rust_linked
    yield "crate: rustfmt and clippy", rust_clean
    clang = "-pg -fno-omit-frame-pointer -O2"
    yield "backend: mcount of LLVM", options("clang-19", clang, "-DFNTRACE_LLVM_MCOUNT", less=18)
    for way in ("-pg", "-pg -mfentry"):
        yield f"backend: results of C, {way}", options("gcc", f"{way} -O2",
                                                       "-DFNTRACE_C_RESULTS", less=14)
    yield "backend: both", options("clang-19", clang, "-DFNTRACE_LLVM_MCOUNT",
                                   "-DFNTRACE_C_RESULTS", less=32)
    for way in ("-pg", "-pg -mfentry", "-fpatchable-function-entry=5",
                "-finstrument-functions"):
        yield f"entries only, {way}", entries_only(way)
    yield "entries only, recorded", entries_recorded
    yield "entries only, made", entries_made
